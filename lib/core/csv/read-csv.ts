import { pipeline, Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { HttpError, ValidationError } from '../base/errors.js'
import { messageOf, type Message } from '../base/messages/messages.js'
import { csvParser, type Parser, type ParserOptions } from './packages.js'

export interface CsvRecord {
  /** The line of the file where it begins, counted from 1. */
  readonly line: number
  readonly cells: readonly string[]
}

/** The longest record in characters; a quote that is never closed would swallow the rest of the file. */
const LONGEST = 1_000_000

/** The most empty lines: they are no rows, and each takes the parser as long as a short one. */
const MOST_EMPTY = 100_000

const LINE_BREAKS = /\r\n|\r|\n/g

/**
 * Reads the records of a CSV file one by one, without empty lines. The delimiter is the comma, semicolon or tab that is
 * most frequent in the first line.
 *
 * @throws HttpError 415 `media_type` for a file that is not text in UTF-8, 413 `too_large` for more than 100,000 empty
 * lines.
 * @throws ValidationError naming the line, as in `line.17`, where the file is no CSV.
 * @throws MisuseError `csv_missing` when the parser is not installed.
 */
export async function* readCsv(file: AsyncIterable<Buffer>): AsyncGenerator<CsvRecord> {
  const { CsvError, parse } = await csvParser()
  const { delimiter, whole } = await delimiterOf(checkText(file))
  let line = 1
  // The parser would count a line break of two characters in a quoted cell as two lines.
  const numberRecord = (cells: string[]): CsvRecord => {
    const record = { line, cells }
    line += 1 + breaksIn(cells)
    return record
  }
  const options = { delimiter, bom: true, record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true,
    max_record_size: LONGEST }
  // The types of the parser allow lists only.
  const parser = parse({ ...options, on_record: numberRecord as unknown as ParserOptions['on_record'] & object })
  try {
    let empty = 0
    for await (const record of flowing(whole, parser)) {
      if (record.cells.some((cell) => cell !== '')) yield record
      else if (++empty > MOST_EMPTY) throw new HttpError(413, messageOf('too_large.rows', { max: MOST_EMPTY }))
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new ValidationError({ [`line.${line}`]: [FAULTS[error.code] ?? messageOf('field.csv_quote')] })
  }
}

/** Pipes the file through the parser; an error of the file becomes one of the parser. */
function flowing(file: AsyncIterable<Buffer>, parser: Parser): AsyncIterable<CsvRecord> {
  pipeline(Readable.from(file, { objectMode: false }), parser, () => undefined)
  return parser
}

function breaksIn(cells: readonly string[]): number {
  return cells.reduce((sum, cell) => sum + (cell.match(LINE_BREAKS)?.length ?? 0), 0)
}

const FAULTS: Readonly<Record<string, Message>> = {
  CSV_QUOTE_NOT_CLOSED: messageOf('field.csv_open_quote'),
  CSV_MAX_RECORD_SIZE: messageOf('field.csv_too_long'),
}

/** The delimiters; if two are equally frequent in the first line, the former counts. */
const DELIMITERS = [',', ';', '\t']

/** The most bytes that are read to find the end of the first line. */
const MOST = 65_536

/** Returns the delimiter of a file by its first line, and the whole file again. */
async function delimiterOf(file: AsyncIterable<Buffer>): Promise<{ delimiter: string; whole: AsyncIterable<Buffer> }> {
  const rest = file[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  let step = await rest.next()
  while (step.done !== true) {
    head = Buffer.concat([head, step.value])
    if (head.length > MOST || /[\r\n]/.test(head.toString('latin1'))) break
    step = await rest.next()
  }
  return { delimiter: mostFrequent(firstLine(head.toString())), whole: rejoin(head, rest) }
}

async function* rejoin(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield head
    for (let step = await rest.next(); step.done !== true; step = await rest.next()) yield step.value
  } finally {
    await rest.return?.()
  }
}

/** Returns the first line without its quoted cells. */
function firstLine(text: string): string {
  return text.replaceAll(/"[^"]*("|$)/g, '').replace(/[\r\n][^]*/, '')
}

function mostFrequent(line: string): string {
  const count = (delimiter: string): number => line.split(delimiter).length
  return DELIMITERS.reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best), ',')
}

/**
 * Yields the bytes of a file and checks that they are text in UTF-8.
 *
 * @throws HttpError 415 `media_type` for anything else: a workbook, UTF-16, an older encoding.
 */
async function* checkText(file: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const bytes of file) {
    check(decoder, bytes)
    yield bytes
  }
  check(decoder)
}

/** Checks one piece, which may end inside a character; without a piece, the end of the file. */
function check(decoder: TextDecoder, bytes?: Buffer): void {
  try {
    decoder.decode(bytes, { stream: bytes !== undefined })
  } catch (cause) {
    throw notText(cause)
  }
  if (bytes?.includes(0) === true) throw notText()
}

function notText(cause?: unknown): HttpError {
  return new HttpError(415, messageOf('media_type.csv'), { cause })
}

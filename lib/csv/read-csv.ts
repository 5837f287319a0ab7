import { pipeline, Readable } from 'node:stream'
import { CsvError, parse, type Options, type Parser } from 'csv-parse'
import { ValidationError } from '../errors.js'
import { messageOf, type Message } from '../messages.js'
import { delimiterOf } from './delimiter.js'
import { checkedText } from './text.js'

/** One record of a file. */
export interface CsvRecord {
  /** The line of the file where it begins, counted from 1. */
  readonly line: number
  readonly cells: readonly string[]
}

/** The longest record in characters; a quote that is never closed would swallow the rest of the file. */
const LONGEST = 1_000_000

const LINE_BREAKS = /\r\n|\r|\n/g

/**
 * The records of a CSV file, empty lines left out, as they are asked for; the delimiter is the comma, semicolon or tab that its first
 * line has most of.
 *
 * @throws HttpError 415 `media_type` for what is not text in UTF-8.
 * @throws ValidationError naming the line, as in `line.17`, where the file is no CSV.
 */
export async function* readCsv(file: AsyncIterable<Buffer>): AsyncGenerator<CsvRecord> {
  const { delimiter, whole } = await delimiterOf(checkedText(file))
  let line = 1
  // Counted here and not by the parser, for which a break of two characters in a quoted cell is two lines.
  const numbered = (cells: string[]): CsvRecord => {
    const record = { line, cells }
    line += 1 + breaksIn(cells)
    return record
  }
  const options = { delimiter, bom: true, record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true, max_record_size: LONGEST }
  // The types of the parser know of no record but lists.
  const parser = parse({ ...options, on_record: numbered as unknown as Options['on_record'] & object })
  try {
    for await (const record of flowing(whole, parser)) {
      if (record.cells.some((cell) => cell !== '')) yield record
    }
  } catch (error) {
    throw error instanceof CsvError ? new ValidationError({ [`line.${line}`]: [faultOf(error)] }) : error
  }
}

/** The parser with the file flowing through it; an error of the file's becomes the parser's. */
function flowing(file: AsyncIterable<Buffer>, parser: Parser): AsyncIterable<CsvRecord> {
  pipeline(Readable.from(file, { objectMode: false }), parser, () => undefined)
  return parser as AsyncIterable<CsvRecord>
}

function breaksIn(cells: readonly string[]): number {
  return cells.reduce((sum, cell) => sum + (cell.match(LINE_BREAKS)?.length ?? 0), 0)
}

const FAULTS: Readonly<Record<string, Message>> = {
  CSV_QUOTE_NOT_CLOSED: messageOf('field.csv_open_quote'),
  CSV_MAX_RECORD_SIZE: messageOf('field.csv_too_long'),
}

function faultOf({ code }: CsvError): Message {
  return FAULTS[code] ?? messageOf('field.csv_quote')
}

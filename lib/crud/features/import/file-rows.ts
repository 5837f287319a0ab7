import { type z } from 'zod'
import { fromCell } from '../../../core/csv/cell.js'
import type { Column } from '../../../core/csv/columns.js'
import type { readCsv } from '../../../core/csv/read-csv.js'
import { ConflictError, HttpError, keepMessages, messageGivenTo, messageOf, messagesOf, MisuseError, parse, safeParse,
  toValidationError, ValidationError, type FieldMessages, type Fields, type Message,
  type UploadedFile } from '../../../core/index.js'
import { shapeOf, type Row } from '../../core/index.js'

/** One row of a file: the arguments of a creation, or the fault of the row. */
export interface ImportRow {
  readonly line: number
  readonly args: Row
  readonly fault: HttpError | undefined
}

/** Checks a row, of which `sent` are the cells with a value. @throws HttpError for a fault of the row */
type RowCheck = (args: Row, sent: Row) => Promise<void>

/** The options for reading a file. */
export interface RowReading {
  readonly csv: () => Promise<{ readonly readCsv: typeof readCsv }>
  readonly readHeader: HeaderReader
  readonly input: z.ZodObject
  readonly maxRows: number
}

/**
 * Reads the rows of a file, and parses each with `input`.
 *
 * @throws HttpError 413 `too_large` for too many; ValidationError for a first line that does not fit, and for a file
 * that is no CSV.
 */
export async function* rowsOf(
  file: UploadedFile,
  { csv, readHeader, input, maxRows }: RowReading,
  check: RowCheck,
): AsyncGenerator<ImportRow> {
  const { readCsv } = await csv()
  let header: Header | undefined
  let count = 0
  for await (const { line, cells } of readCsv(file.stream())) {
    if (header === undefined) {
      header = readHeader(line, cells)
      continue
    }
    if (++count > maxRows) throw new HttpError(413, messageOf('too_large.rows', { max: maxRows }))
    yield { line, ...await rowOf(input, header, cells, check) }
  }
  if (header === undefined) throw new ValidationError({ file: [messageOf('field.csv_header_missing')] })
}

async function rowOf(
  input: z.ZodObject,
  header: Header,
  cells: readonly string[],
  check: RowCheck,
): Promise<Pick<ImportRow, 'args' | 'fault'>> {
  try {
    if (cells.length !== header.length) {
      throw new ValidationError({ _: [messageOf('field.csv_cells', { cells: cells.length, columns: header.length })] })
    }
    const sent = valuesOf(header, cells)
    const args = await parse(input, sent, toValidationError) as Row
    await check(args, sent)
    return { args, fault: undefined }
  } catch (error) {
    if (!isFault(error)) throw error
    return { args: {}, fault: error }
  }
}

/** Returns the values of a line; an empty cell has none, so that the field has its default or is missing. */
function valuesOf(header: Header, cells: readonly string[]): Row {
  const entries = cells.flatMap((cell, index): [string, string][] => {
    const field = header[index]
    return field === undefined || cell === '' ? [] : [[field, fromCell(cell)]]
  })
  return Object.fromEntries(entries)
}

/** The field that each cell of a line belongs to; `undefined` for a column that is not read. */
type Header = readonly (string | undefined)[]

/** Reads the first line of a file. */
type HeaderReader = (line: number, cells: readonly string[]) => Header

/**
 * Makes the reader of first lines: `columns` are read, headings in `others` are ignored.
 *
 * @throws MisuseError `crud_import` for a column that is no field of `input`. Reading a first line: ValidationError for
 * a heading that is unknown, or there twice, and for one that is missing and cannot be left out.
 */
export function headerReader(input: z.ZodObject, columns: readonly Column[], others: readonly string[]): HeaderReader {
  const stray = columns.find(({ field }) => !Object.hasOwn(input.shape, field))
  if (stray !== undefined) {
    throw new MisuseError(
      'crud_import',
      `\`import.columns\` of crud has \`${stray.field}\`, which \`input\` does not have: add it to \`input\`, or `
        + `remove the column.`,
    )
  }
  const fields = new Map(columns.map(({ field, heading }) => [heading, field]))
  const shape = shapeOf(input)
  const isNeeded = (schema: z.ZodType | undefined): boolean => schema !== undefined && !isOptional(schema)
  const needed = columns.filter(({ field }) => isNeeded(shape[field])).map(({ heading }) => heading)
  const names = new Set([...fields.keys(), ...others])
  return (line, cells) => {
    const headings = cells.map((cell) => fromCell(cell).trim())
    const unknown = headings.filter((heading) => !names.has(heading))
    const seen = new Set<string>()
    const twice: string[] = []
    for (const heading of headings) {
      if (seen.has(heading) && names.has(heading)) twice.push(heading)
      seen.add(heading)
    }
    const missing = needed.filter((heading) => !seen.has(heading))
    const faults: Record<string, Message[]> = {}
    const report = (all: readonly string[], fault: Message): void => {
      for (const heading of all) faults[`line.${line}.${heading}`] = [fault]
    }
    report(unknown, messageOf('field.csv_column_unknown', { names: [...fields.keys()].join(', ') }))
    report(twice, messageOf('field.csv_column_twice'))
    report(missing, messageOf('field.csv_column_missing'))
    if (Object.keys(faults).length > 0) throw new ValidationError(faults)
    return headings.map((heading) => fields.get(heading))
  }
}

/** Checks whether a field may be missing; one with an asynchronous check is decided by each row. */
function isOptional(field: z.ZodType): boolean {
  try {
    return safeParse(field, undefined).success
  } catch {
    return true
  }
}

/** The most messages about one file that are sent to the client. */
export const MOST_FAULTS = 100

/** The faults of the lines of a file: `{ "line.17.email": ["Is taken"] }`. */
export class Faults {
  readonly #fields: Record<string, readonly (string | Message)[]> = {}
  readonly #lines = new Set<number>()
  #left = MOST_FAULTS

  get lines(): number {
    return this.#lines.size
  }

  /** True if no more messages are kept. */
  get isFull(): boolean {
    return this.#left === 0
  }

  get fields(): FieldMessages {
    return this.#fields
  }

  add(line: number, error: HttpError): void {
    this.#lines.add(line)
    for (const [field, all] of Object.entries(messagesBy(error))) {
      const kept = all.slice(0, this.#left)
      if (kept.length > 0) this.#fields[field === '_' ? `line.${line}` : `line.${line}.${field}`] = kept
      this.#left -= kept.length
    }
  }
}

/** Returns the messages of an error by field; that a value is of a deleted record is said by its own message alone. */
function messagesBy(error: HttpError): Readonly<Record<string, readonly (string | Message)[]>> {
  const fields = error instanceof ValidationError || error instanceof ConflictError ? error.fields : undefined
  if (fields === undefined) return { _: [messageGivenTo(error)] }
  const messages = messagesOf(fields)
  if (error.reason !== 'conflict_deleted') return messages
  return Object.fromEntries(Object.keys(messages).map((field) => [field, [messageGivenTo(error)]]))
}

/** Checks whether an error is about a row, rather than about the store or the program: a 4xx that may be shown. */
export function isFault(error: unknown): error is HttpError {
  return error instanceof HttpError && error.status < 500 && error.expose
}

/**
 * 422: nothing was written because of some lines of a file; up to 100 messages are kept, where other requests keep 50.
 */
export class ImportError extends ValidationError {
  override readonly fields: Fields

  constructor({ fields, lines, isFull }: Faults) {
    super({}, messageOf(isFull ? 'validation.import_many' : 'validation.import', { lines }))
    this.fields = keepMessages(fields, MOST_FAULTS).texts
  }
}

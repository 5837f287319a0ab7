import { stringify, type Options } from 'csv-stringify/sync'
import { toCell } from './cell.js'
import type { Column } from './columns.js'

export type Rows = Iterable<object> | AsyncIterable<object>
export type Delimiter = ',' | ';'

export interface CsvFormat {
  readonly columns: readonly Column[]
  readonly delimiter: Delimiter
  /** Whether the text begins with a byte order mark. */
  readonly bom: boolean
}

/** How many rows become one piece of text. */
const BATCH = 100

const BOM = '\uFEFF'

/** Rows as `text/csv` (RFC 4180), the headings first, in pieces of some rows; no row is asked for before its piece is. */
export async function* toCsv(rows: Rows, { columns, delimiter, bom }: CsvFormat): AsyncGenerator<string> {
  // What another program would take for a delimiter is quoted too.
  const options: Options = { delimiter, record_delimiter: '\r\n', eof: true, quote_record_delimiter: true, quoted_match: /[,;\t]/ }
  const write = (batch: readonly (readonly string[])[]): string => stringify([...batch], options)
  let batch = [columns.map(({ heading }) => toCell(heading))]
  let start = bom ? BOM : ''
  for await (const row of rows) {
    batch.push(columns.map(({ field }) => toCell(valueOf(row, field))))
    if (batch.length < BATCH) continue
    yield start + write(batch)
    start = ''
    batch = []
  }
  if (batch.length > 0) yield start + write(batch)
}

function valueOf(row: object, field: string): unknown {
  return Object.hasOwn(row, field) ? (row as Record<string, unknown>)[field] : undefined
}

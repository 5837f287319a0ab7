import { propertiesOf } from '../base/guards.js'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'
import { sendsBody } from '../base/node-http.js'
import { MisuseError } from '../base/errors.js'
import { checkOptionNames, show } from '../base/options.js'
import { cleanFileName } from '../upload/file-name.js'
import { toCell } from './cell.js'
import { columnsOf, type Column, type CsvColumns } from './columns.js'
import { csvWriter } from './packages.js'

export interface CsvOptions<Row> {
  /** The fields of a row in the file, in this order, under their names or under other headings. */
  readonly columns: CsvColumns<Row>
  /** The file name that the client is told. @default 'export.csv' */
  readonly fileName?: string | undefined
  /** Begins the file with a byte order mark, without which Excel does not read it as UTF-8. @default false */
  readonly bom?: boolean | undefined
  /** @default ',' */
  readonly delimiter?: Delimiter | undefined
}

/**
 * Sends rows as a CSV file (RFC 4180), as fast as the client reads. Memory holds a few rows at a time. If the client
 * disconnects, no further row is read.
 *
 * `null` is an empty cell, a Date is ISO 8601, an object is JSON. A string that a spreadsheet would run as a formula
 * gets a leading apostrophe; numbers stay numbers. An error before the first rows is thrown and can be answered. After
 * them it is thrown too, and the connection is closed in the middle of the body, so that no incomplete file looks
 * complete.
 *
 * @throws MisuseError `csv_columns` for no columns, two with the same heading, and another delimiter; `csv_missing`
 * when the package `csv-stringify` is not installed.
 * @example
 * app.get('/notes.csv', async (req, res) => sendCsv(res, notes, { columns: ['id', 'title'], fileName: 'notes.csv' }))
 */
export async function sendCsv<Row extends object>(
  res: Response,
  rows: Iterable<Row> | AsyncIterable<Row>,
  options: CsvOptions<Row>,
): Promise<void> {
  checkOptionNames('sendCsv', options, ['columns', 'fileName', 'bom', 'delimiter'])
  const { columns, fileName = 'export.csv', bom = false, delimiter = ',' } = options
  if (!DELIMITERS.includes(delimiter)) {
    throw new MisuseError('csv_columns', `The \`delimiter\` of sendCsv is ',' or ';', not ${show(delimiter)}.`)
  }
  const pieces = toCsv(rows, { columns: columnsOf(columns), bom, delimiter })
  if (!sendsBody(res)) {
    setHeaders(res, fileName)
    res.end()
    return
  }
  const first = await pieces.next()
  if (res.destroyed) {
    await pieces.return(undefined)
    return
  }
  setHeaders(res, fileName)
  await transmit(first.value as string, pieces, res)
}

function setHeaders(res: Response, fileName: string): void {
  res.attachment(cleanFileName(fileName))
  res.set({ 'Content-Type': 'text/csv; charset=utf-8; header=present', 'X-Content-Type-Options': 'nosniff' })
}

/** Sends the pieces. A client that disconnects is no error; anything that the rows throw is. */
async function transmit(first: string, rest: AsyncGenerator<string>, res: Response): Promise<void> {
  const faults: unknown[] = []
  const pieces = async function*(): AsyncGenerator<string> {
    try {
      yield first
      yield* rest
    } catch (error) {
      faults.push(error)
      throw error
    }
  }
  try {
    await pipeline(pieces, res)
  } catch (error) {
    if (faults.length > 0) throw error
  }
}

type Rows = Iterable<object> | AsyncIterable<object>
type Delimiter = ',' | ';'

const DELIMITERS: readonly unknown[] = [',', ';'] satisfies Delimiter[]

interface CsvFormat {
  readonly columns: readonly Column[]
  readonly delimiter: Delimiter
  /** Begins the text with a byte order mark. */
  readonly bom: boolean
}

/** The number of rows in one piece of text. */
const BATCH = 100

const BOM = '\uFEFF'

/**
 * Converts rows to `text/csv` (RFC 4180), the headings first, in pieces of several rows. Rows are read when their piece
 * is.
 */
export async function* toCsv(rows: Rows, { columns, delimiter, bom }: CsvFormat): AsyncGenerator<string> {
  const { stringify } = await csvWriter()
  // Characters that another program might read as a delimiter or as a line break are quoted too.
  const options = { delimiter, record_delimiter: '\r\n', eof: true, quoted_match: /[,;\t\r\n]/ }
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
  return Object.hasOwn(row, field) ? propertiesOf(row)[field] : undefined
}

import { type z } from 'zod'
import { fromCell } from '../../csv/cell.js'
import type { readCsv } from '../../csv/read-csv.js'
import { HttpError, ValidationError } from '../../errors.js'
import { parse, toValidationError } from '../../validate/parse.js'
import type { UploadedFile } from '../../types.js'
import type { Header, HeaderReader } from './header.js'
import { isFault } from './faults.js'

/** One row of a file: what a creation takes, or what is wrong with it. */
export interface ImportRow {
  readonly line: number
  readonly args: object
  readonly fault: HttpError | undefined
}

export interface RowReading {
  readonly csv: () => Promise<{ readonly readCsv: typeof readCsv }>
  readonly readHeader: HeaderReader
  readonly input: z.ZodObject
  readonly maxRows: number
}

/**
 * The rows of a file, read anew each time.
 *
 * @throws HttpError 413 `too_large` for too many; ValidationError for a first line that does not fit, and for what is no CSV.
 */
export async function* rowsOf(file: UploadedFile, { csv, readHeader, input, maxRows }: RowReading): AsyncGenerator<ImportRow> {
  const { readCsv } = await csv()
  let header: Header | undefined
  let count = 0
  for await (const { line, cells } of readCsv(file.stream() as AsyncIterable<Buffer>)) {
    if (header === undefined) {
      header = readHeader(line, cells)
      continue
    }
    if (++count > maxRows) throw new HttpError(413, `The file has more than ${maxRows} rows`, { reason: 'too_large' })
    yield { line, ...await rowOf(input, header, cells) }
  }
  if (header === undefined) throw new ValidationError({ file: ['This file has no first line with the names of its columns'] })
}

async function rowOf(input: z.ZodObject, header: Header, cells: readonly string[]): Promise<Pick<ImportRow, 'args' | 'fault'>> {
  try {
    if (cells.length !== header.length) throw new ValidationError({ _: [`The first line has ${header.length} columns, and this one ${cells.length}`] })
    return { args: await parse(input, valuesOf(header, cells), toValidationError) as object, fault: undefined }
  } catch (error) {
    if (!isFault(error)) throw error
    return { args: {}, fault: error }
  }
}

/** An empty cell is no value: the field has its default, or is missing. */
function valuesOf(header: Header, cells: readonly string[]): object {
  const found = cells.flatMap((cell, index): [string, string][] => {
    const field = header[index]
    return field === undefined || cell === '' ? [] : [[field, fromCell(cell)]]
  })
  return Object.fromEntries(found)
}

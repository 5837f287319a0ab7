import { toMissing } from './missing.js'

/*
 * The optional packages for CSV, loaded on first use. By the `try`, bundlers know that a package may be missing.
 */

/** @throws MisuseError `csv_missing` when `csv-parse` is not installed. */
export async function csvParser() {
  try {
    return await import('csv-parse')
  } catch (error) {
    throw toMissing('csv-parse', error)
  }
}

/** @throws MisuseError `csv_missing` when `csv-stringify` is not installed. */
export async function csvWriter() {
  try {
    return await import('csv-stringify/sync')
  } catch (error) {
    throw toMissing('csv-stringify', error)
  }
}

type CsvParse = Awaited<ReturnType<typeof csvParser>>

export type Parser = InstanceType<CsvParse['Parser']>
export type ParserOptions = ConstructorParameters<CsvParse['Parser']>[0]

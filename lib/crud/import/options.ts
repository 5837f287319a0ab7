import type { CsvColumns } from '../../csv/columns.js'
import { MisuseError } from '../../errors.js'

/** How a CSV file becomes rows. */
export interface ImportOptions<Fields = Readonly<Record<string, unknown>>> {
  /** The headings of the fields, where they are not their names: `{ email: 'E-mail' }`. @default the fields of `input` by their names */
  readonly columns?: CsvColumns<Fields>
  /** The most rows of one file. @default 100_000 */
  readonly maxRows?: number
  /** The largest file in bytes. @default 20_000_000 */
  readonly maxBytes?: number
  /** Whether the rows that are in order are written where others are not, each in a transaction of its own. @default false: all or none */
  readonly partial?: boolean
  /** Seconds for the whole of it; after them the reply is 503 and nothing is committed. @default 600 */
  readonly deadline?: number
  /** After how many rows the log says how far it is. @default 10_000 */
  readonly logEvery?: number
}

/** `true`, or what is to be different. */
export type ImportOption<Fields = Readonly<Record<string, unknown>>> = true | ImportOptions<Fields>

export type ImportSettings = Required<Omit<ImportOptions, 'columns'>> & Pick<ImportOptions, 'columns'>

const DEFAULTS = { maxRows: 100_000, maxBytes: 20_000_000, partial: false, deadline: 600, logEvery: 10_000 } as const

/** @throws MisuseError `crud_import` for a number that makes no sense. */
export function importSettings(option: ImportOption): ImportSettings {
  const settings = { ...DEFAULTS, ...(option === true ? {} : option) }
  for (const name of ['maxRows', 'maxBytes', 'logEvery'] as const) {
    if (Number.isSafeInteger(settings[name]) && settings[name] > 0) continue
    throw new MisuseError('crud_import', `\`${name}\` of an import is a whole number from 1, not ${settings[name]}.`)
  }
  return settings
}

import type { z } from 'zod'
import { columnsOf, type Column, type CsvColumns } from '../../csv/columns.js'
import { MisuseError } from '../../errors.js'

/** How the rows of a list leave as a CSV file. */
export interface ExportOptions<Shown = Readonly<Record<string, unknown>>> {
  /** The fields of the output that stand in the file: `['id', 'title']`, or with headings: `{ id: 'Number' }`. @default all of them */
  readonly columns?: CsvColumns<Shown>
  /** The most rows of one file: a list that is longer is a 422, before anything is sent. @default no limit */
  readonly maxRows?: number
  /** What the caller's program will call the file. @default the resource's name, and `.csv` */
  readonly fileName?: string
  /** @default ',' */
  readonly delimiter?: ',' | ';'
}

/** `true`, or what is to be different. */
export type ExportOption<Shown = Readonly<Record<string, unknown>>> = true | ExportOptions<Shown>

export interface ExportSettings extends Pick<ExportOptions, 'fileName' | 'delimiter'> {
  readonly columns: readonly Column[]
  readonly maxRows: number
}

/** @throws MisuseError `crud_export` for a column that does not leave, or a number of rows that is none; `csv_columns` for headings. */
export function exportSettings(option: ExportOption, output: z.ZodObject): ExportSettings {
  const { columns: chosen = Object.keys(output.shape), maxRows = Infinity, fileName, delimiter } = option === true ? {} : option
  const columns = columnsOf(chosen)
  const hidden = columns.find(({ field }) => !Object.hasOwn(output.shape, field))
  if (hidden !== undefined) throw new MisuseError('crud_export', `The export has the column \`${hidden.field}\`, and the output does not.`)
  if (!(maxRows > 0) || Number.isNaN(maxRows)) throw new MisuseError('crud_export', `\`maxRows\` of an export is a number from 1, not ${maxRows}.`)
  return { columns, maxRows, ...(fileName !== undefined && { fileName }), ...(delimiter !== undefined && { delimiter }) }
}

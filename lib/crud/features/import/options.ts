import type { Request, Response } from 'express'
import { z } from 'zod'
import type { CsvColumns } from '../../../core/csv/columns.js'
import { MisuseError, param, type BooleanParam, type Complete, type Result } from '../../../core/index.js'

/** The options of the import of a CSV file. */
export interface ImportOptions<Fields = Readonly<Record<string, unknown>>> {
  /**
   * The headings of the fields, where they are not their names: `{ email: 'E-mail' }`. @default the fields of `input`
   * by their names
   */
  readonly columns?: CsvColumns<Fields> | undefined
  /** The most rows of one file. @default 100_000 */
  readonly maxRows?: number | undefined
  /** The largest file in bytes. @default 20_000_000 */
  readonly maxBytes?: number | undefined
  /**
   * True if valid rows are written where others are not, each in a transaction of its own. @default false: all or none
   */
  readonly partial?: boolean | undefined
  /**
   * Seconds for the whole import; after them the reply is 503 and, without `partial`, nothing is committed.
   * @default 600
   */
  readonly deadline?: number | undefined
  /** The rows between two lines of progress in the log. @default 10_000 */
  readonly logEvery?: number | undefined
}

export type ImportChoice<In extends z.ZodObject> = true | ImportOptions<z.output<In>> | undefined

export interface ImportOption<Chosen> {
  /** Adds `import`: a CSV file whose rows are created, all or none. Needs the package `csv-parse`. @default none */
  readonly import?: Chosen | undefined
}

/** A trial is requested in the form or in the query. */
export type TrialInput = z.ZodObject<{ dryRun: z.ZodOptional<BooleanParam> }>

/** The output of an import. */
export type ImportOutput = z.ZodObject<{
  rows: z.ZodInt
  created: z.ZodInt
  dryRun: z.ZodBoolean
  faults: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodArray<z.ZodString>>>
}>

/** `POST {route}/import`, a form with the file in its field `file`. */
export interface ImportAction {
  readonly import: {
    readonly methods: readonly ['POST']
    readonly route: '/import'
    readonly input: TrialInput
    readonly query: TrialInput
    readonly output: ImportOutput
    readonly files: { readonly file: { readonly maxBytes: number; readonly required: true } }
    readonly handler: (
      req: Request,
      res: Response,
      args: { readonly dryRun?: boolean | undefined },
    ) => Promise<Result<ImportOutput>>
  }
}

/** The action that the option adds. */
export type ImportActions<Chosen> = Pick<ImportAction, Chosen extends undefined ? never : 'import'>

export const trialInput: TrialInput = z.object({
  dryRun: param.bool().optional().describe('Checks the file without importing it'),
})

export const importOutput: ImportOutput = z.object({
  rows: z.int().describe('The rows of the file'),
  created: z.int().describe('The rows that were created, or with `dryRun` would have been'),
  dryRun: z.boolean(),
  faults: z.record(z.string(), z.array(z.string())).optional().describe(
    'The faults of rows that were not imported, by line and field: `line.17.email`',
  ),
})

export type ImportSettings =
  & Complete<Omit<ImportOptions, 'columns'>>
  & Pick<ImportOptions, 'columns'>

/** Returns the option with its defaults. @throws MisuseError `crud_import` for a number out of range */
export function importSettings(option: true | ImportOptions): ImportSettings {
  const { maxRows = 100_000, maxBytes = 20_000_000, partial = false, deadline = 600, logEvery = 10_000, ...rest } =
    option === true ? {} : option
  const settings = { maxRows, maxBytes, partial, deadline, logEvery, ...rest }
  for (const name of ['maxRows', 'maxBytes', 'logEvery'] as const) {
    if (Number.isSafeInteger(settings[name]) && settings[name] > 0) continue
    throw new MisuseError(
      'crud_import',
      `\`import.${name}\` of crud must be a whole number from 1, not ${settings[name]}.`,
    )
  }
  return settings
}

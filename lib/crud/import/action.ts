import type { Request, Response } from 'express'
import { z } from 'zod'
import { param, type BooleanParam } from '../../param.js'
import type { Result } from '../../resource/declaration.js'
import type { FileRule } from '../../types.js'

/** A trial may be asked for in the form or in the query. */
export type TrialInput = z.ZodObject<{ dryRun: z.ZodOptional<BooleanParam> }>

export type ImportOutput = z.ZodObject<{
  rows: z.ZodInt
  created: z.ZodInt
  dryRun: z.ZodBoolean
  faults: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodArray<z.ZodString>>>
}>

/** The action that the option adds: `POST {route}/import`, a form with the file in its field `file`. */
export interface ImportAction {
  readonly import: {
    readonly methods: readonly ['POST']
    readonly route: '/import'
    readonly input: TrialInput
    readonly query: TrialInput
    readonly output: ImportOutput
    readonly files: { readonly file: FileRule }
    readonly handler: (req: Request, res: Response, args: { readonly dryRun?: boolean | undefined }) => Promise<Result<ImportOutput>>
  }
}

export const trialInput: TrialInput = z.object({ dryRun: param.bool().optional().describe('Whether all is tried and nothing written') })

export const importOutput: ImportOutput = z.object({
  rows: z.int().describe('The rows of the file'),
  created: z.int().describe('The rows that were written, or would have been'),
  dryRun: z.boolean(),
  faults: z.record(z.string(), z.array(z.string())).optional().describe('By line and field, where rows were left out: `line.17.email`'),
})

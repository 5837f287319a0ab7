import type { Request, Response } from 'express'
import type { z } from 'zod'

/** The action that the option adds: `POST {route}/export`, with the parameters of the list and `bom`. */
export interface ExportAction<Query = unknown> {
  readonly export: {
    readonly methods: readonly ['POST']
    readonly route: '/export'
    readonly query: z.ZodType<Readonly<Record<string, unknown>>, Query & { readonly bom?: boolean | undefined }>
    readonly body: false
    readonly produces: 'text/csv'
    readonly handler: (req: Request, res: Response, args: Readonly<Record<string, unknown>>) => Promise<void>
  }
}

import type { Request, Response } from 'express'
import type { z } from 'zod'
import type { Result } from '../../resource/declaration.js'

interface TrashAction<Method extends string, Route extends string, Id extends z.ZodType, O extends z.ZodType> {
  readonly methods: readonly [Method]
  readonly route: Route
  readonly input: z.ZodObject<{ id: Id }>
  readonly output: O
  /** Of a success. */
  readonly message: string
  readonly handler: (req: Request, res: Response, args: { id: z.output<Id> }) => Promise<Result<O>>
}

/** The actions of the bin. */
export interface TrashActions<Out extends z.ZodObject, Id extends z.ZodType> {
  readonly restore: TrashAction<'PUT', '/:id/restore', Id, Out>
  readonly trash: TrashAction<'DELETE', '/:id/trash', Id, z.ZodNull>
}

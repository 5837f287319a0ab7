import type { Request, Response } from 'express'
import type { z } from 'zod'
import type { Result } from '../../resource/declaration.js'

interface SoftDeleteAction<Method extends string, Route extends string, Id extends z.ZodType, O extends z.ZodType> {
  readonly methods: readonly [Method]
  readonly route: Route
  readonly input: z.ZodObject<{ id: Id }>
  readonly output: O
  /** Of a success. */
  readonly message: string
  readonly handler: (req: Request, res: Response, args: { id: z.output<Id> }) => Promise<Result<O>>
}

/** The actions that `softDelete` adds. */
export interface SoftDeleteActions<Out extends z.ZodObject, Id extends z.ZodType> {
  readonly restore: SoftDeleteAction<'PUT', '/:id/restore', Id, Out>
  readonly purge: SoftDeleteAction<'DELETE', '/:id/purge', Id, z.ZodNull>
}

import type { Request, Response } from 'express'
import type { z } from 'zod'
import type { Result } from '../resource/declaration.js'

type Handler<Args, O extends z.ZodType> = (req: Request, res: Response, args: Args) => Promise<Result<O>>

interface Action<I extends z.ZodType, O extends z.ZodType> {
  readonly input: I
  readonly output: O
  readonly handler: Handler<z.output<I>, O>
}

interface Titled {
  /** Of a success. */
  readonly message: string
}

type WithId<In extends z.ZodObject, Id extends z.ZodType> = z.ZodType<
  Omit<z.output<In>, 'id'> & { id: z.output<Id> }, Omit<z.input<In>, 'id'> & { id: z.input<Id> }
>
type Changes<In extends z.ZodObject, Id extends z.ZodType> = z.ZodType<
  Partial<Omit<z.output<In>, 'id'>> & { id: z.output<Id> }, Partial<Omit<z.input<In>, 'id'>> & { id: z.input<Id> }
>

/** The seven default actions with what they read and send: each can be mounted, replaced, or wrapped. */
export interface CrudHandlers<In extends z.ZodObject, Out extends z.ZodObject, Id extends z.ZodType, Query = unknown> {
  readonly list: Action<z.ZodType<Readonly<Record<string, unknown>>, Query>, z.ZodArray<Out>>
  readonly show: Action<z.ZodObject<{ id: Id }>, Out>
  readonly create: Action<In, Out> & Titled
  readonly edit: Action<WithId<In, Id>, Out> & Titled
  readonly store: Action<Changes<In, Id>, Out> & Titled
  readonly delete: Action<z.ZodObject<{ id: Id }>, z.ZodNull> & Titled
  readonly deleteMany: Titled & { readonly output: z.ZodNull; readonly handler: Handler<object, z.ZodNull> }
}

import type { Request, Response } from 'express'
import type { z } from 'zod'
import type { Result } from '../resource/declaration.js'
import type { WithArgs } from './parent/options.js'

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

/** The seven default actions with what they read and send: each can be mounted, replaced, or wrapped. `Args` are those of the parents' path. */
export interface CrudHandlers<In extends z.ZodObject, Out extends z.ZodObject, Id extends z.ZodType, Query = unknown, Args = object> {
  readonly list: Action<WithArgs<z.ZodType<Readonly<Record<string, unknown>>, Query>, Args>, z.ZodArray<Out>>
  readonly show: Action<WithArgs<z.ZodObject<{ id: Id }>, Args>, Out>
  readonly create: Action<WithArgs<In, Args>, Out> & Titled
  readonly edit: Action<WithArgs<WithId<In, Id>, Args>, Out> & Titled
  readonly store: Action<WithArgs<Changes<In, Id>, Args>, Out> & Titled
  readonly delete: Action<WithArgs<z.ZodObject<{ id: Id }>, Args>, z.ZodNull> & Titled
  readonly deleteMany: DeleteMany<Args> & Titled
}

type DeleteMany<Args> = [keyof Args] extends [never]
  ? { readonly output: z.ZodNull; readonly handler: Handler<object, z.ZodNull> }
  : Action<z.ZodType<Args & object, Args & object>, z.ZodNull>

import type { Request, Response } from 'express'
import type { z } from 'zod'
import type { Result } from '../../resource/declaration.js'

export type BulkName = 'createMany' | 'updateMany'

/** Both bulk actions, or those named. */
export type BulkOption = true | readonly BulkName[]

interface BulkAction<Method extends string, Route extends string, I extends z.ZodType<object>, Out extends z.ZodType> {
  readonly methods: readonly [Method]
  readonly route: Route
  readonly input: I
  readonly output: z.ZodArray<Out>
  /** Of a success. */
  readonly message: string
  readonly handler: (req: Request, res: Response, args: z.output<I>) => Promise<Result<z.ZodArray<Out>>>
}

type Items<In extends z.ZodObject> = z.ZodType<{ items: z.output<In>[] }, { items: readonly z.input<In>[] }>
type Selection<In extends z.ZodObject, Id extends z.ZodType> = z.ZodType<
  { ids: z.output<Id>[]; data: Partial<Omit<z.output<In>, 'id'>> }, { ids: readonly z.input<Id>[]; data: Partial<Omit<z.input<In>, 'id'>> }
>

interface AllBulkActions<In extends z.ZodObject, Out extends z.ZodObject, Id extends z.ZodType> {
  readonly createMany: BulkAction<'POST', '/bulk', Items<In>, Out> & { readonly status: number }
  readonly updateMany: BulkAction<'PUT', '', Selection<In, Id>, Out>
}

/** The bulk actions that the option gives. */
export type BulkActions<Bulk, In extends z.ZodObject, Out extends z.ZodObject, Id extends z.ZodType> = Pick<AllBulkActions<In, Out, Id>, NamesOf<Bulk>>

type NamesOf<Bulk> = Bulk extends true ? BulkName : Bulk extends readonly (infer Name extends BulkName)[] ? Name : never

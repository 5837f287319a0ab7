import type { Request, Response } from 'express'
import type { z } from 'zod'
import type { Result } from '../core/index.js'
import type { CoreListName } from './options.js'

/** A schema that reads the path arguments of parents too. */
export type WithArgs<I extends z.ZodType, Args> = [keyof Args] extends [never] ? I
  : z.ZodType<z.output<I> & Args, z.input<I> & Args>

/** Actions whose handlers get the path arguments of parents too. */
export type ActionsWithArgs<Actions, Args> = [keyof Args] extends [never] ? Actions
  : { readonly [K in keyof Actions]: ActionWithArgs<Actions[K], Args> }

type ActionWithArgs<Action, Args> = Action extends
  { readonly handler: (req: infer Req, res: infer Res, args: infer Own) => infer Result }
  ? Omit<Action, 'input' | 'handler'> & {
    readonly input: Action extends { readonly input: infer I extends z.ZodType } ? WithArgs<I, Args>
      : z.ZodType<Args, Args>
    readonly handler: (req: Req, res: Res, args: Own & Args) => Result
  }
  : Action

type Handler<Args, O extends z.ZodType> = (req: Request, res: Response, args: Args) => Promise<Result<O>>

interface Action<I extends z.ZodType, O extends z.ZodType> {
  readonly input: I
  readonly output: O
  readonly handler: Handler<z.output<I>, O>
}

interface Titled {
  /** The message of a success. */
  readonly message: string
}

type WithId<In extends z.ZodObject, Id extends z.ZodType> = z.ZodType<
  Omit<z.output<In>, 'id'> & { id: z.output<Id> },
  Omit<z.input<In>, 'id'> & { id: z.input<Id> }
>
type Changes<In extends z.ZodObject, Id extends z.ZodType> = z.ZodType<
  Partial<Omit<z.output<In>, 'id'>> & { id: z.output<Id> },
  Partial<Omit<z.input<In>, 'id'>> & { id: z.input<Id> }
>

/**
 * The seven default actions with their input and output: each can be mounted, replaced, or wrapped. `Args` are the
 * path arguments of parents, `Shown` the parameters of `show`.
 */
export interface CrudHandlers<
  In extends z.ZodObject,
  Out extends z.ZodObject,
  Id extends z.ZodType,
  Query = unknown,
  Args = object,
  Shown = object,
> {
  readonly list: Action<WithArgs<z.ZodType<Readonly<Record<string, unknown>>, Query>, Args>, z.ZodArray<Out>>
  readonly show: Action<WithArgs<WithArgs<z.ZodObject<{ id: Id }>, Shown>, Args>, Out>
  readonly create: Action<WithArgs<In, Args>, Out> & Titled
  readonly edit: Action<WithArgs<WithId<In, Id>, Args>, Out> & Titled
  readonly store: Action<WithArgs<Changes<In, Id>, Args>, Out> & Titled
  readonly delete: Action<WithArgs<z.ZodObject<{ id: Id }>, Args>, z.ZodNull> & Titled
  readonly deleteMany: DeleteMany<Args> & Titled
}

type DeleteMany<Args> = [keyof Args] extends [never]
  ? { readonly output: z.ZodNull; readonly handler: Handler<object, z.ZodNull> }
  : Action<z.ZodType<Args & object, Args & object>, z.ZodNull>

/**
 * The options of a list that name its parameters, once more, so that their names are known to the type of the query.
 */
export interface ListNames<Filter extends string, Custom extends string, Sort extends string, Wire> {
  readonly filters?: Readonly<Partial<Record<Filter, unknown>>>
  readonly customFilters?: Readonly<Partial<Record<Custom, unknown>>>
  readonly sort?: readonly Sort[]
  readonly paramNames?: Wire
}

/**
 * The query of a list, for the types of a client: a filter takes a value of its column or several. `Added` are the
 * parameters of features.
 */
export type ListArgs<
  Row,
  Id extends z.ZodType,
  Filter extends string,
  Custom extends string,
  Sort extends string,
  Wire,
  Added,
> =
  & Renamed<ListParameters<Sort | Extract<'id', keyof Row>, z.input<Id>> & Added, Wire>
  & { readonly [Name in Filter]?: Value<Row, Name> | readonly Value<Row, Name>[] | undefined }
  & { readonly [Name in Filter as `${Name}_${'gte' | 'lte' | 'ne'}`]?: Value<Row, Name> | undefined }
  & { readonly [Name in Filter as `${Name}_isNull`]?: boolean | undefined }
  & Readonly<Partial<Record<Custom, unknown>>>

export interface ListParameters<Sort extends string, Id> extends Readonly<Partial<Record<CoreListName, unknown>>> {
  /** From 1. */
  readonly page?: number | undefined
  readonly limit?: number | undefined
  readonly search?: string | undefined
  /** One key, or several with commas in between: `-createdAt,name`. */
  readonly sort?: Sorting<Sort> | `${Sorting<Sort>},${string}` | undefined
  /** Empty for the first page, then `meta.next` of the page before. */
  readonly cursor?: string | undefined
  readonly ids?: readonly Id[] | undefined
}

type Sorting<Name extends string> = `${'' | '-'}${Name}`
/** Parameters under the names that `paramNames` gives them. */
export type Renamed<Parameters, Wire> = {
  readonly [Name in keyof Parameters as Name extends keyof Wire ? Wire[Name] & string : Name]: Parameters[Name]
}
type Value<Row, Name> = Name extends keyof Row
  ? NonNullable<Row[Name]> | (NonNullable<Row[Name]> extends Date ? string : never)
  : never

import type { Request, Response } from 'express'
import type { z } from 'zod'
import type { Result } from '../../core/index.js'
import type { FieldFilter } from './filters.js'

/*
 * The types of what `crud` returns, for `mountResource` and for the types of a client: the actions, and the query of a
 * list.
 */

/** A schema that reads the path arguments of parents too. */
type WithArgs<I extends z.ZodType, Args> = [keyof Args] extends [never] ? I
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

type Handler<Args, O> = (req: Request, res: Response, args: Args) => Promise<Result<O>>

export interface Action<I extends z.ZodType, O> {
  readonly input: I
  readonly output: O
  readonly handler: Handler<z.output<I>, O>
}

export interface Titled {
  /** The message of a success. */
  readonly message: string
}

type WithId<In extends z.ZodObject, Id extends z.ZodType> = z.ZodType<
  Omit<z.output<In>, 'id'> & { id: z.output<Id> },
  Omit<z.input<In>, 'id'> & { id: z.input<Id> }
>
type Changes<Changed extends z.ZodObject, Id extends z.ZodType> = z.ZodType<
  Partial<Omit<z.output<Changed>, 'id'>> & { id: z.output<Id> },
  Partial<Omit<z.input<Changed>, 'id'>> & { id: z.input<Id> }
>

/**
 * The seven default actions with their input and output: each can be mounted, replaced, or wrapped. `Args` are the
 * path arguments of parents, `Shown` the parameters of `show`, `Changed` the schema of partial updates.
 */
export interface CrudHandlers<
  In extends z.ZodObject,
  Out extends z.ZodObject,
  Id extends z.ZodType,
  Query = unknown,
  Args = object,
  Shown = object,
  Changed extends z.ZodObject = In,
> {
  readonly list: Action<WithArgs<z.ZodType<Readonly<Record<string, unknown>>, Query>, Args>, z.ZodArray<Out>>
  readonly show: Action<WithArgs<WithArgs<z.ZodObject<{ id: Id }>, Shown>, Args>, Out>
  readonly create: Action<WithArgs<In, Args>, Out> & Titled
  readonly edit: Action<WithArgs<WithId<In, Id>, Args>, Out> & Titled
  readonly store: Action<WithArgs<Changes<Changed, Id>, Args>, Out> & Titled
  readonly delete: Action<WithArgs<z.ZodObject<{ id: Id }>, Args>, z.ZodNull> & Titled
  readonly deleteMany: DeleteMany<Args, Id> & Titled
}

type DeleteMany<Args, Id extends z.ZodType> = [keyof Args] extends [never]
  ? { readonly output: z.ZodNull; readonly handler: Handler<object, z.ZodNull> }
  : Action<z.ZodType<Args & object, Args & { readonly ids: readonly z.input<Id>[] }>, z.ZodNull>

/**
 * The options that name the parameters of a list, and the schema of partial updates, once more, so that they are known
 * to the types of a client.
 */
export interface ListNames<Row, Filters, Customs, Sort extends string, Wire, Searched, Cursor> {
  readonly filters?: Filters & {
    readonly [Name in keyof Filters]: Name extends keyof Row
      ? Filters[Name] extends z.ZodType ? 'A filter has a kind: write { eq: … }' : OnlyKinds<Filters[Name]>
      : NoColumn<Name>
  } | undefined
  readonly customFilters?: Customs | undefined
  readonly sort?: readonly Sort[] | undefined
  readonly search?: readonly Searched[] | undefined
  readonly cursor?: Cursor | undefined
  readonly paramNames?: Wire | undefined
}

type NoColumn<Name> = `The row has no column "${Name & string}": rename the filter, or make it a custom filter`

/** A filter of a field without a kind that does not exist. */
type OnlyKinds<Filter> = {
  readonly [Kind in Exclude<keyof Filter, keyof FieldFilter<unknown>> & string]: Filter[Kind] extends object
    ? NoKind<Kind>
    : Refused<NoKind<Kind>>
}
type NoKind<Kind extends string> = `There is no kind of filter "${Kind}"`

declare const refused: unique symbol
/** Shows its sentence for a value such as `true`, with which the compiler reduces a sentence alone to `never`. */
interface Refused<Sentence> {
  readonly [refused]: Sentence
}

/** The schema of partial updates, from which its type is inferred. */
export interface ChangesOption<Changed> {
  readonly changes?: Changed | undefined
}

/**
 * The query of a list, for the types of a client. `Added` are the parameters of features. `cursor` is empty for the
 * first page, then `meta.next` of the page before.
 */
export type ListArgs<Row, Id extends z.ZodType, Filters, Customs, Sort extends string, Wire, Added, Searched, Cursor> =
  & Renamed<
    & ListParameters<Sort | Extract<'id', keyof Row>, z.input<Id>>
    & ([Searched] extends [never] ? unknown : { readonly search?: string | undefined })
    & ([Cursor] extends [false] ? unknown : { readonly cursor?: string | undefined })
    & Added,
    Wire
  >
  & FilterArgs<Filters>
  & { readonly [Name in keyof Customs]?: SentTo<Part<Customs[Name], 'value'>> | undefined }

/** The parameters of the filters by fields, each in the type of its schema. */
type FilterArgs<Filters> =
  & {
    readonly [Name in With<Filters, 'eq' | 'oneOf' | 'contains'>]?:
      | SentTo<Part<Filters[Name], 'eq'>>
      | SentTo<Part<Filters[Name], 'oneOf'>>
      | readonly SentTo<Part<Filters[Name], 'oneOf'>>[]
      | ('contains' extends keyof Filters[Name] ? string : never)
      | undefined
  }
  & {
    readonly [Name in With<Filters, 'range'> as `${Name & string}_${'gte' | 'lte'}`]?:
      | SentTo<Part<Filters[Name], 'range'>>
      | undefined
  }
  & { readonly [Name in With<Filters, 'ne'> as `${Name & string}_ne`]?: SentTo<Part<Filters[Name], 'ne'>> | undefined }
  & { readonly [Name in With<Filters, 'isNull'> as `${Name & string}_isNull`]?: boolean | undefined }

/** The names of the filters that have one of some kinds. */
type With<Filters, Kind extends string> = {
  [Name in keyof Filters]: Kind & keyof Filters[Name] extends never ? never : Name
}[keyof Filters]
type Part<Filter, Kind extends string> = Kind extends keyof Filter ? Filter[Kind] : never

/**
 * The values that a schema reads: those of its output where it reads them as they are, since every number, boolean and
 * bigint may be a string in a query.
 */
type SentTo<S> = [S] extends [never] ? never
  : S extends z.ZodType
    ? z.output<S> extends number | boolean | bigint | undefined
      ? z.output<S> extends z.input<S> ? z.output<S> : z.input<S>
    : z.input<S>
  : unknown

export interface ListParameters<Sort extends string, Id> {
  /** From 1. */
  readonly page?: number | undefined
  readonly limit?: number | undefined
  /** One key, or several with commas in between: `-createdAt,name`. */
  readonly sort?: Sorting<Sort> | `${Sorting<Sort>},${string}` | undefined
  readonly ids?: readonly Id[] | undefined
}

type Sorting<Name extends string> = `${'' | '-'}${Name}`
/** Parameters under the names that `paramNames` gives them. */
export type Renamed<Parameters, Wire> = {
  readonly [Name in keyof Parameters as Name extends keyof Wire ? Wire[Name] & string : Name]: Parameters[Name]
}

import type { z } from 'zod'
import type { ListName } from './options.js'

/** The options of a list that name its parameters, once more, so that their names are known to the type of the query. */
export interface ListNames<Filter extends string, Custom extends string, Sort extends string, Wire extends WireNames> {
  readonly filters?: Readonly<Partial<Record<Filter, unknown>>>
  readonly customFilters?: Readonly<Partial<Record<Custom, unknown>>>
  readonly sort?: readonly Sort[]
  readonly paramNames?: Wire
}

export type WireNames = Readonly<Partial<Record<ListName, string>>>

/** What a caller may send to a list, for the types of a client: a filter takes a value of its column or several. */
export type ListArgs<Row, Id extends z.ZodType, Filter extends string, Custom extends string, Sort extends string, Wire extends WireNames> =
  Renamed<ListParameters<Sort | Extract<'id', keyof Row>, z.input<Id>>, Wire>
  & { readonly [Name in Filter]?: Value<Row, Name> | readonly Value<Row, Name>[] | undefined }
  & { readonly [Name in Filter as `${Name}_${'gte' | 'lte' | 'ne'}`]?: Value<Row, Name> | undefined }
  & { readonly [Name in Filter as `${Name}_isNull`]?: boolean | undefined }
  & Readonly<Partial<Record<Custom, unknown>>>

interface ListParameters<Sort extends string, Id> {
  /** From 1. */
  readonly page?: number | undefined
  readonly limit?: number | undefined
  readonly search?: string | undefined
  /** One key, or several with commas in between: `-createdAt,name`. */
  readonly sort?: Sorting<Sort> | `${Sorting<Sort>},${string}` | undefined
  /** Empty for the first page, then `meta.next` of the page before. */
  readonly cursor?: string | undefined
  readonly ids?: readonly Id[] | undefined
  readonly deleted?: 'only' | 'with' | undefined
  readonly tree?: boolean | undefined
}

type Sorting<Name extends string> = `${'' | '-'}${Name}`
type Renamed<Parameters, Wire> = { readonly [Name in keyof Parameters as Name extends keyof Wire ? Wire[Name] & string : Name]: Parameters[Name] }
type Value<Row, Name> = Name extends keyof Row ? NonNullable<Row[Name]> | (NonNullable<Row[Name]> extends Date ? string : never) : never

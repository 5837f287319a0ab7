import type { Request } from 'express'
import type { z } from 'zod'
import type { Store, Where } from '../store.js'
import type { LooseCustom } from '../resource/declaration.js'
import type { ActionMetadata, ExtensionOptions } from './extension-options.js'
import type { Hooks } from './hooks.js'
import type { CursorSecret } from './cursor-seal.js'
import type { IdempotencyOptions } from './idempotency/options.js'
import type { LooseParent } from './parent/options.js'
import type { Rule } from './rule.js'
import type { LooseSoftDelete, SoftDeleteField, SoftDeleteOptions } from './soft-delete/options.js'
import type { LooseTree, TreeOptions } from './tree/options.js'

type Field<Row> = keyof Row & string
type Texts<Row> = { [K in Field<Row>]: NonNullable<Row[K]> extends string ? K : never }[Field<Row>]
type NeverNull<Row> = { [K in Field<Row>]: null extends Row[K] ? never : K }[Field<Row>]
type Numbers<Row> = { [K in Field<Row>]: NonNullable<Row[K]> extends number ? K : never }[Field<Row>]
type Sorting<Row> = `${'' | '-'}${NeverNull<Row>}`

/** How a query may narrow a list by one field; the schemas read a value that arrives as text. */
export interface FieldFilter<Value> {
  /** `?status=1` */
  readonly eq?: z.ZodType<Value>
  /** `?status=1&status=2`: one of at most 100. */
  readonly oneOf?: z.ZodType<Value>
  /** `?title=part`: a text, literally, whatever its case. */
  readonly contains?: true
  /** `?age_gte=18&age_lte=30`: bounds that belong to the range. */
  readonly range?: z.ZodType<Value>
  /** `?status_ne=1`: every other value, and null. */
  readonly ne?: z.ZodType<Value>
  /** `?age_isNull=true` for rows without a value, `false` for all others. */
  readonly isNull?: true
}

/** A filter of your own: see {@link filter}. */
export interface CustomFilter<Row> {
  readonly value: z.ZodType
  readonly where: (value: never, req: Request) => Where<Row> | Promise<Where<Row>>
}

export interface FieldRules {
  /** Who sees the field; for everybody else it is left out, and cannot be sorted, filtered or searched by. */
  readonly read?: Rule
  /** Who writes it; of everybody else it is dropped, like a field that nobody declared. */
  readonly write?: Rule
}

export type ListName = 'page' | 'limit' | 'search' | 'sort' | 'cursor' | 'ids' | 'deleted' | 'tree'
export type Scope<Row> = (req: Request) => Where<Row> | Promise<Where<Row>>

export interface ListOptions<Row> {
  /** Fields by which a caller may sort; each of them is never null and in the `output`. @default none but the key */
  readonly sort?: readonly NeverNull<Row>[]
  /** The order where the caller names none; the key is always its end. @default the key */
  readonly order?: readonly Sorting<Row>[]
  /** Fields that `search` looks into. @default none, and `search` is no parameter */
  readonly search?: readonly Texts<Row>[]
  readonly filters?: { readonly [K in Field<Row>]?: FieldFilter<NonNullable<Row[K]>> }
  readonly customFilters?: Readonly<Record<string, CustomFilter<Row>>>
  /** Rows on a page where the caller names no number. @default 20, or `maxLimit` where that is less */
  readonly limit?: number
  /** The most rows of a page. @default 100 */
  readonly maxLimit?: number
  /** Whether all rows are counted for each numbered page. @default true */
  readonly total?: boolean
  /** Whether `cursor=` gives pages by cursor. @default true */
  readonly cursor?: boolean
  /** Whether `X-Total-Count` and `Link` (RFC 8288) stand beside the envelope, exposed to CORS. @default false */
  readonly headers?: boolean
  /**
   * What happens to query names that a list or an export does not have: `'refuse'` is a 422 that lists the names, `'ignore'` drops them, and
   * a list of names drops those alone: `['_', 'lang']`. @default 'refuse'
   */
  readonly unknownParams?: 'refuse' | 'ignore' | readonly string[]
  /**
   * Encrypts cursors (AES-256-GCM), so that they tell nothing of the values of an order. Give all processes the same secret of at least 32
   * bytes; of a list the first encrypts and all decrypt. @default cursors are readable, and refused where they would tell a hidden value
   */
  readonly cursorSecret?: CursorSecret
  /** What parameters are called on the wire: `{ limit: 'pageSize' }`. */
  readonly paramNames?: Readonly<Partial<Record<ListName, string>>>
}

export interface CrudOptions<Row extends object, Db, In extends z.ZodObject, Out extends z.ZodObject, Id extends z.ZodType> extends ListOptions<Row> {
  /** Reads the key from the path and from `ids`. @default param.int() */
  readonly id?: Id
  /** The fields that a creation and a replacement write, and no others. */
  readonly input: In
  /** The fields of a partial change. @default those of `input`, all optional and without their defaults */
  readonly changes?: z.ZodObject
  /** What leaves: whatever is not declared here stays in the house. */
  readonly output: Out
  /** Converts a row to output; `db` is that of the transaction where one runs. @default the row itself */
  readonly transform?: (row: Row, req: Request, context: { readonly db: Db }) => z.input<Out> | Promise<z.input<Out>>
  /**
   * Converts all rows of a page, or of a bulk write, in one call: relations are read with one query for all rows. It returns one output for
   * each row, in the same order. @default `transform`, or the rows themselves
   */
  readonly transformMany?: (rows: readonly Row[], req: Request, context: { readonly db: Db }) => readonly z.input<Out>[] | Promise<readonly z.input<Out>[]>
  /** Read and write rules of single fields. */
  readonly fields?: Readonly<Partial<Record<Field<Row> | (keyof z.output<In> & string), FieldRules>>>
  /**
   * The rows that exist for this caller: every other is a 404, in lists, totals and bulk calls too. A creation gets the values of its
   * `=` conditions; what would leave the scope is a 403. `{ list }` narrows lists alone, where `check` answers the rest.
   */
  readonly scope?: Scope<Row> | { readonly list: Scope<Row> }
  /**
   * Whether a change says with `If-Match` which version it is about: `'required'` refuses one that does not (428), `'optional'` lets it
   * pass; a stale one is 412 either way. Replies about one record carry its `ETag`. @default no tags
   */
  readonly ifMatch?: 'required' | 'optional'
  /** The column that counts the versions of a row, from 1 by every change; nobody else writes it. @default the tag is made of what leaves */
  readonly version?: Numbers<Row>
  /** Whether rows stand under one another: `tree=true` lists them so. @default they do not */
  readonly tree?: TreeOptions<Row, z.output<Id>>
  /**
   * The fields of unique constraints by the names of those, for a conflict that the store's columns do not explain; the field is named to
   * callers who may read and write it. @default the columns of the constraint
   */
  readonly conflicts?: Readonly<Record<string, { readonly field: keyof z.output<In> & string; readonly message?: string }>>
  /** Judges each loaded row before it is shown, changed or deleted, bulk included: throw to refuse. */
  readonly check?: Hooks<Row, Db, z.output<In>>['check']
  readonly before?: Hooks<Row, Db, z.output<In>>['before']
  readonly after?: Hooks<Row, Db, z.output<In>>['after']
  readonly afterCommit?: Hooks<Row, Db, z.output<In>>['afterCommit']
  /** Whether a creation with an `Idempotency-Key` is carried out once, its repeats getting the first reply. @default the header is not read */
  readonly idempotency?: IdempotencyOptions<Db>
  /** Seconds to wait for the store; after them the reply is 503 and nothing is committed. @default 30 */
  readonly deadline?: number
}

/** The option `softDelete` by itself: the type of its field tells whether it is given. */
export interface SoftDeleteOption<Row, F extends SoftDeleteField<Row>> {
  /** Marks rows as deleted instead of removing them, and adds `restore` and `purge`. @default rows are removed */
  readonly softDelete?: SoftDeleteOptions<Row, F>
}

/** Options whose types are no longer of interest. */
export type LooseOptions = Omit<CrudOptions<LooseRow, unknown, z.ZodObject, z.ZodObject, z.ZodType>, 'sort' | 'order' | 'search' | 'version' | 'tree'>
  & ExtensionOptions & Readonly<Partial<Record<'sort' | 'order' | 'search', readonly string[]>>> & { readonly custom?: Readonly<Record<string, LooseCustom>>; readonly perAction?: Readonly<Record<string, ActionMetadata>>
    readonly parent?: LooseParent | false; readonly version?: string; readonly softDelete?: LooseSoftDelete; readonly tree?: LooseTree }
export type LooseRow = Record<string, unknown>
export type LooseStore = Store<LooseRow>
export type LooseWhere = Where<LooseRow>

/**
 * Makes a filter of your own from a schema that reads the value and a function that returns its conditions, at once or in a promise.
 *
 * @example
 * crud(posts, { ..., customFilters: { mine: filter(param.bool(), (mine, req) => (mine ? [['authorId', '=', Number(req.auth?.id)]] : [])) } })
 */
export function filter<S extends z.ZodType, Row>(value: S, where: (value: z.output<S>, req: Request) => Where<Row> | Promise<Where<Row>>): CustomFilter<Row> {
  return { value, where }
}

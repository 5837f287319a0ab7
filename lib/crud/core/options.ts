import type { Request } from 'express'
import type { z } from 'zod'
import type { ActionTraits, AnyPage, LiteralsUntil, Meta } from '../../core/index.js'
import type { Store, Where } from '../contract/store.js'
import type { CursorSecret } from './cursor-seal.js'
import type { CustomFilter, FieldFilter } from './filters.js'
import type { Rule } from './rules.js'

/*
 * The options of the core. Features declare their own options; `feature-options.ts` puts all of them together.
 */

type Field<Row> = keyof Row & string
type Texts<Row> = { [K in Field<Row>]: NonNullable<Row[K]> extends string ? K : never }[Field<Row>]
type Sorting<Row> = `${'' | '-'}${Field<Row>}`

/** The writing actions of the core; features add theirs. */
type CoreWriting = 'create' | 'edit' | 'store' | 'delete'

/** The context of a hook; `Added` are the names of the actions that features add. */
export interface CoreHookContext<Row extends object, Db, Added extends string = never> {
  readonly req: Request
  /** The action; each row of a `deleteMany` is a `delete`. */
  readonly action: CoreWriting | 'show' | 'list' | Added
  /** Inside the transaction where there is one; its `db` reads other tables. */
  readonly store: Store<Row, Db>
}

type Maybe<T> = T | Promise<T>
type OnRow<Row extends object, Context> = (row: Row, context: Context) => Maybe<void>
/** The columns that a hook returns; one that is undefined is not written. */
type Columns<Row> = { readonly [K in keyof Row]?: Row[K] | undefined }
/** Returns the columns of each row in place of its fields, in the same order. */
type BeforeAll<Row extends object, Fields, C> = (
  rows: readonly Fields[],
  context: C,
) => Maybe<readonly Columns<Row>[] | undefined> | Maybe<void>
/** Returns the columns to be written in place of the fields, other columns included. */
type Before<Row extends object, Fields, C> = (
  fields: Fields,
  context: C,
) => Maybe<Columns<Row> | undefined> | Maybe<void>

/**
 * Hooks around each action. Those of a write run inside its transaction, perhaps more than once: what they throw undoes
 * everything.
 */
export interface CoreHooks<
  Row extends object,
  Db,
  Fields,
  Added extends string = never,
  Context = CoreHookContext<Row, Db, Added>,
  Changes = Partial<Fields>,
> {
  readonly check?: OnRow<Row, Context>
  readonly before?: {
    readonly list?: ((context: Context) => Maybe<void>) | undefined
    readonly show?: ((context: Context) => Maybe<void>) | undefined
    readonly create?: Before<Row, Fields, Context> | undefined
    /**
     * Runs once for all rows of `createMany`, and for 500 rows of an import at a time, in place of `create`, so that
     * the store adds them together; without `create` it runs for a single new row too. To refuse a row, throw a
     * `ValidationError` that names it by its index: `{ '3.email': ['…'] }`.
     */
    readonly createMany?: BeforeAll<Row, Fields, Context> | undefined
    /** Gets the fields that were sent, and defaults. One without a value in its result too becomes null. */
    readonly edit?: Before<Row, Fields, Context & { readonly row: Row }> | undefined
    /** Gets the fields that were sent, of `changes` where there is one. */
    readonly store?: Before<Row, Changes, Context & { readonly row: Row }> | undefined
    readonly delete?: OnRow<Row, Context> | undefined
    // A row is not inferred from hooks of other actions, which may get fields.
  } & Readonly<Partial<Record<Added, OnRow<NoInfer<Row>, Context>>>> | undefined
  readonly after?: {
    readonly list?: ((rows: readonly Row[], context: Context) => Maybe<void>) | undefined
    /** Runs once for the rows that `before.createMany` gets, once they are added, in place of `create`. */
    readonly createMany?: ((rows: readonly Row[], context: Context) => Maybe<void>) | undefined
  } & Readonly<Partial<Record<CoreWriting | 'show' | Added, OnRow<NoInfer<Row>, Context>>>> | undefined
  /**
   * Run once the transaction is committed. Their errors go to `log` of `errorHandler`: the write is committed, and the
   * reply is a success. A promise is awaited, and its value is ignored.
   */
  readonly afterCommit?: Readonly<Partial<Record<CoreWriting | Added, (row: Row, req: Request) => unknown>>> | undefined
}

export interface FieldRules {
  /** The callers who may read the field; others do not receive it, and cannot sort, filter or search by it. */
  readonly read?: Rule
  /** The callers who may write the field; for others it is dropped like an undeclared field. */
  readonly write?: Rule
}

/** The keys of `meta` that belong to the page. */
export const PAGE_KEYS = ['total', 'page', 'limit', 'next'] as const

type ListMeta = Meta & Readonly<Partial<Record<(typeof PAGE_KEYS)[number], never>>>

/** The parameters of a list that the core knows. */
export type CoreListName = 'page' | 'limit' | 'search' | 'sort' | 'cursor' | 'ids'
export type Scope<Row, Db = unknown> = (
  req: Request,
  context: { readonly db: Db },
) => Where<Row> | Promise<Where<Row>>

/** The options of a list; `Name` are the names of its parameters. */
export interface CoreListOptions<Row, Name extends string = CoreListName> {
  /** Fields by which a caller may sort, each in the `output`; nulls come last. @default none but the key */
  readonly sort?: readonly Field<Row>[] | undefined
  /** The order where the caller names none; the key is always its end. @default the key */
  readonly order?: readonly Sorting<Row>[] | undefined
  /** Fields that `search` looks into. @default none, and `search` is no parameter */
  readonly search?: readonly Texts<Row>[] | undefined
  readonly filters?: { readonly [K in Field<Row>]?: FieldFilter<NonNullable<Row[K]>> } | undefined
  readonly customFilters?: Readonly<Record<string, CustomFilter<Row>>> | undefined
  /** Rows on a page where the caller names no number. @default 20, or `maxLimit` where that is less */
  readonly limit?: number | undefined
  /** The most rows of a page. @default 100 */
  readonly maxLimit?: number | undefined
  /** True if all rows are counted for each numbered page. @default true */
  readonly total?: boolean | undefined
  /** True if `cursor=` gives pages by cursor. @default true */
  readonly cursor?: boolean | undefined
  /** True if replies also carry `X-Total-Count` and `Link` (RFC 8288), exposed to CORS. @default false */
  readonly headers?: boolean | undefined
  /**
   * The treatment of query names that a list, an export or an import does not have: `'refuse'` is a 422 that lists the
   * names, `'ignore'` drops them, and a list of names drops those alone: `['_', 'lang']`. @default 'refuse'
   */
  readonly unknownParams?: 'refuse' | 'ignore' | readonly string[] | undefined
  /**
   * Encrypts cursors (AES-256-GCM), so that they tell nothing of the values of an order. Give all processes the same
   * secret of at least 32 bytes; of a list the first encrypts and all decrypt. @default cursors are readable, and
   * refused where they would tell a hidden value
   */
  readonly cursorSecret?: CursorSecret | undefined
  /** The names of the parameters in the query: `{ limit: 'pageSize' }`. @default their own names */
  readonly paramNames?: Readonly<Partial<Record<Name, string>>> | undefined
}

/**
 * The options of the core; `Added` are the names of the actions that features add, `Name` those of the list's
 * parameters.
 */
export interface CoreOptions<
  Row extends object,
  Db,
  In extends z.ZodObject,
  Out extends z.ZodObject,
  Id extends z.ZodType,
  Added extends string = never,
  Name extends string = CoreListName,
  Context = CoreHookContext<Row, Db, Added>,
  Changed extends z.ZodObject = In,
> extends CoreListOptions<Row, Name> {
  /** Reads the key from the path and from `ids`. @default param.int() */
  readonly id?: Id | undefined
  /** The fields that a creation and a replacement write, and no others. */
  readonly input: In
  /** The fields of a partial update. @default those of `input`, all optional and without their defaults */
  readonly changes?: z.ZodObject | undefined
  /**
   * The treatment of fields in a body that a creation, replacement or partial update does not have: `'drop'` ignores
   * them, `'refuse'` is a 422 that names them, in bulk too. With `'refuse'` a change may repeat fields of the `output`
   * as they are stored. @default 'drop', for a `z.strictObject` 'refuse'
   */
  readonly unknownFields?: 'drop' | 'refuse' | undefined
  /** The fields that are sent to clients; a column that is not declared here is never sent. */
  readonly output: Out
  /** Converts a row to output; `db` is that of the transaction where one runs. @default the row itself */
  readonly transform?: ((row: Row, req: Request, context: { readonly db: Db }) => Maybe<z.input<Out>> | LiteralsUntil<
    Out,
    z.ZodObject
  >) | undefined
  /**
   * Converts all rows of a page, or of a bulk write, in one call: relations are read with one query for all rows. It
   * returns one output for each row, in the same order. @default `transform`, or the rows themselves
   */
  readonly transformMany?: ((
    rows: readonly Row[],
    req: Request,
    context: { readonly db: Db },
  ) => readonly z.input<Out>[] | Promise<readonly z.input<Out>[]>) | undefined
  /**
   * Returns more `meta` of a list, beside the figures of the page, which it cannot replace; `page` has the rows before
   * `output` drops columns that it does not declare.
   *
   * @default none
   */
  readonly listMeta?: ((req: Request, page: AnyPage<z.input<Out>>) => ListMeta | Promise<ListMeta>) | undefined
  /** Read and write rules of single fields, those of `include` too. */
  readonly fields?: Readonly<
    Partial<Record<Field<Row> | ((keyof z.output<In> | keyof z.input<Out>) & string), FieldRules>>
  >
  /**
   * The rows that exist for this caller: every other is a 404, in lists, totals and bulk calls too. A creation gets the
   * values of its `=` conditions, and is judged after its hooks by the scope as it is then; a write that would move a
   * row out of the scope is a 403. `db` is that of the transaction where one runs. `{ list }` narrows lists alone,
   * where `check` answers the rest.
   */
  readonly scope?: Scope<Row, Db> | { readonly list: Scope<Row, Db> }
  /**
   * The fields and messages of unique constraints, foreign keys and CHECK constraints, by the names of those. A field
   * is named to callers who may read and write it; a message without a field is sent to all, such as on a deletion of a
   * row that others refer to. @default the columns of a unique constraint
   */
  readonly conflicts?: Readonly<Record<string, ConflictOptions<keyof z.output<In> & string>>> | undefined
  /** Checks each loaded row before it is shown, changed or deleted, bulk included: throw to refuse. */
  readonly check?: OnRow<Row, Context>
  readonly before?: CoreHooks<Row, Db, z.output<In>, Added, Context, Partial<z.output<Changed>>>['before'] | undefined
  readonly after?: CoreHooks<Row, Db, z.output<In>, Added, Context>['after'] | undefined
  readonly afterCommit?: CoreHooks<Row, Db, z.output<In>, Added, Context>['afterCommit'] | undefined
  /** Seconds to wait for the store; after them the reply is 503 and nothing is committed. @default 30 */
  readonly deadline?: number | undefined
}

/** The field that violates a constraint, the message to the client, or both. */
export type ConflictOptions<Field extends string = string> =
  | { readonly field: Field; readonly message?: string | undefined }
  | { readonly field?: undefined; readonly message: string }

// dprint-ignore
export const METADATA = [
  'auth', 'can', 'deprecated', 'description', 'doc', 'examples', 'message', 'meta', 'summary', 'tags', 'tool',
] as const

/** The metadata of an action, for guards and documents. */
export type ActionMetadata = Pick<ActionTraits, (typeof METADATA)[number]>

/** More actions, and metadata of all of them by their names. */
export interface ActionOptions<Names extends PropertyKey, Custom> {
  /**
   * More actions, as `custom` of `mountResource` takes them; path arguments are read as the keys that they are.
   *
   * @default none
   */
  readonly custom?: Custom | undefined
  /** Metadata of single actions: `{ list: { auth: 'optional', can: false, summary: 'All posts' } }`. @default none */
  readonly perAction?: Readonly<Partial<Record<Names, ActionMetadata>>> | undefined
}

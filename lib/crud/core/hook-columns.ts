import type { CoreHookContext } from './options.js'

type Maybe<T> = T | Promise<T>

/** The columns that a hook returns: `C`, where a name that the row does not have is a type error in a sentence. */
type ColumnsOf<C, Row> =
  & C
  & { readonly [K in Exclude<keyof C, keyof Row> & string]?: `The row has no column "${K}"` | NoValue | undefined }

declare const noValue: unique symbol
/** Beside a sentence it keeps the compiler from reducing all columns to `never`, without the sentence. */
export interface NoValue {
  readonly [noValue]: never
}

type Returned<C> = Maybe<C | undefined> | Maybe<void>

/**
 * The hooks that return columns, once more: `Create`, `Edit`, `Store` and `Many` are inferred from what they return, so
 * that a misspelt column does not compile.
 */
export interface HookColumns<Row extends object, Db, Fields, Changes, Create, Edit, Store, Many> {
  readonly before?: {
    readonly create?:
      | ((fields: Fields, context: CoreHookContext<Row, Db>) => Returned<ColumnsOf<Create, Row>>)
      | undefined
    readonly createMany?: ((
      rows: readonly Fields[],
      context: CoreHookContext<Row, Db>,
    ) => Returned<readonly ColumnsOf<Many, Row>[]>) | undefined
    readonly edit?: ((
      fields: Fields,
      context: CoreHookContext<Row, Db> & { readonly row: Row },
    ) => Returned<ColumnsOf<Edit, Row>>) | undefined
    readonly store?: ((
      fields: Changes,
      context: CoreHookContext<Row, Db> & { readonly row: Row },
    ) => Returned<ColumnsOf<Store, Row>>) | undefined
  } | undefined
}

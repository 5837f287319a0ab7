import type { z } from 'zod'
import type { Scope } from '../../core/index.js'

type AnyScope = Scope<Record<string, unknown>>

type Field<Row> = keyof Row & string
/** A column that no field of the input writes; of a schema without known fields any column. */
type Unwritten<Row, In extends z.ZodObject> = string extends keyof z.output<In> ? Field<Row>
  : Exclude<Field<Row>, keyof z.output<In>>

/** The part of the result of `crud` that distinguishes it from a store. */
interface AnyCrud {
  readonly handlers: object
  readonly custom: object
}
interface AStore {
  readonly key: string
  readonly find: (keys: readonly unknown[]) => Promise<readonly object[]>
}

/** The parent of a nested resource: every action is scoped by an argument of the path. */
export interface ParentOptions<Row, In extends z.ZodObject, Arg extends string, Of, Key> {
  /** The path argument that names the parent: `ticketId` of `/tickets/:ticketId/comments`. */
  readonly arg: Arg
  /** The column with the key of the parent. A creation sets it; `input` and `changes` cannot have it. */
  readonly column: Unwritten<Row, In>
  /**
   * Where the parent is loaded: what `crud` returned for it (its scope, `check`, soft deletion and own `parent` apply),
   * or a store. An unknown or unreachable parent is a 404. @default the parent is not loaded
   */
  readonly of?: Of & (AnyCrud | AStore)
  /** The parents that exist for a caller, where `of` is a store. @default all of them */
  readonly scope?: AnyScope
  /** The schema of the path argument. @default the `id` of the crud in `of`, else param.int() */
  readonly id?: z.ZodType<Key> | undefined
}

/** The option by itself: the types of its parts tell which path arguments there are. */
export interface ParentOption<Row, In extends z.ZodObject, Arg extends string, Of, Key> {
  /**
   * Nests the resource below a path argument, as in `/tickets/:ticketId/comments`; `false` declares that the path
   * arguments of the route select no rows. A route with path arguments needs one of the two. @default the resource is
   * not nested
   */
  readonly parent?: ParentOptions<Row, In, Arg, Of, Key> | false
}

export type AnyParent = ParentOptions<Record<string, unknown>, z.ZodObject, string, object, unknown>

/** The path arguments that a `parent` declares, those of the levels above it included. */
export type ParentArgs<Arg extends string, Of, Key> = [Arg] extends [never] ? object
  : Record<Arg, KeyOf<Of, Key>> & Omit<ShownBy<Of>, 'id'>

type KeyOf<Of, Key> = unknown extends Key ? (ShownBy<Of> extends { readonly id: infer Id } ? Id : number) : Key

/** The arguments of the parent's own action `show`. */
type ShownBy<Of> = Of extends
  { readonly handlers: { readonly show: { readonly handler: (req: never, res: never, args: infer Args) => unknown } } }
  ? Args
  : object

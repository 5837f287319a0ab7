import type { z } from 'zod'
import type { Method, Returned } from '../../../core/index.js'
import type { Schema } from '../../../core/resource/mounted.js'
import type { Action, AnyContext, CoreHookContext, NoValue, Row, Titled } from '../../core/index.js'

type Maybe<T> = T | Promise<T>
type Flat<T> = { [K in keyof T]: T[K] }
type At<T, K> = K extends keyof T ? T[K] : unknown

/**
 * The inferred types of members, by their names; a part that a member does not have is `unknown`. `outputs` are those
 * of members with `run`, `changes` and `runs` the results of `change` and `run`.
 */
interface MemberTypes extends Readonly<Record<'routes' | 'inputs' | 'outputs' | 'changes' | 'runs', unknown>> {
  readonly name: string
}

interface MemberTraits {
  /** @default 'POST' */
  readonly methods?: Method | readonly [Method, ...Method[]] | undefined
  /** The message of a success. @default 'Saved', with `run` 'ok' */
  readonly message?: string | undefined
}

/** The arguments of a member: the fields of its `input`, the key, and the path arguments of parents. */
type MemberArgs<I, Id extends z.ZodType, Path> = Flat<
  (I extends z.ZodObject ? z.output<I> : object) & { id: z.output<Id> } & Path
>

/** The columns that `change` returns: `C`, where a name that the row does not have is a type error in a sentence. */
type ColumnsOf<C, R> =
  & C
  & { readonly [K in keyof R]?: ReadOnly<R[K]> | undefined }
  & { readonly [K in Exclude<NamesIn<C>, keyof R> & string]: `The row has no column "${K}"` | NoValue }
/** `C` is inferred as a constant, so that a column of few strings takes a literal; its lists are readonly then. */
type ReadOnly<T> = T extends readonly (infer Item)[] ? readonly ReadOnly<Item>[] : T
type NamesIn<C> = C extends Promise<infer Columns> ? keyof Columns : keyof C

/** Exactly one of the two functions of a member. */
type OneWork =
  | { readonly change: object; readonly run?: undefined }
  | { readonly run: object; readonly change?: undefined }

/** The option by itself: the types of its parts tell which actions there are. */
export interface MembersOption<R extends object, Db, Id extends z.ZodType, Path, M extends MemberTypes> {
  /**
   * Actions on one row, which is loaded, checked and locked as by `store`: `POST /:id/{name}`. `change` returns the
   * columns to write, and the reply is the record; `run` returns the reply, and the version of the row is counted up.
   *
   * @default none
   */
  readonly members?: Readonly<Record<M['name'], MemberTraits>>
    & { readonly [K in keyof M['routes']]: { readonly route?: M['routes'][K] & `/${string}` | undefined } }
    & { readonly [K in keyof M['inputs']]: { readonly input?: M['inputs'][K] & z.ZodObject | undefined } }
    & { readonly [K in keyof M['outputs']]: { readonly output?: M['outputs'][K] & Schema | undefined } }
    & {
      readonly [K in keyof M['changes']]: {
        readonly change?: ((
          row: R,
          args: MemberArgs<At<M['inputs'], K>, Id, Path>,
          context: CoreHookContext<R, Db, K & string>,
        ) => Maybe<ColumnsOf<M['changes'][K], R>>) | undefined
      }
    }
    & {
      readonly [K in keyof M['runs']]: {
        readonly run?: ((
          row: R,
          args: MemberArgs<At<M['inputs'], K>, Id, Path>,
          context: CoreHookContext<R, Db, K & string>,
        ) => M['runs'][K]) | undefined
      }
    }
    & Readonly<Record<M['name'], OneWork>>
    // By the names too: the types above are not inferred from members whose only part is a function with parameters.
    & {
      readonly [K in M['name']]: {
        readonly change?: ((
          row: R,
          args: MemberArgs<At<M['inputs'], K>, Id, Path>,
          context: CoreHookContext<R, Db, K>,
        ) => Maybe<ColumnsOf<At<M['changes'], K>, R>>) | undefined
        readonly run?: ((
          row: R,
          args: MemberArgs<At<M['inputs'], K>, Id, Path>,
          context: CoreHookContext<R, Db, K>,
        ) => Returned<At<M['outputs'], K>>) | undefined
      }
    } | undefined
}

/** The actions of members; the path arguments of parents are added to all actions. */
export type MemberActions<M extends MemberTypes, Out extends z.ZodObject, Id extends z.ZodType> = {
  readonly [K in M['name']]: MemberAction<
    RouteOf<K, At<M['routes'], K>>,
    InputOf<At<M['inputs'], K>, Id>,
    OutputOf<At<M['runs'], K>, At<M['outputs'], K>, Out>
  >
}

/** The action of a member. */
export interface MemberAction<Route extends string, I extends z.ZodType<object>, O> extends Action<I, O>, Titled {
  readonly methods: Method | readonly [Method, ...Method[]]
  readonly route: Route
}

type RouteOf<Name extends string, Route> = Route extends string ? Route : `/:id/${Name}`
type InputOf<I, Id extends z.ZodType> = I extends z.ZodObject
  ? z.ZodType<z.output<I> & { id: z.output<Id> }, z.input<I> & { id: z.input<Id> }>
  : z.ZodObject<{ id: Id }>
type OutputOf<Run, Output, Out> = Output extends Schema ? Output : unknown extends Run ? Out : z.ZodUnknown

export interface AnyMember {
  readonly methods?: string | readonly string[] | undefined
  readonly route?: string
  readonly input?: z.ZodObject
  readonly output?: z.ZodType
  readonly message?: string
  readonly change?: (row: Row, args: Row, context: AnyContext) => Row | Promise<Row>
  readonly run?: (row: Row, args: Row, context: AnyContext) => unknown
}

import type { Request, RequestHandler, Response } from 'express'
import type { z } from 'zod'
import type { Formatted } from '../format-data.js'
import type { Reply } from '../reply.js'
import type { Rules, Ruled } from '../validate/rules.js'
import type { AuthMarker, CursorPage, Doc, FileFields, HeaderFields, Meta, Page, UncountedPage } from '../types.js'
import type { ActionName } from './actions.js'
import type { mounting, Mounting } from './mounting.js'
import type { MountedAction, PathArgs, Schema } from './mounted.js'

/*
 * The one wide generic of the house. Each default action has its own pair of type parameters, because inference through a
 * mapped type over all handlers loses `input`; custom actions are inferred through four mapped types of one idea each.
 */

/** Reads path, query and body into arguments: a `z.object`, refined or not, a union of such, or the rules of each field. */
export type Input = Schema<object> | Rules

/** Path arguments, and over them what `input` and `query` make of a request; of a partial change only the fields that were sent. */
export type Args<Path extends string, I, Q = undefined, Partly extends boolean = false> = Flat<
  Omit<PathArgs<Path>, keyof Read<I, Path, Partly> | keyof Read<Q>> & Read<I, Path, Partly> & Read<Q>
>

/** A schema says itself which of its fields may be missing; of rules that is decided by the action. */
type Read<I, Path extends string = '', Partly extends boolean = false> = I extends Rules
  ? Partly extends true ? Partial<Ruled<I>> & Pick<Ruled<I>, keyof I & keyof PathArgs<Path>> : Ruled<I>
  : z.output<I>

type Flat<T> = T extends unknown ? { [K in keyof T]: T[K] } : never

/** What a handler may return: anything without `output`; with it the data it describes, bare or with a message or paging. */
export type Result<O> = O extends Schema ? Sendable<z.input<O>> : unknown

type Sendable<T> = ReadOnly<T> | Reply<ReadOnly<T>> | Formatted<ReadOnly<T>> | PageOf<T>
/** A list is only read: one that its owner forbids to change will do. */
type ReadOnly<T> = T extends readonly unknown[] ? Readonly<T> : T
type PageOf<T> = T extends readonly (infer Item)[] ? Page<Item> | UncountedPage<Item> | CursorPage<Item> : never

/** What a resource and an action can both say; the nearest wins, `tags` join, `meta` merges key by key. */
export interface Traits {
  readonly summary?: string | undefined
  readonly description?: string | undefined
  readonly tags?: readonly string[] | undefined
  /** The documentation domains. @default the `app` */
  readonly doc?: Doc | undefined
  /** Whether a document advises against the route. @default false */
  readonly deprecated?: boolean | undefined
  readonly meta?: Meta | undefined
  /**
   * For a document: values of arguments by name, e.g. `{ id: 7, title: 'News' }`, where the schemas have none; those of an action
   * go before those of its resource. @default made from the schemas
   */
  readonly examples?: Readonly<Record<string, unknown>> | undefined
  /** @default true */
  readonly auth?: AuthMarker | undefined
  /** Whether a permission is needed. @default true, with `auth: false` false */
  readonly can?: boolean | undefined
  /** Other middleware, behind the guards and before the body is read. */
  readonly use?: RequestHandler | readonly RequestHandler[] | undefined
  /** How the body is read: up to `limit` bytes, or not at all. @default { limit: 100_000 } */
  readonly body?: { readonly limit: number } | false | undefined
}

interface ActionTraits extends Traits {
  /** The status of a success. @default 200, of `create` 201 */
  readonly status?: number | undefined
  /** The message of a bare returned value. @default 'ok' */
  readonly message?: string | undefined
  /** Reads a multipart form instead of JSON, behind the guards: its files are for `RequestParam.file`, its text fields for `input`. */
  readonly files?: FileFields | undefined
  /** For a document: the media type of what the handler sends itself, e.g. `text/csv`. @default the envelope */
  readonly produces?: string | undefined
  /** For a document: headers that the handler reads itself, e.g. `{ 'If-Match': { description: 'The version to be changed' } }`. */
  readonly requestHeaders?: HeaderFields | undefined
  /** For a document: headers that a success carries. */
  readonly responseHeaders?: HeaderFields | undefined
  /** For a document: statuses that the handler answers with beside those of every such route, e.g. `[412, 428]`. */
  readonly statuses?: readonly number[] | undefined
}

/** A typed action. */
export interface Spec<
  Path extends string, I, Q, O, F extends FileFields | undefined = FileFields | undefined, Partly extends boolean = false,
> extends ActionTraits {
  readonly files?: F
  readonly input?: I
  /** Reads the query of an action whose `input` reads the body. */
  readonly query?: Q
  readonly output?: O
  readonly handler: (req: Request, res: Response, args: Args<Path, I, Q, Partly>) => Result<O> | Promise<Result<O>>
}

/** A hand-written action: it calls `send`, or returns what is to be sent. */
export type Bare<Path extends string> = (req: Request, res: Response, args: Args<Path, undefined>) => unknown

type Optional = Schema | undefined
type Files = FileFields | undefined
type Action<Path extends string, I, Q, O, F extends Files = Files, Partly extends boolean = false> = Bare<Path> | Spec<Path, I, Q, O, F, Partly>

/** The default actions: one pair of type parameters each (and one for the query where a body is read too). */
export interface Handlers<
  Route extends string,
  ListI extends Input | undefined, ListO extends Optional,
  ShowI extends Input | undefined, ShowO extends Optional,
  CreateI extends Input | undefined, CreateQ extends Input | undefined, CreateO extends Optional, CreateF extends Files,
  EditI extends Input | undefined, EditQ extends Input | undefined, EditO extends Optional, EditF extends Files,
  StoreI extends Input | undefined, StoreQ extends Input | undefined, StoreO extends Optional, StoreF extends Files,
  DeleteI extends Input | undefined, DeleteO extends Optional,
  DeleteManyI extends Input | undefined, DeleteManyO extends Optional,
> {
  readonly list?: Action<Route, ListI, undefined, ListO>
  readonly show?: Action<`${Route}/:id`, ShowI, undefined, ShowO>
  readonly create?: Action<Route, CreateI, CreateQ, CreateO, CreateF>
  readonly edit?: Action<`${Route}/:id`, EditI, EditQ, EditO, EditF>
  readonly store?: Action<`${Route}/:id`, StoreI, StoreQ, StoreO, StoreF, true>
  readonly delete?: Action<`${Route}/:id`, DeleteI, undefined, DeleteO>
  readonly deleteMany?: Action<Route, DeleteManyI, undefined, DeleteManyO>
}

/** The types of the default actions, for a client. */
export interface MountedDefaults<
  Route extends string,
  ListI, ListO, ShowI, ShowO, CreateI, CreateQ, CreateO, CreateF, EditI, EditQ, EditO, EditF, StoreI, StoreQ, StoreO, StoreF,
  DeleteI, DeleteO, DeleteManyI, DeleteManyO,
> {
  readonly list: MountedAction<Route, ListI, undefined, ListO>
  readonly show: MountedAction<`${Route}/:id`, ShowI, undefined, ShowO>
  readonly create: MountedAction<Route, CreateI, CreateQ, CreateO, CreateF>
  readonly edit: MountedAction<`${Route}/:id`, EditI, EditQ, EditO, EditF>
  readonly store: MountedAction<`${Route}/:id`, StoreI, StoreQ, StoreO, StoreF>
  readonly delete: MountedAction<`${Route}/:id`, DeleteI, undefined, DeleteO>
  readonly deleteMany: MountedAction<Route, DeleteManyI, undefined, DeleteManyO>
}

/** The names of the default actions that are mounted: those with a handler, or those of them that `actions` lists. */
export type MountedNames<Handled extends ActionName, Only> = Only extends false
  ? never
  : Only extends readonly (infer Name)[] ? Handled & Name : Handled

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'HEAD' | 'QUERY'

export interface CustomTraits extends ActionTraits {
  readonly methods: readonly Method[]
}

/** Custom actions: their routes, inputs, queries and outputs are inferred one by one, the handler from all of them. */
export type CustomActions<Base extends string, R, I, Q, O, F, T = CustomTraits> = { readonly [K in keyof R]: T & { readonly route: R[K] } } & {
  readonly [K in keyof I]: { readonly input?: I[K] & Input }
} & { readonly [K in keyof Q]: { readonly query?: Q[K] & Input } } & { readonly [K in keyof O]: { readonly output?: O[K] & Schema } } & {
  readonly [K in keyof F]: { readonly files?: (F[K] & FileFields) | undefined }
} & {
  // `as` keeps inference out of here: everything is known by now.
  readonly [K in keyof R as K]: {
    readonly handler: (
      req: Request,
      res: Response,
      args: Args<`${Base}${R[K] & string}`, At<I, K>, At<Q, K>>,
    ) => Result<At<O, K>> | Promise<Result<At<O, K>>>
  }
}

/** The types of custom actions, for a client. Where there are none, `R` is inferred as its constraint, which names every string. */
export type MountedCustom<Base extends string, R, I, Q, O, F> = {
  readonly [K in keyof R as string extends K ? never : K]: MountedAction<`${Base}${R[K] & string}`, At<I, K>, At<Q, K>, At<O, K>, At<F, K>>
}

type At<T, K> = K extends keyof T ? T[K] : undefined

/** What a group of routes says of itself. */
export interface GroupTraits extends Traits {
  /** The application whose pair guards these routes; without one nothing is guarded. */
  readonly app?: string | undefined
  /** The pair of the application, placed on these routes: `[auth(…), permission(…)]`. */
  readonly guards?: RequestHandler | readonly RequestHandler[] | undefined
  /** The singular of the last part of the name, for summaries, operation ids and models. @default made from the name by English rules */
  readonly singular?: string | undefined
}

/** A group whose types are no longer of interest. */
export interface Group extends GroupTraits {
  readonly route: string
  readonly name?: string | undefined
}

export interface ResourceTraits<Route extends string, Name extends string = string> extends GroupTraits {
  /** Where the resource stands on its router, e.g. `/users`. */
  readonly route: Route
  /** The middle of every permission id: `{app}.{name}.{action}`. */
  readonly name: Name
}

/** A declaration whose types are no longer of interest: what `mountResource` and its kin work on. */
export interface Declaration extends ResourceTraits<string> {
  readonly actions?: readonly ActionName[] | false | undefined
  readonly handlers?: Readonly<Partial<Record<ActionName, LooseAction>>> | undefined
  readonly custom?: Readonly<Record<string, LooseCustom>> | undefined
}

export interface LooseSpec extends ActionTraits {
  readonly input?: z.ZodType | Rules | undefined
  readonly query?: z.ZodType | Rules | undefined
  readonly output?: z.ZodType | undefined
  readonly handler: LooseHandler
  readonly [mounting]?: Mounting
}

/** An action whose rules have become schemas. */
export interface ReadSpec extends LooseSpec {
  readonly input?: z.ZodType | undefined
  readonly query?: z.ZodType | undefined
}

/** Arguments are `never` here because every handler takes some of its own: nobody calls one without having read them. */
export type LooseHandler = (req: Request, res: Response, args: never) => unknown
export type LooseAction = LooseHandler | LooseSpec

export interface LooseCustom extends LooseSpec {
  readonly methods?: string | readonly string[]
  readonly route: string
}

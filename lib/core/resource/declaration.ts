import type { Request, RequestHandler, Response } from 'express'
import type { z } from 'zod'
import type { Formatted, Reply } from '../reply/reply.js'
import type { Rules, Ruled } from '../validate/rules.js'
import type { AuthMarker, CursorPage, FileFields, Meta, Page, UncountedPage } from '../base/types.js'
import type { Doc, HeaderFields, ToolTraits } from '../routing/route-info.js'
import type { LiteralsUntil } from '../base/literals.js'
import type { PathArgs, Schema } from './mounted.js'

/*
 * The types of a declaration. Each default action has type parameters of its own: a mapped type over all handlers
 * infers the same types, but the compiler takes longer for it. Custom actions, whose names are not known, are inferred
 * through one mapped type for each option.
 */

/** The schema of arguments: a `z.object`, refined or not, a union of such, or rules for each field. */
export type Input = Schema<object> | Rules

/**
 * The arguments of a handler: those of the path, and over them the output of `input` and `query`; of a partial update
 * only fields that were sent.
 */
export type Args<Path extends string, I, Q = undefined, Partly extends boolean = false> = Flat<
  Omit<PathArgs<Path>, keyof Read<I, Path, Partly> | keyof Read<Q>> & Read<I, Path, Partly> & Read<Q>
>

/**
 * The output of a schema or of rules. A schema declares which fields are optional; for rules the action decides.
 *
 * `undefined` is tested first: without `strictNullChecks` it extends every type.
 */
type Read<I, Path extends string = '', Partly extends boolean = false> = I extends undefined ? unknown
  : I extends Rules
    ? Partly extends true ? Partial<Ruled<I>> & Pick<Ruled<I>, keyof I & keyof PathArgs<Path>> : Ruled<I>
  : z.output<I>

/** The values that a schema reads, or their types before it; those before rules are not known. */
export type InputOf<I, Side extends 'input' | 'output'> = I extends undefined ? object
  : I extends Rules ? Side extends 'output' ? Ruled<I> : Readonly<Record<string, unknown>>
  : Side extends 'output' ? z.output<I>
  : z.input<I>

type Flat<T> = T extends unknown ? { [K in keyof T]: T[K] } : never

/** The result of a handler: any value without `output`, otherwise its data, alone or with a message or paging. */
export type Result<O> = O extends undefined ? unknown : O extends Schema ? Sendable<z.input<O>> : unknown

/** The values that a handler may return: its result, or a promise of it. */
export type Returned<O> = Result<O> | Promise<Result<O>> | LiteralsUntil<O, Schema | undefined>

type Sendable<T> = ReadOnly<T> | Reply<ReadOnly<T>> | Formatted<ReadOnly<T>> | PageOf<T>
/** A list is only read, so a readonly one is accepted. */
type ReadOnly<T> = T extends readonly unknown[] ? Readonly<T> : T
type PageOf<T> = T extends readonly (infer Item)[] ? Page<Item> | UncountedPage<Item> | CursorPage<Item> : never

/**
 * The traits of a resource or an action: those of the action replace those of the resource, `tags` are joined, `meta`
 * is merged by key.
 */
export interface Traits {
  readonly summary?: string | undefined
  readonly description?: string | undefined
  readonly tags?: readonly string[] | undefined
  /** The documentation domains. @default the `app` */
  readonly doc?: Doc | undefined
  /** Marks the route as deprecated in documents. @default false */
  readonly deprecated?: boolean | undefined
  readonly meta?: Meta | undefined
  /**
   * For a document: values of arguments by name, e.g. `{ id: 7, title: 'News' }`, where the schemas have none; those of
   * an action go before those of its resource. @default made from the schemas
   */
  readonly examples?: Readonly<Record<string, unknown>> | undefined
  /** @default true */
  readonly auth?: AuthMarker | undefined
  /** True if the route needs a permission. @default true, with `auth: false` false */
  readonly can?: boolean | undefined
  /** Middleware after the guards and before the body is read. */
  readonly use?: RequestHandler | readonly RequestHandler[] | undefined
  /** The largest body in bytes; `false` does not read a body. @default { limit: 100_000 } */
  readonly body?: { readonly limit: number } | false | undefined
}

/** The traits of an action alone. */
export interface ActionTraits extends Traits {
  /**
   * Offers the action to agents through `resourcery/mcp`; files are not offered. @default the `tool` of the resource,
   * for GET
   */
  readonly tool?: boolean | ToolTraits | undefined
  /** The status of a success. @default 200, of `create` 201 */
  readonly status?: number | undefined
  /** The message of a reply for which the handler returns a plain value. @default 'ok' */
  readonly message?: string | undefined
  /**
   * Reads a multipart form instead of JSON, after the guards: `RequestParam.file` returns its files, `input` reads its
   * text fields.
   */
  readonly files?: FileFields | undefined
  /** For documents: the media type of a reply that the handler sends itself, e.g. `text/csv`. @default the envelope */
  readonly produces?: string | undefined
  /**
   * For documents: headers that the handler reads itself, e.g.
   * `{ 'If-Match': { description: 'The version to change' } }`.
   */
  readonly requestHeaders?: HeaderFields | undefined
  /** For documents: headers of a success. */
  readonly responseHeaders?: HeaderFields | undefined
  /** For documents: statuses of the handler in addition to those of every such route, e.g. `[412, 428]`. */
  readonly statuses?: readonly number[] | undefined
}

/** A typed action. */
export interface Spec<
  Path extends string,
  I,
  Q,
  O,
  F extends FileFields | undefined = FileFields | undefined,
  Partly extends boolean = false,
> extends ActionTraits {
  readonly files?: F
  readonly input?: I
  /** Reads the query of an action whose `input` reads the body. */
  readonly query?: Q
  readonly output?: O
  readonly handler: (req: Request, res: Response, args: Args<Path, I, Q, Partly>) => Returned<O>
}

/** An action that is only a handler: it returns the value to send, or calls `send`. */
export type Bare<Path extends string> = (req: Request, res: Response, args: Args<Path, undefined>) => unknown

export type Action<
  Path extends string,
  I,
  Q,
  O,
  F extends FileFields | undefined = FileFields | undefined,
  Partly extends boolean = false,
> =
  | Bare<Path>
  | Spec<Path, I, Q, O, F, Partly>

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'HEAD' | 'QUERY'

export interface CustomTraits extends Omit<ActionTraits, 'files'> {
  /** @default 'GET' */
  readonly methods?: Method | readonly Method[] | undefined
}

/**
 * Custom actions without the types of their handlers: routes, inputs, queries, outputs and files are inferred one by
 * one. The part of the outputs has all properties, since the compiler describes an action without a route by it.
 */
export type CustomParts<R, I, Q, O, F> = {
  readonly [K in keyof R]: CustomTraits & {
    readonly route: R[K]
  }
} & {
  readonly [K in keyof I]: { readonly input?: I[K] & Input }
} & { readonly [K in keyof Q]: { readonly query?: Q[K] & Input } } & {
  readonly [K in keyof O]: CustomTraits & {
    readonly route: string
    readonly handler: unknown
    readonly output?: O[K] & Schema
  }
} & {
  readonly [K in keyof F]: { readonly files?: (F[K] & FileFields) | undefined }
}

/** Custom actions, whose handlers are checked against their parts. */
export type CustomActions<Base extends string, R, I, Q, O, F> = CustomParts<R, I, Q, O, F> & {
  readonly [
    // `as` prevents inference from the handlers.
    K in keyof R as K
  ]: {
    readonly handler: (
      req: Request,
      res: Response,
      args: Args<`${Base}${R[K] & string}`, At<I, K>, At<Q, K>>,
    ) => Returned<At<O, K>>
  }
}

type At<T, K> = K extends keyof T ? T[K] : undefined

/** The traits of a group of routes. */
export interface GroupTraits extends Traits {
  /** The application whose `auth` and `permission` guard these routes. @default none: the guards in front decide */
  readonly app?: string | undefined
  /** The guards of the application, mounted on these routes: `[auth(…), permission(…)]`. */
  readonly guards?: RequestHandler | readonly RequestHandler[] | undefined
  /**
   * The singular of the last part of the name, for summaries, operation ids and models.
   *
   * @default made from the name by English rules
   */
  readonly singular?: string | undefined
  /** Offers the GET actions to agents through `resourcery/mcp`. @default false */
  readonly tool?: boolean | undefined
}

export interface ResourceTraits<Route extends string, Name extends string = string> extends GroupTraits {
  /** The path of the resource on its router, e.g. `/users`. */
  readonly route: Route
  /** The middle of every permission id: `{app}.{name}.{action}`. */
  readonly name: Name
}

import type { z } from 'zod'

/*
 * The types of mounted routes that a client needs. They do not refer to Express or Node.js, so that a program for
 * browsers can import them.
 */

/**
 * A zod schema, by the few members that distinguish it from other values and from the schemas of `zod/mini`: comparing
 * all generic methods of `z.ZodType` for each schema would be half of the compiler's work.
 */
export interface Schema<Output = unknown> extends z.core.$ZodType<Output>, Pick<z.ZodType, 'isOptional'> {}

/** The arguments of a path pattern: `/:id` gives `{ id: string }`, `/*rest` gives `{ rest: string[] }`. */
export type PathArgs<Path extends string> = Path extends `${infer Segment}/${infer Rest}`
  ? SegmentArgs<Segment> & PathArgs<Rest>
  : SegmentArgs<Path>

type SegmentArgs<Segment extends string> = Segment extends `${string}:${infer Name}`
  ? Record<UpTo<Name>, string> & (Name extends `${UpTo<Name>}${infer Rest}` ? SegmentArgs<Rest> : unknown)
  : Segment extends `${string}*${infer Name}` ? Record<UpTo<Name>, string[]>
  : unknown

type UpTo<Name extends string> = Name extends `${infer Head}${'-' | '.' | ':' | '@' | ','}${string}` ? UpTo<Head> : Name

/** The default name of a group: the static segments of its route, joined by dots. */
export type NameFromRoute<Route extends string> = Route extends `${infer Segment}/${infer Rest}`
  ? Joined<StaticSegment<Segment>, NameFromRoute<Rest>>
  : StaticSegment<Route>

type StaticSegment<Segment extends string> = Segment extends `${string}${':' | '*'}${string}` ? '' : Segment
type Joined<Left extends string, Right extends string> = Left extends '' ? Right
  : Right extends '' ? Left
  : `${Left}.${Right}`

/**
 * Mounted routes as a type: their name, and the path, input, query, output and files of each action.
 *
 * Pass it to `createClient` of `resourcery/client`. It has no properties at run time.
 *
 * @example
 * const users = mountResource(app, { route: '/users', name: 'users', handlers: { list: () => [] } })
 * export type Api = { users: typeof users }
 */
export interface Mounted<out Name extends string = string, out Actions = unknown> {
  /** No symbol: the declarations for CommonJS and for ES modules would each have one of their own. */
  readonly '~types'?: { readonly name: Name; readonly actions: Actions }
}

/** The types of one mounted action; an undeclared schema is `undefined` or `unknown`. */
export interface MountedAction<
  Path extends string = string,
  Input = unknown,
  Query = unknown,
  Output = unknown,
  Files = unknown,
> {
  readonly path: Path
  readonly input: Input
  readonly query: Query
  readonly output: Output
  readonly files: Files
}

/** The names of the default actions. */
export type ActionName = 'list' | 'show' | 'create' | 'edit' | 'store' | 'delete' | 'deleteMany'

/** The types of the default actions, for a client. */
export interface MountedDefaults<
  Route extends string,
  ListI,
  ListO,
  ShowI,
  ShowO,
  CreateI,
  CreateQ,
  CreateO,
  CreateF,
  EditI,
  EditQ,
  EditO,
  EditF,
  StoreI,
  StoreQ,
  StoreO,
  StoreF,
  DeleteI,
  DeleteO,
  DeleteManyI,
  DeleteManyO,
> {
  /** Lists records: `GET` of the route. */
  readonly list: MountedAction<Route, ListI, undefined, ListO>
  /** Returns one record: `GET /:id`. */
  readonly show: MountedAction<`${Route}/:id`, ShowI, undefined, ShowO>
  /** Creates a record: `POST` to the route. */
  readonly create: MountedAction<Route, CreateI, CreateQ, CreateO, CreateF>
  /** Replaces one record: `PUT /:id`. */
  readonly edit: MountedAction<`${Route}/:id`, EditI, EditQ, EditO, EditF>
  /** Changes some fields of one record: `PATCH /:id`. */
  readonly store: MountedAction<`${Route}/:id`, StoreI, StoreQ, StoreO, StoreF>
  /** Deletes one record: `DELETE /:id`. */
  readonly delete: MountedAction<`${Route}/:id`, DeleteI, undefined, DeleteO>
  /** Deletes several records, all or none: `DELETE` of the route. */
  readonly deleteMany: MountedAction<Route, DeleteManyI, undefined, DeleteManyO>
}

/** The names of the mounted default actions: those with a handler, or those that `actions` lists. */
export type MountedNames<Handled extends ActionName, Only> = Only extends false ? never
  : Only extends readonly (infer Name)[] ? Handled & Name
  : Handled

/**
 * The types of custom actions, for a client. Without any, `R` is inferred as its constraint, whose keys are all
 * strings. The type maps `keyof R` without `as`, so that an action keeps its documentation.
 */
export type MountedCustom<Base extends string, R, I, Q, O, F> = string extends keyof R ? object : {
  readonly [K in keyof R]: MountedAction<`${Base}${R[K] & string}`, At<I, K>, At<Q, K>, At<O, K>, At<F, K>>
}

type At<T, K> = K extends keyof T ? T[K] : undefined

/** The actions of the result of `mountResource`, `mountRoutes` or `resource`, by name. */
export type ActionsOf<M extends Mounted> = NonNullable<M['~types']>['actions']

/** One route of a manifest: `{ name: 'posts.show', method: 'GET', path: '/posts/:id' }`. */
export interface ManifestRoute {
  /** Resource and action, joined by a dot. */
  readonly name: string
  readonly method: string
  /**
   * The path, followed by `?` and the names of its query parameters if the route reads a body as well:
   * `/posts/:id?notify`.
   */
  readonly path: string
}

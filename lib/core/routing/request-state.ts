import type { ServerResponse } from 'node:http'
import type { Request } from 'express'
import { PLAIN, type Implementation } from '../express/implementation.js'
import type { HandlerLayer } from '../express/stack.js'
import type { Challenges } from '../base/auth-scheme.js'
import type { Auth, Caller } from '../base/types.js'
import type { MountedRoute } from './registry.js'

/** Checks whether a caller has a permission; anything but `true` denies it. */
export type PermissionCheck = (auth: Auth, permission: string, req: Request) => boolean | Promise<boolean>

/** The results of the guards of one application for a request. */
export interface GuardState {
  /** The caller that `auth` identified, `undefined` for an anonymous one. */
  readonly auth: Auth | undefined
  /** The name of the strategy that recognised the caller's credentials. */
  readonly strategy?: string | undefined
  /** The schemes of the `WWW-Authenticate` header. */
  readonly challenges?: Challenges
  /** The check of `permission`, `undefined` until that guard has run. */
  isGranted: PermissionCheck | undefined
  /** The permissions that this request was granted before, so that none is checked twice. */
  readonly granted: Set<string>
}

/** Returns the caller of a guard, with the properties that the application declares by `Callers`. */
export function callerIn<App extends string = string>({ auth }: Pick<GuardState, 'auth'>): Caller<App> | undefined {
  return auth as Caller<App> | undefined
}

/**
 * The first route that a request will reach after a middleware.
 *
 * `undeclared`: a handler that no resource declares, or a function with a path of its own that may answer, in front of
 * a route for anonymous callers or where there is no route. `unseen`: the middleware was called by another function, or
 * an app is mounted there that cannot be read, so that nothing is known.
 */
export type Ahead =
  | { readonly kind: 'resource'; readonly route: MountedRoute }
  | { readonly kind: 'undeclared' | 'nothing' | 'unseen' }

/** The route that a guard found ahead of it, and the request at that time. */
export interface Forecast {
  readonly ahead: Ahead
  /** The layers on the way that see the same path, beginning with the one that asked. */
  readonly passed: readonly Pick<HandlerLayer, 'name' | 'handle'>[]
  readonly method: string
  readonly url: string
  readonly baseUrl: string
}

/** Files that a request has stored. */
export interface StoredFiles {
  readonly storedCount: number
  /** Deletes the stored files from this place on. */
  removeFrom(place: number): Promise<void>
  /** Keeps the stored files also if the request fails. */
  keep(): void
}

interface RequestState {
  /** Holds the operations that answer this request: those of the plain path, unless `serve` selects the fast one. */
  implementation: Implementation
  /** The resource route that matched. */
  route: MountedRoute | undefined
  /** The forecast of the last guard that looked ahead. */
  forecast: Forecast | undefined
  /** The states of the guards that let the request through, by application. */
  guards: ReadonlyMap<string, GuardState>
  /** The applications whose guards did not check the request, or refused it. */
  unchecked: readonly string[]
  /** The query parameters in which guards in front read credentials: they belong to no schema. */
  credentialsInQuery: readonly string[]
  /** The route that a request of this process is for. */
  inner: InnerRequest | undefined
  /** Data of the reply that was checked before it was returned. */
  checked: Checked | undefined
  /** The files that it has stored, by the reader of each form. */
  files: readonly StoredFiles[]
  /** The time before which a deadline does not apply, in milliseconds of `performance.now()`. */
  extendedTo: number
}

/** Data that was checked against a schema, and its result. */
interface Checked {
  readonly schema: object
  readonly data: unknown
  readonly result: unknown
}

const NO_GUARDS: ReadonlyMap<string, GuardState> = new Map()
const NO_NAMES: readonly string[] = Object.freeze([])
const NO_FILES: readonly StoredFiles[] = Object.freeze([])

const key = Symbol('resourcery')

interface Marked {
  [key]?: RequestState | undefined
}

/** Returns the state of this package on a request, under a symbol that no client can set. */
export function stateOf(req: object & Marked): RequestState {
  return (req[key] ??= {
    implementation: PLAIN,
    route: undefined,
    forecast: undefined,
    guards: NO_GUARDS,
    unchecked: NO_NAMES,
    credentialsInQuery: NO_NAMES,
    inner: undefined,
    checked: undefined,
    files: NO_FILES,
    extendedTo: 0,
  })
}

/** Selects the operations that answer a request. */
export function useImplementation(req: object, implementation: Implementation): void {
  stateOf(req).implementation = implementation
}

/** Returns true if the fast path answers a request. */
export function isFast(req: object): boolean {
  return stateOf(req).implementation !== PLAIN
}

/**
 * Records that a guard of `app` did not admit this request: it expected a public route, or it refused. A route that
 * needs the guard then refuses the request, even if its path was rewritten or an error handler called `next()`.
 */
export function markUnchecked(req: Request, app: string): void {
  const state = stateOf(req)
  if (!state.unchecked.includes(app)) state.unchecked = [...state.unchecked, app]
}

/** Records that a guard of `app` refused this request, whatever an earlier `auth` of the same application found. */
export function markRefused(req: Request, app: string): void {
  markUnchecked(req, app)
  const state = stateOf(req)
  if (state.guards.has(app)) state.guards = new Map([...state.guards].filter(([name]) => name !== app))
}

/** A request of this process to one route: it ends with 404 at any other. */
export interface InnerRequest {
  readonly route: MountedRoute
  /** True to end with 204 as soon as it has access to the route, before anything of it runs. */
  readonly accessOnly: boolean
  /** Of `accessOnly`: routes after the same guards, and those of them to which the caller has access too. */
  readonly others?: { readonly asked: readonly MountedRoute[]; readonly granted: Set<MountedRoute> }
}

/** Makes a request of this process end with 404 at any other route. */
export function markInner(req: object, inner: InnerRequest): void {
  stateOf(req).inner = inner
}

/** Gives a response this many seconds from now to begin, even if the deadline of the server is earlier. */
export function extendDeadline({ req }: ServerResponse, seconds: number): void {
  stateOf(req).extendedTo = performance.now() + seconds * 1000
}

/** Returns the milliseconds that are left of an extension; zero or less where there is none, or where it is over. */
export function extensionLeft({ req }: ServerResponse): number {
  return stateOf(req).extendedTo - performance.now()
}

import { checkOwner, recordOwner } from '../base/copies.js'
import { pathsOf, stackInside } from '../express/layers.js'
import { mergesParams, stackOf, type ExpressRoute, type Layer } from '../express/stack.js'
import type { z } from 'zod'
import type { RouteInfo, ToolTraits } from './route-info.js'
import type { PlainMap } from '../validate/plain-data.js'
import type { Guard } from './guards.js'
import { pathNamesOf } from './path.js'

/** A route as it was declared on its own router: its path does not contain the prefixes of the Routers around it. */
export interface MountedRoute extends RouteInfo {
  /** The labels of the resource and of this action in a role editor. */
  readonly resourceLabel: string
  readonly actionLabel: string
  /** The message of a reply for which the handler returned a plain value. */
  readonly message: string
  /** The guards among the route's own middleware. */
  readonly ownGuards: readonly Guard[]
  /** The functions of `guards` and `use`, in the order in which they run. */
  readonly ownMiddleware: readonly unknown[]
  /** The path after that of the group, e.g. `/:id`. */
  readonly ownPath: string
  /** The declared singular of the resource's name. */
  readonly singular: string | undefined
  /** For a document: values of arguments by name. */
  readonly examples: Readonly<Record<string, unknown>>
  /** The name and description of the route as a tool for agents, `undefined` where it is none. */
  readonly tool: ToolTraits | undefined
  readonly reading: Reading | undefined
  /** The columns whose sums a list has in `meta.aggregates`. */
  readonly summed: readonly string[]
  readonly startCheck: StartCheck | undefined
  /** The field of a created record with the key in its path, which a 201 has in `Location`; `false` if it has none. */
  readonly locatedBy: string | false
}

/** Changes fields before a schema reads them. */
export type ChangeFields = (fields: Readonly<PlainMap>) => Readonly<PlainMap>

/** Options for requests that differ from the schemas of an action. */
export interface Reading {
  readonly query?: ChangeFields | undefined
  readonly body?: ChangeFields | undefined
  /** Reads a body that is a list, as the field `items`, by another schema than `input`. */
  readonly list?: { readonly input: z.ZodType; readonly body?: ChangeFields | undefined } | undefined
}

/** A fault that the start of an app would report. */
export interface StartFinding {
  readonly code: string
  readonly message: string
}

/** A check of a resource when its app starts; all actions of the resource have the same one. */
export interface StartCheck {
  /** @throws MisuseError for what can be decided at once. */
  check(): void
  /** Returns warnings; `all` are the checks of the app, each with the routes of its resource. */
  warnings(all: ReadonlyMap<StartCheck, readonly MountedRoute[]>): Promise<readonly StartFinding[]>
}

/** The event that an app emits when all its routes are mounted and it is about to be served. */
export const SERVING = Symbol('resourcery.serving')

/**
 * The route table: the declared routes of each Express route, by method. A handler that is not in it is
 * undeclared.
 */
const declaredByRoute = new WeakMap<ExpressRoute, Declared>()

interface Declared {
  readonly entries: Map<string, MountedRoute>
  /** Completes a declaration that is not complete. */
  complete: (() => void) | undefined
}

/** Counts the routes that have been mounted, so that results computed from them can be invalidated. */
export let registrations = 0

/** Adds a route to the route table. */
export function register(route: ExpressRoute, entry: MountedRoute): void {
  registrations++
  recordOwner(route)
  const own = declaredOf(route)
  own.complete = undefined
  own.entries.set(entry.method, entry)
}

/** Registers a route that is declared when it is first looked up: `declare` registers it then, or throws. */
export function registerLater(route: ExpressRoute, declare: () => void): void {
  declaredOf(route).complete = declare
}

function declaredOf(route: ExpressRoute): Declared {
  const own = declaredByRoute.get(route) ?? { entries: new Map(), complete: undefined }
  declaredByRoute.set(route, own)
  return own
}

/** Returns true for a route of the route table. */
export function isDeclared(route: ExpressRoute): boolean {
  return declaredByRoute.has(route)
}

/** Returns the declared routes of an Express route by method, `undefined` for an undeclared handler. */
export function entriesOf(route: ExpressRoute): ReadonlyMap<string, MountedRoute> | undefined {
  const own = declaredByRoute.get(route)
  own?.complete?.()
  return own === undefined || own.entries.size === 0 ? undefined : own.entries
}

/** Returns the declared route of an Express route; GET answers HEAD. */
export function mountedAt(route: ExpressRoute, method: string): MountedRoute | undefined {
  const entries = entriesOf(route)
  return entries?.get(method) ?? (method === 'HEAD' ? entries?.get('GET') : undefined)
}

/** The routes that were declared together with a route. */
const declarationByEntry = new WeakMap<MountedRoute, object>()

/** Records that routes belong to one declaration, and may share their permission ids. */
export function declareTogether(routes: readonly MountedRoute[]): void {
  for (const route of routes) declarationByEntry.set(route, routes)
}

/** Returns the same object for all routes of one declaration. */
export function originOf(route: MountedRoute): object {
  return declarationByEntry.get(route) ?? route
}

export interface Listed {
  /** The full path with all prefixes; `undefined` below a mount whose path `router` does not keep. */
  readonly path: string | undefined
  /** True if a part of the path is a regular expression: no path of a request can be made of it. */
  readonly isPattern: boolean
  /**
   * The names of the path arguments that reach the handler, those of the Routers around it first where `mergeParams`
   * passes them on.
   */
  readonly args: readonly string[]
  readonly route: ExpressRoute
  readonly entries: readonly MountedRoute[]
}

/**
 * Lists every route below an app or router, undeclared handlers too, in Express's order, with full paths.
 *
 * @throws MisuseError `copies_mixed` for a route of another copy of the package.
 */
export function listBelow(appOrRouter: unknown): Listed[] {
  return listStack(stackOf(appOrRouter), { prefix: '', args: [], isPattern: false }, [])
}

type Stack = readonly Layer[]

/** The prefix of a stack, and the path arguments that are passed on to it. */
interface Mount {
  readonly prefix: string | undefined
  readonly args: readonly string[]
  readonly isPattern: boolean
}

function listStack(stack: Stack, mount: Mount, outer: readonly Stack[]): Listed[] {
  // A router may be mounted below itself, as for a tree of categories: it is listed once.
  if (outer.includes(stack)) return []
  return stack.flatMap((layer) => {
    const { route } = layer
    const paths = pathsOf(layer) ?? [undefined]
    const places = paths.map((path) => placeOf(mount, route === undefined ? withoutSlash(path) : path))
    if (route !== undefined) {
      checkOwner(route)
      return places.map(
        ({ prefix: path, ...place }) => ({ path, ...place, route, entries: [...(entriesOf(route)?.values() ?? [])] }),
      )
    }
    const inside = stackInside(layer)
    if (inside === undefined) return []
    const mergesArgs = mergesParams(layer.handle)
    return places.flatMap(
      (place) => listStack(inside, { ...place, args: mergesArgs ? place.args : [] }, [...outer, stack]),
    )
  })
}

function placeOf({ prefix, args, isPattern }: Mount, path: string | RegExp | undefined): Mount {
  if (prefix === undefined || path === undefined) return { prefix: undefined, args, isPattern }
  const text = String(path)
  return {
    prefix: join(prefix, text),
    args: [...args, ...pathNamesOf(text)],
    isPattern: isPattern || path instanceof RegExp,
  }
}

/** Express ignores the slashes at the end of the path of a mount. */
function withoutSlash(path: string | RegExp | undefined): string | RegExp | undefined {
  return typeof path === 'string' ? path.replace(/(?<=.)\/+$/, '') : path
}

function join(prefix: string, path: string): string {
  const joined = `${prefix === '/' ? '' : prefix}${path === '/' && prefix !== '' ? '' : path}`
  return joined === '' ? '/' : joined
}

import { mergesParams, pathsOf, stackInside, stackOf, type ExpressRoute, type Layer } from '../express/stack.js'
import type { RouteInfo } from '../types.js'
import type { Guard } from './guards.js'
import { pathNamesOf } from './path-names.js'

/** A route as it was declared on its own router: the path lacks the prefixes under which the router is mounted. */
export interface MountedRoute extends RouteInfo {
  /** What a role editor calls the resource, and this action of it. */
  readonly resourceLabel: string
  readonly actionLabel: string
  /** Of a bare returned value. */
  readonly message: string
  /** The guards among the route's own middleware. */
  readonly ownGuards: readonly Guard[]
  /** The path behind that of the group, e.g. `/:id`. */
  readonly ownPath: string
  /** The declared singular of the resource's name. */
  readonly singular: string | undefined
  /** For a document: values of arguments by name. */
  readonly examples: Readonly<Record<string, unknown>>
}

/** Which of our routes stand behind a route of Express's, by method. What is not in here is undeclared. */
const mounted = new WeakMap<ExpressRoute, Map<string, MountedRoute>>()

let registered = 0

/** Counts the routes that have been mounted, so that what was worked out of them can be known to be old. */
export function registrations(): number {
  return registered
}

export function register(route: ExpressRoute, entry: MountedRoute): void {
  registered++
  const entries = mounted.get(route) ?? new Map<string, MountedRoute>()
  mounted.set(route, entries.set(entry.method, entry))
}

/** Our route behind a route of Express's; HEAD is answered by GET. */
export function mountedAt(route: ExpressRoute, method: string): MountedRoute | undefined {
  const entries = mounted.get(route)
  return entries?.get(method) ?? (method === 'HEAD' ? entries?.get('GET') : undefined)
}

export interface Listed {
  /** The full path, prefixes included; `undefined` below a mount whose path `router` does not keep. */
  readonly path: string | undefined
  /** The names of the path arguments that reach the handler, those of the Routers around it first where `mergeParams` hands them on. */
  readonly args: readonly string[]
  readonly route: ExpressRoute
  readonly entries: readonly MountedRoute[]
}

/** Every route below an app or router, undeclared handlers too, in Express's order, with full paths. */
export function listed(appOrRouter: unknown): Listed[] {
  return listStack(stackOf(appOrRouter), { prefix: '', args: [] }, [])
}

type Stack = readonly Layer[]

/** Where a stack stands: under this prefix, and with these path arguments handed on. */
interface Mount {
  readonly prefix: string | undefined
  readonly args: readonly string[]
}

function listStack(stack: Stack, mount: Mount, outer: readonly Stack[]): Listed[] {
  // A router may stand below itself, as a tree of categories does: it is listed once.
  if (outer.includes(stack)) return []
  return stack.flatMap((layer) => {
    const places = (pathsOf(layer)?.map(String) ?? [undefined]).map((path) => placeOf(mount, path))
    const { route } = layer
    if (route !== undefined) return places.map(({ prefix: path, args }) => ({ path, args, route, entries: [...(mounted.get(route)?.values() ?? [])] }))
    const inside = stackInside(layer)
    if (inside === undefined) return []
    const handsOn = mergesParams(layer.handle)
    return places.flatMap(({ prefix, args }) => listStack(inside, { prefix, args: handsOn ? args : [] }, [...outer, stack]))
  })
}

function placeOf({ prefix, args }: Mount, path: string | undefined): Mount {
  if (prefix === undefined || path === undefined) return { prefix: undefined, args }
  return { prefix: join(prefix, path), args: [...args, ...pathNamesOf(path)] }
}

function join(prefix: string, path: string): string {
  const joined = `${prefix === '/' ? '' : prefix}${path === '/' && prefix !== '' ? '' : path}`
  return joined === '' ? '/' : joined
}

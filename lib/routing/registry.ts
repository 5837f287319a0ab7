import type { RouteInfo } from '../types.js'
import { stackInside, stackOf, type ExpressRoute, type Layer } from './express-stack.js'

/** A route as it was declared on its own router: the path lacks the prefixes under which the router is mounted. */
export interface MountedRoute extends RouteInfo {
  /** What a role editor calls the resource, and this action of it. */
  readonly resourceLabel: string
  readonly actionLabel: string
  /** Of a bare returned value. */
  readonly message: string
}

/** Which of our routes stand behind a route of Express's, by method. What is not in here is hand-written. */
const mounted = new WeakMap<ExpressRoute, Map<string, MountedRoute>>()

export function register(route: ExpressRoute, entry: MountedRoute): void {
  const entries = mounted.get(route) ?? new Map<string, MountedRoute>()
  mounted.set(route, entries.set(entry.method, entry))
}

/** Our route behind a route of Express's; HEAD is answered by GET. */
export function mountedAt(route: ExpressRoute, method: string): MountedRoute | undefined {
  const entries = mounted.get(route)
  return entries?.get(method) ?? (method === 'HEAD' ? entries?.get('GET') : undefined)
}

export interface Listed {
  /** The full path, prefixes included. */
  readonly path: string
  readonly route: ExpressRoute
  readonly entries: readonly MountedRoute[]
}

/** Every route below an app or router, hand-written ones too, in Express's order, with full paths. */
export function listed(appOrRouter: unknown): Listed[] {
  return listStack(stackOf(appOrRouter), '', [])
}

type Stack = readonly Layer[]

function listStack(stack: Stack, prefix: string, outer: readonly Stack[]): Listed[] {
  // A router may stand below itself, as a tree of categories does: it is listed once.
  if (outer.includes(stack)) return []
  return stack.flatMap((layer) => {
    const paths = [layer.rawPath].flat(Infinity).map((path) => join(prefix, String(path)))
    const { route } = layer
    if (route !== undefined) return paths.map((path) => ({ path, route, entries: [...(mounted.get(route)?.values() ?? [])] }))
    const inside = stackInside(layer)
    return inside === undefined ? [] : paths.flatMap((path) => listStack(inside, path, [...outer, stack]))
  })
}

function join(prefix: string, path: string): string {
  const joined = `${prefix === '/' ? '' : prefix}${path === '/' && prefix !== '' ? '' : path}`
  return joined === '' ? '/' : joined
}

import type { Request } from 'express'
import { rootOf, isApp } from '../express/stack.js'
import type { Guard } from '../routing/guards.js'
import { listed, type MountedRoute } from '../routing/registry.js'
import { stateOf } from '../routing/request-state.js'
import type { RouteInfo } from '../types.js'
import { behind, listing } from './listing.js'

/**
 * Lists all mounted routes below an app or a router as plain data, in Express's order, with full paths.
 *
 * Routers nested by `use` are seen at any depth, and sub-apps on which a resource was mounted; a router that is called
 * from inside a function of your own is not. The permissions of a route without an `app` are those of the `permission`
 * in front of it, so ask the outermost app.
 *
 * @throws MisuseError `name_taken` where two resources share a permission id, `route_invalid` where two path arguments
 * share a name.
 * @example
 * for (const { method, path, permission } of routesOf(app)) console.log(method, path, permission)
 */
export function routesOf(appOrRouter: object): RouteInfo[] {
  return listing(appOrRouter).flatMap(({ path, entries }) => entries.map((entry) => toRouteInfo(entry, path)))
}

/**
 * The resource route that matched this request as plain data, `undefined` before one has.
 *
 * @example
 * const audit: RequestHandler = (req, res, next) => { log(req.auth?.id, routeOf(req)?.name); next() }
 */
export function routeOf(req: Request): RouteInfo | undefined {
  const { route } = stateOf(req)
  return route && toRouteInfo(behind(guardsOn(req), route), fullPathOf(req, route))
}

/** The guards that this request has passed. */
function guardsOn(req: Request): Guard[] {
  return [...stateOf(req).passes].flatMap(([app, { judge }]): Guard[] =>
    [{ kind: 'auth', app }, ...(judge === undefined ? [] : [{ kind: 'permission' as const, app }])])
}

/** The declared path under its prefixes; a router mounted twice is told apart by how deep the request's mount is. */
function fullPathOf(req: Request, route: MountedRoute): string {
  const app: unknown = req.app
  if (!isApp(app)) return route.path
  const paths = listed(rootOf(app)).flatMap(({ path, entries }) => (path !== undefined && entries.includes(route) ? [path] : []))
  return paths.find((path) => matchesMount(path, req.baseUrl, route.path)) ?? paths[0] ?? route.path
}

function matchesMount(path: string, mount: string, own: string): boolean {
  const prefix = path.slice(0, path.length - (own === '/' ? 0 : own.length)).split('/')
  const actual = mount.split('/')
  return prefix.length === actual.length && prefix.every((segment, at) => /[:*]/.test(segment) || segment.toLowerCase() === actual[at]?.toLowerCase())
}

function toRouteInfo({ resourceLabel, actionLabel, message, ownGuards, ownPath, singular, examples, ...info }: MountedRoute, path: string): RouteInfo {
  return { ...info, path }
}

import type { Application, Request } from 'express'
import { permissionIn } from './access.js'
import { memoizeWhile } from '../base/memoize.js'
import { isApp, rootOf, stackOf, type ExpressRoute } from '../express/stack.js'
import { guardFinder } from '../routing/guard-finder.js'
import { foreseenRoute } from '../routing/look-ahead.js'
import type { Guard } from '../routing/guards.js'
import { listBelow, registrations, type Listed, type MountedRoute } from '../routing/registry.js'
import { stateOf } from '../routing/request-state.js'
import type { RouteInfo } from '../routing/route-info.js'

/**
 * Returns the resource route of this request as plain data: the one that matched, and after `auth` or `permission` the
 * one that the request will reach; `undefined` in front of them and for an undeclared handler.
 *
 * After guards it is a forecast: it ends when middleware changes `req.url` or `req.method`.
 *
 * @example
 * const audit: RequestHandler = (req, res, next) => { log(req.auth?.id, routeOf(req)?.name); next() }
 */
export function routeOf(req: Request): RouteInfo | undefined {
  const route = stateOf(req).route ?? foreseenRoute(req)
  if (route === undefined) return undefined
  const { entry, path } = placeOf(req, route)
  return toRouteInfo(guardedBy(guardsPassed(req), entry), path)
}

/** Returns the route of a request for a function of the application's, which may not read it. */
export function contextOf(req: Request): { readonly req: Request; readonly route: RouteInfo | undefined } {
  return {
    req,
    get route() {
      return routeOf(req)
    },
  }
}

export function toRouteInfo(
  { resourceLabel, actionLabel, message, ownGuards, ownMiddleware, ownPath, singular, examples, tool, locatedBy,
    ...info }: MountedRoute,
  path: string,
): RouteInfo {
  return { ...info, path }
}

/** Returns the guards that let this request through. */
function guardsPassed(req: Request): Guard[] {
  return [...stateOf(req).guards].flatMap((
    [app, { isGranted }],
  ): Guard[] => [{ kind: 'auth', app }, ...(isGranted === undefined ? [] : [{ kind: 'permission' as const, app }])])
}

/** A route with the permissions that it needs in one of the places where it is mounted, and its full path there. */
interface Place {
  readonly entry: MountedRoute
  readonly path: string
}

/** Returns the first place of a route whose path matches the request, otherwise its first place. */
function placeOf(req: Request, route: MountedRoute): Place {
  const app: unknown = req.app
  const places = isApp(app) ? resolvedBelow(rootOf(app)).places.get(route) ?? [] : []
  const actual = `${req.baseUrl}${req.path}`
  return places.find(({ path }) => matches(path, actual)) ?? places[0] ?? { entry: route, path: route.path }
}

function matches(declared: string, path: string): boolean {
  const [own, actual] = [segmentsOf(declared), segmentsOf(path)]
  const rest = own.findIndex((segment) => segment.includes('*'))
  return (rest === -1 ? own.length === actual.length : own.length <= actual.length)
    && own.slice(0, rest === -1 ? undefined : rest).every(
      (segment, at) => segment.includes(':') || segment.toLowerCase() === actual[at]?.toLowerCase(),
    )
}

function segmentsOf(path: string): string[] {
  return path.replace(/(?<!\/)\/+$/, '').split('/')
}

interface Resolved {
  /** The number of registrations when the routes were listed. */
  readonly at: number
  readonly routes: readonly Listed[]
  readonly places: Map<MountedRoute, Place[]>
}

/** Returns the routes of an app as `resolveRoutes` lists them, listed again after more routes were mounted. */
export function routesBelow(root: Application): readonly Listed[] {
  return resolvedBelow(root).routes
}

const resolvedBelow = memoizeWhile(({ at }: Resolved) => at === registrations, resolve)

function resolve(root: Application): Resolved {
  const routes = routesOrNone(root)
  const places: Resolved['places'] = new Map()
  for (const { path, entries } of routes) {
    if (path === undefined) continue
    for (const entry of entries) {
      const route = declaredRoute(entry)
      places.set(route, [...places.get(route) ?? [], { entry, path }])
    }
  }
  // Listing completes declarations.
  return { at: registrations, routes, places }
}

/** Lists the routes, none if they cannot be listed: an invalid builder elsewhere affects only its own requests. */
function routesOrNone(root: Application): readonly Listed[] {
  try {
    return resolveRoutes(root)
  } catch {
    return []
  }
}

/** Lists the routes below an app or a Router; those without an `app` have the permissions of the guards around them. */
export function resolveRoutes(appOrRouter: object): Listed[] {
  const guardsInFrontOf = guardFinder(stackOf(appOrRouter))
  return listBelow(appOrRouter).map((listed) => ({
    ...listed,
    entries: listed.entries.map((entry) => {
      if (entry.app !== undefined || entry.auth === false) return entry
      const inFront = listed.path === undefined ? [] : guardsInFrontOf(listed.route, entry.method, listed.path)
      return guardedBy([...inFront, ...entry.ownGuards], entry)
    }),
  }))
}

/**
 * Returns a route without an `app` with the permissions that further guards in front of it require; a route with an
 * `app` is unchanged.
 */
export function guardedBy(guards: readonly Guard[], route: MountedRoute): MountedRoute {
  if (route.app !== undefined || route.auth === false || guards.length === 0) return route
  const guardedBy = [...new Set([...route.guardedBy, ...guards.map(({ app }) => app)])]
  const required = guards.filter(({ kind }) => kind === 'permission').map(({ app }) => permissionIn(app, route))
  const permissions = route.can ? [...new Set([...route.permissions, ...required])] : []
  const copy = Object.freeze({ ...route, guardedBy, permissions, permission: permissions[0] })
  declarationByCopy.set(copy, declaredRoute(route))
  return copy
}

/** The routes as they were declared, by the copies that `guardedBy` made. */
const declarationByCopy = new WeakMap<MountedRoute, MountedRoute>()

/** Returns the route as it was declared. */
export function declaredRoute(route: MountedRoute): MountedRoute {
  return declarationByCopy.get(route) ?? route
}

/** A route in one of the places where it is mounted. */
export interface RoutePlace extends Place {
  readonly route: ExpressRoute
}

/** Returns a function that finds the place of a route among listed ones by its path, `undefined` if it is none. */
export function placeFinder(
  routes: readonly Listed[],
): (route: MountedRoute, path: string) => RoutePlace | undefined {
  const places = new Map(
    routes.flatMap(({ path = '', route, entries }) =>
      entries.map((entry) => [keyOf(entry, path), { path, entry, route }] as const)
    ),
  )
  return (route, path) => places.get(keyOf(route, path))
}

function keyOf(route: MountedRoute, path: string): string {
  const { method, name } = declaredRoute(route)
  return JSON.stringify([method, path, name])
}

import type { Request, RequestHandler } from 'express'
import { handles, isOpaque, matchOf, methodsOf, restOf, stackInside } from '../express/layers.js'
import { isApp, rootOf, stackOf, type ExpressRoute, type Layer } from '../express/stack.js'
import { implementationFor, NOT_KNOWN, type Implementation } from '../implementation.js'
import { samplePathOf } from './path.js'
import { guardsAmong, hasGuards, middlewareIn, mountedAt, type Guard, type MountedRoute } from './registry.js'

/**
 * The first route that a request will reach behind a middleware.
 *
 * `unseen`: the middleware was called by another function, or an app is mounted there that cannot be read, so that
 * nothing is known.
 */
export type Ahead =
  | { readonly kind: 'resource'; readonly route: MountedRoute }
  | { readonly kind: 'undeclared' | 'nothing' | 'unseen' }

/**
 * Finds the first route behind `middleware` that matches method and path, in Express's order.
 *
 * It is a forecast for guards on `app.use` or `router.use`; the route checks access again. Middleware between the first
 * one that asked and the route gets the same forecast.
 */
export function lookAhead(req: Request, middleware: RequestHandler): Ahead {
  const route = implementationFor(req).routeBehind(req, middleware)
  if (route !== NOT_KNOWN) return aheadAt(route, req)
  const former = forecasts.get(req)
  if (former !== undefined
    && stillHolds(former, req)
    && former.passed.some((layer) => middlewareIn(layer) === middleware)) {
    return former.ahead
  }
  const forecast = forecastFor(req, middleware)
  forecasts.set(req, forecast)
  return forecast.ahead
}

function aheadAt(route: ExpressRoute | undefined, { method }: Request): Ahead {
  if (route === undefined) return { kind: 'nothing' }
  const entry = mountedAt(route, method)
  return entry === undefined ? { kind: 'undeclared' } : { kind: 'resource', route: entry }
}

interface Forecast {
  readonly ahead: Ahead
  /** The layers on the way that see the same path, beginning with the one that asked. */
  readonly passed: readonly Layer[]
  readonly asked: readonly [method: string, url: string, baseUrl: string]
}

const forecasts = new WeakMap<Request, Forecast>()

function stillHolds({ asked: [method, url, baseUrl] }: Forecast, req: Request): boolean {
  return req.method === method && req.url === url && req.baseUrl === baseUrl
}

function forecastFor(req: Request, middleware: RequestHandler): Forecast {
  const passed: Layer[] = []
  const asked = [req.method, req.url, req.baseUrl] as const
  if (!isVerbatim(req) || hasLostSlash(req)) return { ahead: { kind: 'unseen' }, passed, asked }
  let ahead: Ahead = { kind: 'nothing' }
  walk(rootStack(req), fullPath(req), {
    indexAt: implementationFor(req).indexAt,
    middleware(layer, rest) {
      // The rest of the path must agree too: an app inside a router does not know the prefix of the router.
      if (rest === req.path && (passed.length > 0 || middlewareIn(layer) === middleware)) passed.push(layer)
      if (passed.length === 0 || !isOpaque(layer)) return false
      ahead = { kind: 'unseen' }
      return true
    },
    route(route) {
      if (passed.length === 0 || !handles(route, req.method)) return false
      ahead = aheadAt(route, req)
      return true
    },
  })
  return { ahead: passed.length > 0 ? ahead : { kind: 'unseen' }, passed, asked }
}

/** Returns the methods of all routes that match the path, sorted; none for an unknown path. */
export function allowedMethods(req: Request): string[] {
  const methods = new Set<string>()
  walk(rootStack(req), fullPath(req), {
    indexAt: implementationFor(req).indexAt,
    route(route) {
      for (const method of methodsOf(route)) methods.add(method)
      return false
    },
  })
  return [...methods].sort()
}

/** Finds the guards that every request passes before it reaches a route. */
export type GuardFinder = (route: ExpressRoute, method: string, path: string) => readonly Guard[]

/**
 * Returns a function that finds the guards in front of the routes below a stack: on the app, on Routers, in other
 * routes of the path.
 *
 * It follows one request with an invented value for each path argument, so a guard that runs for some values only is
 * not found.
 */
export function guardFinder(stack: readonly Layer[]): GuardFinder {
  const guarded = new Map<ExpressRoute, boolean>()
  const isGuarded = (route: ExpressRoute): boolean => {
    const known = guarded.get(route) ?? guardsAmong(route.stack.map(middlewareIn)).length > 0
    guarded.set(route, known)
    return known
  }
  return (target, method, path) => {
    if (!hasGuards()) return []
    const found: unknown[] = []
    const reached = walk(stack, samplePathOf(path, SAMPLE), {
      concerns: ({ route }) => route === undefined || route === target || isGuarded(route),
      middleware(layer) {
        found.push(middlewareIn(layer))
        return false
      },
      route(met) {
        if (met === target) return true
        if (handles(met, method)) found.push(...handlersOf(met, method))
        return false
      },
    })
    return reached ? guardsAmong(found) : []
  }
}

/** A segment that no route has. */
const SAMPLE = '~sample~'

/** Returns the handlers of a route that a request by this method passes. */
function handlersOf({ stack }: ExpressRoute, method: string): unknown[] {
  return stack.filter((layer) => layer.method === undefined || layer.method === method.toLowerCase()).map(middlewareIn)
}

function rootStack(req: Request): readonly Layer[] {
  const app: unknown = req.app
  return isApp(app) ? stackOf(rootOf(app)) : []
}

/**
 * Returns true if the path is a part of the request target as it is. Otherwise (a fragment, characters that Node's
 * legacy parser escapes) Express's nested routers cut the target in another place than the path, and a forecast would
 * be wrong.
 */
function isVerbatim(req: Request): boolean {
  const path = pathIn(req.url)
  return path === req.path || (path === '' && req.path === '/')
}

/**
 * Returns true if a mount matched the slash behind it as well (`/^\/a\//`): Express then splits `/a//b` into `/a` and
 * `/b`.
 */
function hasLostSlash(req: Request): boolean {
  if (req.baseUrl === '' || !req.originalUrl.includes('//')) return false
  const asked = pathIn(req.originalUrl)
  const full = fullPath(req)
  return asked !== full && singleSlashed(asked) === singleSlashed(full)
}

function singleSlashed(path: string): string {
  return path.replace(/\/{2,}/g, '/')
}

function fullPath(req: Request): string {
  // Express sets `/` for the root of a mount, with or without a slash in the request.
  const rootless = req.path === '/' && !withoutQuery(req.originalUrl).endsWith('/')
  return rootless && req.baseUrl !== '' ? req.baseUrl : `${req.baseUrl}${req.path}`
}

/** Returns the path of a target, without the origin of an absolute one (RFC 9112 §3.2.2). */
function pathIn(target: string): string {
  const bare = withoutQuery(target)
  return bare.startsWith('/') ? bare : bare.replace(/^[^/]*:\/\/[^/#]*/, '')
}

function withoutQuery(target: string): string {
  return target.replace(/\?.*$/s, '')
}

interface Visitor {
  /**
   * Called for each matching layer that is not a route, before the layers inside it, with the rest of the path; `true`
   * ends the walk.
   */
  middleware?(layer: Layer, path: string): boolean
  /** Called for each route whose path matches, whatever its methods; `true` ends the walk. */
  route(route: ExpressRoute): boolean
  /** Returns false for a layer to skip, before its path is matched. */
  concerns?(layer: Layer): boolean
  /** Skips most of the routes behind an index. */
  readonly indexAt?: Implementation['indexAt']
}

/**
 * Visits the layers that a path matches, in Express's order and by the layers' own `match`, through nested routers and
 * apps. Handlers do not run. Returns true if a visitor or a malformed `%` ended the walk.
 */
export function walk(stack: readonly Layer[], path: string, visitor: Visitor): boolean {
  const { indexAt } = visitor
  for (let at = 0, layer = stack[0]; layer !== undefined; layer = stack[++at]) {
    const index = indexAt?.(stack, at, path)
    if (index === undefined ? meet(layer, path, visitor) : index.layers.some((one) => meet(one, path, visitor))) {
      return true
    }
    at += index?.size ?? 0
  }
  return false
}

function meet(layer: Layer, path: string, visitor: Visitor): boolean {
  if (visitor.concerns?.(layer) === false) return false
  const matched = matchedBy(layer, path)
  return matched === MALFORMED || (matched !== undefined && visit(layer, path, matched, visitor))
}

function visit(layer: Layer, path: string, matched: string, visitor: Visitor): boolean {
  if (layer.route !== undefined) return visitor.route(layer.route)
  const rest = restOf(path, matched)
  if (rest === undefined) return false
  if (visitor.middleware?.(layer, rest)) return true
  const inside = stackInside(layer)
  return inside !== undefined && walk(inside, rest, visitor)
}

const MALFORMED = Symbol('malformed')

/**
 * Returns the part of the path that a layer matches, `MALFORMED` if Express refuses the path and reaches no further
 * route.
 */
function matchedBy(layer: Layer, path: string): string | typeof MALFORMED | undefined {
  try {
    return matchOf(layer, path)?.path
  } catch {
    return MALFORMED
  }
}

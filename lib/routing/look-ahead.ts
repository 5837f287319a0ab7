import type { Request, RequestHandler } from 'express'
import { handles, isApp, isOpaque, middlewareIn, methodsOf, rootOf, stackOf, type Layer } from '../express/stack.js'
import { mountedAt, type MountedRoute } from './registry.js'
import { partsFor } from '../seam.js'
import { walk } from './walk.js'

/**
 * What a request will meet behind a middleware.
 *
 * `unseen`: the middleware was called from inside somebody's own function, or what it meets cannot be seen into, so nothing can be said.
 */
export type Ahead =
  | { readonly kind: 'resource'; readonly route: MountedRoute }
  | { readonly kind: 'undeclared' | 'nothing' | 'unseen' }

/**
 * Finds the first route that matches method and path behind `middleware`, in Express's order.
 *
 * It is a forecast for whoever stands on `app.use` or `router.use`; the decision that counts is taken again at the route. Who stands
 * between the one that asked before and the route it was told of is told the same.
 */
export function lookAhead(req: Request, middleware: RequestHandler): Ahead {
  const former = forecasts.get(req)
  if (former !== undefined && stillHolds(former, req) && former.passed.some((layer) => middlewareIn(layer) === middleware)) return former.ahead
  const forecast = look(req, middleware)
  forecasts.set(req, forecast)
  return forecast.ahead
}

interface Forecast {
  readonly ahead: Ahead
  /** The layers on the way there that are asked with the same path, from the one that asked. */
  readonly passed: readonly Layer[]
  readonly asked: readonly [method: string, url: string, baseUrl: string]
}

const forecasts = new WeakMap<Request, Forecast>()

function stillHolds({ asked: [method, url, baseUrl] }: Forecast, req: Request): boolean {
  return req.method === method && req.url === url && req.baseUrl === baseUrl
}

function look(req: Request, middleware: RequestHandler): Forecast {
  const passed: Layer[] = []
  const asked = [req.method, req.url, req.baseUrl] as const
  if (!isVerbatim(req) || hasLostSlash(req)) return { ahead: { kind: 'unseen' }, passed, asked }
  let ahead: Ahead = { kind: 'nothing' }
  walk(rootStack(req), fullPath(req), {
    indexAt: partsFor(req).indexAt,
    middleware(layer, rest) {
      // The path left must agree too: an app that runs inside a router does not know the prefix it runs under.
      if (rest === req.path && (passed.length > 0 || middlewareIn(layer) === middleware)) passed.push(layer)
      if (passed.length === 0 || !isOpaque(layer)) return false
      ahead = { kind: 'unseen' }
      return true
    },
    route(route) {
      if (passed.length === 0 || !handles(route, req.method)) return false
      const entry = mountedAt(route, req.method)
      ahead = entry === undefined ? { kind: 'undeclared' } : { kind: 'resource', route: entry }
      return true
    },
  })
  return { ahead: passed.length > 0 ? ahead : { kind: 'unseen' }, passed, asked }
}

/** The methods of all routes that match the path, sorted; empty for an unknown path. */
export function allowedMethods(req: Request): string[] {
  const methods = new Set<string>()
  walk(rootStack(req), fullPath(req), {
    indexAt: partsFor(req).indexAt,
    route(route) {
      for (const method of methodsOf(route)) methods.add(method)
      return false
    },
  })
  return [...methods].sort()
}

function rootStack(req: Request): Parameters<typeof walk>[0] {
  const app: unknown = req.app
  return isApp(app) ? stackOf(rootOf(app)) : []
}

/**
 * Whether the path stands in the request target as it is. Where it does not (a fragment, characters that Node's legacy parser
 * escapes), Express's nested routers cut the target in another place than the path, and a forecast would be wrong.
 */
function isVerbatim(req: Request): boolean {
  const path = pathIn(req.url)
  return path === req.path || (path === '' && req.path === '/')
}

/** Whether a mount took the slash behind it as well (`/^\/a\//`): of `/a//b` Express has then left `/a` and `/b`. */
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
  // Express writes `/` for the root of a mount, whether or not the caller did.
  const rootless = req.path === '/' && !withoutQuery(req.originalUrl).endsWith('/')
  return rootless && req.baseUrl !== '' ? req.baseUrl : `${req.baseUrl}${req.path}`
}

/** The path as it stands in a target, without the origin of an absolute one (RFC 9112 §3.2.2). */
function pathIn(target: string): string {
  const bare = withoutQuery(target)
  return bare.startsWith('/') ? bare : bare.replace(/^[^/]*:\/\/[^/#]*/, '')
}

function withoutQuery(target: string): string {
  return target.replace(/\?.*$/s, '')
}

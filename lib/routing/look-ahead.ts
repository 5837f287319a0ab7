import type { Request } from 'express'
import { handles, isApp, isOpaque, methodsOf, rootOf, stackOf } from './express-stack.js'
import { mountedAt, type MountedRoute } from './registry.js'
import { walk } from './walk.js'

/**
 * What a request will meet behind a middleware.
 *
 * `unseen`: the middleware was called from inside somebody's own function, or what it meets cannot be seen into, so nothing can be said.
 */
export type Ahead =
  | { readonly kind: 'resource'; readonly route: MountedRoute }
  | { readonly kind: 'hand-written' | 'nothing' | 'unseen' }

/**
 * Finds the first route that matches method and path behind `middleware`, in Express's order.
 *
 * It is a forecast for whoever stands on `app.use` or `router.use`; the decision that counts is taken again at the route.
 */
export function lookAhead(req: Request, middleware: unknown): Ahead {
  let passed = false as boolean
  let ahead: Ahead = { kind: 'nothing' }
  if (!isVerbatim(req)) return { kind: 'unseen' }
  walk(rootStack(req), fullPath(req), {
    middleware(layer, rest) {
      // The path left must agree too: an app that runs inside a router does not know the prefix it runs under.
      if (layer.handle === middleware && rest === req.path) passed = true
      if (!passed || !isOpaque(layer)) return false
      ahead = { kind: 'unseen' }
      return true
    },
    route(route) {
      if (!passed || !handles(route, req.method)) return false
      const entry = mountedAt(route, req.method)
      ahead = entry === undefined ? { kind: 'hand-written' } : { kind: 'resource', route: entry }
      return true
    },
  })
  return passed ? ahead : { kind: 'unseen' }
}

/** The methods of all routes that match the path, sorted; empty for an unknown path. */
export function allowedMethods(req: Request): string[] {
  const methods = new Set<string>()
  walk(rootStack(req), fullPath(req), {
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
  const target = withoutQuery(req.url)
  const origin = target.startsWith('/') ? '' : (/^[^/]*:\/\/[^/#]*/.exec(target)?.[0] ?? '')
  return target === origin + req.path || (target === origin && req.path === '/')
}

function fullPath(req: Request): string {
  // Express writes `/` for the root of a mount, whether or not the caller did.
  const rootless = req.path === '/' && !withoutQuery(req.originalUrl).endsWith('/')
  return rootless && req.baseUrl !== '' ? req.baseUrl : `${req.baseUrl}${req.path}`
}

function withoutQuery(target: string): string {
  return target.replace(/\?.*$/s, '')
}

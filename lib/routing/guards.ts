import type { RequestHandler } from 'express'
import { handles, middlewareIn, type ExpressRoute, type Layer } from '../express/stack.js'
import { samplePathOf } from './path-names.js'
import { walk } from './walk.js'

/** What a middleware made by `auth` or `permission` guards. */
export interface Guard {
  readonly kind: 'auth' | 'permission'
  readonly app: string
}

const guards = new WeakMap<object, Guard>()
let thereAreGuards = false

/** Lets listings recognise a middleware as a guard, wherever it is mounted. */
export function registerGuard(kind: Guard['kind'], app: string, middleware: RequestHandler): RequestHandler {
  guards.set(middleware, { kind, app })
  thereAreGuards = true
  return middleware
}

/** Finds the guards among middleware; a guard inside a function of the user's is not seen. */
export function guardsAmong(middleware: readonly unknown[]): Guard[] {
  return middleware.flatMap((one) => (typeof one === 'function' ? guards.get(one) ?? [] : []))
}

/** Finds the guards that every request passes on its way to a route. */
export type GuardFinder = (route: ExpressRoute, method: string, path: string) => readonly Guard[]

/**
 * Returns what finds the guards in front of the routes below a stack: on the app, on Routers, in other routes of the path.
 *
 * It follows one request with a made-up value for each path argument, so a guard that only some of the values meet is
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
    if (!thereAreGuards) return []
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

/** Returns the handlers of a route that a request by this method passes. */
function handlersOf({ stack }: ExpressRoute, method: string): unknown[] {
  return stack.filter((layer) => layer.method === undefined || layer.method === method.toLowerCase()).map(middlewareIn)
}

/** No route has this as a segment. */
const SAMPLE = '~sample~'

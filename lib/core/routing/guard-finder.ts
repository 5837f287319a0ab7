import { handles } from '../express/layers.js'
import type { ExpressRoute, HandlerLayer, Layer } from '../express/stack.js'
import { samplePathOf } from './path.js'
import { guardsAmong, hasGuards, middlewareIn, type Guard } from './guards.js'
import { walk } from './walk.js'

/** Finds the guards that every request passes before it reaches a route. */
type GuardFinder = (route: ExpressRoute, method: string, path: string) => readonly Guard[]

/**
 * Returns a function that finds the guards in front of the routes below a stack: on the app, on Routers, in other
 * routes of the path.
 *
 * It follows one request with an invented value for each path argument, so a guard that runs for some values only is
 * not found.
 */
export function guardFinder(stack: readonly Layer[]): GuardFinder {
  const find = middlewareFinder(stack, (middleware) => guardsAmong(middleware).length > 0)
  return (target, method, path) => hasGuards() ? guardsAmong(find(target, method, path)) : []
}

/**
 * Returns a function that finds all middleware in front of the routes below a stack, in Express's order. The handlers
 * of other routes of the path are included if they are relevant.
 */
export function middlewareFinder(
  stack: readonly Layer[],
  areRelevant: (handlers: readonly unknown[]) => boolean,
): (route: ExpressRoute, method: string, path: string) => readonly unknown[] {
  const relevance = new Map<ExpressRoute, boolean>()
  const isRelevant = (route: ExpressRoute): boolean => {
    const isOne = relevance.get(route) ?? areRelevant(route.stack.map(middlewareIn))
    relevance.set(route, isOne)
    return isOne
  }
  return (target, method, path) => {
    const found: unknown[] = []
    const reached = walk(stack, samplePathOf(path), {
      concerns: ({ route }) => route === undefined || route === target || isRelevant(route),
      middleware({ layer }) {
        found.push(middlewareIn(layer))
        return false
      },
      route(route) {
        if (route === target) return true
        if (handles(route, method)) found.push(...handlersOf(route, method).map(middlewareIn))
        return false
      },
    })
    return reached ? found : []
  }
}

/** Returns the handlers of a route that a request by this method passes. */
export function handlersOf({ stack, methods }: ExpressRoute, method: string): HandlerLayer[] {
  const name = method === 'HEAD' && !methods.head ? 'get' : method.toLowerCase()
  return stack.filter((layer) => layer.method === undefined || layer.method === name)
}

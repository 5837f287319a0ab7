import { handles, isOpaque, restOf, stackInside } from '../express/layers.js'
import type { ExpressRoute } from '../express/stack.js'
import { NOT_KNOWN } from '../express/implementation.js'
import { mountedAt } from '../routing/registry.js'
import type { Layout, Step } from './router-view.js'

/** A route, `undefined` for none; `NOT_KNOWN` if only a walk through all layers can tell. */
export type FirstRoute = ExpressRoute | typeof NOT_KNOWN | undefined

/** There is no route, but a function without a path that may answer instead of a route after the router. */
export const FUNCTION = Symbol('function')

/**
 * Finds the first route after a position of a router, and in the Routers there, that answers a method on a path.
 *
 * A route for anonymous callers is `NOT_KNOWN` after a function with a path: only the declared paths tell whether the
 * function counts.
 */
export function firstRoute(layout: Layout, at: number, method: string, path: string): FirstRoute | typeof FUNCTION {
  let hasFunction = false
  let hasPath = false
  for (const step of layout.stepsFor(path)) {
    const route = step.at < at ? undefined : routeAt(step, layout, method, path)
    if (route === FUNCTION) {
      hasFunction = true
      hasPath ||= !step.matchesAll
    } else if (route !== undefined) return hasPath && isPublic(route, method) ? NOT_KNOWN : route
  }
  if (hasPath) return NOT_KNOWN
  return hasFunction ? FUNCTION : undefined
}

function isPublic(route: Exclude<FirstRoute, undefined>, method: string): boolean {
  return route !== NOT_KNOWN && mountedAt(route, method)?.auth !== true
}

function routeAt(step: Step, layout: Layout, method: string, path: string): FirstRoute | typeof FUNCTION {
  if (step.isUnknown || !step.isIn(layout.layers)) return NOT_KNOWN
  const { route } = step.layer
  if (route === undefined) return routeInside(step, method, path)
  return handles(route, method) && step.match(path) !== undefined ? route : undefined
}

function routeInside(step: Step, method: string, path: string): FirstRoute | typeof FUNCTION {
  const match = step.mayAnswer || hasRoutes(step) ? step.match(path) : undefined
  if (match === undefined) return undefined
  if (step.mayAnswer) return FUNCTION
  const inside = step.inner?.current()
  const rest = restOf(path, match.path)
  return inside === undefined || rest === undefined ? NOT_KNOWN : firstRoute(inside, 0, method, rest)
}

/** Returns true for a Router, also inside the wrapper of a tracer, and for a mounted app. */
function hasRoutes({ inner, layer }: Step): boolean {
  return inner !== undefined || isOpaque(layer) || stackInside(layer) !== undefined
}

import { handles, isOpaque, restOf, stackInside } from '../express/layers.js'
import type { ExpressRoute } from '../express/stack.js'
import { NOT_KNOWN } from '../implementation.js'
import { UNDECIDED } from './indexed-route.js'
import type { Layout, Step } from './router-view.js'

/** A route, `undefined` for none; `NOT_KNOWN` if only a walk through all layers can tell. */
export type FirstRoute = ExpressRoute | typeof NOT_KNOWN | undefined

/** Finds the first route behind a position of a router, and in the Routers there, that answers a method on a path. */
export function firstRoute(layout: Layout, at: number, method: string, path: string): FirstRoute {
  for (const step of layout.stepsFor(path)) {
    if (step.at < at) continue
    if (step.isUnknown || !step.isIn(layout.layers)) return NOT_KNOWN
    const found = step.isRoute ? routeOf(step, layout, method, path) : routeInside(step, method, path)
    if (found !== undefined) return found
  }
  return undefined
}

function routeOf(step: Step, { layers }: Layout, method: string, path: string): FirstRoute {
  const { at, group, layer: { route } } = step
  if (group !== undefined) {
    const hit = group.find(method, path, layers, at)
    return hit === UNDECIDED ? NOT_KNOWN : hit?.route
  }
  return route !== undefined && handles(route, method) && step.match(path) !== undefined ? route : undefined
}

function routeInside(step: Step, method: string, path: string): FirstRoute {
  const { inner, layer } = step
  // A mounted app, or a Router inside the wrapper of a tracer.
  const isClosed = inner === undefined && (isOpaque(layer) || stackInside(layer) !== undefined)
  const match = isClosed || inner !== undefined ? step.match(path) : undefined
  if (match === undefined) return undefined
  const inside = inner?.current()
  const rest = restOf(path, match.path)
  return inside === undefined || rest === undefined ? NOT_KNOWN : firstRoute(inside, 0, method, rest)
}

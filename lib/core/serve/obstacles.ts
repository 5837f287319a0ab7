import type { Application, IRouter } from 'express'
import { isOriginalApp } from '../express/entry.js'
import { handlesParams, isMountedApp, isTraced, layersBelow, pathsOf, stackInside } from '../express/layers.js'
import { hasOriginalHandle } from '../express/originals.js'
import { isApp, layersOf, routerOf, type ExpressRoute, type Layer } from '../express/stack.js'
import { listBelow } from '../routing/registry.js'
import { IS_FAST } from '../fast/fast.js'
import { viewOf, type Step, type View } from '../fast/router-view.js'

/** The routes that requests reach by Express alone, and the reason for each. */
type Obstacles = Map<ExpressRoute, string>

/** Finds the routes below an app or a Router that the fast path does not serve, by the layers that are there now. */
export function obstacles(target: IRouter | Application): ReadonlyMap<ExpressRoute, string> {
  const found: Obstacles = new Map()
  const reason = isApp(target) ? appObstacle(target) : undefined
  if (reason === undefined) addRouter(viewOf(routerOf(target)), 'the app', found, [])
  else addAll(layersOf(routerOf(target)), reason, found)
  return found
}

function appObstacle(app: Application): string | undefined {
  if (isTraced()) return "a tracer receives the events of Express's routers"
  return isOriginalApp(app) ? undefined : '`app.handle` is wrapped, or of an unknown version of Express'
}

function addRouter(view: View, name: string, found: Obstacles, outer: readonly View[]): void {
  // A Router may be mounted below itself.
  if (outer.includes(view)) return
  const layout = view.current()
  if (layout === undefined) {
    addAll(layersOf(view.router), routerObstacle(view.router, name), found)
    return
  }
  let wrapped: string | undefined
  for (const step of layout.steps) {
    const own = wrapped ?? stepObstacle(step)
    if (blocksAll(step)) wrapped ??= own
    if (own !== undefined) addAll([step.layer], own, found)
    else if (step.inner !== undefined) addRouter(step.inner, `the Router at ${placeOf(step)}`, found, [...outer, view])
  }
}

/** Returns true for a wrapped layer that every path may match, so that Express serves all routes after it. */
function blocksAll({ isUnknown, isMatchKnown, matchesAll }: Step): boolean {
  return isUnknown && (!isMatchKnown || matchesAll)
}

function routerObstacle(router: IRouter, name: string): string {
  if (!hasOriginalHandle(router)) return `\`router.handle\` of ${name} is wrapped, or of an unknown version`
  return handlesParams(router) ? `${name} has callbacks of \`param\`, or \`mergeParams\`` : `${name} cannot be read`
}

function stepObstacle(step: Step): string | undefined {
  const { inner, layer } = step
  if (step.isUnknown) {
    if (step.isRoute) return 'a layer of the route is wrapped'
    return `the layer \`${layer.name}\` at ${placeOf(step)} is wrapped`
  }
  if (inner !== undefined || layer.route !== undefined) return undefined
  if (isMountedApp(layer)) return `it is inside the app that is mounted at ${placeOf(step)}`
  return stackInside(layer) === undefined ? undefined : `the Router at ${placeOf(step)} is inside a wrapper`
}

function placeOf({ layer }: Step): string {
  return `\`${pathsOf(layer)?.map(String).join('`, `') ?? '?'}\``
}

function addAll(layers: readonly Layer[], reason: string, found: Obstacles): void {
  for (const { route } of layersBelow(layers)) if (route !== undefined) found.set(route, reason)
}

/** Returns a function that finds the reason why only Express serves a route below an app or a Router. */
export function obstacleFinder(target: IRouter | Application): (route: ExpressRoute) => string | undefined {
  if (!IS_FAST) return () => 'RESOURCERY_FAST is off'
  const byRoute = obstacles(target)
  return (route) => byRoute.get(route)
}

/** Returns a line for each route that only Express serves, with the reason. */
export function obstacleLines(app: Application, fast: boolean): string[] {
  if (!fast || !IS_FAST) return ['The fast path is switched off.']
  const obstacleOf = obstacleFinder(app)
  return listBelow(app).flatMap(({ path, route }) => {
    const reason = obstacleOf(route)
    return reason === undefined ? [] : [`Only Express serves ${path ?? String(route.path)}: ${reason}.`]
  })
}

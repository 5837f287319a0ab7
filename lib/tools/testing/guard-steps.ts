import { guardsAmong, handlersOf, handles, isGuard, isOpaque, mergesParams, middlewareIn, mountedAt, rootOf, stackOf,
  walk, type ExpressRoute, type MatchedLayer, type MountedRoute } from '../../core/index.js'
import type { Application, NextFunction, Request, Response } from 'express'

/** A function that a request passes on its way, and the request as Express would pass it on. */
export interface Step {
  readonly run: (req: Request, res: Response, next: NextFunction) => unknown
  readonly baseUrl: string
  readonly url: string
  readonly params: Readonly<Record<string, string>>
}

/** The guards on the way to a route. */
export interface Way {
  readonly guards: readonly Step[]
  /** The applications of each `auth` on the way. */
  readonly apps: readonly string[]
  /** The steps of the declared route that the request reaches, none for an undeclared handler. */
  readonly route: { readonly entry: MountedRoute; readonly steps: readonly Step[] } | undefined
}

/**
 * Finds the guards that a request passes up to a route, in Express's order: on apps and Routers, in undeclared routes
 * of the path, and those of the route. A declared route in front that has the same path ends the way.
 *
 * Returns `undefined` if a request for the path does not reach the route.
 */
export function wayTo(app: Application, target: ExpressRoute, method: string, path: string): Way | undefined {
  const guards: Step[] = []
  const apps: string[] = []
  let way: Way | undefined
  walk(stackOf(rootOf(app)), path, {
    middleware(met) {
      apps.push(...appsOf(met.layer))
      if (isGuard(middlewareIn(met.layer))) guards.push(stepAt(met, baseOf(met), path, met.layer.handle))
      return isOpaque(met.layer)
    },
    route(route, met) {
      if (!handles(route, method)) return false
      const entry = mountedAt(route, method)
      const layers = handlersOf(route, method)
      const passed = entry === undefined ? layers.filter((layer) => isGuard(middlewareIn(layer))) : layers
      apps.push(...passed.flatMap(appsOf))
      const steps = passed.map(({ handle }) => stepAt(met, baseOf(met.outer), path, handle))
      if (entry === undefined) guards.push(...steps)
      if (entry === undefined && route !== target) return false
      way = { guards, apps, route: entry && { entry, steps } }
      return true
    },
  })
  return way
}

function appsOf(layer: Parameters<typeof middlewareIn>[0]): string[] {
  return guardsAmong([middlewareIn(layer)]).flatMap(({ kind, app }) => (kind === 'auth' ? [app] : []))
}

function stepAt(met: MatchedLayer, baseUrl: string, path: string, handle: unknown): Step {
  const url = path.slice(baseUrl.length)
  return { run: handle as Step['run'], baseUrl, url: url === '' ? '/' : url, params: paramsOf(met) }
}

/** Returns the part of the path that the mounts up to this one remove. */
function baseOf(met: MatchedLayer | undefined): string {
  return met === undefined ? '' : `${baseOf(met.outer)}${met.match.path.replace(/\/$/, '')}`
}

function paramsOf({ match, outer }: MatchedLayer): Record<string, string> {
  return outer !== undefined && mergesParams(outer.layer.handle)
    ? { ...paramsOf(outer), ...match.params }
    : match.params
}

import type { Request, RequestHandler } from 'express'
import { checkOwner } from '../base/copies.js'
import { handles, isOpaque, methodsOf } from '../express/layers.js'
import { isApp, stackOf, type ExpressRoute, type HandlerLayer } from '../express/stack.js'
import { appsAround, rootStacks, type Around } from '../express/served-app.js'
import { NOT_KNOWN } from '../express/implementation.js'
import { hasFixedPath, hasOwnPath, isApart, mayAnswer } from './in-front.js'
import { handlersOf } from './guard-finder.js'
import { isGuard, middlewareIn } from './guards.js'
import { mountedAt, type MountedRoute } from './registry.js'
import { fullPath, hasLostSlash, isVerbatim } from './request-path.js'
import { stateOf, type Ahead, type Forecast } from './request-state.js'
import { appAround, walk, type MatchedLayer } from './walk.js'

/**
 * Finds the first route after `middleware` that matches method and path, in Express's order.
 *
 * It is a forecast for guards on `app.use`, `router.use` or a route; the route checks access again. Middleware between
 * the first one that asked and the route gets the same forecast.
 */
export function lookAhead(req: Request, middleware: RequestHandler): Ahead {
  const state = stateOf(req)
  const route = state.implementation.routeAfter(req, middleware)
  const { forecast: former } = state
  if (route === NOT_KNOWN && former !== undefined && holdsAt(middleware, former, req)) return former.ahead
  const forecast = route === NOT_KNOWN ? forecastFor(req, middleware) : forecastOf(req, aheadAt(route, req), [])
  state.forecast = forecast
  return forecast.ahead
}

/** Returns the resource route that a request reaches by the forecast of the last guard; its target must be the same. */
export function foreseenRoute(req: Request): MountedRoute | undefined {
  const { forecast } = stateOf(req)
  if (forecast?.ahead.kind !== 'resource' || forecast.method !== req.method) return undefined
  return targetOf(forecast) === targetOf(req) ? forecast.ahead.route : undefined
}

/** Returns the target of a request, the same inside of a mount and outside. */
function targetOf({ baseUrl, url }: Pick<Request, 'baseUrl' | 'url'>): string {
  return `${baseUrl}${url}`.replace(/\/(?=\?|$)/, '')
}

function aheadAt(route: ExpressRoute | undefined, { method }: Request): Ahead {
  if (route === undefined) return { kind: 'nothing' }
  const entry = mountedAt(route, method)
  if (entry !== undefined) return { kind: 'resource', route: entry }
  checkOwner(route)
  return { kind: 'undeclared' }
}

/** Returns true if a middleware is among the layers of a forecast, and the request is as it was then. */
function holdsAt(middleware: RequestHandler, { ahead, passed, method, url, baseUrl }: Forecast, req: Request): boolean {
  // Which functions have a path of their own, and count, depends on the path of the middleware.
  return ahead.kind !== 'nothing' && req.method === method && req.url === url && req.baseUrl === baseUrl
    && passed.some((layer) => middlewareIn(layer) === middleware)
}

function forecastOf({ method, url, baseUrl }: Request, ahead: Ahead, passed: Forecast['passed']): Forecast {
  return { ahead, passed, method, url, baseUrl }
}

function forecastFor(req: Request, middleware: RequestHandler): Forecast {
  if (!isVerbatim(req) || hasLostSlash(req)) return forecastOf(req, { kind: 'unseen' }, [])
  for (const [inner, around] of appsAround(req).entries()) {
    const search = new Search(around, req, middleware)
    const ahead = search.run()
    // The outer apps do not have the middleware: a function of theirs called this one, and may go on after it.
    if (ahead?.kind === 'nothing' && inner > 0) break
    if (ahead !== undefined) return forecastOf(req, ahead, search.passed)
  }
  return forecastOf(req, { kind: 'unseen' }, [])
}

/** A layer that may answer, and the number of layers that `passed` had in front of it. */
interface Found {
  readonly matched: MatchedLayer
  readonly at: number
}

/** A search for the first route after a middleware. */
class Search {
  /** The layers after the middleware, and its own, that get the request with the same path. */
  readonly passed: Pick<HandlerLayer, 'name' | 'handle'>[] = []
  readonly #req: Request
  readonly #asking: RequestHandler
  /** The functions on the way that may answer. */
  readonly #functions: Found[] = []
  /** Those of them that may answer where no route does. */
  #handlers: Found[] = []
  #ahead: Ahead = { kind: 'nothing' }
  /** The layer of the middleware. */
  #begin: MatchedLayer | undefined
  readonly #around: Around
  /** The route in which Express has the request, if the middleware is a handler of it. */
  readonly #route: Partial<ExpressRoute> | undefined
  /** The apps on Routers on the way: Express keeps them in `req.app` for what comes after them. */
  readonly #left: unknown[] = []

  constructor(around: Around, req: Request, asking: RequestHandler) {
    this.#around = around
    this.#req = req
    this.#asking = asking
    const route = req.route as Partial<ExpressRoute> | undefined
    this.#route = route?.stack?.some((layer) => middlewareIn(layer) === asking) === true ? route : undefined
  }

  /** Returns `undefined` if the request does not reach the middleware in the app. */
  run(): Ahead | undefined {
    const { layersFor } = stateOf(this.#req).implementation
    walk(stackOf(this.#around.app), fullPath(this.#req), {
      layersFor,
      middleware: (matched, rest) => this.#pass(matched, rest),
      route: (route, matched) => this.#meet(route, matched),
    })
    if (this.passed.length === 0) return this.#ahead.kind === 'nothing' ? undefined : { kind: 'unseen' }
    const handler = this.#handlers.at(-1)
    if (this.#ahead.kind === 'nothing' && handler !== undefined) this.#endAt(handler)
    return this.#ahead
  }

  #pass(matched: MatchedLayer, rest: string): boolean {
    const { layer } = matched
    const at = this.passed.length
    const hasBegun = at > 0
    // The rest of the path must agree too: an app inside a router does not know the prefix of the router.
    if (rest === this.#req.path && (hasBegun || this.#isAsking(layer, matched))) this.passed.push(layer)
    if (isApp(layer.handle)) this.#left.push(layer.handle)
    if (!hasBegun && this.passed.length > 0) this.#begin = matched
    if (hasBegun) this.#classify(matched, at)
    if (this.passed.length === 0 || !isOpaque(layer)) return false
    this.#ahead = { kind: 'unseen' }
    return true
  }

  #meet(route: ExpressRoute, matched: MatchedLayer): boolean {
    const { method } = this.#req
    this.#classify(matched, this.passed.length)
    if (!handles(route, method)) return false
    if (this.passed.length === 0) return this.#beginIn(route, matched)
    this.#ahead = aheadAt(route, this.#req)
    if (this.#ahead.kind !== 'resource' || this.#ahead.route.auth === true) return true
    const last = this.#functions.findLast((candidate) => isApart(candidate.matched, matched))
    if (last === undefined) return true
    this.#endAt(last)
    return true
  }

  /** Ends at a function; what is after it is ahead of middleware there. */
  #endAt({ at }: Found): void {
    this.#ahead = { kind: 'undeclared' }
    this.passed.splice(at)
  }

  /**
   * Collects functions that may answer. One with a path of its own is a handler, unless a Router or a route after it
   * has this path.
   */
  #classify(matched: MatchedLayer, at: number): void {
    if (!mayAnswer(matched)) this.#handlers = this.#handlers.filter((handler) => isApart(handler.matched, matched))
    else {
      const found = { matched, at }
      this.#functions.push(found)
      if (this.#begin !== undefined && hasOwnPath(matched, this.#begin)) this.#handlers.push(found)
    }
  }

  /**
   * Returns true for the layer of the middleware, in the route where the request is or in none. If the request is in
   * another app than this layer, a function has passed it there, where the same middleware is mounted too.
   */
  #isAsking(layer: Pick<HandlerLayer, 'name' | 'handle'>, matched: MatchedLayer, route?: ExpressRoute): boolean {
    if (route !== this.#route) return false
    const { app, hasWholePath } = this.#around
    if (middlewareIn(layer) !== this.#asking || !(hasWholePath || hasFixedPath(matched))) return false
    return [app, appAround(matched), ...this.#left].includes(this.#req.app)
  }

  /** Begins inside a route of which the middleware is a handler. */
  #beginIn(route: ExpressRoute, matched: MatchedLayer): boolean {
    const handlers = handlersOf(route, this.#req.method)
    const at = handlers.findIndex((layer) => this.#isAsking(layer, matched, route))
    if (at === -1) return false
    this.passed.push(...handlers.slice(at))
    const ends = this.passed.some((layer) => !isGuard(middlewareIn(layer)))
    if (ends) this.#ahead = { kind: 'undeclared' }
    return ends
  }
}

/** Returns the methods of all routes that match the path, sorted; none for an unknown path. */
export function allowedMethods(req: Request): string[] {
  const methods = new Set<string>()
  for (const stack of rootStacks(req)) {
    walk(stack, fullPath(req), {
      layersFor: stateOf(req).implementation.layersFor,
      route(route) {
        for (const method of methodsOf(route)) methods.add(method)
        return false
      },
    })
    if (methods.size > 0) break
  }
  return [...methods].sort()
}

import type { NextFunction, Request, Response } from 'express'
import { resume } from '../express/entry.js'
import { restOf } from '../express/layers.js'
import { NOT_KNOWN } from '../express/implementation.js'
import { middlewareIn } from '../routing/guards.js'
import { firstRoute, FUNCTION, type FirstRoute } from './first-route.js'
import type { Layout, Step } from './router-view.js'
import { Target } from './target.js'

/**
 * Passes a request through the layers of a router as Express's `router.handle` does, and calls `done` after the last
 * one. The path is that of `req.url`.
 */
export function passLayers(layout: Layout, path: string, res: Response, done: NextFunction): void {
  new Pass(layout, path, res, done).next()
}

/**
 * Returns the first route after a middleware that is running, `undefined` if there is none; `NOT_KNOWN` if only a walk
 * through all layers can tell.
 */
export function routeAfter(req: Passing, middleware: unknown): FirstRoute {
  const pass = req[passKey]
  return pass === undefined ? NOT_KNOWN : pass.routeAfter(middleware)
}

const passKey = Symbol('resourcery.pass')

type Passing = Request & { [passKey]?: Pass | undefined }

/** Express interrupts a longer sequence of synchronous middleware. */
const MOST_STEPS = 100

/**
 * One request in one router. Middleware, routes and error handlers run in Express's order, by the layers' own
 * functions; layers that cannot match the path are not asked.
 *
 * Express gets the rest of the request where anything is unusual: a changed target, `baseUrl` or method, a layer whose
 * functions are wrapped, a change of the stack in the meantime.
 */
class Pass {
  readonly next: NextFunction
  readonly #layout: Layout
  readonly #req: Passing
  readonly #res: Response
  readonly #done: NextFunction
  readonly #target: Target
  readonly #path: string
  readonly #method: string
  readonly #params: Request['params']
  readonly #outerNext: Request['next']
  readonly #outer: Pass | undefined
  readonly #steps: readonly Step[]
  /** The next of the steps. */
  #step = 0
  /** The position in the stack after the last layer that ran. */
  #at = 0
  #count = 0
  /** The `next` of Express, once it has the request. */
  #expressNext: NextFunction | undefined

  constructor(layout: Layout, path: string, res: Response, done: NextFunction) {
    const req: Passing = res.req
    const { method, params, next } = req
    // As Express does when a request enters a router, since middleware may have removed either.
    req.baseUrl ||= ''
    req.originalUrl ||= req.url
    this.#layout = layout
    this.#req = req
    this.#res = res
    this.#done = done
    this.#target = new Target(req)
    this.#path = path
    this.#method = method
    this.#params = params
    this.#outerNext = next
    this.#steps = layout.stepsFor(path)
    this.#outer = req[passKey]
    const advance = (error?: unknown): void => this.#advance(error)
    this.next = advance
    req.next = advance
    req[passKey] = this
  }

  /** See the function of this name. */
  routeAfter(middleware: unknown): FirstRoute {
    const step = this.#steps[this.#step]
    const { url, method } = this.#req
    const isRunning = step !== undefined && step.at + 1 === this.#at && this.#expressNext === undefined
    if (!isRunning || middlewareIn(step.layer) !== middleware) return NOT_KNOWN
    return url === this.#target.layerUrl && method === this.#method ? this.#firstRoute() : NOT_KNOWN
  }

  #firstRoute(): FirstRoute {
    if (this.#expressNext !== undefined) return NOT_KNOWN
    const found = firstRoute(this.#layout, this.#at, this.#method, this.#path)
    if (found === FUNCTION) return this.#outer === undefined ? undefined : NOT_KNOWN
    return found === undefined && this.#outer !== undefined ? this.#outer.#firstRoute() : found
  }

  #advance(error: unknown): void {
    if (this.#expressNext !== undefined) {
      this.#expressNext(error)
      return
    }
    this.#target.restore()
    const failure = error === 'route' || error === 'router' ? undefined : error
    if (error === 'router' || this.#at >= this.#layout.layers.length) {
      // Express leaves a router later if its last layer has run.
      setImmediate(() => this.#leave(failure))
    } else if (!this.#isUnchanged() || ++this.#count > MOST_STEPS) this.#resume(this.#at, error)
    else if (failure) this.#fail(failure)
    else this.#walk()
  }

  #isUnchanged(): boolean {
    const { url, baseUrl, method } = this.#req
    return url === this.#target.url && baseUrl === this.#target.baseUrl && method === this.#method
      && this.#layout.isSameFrom(this.#at)
  }

  #walk(): void {
    for (let step = this.#steps[this.#step]; step !== undefined; step = this.#steps[++this.#step]) {
      if (step.at < this.#at) continue
      if (!step.isMatchKnown || !step.isIn(this.#layout.layers)) {
        this.#resume(step.at, undefined)
        return
      }
      if (this.#enter(step)) return
    }
    this.#end(undefined)
  }

  /** Runs a layer that matches; returns false if it does not. */
  #enter(step: Step): boolean {
    const match = step.takes(this.#method) ? step.match(this.#path) : undefined
    if (match === undefined) return false
    if (step.isUnknown) {
      this.#resume(step.at, undefined)
      return true
    }
    const [req, res, { layer, inner }] = [this.#req, this.#res, step]
    this.#at = step.at + 1
    req.params = match.params
    if (layer.route !== undefined) req.route = layer.route
    else this.#target.trim(match.path)
    const rest = inner && restOf(this.#path, match.path)
    // Only Express can pass a request through a router without a layout.
    const layout = rest === undefined ? undefined : inner?.current()
    if (rest === undefined || layout === undefined) layer.handleRequest(req, res, this.next)
    else passLayers(layout, rest, res, this.next)
    return true
  }

  /** Passes an error to the next error handler; `errorSteps` are those, and the layers that only Express can pass. */
  #fail(error: unknown): void {
    for (const step of this.#layout.errorSteps) {
      if (step.at < this.#at) continue
      if (step.isUnknown || !step.isIn(this.#layout.layers)) {
        this.#resume(this.#at, error)
        return
      }
      const match = step.match(this.#path)
      if (match === undefined) continue
      this.#at = step.at + 1
      this.#req.params = match.params
      this.#target.trim(match.path)
      step.layer.handleError(error, this.#req, this.#res, this.next)
      return
    }
    this.#end(error)
  }

  /** Leaves the router; later if its last layer matches but does not take the request, such as an error handler. */
  #end(error: unknown): void {
    const last = this.#layout.steps.at(-1)
    const isAfter = last !== undefined && !last.isRoute && last.at >= this.#at
    // A second call of `next` does not try the layers again.
    this.#at = this.#layout.layers.length
    if (isAfter && last.match(this.#path) !== undefined) setImmediate(() => this.#leave(error))
    else this.#leave(error)
  }

  #leave(error: unknown): void {
    this.#restore()
    this.#done(error)
  }

  #restore(): void {
    const req = this.#req
    req.baseUrl = this.#target.baseUrl
    req.params = this.#params
    ;(req as { next?: unknown }).next = this.#outerNext
    req[passKey] = this.#outer
  }

  /** Passes the request to Express at a position of the stack. */
  #resume(at: number, error: unknown): void {
    const req = this.#req
    const { url, baseUrl, originalUrl, method, params } = req
    this.#restore()
    req.url = this.#target.url
    req.method = this.#method
    const receiveNext = (next: NextFunction): void => void (this.#expressNext = next)
    const state = { at, error, url, baseUrl, originalUrl, method, params, receiveNext }
    resume(this.#layout, state, this.#res, this.#done)
  }
}

import type { Application, IRouter, NextFunction, Request, Response } from 'express'
import { emptyMap } from '../base/guards.js'
import { memoize } from '../base/memoize.js'
import { outHeaders } from '../base/node-http.js'
import { settingsOf } from './write-reply.js'
import { isOriginal, lastOriginal } from './originals.js'
import type { Layer, Match } from './stack.js'

/*
 * Repeats the work of an Express app before and after its layers, so that a request can be passed to Express at any of
 * them.
 */

/** An app with what Express does not declare. */
export type ExpressApp = Application & { readonly handle?: unknown; readonly request?: object;
  readonly response?: object }

/**
 * Returns true if a request may skip the app's first function: that function is Express's own, and it would not change
 * the prototypes of the request and its response.
 */
export function canEnter(app: ExpressApp, req: object, res: object): boolean {
  return isOriginalApp(app) && Object.getPrototypeOf(req) === app.request && Object.getPrototypeOf(res) === app.response
}

/** Returns true if the first function of an app is Express's own. */
export function isOriginalApp(app: ExpressApp): boolean {
  return isOriginal('app.handle', app.handle)
}

/** Sets the properties of a request that Express sets before the first layer. */
export function begin(app: Application, req: Request, res: Response): void {
  if (settingsOf({ app })['x-powered-by']) setPoweredBy(res)
  req.res = res
  const own: { locals?: Response['locals'] } = res
  own.locals ??= emptyMap()
  req.baseUrl = ''
  req.originalUrl = req.url
}

function setPoweredBy(res: Response): void {
  const headers = outHeaders(res)
  if (headers === undefined) res.setHeader('X-Powered-By', 'Express')
  else headers['x-powered-by'] = ['X-Powered-By', 'Express']
}

/** Passes a request to the function of Express that answers after the last layer of an app. */
export function finish(app: Application, error: unknown, req: Request, res: Response): void {
  const router = { handle: (_req: Request, _res: Response, done: NextFunction) => done(error) }
  // `begin` has set the header of the setting `x-powered-by`; a reply may have begun by now.
  const enabled = (): boolean => false
  // Middleware may have passed the request to another app, whose prototypes it keeps.
  const [request, response] = [Object.getPrototypeOf(req) as object, Object.getPrototypeOf(res) as object]
  const endingApp: unknown = Object.create(app, {
    router: { value: router },
    enabled: { value: enabled },
    request: { value: request },
    response: { value: response },
  })
  // Express restores what the request had before its first router.
  Object.assign(req, { baseUrl: undefined })
  // The app's own function may have been wrapped meanwhile.
  const handle = lastOriginal('app.handle')
  handle.call(endingApp, req, res)
}

/** A position in the stack of a router, and the properties that a request has there. */
export interface ResumePoint {
  readonly at: number
  readonly error: unknown
  readonly url: string
  readonly baseUrl: string
  readonly originalUrl: string
  readonly method: string
  readonly params: Request['params']
  /** Receives the `next` of Express for further calls, since middleware may call its own twice. */
  readonly receiveNext: (next: NextFunction) => void
}

/** A router, and the stack with which a request entered it. */
interface Entered {
  readonly router: IRouter
  readonly layers: readonly Layer[]
}

/**
 * Passes a request to Express at a position of a router's stack, as if the layer in front of it had called
 * `next(state.error)`.
 *
 * The request has the properties with which it entered the router; `state` has those that it gets at the position.
 */
export function resume(entered: Entered, state: ResumePoint, res: Response, done: NextFunction): void {
  const { first, rest } = restAfter(entered, state.at)
  // Read synchronously, before any other request can replace it.
  first.state = state
  lastOriginal('router.handle').call(rest, res.req, res, done)
}

/** A router that has only the layers from a position on. */
interface Rest {
  readonly first: FirstLayer
  readonly rest: unknown
}

const restsByPlace = memoize((_entered: Entered) => new Map<number, Rest>())

function restAfter(entered: Entered, at: number): Rest {
  const { router, layers } = entered
  const byPlace = restsByPlace(entered)
  const cached = byPlace.get(at)
  if (cached !== undefined) return cached
  const first = new FirstLayer()
  const made: Rest = { first, rest: Object.create(router, { stack: { value: viewFrom(layers, at, first) } }) }
  byPlace.set(at, made)
  return made
}

/** Returns a list of `first` and the layers from a position on; Express reads a stack while it may still change. */
function viewFrom(layers: readonly Layer[], from: number, first: FirstLayer): object {
  return new Proxy([], {
    get: (_target, key) => {
      if (key === 'length') return Math.max(layers.length - from, 0) + 1
      const at = Number(key)
      return at === 0 ? first : layers[from + at - 1]
    },
  })
}

/** A layer that matches every path and sets the state of the request. */
class FirstLayer {
  state: ResumePoint | undefined

  match(): Omit<Match, 'params'> & { readonly params: object; readonly keys: readonly string[] } {
    return { path: '', params: this.state?.params ?? {}, keys: [] }
  }

  handleRequest(req: Request, _res: Response, next: NextFunction): void {
    const { state } = this
    this.state = undefined
    if (state === undefined) return
    req.url = state.url
    req.baseUrl = state.baseUrl
    req.originalUrl = state.originalUrl
    req.method = state.method
    state.receiveNext(next)
    next(state.error)
  }
}

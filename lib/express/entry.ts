import type { Application, NextFunction, Request, Response } from 'express'
import { settingsOf } from '../send/settings.js'
import { isOriginal } from './originals.js'
import { stackOf, type Layer } from './stack.js'

/*
 * What an app of Express's does with a request before and after its own layers, so that a request can go to one of them directly.
 */

type Handle = (this: unknown, req: Request, res: Response) => void

interface ExpressApp {
  readonly handle: Handle
  readonly request: object
  readonly response: object
}

/**
 * Checks that a request may enter an app behind its first function: that function is Express's own, and Express would change nothing about
 * the prototypes of the request and its response.
 */
export function beginsPlainly(app: Application, req: object, res: object): boolean {
  const { handle, request, response } = app as unknown as ExpressApp
  if (handle !== originalHandle) {
    if (!isOriginal('app.handle', handle)) return false
    originalHandle = handle
  }
  return Object.getPrototypeOf(req) === request && Object.getPrototypeOf(res) === response
}

/** Kept, since somebody may wrap the app's own while a request that has passed it by is on its way. */
let originalHandle: Handle | undefined

/** Sets on a request what Express sets on its way to the first layer. */
export function begin(app: Application, req: Request, res: Response, next: NextFunction): void {
  if (settingsOf({ app })['x-powered-by']) res.setHeader('X-Powered-By', 'Express')
  req.res = res
  ;(res as Partial<Response>).locals ??= Object.create(null) as Response['locals']
  req.next = next
  req.baseUrl = ''
  req.originalUrl = req.url
}

/**
 * Lets Express take the request over behind one of the app's layers, as if that layer had called `next`.
 *
 * An error goes straight to the first error handler where that one stands for every path.
 */
export function goOnBehind(app: Application, layer: Layer, error: unknown, req: Request, res: Response): void {
  const rest = restBehind(app, layer)
  const { errorLayer } = rest
  if (errorLayer !== undefined && error instanceof Error) {
    req.params = {}
    errorLayer.handleError(error, req, res, (further: unknown) => goOnBehind(app, errorLayer, further, req, res))
    return
  }
  // Nothing comes in between until this has been read.
  rest.first.error = error
  rest.first.params = req.params
  ;(originalHandle ?? rest.app.handle).call(rest.app, req, res)
}

/** An app of which only what stands behind a layer is left. */
interface Rest {
  readonly at: number
  readonly behind: readonly Layer[]
  /** The first layer that takes an error, if it takes one of every path. */
  readonly errorLayer: Layer | undefined
  readonly first: First
  readonly app: ExpressApp
}

const rests = new WeakMap<Layer, Rest>()

function restBehind(app: Application, layer: Layer): Rest {
  const stack = stackOf(app)
  const known = rests.get(layer)
  if (known !== undefined && isStillRest(known, layer, stack)) return known
  const rest = restOf(app, layer, stack)
  rests.set(layer, rest)
  return rest
}

function isStillRest({ at, behind }: Rest, layer: Layer, stack: readonly Layer[]): boolean {
  return stack[at] === layer && stack.length === at + 1 + behind.length && behind.every((one, index) => one === stack[at + 1 + index])
}

function restOf(app: Application, layer: Layer, stack: readonly Layer[]): Rest {
  const at = stack.indexOf(layer)
  const behind = stack.slice(at + 1)
  const first = new First()
  const errorLayer = behind.find(({ route, handle: { length } }) => route === undefined && length === ERROR_HANDLER)
  const router = Object.create(app.router as object, { stack: { value: [first, ...behind] } }) as object
  // The header that these settings are about was set when the request entered; by now a reply may have begun.
  const enabled = (): boolean => false
  return {
    at,
    behind,
    errorLayer: errorLayer?.slash === true ? errorLayer : undefined,
    first,
    app: Object.create(app, { router: { value: router }, enabled: { value: enabled } }) as ExpressApp,
  }
}

/** How many parameters an error handler has; Express passes an error by everything else. */
const ERROR_HANDLER = 4

/** A layer that matches everything, changes nothing and goes on with an error. */
class First {
  error: unknown
  params: Request['params'] = {}

  match(): object {
    return { path: '', params: this.params, keys: [] }
  }

  handleRequest(_req: Request, _res: Response, next: NextFunction): void {
    const { error } = this
    this.error = undefined
    next(error)
  }
}

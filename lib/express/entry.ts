import type { Application, NextFunction, Request, Response } from 'express'
import { settingsOf } from '../write-reply.js'
import { isOriginal } from './originals.js'
import { stackOf, type Layer } from './stack.js'

/*
 * Repeats the work of an Express app before and after its layers, so that a request can be passed directly to one of
 * them.
 */

type Handle = (this: unknown, req: Request, res: Response) => void

interface ExpressApp {
  readonly handle: Handle
  readonly request: object
  readonly response: object
}

/**
 * Returns true if a request may skip the app's first function: that function is Express's own, and it would not change
 * the prototypes of the request and its response.
 */
export function canEnter(app: Application, req: object, res: object): boolean {
  const { handle, request, response } = app as unknown as ExpressApp
  if (handle !== originalHandle) {
    if (!isOriginal('app.handle', handle)) return false
    originalHandle = handle
  }
  return Object.getPrototypeOf(req) === request && Object.getPrototypeOf(res) === response
}

/** Kept, since the app's own function may be wrapped while a request is on its way. */
let originalHandle: Handle | undefined

/** Sets the properties of a request that Express sets before the first layer. */
export function begin(app: Application, req: Request, res: Response, next: NextFunction): void {
  if (settingsOf({ app })['x-powered-by']) res.setHeader('X-Powered-By', 'Express')
  req.res = res
  ;(res as Partial<Response>).locals ??= Object.create(null) as Response['locals']
  req.next = next
  req.baseUrl = ''
  req.originalUrl = req.url
}

/**
 * Passes a request to Express behind one of the app's layers, as if that layer had called `next`.
 *
 * An error is passed to the first error handler directly if that handler matches every path.
 */
export function continueBehind(app: Application, layer: Layer, error: unknown, req: Request, res: Response): void {
  const rest = restBehind(app, layer)
  const { errorLayer } = rest
  if (errorLayer !== undefined && error instanceof Error) {
    req.params = {}
    errorLayer.handleError(error, req, res, (further: unknown) => continueBehind(app, errorLayer, further, req, res))
    return
  }
  // Read synchronously, before any other request can replace it.
  rest.first.error = error
  rest.first.params = req.params
  ;(originalHandle ?? rest.app.handle).call(rest.app, req, res)
}

/** An app whose router contains only the layers behind a layer. */
interface Rest {
  readonly at: number
  readonly behind: readonly Layer[]
  /** The first error handler, if it matches every path. */
  readonly errorLayer: Layer | undefined
  readonly first: FirstLayer
  readonly app: ExpressApp
}

const rests = new WeakMap<Layer, Rest>()

function restBehind(app: Application, layer: Layer): Rest {
  const stack = stackOf(app)
  const known = rests.get(layer)
  if (known !== undefined && isCurrent(known, layer, stack)) return known
  const rest = restOf(app, layer, stack)
  rests.set(layer, rest)
  return rest
}

function isCurrent({ at, behind }: Rest, layer: Layer, stack: readonly Layer[]): boolean {
  return stack[at] === layer
    && stack.length === at + 1 + behind.length
    && behind.every((one, index) => one === stack[at + 1 + index])
}

function restOf(app: Application, layer: Layer, stack: readonly Layer[]): Rest {
  const at = stack.indexOf(layer)
  const behind = stack.slice(at + 1)
  const first = new FirstLayer()
  const errorLayer = behind.find(({ route, handle: { length } }) => route === undefined && length === ERROR_HANDLER)
  const router = Object.create(app.router as object, { stack: { value: [first, ...behind] } }) as object
  // `begin` has set the header of the setting `x-powered-by`; a reply may have begun by now.
  const enabled = (): boolean => false
  return {
    at,
    behind,
    errorLayer: errorLayer?.slash === true ? errorLayer : undefined,
    first,
    app: Object.create(app, { router: { value: router }, enabled: { value: enabled } }) as ExpressApp,
  }
}

/** The number of parameters of an error handler; Express passes errors to no other function. */
const ERROR_HANDLER = 4

/** A layer that matches every path, changes nothing and passes an error on. */
class FirstLayer {
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

import express, { type Application, type NextFunction, type Request, type Response } from 'express'
import { settingsOf } from '../send/settings.js'
import { remembered, stackOf, type Layer } from './express-stack.js'

/*
 * What an app of Express's does with a request before it walks through its layers, so that somebody else may take it to one of them.
 * Like `express-stack.ts`, this knows a shape that is not documented.
 */

interface ExpressApp {
  readonly handle: (req: Request, res: Response) => void
  readonly request: object
}

const { handle } = express.application as unknown as ExpressApp

/** Whether nobody has a hand in how the app begins, and its requests are of its own class already. */
export function beginsPlainly(app: Application, req: object): boolean {
  const entered = app as unknown as ExpressApp
  return entered.handle === handle && Object.getPrototypeOf(req) === entered.request
}

/** Puts on a request what Express does on its way to the first layer. */
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
 * An error goes straight to who takes it first, where that one stands for every path.
 */
export function goOnBehind(app: Application, layer: Layer, error: unknown, req: Request, res: Response): void {
  const rest = restBehind(app, layer)
  const { taker } = rest
  if (taker !== undefined && error instanceof Error) {
    req.params = {}
    taker.handleError(error, req, res, (further: unknown) => goOnBehind(app, taker, further, req, res))
    return
  }
  // Nothing comes in between until this has been read.
  rest.first.error = error
  rest.first.params = req.params
  rest.app.handle(req, res)
}

/** An app of which only what stands behind a layer is left. */
interface Rest {
  /** Who is the first to take an error, if that one takes it on every path. */
  readonly taker: Layer | undefined
  readonly first: First
  readonly app: ExpressApp
}

const rests = new WeakMap<Layer, () => Rest>()

function restBehind(app: Application, layer: Layer): Rest {
  const known = rests.get(layer)
  if (known !== undefined) return known()
  const rest = remembered(() => stackOf(app), () => restOf(app, layer))
  rests.set(layer, rest)
  return rest()
}

function restOf(app: Application, layer: Layer): Rest {
  const stack = stackOf(app)
  const first = new First()
  const behind = stack.slice(stack.indexOf(layer) + 1)
  const taker = behind.find(({ route, handle: { length } }) => route === undefined && length === ERROR_HANDLER)
  const router = Object.create(app.router as object, { stack: { value: [first, ...behind] } }) as object
  return {
    taker: taker?.rawPath === '/' ? taker : undefined,
    first,
    app: Object.create(app, { router: { value: router } }) as ExpressApp,
  }
}

/** How many arguments a handler of errors has; Express passes an error by everybody else. */
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

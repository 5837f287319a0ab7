import express, { type Application, type NextFunction, type Request, type Response } from 'express'
import { stackOf, type Layer } from './express-stack.js'

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
  if (app.enabled('x-powered-by')) res.setHeader('X-Powered-By', 'Express')
  req.res = res
  ;(res as Partial<Response>).locals ??= Object.create(null) as Response['locals']
  req.next = next
  req.baseUrl = ''
  req.originalUrl = req.url
}

/** Lets Express take the request over behind one of the app's layers, as if that layer had called `next`. */
export function goOnBehind(app: Application, layer: Layer, error: unknown, req: Request, res: Response): void {
  const { params } = req
  const stack = stackOf(app)
  const first = {
    match: () => ({ path: '', params, keys: [] }),
    handleRequest: (_req: Request, _res: Response, next: NextFunction) => next(error),
  }
  const rest = Object.create(app.router as object, { stack: { value: [first, ...stack.slice(stack.indexOf(layer) + 1)] } }) as object
  const entered = Object.create(app, { router: { value: rest } }) as ExpressApp
  entered.handle(req, res)
}

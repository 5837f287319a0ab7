import { EventEmitter } from 'node:events'
import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express'

type Handle = (req: Request, res: Response, next: NextFunction) => unknown

/** A sub-app whose `handle` is wrapped, as by a tracer. */
function wrapped(wrap: (handle: Handle) => Handle): Express {
  const app = express()
  app.get('/x', (_req, res) => void res.send('inside'))
  const { handle } = app as unknown as { handle: Handle }
  return Object.assign(app, { handle: wrap(handle.bind(app)) })
}

const wrappers: readonly (readonly [string, (handle: Handle) => Handle])[] = [
  ['calls it', (handle) => (req, res, next) => handle(req, res, next)],
  ['is asynchronous', (handle) => async (req, res, next) => handle(req, res, next)],
  ['waits first', (handle) => async (req, res, next) => {
    await Promise.resolve()
    return handle(req, res, next)
  }],
  ['calls it later', (handle) => (req, res, next) => void setImmediate(() => handle(req, res, next))],
  ['reads the request', (handle) => async (req, res, next) => {
    req.once('close', () => undefined)
    await Promise.resolve(`${req.socket.remoteAddress ?? ''} ${req.headers.host ?? ''} ${req.url.length}`)
    return handle(req, res, next)
  }],
]

/**
 * Behaves like an app of Express 4: its `router` throws, and it passes an error of its layers on in a timer, where a
 * second error is not caught.
 */
function express4(): RequestHandler {
  const app = ((req: Request, res: Response, next: NextFunction) => app.handle(req, res, next)) as RequestHandler & {
    handle: Handle
    request: object
  }
  Object.assign(app, new EventEmitter(), {
    emit: () => true,
    set: () => app,
    request: Object.create(express.request, { app: { value: app } }) as object,
    handle: (req: Request, res: Response, next: NextFunction) => {
      try {
        Object.setPrototypeOf(req, app.request)
        if (req.url === '/x') res.end('inside')
        else setImmediate(next)
      } catch (error) {
        setImmediate(() => next(error))
      }
    },
  })
  Object.defineProperty(app, 'router', {
    get: () => {
      throw new Error("'app.router' is deprecated!")
    },
  })
  return app
}

/** Behaves like an app of Connect, which has a `stack` of its own form. */
function connect(): RequestHandler {
  const app: RequestHandler = (req, res, next) => {
    if (req.url === '/x') res.end('inside')
    else next()
  }
  return Object.assign(app, { route: '/', stack: [{ route: '', handle: () => undefined }], use: () => app,
    handle: app })
}

/** Makes apps and functions that are no apps of Express 5 as this package finds them, each with a route `/x`. */
export const foreign: readonly (readonly [string, () => RequestHandler])[] = [
  ...wrappers.map(([what, wrap]) =>
    [`an app whose \`handle\` is wrapped by a function that ${what}`, () => wrapped(wrap)] as const
  ),
  ['an app of Express 4', express4],
  ['an app of Connect', connect],
  ['a function with the stack of a Router',
    () => Object.assign(connect(), { stack: express.Router().get('/y', (_req, res) => void res.end()).stack })],
  ['a function with a stack', () => Object.assign(connect(), { stack: [] })],
]

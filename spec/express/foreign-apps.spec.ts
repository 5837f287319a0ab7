import { EventEmitter } from 'node:events'
import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express'
import { describe, expect, it } from 'vitest'
import { auth, errorHandler, mountResource, notFound, permission, routesOf, serve } from 'resourcery'
import { openapi } from 'resourcery/openapi'
import { serving } from '../support/http.js'

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
 * Behaves like an app of Express 4: its `router` throws, and an error of its layers is passed on by a timer, in which
 * nobody catches another one.
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

const foreign: readonly (readonly [string, () => RequestHandler])[] = [
  ...wrappers.map(([what, wrap]) =>
    [`an app whose \`handle\` is wrapped by a function that ${what}`, () => wrapped(wrap)] as const
  ),
  ['an app of Express 4', express4],
  ['an app of Connect', connect],
  ['a function with the stack of a Router',
    () => Object.assign(connect(), { stack: express.Router().get('/y', (_req, res) => void res.end()).stack })],
  ['a function with a stack', () => Object.assign(connect(), { stack: [] })],
]

describe.each(foreign)('%s', (_what, make) => {
  it('is called as Express calls it, and ends no process', async () => {
    const app = express().use('/old', make())
    mountResource(app, { route: '/u', name: 'u', handlers: { list: () => [] } })
    app.use(notFound(), errorHandler({ log: () => undefined }))
    const { get, send } = await serving(app)
    expect((await get('/old/x')).text).toBe('inside')
    for (const path of ['/old/zz', '/zz']) expect((await get(path)).status).toBe(404)
    expect((await send('PUT', '/u')).status).toBe(405)
    expect((await get('/u')).status).toBe(200)
    await new Promise(setImmediate)
  })

  it('is undeclared: it needs a sign-in, and a permission where that is asked for', async () => {
    const app = express()
    const guards = [auth('api', { verify: (req) => (req.get('x-id') === undefined ? null : { id: 1 }) }),
      permission('api', { undeclared: 'deny' })]
    app.use(guards).use('/old', make())
    mountResource(app, { route: '/*path', name: 'pages', auth: false, handlers: { list: () => 'page' } })
    app.use(notFound(), errorHandler({ log: () => undefined }))
    const { get } = await serving(app)
    expect((await get('/old/x')).status).toBe(401)
    expect((await get('/old/x', { headers: { 'x-id': '' } })).status).toBe(403)
    expect((await get('/other')).status).toBe(200)
  })

  it('is passed by what reads the routes', async () => {
    const app = express().use(auth('api', { verify: () => ({ id: 1 }) })).use('/old', make())
    mountResource(app, { route: '/u', name: 'u', handlers: { list: () => [] } })
    expect(routesOf(app).map(({ path }) => path)).toEqual(['/u'])
    expect(Object.keys(openapi(app, { title: 'A', version: '1' }).paths)).toEqual(['/u'])
    const server = await serve(app.use(errorHandler()), { port: 0, signals: false })
    expect((await fetch(`${server.url}/old/x`)).status).toBe(200)
    await server.close()
  })
})

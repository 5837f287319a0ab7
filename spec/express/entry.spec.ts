import express, { type Request, type Response } from 'express'
import { expect, it } from 'vitest'
import { hasOriginalHandle } from '../../lib/core/express/originals.js'
import { stackOf } from '../../lib/core/express/stack.js'
import { begin, canEnter, finish, resume, type ResumePoint } from '../../lib/core/express/entry.js'
import { serving, type Client } from '../support/http.js'

it('canEnter accepts requests of an app until its first function is replaced', () => {
  const app = express()
  const [request, response] = [Object.create(app.request) as object, Object.create(app.response) as object]
  const strange = Object.create(express().request) as object
  expect(
    [[request, response], [{}, response], [request, {}], [strange, response]].map(([req = {}, res = {}]) =>
      canEnter(app, req, res)
    ),
  )
    .toEqual([true, false, false, false])
  Object.assign(app, { handle: () => undefined })
  expect(canEnter(app, request, response)).toBe(false)
})

it('begin sets the properties and the header that Express sets', async () => {
  const app = express()
  const client = await serving((req, res) => {
    Object.setPrototypeOf(req, app.request)
    Object.setPrototypeOf(res, app.response)
    begin(app, req as Request, res as Response)
    const { baseUrl, originalUrl, res: own } = req as Request
    ;(res as Response).json({ baseUrl, originalUrl, res: own === res })
  })
  const powered = await client.get('/a?b')
  expect([powered.headers.get('x-powered-by'), powered.body]).toEqual(['Express', {
    baseUrl: '',
    originalUrl: '/a?b',
    res: true,
  }])
  app.disable('x-powered-by')
  expect((await client.get('/')).headers.get('x-powered-by')).toBeNull()
})

/** Passes requests for `/inner/…` to Express at a position of the Router that is mounted there. */
function resuming(at: number, state: Partial<ResumePoint>): Promise<Client> {
  const app = express().set('env', 'test')
  const inner = express.Router()
  inner.use((_req, res) => void res.json('in front'))
  inner.use((req, res, next) => {
    res.locals.seen = [req.url, req.method, req.params]
    next()
  })
  inner.use('/a', (req, res) => void res.json(['behind', req.baseUrl, req.url, res.locals.seen]))
  app.use('/inner', (req, res, next) => {
    const { url, baseUrl, originalUrl, method, params } = req
    const entered = { router: inner, layers: stackOf(inner) }
    const known = { at, error: undefined, url, baseUrl, originalUrl, method, params, receiveNext: () => undefined }
    resume(entered, { ...known, ...state }, res, next)
  })
  app.use((req, res) => void res.json(['outside', req.baseUrl, req.url, req.method]))
  app.use(((error: unknown, _req: Request, res: Response, _next: unknown) => void res.json(error)) as never)
  return serving((req, res) => {
    // The layers are Express's own, as in an app that the fast path has entered.
    hasOriginalHandle(inner)
    app(req, res)
  })
}

it('resume continues in Express at a position of a router', async () => {
  expect((await (await resuming(0, {})).get('/inner/a')).body).toBe('in front')
  expect((await (await resuming(1, {})).get('/inner/a/b?c')).body)
    .toEqual(['behind', '/inner/a', '/b?c', ['/a/b?c', 'GET', {}]])
  expect((await (await resuming(3, {})).get('/inner/a')).body).toEqual(['outside', '', '/inner/a', 'GET'])
})

it('resume continues with an error, and with a target and a method that middleware has changed', async () => {
  expect((await (await resuming(1, { error: 'what went wrong' })).get('/inner/a')).body).toBe('what went wrong')
  expect((await (await resuming(1, { url: '/a/new', method: 'PUT' })).get('/inner/old')).body)
    .toEqual(['behind', '/inner/a', '/new', ['/a/new', 'PUT', {}]])
})

it('finish answers as Express does behind the last layer', async () => {
  const app = express().set('env', 'test')
  const client = await serving((req, res) => finish(app, undefined, req as Request, res as Response))
  expect((await client.get('/a')).text).toContain('Cannot GET /a')
})

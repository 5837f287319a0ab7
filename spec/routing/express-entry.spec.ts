import express, { type NextFunction, type Request, type Response } from 'express'
import { expect, it } from 'vitest'
import { begin, beginsPlainly, goOnBehind } from '../../lib/routing/express-entry.js'
import { lastLayer, openStackOf } from '../../lib/routing/express-stack.js'
import { serving } from '../support/http.js'

it('an app begins plainly with requests of its class, until somebody replaces its `handle`', () => {
  const app = express()
  const request = Object.create(app.request) as object
  expect([beginsPlainly(app, request), beginsPlainly(app, {}), beginsPlainly(app, Object.create(express().request) as object)]).toEqual([true, false, false])
  Object.assign(app, { handle: () => undefined })
  expect(beginsPlainly(app, request)).toBe(false)
})

it('a request has what Express puts on it, the header only where the app wants it', async () => {
  const app = express()
  const client = await serving((req, res) => {
    const next: NextFunction = () => undefined
    Object.setPrototypeOf(req, app.request)
    Object.setPrototypeOf(res, app.response)
    begin(app, req as Request, res as Response, next)
    const { baseUrl, originalUrl, next: set } = req as Request
    ;(res as Response).json({ baseUrl, originalUrl, next: set === next })
  })
  const powered = await client.get('/a?b')
  expect([powered.headers.get('x-powered-by'), powered.body]).toEqual(['Express', { baseUrl: '', originalUrl: '/a?b', next: true }])
  app.disable('x-powered-by')
  expect((await client.get('/')).headers.get('x-powered-by')).toBeNull()
})

it('Express goes on behind a layer, with an error or without', async () => {
  const app = express().set('env', 'test')
  app.use((_req, res) => void res.json('in front'))
  const layer = lastLayer(openStackOf(app))
  app.use((_req, res) => void res.json('behind'))
  app.use(((error: unknown, _req: Request, res: Response, _next: unknown) => void res.json(error)) as never)
  const raised: { error?: string } = {}
  const client = await serving((req, res) => goOnBehind(app, layer, raised.error, req as Request, res as Response))
  expect((await client.get('/')).text).toBe('"behind"')
  raised.error = 'what went wrong'
  expect((await client.get('/')).text).toBe('"what went wrong"')
  app.use(((_error: unknown, _req: Request, res: Response, _next: unknown) => void res.json('too late')) as never)
  expect((await client.get('/')).text).toBe('"what went wrong"')
})

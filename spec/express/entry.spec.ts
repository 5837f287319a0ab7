import express, { type ErrorRequestHandler, type NextFunction, type Request, type Response } from 'express'
import { expect, it } from 'vitest'
import { begin, canEnter, continueBehind } from '../../lib/express/entry.js'
import { lastLayer, openStackOf } from '../../lib/express/stack.js'
import { serving } from '../support/http.js'

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
    const next: NextFunction = () => undefined
    Object.setPrototypeOf(req, app.request)
    Object.setPrototypeOf(res, app.response)
    begin(app, req as Request, res as Response, next)
    const { baseUrl, originalUrl, next: set } = req as Request
    ;(res as Response).json({ baseUrl, originalUrl, next: set === next })
  })
  const powered = await client.get('/a?b')
  expect([powered.headers.get('x-powered-by'), powered.body]).toEqual(['Express', {
    baseUrl: '',
    originalUrl: '/a?b',
    next: true,
  }])
  app.disable('x-powered-by')
  expect((await client.get('/')).headers.get('x-powered-by')).toBeNull()
})

it('continueBehind continues in Express after a layer, with or without an error', async () => {
  const app = express().set('env', 'test')
  app.use((_req, res) => void res.json('in front'))
  const layer = lastLayer(openStackOf(app))
  app.use((_req, res) => void res.json('behind'))
  app.use(((error: unknown, _req: Request, res: Response, _next: unknown) => void res.json(error)) as never)
  const raised: { error?: string } = {}
  const client = await serving((req, res) => continueBehind(app, layer, raised.error, req as Request, res as Response))
  expect((await client.get('/')).text).toBe('"behind"')
  raised.error = 'what went wrong'
  expect((await client.get('/')).text).toBe('"what went wrong"')
  app.use(((_error: unknown, _req: Request, res: Response, _next: unknown) => void res.json('too late')) as never)
  expect((await client.get('/')).text).toBe('"what went wrong"')
})

it('continueBehind passes an error to the next error handler on its path, as Express does', async () => {
  const take = (name: string, goesOn = false) => ((error: Error, req: Request, res: Response, next: NextFunction) => {
    if (goesOn) next(new Error(`${error.message}, ${name}`))
    else res.json([error.message, name, req.params, req.baseUrl])
  }) as ErrorRequestHandler
  const apps = [
    [take('all'), take('late')],
    ['/of/:id', take('of'), take('all')],
    [take('first', true), take('second', true), '/of', take('of'), take('all')],
    [take('first', true), (_req: Request, res: Response) => void res.json('nobody')],
    [
      () => Promise.reject(new Error('never asked')),
      ((_error: Error, _req: Request, _res: Response, _next: NextFunction) =>
        Promise.reject(new Error('anew'))) as ErrorRequestHandler,
      take('all'),
    ],
  ]
    .map((parts) => {
      const app = express().set('env', 'test')
      app.use((_req, _res, next) => next(new Error('wrong')))
      const layer = lastLayer(openStackOf(app))
      for (let at = 0; at < parts.length; at++) {
        const part = parts[at]
        if (typeof part === 'string') app.use(part, parts[++at] as ErrorRequestHandler)
        else app.use(part as ErrorRequestHandler)
      }
      return { app, layer }
    })
  for (const { app, layer } of apps) {
    const native = await serving((req, res) => void app(req, res))
    const ours = await serving((req, res) => {
      Object.setPrototypeOf(req, app.request)
      Object.setPrototypeOf(res, app.response)
      begin(app, req as Request, res as Response, () => undefined)
      continueBehind(app, layer, new Error('wrong'), req as Request, res as Response)
    })
    for (const path of ['/', '/of/1', '/of/1/2?x']) {
      const [expected, given] = await Promise.all([native.get(path), ours.get(path)])
      expect([given.status, given.status === 500 || given.text]).toEqual([
        expected.status,
        expected.status === 500 || expected.text,
      ])
    }
  }
})

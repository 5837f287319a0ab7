import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import type { RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { BusinessError } from 'resourcery'
import { fromHandler } from 'resourcery'
import { mountRoutes } from 'resourcery'
import { send } from 'resourcery'
import { serving, type Client } from '../support/http.js'
import { appWith } from '../support/guarded-app.js'

async function handledBy(handler: RequestHandler): Promise<Client & { logged: unknown[] }> {
  const app = appWith((root) => {
    mountRoutes(root, {
      route: '/old',
      name: 'old',
      routes: { page: { route: '/:id', handler: fromHandler(handler) } },
    })
    root.get('/old/:id', (_req, res) => void res.end('the next handler'))
  })
  return Object.assign(await serving((req, res) => void app(req, res)), { logged: app.logged })
}

describe('fromHandler', () => {
  it.each<[string, RequestHandler]>([
    ['at once', (req, res) => void res.json({ id: req.params.id })],
    ['later', (req, res) => void setImmediate(() => res.json({ id: req.params.id }))],
    ['in a promise', async (req, res) => {
      await Promise.resolve()
      send(res, 'ok', req.params.id)
    }],
    ['and returns the response', (_req, res) => res.json({ id: '7' })],
    ['and returns something else', (_req, res) => {
      res.json({ id: '7' })
      return 'ignored'
    }],
  ])('supports a handler that replies %s', async (_when, handler) => {
    const client = await handledBy(handler)
    const reply = await client.get('/old/7')
    expect([reply.status, reply.text.includes('"7"')]).toEqual([200, true])
    expect(client.logged).toEqual([])
  })

  it.each<[string, RequestHandler]>([
    ['throws', () => {
      throw new BusinessError('No', 409)
    }],
    ['rejects', () => Promise.reject(new BusinessError('No', 409))],
    // As a query builder, which is no Promise.
    ['returns a thenable that rejects', () =>
      ({
        then: (_resolve: unknown, reject: (error: Error) => void) => reject(new BusinessError('No', 409)),
      }) as never],
    ['passes an error to next', (_req, _res, next) => next(new BusinessError('No', 409))],
    [
      'passes an error to next later',
      (_req, _res, next) => void setImmediate(() => next(new BusinessError('No', 409))),
    ],
  ])('passes on the error of a handler that %s', async (_how, handler) => {
    expect((await (await handledBy(handler)).get('/old/7')).body).toEqual({
      code: 409,
      message: 'No',
      data: null,
      meta: { reason: 'conflict' },
    })
  })

  it.each<[string, RequestHandler, number, string]>([
    ['no argument', (_req, _res, next) => next(), 404, 'not_found'],
    ['null', (_req, _res, next) => next(null), 404, 'not_found'],
    ['`route`', (_req, _res, next) => next('route'), 403, 'forbidden'],
    ['`router`', (_req, _res, next) => next('router'), 403, 'forbidden'],
    ['another value', (_req, _res, next) => next('nonsense'), 500, 'internal'],
    ['something falsy', (_req, _res, next) => next(0), 500, 'internal'],
  ])('never runs the next handler if the handler passes %s to next', async (_what, handler, status, reason) => {
    expect((await (await handledBy(handler)).get('/old/7')).body).toMatchObject({ code: status, meta: { reason } })
  })

  it('resolves if the client disconnects', async () => {
    let ended: Promise<undefined> | undefined
    const silent = fromHandler(() => undefined)
    const client = await serving((req, res) => void (ended = silent(req as never, res as never)))
    const socket = connect((client.server.address() as AddressInfo).port, '127.0.0.1')
    const requested = once(client.server, 'request')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await requested
    socket.destroy()
    expect(await ended).toBeUndefined()
  })

  it('refuses anything but a function', () => {
    expect(() => fromHandler(undefined as never)).toThrow(expect.objectContaining({ code: 'option_function' }))
  })

  it('refuses an error handler', () => {
    expect(() => fromHandler(((_error: 1, _req: 2, _res: 3, _next: 4) => undefined) as never)).toThrow(
      expect.objectContaining({ code: 'handler_arity' }),
    )
  })
})

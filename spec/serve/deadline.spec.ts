import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import express, { type RequestHandler } from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { errorHandler } from 'resourcery'
import { extendDeadline } from '../../lib/core/routing/request-state.js'
import { send } from 'resourcery'
import { clientOf } from '../support/http.js'
import { connection, lastEnvelope } from '../support/raw-connection.js'
import { deferred } from './deferred.js'
import { served } from './served.js'

const DEADLINE = 0.1

const unavailable = { code: 503, message: expect.any(String) as string, data: null, meta: { reason: 'unavailable' } }

const never: RequestHandler = () => undefined

describe('the deadline of a request', () => {
  it('replies 503 if the handler does not', async () => {
    const { url, server } = await served(express().get('/', never), { deadline: DEADLINE })
    const { status, headers, body } = await clientOf(url, server).get('/')
    expect(status).toBe(503)
    expect(body).toEqual(unavailable)
    expect(headers.get('connection')).toBe('close')
  })

  it('replies without a body to HEAD', async () => {
    const { url, server } = await served(express().get('/', never), { deadline: DEADLINE })
    const { status, text } = await clientOf(url, server).send('HEAD', '/')
    expect([status, text]).toEqual([503, ''])
  })

  it('keeps headers of middleware, and removes those that described the missing reply', async () => {
    const app = express().get('/', (_req, res) => {
      res.set({ 'Access-Control-Allow-Origin': '*', 'Content-Security-Policy': "default-src 'self'", Vary: 'Origin' })
      res.set({
        'Content-Type': 'text/csv',
        'Content-Disposition': 'attachment',
        'Content-Length': '9',
        ETag: '"1"',
        'Cache-Control': 'max-age=60',
      })
    })
    const { url, server } = await served(app, { deadline: DEADLINE })
    const { headers } = await clientOf(url, server).get('/')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('content-security-policy')).toBe("default-src 'self'")
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    for (const name of ['content-disposition', 'etag', 'cache-control']) expect(headers.has(name)).toBe(false)
  })

  it('includes the request id that middleware has set', async () => {
    const app = express().use((req, _res, next) => next(void Object.assign(req, { id: 'r-1' }))).get('/', never)
    const { url, server } = await served(app, { deadline: DEADLINE })
    expect((await clientOf(url, server).get('/')).body).toEqual({
      ...unavailable,
      meta: { reason: 'unavailable', requestId: 'r-1' },
    })
  })

  it('is logged once with the request', async () => {
    const log = vi.fn<(error: unknown, req: express.Request) => void>()
    const { url, server } = await served(express().get('/slow', never), { deadline: DEADLINE, log })
    await clientOf(url, server).get('/slow')
    expect(log.mock.calls.map(([error, req]) => [(error as Error).message, req.path])).toEqual([[
      'The reply did not begin within 0.1 seconds',
      '/slow',
    ]])
  })

  it('does not affect a reply that has begun', async () => {
    let finish = (): unknown => undefined
    const app = express()
    app.get('/stream', (_req, res) => {
      res.write('begun, ')
      finish = () => res.end('done')
    })
    app.get('/slow', never)
    const { url, server } = await served(app, { deadline: DEADLINE })
    const stream = await fetch(`${url}/stream`)
    await clientOf(url, server).get('/slow')
    finish()
    expect(await stream.text()).toBe('begun, done')
  })

  it('applies to each request separately', async () => {
    const app = express().get('/slow', never).get('/fast', (_req, res) => send(res, 'fine'))
    const { url, server } = await served(app, { deadline: DEADLINE })
    const client = clientOf(url, server)
    const first = client.get('/slow')
    const second = (async () => {
      for (let count = 0; count < 20; count++) expect((await client.get('/fast')).status).toBe(200)
      return client.get('/slow')
    })()
    expect((await first).status).toBe(503)
    expect((await second).status).toBe(503)
    expect((await client.get('/fast')).status).toBe(200)
    expect((await client.get('/slow')).status).toBe(503)
  })

  it('can be extended for a single reply', async () => {
    let finish = (): unknown => undefined
    const app = express()
    app.get('/long', (_req, res) => {
      extendDeadline(res, 60)
      finish = () => send(res, 'done')
    })
    app.get('/longer', (_req, res) => extendDeadline(res, 3 * DEADLINE))
    app.get('/slow', never)
    const { url, server } = await served(app, { deadline: DEADLINE })
    const client = clientOf(url, server)
    const long = client.get('/long')
    const longer = client.get('/longer')
    expect((await client.get('/slow')).status).toBe(503)
    expect((await longer).status).toBe(503)
    finish()
    expect((await long).status).toBe(200)
  })

  it('applies to a server of the user and its listeners', async () => {
    const foreign = createServer(never as never)
    const { url, server } = await served(express(), { server: foreign, deadline: DEADLINE })
    expect((await clientOf(url, server).get('/')).body).toEqual(unavailable)
  })

  it.each([0, false] as const)('is disabled by %s', async (deadline) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    let reply = (): unknown => undefined
    const reached = deferred()
    const app = express().get('/', (_req, res) => {
      reply = () => res.send('at last')
      reached.resolve(undefined)
    })
    const { url } = await served(app, { deadline })
    const { write, until } = await connection(url)
    write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await reached.promise
    vi.advanceTimersByTime(3_600_000)
    reply()
    expect(await until(/at last$/)).toContain('200 OK')
  })

  it('ignores pipelined requests whose client has disconnected', async () => {
    const log = vi.fn()
    let count = 0
    const reached = deferred()
    const app = express().get('/', () => {
      if (++count === 3) reached.resolve(undefined)
    }).get('/slow', never)
    const { url, server } = await served(app, { deadline: DEADLINE, log })
    const { socket, write } = await connection(url)
    write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3))
    await reached.promise
    const gone = new Promise((resolve) => server.getConnections((_error, before) => resolve(before)))
    socket.destroy()
    await gone
    await clientOf(url, server).get('/slow')
    expect(log).toHaveBeenCalledTimes(1)
  })
})

describe('a handler that replies after its deadline', () => {
  const late: Record<string, (res: express.Response) => unknown> = {
    'send()': (res) => send(res, 'late'),
    'res.json()': (res) => res.json({ late: true }),
    'res.redirect()': (res) => res.redirect('/'),
    'res.cookie() and res.end()': (res) => res.cookie('a', 'b').status(200).end('late'),
    'writeHead and write': (res) => {
      res.writeHead(200, { 'X-Late': '1' }).flushHeaders()
      res.write('late', () => res.end())
    },
    'a pipe': (res) => Readable.from(['late']).pipe(res),
    'every kind of header': (res) => {
      res.setHeader('A', '1')
      res.appendHeader('A', '2')
      res.removeHeader('A')
      res.writeContinue()
      res.writeEarlyHints({ link: '</a>; rel=preload' })
      res.addTrailers({ A: '1' })
      res.end()
    },
  }

  it.each(Object.entries(late))('does no harm with %s', async (_name, write) => {
    const faults: unknown[] = []
    const count = (fault: unknown): unknown => faults.push(fault)
    process.on('uncaughtExceptionMonitor', count)
    onTestFinished(() => void process.off('uncaughtExceptionMonitor', count))
    const log = vi.fn()
    const replied = deferred<unknown>()
    const app = express().get('/', (_req, res) => {
      res.on('close', () => {
        try {
          write(res)
          replied.resolve('without a fault')
        } catch (error) {
          replied.resolve(error)
        }
      })
    })
    app.use(errorHandler({ log }))
    const { url } = await served(app, { deadline: DEADLINE })
    const { write: ask, closed } = await connection(url)
    ask('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    const bytes = await closed
    expect(await replied.promise).toBe('without a fault')
    expect(lastEnvelope(bytes)).toEqual(unavailable)
    expect(bytes).not.toContain('late')
    expect(faults).toEqual([])
    expect(log).not.toHaveBeenCalled()
  })

  it('is logged with its path behind a listener other than Express', async () => {
    const error = vi.spyOn(console, 'error').mockReturnValue()
    onTestFinished(() => error.mockRestore())
    const { url, server } = await served(express(), {
      server: createServer(() => undefined),
      deadline: DEADLINE,
      log: undefined,
    })
    expect((await clientOf(url, server).get('/slow?token=geheim')).body).toEqual(unavailable)
    expect(error.mock.calls).toEqual([['GET /slow', expect.any(Error)]])
  })

  it('is logged by the error handler if it throws, without changing the reply', async () => {
    const log = vi.fn()
    const fault = new Error('late')
    const logged = deferred<unknown>()
    const app = express().get('/', async (_req, res) => {
      await new Promise((resolve) => res.on('close', resolve))
      throw fault
    })
    app.use(errorHandler({ log: (error) => logged.resolve(error) }))
    const { url, server } = await served(app, { deadline: DEADLINE, log })
    expect((await clientOf(url, server).get('/')).body).toEqual(unavailable)
    expect(await logged.promise).toBe(fault)
    expect(log).toHaveBeenCalledTimes(1)
  })

  it('does not prevent the 503 through middleware that ends replies later', async () => {
    const app = express().use((_req, res, next) => {
      const end = res.end.bind(res) as (body: unknown) => express.Response
      res.end = ((body: unknown) => void setImmediate(end, body)) as never
      next()
    })
    const { url, server } = await served(app.get('/', never), { deadline: DEADLINE })
    expect((await clientOf(url, server).get('/')).body).toEqual(unavailable)
  })
})

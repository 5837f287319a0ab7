import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { Agent, createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import express, { Router, type Express, type Response } from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { errorHandler, mountRoutes, notFound, ready, serve, upload, type ServeOptions } from 'resourcery'
import { connection, lastEnvelope } from '../support/raw-connection.js'
import { served } from './served.js'

const OVERLOADED = {
  code: 503,
  message: 'This is not available right now',
  data: null,
  meta: { reason: 'unavailable' },
}

/** Creates an app whose `/slow` replies when the test allows it, one request after the other. */
function slowApp(): { app: Express; held: Response[]; answer: (text?: string) => void } {
  const held: Response[] = []
  const app = express()
  app.get('/slow', (_req, res) => void held.push(res))
  app.post('/slow', (_req, res) => void held.push(res))
  app.get('/begun', (_req, res) => {
    res.write('begun')
    held.push(res)
  })
  app.get('/fine', (_req, res) => void res.send('fine'))
  app.get('/ready', ready())
  app.use('/nested', Router().get('/ready/:deep', ready()))
  app.get('/metrics', (_req, res) => void res.send('metrics'))
  mountRoutes(app, {
    route: '/files',
    name: 'files',
    routes: {
      add: {
        methods: 'POST',
        route: '',
        use: upload({ a: {} }),
        handler: (req) => (req as unknown as { file?: unknown }).file !== undefined,
      },
    },
  })
  app.use(notFound(), errorHandler({ log: () => undefined }))
  return { app, held, answer: (text = 'slowly') => void held.shift()?.send(text) }
}

async function reached(held: readonly Response[], count: number): Promise<void> {
  await vi.waitUntil(() => held.length >= count, { interval: 1 })
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

describe.each([true, false])('a bound on requests in flight, with fast: %s', (fast) => {
  const start = async (app: Express, options: ServeOptions): Promise<string> =>
    (await served(app, { fast, ...options })).url

  it('answers a further request early in the envelope, with Retry-After', async () => {
    const { app, held, answer } = slowApp()
    const url = await start(app, { maxInFlight: 1 })
    const first = fetch(`${url}/slow`)
    await reached(held, 1)
    const refused = await fetch(`${url}/fine`)
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([503, '1', OVERLOADED])
    answer()
    expect(await (await first).text()).toBe('slowly')
    expect((await fetch(`${url}/fine`)).status).toBe(200)
  })

  it('answers HEAD and conditional requests with 503 too', async () => {
    const { app, held, answer } = slowApp()
    const url = await start(app, { maxInFlight: 1 })
    const first = fetch(`${url}/slow`)
    await reached(held, 1)
    const asked: RequestInit[] = [
      { method: 'HEAD' },
      { headers: { 'If-None-Match': '*' } },
      { headers: { 'If-Modified-Since': new Date().toUTCString() } },
    ]
    for (const options of asked) {
      const refused = await fetch(`${url}/fine`, options)
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    }
    answer()
    await first
  })

  it('keeps the connection of a refused request without a body, and frees the place of each reply on it', async () => {
    const { app, held, answer } = slowApp()
    const url = await start(app, { maxInFlight: 1 })
    const first = fetch(`${url}/slow`)
    await reached(held, 1)
    const { write, until } = await connection(url)
    write(get('/fine'))
    expect(await until(/"meta":\{"reason":"unavailable"\}\}$/)).toMatch(/Connection: keep-alive/)
    answer()
    await first
    for (let count = 1; count <= 50; count++) {
      write(get('/fine'))
      await until((seen) => seen.split('\r\n\r\nfine').length === count + 1)
    }
  })

  it('lets as many requests wait as the queue has places, in their order', async () => {
    const { app, held, answer } = slowApp()
    const url = await start(app, { maxInFlight: 1, queue: 2 })
    const running = fetch(`${url}/slow`)
    await reached(held, 1)
    const order: string[] = []
    const waiting = ['one', 'two'].map(async (name) => {
      const { write, until } = await connection(url)
      write(get(`/fine?${name}`))
      await until(/fine$/)
      order.push(name)
    })
    await vi.waitUntil(async () =>
      (await fetch(`${url}/fine`, { signal: AbortSignal.timeout(50) }).catch(() => undefined))
        ?.status === 503
    )
    expect(order).toEqual([])
    answer()
    await Promise.all([running, ...waiting])
    expect(order).toEqual(['one', 'two'])
  })

  it('counts neither routes of ready() nor exempt paths', async () => {
    const { app, held } = slowApp()
    const url = await start(app, { maxInFlight: 1, exempt: ['/metrics'] })
    void fetch(`${url}/slow`).catch(() => undefined)
    await reached(held, 1)
    const paths = ['/ready', '/READY/', '/nested/ready/x', '/metrics', '/Metrics/?a=1', '/metrics/below', '/fine',
      '/%zz']
    const statuses = await Promise.all(paths.map(async (path) => (await fetch(`${url}${path}`)).status))
    expect(statuses).toEqual([200, 200, 200, 200, 200, 503, 503, 503])
  })

  it('leaves a free place to others while exempt requests run', async () => {
    const { app, held } = slowApp()
    const url = await start(app, { maxInFlight: 1, exempt: ['/slow'] })
    void Promise.all([fetch(`${url}/slow`), fetch(`${url}/slow`)]).catch(() => undefined)
    await reached(held, 2)
    expect((await fetch(`${url}/fine`)).status).toBe(200)
  })

  it('frees the places of aborted requests, running, waiting or pipelined', async () => {
    const { app, held } = slowApp()
    const url = await start(app, { maxInFlight: 2, queue: 2 })
    for (let round = 0; round < 5; round++) {
      const before = held.length
      const clients = await Promise.all([connection(url), connection(url)])
      for (const { write } of clients) write(get('/slow') + get('/slow'))
      await reached(held, before + 2)
      const { write, until, socket } = await connection(url)
      write(get('/fine'))
      await until(/503/)
      socket.destroy()
      for (const client of clients) client.socket.destroy()
      await vi.waitUntil(async () => (await fetch(`${url}/fine`)).status === 200)
      expect(held.length).toBeLessThanOrEqual(before + 4)
    }
    const both = [fetch(`${url}/fine`), fetch(`${url}/fine`)]
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200])
  })

  it('refuses an upload before its body has arrived, and answers uploads within the bound', async () => {
    const { app, held, answer } = slowApp()
    const url = await start(app, { maxInFlight: 1 })
    const running = fetch(`${url}/slow`)
    await reached(held, 1)
    const { write, closed } = await connection(url)
    write(
      'POST /files HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 900000\r\n\r\n',
    )
    write('x'.repeat(300_000))
    const bytes = await closed
    expect([bytes.slice(0, 12), lastEnvelope(bytes)]).toEqual(['HTTP/1.1 503', OVERLOADED])
    answer()
    await running
    for (let count = 0; count < 3; count++) {
      const body = new FormData()
      body.set('a', new Blob(['x'.repeat(500_000)]), 'a.txt')
      expect((await fetch(`${url}/files`, { method: 'POST', body })).status).toBe(200)
    }
  })

  it('does not ask a refused client with `Expect: 100-continue` for its body', async () => {
    const { app, held } = slowApp()
    const url = await start(app, { maxInFlight: 1 })
    void fetch(`${url}/slow`).catch(() => undefined)
    await reached(held, 1)
    const { write, closed } = await connection(url)
    write('POST /files HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n')
    expect(await closed).toMatch(/^HTTP\/1\.1 503/)
  })

  it('answers a request that waits too long at the deadline, and never passes it to the app', async () => {
    const { app, held, answer } = slowApp()
    const url = await start(app, { maxInFlight: 1, queue: 1, deadline: 0.2 })
    // A response that nobody reads would be cancelled when it is collected.
    const first = await fetch(`${url}/begun`)
    const late = await fetch(`${url}/slow`)
    expect([late.status, ((await late.json()) as { meta: unknown }).meta]).toEqual([503, { reason: 'unavailable' }])
    held[0]?.end()
    expect(await first.text()).toBe('begun')
    held.shift()
    await vi.waitUntil(async () => (await fetch(`${url}/fine`)).status === 200)
    expect(held).toHaveLength(0)
    answer()
  })

  it('serves a request that has waited in its own asynchronous context', async () => {
    const contexts = new AsyncLocalStorage<string>()
    const { app, held } = slowApp()
    const seen: unknown[] = []
    const outer = express()
    outer.use((req, _res, next) => {
      seen.push(contexts.getStore())
      contexts.run(req.url, next)
    })
    outer.use(app)
    const url = await start(outer, { maxInFlight: 1, queue: 1 })
    const first = fetch(`${url}/slow`)
    await reached(held, 1)
    const { write, until } = await connection(url)
    write(get('/fine'))
    await vi.waitUntil(async () =>
      (await fetch(`${url}/fine`, { signal: AbortSignal.timeout(50) }).catch(() => undefined))
        ?.status === 503
    )
    const res = held[0]
    contexts.run('of the first request', () => res?.send('done'))
    await Promise.all([first, until(/fine$/)])
    expect(seen).toEqual([undefined, undefined])
  })

  it('answers those that wait when the server stops', async () => {
    const { app, held, answer } = slowApp()
    const { url, close } = await served(app, { fast, maxInFlight: 1, queue: 1, drain: 600 })
    const first = fetch(`${url}/slow`)
    await reached(held, 1)
    const { write, closed } = await connection(url)
    write(get('/fine'))
    await vi.waitUntil(async () =>
      (await fetch(`${url}/fine`, { signal: AbortSignal.timeout(50) }).catch(() => undefined))
        ?.status === 503
    )
    const done = close()
    answer()
    expect((await first).status).toBe(200)
    expect(await closed).toMatch(/^HTTP\/1\.1 200 [^]*fine$/)
    await done
  })

  it('serves 500 requests of 50 connections with 4 places and a queue', async () => {
    const app = express().get('/', (_req, res) => void setImmediate(() => res.send('fine')))
    const url = await start(app, { maxInFlight: 4, queue: 46 })
    const agent = new Agent({ keepAlive: true, maxSockets: 50 })
    onTestFinished(() => agent.destroy())
    const ask = async (): Promise<number | undefined> => {
      const sent = httpRequest(url, { agent }).end()
      const [message] = await once(sent, 'response') as [IncomingMessage]
      message.resume()
      await once(message, 'end')
      return message.statusCode
    }
    const statuses = await Promise.all(Array.from({ length: 50 }, async () => {
      const own: unknown[] = []
      for (let count = 0; count < 10; count++) own.push(await ask())
      return own
    }))
    expect(new Set(statuses.flat())).toEqual(new Set([200]))
  })
})

describe('the options of the bound', () => {
  it.each<[string, ServeOptions, string]>([
    ['no place', { maxInFlight: 0 }, 'serve_option'],
    ['half a place', { maxInFlight: 1.5 }, 'serve_option'],
    ['a number as a string', { maxInFlight: '5' as never }, 'serve_option'],
    ['a negative queue', { maxInFlight: 1, queue: -1 }, 'serve_option'],
    ['a path without a slash', { maxInFlight: 1, exempt: ['metrics'] }, 'serve_option'],
    ['a path with a query', { maxInFlight: 1, exempt: ['/metrics?all'] }, 'serve_option'],
    ['one path', { maxInFlight: 1, exempt: '/metrics' as never }, 'serve_option'],
    ['a queue without a bound', { queue: 1 }, 'serve_conflict'],
    ['exempt paths without a bound', { exempt: ['/metrics'] }, 'serve_conflict'],
    ['a server that answers by itself', { maxInFlight: 1, server: createServer(() => undefined) }, 'serve_conflict'],
  ])('are refused for %s', async (_what, options, code) => {
    await expect(serve(express(), { port: 0, ...options })).rejects.toMatchObject({ code })
  })

  it('name the paths that are refused', async () => {
    await expect(serve(express(), { port: 0, maxInFlight: 1, exempt: ['metrics'] })).rejects.toThrow(
      'The option `exempt` of serve() must be a list of paths that begin with `/` and have no query, '
        + 'not the list ["metrics"].',
    )
  })
})

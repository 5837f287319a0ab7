import { Agent, createServer, get, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import express from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { connection, lastEnvelope } from '../support/raw-connection.js'
import { deferred } from './deferred.js'
import { certificate } from './fixtures/certificate.js'
import { served } from './served.js'

const unavailable = { code: 503, message: expect.any(String) as string, data: null, meta: { reason: 'unavailable' } }

const LONG = { drain: 600 }

/** Creates an app whose `/slow` replies when the test allows it. */
function slowApp(): { app: express.Express; reached: Promise<express.Response>; answer: () => void } {
  const reached = deferred<express.Response>()
  const answered = deferred()
  const app = express().disable('x-powered-by')
  app.get('/', (_req, res) => void res.send('fine'))
  app.get('/slow', (_req, res) => {
    reached.resolve(res)
    void answered.promise.then(() => res.send('slowly'))
  })
  app.get('/begun', (_req, res) => {
    res.write('begun ')
    reached.resolve(res)
    void answered.promise.then(() => res.end('and done'))
  })
  return { app, reached: reached.promise, answer: () => answered.resolve(undefined) }
}

const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

describe('close()', () => {
  it('resolves at once without connections, and refuses new ones', async () => {
    const { url, close } = await served(slowApp().app, LONG)
    await close()
    await expect(fetch(url)).rejects.toThrow()
  })

  it('closes connections that are idle between requests', async () => {
    const { url, close } = await served(slowApp().app, LONG)
    const { write, until, closed } = await connection(url)
    write(request('/'))
    await until(/fine$/)
    await close()
    await closed
  })

  it('closes connections that an agent keeps alive', async () => {
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    const { url, close } = await served(slowApp().app, LONG)
    const response = await new Promise<IncomingMessage>((resolve) => get(url, { agent }, resolve))
    await new Promise((resolve) => response.on('end', resolve).resume())
    await close()
  })

  it('closes connections without any request', async () => {
    const { url, server, close } = await served(slowApp().app, LONG)
    const accepted = new Promise((resolve) => server.once('connection', resolve))
    const { closed } = await connection(url)
    await accepted
    await close()
    await closed
  })

  it('lets a running request finish, with `Connection: close`', async () => {
    const { app, reached, answer } = slowApp()
    const { url, close } = await served(app, LONG)
    const { write, closed } = await connection(url)
    write(request('/slow'))
    await reached
    const done = close()
    answer()
    expect(await closed).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*Connection: close\r\n[^]*slowly$/)
    await done
  })

  it('lets a reply that has begun finish, then closes its connection', async () => {
    const { app, reached, answer } = slowApp()
    const { url, close } = await served(app, LONG)
    const { write, closed } = await connection(url)
    write(request('/begun'))
    await reached
    const done = close()
    answer()
    expect(await closed).toMatch(/begun [^]*and done[^]*\r\n0\r\n\r\n$/)
    await done
  })

  it('does not cut off a reply that the client has not read yet', async () => {
    const size = 20_000_000
    const ended = deferred()
    const app = express().get('/', (_req, res) => {
      res.end(Buffer.alloc(size, 'x'))
      ended.resolve(undefined)
    })
    const { url, close } = await served(app, LONG)
    const { socket, write, closed } = await connection(url)
    socket.pause()
    write(request('/'))
    await ended.promise
    const done = close()
    socket.resume()
    expect((await closed).split('\r\n\r\n')[1]).toHaveLength(size)
    await done
  })

  it('replies 503 to later requests on a kept connection', async () => {
    const { app, reached, answer } = slowApp()
    const { url, server, close } = await served(app, LONG)
    const { write, until, closed } = await connection(url)
    write(request('/begun'))
    await reached
    await until(/begun/)
    const done = close()
    const arrived = new Promise((resolve) => server.once('request', resolve))
    write(request('/') + request('/'))
    await arrived
    answer()
    const bytes = await closed
    expect(bytes.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 503'])
    expect(bytes).toMatch(/HTTP\/1\.1 503 [^]*\r\nConnection: close\r\n/)
    expect(lastEnvelope(bytes)).toEqual(unavailable)
    await done
  })

  it('replies to a request whose headers were partly received', async () => {
    const { url, server, close } = await served(slowApp().app, LONG)
    const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve))
    const { write, closed } = await connection(url)
    write('GET / HTTP/1.1\r\n')
    const socket = await accepted
    // Node's parser takes the bytes by itself: no event announces them.
    while (socket.bytesRead === 0) await new Promise(setImmediate)
    const done = close()
    write('Host: a\r\n\r\n')
    expect(lastEnvelope(await closed)).toEqual(unavailable)
    await done
  })

  it('destroys the remaining connections after `drain` seconds', async () => {
    const { app, reached } = slowApp()
    const { url, close } = await served(app, { drain: 0.05 })
    const { write, closed } = await connection(url)
    write(request('/slow'))
    await reached
    await close()
    expect(await closed).toBe('')
  })

  it('destroys upgraded connections too', async () => {
    const { url, server, close } = await served(slowApp().app, { drain: 0.05 })
    server.on(
      'upgrade',
      (_req, socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
    )
    const { write, until, closed } = await connection(url)
    write('GET / HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')
    await until(/101/)
    await close()
    await closed
  })

  it('works the same over TLS', async () => {
    const { app, reached, answer } = slowApp()
    const { url, close } = await served(app, { ...LONG, https: certificate })
    const open = (): ReturnType<typeof connectTls> => {
      const socket = connectTls({ port: Number(new URL(url).port), host: '127.0.0.1', rejectUnauthorized: false })
        .setEncoding('latin1')
      onTestFinished(() => void socket.destroy())
      return socket
    }
    const [idle, busy] = [open(), open()]
    idle.write(request('/'))
    await new Promise((resolve) => idle.once('data', resolve))
    busy.write(request('/slow'))
    await reached
    const [idleClosed, busyClosed] = [idle, busy].map((socket) =>
      new Promise((resolve) => socket.once('close', resolve))
    )
    let seen = ''
    busy.on('data', (chunk: string) => (seen += chunk))
    const done = close()
    await idleClosed
    answer()
    await busyClosed
    expect(seen).toMatch(/\r\nConnection: close\r\n[^]*slowly$/)
    await done
  })

  it('returns the same promise each time', async () => {
    const onClose = vi.fn()
    const { close } = await served(slowApp().app, { onClose })
    const first = close()
    expect(close()).toBe(first)
    await first
    await close()
    expect(onClose).toHaveBeenCalledTimes(1)
  })

  it('can be called after `server.close()`', async () => {
    const { server, close } = await served(slowApp().app)
    await new Promise((resolve) => server.close(resolve))
    await close()
  })
})

describe('close() with a server of the user', () => {
  it('refuses later requests if the app is its listener', async () => {
    const { app, reached, answer } = slowApp()
    const { url, server, close } = await served(app, { ...LONG, server: createServer(app) })
    const { write, until, closed } = await connection(url)
    write(request('/begun'))
    await reached
    await until(/begun/)
    const done = close()
    const arrived = new Promise((resolve) => server.once('request', resolve))
    write(request('/'))
    await arrived
    answer()
    expect(lastEnvelope(await closed)).toEqual(unavailable)
    await done
  })

  it('lets a foreign listener reply, then closes the connection', async () => {
    const { app, reached, answer } = slowApp()
    const server = createServer((req, res) => void app(req, res))
    const { url, close } = await served(express(), { ...LONG, server })
    const { write, until, closed } = await connection(url)
    write(request('/begun'))
    await reached
    await until(/begun/)
    const done = close()
    const arrived = new Promise((resolve) => server.once('request', resolve))
    write(request('/'))
    await arrived
    answer()
    expect(await closed).toMatch(/HTTP\/1\.1 200 [^]*HTTP\/1\.1 200 [^]*\r\nConnection: close\r\n[^]*fine$/)
    await done
  })
})

describe('onClose', () => {
  it('runs after the last connection has closed, and close() waits for it', async () => {
    const events: string[] = []
    const { app, reached, answer } = slowApp()
    const { url, server, close } = await served(app, {
      ...LONG,
      onClose: async () => {
        events.push(server.listening ? 'listening' : 'closed')
        await new Promise(setImmediate)
        events.push('released')
      },
    })
    const { write, closed } = await connection(url)
    write(request('/slow'))
    await reached
    const done = close().then(() => events.push('done'))
    void closed.then(() => events.push('answered'))
    expect(events).toEqual([])
    answer()
    await done
    expect(events.filter((event) => event !== 'answered')).toEqual(['closed', 'released', 'done'])
  })

  it('rejects close() if it fails', async () => {
    const running = await served(slowApp().app, { onClose: () => Promise.reject(new Error('the pool is stuck')) })
    const failure = running.close()
    await expect(failure).rejects.toThrow('the pool is stuck')
  })

  it('is awaited for at most 5 seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const running = deferred()
    const { close } = await served(slowApp().app, {
      onClose: () => {
        running.resolve(undefined)
        return new Promise(() => undefined)
      },
    })
    const failure = close().catch((error: unknown) => error)
    await running.promise
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await failure).toMatchObject({ message: 'onClose did not finish within 5 seconds.' })
  })
})

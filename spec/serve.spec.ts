import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, get as httpGet, Server, type IncomingMessage } from 'node:http'
import { createSecureServer, createServer as createHttp2 } from 'node:http2'
import { createServer as createHttps, get as httpsGet } from 'node:https'
import { Server as NetServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { MisuseError } from 'resourcery'
import { send } from 'resourcery'
import { serve } from 'resourcery'
import { certificate } from './serve/fixtures/certificate.js'
import { served } from './serve/served.js'
import { clientOf, raw } from './support/http.js'
import { lastEnvelope } from './support/raw-connection.js'

const app = express().get('/', (_req, res) => send(res, 'ok', 'fine'))

describe('serve()', () => {
  it('resolves when the server listens, with the actual port', async () => {
    const { url, server } = await served(app)
    const { port } = server.address() as AddressInfo
    expect(port).toBeGreaterThan(0)
    expect(url).toBe(`http://127.0.0.1:${port}`)
    expect((await clientOf(url, server).get('/')).body).toEqual({ code: 200, message: 'ok', data: 'fine', meta: {} })
  })

  it.each([
    [undefined, /^http:\/\/localhost:\d+$/],
    ['localhost', /^http:\/\/localhost:\d+$/],
    ['127.0.0.1', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['0.0.0.0', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['::', /^http:\/\/localhost:\d+$/],
    ['0:0:0:0:0:0:0:0', /^http:\/\/localhost:\d+$/],
    ['::1', /^http:\/\/\[::1\]:\d+$/],
  ])('returns a URL that reaches host %s', async (host, pattern) => {
    const { url, server } = await served(app, { host })
    expect(url).toMatch(pattern)
    expect((await clientOf(url, server).get('/')).status).toBe(200)
  })

  it('accepts the port as a string from the environment', async () => {
    const { server } = await served(app, { port: '0' })
    expect((server.address() as AddressInfo).port).toBeGreaterThan(0)
  })

  it('listens on a socket file, and rejects if it cannot', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'serve-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'socket')
    const { url } = await served(app, { path, port: undefined, host: undefined })
    expect(url).toBe(`unix:${path}`)
    const { statusCode } = await new Promise<IncomingMessage>((resolve) =>
      httpGet({ socketPath: path }, (res) => resolve(res.resume()))
    )
    expect(statusCode).toBe(200)
    await expect(serve(app, { path, signals: false })).rejects.toMatchObject({
      code: 'EADDRINUSE',
      message: `Cannot listen on ${path}: another server listens there already (EADDRINUSE).`,
    })
  })

  it('calls listen before it awaits anything', async () => {
    const listen = vi.spyOn(Server.prototype, 'listen')
    onTestFinished(() => listen.mockRestore())
    const running = serve(app, { port: 0, signals: false })
    const [server] = listen.mock.contexts as [Server]
    expect(server.listening).toBe(true)
    expect(server.address()).toMatchObject({ port: expect.any(Number) as number })
    await (await running).close()
  })

  it('serves over TLS', async () => {
    const { url } = await served(app, { https: certificate })
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    const { statusCode } = await new Promise<IncomingMessage>((resolve) =>
      httpsGet(url, { ca: certificate.cert }, (res) => resolve(res.resume()))
    )
    expect(statusCode).toBe(200)
  })

  it('sets default timeouts', async () => {
    const { server } = await served(app)
    expect(server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 300_000, keepAliveTimeout: 65_000 })
  })

  it('accepts timeouts in seconds, and 0 for none', async () => {
    const { server } = await served(app, { headersTimeout: 1.5, requestTimeout: 0, keepAliveTimeout: 0.0001 })
    expect(server).toMatchObject({ headersTimeout: 1_500, requestTimeout: 0, keepAliveTimeout: 1 })
  })

  it('limits the timeout of headers to that of the whole request', async () => {
    expect((await served(app, { requestTimeout: 4 })).server).toMatchObject({
      headersTimeout: 4_000,
      requestTimeout: 4_000,
    })
    expect((await served(app, { requestTimeout: 0 })).server).toMatchObject({
      headersTimeout: 10_000,
      requestTimeout: 0,
    })
    expect((await served(app, { headersTimeout: 0 })).server).toMatchObject({
      headersTimeout: 0,
      requestTimeout: 300_000,
    })
  })
})

describe('serve with a server of its own', () => {
  it.each([true, false])('enters the app behind a listener that a host adds in `listen`, with `fast: %s`',
    async (fast) => {
      // Passenger and LiteSpeed replace this function, and listen for requests too.
      const original = Object.getOwnPropertyDescriptor(NetServer.prototype, 'listen')?.value as Server['listen']
      const seen: string[] = []
      Server.prototype.listen = function(this: Server, ...args: unknown[]) {
        this.on('request', ({ url = '' }) => seen.push(url))
        return Reflect.apply(original, this, args) as Server
      }
      const { url, server } = await served(app, { fast }).finally(() => {
        Reflect.deleteProperty(Server.prototype, 'listen')
      })
      expect((await clientOf(url, server).get('/')).body).toMatchObject({ data: 'fine' })
      expect(lastEnvelope(await raw(url, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'))).toMatchObject({ code: 400 })
      expect(seen).toEqual(['/', '/'])
    })
})

describe('serve with a server of the user', () => {
  it('adds the app if the server has no listener', async () => {
    const { url, server } = await served(app, { server: createServer() })
    expect((await clientOf(url, server).get('/')).body).toMatchObject({ data: 'fine' })
  })

  it('keeps the listeners of the server', async () => {
    const own = createServer((_req, res) => void res.end('mine'))
    const { url, server } = await served(app, { server: own })
    expect(server).toBe(own)
    expect((await clientOf(url, server).get('/')).text).toBe('mine')
  })

  it('runs the app once if it is already a listener', async () => {
    let count = 0
    const counting = express().use((_req, _res, next) => {
      count++
      next()
    }).use(app)
    const { url, server } = await served(counting, { server: createServer(counting) })
    expect((await clientOf(url, server).get('/')).status).toBe(200)
    expect(count).toBe(1)
  })

  it('accepts a server that already listens', async () => {
    const own = createServer()
    await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve))
    const { port } = own.address() as AddressInfo
    const { url } = await served(app, { server: own, port: undefined, host: undefined })
    expect(url).toBe(`http://127.0.0.1:${port}`)
    expect((await fetch(url)).status).toBe(200)
  })

  it('accepts a server that listens on a socket file', async () => {
    const own = createServer()
    const folder = mkdtempSync(join(tmpdir(), 'serve-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'socket')
    await new Promise<void>((resolve) => own.listen(path, resolve))
    const { url } = await served(app, { server: own })
    expect(url).toBe(`unix:${path}`)
    const { statusCode } = await new Promise<IncomingMessage>((resolve) =>
      httpGet({ socketPath: path }, (res) => resolve(res.resume()))
    )
    expect(statusCode).toBe(200)
  })

  it('accepts an HTTPS server', async () => {
    const { url } = await served(app, { server: createHttps(certificate) })
    expect(url).toMatch(/^https:/)
  })

  it('keeps the timeouts of the server unless options set them', async () => {
    const plain = await served(app, { server: createServer({ keepAliveTimeout: 1_234 }) })
    expect(plain.server).toMatchObject({ headersTimeout: 60_000, requestTimeout: 300_000, keepAliveTimeout: 1_234 })
    const given = await served(app, { server: createServer({ keepAliveTimeout: 1_234 }), headersTimeout: 7 })
    expect(given.server).toMatchObject({ headersTimeout: 7_000, keepAliveTimeout: 1_234 })
  })
})

describe('serve that cannot listen', () => {
  it('rejects with host, port and reason if the port is in use', async () => {
    const { server } = await served(app)
    const { port } = server.address() as AddressInfo
    const failure = serve(app, { port, host: '127.0.0.1', signals: false })
    await expect(failure).rejects.toMatchObject({
      code: 'EADDRINUSE',
      message: `Cannot listen on port ${port} of 127.0.0.1: another server listens there already (EADDRINUSE).`,
    })
    await expect(failure).rejects.toHaveProperty('cause.syscall', 'listen')
  })

  it('rejects with the reason for a foreign address', async () => {
    await expect(serve(app, { port: 0, host: '192.0.2.1', signals: false })).rejects.toMatchObject({
      code: 'EADDRNOTAVAIL',
    })
  })

  it('rejects with the message of the system for other errors', async () => {
    const server = createServer()
    const listen = (): typeof server => {
      setImmediate(() => server.emit('error', new Error('the cable is gone')))
      return server
    }
    Object.assign(server, { listen })
    await expect(serve(app, { server, port: 0, signals: false })).rejects.toThrow(
      /^Cannot listen on port 0 of any address: the cable is gone/,
    )
  })

  it('leaves no signal handlers', async () => {
    const before = process.listenerCount('SIGTERM')
    const { server } = await served(app)
    await expect(serve(app, { port: (server.address() as AddressInfo).port, host: '127.0.0.1' })).rejects.toThrow()
    expect(process.listenerCount('SIGTERM')).toBe(before)
  })
})

describe('invalid options of serve', () => {
  async function misuse(options: object, target: unknown): Promise<MisuseError> {
    const error: unknown = await serve(target as typeof app, { port: 0, signals: false, ...options }).catch((
      reason: unknown,
    ) => reason)
    expect(error).toBeInstanceOf(MisuseError)
    return error as MisuseError
  }

  it.each([
    ['port', ''],
    ['port', '3000abc'],
    ['port', ' 3000'],
    ['port', '0x50'],
    ['port', '03'],
    ['port', '1e3'],
    ['port', '-1'],
    ['port', '65536'],
    ['port', '3000.0'],
    ['port', -1],
    ['port', 65_536],
    ['port', 1.5],
    ['port', NaN],
    ['port', null],
    ['host', ''],
    ['host', 1],
    ['path', ''],
    ['path', 3000],
    ['path', 'a\0b'],
    ['https', true],
    ['https', null],
    ['server', {}],
    ['server', null],
    ['server', 3000],
    ['deadline', '30'],
    ['deadline', -1],
    ['deadline', NaN],
    ['deadline', Infinity],
    ['deadline', 2_147_484],
    ['deadline', true],
    ['drain', '5'],
    ['drain', -1],
    ['drain', NaN],
    ['drain', false],
    ['signals', 'yes'],
    ['signals', 0],
    ['onClose', 'close'],
    ['headersTimeout', '10'],
    ['headersTimeout', -1],
    ['requestTimeout', NaN],
    ['keepAliveTimeout', '65'],
    ['log', console],
  ])('are refused by name: %s: %j', async (name, value) => {
    const { code, message } = await misuse({ [name]: value }, app)
    expect(code).toBe('serve_option')
    expect(message).toMatch(new RegExp(`^The option \`${name}\` of serve\\(\\) must be .*, not .*\\.$`))
  })

  it.each([8080, '8080', null, [], () => undefined])('are refused unless they are an object: %o', async (options) => {
    const error: unknown = await serve(app, options as never).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: 'MisuseError', code: 'options_shape' })
  })

  it('include an invalid string, which the message shows', async () => {
    expect((await misuse({ port: '3000abc' }, app)).message).toBe(
      'The option `port` of serve() must be an integer from 0 to 65535, not the string "3000abc".',
    )
  })

  it.each(['deadLine', 'signal', 'Port', 'toString', '__proto__'])('include the unknown option %s', async (name) => {
    const options = Object.defineProperty({}, name, { value: 5, enumerable: true })
    expect(await misuse(options, app)).toMatchObject({
      code: 'serve_option_unknown',
      message: expect.stringMatching(
        new RegExp(`^serve\\(\\) has no option \`${name}\`: its options are .*deadline, .*\\.$`),
      ) as string,
    })
  })

  it('include a path together with a port or host', async () => {
    expect((await misuse({ path: 'never.sock' }, app)).code).toBe('serve_conflict') // `port` is given above
    expect((await misuse({ path: 'never.sock', port: undefined, host: 'localhost' }, app)).code).toBe('serve_conflict')
  })

  it('include a longer timeout for headers than for the request', async () => {
    expect((await misuse({ headersTimeout: 20, requestTimeout: 10 }, app)).message).toContain('must not be longer')
  })

  it('include a server for HTTP/2', async () => {
    for (const server of [createHttp2(), createSecureServer(certificate)]) {
      expect(await misuse({ server }, app)).toMatchObject({
        code: 'serve_http2',
        message: expect.stringContaining('HTTP/2') as string,
      })
    }
  })

  it('include TLS options together with a server', async () => {
    expect((await misuse({ server: createServer(), https: certificate }, app)).code).toBe('serve_conflict')
  })

  it.each([['a router', express.Router()], ['a plain listener', () => undefined], ['undefined', undefined]])(
    'include %s in place of an app',
    async (_name, target) => {
      expect((await misuse({}, target)).code).toBe('serve_app')
    },
  )

  it('are refused by the compiler', () => {
    const never = (): unknown => [
      // @ts-expect-error a port is a number or a string of one
      serve(app, { port: true }),
      serve(app, { port: process.env.PORT }),
      // @ts-expect-error `drain` is always a number
      serve(app, { drain: false }),
      // @ts-expect-error a server of HTTP/2
      serve(app, { server: createHttp2() }),
      serve(app, { deadline: false, port: undefined }),
    ]
    expect(never).toBeTypeOf('function')
  })
})

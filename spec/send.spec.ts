import { once } from 'node:events'
import { STATUS_CODES, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { gunzipSync, gzipSync } from 'node:zlib'
import express, { type RequestHandler, type Response } from 'express'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { errorHandler, mountRoutes, NotFoundError, reply, send } from 'resourcery'
import { raw, serving, type Client } from './support/http.js'

/** Statuses that `fetch` handles itself. */
const HANDLED_BY_FETCH = [407, 421]

type Answer = (res: Response) => void

interface Setup {
  readonly settings?: Readonly<Record<string, unknown>>
  readonly before?: RequestHandler
}

/** Serves an app that replies so on every path. */
function answering(answer: Answer, { settings = {}, before }: Setup = {}): Promise<Client> {
  const app = express().set('env', 'test')
  for (const [name, value] of Object.entries(settings)) app.set(name, value)
  if (before !== undefined) app.use(before)
  app.use((_req, res) => answer(res))
  return serving((req, res) => void app(req, res))
}

describe('data that was not awaited', () => {
  const refused = expect.objectContaining({ code: 'data_promise' }) as Error
  const query = { then: (done: (rows: number[]) => void) => done([1]), where: () => query }

  it.each([
    ['a promise', () => Promise.resolve([1])],
    ['a promise that fails', () => Promise.reject(new Error('no database'))],
    ['a query that has not run', () => query],
    ['a promise in formatted data', () => ({ toJSON: () => Promise.resolve(1) })],
    ['a field of a record', () => ({ id: 1, author: Promise.reject(new Error('no database')) })],
    ['a query as a field', () => ({ id: 1, author: query })],
    ['a field of the records of a list', () => [1, 2].map((id) => ({ id, author: Promise.reject(new Error('none')) }))],
  ])('is refused: %s', async (_what, make) => {
    const errors: unknown[] = []
    const app = express()
    app.get('/sent', (_req, res) => send(res, 'ok', make()))
    app.get('/made', (_req, res) => {
      const made = reply('ok', make())
      send(res, made.message, made.data)
    })
    app.use(errorHandler({ log: (error) => errors.push(error) }))
    const { get } = await serving((req, res) => void app(req, res))
    for (const path of ['/sent', '/made']) {
      const { status, body } = await get(path)
      expect([status, body.data, body.meta]).toEqual([500, null, { reason: 'internal' }])
    }
    expect(errors).toEqual([refused, refused])
  })
})

describe('a promise that JSON does not read', () => {
  class User {
    readonly name = 'Ann'
    readonly posts = Promise.resolve([])
    toJSON(): object {
      return { name: this.name }
    }
  }
  const inherited: object = Object.assign(Object.create({ posts: Promise.resolve([]) }) as object, { name: 'Ann' })

  it.each([
    ['of a record with `toJSON`', () => new User(), { name: 'Ann' }],
    ['of a list of records with `toJSON`', () => [new User()], [{ name: 'Ann' }]],
    ['that a record inherits', () => inherited, { name: 'Ann' }],
    ['that the records of a list inherit', () => [inherited], [{ name: 'Ann' }]],
  ])('is left alone: %s', async (_what, make, sent) => {
    const { get } = await answering((res) => send(res, 'ok', make()))
    const { status, body } = await get('/')
    expect([status, body.data]).toEqual([200, sent])
  })
})

describe('data that is an error', () => {
  it('is refused, as it was meant to be thrown', async () => {
    const errors: unknown[] = []
    const app = express()
    app.get('/sent', (_req, res) => send(res, 'ok', new NotFoundError()))
    mountRoutes(app, {
      route: '/returned',
      name: 'returned',
      routes: {
        plain: { route: '', handler: () => new NotFoundError() },
        late: { route: '/late', output: z.unknown(), handler: () => Promise.resolve(new Error('select secret')) },
        replied: { route: '/replied', handler: () => reply('ok', new NotFoundError()) },
      },
    })
    app.use(errorHandler({ log: (error) => errors.push(error) }))
    const { get } = await serving((req, res) => void app(req, res))
    for (const path of ['/sent', '/returned', '/returned/late', '/returned/replied']) {
      const { status, body } = await get(path)
      expect([status, body.data, body.meta]).toEqual([500, null, { reason: 'internal' }])
      expect(errors.pop()).toMatchObject({ code: 'data_error', cause: expect.any(Error) as Error })
    }
  })
})

describe('the status', () => {
  it.each([100, 199, 600, 999, 200.5, NaN, Infinity, 2 ** 32 + 200, {} as number])(
    'is refused if it is informational or none of HTTP: %s',
    async (status) => {
      const errors: unknown[] = []
      const app = express()
      app.get('/', (_req, res) => send(res, 'ok', null, {}, status))
      app.use(errorHandler({ log: (error) => void errors.push(error) }))
      const { get } = await serving((req, res) => void app(req, res))
      const { status: sent, body } = await get('/')
      expect([sent, body.code]).toEqual([500, 500])
      expect(errors).toEqual([expect.objectContaining({ name: 'MisuseError', code: 'status_invalid' })])
    },
  )

  it.each([200, 204, 299, 404, 599])('is that of the reply: %i', async (status) => {
    const client = await answering((res) => send(res, 'ok', null, {}, status))
    expect((await client.get('/')).status).toBe(status)
  })
})

describe('the envelope', () => {
  it('has four keys in order, as JSON', async () => {
    const client = await answering((res) => send(res, 'Here', [1], { total: 1 }, 201))
    const reply = await client.get('/')
    expect(reply.text).toBe('{"code":201,"message":"Here","data":[1],"meta":{"total":1}}')
    expect(reply.status).toBe(201)
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(reply.headers.get('content-length')).toBe(String(reply.text.length))
    expect(reply.headers.get('transfer-encoding')).toBeNull()
  })

  it.each<[string, Answer]>([
    ['left out', (res) => send(res, 'ok')],
    ['undefined', (res) => send(res, 'ok', undefined, undefined, undefined)],
    ['null', (res) => send(res, 'ok', null)],
  ])('has null, {} and 200 for arguments that are %s', async (_what, answer) => {
    expect((await (await answering(answer)).get('/')).text).toBe('{"code":200,"message":"ok","data":null,"meta":{}}')
  })

  it('keeps falsy data', async () => {
    for (const data of [0, '', false]) {
      expect((await (await answering((res) => send(res, 'ok', data))).get('/')).body.data).toBe(data)
    }
  })

  it('has a Content-Length in bytes', async () => {
    const reply = await (await answering((res) => send(res, 'Grüße', '🐘 \u2028'))).get('/')
    expect(reply.headers.get('content-length')).toBe(String(Buffer.byteLength(reply.text)))
    expect(reply.body).toMatchObject({ message: 'Grüße', data: '🐘 \u2028' })
  })

  it('replaces another content type', async () => {
    const reply = await (await answering((res) => send(res.type('html'), 'ok'))).get('/')
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  it('keeps headers that were set before', async () => {
    const reply =
      await (await answering((res) =>
        send(res.set({ 'X-Request-Id': '7', Vary: 'Origin' }).append('Set-Cookie', ['a=1', 'b=2']), 'ok')
      ))
        .get('/')
    expect(reply.headers.get('x-request-id')).toBe('7')
    expect(reply.headers.get('vary')).toBe('Origin')
    expect(reply.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })

  it('has any status, and the same `code`', async () => {
    let status = 0
    const client = await answering((res) => send(res, 'x', null, {}, status))
    for (
      status of Object.keys(STATUS_CODES).map(Number).filter((code) =>
        code >= 200 && ![204, 205, 304].includes(code) && !HANDLED_BY_FETCH.includes(code)
      )
    ) {
      const reply = await client.post('/')
      expect([reply.status, reply.body.code]).toEqual([status, status])
    }
  })

  it.each([204, 304])('is omitted with status %i', async (status) => {
    const reply = await (await answering((res) => send(res, 'x', { any: 'thing' }, {}, status))).get('/')
    expect(reply.status).toBe(status)
    expect(reply.text).toBe('')
    for (const header of ['content-type', 'content-length', 'transfer-encoding']) {
      expect(reply.headers.get(header)).toBeNull()
    }
  })

  it('is empty with status 205', async () => {
    const { url } = await answering((res) => send(res, 'x', { any: 'thing' }, {}, 205))
    const reply = await raw(url, 'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(reply).toMatch(/^HTTP\/1\.1 205 /)
    expect(reply).toMatch(/\r\nContent-Length: 0\r\n[^]*\r\n\r\n$/)
  })

  it('is sent with a Content-Length instead of chunks', async () => {
    for (const status of [200, 204]) {
      const reply = await (await answering((res) =>
        send(res.set('Transfer-Encoding', 'chunked'), 'x', null, {}, status)
      ))
        .get('/')
      expect(reply.status).toBe(status)
      expect(reply.headers.get('transfer-encoding')).toBeNull()
    }
  })

  it('is omitted for HEAD, with its Content-Length and ETag', async () => {
    const client = await answering((res) => send(res, 'ok', ['Grüße']))
    const bytes = await raw(client.url, 'HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    const { headers } = await client.get('/')
    expect(bytes).toContain(`\r\nContent-Length: ${headers.get('content-length')}\r\n`)
    expect(bytes).toContain(`\r\nETag: ${headers.get('etag')}\r\n`)
    expect(bytes.endsWith('\r\n\r\n')).toBe(true)
  })

  it('can be sent on a plain response of Node', async () => {
    const client = await serving((_req, res) => send(res as unknown as Response, 'ok', { plain: true }))
    const reply = await client.get('/', { headers: { 'if-none-match': '*' } })
    expect(reply.text).toBe('{"code":200,"message":"ok","data":{"plain":true},"meta":{}}')
    expect(reply.headers.get('etag')).toBeNull()
    expect((await client.send('HEAD', '/')).headers.get('content-length')).toBe(String(reply.text.length))
  })
})

describe('the setting of Express', () => {
  const bodyWith = async (settings: Setup['settings'] & object, data: unknown): Promise<string> =>
    (await (await answering((res) => send(res, 'ok', data), { settings })).get('/')).text

  it('`json spaces` indents the envelope', async () => {
    expect(await bodyWith({ 'json spaces': 2 }, [1])).toBe(
      JSON.stringify({ code: 200, message: 'ok', data: [1], meta: {} }, null, 2),
    )
    expect(await bodyWith({ 'json spaces': '\t' }, null)).toContain('\n\t"data": null,\n')
  })

  it('`json escape` escapes HTML characters', async () => {
    const text = await bodyWith({ 'json escape': true }, '<script>&</script>')
    expect(text).toContain('"\\u003cscript\\u003e\\u0026\\u003c/script\\u003e"')
    expect(JSON.parse(text)).toMatchObject({ data: '<script>&</script>' })
  })

  it('`json replacer` is called with the usual keys and holders', async () => {
    const replacer = function(this: Record<string, unknown>, key: string, value: unknown): unknown {
      return key === 'password' ? undefined : this[key] instanceof Date ? 'a date' : value
    }
    const data = { id: 5n, password: 'x', at: new Date(0) }
    expect(await bodyWith({ 'json replacer': replacer }, data)).toBe(
      '{"code":200,"message":"ok","data":{"id":"5","at":"a date"},"meta":{}}',
    )
  })

  it.each<[string, unknown]>([
    ['that omits null', (_key: string, value: unknown) => value ?? undefined],
    [
      'that omits empty objects',
      (_key: string, value: object | null) => (value !== null && Object.keys(value).length === 0 ? undefined : value),
    ],
    ['that omits everything', () => undefined],
    ['that is a list of keys', ['name']],
  ])('`json replacer` %s keeps the four keys', async (_what, replacer) => {
    expect(await bodyWith({ 'json replacer': replacer }, null)).toBe(
      '{"code":200,"message":"ok","data":null,"meta":{}}',
    )
  })

  it('`json replacer` as a list selects the keys of the data', async () => {
    expect(await bodyWith({ 'json replacer': ['id'] }, [{ id: 1, name: 'Ann' }])).toBe(
      '{"code":200,"message":"ok","data":[{"id":1}],"meta":{}}',
    )
  })

  it('`json replacer` can omit the data', async () => {
    const replacer = (key: string, value: unknown): unknown => (key === 'data' ? undefined : value)
    expect(await bodyWith({ 'json replacer': replacer }, 'secret')).toBe(
      '{"code":200,"message":"ok","data":null,"meta":{}}',
    )
  })

  it('`etag` adds a weak, strong or custom tag to a successful GET or HEAD, or none', async () => {
    const tagOf = async (settings: object, method = 'GET', status = 200): Promise<string | null> =>
      (await (await answering((res) => send(res, 'ok', 1, {}, status), { settings: { ...settings } })).send(
        method,
        '/',
      ))
        .headers
        .get('etag')
    expect(await tagOf({})).toMatch(/^W\/"[^"]+"$/)
    expect(await tagOf({}, 'HEAD')).toBe(await tagOf({}))
    expect(await tagOf({ etag: 'strong' })).toMatch(/^"[^"]+"$/)
    expect(await tagOf({ etag: (body: Buffer) => `"${body.length}"` })).toBe('"46"')
    expect(await tagOf({ etag: () => undefined })).toBeNull()
    expect(await tagOf({ etag: false })).toBeNull()
    expect(await tagOf({}, 'POST')).toBeNull()
    expect(await tagOf({}, 'GET', 404)).toBeNull()
  })

  it('`etag: strong` gives the same tag as Express', async () => {
    const settings = { etag: 'strong' }
    const ours = await (await answering((res) => send(res, 'ok', 1), { settings })).get('/')
    const theirs =
      await (await answering((res) => void res.json({ code: 200, message: 'ok', data: 1, meta: {} }), { settings }))
        .get('/')
    expect(ours.headers.get('etag')).toBe(theirs.headers.get('etag'))
    expect(ours.text).toBe(theirs.text)
  })

  it('`etag: weak` gives different tags to replies of equal length', async () => {
    const tagOf = async (data: unknown): Promise<string | null> =>
      (await (await answering((res) => send(res, 'ok', data))).get('/')).headers.get('etag')
    expect(await tagOf('ab')).toBe(await tagOf('ab'))
    expect(await tagOf('ab')).not.toBe(await tagOf('ba'))
  })

  it('is inherited from an outer app', async () => {
    const inner = express().get('/', (_req, res) => send(res, 'ok'))
    const app = express().set('json spaces', 1).use('/in', inner)
    const client = await serving((req, res) => void app(req, res))
    expect((await client.get('/in')).text).toContain('\n "data": null')
  })
})

describe('a cached copy', () => {
  it.each(['GET', 'HEAD'])('causes a 304 if its tag is current, for %s', async (method) => {
    const client = await answering((res) => send(res.set('X-Request-Id', '7'), 'ok', [1]))
    const etag = (await client.get('/')).headers.get('etag') ?? ''
    const reply = await client.send(method, '/', { headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' } })
    expect([reply.status, reply.text]).toEqual([304, ''])
    expect(reply.headers.get('etag')).toBe(etag)
    expect(reply.headers.get('x-request-id')).toBe('7')
    expect((await client.get('/', { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  it('causes a 304 if its date is current', async () => {
    const modified = 'Sat, 21 Nov 2026 04:00:00 GMT'
    const client = await answering((res) => send(res.set('Last-Modified', modified), 'ok'), {
      settings: { etag: false },
    })
    const since = (date: string) =>
      client.get('/', { headers: { 'if-modified-since': date, 'cache-control': 'max-age=0' } })
    expect((await since(modified)).status).toBe(304)
    expect((await since('Sat, 21 Nov 2026 03:59:59 GMT')).status).toBe(200)
  })

  it('causes a 304 by a tag that was set before', async () => {
    const client = await answering((res) => send(res.set('ETag', '"v7"'), 'ok'))
    const reply = await client.get('/', { headers: { 'if-none-match': '"v7"', 'cache-control': 'max-age=0' } })
    expect([reply.status, reply.headers.get('etag')]).toEqual([304, '"v7"'])
  })

  it.each([['POST', 200], ['GET', 404]])('is ignored for %s with status %i', async (method, status) => {
    const client = await answering((res) => send(res.set('ETag', '"v7"'), 'ok', null, {}, status))
    const reply = await client.send(method, '/', { headers: { 'if-none-match': '"v7"' } })
    expect(reply.body.code).toBe(status)
  })
})

describe('data that cannot be serialised', () => {
  const circular: unknown[] = []
  circular.push(circular)
  const NOTHING = { toJSON: () => undefined }
  it.each<[string, unknown]>([
    ['a circle', circular],
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['a toJSON that throws', { toJSON() {
      throw new TypeError('no')
    } }],
    ['a toJSON that gives nothing', NOTHING],
    ['a toJSON that gives a function', { toJSON: () => () => 1 }],
    ['a getter that throws', { get toJSON() {
      throw new TypeError('no')
    } }],
  ])('(%s) is refused before headers or status change', async (_what, data) => {
    let after: unknown
    const client = await answering((res) => {
      res.status(202).type('text').set('X-Kept', '1')
      const before = JSON.stringify(res.getHeaders())
      expect(() => send(res, 'x', data, {}, 201)).toThrow(TypeError)
      after = [res.statusCode, JSON.stringify(res.getHeaders()) === before, res.headersSent]
      send(res, 'all the same')
    })
    expect((await client.get('/')).body.message).toBe('all the same')
    expect(after).toEqual([202, true, false])
  })

  it.each([undefined, null, 5, {}])('is refused as well as the message %j', async (message) => {
    const client = await answering((res) => {
      expect(() => send(res, message as never, 1)).toThrow(TypeError)
      expect(res.headersSent).toBe(false)
      send(res, 'all the same')
    })
    expect((await client.get('/')).body.message).toBe('all the same')
  })

  it('(with a replacer that throws) is refused before headers or status change', async () => {
    let status = 0
    const replacer = (): never => {
      throw new TypeError('no')
    }
    const client = await answering((res) => {
      expect(() => send(res, 'x', 1, {}, 201)).toThrow('no')
      status = res.statusCode
      res.end('left to the caller')
    }, { settings: { 'json replacer': replacer } })
    expect((await client.get('/')).text).toBe('left to the caller')
    expect(status).toBe(200)
  })

  it('is omitted or null inside objects and lists, as in JSON', async () => {
    const data = {
      keep: 1,
      gone: undefined,
      fn: () => 1,
      none: NOTHING,
      list: [undefined, NOTHING, NaN],
      at: new Date(0),
    }
    const reply = await (await answering((res) => send(res, 'ok', data))).get('/')
    expect(reply.text).toBe(
      '{"code":200,"message":"ok","data":{"keep":1,"list":[null,null,null],"at":"1970-01-01T00:00:00.000Z"},"meta":{}}',
    )
  })

  it('is the only data that is refused', async () => {
    let data: unknown
    const digits = (_key: string, one: unknown): unknown =>
      typeof one === 'bigint' || one instanceof BigInt ? String(one) : one
    const client = await answering((res) => {
      try {
        send(res, 'ok', data)
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError)
        res.end()
      }
    })
    await fc.assert(
      fc.asyncProperty(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withNullPrototype: true,
          withSparseArray: true,
          withBoxedValues: true,
        }),
        async (value) => {
          data = value
          const { text, body } = await client.get('/')
          if (text !== '') expect(Object.keys(body)).toEqual(['code', 'message', 'data', 'meta'])
          if (text !== '') expect(body.data).toEqual(JSON.parse(JSON.stringify(value ?? null, digits)))
        },
      ),
      { numRuns: 200 },
    )
  })

  it('is serialised by one call of toJSON', async () => {
    const asked: unknown[] = []
    const data = { toJSON(key: string) {
      asked.push(key)
      return { id: 1 }
    } }
    expect((await (await answering((res) => send(res, 'ok', data))).get('/')).body.data).toEqual({ id: 1 })
    expect(asked).toEqual(['data'])
  })
})

describe('middleware that wraps the response', () => {
  /** Listens like `on-headers`: once, right before the headers are sent. */
  const onHeaders = (listener: (res: ServerResponse) => void): RequestHandler => (_req, res, next) => {
    const writeHead = res.writeHead.bind(res) as (...args: unknown[]) => Response
    res.writeHead = function(...args: unknown[]) {
      listener(res)
      return writeHead(...args)
    } as typeof res.writeHead
    next()
  }

  /** Compresses like `compression`: it replaces `write` and `end`, and removes the length. */
  const gzipping: RequestHandler = (_req, res, next) => {
    const end = res.end.bind(res) as (chunk?: Buffer) => Response
    res.end = ((chunk?: Buffer) => {
      if (chunk === undefined) return end()
      const zipped = gzipSync(chunk)
      res.removeHeader('Content-Length')
      res.setHeader('Content-Encoding', 'gzip')
      return end(zipped)
    }) as typeof res.end
    next()
  }

  it('can add headers right before they are sent', async () => {
    const seen: number[] = []
    const before = onHeaders((res) => {
      seen.push(res.statusCode)
      res.setHeader('X-Late', 'yes')
    })
    const client = await answering((res) => send(res, 'ok', null, {}, 201), { before })
    const reply = await client.get('/')
    expect([reply.status, reply.headers.get('x-late'), seen]).toEqual([201, 'yes', [201]])
  })

  it('can compress the body', async () => {
    const client = await answering((res) => send(res, 'ok', 'x'.repeat(100)), { before: gzipping })
    const reply = await client.get('/')
    expect(reply.headers.get('content-encoding')).toBe('gzip')
    expect(reply.body.data).toBe('x'.repeat(100))
    expect((await client.send('HEAD', '/')).text).toBe('')
    const etag = reply.headers.get('etag') ?? ''
    expect((await client.get('/', { headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' } })).status).toBe(
      304,
    )
  })

  it('gets the body in one piece', async () => {
    const pieces: unknown[] = []
    const before: RequestHandler = (_req, res, next) => {
      const [write, end] = [res.write.bind(res), res.end.bind(res)] as [
        (...args: unknown[]) => boolean,
        (...args: unknown[]) => Response,
      ]
      res.write = ((...args: unknown[]) => {
        pieces.push(args)
        return write(...args)
      }) as typeof res.write
      res.end = ((...args: unknown[]) => {
        pieces.push(args)
        return end(...args)
      }) as typeof res.end
      next()
    }
    const reply = await (await answering((res) => send(res, 'ok'), { before })).get('/')
    expect(pieces).toEqual([[reply.text, 'utf8']])
    expect(gunzipSync(gzipSync(reply.text)).toString()).toBe(reply.text)
  })
})

describe('a second reply', () => {
  it('throws and does not change the first one', async () => {
    let status: number | undefined
    const client = await answering((res) => {
      send(res, 'first')
      expect(() => send(res, 'second', null, {}, 500)).toThrow(
        expect.objectContaining({ code: 'ERR_HTTP_HEADERS_SENT' }) as Error,
      )
      status = res.statusCode
    })
    expect((await client.get('/')).body.message).toBe('first')
    expect(status).toBe(200)
  })

  it('does no harm if the client has disconnected', async () => {
    let sent: () => void = () => undefined
    const done = new Promise<void>((resolve) => {
      sent = resolve
    })
    const client = await answering((res) => {
      res.once('close', () => {
        expect(res.destroyed).toBe(true)
        send(res, 'too late', 'x'.repeat(100_000))
        sent()
      })
    })
    const socket = connect((client.server.address() as AddressInfo).port, '127.0.0.1')
    const requested = once(client.server, 'request')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await requested
    socket.destroy()
    await done
  })
})

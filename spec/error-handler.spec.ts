import { randomUUID } from 'node:crypto'
import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler,
  type Response } from 'express'
import createError from 'http-errors'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { errorHandler, type ErrorHandlerOptions } from 'resourcery'
import { HttpError, NotFoundError, UnavailableError, ValidationError } from 'resourcery'
import { send } from 'resourcery'
import { raw, serving, type Client } from './support/http.js'

const secret = 'select * from users -- /srv/app/db.ts'

interface Setup extends ErrorHandlerOptions {
  readonly app?: Express
  readonly before?: RequestHandler
}

/** Serves an app whose requests fail; `logged` collects its log. */
async function failing(
  fail: RequestHandler,
  { app = express(), before, ...options }: Setup = {},
): Promise<Client & { logged: unknown[] }> {
  const logged: unknown[] = []
  if (before !== undefined) app.use(before)
  app.use(fail)
  app.use(errorHandler({ log: (error) => logged.push(error), ...options }))
  // The error handler itself has failed.
  app.use(((error, _req, res, _next) => void res.status(599).end(String(error))) as ErrorRequestHandler)
  return Object.assign(await serving((req, res) => void app(req, res)), { logged })
}

/** Fails with any value, even one that Express does not treat as an error. */
function throwing(thrown: unknown): RequestHandler {
  const handler = errorHandler({ log: () => undefined })
  return (req, res, next) => thrown ? next(thrown) : void handler(thrown, req, res, next)
}

describe('any thrown value', () => {
  it.each<[string, unknown]>([
    ['null', null],
    ['undefined', undefined],
    ['an empty string', ''],
    ['a string', secret],
    ['a number', 42],
    ['a symbol', Symbol(secret)],
    ['an error', new Error(secret)],
    ['an error with a success for a status', Object.assign(new Error(secret), { status: 200 })],
    ['an error with a text for a status', Object.assign(new Error(secret), { status: 'ENOENT' })],
    [
      'a proxy that refuses everything',
      new Proxy({}, {
        get() {
          throw new Error('no')
        },
        getPrototypeOf() {
          throw new Error('no')
        },
      }),
    ],
  ])('(%s) is replied in the envelope', async (_what, thrown) => {
    const client = await failing(throwing(thrown))
    const reply = await client.get('/')
    expect(reply.text).toBe('{"code":500,"message":"Something went wrong","data":null,"meta":{"reason":"internal"}}')
    expect(reply.status).toBe(500)
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  it('is replied with the details that may be shown', async () => {
    const client = await failing((req) => {
      if (req.path === '/missing') throw Object.freeze(new NotFoundError('No such user'))
      if (req.path === '/fields') throw new ValidationError({ name: ['Too short', 'Too plain'], age: ['Too young'] })
      if (req.path === '/zod') z.object({ name: z.string('A name') }).parse({})
      throw createError(409, 'Taken', { expose: false })
    })
    expect((await client.get('/missing')).body).toEqual({
      code: 404,
      message: 'No such user',
      data: null,
      meta: { reason: 'not_found' },
    })
    expect((await client.get('/fields')).body).toEqual({
      code: 422,
      message: 'Too short',
      data: { name: ['Too short', 'Too plain'], age: ['Too young'] },
      meta: { reason: 'validation' },
    })
    expect((await client.get('/zod')).body).toMatchObject({ code: 422, data: { name: ['A name'] } })
    expect((await client.get('/other')).body).toMatchObject({ code: 409, message: 'Conflict' })
  })

  it('does not reveal the path of a file that cannot be sent', async () => {
    const client = await failing((req, res) => res.sendFile(`${import.meta.dirname}/${randomUUID()}`))
    const { text, body } = await client.get('/')
    expect(body).toEqual({ code: 404, message: 'Not Found', data: null, meta: { reason: 'not_found' } })
    expect(text).not.toContain(import.meta.dirname)
  })

  it('gets no body in the reply to HEAD', async () => {
    const client = await failing(throwing(new NotFoundError()))
    const reply = await client.send('HEAD', '/')
    expect([reply.status, reply.text]).toEqual([404, ''])
  })
})

describe('an error of a body parser in front', () => {
  const parsing =
    (body: string, headers: Record<string, string>) => async (): Promise<Awaited<ReturnType<Client['get']>>> => {
      const app = express().use(express.json({ limit: 50 }))
      const client = await failing((_req, res) => send(res, 'read'), { app })
      return client.send('POST', '/', { body, headers: { 'content-type': 'application/json', ...headers } })
    }

  it.each([
    ['broken JSON', parsing('{"a":', {}), 400, 'unreadable'],
    ['a JSON string', parsing('"a"', {}), 400, 'unreadable'],
    ['a body too large', parsing(`["${'x'.repeat(60)}"]`, {}), 413, 'too_large'],
    ['a charset', parsing('{}', { 'content-type': 'application/json; charset=koi8-r' }), 415, 'media_type'],
    ['an encoding', parsing('{}', { 'content-encoding': 'zip' }), 415, 'media_type'],
    ['a broken encoding', parsing('{}', { 'content-encoding': 'gzip' }), 400, 'unreadable'],
  ] as const)('is replied in the envelope without the original message: %s', async (_what, ask, status, reason) => {
    const reply = await ask()
    expect(reply.body).toEqual({ code: status, message: expect.any(String) as string, data: null, meta: { reason } })
    expect(reply.text).not.toMatch(/koi8|zip|JSON at|unexpected/i)
    expect(reply.headers.get('connection')).toBe(status === 413 ? 'close' : 'keep-alive')
  })
})

describe('the headers of an error reply', () => {
  it('exclude those that described the failed reply', async () => {
    const gone = {
      'Content-Disposition': 'attachment',
      'Content-Encoding': 'gzip',
      'Content-Language': 'de',
      'Content-Length': '7',
      'Content-Range': 'bytes 0-6/7',
      'Transfer-Encoding': 'chunked',
      Trailer: 'X-Sum',
      ETag: '"v7"',
      'Last-Modified': 'Sat, 21 Nov 2026 04:00:00 GMT',
      'Cache-Control': 'public',
      Expires: 'Sat, 21 Nov 2026 05:00:00 GMT',
      'Accept-Ranges': 'bytes',
    }
    const kept = { 'Access-Control-Allow-Origin': '*', 'X-Request-Id': '7', Vary: 'Origin', 'Set-Cookie': 'a=1' }
    const client = await failing((_req, res, next) => {
      res.type('csv').set({ ...kept, ...gone })
      next(new Error(secret))
    })
    const reply = await client.get('/', { headers: { 'if-none-match': '"v7"' } })
    expect(reply.body.code).toBe(500)
    for (const name of Object.keys(gone)) {
      expect(reply.headers.get(name)).toBe(name === 'Content-Length' ? String(reply.text.length) : null)
    }
    for (const [name, value] of Object.entries(kept)) expect(reply.headers.get(name)).toBe(value)
  })

  it('that the error has itself exclude those of another body', async () => {
    const headers = {
      'Content-Encoding': 'gzip',
      'content-type': 'text/html',
      'Content-Length': '7',
      'transfer-encoding': 'chunked',
      'Retry-After': '9',
      'Content-Range': 'bytes */7',
    }
    const client = await failing((_req, _res, next) => next(createError(416, 'Not there', { headers })))
    const reply = await client.get('/')
    expect(reply.body).toMatchObject({ code: 416, message: 'Not there' })
    const sent = ['content-encoding', 'transfer-encoding', 'content-type', 'content-length', 'retry-after',
      'content-range']
    expect(sent.map((name) => reply.headers.get(name))).toEqual(
      [null, null, 'application/json; charset=utf-8', String(reply.text.length), '9', 'bytes */7'],
    )
  })

  it.each(['no-store', 'private, No-Store', 'no-store, max-age=0'])('keep Cache-Control: %s', async (value) => {
    const client = await failing((_req, res, next) => {
      res.set('Cache-Control', value)
      next(createError(404, 'None'))
    })
    expect((await client.get('/')).headers.get('cache-control')).toBe(value)
  })

  it('include the valid headers of the error', async () => {
    const client = await failing(
      throwing(
        new HttpError(416, 'Out of range', { headers: { 'Content-Range': 'bytes */7', 'X-Bad': 'a\r\nX-Split: b' } }),
      ),
    )
    const reply = await client.get('/')
    expect([reply.status, reply.headers.get('content-range'), reply.headers.get('x-bad')]).toEqual([
      416,
      'bytes */7',
      null,
    ])
  })

  it('include a challenge for a 401 of another library', async () => {
    const client = await failing(throwing(createError(401, 'Who are you?')))
    const reply = await client.get('/')
    expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })
})

describe('the id of the request', () => {
  it.each<[string, unknown, object]>([
    ['a string', 'req-7', { requestId: 'req-7' }],
    ['a number', 7, { requestId: 7 }],
    ['an object', { id: 7 }, {}],
    ['missing', undefined, {}],
  ])('is part of meta if it is %s', async (_what, id, expected) => {
    const client = await failing(throwing(new NotFoundError()), {
      before: (req, _res, next) => next(void Object.assign(req, { id })),
    })
    expect((await client.get('/')).body.meta).toEqual({ reason: 'not_found', ...expected })
  })

  it('is omitted if reading it throws', async () => {
    const before: RequestHandler = (req, _res, next) => {
      Object.defineProperty(req, 'id', { get() {
        throw new Error('no id')
      } })
      next()
    }
    const client = await failing(throwing(new NotFoundError()), { before })
    expect((await client.get('/')).body).toMatchObject({ code: 404, meta: { reason: 'not_found' } })
  })
})

describe('the log of the error handler', () => {
  it('gets every 5xx error as it was thrown, and no 4xx', async () => {
    const thrown = [
      new UnavailableError('The store is down', { cause: new Error(secret) }),
      secret,
      createError(502, secret),
      new NotFoundError(),
      createError(429),
    ]
    const client = await failing((req, _res, next) => next(thrown[Number(req.path.slice(1))]))
    for (const at of thrown.keys()) expect((await client.get(`/${at}`)).text).not.toContain('select')
    expect(client.logged).toEqual(thrown.slice(0, 3))
    expect(client.logged[0]).toBe(thrown[0])
  })

  it('gets the request', async () => {
    const log = vi.fn()
    const client = await failing(throwing(new Error(secret)), { log })
    await client.get('/users?token=x')
    expect(log).toHaveBeenCalledWith(expect.any(Error), expect.objectContaining({ originalUrl: '/users?token=x' }))
  })

  it.each<[string, () => unknown]>([
    ['throws', () => {
      throw new Error('disk full')
    }],
    ['rejects', () => Promise.reject(new Error('disk full'))],
    [
      'rejects in its own way',
      () => ({ then: (_done: unknown, failed: (error: Error) => void) => failed(new Error('disk full')) }),
    ],
    ['never settles', () => new Promise(() => undefined)],
  ])('does not affect the reply if it %s', async (_what, log) => {
    const client = await failing(throwing(new Error(secret)), { log })
    expect((await client.get('/')).body.code).toBe(500)
  })

  it('is the console by default, without the query', async () => {
    const error = vi.spyOn(console, 'error').mockReturnValue()
    onTestFinished(() => error.mockRestore())
    const broken = new Error(secret)
    const app = express().use('/api', throwing(broken), errorHandler())
    const client = await serving((req, res) => void app(req, res))
    await client.send('PATCH', '/api/users/5?token=geheim')
    expect(error.mock.calls).toEqual([['PATCH /api/users/5', broken]])
  })

  it('is the console also outside Express', async () => {
    const error = vi.spyOn(console, 'error').mockReturnValue()
    onTestFinished(() => error.mockRestore())
    const broken = new Error(secret)
    const client = await serving((req, res) =>
      void errorHandler()(broken, req as Request, res as Response, () => undefined)
    )
    expect((await client.get('/users/5?token=geheim')).status).toBe(500)
    expect(error.mock.calls).toEqual([['GET /users/5', broken]])
  })
})

describe('the headers of an error', () => {
  it('are sent, except those that Node.js refuses to send', async () => {
    const headers = {
      'X-Split': 'a\r\nSet-Cookie: b',
      'Bad Name': 'x',
      '': 'x',
      'X-Nothing': undefined,
      'X-Good': 'yes',
      'X-Number': 7,
    }
    const client = await failing((_req, _res, next) => next(createError(429, { headers } as never)))
    const reply = await client.get('/')
    expect(reply.status).toBe(429)
    expect([...reply.headers.keys()].filter((name) => name.startsWith('x-') && name !== 'x-powered-by'))
      .toEqual(['x-good', 'x-number'])
    expect(reply.headers.get('set-cookie')).toBeNull()
  })

  it('contain a challenge for a 401 whose own one cannot be sent', async () => {
    const headers = { 'WWW-Authenticate': 'Basic realm="a\nb"' }
    const client = await failing((_req, _res, next) => next(createError(401, { headers })))
    expect((await client.get('/')).headers.get('www-authenticate')).toBe('Bearer')
  })
})

describe('a request that did not pass through Express', () => {
  it('is logged with its path', async () => {
    const error = vi.spyOn(console, 'error').mockReturnValue()
    onTestFinished(() => error.mockRestore())
    const broken = new Error(secret)
    const handler = errorHandler()
    const client = await serving((req, res) => void handler(broken, req as never, res as never, () => undefined))
    expect((await client.get('/users/5?token=geheim')).body).toMatchObject({ code: 500 })
    expect(error.mock.calls).toEqual([['GET /users/5', broken]])
  })
})

describe('the options of errorHandler', () => {
  it.each<[string, unknown]>([
    ['option_unknown', { logger: () => undefined }],
    ['option_unknown', { trusts: () => true }],
    ['options_shape', null],
    ['options_shape', console.error],
    ['option_function', { log: console }],
    ['option_function', { trust: true }],
    ['option_messages', { messages: 'Oops' }],
    ['option_messages', { messages: null }],
  ])('are refused with %s: %j', (code, options) => {
    expect(() => errorHandler(options as never)).toThrow(expect.objectContaining({ name: 'MisuseError', code }))
  })
})

describe('the option trust', () => {
  const domain = Object.assign(new Error('Out of stock'), { status: 409 })
  it('shows the status and message of an error that the app trusts', async () => {
    const client = await failing(throwing(domain), { trust: (error) => error === domain })
    expect((await client.get('/')).body).toEqual({
      code: 409,
      message: 'Out of stock',
      data: null,
      meta: { reason: 'conflict' },
    })
    expect(client.logged).toEqual([])
  })

  it.each<[string, () => unknown]>([
    ['returns undefined', () => undefined],
    ['returns a truthy value', () => 'yes'],
    ['returns a promise', () => Promise.resolve(true)],
    ['rejects', () => Promise.reject(new Error('no'))],
    ['throws', () => {
      throw new Error('no')
    }],
  ])('grants nothing if it %s, and the error is logged', async (_what, trust) => {
    const client = await failing(throwing(domain), { trust: trust as () => boolean })
    expect((await client.get('/')).body).toMatchObject({ code: 500, message: 'Something went wrong' })
    expect(client.logged).toEqual([domain])
  })
})

describe('the option messages', () => {
  const textOf = async (messages: ErrorHandlerOptions['messages'], error: unknown): Promise<string> =>
    (await (await failing(throwing(error), { messages })).get('/')).body.message

  it('may be a map by reason', async () => {
    const messages = { not_found: 'Nichts gefunden', 'user.has_posts': 'Hat noch Beiträge', internal: 'Kaputt' }
    expect(await textOf(messages, new NotFoundError())).toBe('Nichts gefunden')
    expect(await textOf(messages, Object.assign(createError(409), { reason: 'user.has_posts' }))).toBe(
      'Hat noch Beiträge',
    )
    expect(await textOf(messages, new Error(secret))).toBe('Kaputt')
    expect(await textOf(messages, createError(410))).toBe('Gone')
    expect(await textOf(messages, createError(404, { reason: 'constructor' }))).toBe('Not Found')
    expect(await textOf({ not_found: 42 as never }, new NotFoundError())).toBe('Not found')
  })

  it('may be a function of the failure and the request', async () => {
    const client = await failing(throwing(new NotFoundError()), {
      messages: ({ status, reason }, req) => `${status} ${reason} ${req.get('accept-language')}`,
    })
    expect((await client.get('/', { headers: { 'accept-language': 'de' } })).body.message).toBe('404 not_found de')
  })

  it.each<[string, () => unknown]>([
    ['returns undefined', () => undefined],
    ['returns a number', () => 42],
    ['throws', () => {
      throw new Error('no catalogue')
    }],
    ['rejects', () => Promise.reject(new Error('no catalogue'))],
  ])('falls back to the default message if the function %s', async (_what, messages) => {
    expect(await textOf(messages as never, new NotFoundError('No such user'))).toBe('No such user')
  })

  it('changes only the message', async () => {
    const client = await failing(throwing(new ValidationError({ name: ['Too short'] })), {
      messages: { validation: 'Bitte prüfen' },
    })
    expect((await client.get('/')).body).toEqual({
      code: 422,
      message: 'Bitte prüfen',
      data: { name: ['Too short'] },
      meta: { reason: 'validation' },
    })
  })
})

describe('an error after the reply has begun', () => {
  it('breaks off the reply, and is logged with any status', async () => {
    const error = new NotFoundError()
    const { url, logged } = await failing((_req, res, next) => {
      res.type('csv').write('id,name\n')
      setImmediate(() => next(error))
    })
    const seen = await raw(url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(seen).toContain('id,name')
    expect(seen).not.toMatch(/0\r\n\r\n$|not_found/)
    expect(logged).toEqual([error])
    await expect(fetch(url).then((reply) => reply.text())).rejects.toThrow()
  })

  it('keeps a complete reply', async () => {
    const error = new Error(secret)
    const client = await failing((_req, res, next) => {
      send(res, 'complete')
      next(error)
    })
    expect((await client.get('/')).text).toBe('{"code":200,"message":"complete","data":null,"meta":{}}')
    expect(client.logged).toEqual([error])
  })
})

describe('an error reply that fails', () => {
  const circle: unknown[] = []
  circle.push(circle)

  it.each<[string, Record<string, unknown>]>([
    ['a `json replacer` that throws', { 'json replacer': () => {
      throw new Error(secret)
    } }],
    ['an `etag` that would throw', { etag: () => {
      throw new Error(secret)
    }, 'json replacer': () => circle }],
  ])('is replaced by a constant with %s', async (_what, settings) => {
    const app = express()
    for (const [name, value] of Object.entries(settings)) app.set(name, value)
    const client = await failing(throwing(new NotFoundError()), { app })
    const reply = await client.get('/')
    expect([reply.status, reply.text]).toEqual([
      500,
      '{"code":500,"message":"Something went wrong","data":null,"meta":{"reason":"internal"}}',
    ])
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  it.each<[string, RequestHandler]>([
    ['before it begins', (_req, res, next) => {
      res.writeHead = () => {
        throw new Error(secret)
      }
      next()
    }],
    ['when it has begun', (_req, res, next) => {
      res.end = (() => {
        res.write('half')
        throw new Error(secret)
      }) as never
      next()
    }],
  ])('closes the connection if it fails again %s', async (_what, before) => {
    const { url } = await failing(throwing(new NotFoundError()), { before })
    const seen = await raw(url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(seen).not.toContain('select')
    expect(seen).not.toMatch(/0\r\n\r\n$/)
  })

  it('stays complete if it fails after its end', async () => {
    const before: RequestHandler = (_req, res, next) => {
      const end = res.end.bind(res) as (body: Buffer) => typeof res
      res.end = ((body: Buffer) => {
        end(body)
        throw new Error(secret)
      }) as never
      next()
    }
    const client = await failing(throwing(new NotFoundError()), { before })
    expect((await client.get('/')).body.code).toBe(404)
  })
})

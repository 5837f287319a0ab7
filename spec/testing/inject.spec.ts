import { setTimeout as later } from 'node:timers/promises'
import { Readable } from 'node:stream'
import express, { Router, type Express, type Request } from 'express'
import { auth, errorHandler, issueToken, mountResource, mountRoutes, notFound, permission, RequestParam,
  serve } from 'resourcery'
import { inject } from 'resourcery/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { serving } from '../support/http.js'

const SECRET = 'a secret of the specs with enough bytes in it'

function plainApp(): Express {
  const app = express()
  mountRoutes(app, {
    route: '/things',
    routes: {
      list: { route: '', handler: (req) => ({ query: req.query, ip: req.ip, host: req.headers.host }) },
      add: {
        methods: ['POST'],
        route: '',
        input: z.object({ name: z.string() }),
        status: 201,
        handler: (_req, _res, { name }) => ({ name }),
      },
      upload: {
        methods: ['POST'],
        route: '/upload',
        files: { photo: { maxBytes: 100 } },
        input: z.object({ title: z.string() }),
        handler: async (req, _res, { title }) => ({
          title,
          text: (await RequestParam.file(req, 'photo')?.bytes())?.toString(),
        }),
      },
      stream: {
        route: '/stream',
        handler: (_req, res) => {
          Readable.from(['a', 'ü', 'c']).pipe(res.type('text/plain'))
        },
      },
      breaks: {
        route: '/breaks',
        handler: (_req, res) => {
          res.write('a half')
          res.destroy()
        },
      },
      cookies: {
        route: '/cookies',
        handler: (_req, res) => {
          res.cookie('a', '1').cookie('b', '2').status(204).end()
        },
      },
    },
  })
  app.post('/raw', async (req, res) => {
    let size = 0
    for await (const chunk of req) size += (chunk as Buffer).length
    res.json({ size, type: req.headers['content-type'], length: req.headers['content-length'] })
  })
  app.use(notFound(), errorHandler({ log: () => undefined }))
  return app
}

describe('inject', () => {
  it('sends a request without a port and returns status, headers, text and JSON', async () => {
    const reply = await inject(plainApp(), { method: 'GET', path: '/things?a=1' })
    expect(reply.status).toBe(200)
    expect(reply.headers.get('Content-Type')).toBe('application/json; charset=utf-8')
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(reply.text).toBe(JSON.stringify(reply.json))
    expect(reply.json).toEqual({
      code: 200,
      message: 'ok',
      data: { query: { a: '1' }, ip: '127.0.0.1', host: 'localhost' },
      meta: {},
    })
  })

  it('sends an object as JSON, and other bodies unchanged', async () => {
    const app = plainApp()
    expect(await inject(app, { method: 'post', path: '/things', body: { name: 'Ä' } })).toMatchObject({
      status: 201,
      json: { data: { name: 'Ä' } },
    })
    expect(await inject(app, { method: 'POST', path: '/things', body: 'name=A' })).toMatchObject({ status: 415 })
    expect(
      await inject(app, {
        method: 'POST',
        path: '/things',
        body: '{',
        headers: { 'Content-Type': 'application/json' },
      }),
    )
      .toMatchObject({ status: 400 })
    expect(await inject(app, { method: 'POST', path: '/raw', body: Buffer.alloc(200_000) })).toMatchObject({
      json: { size: 200_000, length: '200000' },
    })
    expect(await inject(app, { method: 'POST', path: '/raw', body: Readable.from(['ab', 'c']) })).toMatchObject({
      json: { size: 3 },
    })
    expect(await inject(app, { method: 'POST', path: '/raw', body: new URLSearchParams({ a: 'b c' }) })).toMatchObject({
      json: { size: 5, type: 'application/x-www-form-urlencoded;charset=UTF-8' },
    })
  })

  it('sends buffers, web streams and async iterables as they are', async () => {
    const chunks = async function*(): AsyncGenerator<string> {
      yield* ['ab', 'c']
    }
    const bodies = [new Uint8Array(3).buffer, new Uint16Array(2).subarray(1), new Blob(['web']).stream(), chunks()]
    for (const [index, size] of [3, 2, 3, 3].entries()) {
      expect(await inject(plainApp(), { method: 'POST', path: '/raw', body: bodies[index] })).toMatchObject({
        json: { size },
      })
    }
  })

  it('sends a body with each method, and never as a request of its own', async () => {
    const seen: string[] = []
    const app = express()
    app.use((req, _res, next) => {
      seen.push(`${req.method} ${req.url}`)
      next()
    }, express.text({ type: () => true }), (req, res) => void res.json(req.body))
    const smuggled = 'GET /secret HTTP/1.1\r\nHost: x\r\n\r\n'
    for (const method of ['GET', 'DELETE', 'OPTIONS', 'POST']) {
      for (const body of [smuggled, Buffer.from(smuggled), Readable.from([smuggled])]) {
        expect(await inject(app, { method, path: '/', body })).toMatchObject({ status: 200, json: smuggled })
      }
    }
    expect(new Set(seen)).toEqual(new Set(['GET /', 'DELETE /', 'OPTIONS /', 'POST /']))
  })

  it('rejects with the error of a body that fails', async () => {
    const failing = async function*(): AsyncGenerator<string> {
      yield 'ab'
      throw new Error('the disk is gone')
    }
    for (const body of [failing(), Readable.from(failing())]) {
      await expect(inject(plainApp(), { method: 'POST', path: '/raw', body })).rejects.toThrow('the disk is gone')
    }
  })

  it('takes headers as an object of `fetch`', async () => {
    const headers = new Headers({ Host: 'api.example.com' })
    expect(await inject(plainApp(), { method: 'GET', path: '/things', headers })).toMatchObject({
      json: { data: { host: 'api.example.com' } },
    })
  })

  it('refuses a caller whose id is no number', async () => {
    await expect(inject(plainApp(), { method: 'GET', path: '/things', as: { id: NaN } })).rejects.toMatchObject({
      code: 'inject_as',
      message: expect.stringContaining('has the id NaN') as string,
    })
  })

  it('uploads forms, and receives a refusal before the body has ended', async () => {
    const app = plainApp()
    const form = (text: string): FormData => {
      const data = new FormData()
      data.set('title', 'Ä')
      data.set('photo', new File([text], 'a.txt'))
      return data
    }
    expect(await inject(app, { method: 'POST', path: '/things/upload', body: form('hello') })).toMatchObject({
      status: 200,
      json: { data: { title: 'Ä', text: 'hello' } },
    })
    expect(await inject(app, { method: 'POST', path: '/things/upload', body: form('x'.repeat(3_000_000)) }))
      .toMatchObject({ status: 413 })
  })

  it('gives a property of a header that is sent several times all of its values', async () => {
    const app = express()
    app.get('/', (_req, res) => void res.cookie('session', '1').cookie('csrf', '2').json({}))
    const { headers } = await inject(app, { method: 'GET', path: '/' })
    expect(headers.getSetCookie()).toEqual(['session=1; Path=/', 'csrf=2; Path=/'])
    expect(headers['set-cookie']).toBe(headers.get('Set-Cookie'))
    expect(headers['set-cookie']).toBe('session=1; Path=/, csrf=2; Path=/')
  })

  it('supports HEAD, 304, 404, 405, chunks and repeated headers like HTTP', async () => {
    const app = plainApp()
    const head = await inject(app, { method: 'HEAD', path: '/things' })
    expect(head).toMatchObject({ status: 200, text: '', json: undefined })
    expect(Number(head.headers['content-length'])).toBeGreaterThan(0)
    expect(await inject(app, { method: 'GET', path: '/things', headers: { 'If-None-Match': head.headers.etag ?? '' } }))
      .toMatchObject({ status: 304, text: '' })
    expect(await inject(app, { method: 'GET', path: '/nothing' })).toMatchObject({
      status: 404,
      json: { meta: { reason: 'not_found' } },
    })
    expect((await inject(app, { method: 'PUT', path: '/things' })).headers.allow).toContain('POST')
    expect(await inject(app, { method: 'GET', path: '/things/stream' })).toMatchObject({
      status: 200,
      text: 'aüc',
      json: undefined,
    })
    expect((await inject(app, { method: 'GET', path: '/things/cookies' })).headers.getSetCookie()).toHaveLength(2)
    expect(await inject(app, { method: 'GET', path: '/things', headers: { Host: 'a b' } })).toMatchObject({
      status: 400,
    })
  })

  it('rejects if the reply breaks off or the request is aborted', async () => {
    await expect(inject(plainApp(), { method: 'GET', path: '/things/breaks' })).rejects.toMatchObject({
      code: 'ECONNRESET',
    })
    const app = express()
    let gone = false
    app.get('/', (_req, res) => {
      res.once('close', () => {
        gone = true
      })
    })
    const signal = AbortSignal.timeout(20)
    await expect(inject(app, { method: 'GET', path: '/', signal })).rejects.toThrow()
    await later(0)
    expect(gone).toBe(true)
  })

  it('works on an app that is also served, concurrently', async () => {
    const app = plainApp()
    const served = await serve(app, { port: 0, host: '127.0.0.1', signals: false })
    onTestFinished(() => served.close())
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, at) => inject(app, { method: 'GET', path: `/things?at=${at}` })),
    )
    expect(replies.map(({ json }) => (json as { data: { query: object } }).data.query)).toEqual(
      replies.map((_, at) => ({ at: String(at) })),
    )
    expect(await (await fetch(`${served.url}/things?at=1`)).json()).toMatchObject({ data: { query: { at: '1' } } })
  })

  it('refuses other values than apps, invalid paths and unknown options', async () => {
    await expect(inject({} as never, { method: 'GET', path: '/' })).rejects.toMatchObject({ code: 'inject_app' })
    await expect(inject(plainApp(), { method: 'GET', path: 'things' })).rejects.toMatchObject({
      code: 'inject_request',
    })
    await expect(inject(plainApp(), { method: 'connect', path: '/things' })).rejects.toMatchObject({
      code: 'inject_request',
    })
    await expect(inject(plainApp(), { method: 'GET', path: '/', sa: { id: 1 } } as never)).rejects.toMatchObject({
      code: 'testing_option_unknown',
    })
  })
})

describe('a request that cannot be sent', () => {
  it.each([
    ['a method with a space', { method: 'GE T' }],
    ['a header with a line break', { headers: { 'x-a': 'a\nb' } }],
    ['a name of a header with a space', { headers: { 'x a': 'b' } }],
    ['a header without a value', { headers: { 'x-a': undefined } }],
    ['a header that is a number', { headers: { 'x-a': 5 } }],
    ['headers that are null', { headers: null }],
    ['a signal that is none', { signal: 5 }],
  ])('is refused: %s', async (_what, options) => {
    const refused = inject(plainApp(), { method: 'GET', path: '/', ...options } as never)
    await expect(refused).rejects.toMatchObject({ name: 'MisuseError', code: 'inject_request' })
  })

  it.each([null, 'ann', 5])('is refused with the caller %s', async (as) => {
    const refused = inject(plainApp(), { method: 'GET', path: '/', as } as never)
    await expect(refused).rejects.toMatchObject({ name: 'MisuseError', code: 'inject_as' })
  })
})

describe('the path of inject', () => {
  it('is encoded as by fetch', async () => {
    const app = express()
    app.get('/:name', (req, res) => void res.json([req.params.name, req.query, req.originalUrl]))
    const { get } = await serving((req, res) => void app(req, res))
    for (const path of ['/a b?q=c d', '/Zoë?q=é', '/%20%7E?q=%41', '/\ud800', '/😀']) {
      expect((await inject(app, { method: 'GET', path })).json).toEqual((await get(path)).body)
    }
  })
})

describe('a caller signed in by inject', () => {
  function guardedApp(): Express {
    const app = express()
    const router = Router()
    const roles = { admin: ['*'], editor: ['desk.notes.list'] }
    router.use(auth('desk', { secret: SECRET }), permission('desk', { roles }))
    const who = (req: Request): unknown => req.auth ?? null
    mountResource(router, {
      app: 'desk',
      route: '/notes',
      name: 'notes',
      handlers: { list: who, create: who },
      custom: {
        open: { methods: ['GET'], route: '/open', auth: false, handler: who },
        maybe: { methods: ['GET'], route: '/maybe', auth: 'optional', can: false, handler: who },
      },
    })
    router.get('/undeclared', (req, res) => {
      res.json(who(req))
    })
    app.use('/desk', router)
    const guards = [auth('shop', { secret: SECRET }), permission('shop', { roles })]
    mountResource(app, { app: 'shop', guards, route: '/orders', name: 'orders', handlers: { list: who } })
    app.use('/both', auth('desk', { secret: SECRET }), auth('shop', { secret: SECRET }))
    app.get('/both', (req, res) => {
      res.json(who(req))
    })
    app.get('/nobody', (req, res) => {
      res.json(who(req))
    })
    app.use(notFound(), errorHandler({ log: () => undefined }))
    return app
  }

  const ask = async (options: Partial<Parameters<typeof inject>[1]>, app = guardedApp()) =>
    inject<{ data: unknown }>(app, { method: 'GET', path: '/desk/notes', ...options })

  it('has the claims of `as`, and the permissions of its role', async () => {
    expect(await ask({ as: { id: 1, role: 'admin', team: 'a' } })).toMatchObject({
      status: 200,
      json: { data: { id: 1, role: 'admin', team: 'a' } },
    })
    expect(await ask({ as: { id: 2, role: 'editor' } })).toMatchObject({ status: 200 })
    expect(await ask({ method: 'POST', as: { id: 2, role: 'editor' } })).toMatchObject({ status: 403 })
    expect(await ask({ as: { id: 3 } })).toMatchObject({ status: 403 })
    expect(await ask({})).toMatchObject({ status: 401 })
    expect(await ask({ path: '/orders', as: { id: 'u1', role: 'admin' } })).toMatchObject({
      status: 200,
      json: { data: { id: 'u1' } },
    })
    expect(await ask({ path: '/desk/undeclared', as: { id: 4 } })).toMatchObject({ status: 200, json: { id: 4 } })
  })

  it('may be changed by the application like the caller of a token, for one request', async () => {
    const app = express()
    app.use(auth('desk', { secret: SECRET }), (req, _res, next) => {
      Object.assign(req.auth ?? {}, { tenantId: 5 })
      const { teams } = req.auth as unknown as { teams: string[] }
      teams.push('b')
      next()
    })
    mountResource(app, { app: 'desk', route: '/notes', name: 'notes', can: false,
      handlers: { list: ({ auth: caller }) => [caller] } })
    app.use(errorHandler({ log: () => undefined }))
    const as = { id: 1, teams: ['a'] }
    const data = { id: 1, teams: ['a', 'b'], tenantId: 5 }
    const token = await issueToken('desk', as, { secret: SECRET })
    const headers = { Authorization: `Bearer ${token}` }
    expect(await ask({ path: '/notes', headers }, app)).toMatchObject({ status: 200, json: { data: [data] } })
    expect(await ask({ path: '/notes', as }, app)).toMatchObject({ status: 200, json: { data: [data] } })
    expect(await ask({ path: '/notes', as }, app)).toMatchObject({ status: 200, json: { data: [data] } })
    expect(as).toEqual({ id: 1, teams: ['a'] })
  })

  it('is the caller of an optional route, but not of a public one', async () => {
    expect(await ask({ path: '/desk/notes/maybe', as: { id: 1 } })).toMatchObject({ json: { data: { id: 1 } } })
    expect(await ask({ path: '/desk/notes/open', as: { id: 1 } })).toMatchObject({ status: 200, json: { data: null } })
  })

  it('replaces the caller of a token of the same application', async () => {
    const token = await issueToken('desk', { id: 9, role: 'editor' }, { secret: SECRET })
    expect(await ask({ headers: { Authorization: `Bearer ${token}` } })).toMatchObject({ json: { data: { id: 9 } } })
    expect(await ask({ headers: { Authorization: `Bearer ${token}` }, as: { id: 1, role: 'admin' } })).toMatchObject({
      json: { data: { id: 1 } },
    })
  })

  it('needs an `auth` on the way, and `app` if there are two', async () => {
    await expect(ask({ path: '/nobody', as: { id: 1 } })).rejects.toMatchObject({ code: 'inject_as' })
    await expect(ask({ path: '/both', as: { id: 1 } })).rejects.toMatchObject({
      code: 'inject_as',
      message: expect.stringContaining('`desk` and `shop`') as string,
    })
    await expect(ask({ as: { app: 'shop', id: 1, role: 'admin' } })).rejects.toMatchObject({
      code: 'inject_as',
      message: expect.stringContaining('`desk`, not of `shop`') as string,
    })
    const token = await issueToken('shop', { id: 5 }, { secret: SECRET })
    expect(await ask({ path: '/both', as: { app: 'desk', id: 1 } })).toMatchObject({ status: 401 })
    expect(await ask({ path: '/both', as: { app: 'desk', id: 1 }, headers: { Authorization: `Bearer ${token}` } }))
      .toMatchObject({ status: 200, json: { id: 5 } })
    await expect(ask({ as: { role: 'admin' } as never })).rejects.toMatchObject({ code: 'inject_as' })
  })

  it('cannot be imitated by the content of a request', async () => {
    const app = guardedApp()
    const caller = JSON.stringify({ id: 1, role: 'admin' })
    expect(await ask({ as: { id: 1, role: 'admin' } }, app)).toMatchObject({ status: 200 })
    expect(
      await ask({
        path: `/desk/notes?as=${encodeURIComponent(caller)}&auth[id]=1`,
        headers: { as: caller, auth: caller, 'x-resourcery-as': caller, cookie: `as=${caller}` },
      }, app),
    )
      .toMatchObject({ status: 401 })
    expect(
      await ask({
        method: 'POST',
        body: { as: { id: 1, role: 'admin' }, auth: { id: 1 }, __proto__: { auth: { id: 1 } } },
      }, app),
    )
      .toMatchObject({ status: 401 })
    const client = await serving(app)
    expect((await client.get('/desk/notes', { headers: { as: caller } })).status).toBe(401)
  })

  it('is not the caller of a pipelined or copied request', async () => {
    const app = express()
    const seen: unknown[] = []
    app.use((req, _res, next) => {
      const copy = Object.create(req) as Request
      void auth('desk', { secret: SECRET })(
        copy,
        _res,
        (error?: unknown) => seen.push((error as Error | undefined)?.message ?? copy.auth),
      )
      next()
    })
    app.use('/desk', auth('desk', { secret: SECRET }), (req, res) => {
      res.json(req.auth)
    })
    app.use(errorHandler({ log: () => undefined }))
    const smuggled = 'GET /desk HTTP/1.1\r\nHost: a\r\n\r\n'
    const reply = await inject(app, {
      method: 'GET',
      path: '/desk',
      as: { id: 1 },
      body: smuggled,
      headers: { 'Content-Length': '0', Connection: 'keep-alive' },
    })
      .catch((error: unknown) => error)
    expect(reply).not.toMatchObject({ json: undefined })
    expect(seen[0]).toBe('Authentication required')
  })
})

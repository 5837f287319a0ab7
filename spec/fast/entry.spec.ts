import { createServer } from 'node:http'
import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler,
  type Response } from 'express'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { errorHandler } from 'resourcery'
import { NotFoundError } from 'resourcery'
import { stackOf, type Layer } from '../../lib/core/express/stack.js'
import { notFound } from 'resourcery'
import { fromHandler } from 'resourcery'
import { resource } from 'resourcery'
import { mountResource } from 'resourcery'
import { serve, type ServeOptions } from 'resourcery'
import { clientOf, raw, serving, type Client } from '../support/http.js'

interface Watched {
  readonly client: Client
  /** The number of requests that reached a handler through Express's router. */
  readonly walks: () => number
}

async function watched(app: Express, options: ServeOptions = {}): Promise<Watched> {
  app.set('env', 'test')
  const { url, server, close } = await serve(app, { port: 0, host: '127.0.0.1', signals: false, ...options })
  onTestFinished(close)
  return { client: clientOf(url, server), walks: () => walked }
}

let walked = 0
beforeEach(() => {
  walked = 0
})

/** The call stack shows if Express's router went through its layers; a wrapper would be noticed. */
function countWalk(): void {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 100
  if (/ next \(.*\/router\/index\.js/.test(new Error().stack ?? '')) walked++
  Error.stackTraceLimit = stackTraceLimit
}

/** Returns the properties of a request that Express sets. */
function told(req: Request, res: Response): object {
  countWalk()
  const { baseUrl, url, originalUrl, params, path, query, hostname } = req
  return {
    baseUrl,
    url,
    originalUrl,
    params,
    path,
    query,
    hostname,
    route: (req.route as { path: string }).path,
    next: typeof req.next,
    res: req.res === res,
    req: res.req === req,
    app: req.app === res.app,
    locals: Object.getPrototypeOf(res.locals as object) === null,
    poweredBy: res.get('X-Powered-By'),
  }
}

const things = {
  route: '/things',
  name: 'things',
  handlers: {
    list: fromHandler((req, res) => void res.json(told(req, res))),
    show: fromHandler((req, res) => void res.json(told(req, res))),
  },
}

describe('a request for a resource without middleware in front', () => {
  it('reaches its route directly, with the properties that Express sets', async () => {
    const app = express()
    mountResource(app, things)
    const { client, walks } = await watched(app)
    const express5 = await serving((req, res) => void app(req, res))
    const host = { headers: { 'x-forwarded-host': 'elsewhere' } }
    for (
      const path of [
        '/things',
        '/things/7',
        '/THINGS/a-b/',
        "/things/!$&'()*+,;=:@~?x=1&y=%zz&z={}",
        '/things/7?',
        '/things/._-?/?',
      ]
    ) {
      const direct = await client.get(path, host)
      const walked = walks()
      const expected = await express5.get(path, host)
      expect([path, direct.status, direct.body]).toEqual([path, expected.status, expected.body])
      expect([path, walks() - walked]).toEqual([path, 1])
    }
    expect(walks()).toBe(6)
  })

  it('reaches any of several resources directly', async () => {
    const app = express()
    for (let at = 0; at < 20; at++) {
      mountResource(app, { ...things, route: `/things${at}`, name: `things${at}` })
      app.use(`/between${at}`, express.Router())
      resource(app, `/built${at}`).show(things.handlers.show)
      app.get(`/by-hand${at}`, (_req, res) => void res.json('by hand'))
    }
    const { client, walks } = await watched(app)
    expect((await client.get('/things0/1')).body).toMatchObject({ route: '/things0/:id' })
    expect((await client.get('/things19/1')).body).toMatchObject({ route: '/things19/:id' })
    expect((await client.get('/built19/1')).body).toMatchObject({ route: '/built19/:id' })
    expect(walks()).toBe(0)
    expect((await client.get('/by-hand19')).text).toBe('"by hand"')
    mountResource(app, { ...things, route: '/late', name: 'late' })
    expect((await client.get('/late/1')).body).toMatchObject({ route: '/late/:id' })
    expect(walks()).toBe(0)
  })

  it('passes through Express if its target is unusual', async () => {
    const app = express()
    mountResource(app, things)
    const { client, walks } = await watched(app)
    expect(await raw(client.url, `GET http://x/things/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toContain(
      '"path":"/things/1"',
    )
    expect(await raw(client.url, `GET /things/1#end HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toContain(
      '"path":"/things/1"',
    )
    expect((await client.get('/things/%31')).body).toMatchObject({ params: { id: '1' } })
    expect((await client.get('/things/%zz')).status).toBe(400)
    expect(walks()).toBe(3)
  })
})

describe('a request for a resource in Routers, behind middleware', () => {
  const calls = (): { readonly middleware: RequestHandler; readonly seen: unknown[] } => {
    const seen: unknown[] = []
    return {
      seen,
      middleware: (req, _res, next) => {
        seen.push([req.baseUrl, req.url, req.params, typeof req.next])
        next()
      },
    }
  }

  it('passes through them in order, without the router of Express', async () => {
    const { middleware, seen } = calls()
    const app = express()
    const [api, inner] = [express.Router(), express.Router()]
    app.use(middleware)
    app.use('/other', () => seen.push('never'))
    app.use('/api', api)
    api.get('/inner', (_req, _res, next) => next())
    api.use('/:tenant', middleware, inner)
    inner.use(async (_req, _res, next) => {
      await Promise.resolve()
      next()
    })
    mountResource(inner, things)
    const { client, walks } = await watched(app)
    const express5 = await serving((req, res) => void app(req, res))
    for (const path of ['/api/one/things/7?x=1', '/API/one/things/', '/api/one/things/7/8', '/api/one', '/api']) {
      const before = walks()
      const direct = await client.get(path)
      expect(walks()).toBe(before)
      const own = seen.splice(0)
      const expected = await express5.get(path)
      expect([path, direct.status, direct.body]).toEqual([path, expected.status, expected.body])
      expect([path, own]).toEqual([path, seen.splice(0)])
    }
  })

  it('reaches a Router that is mounted below a path of its own among many', async () => {
    const app = express()
    for (let at = 0; at < 30; at++) {
      const router = express.Router()
      mountResource(router, { ...things, name: `things${at}` })
      app.use(`/of-${at}`, router)
    }
    const { client, walks } = await watched(app)
    expect((await client.get('/of-29/things/7')).body).toMatchObject({ baseUrl: '/of-29', url: '/things/7' })
    expect((await client.get('/OF-3/things')).status).toBe(200)
    expect((await client.get('/of-30/things')).status).toBe(404)
    expect(walks()).toBe(0)
  })

  it('continues in Express where middleware changes the target or the method', async () => {
    const app = express()
    const api = express.Router()
    app.use('/api', api)
    api.use((req, _res, next) => {
      if (req.url.startsWith('/old')) req.url = req.url.replace('/old', '/things')
      if (req.method === 'PUT') req.method = 'GET'
      next()
    })
    mountResource(api, things)
    app.use('/api/things', (_req, res) => void res.json('behind'))
    const { client } = await watched(app)
    expect((await client.get('/api/old/7?x')).body)
      .toMatchObject({ baseUrl: '/api', url: '/things/7?x', originalUrl: '/api/old/7?x', params: { id: '7' } })
    expect((await client.send('PUT', '/api/things/7')).body).toMatchObject({ params: { id: '7' } })
    expect((await client.send('POST', '/api/things/7')).text).toBe('"behind"')
  })

  it('passes through Express in a Router with `mergeParams` or with callbacks of `param`', async () => {
    for (const mergeParams of [true, false]) {
      const app = express()
      const { middleware, seen } = calls()
      const router = express.Router({ mergeParams })
      if (!mergeParams) router.param('id', middleware as never)
      mountResource(router, things)
      app.use('/of/:owner', router)
      const { client, walks } = await watched(app)
      const before = walks()
      expect((await client.get('/of/me/things/7')).body)
        .toMatchObject({ params: mergeParams ? { owner: 'me', id: '7' } : { id: '7' } })
      expect([walks() - before, seen.length]).toEqual([1, mergeParams ? 0 : 1])
    }
  })

  it('passes through wrappers of layers, of Routers and of mounted apps, whenever they are added', async () => {
    const app = express()
    const [api, shop] = [express.Router(), express()]
    app.use('/api', api)
    app.use('/shop', shop)
    mountResource(api, things)
    mountResource(shop, { ...things, name: 'goods' })
    const { client } = await watched(app)
    expect((await client.get('/shop/things/7')).body).toMatchObject({ baseUrl: '/shop' })
    expect((await client.get('/api/things/7')).status).toBe(200)
    const seen = vi.fn()
    for (const layer of stackOf(app)) {
      const { handleRequest } = layer
      Object.assign(layer, {
        handleRequest(this: Layer, req: Request, res: Response, next: () => void) {
          seen(req.url)
          handleRequest.call(this, req, res, next)
        },
      })
    }
    expect((await client.get('/api/things/7')).status).toBe(200)
    const handled = vi.spyOn(api as unknown as { handle: () => void }, 'handle')
    expect((await client.get('/api/things/7')).status).toBe(200)
    expect([seen.mock.calls, handled.mock.calls.length]).toEqual([[['/things/7'], ['/things/7']], 1])
  })

  it('respects routes and middleware that are added, replaced and removed later', async () => {
    const app = express()
    const api = express.Router()
    app.use('/api', api)
    mountResource(api, things)
    app.use(notFound(), errorHandler())
    const { client } = await watched(app)
    expect((await client.get('/api/late')).status).toBe(404)
    api.get('/late', (_req, res) => void res.json('late'))
    expect((await client.get('/api/late')).text).toBe('"late"')
    api.stack.unshift(...express.Router().use((_req: Request, res: Response) => void res.json('first')).stack)
    expect((await client.get('/api/things/7')).text).toBe('"first"')
    api.stack.shift()
    expect((await client.get('/api/things/7')).body).toMatchObject({ params: { id: '7' } })
  })

  it('gives a wrapper of a Router path arguments of its own', async () => {
    const app = express()
    const api = express.Router()
    app.use('/api', api)
    const wrapped = api as unknown as { handle: RequestHandler }
    const { handle } = wrapped
    wrapped.handle = (req, ...rest) => {
      expect(req.params).toEqual({})
      req.params.seen = 'once'
      Reflect.apply(handle, api, [req, ...rest])
    }
    mountResource(api, things)
    const { client } = await watched(app)
    for (let times = 0; times < 2; times++) expect((await client.get('/api/things/7')).status).toBe(200)
  })

  const callsNextTwice: RequestHandler = (_req, _res, next) => {
    next()
    next()
  }

  it('runs a resource once if middleware in front calls `next` twice', async () => {
    const ran: string[] = []
    const app = express()
    app.use(callsNextTwice)
    mountResource(app, { route: '/once', name: 'once', handlers: { create: () => ran.push('created') } })
    app.use(() => undefined)
    const { client } = await watched(app)
    const express5 = await serving((req, res) => void app(req, res))
    for (const asked of [client, express5]) {
      expect((await asked.post('/once', {})).status).toBe(201)
      expect(ran.splice(0)).toEqual(['created'])
    }
  })

  it('runs no resource of a Router that a second call of `next` would match by the whole path', async () => {
    const ran: string[] = []
    const app = express()
    const api = express.Router()
    app.use('/a', api)
    api.use(callsNextTwice)
    // The Router has restored the path `/a/b` when `next` is called again.
    mountResource(api, { route: '/a', name: 'a', handlers: { show: () => ran.push('shown') } })
    app.use((_req, res) => {
      if (!res.headersSent) res.status(404).json('nothing')
    })
    const { client } = await watched(app)
    const express5 = await serving((req, res) => void app(req, res))
    for (const asked of [client, express5]) {
      expect((await asked.get('/a/b')).text).toBe('"nothing"')
      expect(ran).toEqual([])
    }
  })

  it('runs a resource of the app once if middleware of a Router in front calls `next` twice', async () => {
    const ran: string[] = []
    const app = express()
    const api = express.Router()
    app.use('/a', api)
    api.use(callsNextTwice)
    mountResource(app, { route: '/a', name: 'a', handlers: { create: () => ran.push('created') } })
    app.use(() => undefined)
    const { client } = await watched(app)
    const express5 = await serving((req, res) => void app(req, res))
    for (const asked of [client, express5]) {
      expect((await asked.post('/a', {})).status).toBe(201)
      expect(ran.splice(0)).toEqual(['created'])
    }
  })

  it('passes errors to the error handlers of its Router, then to those of the app', async () => {
    const app = express()
    const api = express.Router()
    const seen: string[] = []
    const handle = (name: string): ErrorRequestHandler => (error: Error, req, res, next) => {
      seen.push(`${name} ${req.baseUrl} ${req.url} ${error.message}`)
      if (req.query.at === name) res.json(name)
      else if (req.query.past === name) next()
      else next(error)
    }
    app.use('/api', api)
    api.use('/things', (req, _res, next) => next(req.query.late === undefined ? new Error('refused') : undefined))
    mountResource(api, { ...things, handlers: { show: () => Promise.reject(new Error('broken')) } })
    api.use('/things/:id', handle('of one'))
    api.use('/others', handle('never'))
    api.use(handle('of the Router'))
    app.use('/api', (_req, res) => void res.json('behind'))
    app.use(handle('of the app'), errorHandler({ log: () => undefined }))
    const { client, walks } = await watched(app)
    const express5 = await serving((req, res) => void app(req, res))
    const asked = ['', '&late', '&at=of one', '&at=of the Router&late', '&past=of the Router', '&past=of the app']
    for (const query of asked) {
      const path = `/api/things/7?x${query.replaceAll(' ', '%20')}`
      const [reply, own] = [await client.get(path), seen.splice(0)]
      const expected = await express5.get(path)
      expect([path, reply.status, reply.text, own]).toEqual([path, expected.status, expected.text, seen.splice(0)])
    }
    expect(walks()).toBe(0)
  })

  it('restores the target where a mount has removed all of the path', async () => {
    const app = express()
    const api = express.Router()
    const seen: string[] = []
    app.use('/api', (req, _res, next) => {
      if (req.query.path === 'removed') req.url = '/?path=removed'
      if (req.query.path === 'replaced') req.url = '/things?path=replaced'
      next()
    }, api)
    mountResource(api, things)
    app.use((req, res) => {
      seen.push(`${req.baseUrl} ${req.url} ${req.originalUrl}`)
      res.json(null)
    })
    const { client } = await watched(app)
    const express5 = await serving((req, res) => void app(req, res))
    const paths = ['/api', '/api/', '/api?x', '/api/?x', '/api/a?x']
    for (const path of [...paths, '/api?path=removed', '/api/?path=replaced', '/api/a?path=removed']) {
      const [reply, own] = [await client.get(path), seen.splice(0)]
      const expected = await express5.get(path)
      expect([path, reply.status, reply.text, own]).toEqual([path, expected.status, expected.text, seen.splice(0)])
    }
  })

  it('restores a `baseUrl` that middleware has changed where Express does', async () => {
    const seen: unknown[] = []
    const onError: ErrorRequestHandler = (error, _req, _res, next) => next(error)
    const app = express()
    app.use((req, _res, next) => {
      req.baseUrl = '/other'
      next()
    })
    app.use((req, _res, next) => {
      seen.push(req.baseUrl)
      next()
    })
    app.use('/things', onError)
    app.get('/things/:id', (req, res) => void res.json(req.baseUrl))
    const { client } = await watched(app)
    const plain = await serving((req, res) => void app(req, res))
    for (const asked of [client, plain]) expect((await asked.get('/things/7')).body).toBe('')
    expect(seen).toEqual(['/other', '/other'])
  })

  it('leaves a Router by `next("router")`, and skips no guard behind it', async () => {
    const app = express()
    const api = express.Router()
    api.use((req, _res, next) => next(req.query.leave === undefined ? undefined : 'router'))
    mountResource(api, things)
    app.use('/api', api)
    app.use('/api', (_req, res) => void res.json('behind'))
    const { client } = await watched(app)
    expect((await client.get('/api/things/7')).body).toMatchObject({ params: { id: '7' } })
    expect((await client.get('/api/things/7?leave')).text).toBe('"behind"')
  })
})

describe('a request passes through Express', () => {
  const counts = (): { readonly middleware: RequestHandler; readonly seen: string[] } => {
    const seen: string[] = []
    return { seen, middleware: (req, _res, next) => {
      seen.push(req.url)
      next()
    } }
  }

  it('if the `handle` of the app is wrapped', async () => {
    const app = express()
    mountResource(app, things)
    const { client } = await watched(app)
    const handled = vi.spyOn(app as unknown as { handle: () => void }, 'handle')
    expect((await client.get('/things/1')).status).toBe(200)
    expect(handled).toHaveBeenCalledOnce()
  })

  it('if the server of the user creates requests of another class', async () => {
    const app = express()
    mountResource(app, things)
    const { client, walks } = await watched(app, { server: createServer() })
    expect((await client.get('/things/1')).body).toMatchObject({ path: '/things/1' })
    expect(walks()).toBe(1)
  })

  it('if a parameter has callbacks', async () => {
    const app = express()
    mountResource(app, things)
    const { client, walks } = await watched(app)
    const { middleware, seen } = counts()
    app.param('id', middleware as never)
    expect((await client.get('/things/1')).status).toBe(200)
    expect([walks(), seen]).toEqual([1, ['/things/1']])
  })

  it('for other methods and paths', async () => {
    const app = express()
    mountResource(app, things)
    app.get('/other', (_req, res) => void res.json('other'))
    const { client } = await watched(app)
    expect((await client.get('/other')).text).toBe('"other"')
    expect((await client.send('OPTIONS', '/things')).headers.get('allow')).toBe('GET, HEAD')
    expect((await client.send('PURGE', '/things')).status).toBe(404)
  })
})

describe('one app on two servers, one of them without the fast path', () => {
  it('sends the same replies on both', async () => {
    const app = express()
    mountResource(app, things)
    const [fast, plain] = [await watched(app), await watched(app, { fast: false })]
    for (const path of ['/things', '/things/7', '/nowhere']) {
      const [one, other] = [await fast.client.get(path), await plain.client.get(path)]
      expect([path, one.status, one.text]).toEqual([path, other.status, other.text])
    }
    expect(walked).toBe(2)
  })

  it('respects settings made after it is served, such as strict routing', async () => {
    const app = express()
    const { client } = await watched(app)
    app.set('strict routing', true)
    mountResource(app, things)
    expect([(await client.get('/things')).status, (await client.get('/things/')).status]).toEqual([200, 404])
  })
})

describe('an error in a route on the fast path', () => {
  it('reaches the error handlers of Express after the route, and none in front', async () => {
    const seen: string[] = []
    const passing = (name: string): ErrorRequestHandler => (error, req, _res, next) => {
      seen.push(`${name} ${req.baseUrl}${req.url} ${String(req.params.id)}`)
      next(error)
    }
    const app = express()
    mountResource(app, {
      route: '/failing',
      name: 'failing',
      handlers: {
        show: () => {
          throw new NotFoundError('Gone')
        },
      },
    })
    mountResource(app, { route: '/other', name: 'other', handlers: { show: () => 'never' } })
    app.get('/failing/:id', () => seen.push('never'))
    app.use('/failing', passing('first'))
    app.use('/elsewhere', passing('never'))
    app.use(passing('second'), errorHandler())
    const { client } = await watched(app)
    const express5 = await serving((req, res) => void app(req, res))
    for (const asked of [client, express5]) {
      const reply = await asked.get('/failing/7')
      expect([reply.status, reply.body]).toEqual([404, {
        code: 404,
        message: 'Gone',
        data: null,
        meta: { reason: 'not_found' },
      }])
      expect(reply.headers.get('x-powered-by')).toBe('Express')
      expect(seen.splice(0)).toEqual(['first /failing/7 undefined', 'second /failing/7 undefined'])
    }
  })

  it('ends as in Express if no error handler replies', async () => {
    const app = express()
    mountResource(app, {
      route: '/failing',
      name: 'failing',
      handlers: {
        show: async () => {
          await Promise.resolve()
          throw new NotFoundError('Gone')
        },
      },
    })
    const { client } = await watched(app)
    const reply = await client.get('/failing/7')
    expect(reply.status).toBe(404)
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8')
  })

  it('lets later routes reply if the handler calls `req.next()` without an error', async () => {
    const app = express()
    mountResource(app, { route: '/passing', name: 'passing', handlers: { show: (req) => {
      req.next?.()
    } } })
    app.get('/passing/:name', (req, res) => void res.json(told(req, res)))
    const { client } = await watched(app)
    expect((await client.get('/passing/7')).body).toMatchObject({
      params: { name: '7' },
      route: '/passing/:name',
      originalUrl: '/passing/7',
    })
  })
})

import { createServer } from 'node:http'
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { errorHandler } from '../../lib/error-handler.js'
import { NotFoundError } from '../../lib/errors.js'
import { fromHandler } from '../../lib/resource/from-handler.js'
import { resource } from '../../lib/resource/builder.js'
import { mountResource } from '../../lib/resource/mount-resource.js'
import { serve, type ServeOptions } from '../../lib/serve.js'
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

/** The call stack shows if Express's router was involved; a wrapper would be noticed. */
function countWalk(): void {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 100
  if (new Error().stack?.includes('/router/index.js')) walked++
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

describe('a request passes through Express', () => {
  const counts = (): { readonly middleware: RequestHandler; readonly seen: string[] } => {
    const seen: string[] = []
    return { seen, middleware: (req, _res, next) => { seen.push(req.url); next() } }
  }

  it('if middleware is mounted in front', async () => {
    const { middleware, seen } = counts()
    const app = express().use(middleware)
    mountResource(app, things)
    const { client, walks } = await watched(app)
    expect((await client.get('/things/1')).status).toBe(200)
    expect([walks(), seen]).toEqual([1, ['/things/1']])
  })

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
    mountResource(app, { route: '/passing', name: 'passing', handlers: { show: (req) => { req.next?.() } } })
    app.get('/passing/:name', (req, res) => void res.json(told(req, res)))
    const { client } = await watched(app)
    expect((await client.get('/passing/7')).body).toMatchObject({
      params: { name: '7' },
      route: '/passing/:name',
      originalUrl: '/passing/7',
    })
  })
})

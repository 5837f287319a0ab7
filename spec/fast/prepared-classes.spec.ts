import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Express } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { prepareClasses } from '../../lib/core/fast/prepared-classes.js'
import { clientOf, serving } from '../support/http.js'
import { served } from '../serve/served.js'

declare module 'express-serve-static-core' {
  interface Request {
    color?: string
    shape?: () => string
  }
  interface Response {
    color?: string
  }
}

/** Returns a request and its response before Express changes them. */
function firstSight(server: Server): Promise<{ req: object; res: object }> {
  return new Promise((resolve) => {
    server.prependOnceListener(
      'request',
      (req, res) => resolve({ req: Object.getPrototypeOf(req) as object, res: Object.getPrototypeOf(res) as object }),
    )
  })
}

/** Replies with the extensions that a handler sees. */
const tell: express.RequestHandler = (req, res) => {
  res.json({ color: req.color, shape: req.shape?.(), res: res.color, own: req.app === res.app, ip: typeof req.ip })
}

async function seen(url: string, server: Server, path = '/'): Promise<unknown> {
  return (await clientOf(url, server).get(path)).body
}

describe('a request of serve()', () => {
  it('has the prototypes of Node.js without the fast path, and its app keeps its own', async () => {
    const app = express().get('/', tell)
    const { request, response } = app
    const { url, server } = await served(app, { fast: false })
    const sight = firstSight(server)
    expect((await clientOf(url, server).get('/')).status).toBe(200)
    expect(await sight).toEqual({ req: IncomingMessage.prototype, res: ServerResponse.prototype })
    expect([app.request === request, app.response === response]).toEqual([true, true])
  })

  it('has the prototypes of its app before Express sets them', async () => {
    const app = express().get('/', tell)
    const { server, url } = await served(app)
    const sight = firstSight(server)
    await clientOf(url, server).get('/')
    expect((await sight).req).toBe(app.request)
    expect((await sight).res).toBe(app.response)
  })

  it('keeps them in routers and handlers', async () => {
    const app = express()
    const router = express.Router().get('/', (req, res) => {
      res.json([
        Object.getPrototypeOf(req) === app.request,
        Object.getPrototypeOf(res) === app.response,
        req.app === app,
        res.req === req,
      ])
    })
    const { server, url } = await served(app.use('/deep', router))
    expect(await seen(url, server, '/deep')).toEqual([true, true, true, true])
  })

  it('keeps the constructors of Node in the prototype chain', async () => {
    const { IncomingMessage, ServerResponse } = await import('node:http')
    const app = express().get(
      '/',
      (req, res) => void res.json([req instanceof IncomingMessage, res instanceof ServerResponse]),
    )
    const { server, url } = await served(app)
    expect(await seen(url, server)).toEqual([true, true])
  })

  it('has the same classes if an app is prepared twice', () => {
    const app = express()
    const first = prepareClasses(app)
    expect(prepareClasses(app).IncomingMessage).toBe(first.IncomingMessage)
    expect(prepareClasses(app).ServerResponse).toBe(first.ServerResponse)
    expect(prepareClasses(express()).IncomingMessage).not.toBe(first.IncomingMessage)
  })

  it('gets the new prototypes from Express if they are replaced later', async () => {
    const app = express().get('/', tell)
    const { server, url } = await served(app)
    const own = Object.create(app.request) as typeof app.request
    own.color = 'red'
    app.request = own
    expect(await seen(url, server)).toMatchObject({ color: 'red', own: true })
  })
})

type Start = (app: Express) => Promise<{ url: string; server: Server }>

const viaServe: Start = served

const viaListen: Start = async (app) => {
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => void server.close())
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const viaServeTwice: Start = async (app) => {
  await served(app)
  return served(app)
}

const viaListenBesideServe: Start = async (app) => {
  await served(app)
  return viaListen(app)
}

const viaOwnServer: Start = (app) => served(app, { server: createServer(app) })

describe.each([
  ['serve', viaServe],
  ['app.listen', viaListen],
  ['serve twice', viaServeTwice],
  ['app.listen beside serve', viaListenBesideServe],
  ['serve with a server of the user', viaOwnServer],
])('extensions under %s', (_name, start) => {
  it('are visible if added before', async () => {
    const app = express().get('/', tell)
    app.request.color = 'red'
    app.response.color = 'blue'
    Object.defineProperty(app.request, 'shape', { value: () => 'round', enumerable: false })
    const { url, server } = await start(app)
    expect(await seen(url, server)).toEqual({ color: 'red', shape: 'round', res: 'blue', own: true, ip: 'string' })
  })

  it('are visible if added later', async () => {
    const app = express().get('/', tell)
    const { url, server } = await start(app)
    app.request.color = 'red'
    app.response.color = 'blue'
    expect(await seen(url, server)).toMatchObject({ color: 'red', res: 'blue', own: true })
  })

  it('can override and call methods of Express and Node', async () => {
    const app = express().get('/', tell)
    const json = Reflect.get(app.response, 'json') as (body: object) => express.Response
    app.response.json = function(body: object) {
      return Reflect.apply(json, this, [{ ...body, wrapped: true }])
    }
    const { url, server } = await start(app)
    expect(await seen(url, server)).toMatchObject({ wrapped: true })
  })

  it('on the prototypes of Express are visible in every app', async () => {
    onTestFinished(() => {
      delete express.request.color
    })
    const app = express().get('/', tell)
    const { url, server } = await start(app)
    express.request.color = 'every'
    expect(await seen(url, server)).toMatchObject({ color: 'every' })
  })

  it('reach sub-apps mounted before, whenever they are added', async () => {
    const inner = express().get('/', tell)
    const middle = express().use('/inner', inner)
    const app = express().use('/middle', middle)
    app.request.color = 'before'
    const { url, server } = await start(app)
    expect(await seen(url, server, '/middle/inner')).toMatchObject({ color: 'before', own: true })
    app.request.color = 'after'
    app.response.color = 'blue'
    expect(await seen(url, server, '/middle/inner')).toMatchObject({ color: 'after', res: 'blue', own: true })
  })

  it('reach sub-apps mounted later', async () => {
    const app = express()
    app.request.color = 'before'
    const { url, server } = await start(app)
    app.use('/inner', express().get('/', tell))
    expect(await seen(url, server, '/inner')).toMatchObject({ color: 'before', own: true })
    app.response.color = 'blue'
    expect(await seen(url, server, '/inner')).toMatchObject({ color: 'before', res: 'blue' })
  })

  it('of a sub-app are visible in it only', async () => {
    const inner = express().get('/', tell)
    inner.request.color = 'inner'
    const app = express().use('/inner', inner).get('/', tell)
    app.request.color = 'outer'
    const { url, server } = await start(app)
    expect(await seen(url, server, '/inner')).toMatchObject({ color: 'inner' })
    expect(await seen(url, server)).toMatchObject({ color: 'outer' })
  })

  it('of the outer app apply again after a sub-app that did not reply', async () => {
    const inner = express().use((_req, _res, next) => next())
    inner.request.color = 'inner'
    const app = express().use(inner).get('/', tell)
    app.request.color = 'outer'
    const { url, server } = await start(app)
    expect(await seen(url, server)).toMatchObject({ color: 'outer', own: true })
  })
})

/** Replies with the names of the classes, and if the prototypes are those of the app. */
const describeClasses: express.RequestHandler = (req, res) => {
  res.json({
    names: [req.constructor.name, res.constructor.name],
    own: [
      Object.getPrototypeOf(req) === (req.app as Express).request,
      Object.getPrototypeOf(res) === (req.app as Express).response,
    ],
  })
}

/** Wraps `json` of the object that it inherits from. */
function wrapping(parent: object): express.Response {
  const wrapper = {
    json(body: object): unknown {
      return Reflect.apply(super.json as express.Response['json'], this, [{ ...body, wrapped: true }])
    },
  }
  return Object.setPrototypeOf(wrapper, parent) as express.Response
}

function subclass(parent: object): express.Response {
  class Wrapped {
    json(body: object): express.Response {
      return Reflect.apply(Reflect.get(parent, 'json') as express.Response['json'], this, [{ ...body, wrapped: true }])
    }
  }
  Object.setPrototypeOf(Wrapped.prototype, parent)
  return Wrapped.prototype as unknown as express.Response
}

type Change = (app: Express) => void

const CHANGES: readonly [string, Change][] = [
  ['an object above the former', (app) => (app.response = wrapping(app.response))],
  ['a frozen object above the former', (app) => (app.response = Object.freeze(wrapping(app.response)))],
  ['two objects above the former', (app) => (app.response = Object.create(wrapping(app.response)) as express.Response)],
  ['a class above the former', (app) => (app.response = subclass(app.response))],
  [
    'an object below the former',
    (app) => void Object.setPrototypeOf(app.response, wrapping(Object.getPrototypeOf(app.response) as object)),
  ],
  [
    'an object below the former, which is frozen',
    (app) =>
      void Object.freeze(Object.setPrototypeOf(app.response, wrapping(Object.getPrototypeOf(app.response) as object))),
  ],
]

describe.each([['serve', viaServe], ['app.listen', viaListen], ['serve twice', viaServeTwice], [
  'app.listen beside serve',
  viaListenBesideServe,
]])(
  'a replaced prototype under %s',
  (_name, start) => {
    it.each(CHANGES)('is in the chain if set before: %s', async (what, change) => {
      const app = express().get('/', describeClasses)
      change(app)
      const { url, server } = await start(app)
      const name = what.includes('class') ? 'Wrapped' : 'ServerResponse'
      expect(await seen(url, server)).toEqual({ names: ['IncomingMessage', name], own: [true, true], wrapped: true })
    })

    it.each(CHANGES)('is in the chain if set later: %s', async (_what, change) => {
      const app = express().get('/', describeClasses)
      const { url, server } = await start(app)
      change(app)
      expect(await seen(url, server)).toMatchObject({ own: [true, true], wrapped: true })
    })

    it.each([['frozen', Object.freeze], ['sealed', Object.seal], ['closed', Object.preventExtensions]])(
      'may be that of Express, %s',
      async (_what, close) => {
        const app = express().get('/', describeClasses)
        close(app.request)
        close(app.response)
        const { url, server } = await start(app)
        expect(await seen(url, server)).toEqual({ names: ['IncomingMessage', 'ServerResponse'], own: [true, true] })
      },
    )
  },
)

describe('an app that is served alone', () => {
  it('can be mounted in another app afterwards', async () => {
    const inner = express().get('/', tell)
    const alone = await served(inner)
    const outer = express().use('/inner', inner)
    outer.request.color = 'outer'
    const together = await served(outer)
    expect(await seen(alone.url, alone.server)).toMatchObject({ color: 'outer', own: true })
    expect(await seen(together.url, together.server, '/inner')).toMatchObject({ color: 'outer', own: true })
  })

  it('can be mounted in another app before', async () => {
    const inner = express().get('/', tell)
    const outer = express().use('/inner', inner)
    const alone = await served(inner)
    const together = await served(outer)
    outer.request.color = 'outer'
    expect(await seen(alone.url, alone.server)).toMatchObject({ color: 'outer' })
    expect(await seen(together.url, together.server, '/inner')).toMatchObject({ color: 'outer' })
  })

  it('does not share its extensions with other apps', async () => {
    const [one, two] = [express().get('/', tell), express().get('/', tell)]
    const first = await served(one)
    const second = await served(two)
    one.request.color = 'one'
    expect(await seen(first.url, first.server)).toMatchObject({ color: 'one', own: true })
    expect(await seen(second.url, second.server)).not.toHaveProperty('color')
  })

  it('still works as a plain listener', async () => {
    const app = express().get('/', tell)
    app.request.color = 'red'
    await served(app)
    const client = await serving(app)
    expect((await client.get('/')).body).toMatchObject({ color: 'red', own: true })
  })
})

import express, { Router, type Express } from 'express'
import { describe, expect, it } from 'vitest'
import { lastLayer, stackOf, type Layer } from '../../lib/core/express/stack.js'
import { mountResource } from 'resourcery'
import { served } from '../serve/served.js'
import { clientOf, serving, type Client } from '../support/http.js'

/*
 * A tracer may wrap any function between a server and a handler, at any time: it is called for a request of a resource
 * like for one of a plain Express route.
 */

type Wrapped = Record<string, (this: unknown, ...args: unknown[]) => unknown>

/** Wraps a function of an object until the test ends, and returns how often it was called. */
function wrap(owner: object, name: string): () => number {
  const functions = owner as Wrapped
  const own = Object.getOwnPropertyDescriptor(functions, name)
  const original = functions[name]
  let calls = 0
  functions[name] = function(...args) {
    calls++
    return original?.apply(this, args)
  }
  return () => {
    if (own === undefined) Reflect.deleteProperty(functions, name)
    else Object.defineProperty(functions, name, own)
    return calls
  }
}

interface Built {
  readonly app: Express
  readonly router: Router
  /** Returns the layer of the requested route. */
  readonly layer: () => Layer
}

const routeOf = (layer: Layer): object => layer.route ?? {}
const prototypeOf = (object: object): object => Object.getPrototypeOf(object) as object

const PLACES: Readonly<Record<string, readonly [owner: (built: Built) => object, name: string]>> = {
  'app.handle': [({ app }) => app, 'handle'],
  'router.handle of the app': [({ app }) => app.router, 'handle'],
  'router.handle of the Router': [({ router }) => router, 'handle'],
  'Router.prototype.handle': [() => Router.prototype as object, 'handle'],
  'layer.handle': [({ layer }) => layer(), 'handle'],
  'layer.handleRequest': [({ layer }) => layer(), 'handleRequest'],
  'layer.match': [({ layer }) => layer(), 'match'],
  'Layer.prototype.handleRequest': [({ layer }) => prototypeOf(layer()), 'handleRequest'],
  'route.dispatch': [({ layer }) => routeOf(layer()), 'dispatch'],
  'Route.prototype.dispatch': [({ layer }) => prototypeOf(routeOf(layer())), 'dispatch'],
  'the handler in its route': [({ layer }) => layer().route?.stack[0] ?? {}, 'handle'],
}

const SERVERS: Readonly<Record<string, (app: Express) => Promise<Client>>> = {
  'serve': async (app) => {
    const { url, server } = await served(app)
    return clientOf(url, server)
  },
  'app.listen': (app) => serving((req, res) => void app(req, res)),
}

type Mount = (target: Express | Router) => void

const byResource: Mount = (target) =>
  mountResource(target, { route: '/items', name: 'items', handlers: { show: () => 'tea' } })
const byHand: Mount = (target) => void (target as Router).get('/items/:id', (_req, res) => void res.json({}))

function build(isNested: boolean, mount: Mount): Built {
  const app = express().set('env', 'test')
  const router = Router()
  if (isNested) app.use('/api', router)
  else app.use('/other', router)
  mount(isNested ? router : app)
  return { app, router, layer: () => lastLayer(stackOf(isNested ? router : app)) }
}

describe.each(Object.entries(SERVERS))('under %s', (_server, start) => {
  describe.each([[false, 'the app', '/items/1'], [true, 'a Router', '/api/items/1']] as const)(
    'a resource on %s%s',
    (isNested, _on, path) => {
      it.each(Object.entries(PLACES))('passes its requests through a wrapped %s', async (_place, [ownerOf, name]) => {
        const seen: number[] = []
        for (const mount of [byHand, byResource]) {
          const built = build(isNested, mount)
          const client = await start(built.app)
          expect((await client.get(path)).status).toBe(200)
          const calls = wrap(ownerOf(built), name)
          expect((await client.get(path)).status).toBe(200)
          seen.push(calls())
        }
        const [byHandSeen = 0, byResourceSeen = 0] = seen
        expect([byResourceSeen, byHandSeen > 0]).toEqual([byHandSeen, byHandSeen > 0])
      })
    },
  )
})

it('passes its errors through a wrapped function of a later layer', async () => {
  const app = express().set('env', 'test')
  mountResource(app, {
    route: '/items',
    name: 'items',
    handlers: {
      show: () => {
        throw new Error('It broke')
      },
    },
  })
  app.use(
    ((_error: unknown, _req: unknown, res: express.Response, _next: unknown) =>
      void res.status(500).json({})) as express.ErrorRequestHandler,
  )
  const { url, server } = await served(app)
  const client = clientOf(url, server)
  expect((await client.get('/items/1')).status).toBe(500)
  const calls = wrap(prototypeOf(lastLayer(stackOf(app))), 'handleError')
  expect((await client.get('/items/1')).status).toBe(500)
  expect(calls()).toBe(1)
})

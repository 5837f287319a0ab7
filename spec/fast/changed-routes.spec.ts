import { tracingChannel } from 'node:diagnostics_channel'
import express, { Router } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mountResource } from 'resourcery'
import { resource } from 'resourcery'
import { routesOf } from 'resourcery'
import { lastLayer, stackOf, type Layer } from '../../lib/core/express/stack.js'
import { served } from '../serve/served.js'
import { clientOf, serving, type Client } from '../support/http.js'

const things = (name: string) => ({
  route: `/${name}`,
  name,
  handlers: { list: () => name, show: (_req: unknown, _res: unknown, { id }: { id: string }) => `${name} ${id}` },
})

type Start = (app: express.Express) => Promise<Client>

const STARTS: readonly (readonly [string, Start])[] = [
  ['Express alone', (app) => serving((req, res) => void app(req, res))],
  ['the fast path', async (app) => {
    const { url, server } = await served(app)
    return clientOf(url, server)
  }],
]

const dataOf = async (client: Client, path: string): Promise<unknown> =>
  ((await client.get(path)).body as { data?: unknown } | undefined)?.data

/** Returns the paths of the routes in a stack, and the names of its other layers. */
const layersOf = (target: object): unknown[] => stackOf(target).map(({ route, name }) => route?.path ?? name)

describe.each(STARTS)('the routes of resources behind %s', (_name, start) => {
  const client = (app: express.Express): Promise<Client> => start(app.set('env', 'test'))

  it('are the layers of a stack, without others, and are tried in its order', async () => {
    const app = express()
    for (const name of ['a', 'b', 'c']) mountResource(app, things(name))
    expect(layersOf(app)).toEqual(['/a', '/a/:id', '/b', '/b/:id', '/c', '/c/:id'])
    app.get('/b/:id', (_req, res) => void res.json({ data: 'too late' }))
    app.get('/d/:id', (_req, res) => void res.json({ data: 'first' }))
    mountResource(app, things('d'))
    expect(layersOf(app).slice(6)).toEqual(['/b/:id', '/d/:id', '/d', '/d/:id'])
    const asked = await client(app)
    expect([
      await dataOf(asked, '/b/1'),
      await dataOf(asked, '/c/2'),
      await dataOf(asked, '/d/3'),
      await dataOf(asked, '/d'),
    ])
      .toEqual(['b 1', 'c 2', 'first', 'd'])
  })

  it('are left to Express if a tracer subscribes to its events', async () => {
    const app = express()
    mountResource(app, things('a'))
    const asked = await client(app)
    const seen: unknown[] = []
    const subscribers = { start: (context: object) => void seen.push((context as { route?: unknown }).route) }
    const channel = tracingChannel('express.router.request')
    channel.subscribe(subscribers as never)
    onTestFinished(() => channel.unsubscribe(subscribers as never))
    expect(await dataOf(asked, '/a/1')).toBe('a 1')
    expect(seen).toEqual(['/a/:id'])
  })

  it('are not served any more if they were removed from the stack', async () => {
    const app = express()
    mountResource(app, things('a'))
    mountResource(app, things('b'))
    const asked = await client(app)
    expect(await dataOf(asked, '/a/1')).toBe('a 1')
    const stack = stackOf(app) as Layer[]
    stack.splice(stack.findIndex(({ rawPath }) => rawPath === '/a/:id'), 1)
    expect((await asked.get('/a/1')).status).toBe(404)
    expect(await dataOf(asked, '/b/1')).toBe('b 1')
  })

  it('are those of a stack that replaces another one', async () => {
    const app = express()
    mountResource(app, things('a'))
    const asked = await client(app)
    expect(await dataOf(asked, '/a/1')).toBe('a 1')
    Object.assign(app.router, { stack: stackOf(app).filter(({ rawPath }) => rawPath !== '/a/:id') })
    expect((await asked.get('/a/1')).status).toBe(404)
    expect(await dataOf(asked, '/a')).toBe('a')
  })

  it('are not served if as many layers were added as removed', async () => {
    const app = express()
    mountResource(app, things('a'))
    const asked = await client(app)
    expect(await dataOf(asked, '/a/1')).toBe('a 1')
    const stack = stackOf(app) as Layer[]
    stack.splice(stack.findIndex(({ rawPath }) => rawPath === '/a/:id'), 1)
    app.use((_req, _res, next) => next())
    expect((await asked.get('/a/1')).status).toBe(404)
    expect(await dataOf(asked, '/a')).toBe('a')
  })

  it.each<[string, (stack: Layer[], first: Layer) => void]>([
    ['has moved to the front', (stack, first) => void stack.unshift(...stack.splice(stack.indexOf(first), 1))],
    [
      'has replaced a route in between',
      (stack, first) =>
        void stack.splice(
          stack.findIndex(({ route }) => route?.path === '/b'),
          1,
          ...stack.splice(stack.indexOf(first), 1),
        ),
    ],
    ['has changed places with a route in between', (stack, first) => {
      const [at, other] = [stack.indexOf(first), stack.findIndex(({ route }) => route?.path === '/b')]
      stack[at] = stack[other] ?? first
      stack[other] = first
    }],
  ])('are tried in a new order at the next request if middleware %s', async (_what, move) => {
    const app = express()
    mountResource(app, things('a'))
    mountResource(app, things('b'))
    mountResource(app, things('c'))
    app.use((_req, res) => void res.json({ data: 'first' }))
    app.use((_req, res) => void res.json({ data: 'never' }))
    const asked = await client(app)
    expect(await dataOf(asked, '/c/1')).toBe('c 1')
    const stack = stackOf(app) as Layer[]
    move(stack, lastLayer(stack.slice(0, -1)))
    expect(await dataOf(asked, '/c/1')).toBe('first')
  })

  it('refuse a path that cannot be decoded', async () => {
    const app = express()
    mountResource(app, things('a'))
    expect((await (await client(app)).get('/a/%zz')).status).toBe(400)
  })

  it('are where their builder was made', async () => {
    const router = Router()
    const early = resource(router, '/early')
    mountResource(router, things('a'))
    resource(router, '/late').list(() => 'late')
    early.list(() => 'early').show((_req, _res, { id }) => `early ${id}`)
    const app = express().use(router)
    expect(routesOf(app).map(({ path }) => path)).toEqual(['/early', '/early/:id', '/a', '/a/:id', '/late'])
    const asked = await client(app)
    expect(await Promise.all(['/early', '/early/1', '/a/1', '/late'].map((path) => dataOf(asked, path)))).toEqual([
      'early',
      'early 1',
      'a 1',
      'late',
    ])
  })

  it('are the same from consecutive builders behind a resource', async () => {
    const app = express()
    mountResource(app, things('a'))
    for (const name of ['b', 'c', 'd']) resource(app, `/${name}`).show((_req, _res, { id }) => `${name} ${id}`)
    app.get('/d/:id', (_req, res) => res.send('never'))
    resource(app, '/e').show((_req, _res, { id }) => `e ${id}`)
    const asked = await client(app)
    for (let round = 0; round < 2; round++) {
      expect(await Promise.all(['/a/1', '/b/1', '/c/1', '/d/1', '/e/1'].map((path) => dataOf(asked, path)))).toEqual([
        'a 1',
        'b 1',
        'c 1',
        'd 1',
        'e 1',
      ])
    }
    expect(layersOf(app)).toEqual(['/a', '/a/:id', '/b/:id', '/c/:id', '/d/:id', '/d/:id', '/e/:id'])
  })

  it('are served once a builder that could not be sealed can be', async () => {
    const app = express()
    resource(app, '/a').name('a').show((_req, _res, { id }) => `a ${id}`)
    const twice = resource(app, '/b').name('a').show((_req, _res, { id }) => `b ${id}`)
    resource(app, '/c').name('c').show((_req, _res, { id }) => `c ${id}`)
    app.get('/c/:id', (_req, res) => res.send('never'))
    expect(() => routesOf(app)).toThrow('a second time')
    twice.name('b')
    const asked = await client(app)
    expect(await Promise.all(['/a/1', '/b/1', '/c/1'].map((path) => dataOf(asked, path)))).toEqual([
      'a 1',
      'b 1',
      'c 1',
    ])
  })
})

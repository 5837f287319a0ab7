import { tracingChannel } from 'node:diagnostics_channel'
import express, { Router } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mountResource } from '../../lib/core/resource/mount-resource.js'
import { resource } from '../../lib/core/resource/builder.js'
import { routesOf } from 'resourcery'
import { lastLayer, openStackOf, type Layer } from '../../lib/core/express/stack.js'
import { indexAt } from '../../lib/core/fast/route-group.js'
import { served } from '../serve/served.js'
import { clientOf, serving, type Client } from '../support/http.js'

const things = (name: string) => ({
  route: `/${name}`,
  name,
  handlers: { list: () => name, show: (_req: unknown, _res: unknown, { id }: { id: string }) => `${name} ${id}` },
})

function client(app: express.Express): Promise<Client> {
  app.set('env', 'test')
  return serving((req, res) => void app(req, res))
}

const dataOf = async (client: Client, path: string): Promise<unknown> =>
  ((await client.get(path)).body as { data?: unknown } | undefined)?.data

const headsOf = (target: object): Layer[] =>
  openStackOf(target).filter((_layer, at, stack) => indexAt(stack, at, '/') !== undefined)

describe('a group of routes', () => {
  it('consists of consecutive resources, and ends at any other layer', async () => {
    const app = express()
    for (const name of ['a', 'b', 'c']) mountResource(app, things(name))
    expect(headsOf(app)).toHaveLength(1)
    app.get('/b/:id', (_req, res) => void res.json({ data: 'too late' }))
    app.get('/d/:id', (_req, res) => void res.json({ data: 'first' }))
    mountResource(app, things('d'))
    expect(headsOf(app)).toHaveLength(2)
    const asked = await client(app)
    expect([
      await dataOf(asked, '/b/1'),
      await dataOf(asked, '/c/2'),
      await dataOf(asked, '/d/3'),
      await dataOf(asked, '/d'),
    ])
      .toEqual(['b 1', 'c 2', 'first', 'd'])
  })

  it('lets Express handle the request if a tracer subscribes to its events', async () => {
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

  it('lets Express handle the request if a route was removed from the stack', async () => {
    const app = express()
    mountResource(app, things('a'))
    mountResource(app, things('b'))
    const asked = await client(app)
    expect(await dataOf(asked, '/a/1')).toBe('a 1')
    const stack = openStackOf(app) as Layer[]
    stack.splice(stack.findIndex(({ rawPath }) => rawPath === '/a/:id'), 1)
    expect((await asked.get('/a/1')).status).toBe(404)
    expect(await dataOf(asked, '/b/1')).toBe('b 1')
    expect(headsOf(app)).toEqual([])
  })

  it('lets Express handle the request if the stack was replaced', async () => {
    const app = express()
    mountResource(app, things('a'))
    const asked = await client(app)
    expect(await dataOf(asked, '/a/1')).toBe('a 1')
    Object.assign(app.router, { stack: openStackOf(app).filter(({ rawPath }) => rawPath !== '/a/:id') })
    expect((await asked.get('/a/1')).status).toBe(404)
    expect(await dataOf(asked, '/a')).toBe('a')
  })

  it('lets Express handle the request if as many layers were added as removed', async () => {
    const app = express()
    mountResource(app, things('a'))
    const asked = await client(app)
    expect(await dataOf(asked, '/a/1')).toBe('a 1')
    const stack = openStackOf(app) as Layer[]
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
  ])('notices at the next request that middleware %s', async (_what, move) => {
    const app = express()
    mountResource(app, things('a'))
    mountResource(app, things('b'))
    mountResource(app, things('c'))
    app.use((_req, res) => void res.json({ data: 'first' }))
    app.use((_req, res) => void res.json({ data: 'never' }))
    const [listening, { url, server }] = [await client(app), await served(app)]
    const serving = clientOf(url, server)
    for (const asked of [listening, serving]) expect(await dataOf(asked, '/c/1')).toBe('c 1')
    const stack = openStackOf(app) as Layer[]
    move(stack, lastLayer(stack.slice(0, -1)))
    for (const asked of [listening, serving]) expect(await dataOf(asked, '/c/1')).toBe('first')
  })

  it('lets Express handle a path that cannot be decoded', async () => {
    const app = express()
    mountResource(app, things('a'))
    expect((await (await client(app)).get('/a/%zz')).status).toBe(400)
  })

  it('keeps a builder in its position', async () => {
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
    expect(headsOf(router)).toHaveLength(2)
  })

  it('includes consecutive builders and preceding resources', async () => {
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
    expect(headsOf(app)).toHaveLength(2)
  })

  it('excludes a builder that cannot be sealed, until it can', async () => {
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
    expect(headsOf(app)).toHaveLength(1)
  })
})

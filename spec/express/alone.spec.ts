import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import express, { Router, type Express } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { auth } from 'resourcery'
import { errorHandler } from 'resourcery'
import { stackOf } from '../../lib/core/express/stack.js'
import { IS_FAST } from '../../lib/core/fast/fast.js'
import { isFast } from '../../lib/core/routing/request-state.js'
import { notFound } from 'resourcery'
import { permission } from 'resourcery'
import { resource } from 'resourcery'
import { mountResource } from 'resourcery'
import { request } from '../../lib/core/serve/in-process.js'
import { clientOf, type Client } from '../support/http.js'
import { served } from '../serve/served.js'

const list = (): string[] => []
const show = (_req: unknown, _res: unknown, { id }: { id: string }): string => id

/** An app with resources in it and in a Router, declared in every way, behind guards and in front of middleware. */
function mounted(): { readonly app: Express; readonly admin: Router } {
  const [app, admin] = [express(), Router()]
  mountResource(app, { route: '/posts', name: 'posts', handlers: { list, show } })
  app.use('/admin', auth('admin', { verify: () => ({ id: 1 }) }), permission('admin', { allows: () => true }), admin)
  resource(admin, '/users').app('admin').show(show).get('count', '/count', () => 1).list(list)
  app.use(notFound(), errorHandler({ log: () => undefined }))
  return { app, admin }
}

/** An app that records by which path its requests are answered. */
function recording(): { readonly app: Express; readonly used: readonly string[] } {
  const used: string[] = []
  const app = express()
  mountResource(app, {
    route: '/posts',
    name: 'posts',
    handlers: {
      list: (req) => {
        used.push(isFast(req) ? 'fast' : 'plain')
        return []
      },
    },
  })
  return { app, used }
}

/** The paths of the routes, and the names of the other layers. */
const layersOf = (target: object): unknown[] => stackOf(target).map(({ route, name }) => route?.path ?? name)

/** The values of all properties of an app, of its prototypes and of each layer, which could have been replaced. */
function valuesOf({ app, admin }: ReturnType<typeof mounted>): unknown[] {
  const layers = [...stackOf(app), ...stackOf(admin)]
  const objects = [app, app.request, app.response, express.request, express.response, admin, ...layers]
  return objects.flatMap((object) => [
    object,
    Object.getPrototypeOf(object) as unknown,
    ...Object.entries(Object.getOwnPropertyDescriptors(object))
      // `router` 2.2 keeps the last match on a layer.
      .filter(([name]) => !['path', 'params', 'keys'].includes(name))
      .map(([, property]) => Reflect.get(property, 'value') as unknown ?? Reflect.get(property, 'get') as unknown),
  ])
}

async function answers(client: Client): Promise<unknown[]> {
  const paths = ['/posts', '/posts/7', '/admin/users/count', '/admin/users/7', '/nowhere']
  return Promise.all(paths.map(async (path) => (await client.get(path)).status))
}

const ANSWERS = [200, 200, 200, 200, 404]

type Start = (app: Express) => Promise<Client>

const STARTS: readonly (readonly [string, Start])[] = [
  ['app.listen', async (app) => {
    const server: Server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    return clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server as never)
  }],
  ['serve with `fast: false`', async (app) => {
    const { url, server } = await served(app, { fast: false })
    return clientOf(url, server)
  }],
  ['a request in process, in front of app.listen', async (app) => {
    const inner = { method: 'GET', path: '/posts', headers: {}, body: undefined, address: '127.0.0.1' }
    await request(app, { ...inner, fast: false })
    const server: Server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    return clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server as never)
  }],
]

describe.each(STARTS)('under %s', (_name, start) => {
  it('the stack consists of the routes of the resources and what the application has mounted', async () => {
    const { app, admin } = mounted()
    expect(await answers(await start(app))).toEqual(ANSWERS)
    expect(layersOf(app)).toEqual([
      '/posts',
      '/posts/:id',
      'resourceryAuth',
      'resourceryPermission',
      'router',
      'notFoundHandler',
      'errorHandler',
    ].map((name) => (name.endsWith('Handler') ? expect.any(String) as unknown : name)))
    expect(layersOf(admin)).toEqual(['/users', '/users/count', '/users/:id'])
  })

  it('no function of a layer, no prototype and no property of the app is replaced', async () => {
    const all = mounted()
    const before = valuesOf(all)
    expect(await answers(await start(all.app))).toEqual(ANSWERS)
    const after = valuesOf(all)
    expect(after.length).toBe(before.length)
    expect(after.filter((value, at) => value !== before[at])).toEqual([])
  })

  it('the layer of a resource has the functions of any other route', async () => {
    const { app } = mounted()
    await answers(await start(app))
    const [ours, plain] = [stackOf(app)[0], stackOf(express().get('/posts', () => undefined))[0]]
    expect(Object.keys(ours ?? {})).toEqual(Object.keys(plain ?? {}))
    expect(String(ours?.handle)).toBe(String(plain?.handle))
    expect(ours?.match).toBe(plain?.match)
  })

  it('the plain path answers, whatever answers for another app of the process', async () => {
    const [other, app] = [recording(), recording()]
    const { url } = await served(other.app)
    await fetch(`${url}/posts`)
    await (await start(app.app)).get('/posts')
    expect(other.used).toEqual([IS_FAST ? 'fast' : 'plain'])
    expect(app.used).toContain('plain')
    expect(app.used).not.toContain('fast')
  })
})

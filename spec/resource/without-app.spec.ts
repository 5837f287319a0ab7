import express, { Router, type ErrorRequestHandler, type Express, type IRouter, type RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore } from 'resourcery/crud'
import { auth } from 'resourcery'
import { permission } from 'resourcery'
import { resource } from 'resourcery'
import { mountController } from 'resourcery'
import { mountResource } from 'resourcery'
import { mountRoutes } from 'resourcery'
import type { AuthMarker } from '../../lib/core/base/types.js'
import { serving } from '../support/http.js'
import { appWith, guardsOf, SECRET, tokenFor } from '../support/guarded-app.js'

/** Signs in callers with the header `x-{app}`, with the permissions listed in it. */
const badge = (app: string): RequestHandler =>
  auth(app, {
    verify: (req) => {
      const permissions = req.get(`x-${app}`)
      return permissions === undefined ? null : { id: app, permissions: permissions.split(' ') }
    },
  })
const badgeGuards = (app: string): RequestHandler[] => [badge(app), permission(app)]

function tickets(target: IRouter, markers: { auth?: AuthMarker; can?: boolean; guards?: RequestHandler[] } = {}): void {
  mountResource(target, {
    route: '/tickets',
    name: 'tickets',
    ...markers,
    handlers: { list: () => 'all', delete: () => 'gone' },
  })
}

/** Returns the statuses of GET /tickets for an anonymous caller, one without the permission and one with it. */
async function statuses(build: (app: Express) => void, path = '/tickets', id = 'desk.tickets.list'): Promise<number[]> {
  const client = await serving(appWith(build))
  const callers = [
    undefined,
    await tokenFor('desk', ['desk.other.list', 'tickets.list', 'list']),
    await tokenFor('desk', [id]),
  ]
  const replies: number[] = []
  for (const token of callers) replies.push((await client.get(path, { token })).status)
  return replies
}

/** Rewrites /open to /tickets. */
const toTickets: RequestHandler = (req, _res, next) => {
  req.url = req.url.replace('/open', '/tickets')
  next()
}

const GUARDED = [401, 403, 200]

describe('a resource without an app', () => {
  it('is open to all callers without a permission in front', async () => {
    expect(await statuses((app) => tickets(app))).toEqual([200, 200, 200])
  })

  it('requires only a sign-in behind auth alone', async () => {
    expect(await statuses((app) => {
      app.use(auth('desk', { secret: SECRET }))
      tickets(app)
    })).toEqual([401, 200, 200])
  })

  it.each<[string, (app: Express) => void, string?, string?]>([
    ['on the app', (app) => tickets(app.use(guardsOf('desk')))],
    ['on its Router', (app) => {
      const router = Router().use(guardsOf('desk'))
      tickets(router)
      app.use(router)
    }],
    ['on a Router around its Router', (app) => {
      const inner = Router()
      tickets(inner)
      app.use('/:tenant', Router().use(guardsOf('desk')).use('/v1', inner))
    }, '/acme/v1/tickets'],
    ['in its guards', (app) => tickets(app, { guards: guardsOf('desk') })],
    ['in front of a sub-app', (app) => {
      const inner = express()
      tickets(inner)
      app.use('/inner', guardsOf('desk'), inner)
    }, '/inner/TICKETS/'],
    ['on a path', (app) => tickets(app.use('/tickets', guardsOf('desk')))],
    ['in a route for every method', (app) => tickets(app.all('/*rest', guardsOf('desk')))],
    ["in a function of the user's", (app) => {
      const [authenticate, authorise] = guardsOf('desk') as [RequestHandler, RequestHandler]
      app.use((req, res, next) =>
        authenticate(req, res, (error) => (error === undefined ? authorise(req, res, next) : next(error)))
      )
      tickets(app)
    }],
    [
      'in its `use`',
      (app) =>
        mountResource(app, { route: '/tickets', name: 'tickets', use: guardsOf('desk'), handlers: { list: () => 1 } }),
    ],
    ['around a chain', (app) => void resource(app.use(guardsOf('desk')), '/tickets').list(() => 1)],
    [
      'around routes',
      (app) =>
        mountRoutes(app.use(guardsOf('desk')), {
          route: '/reports',
          routes: {
            sales: {
              route: '/sales',
              handler: () => 1,
            },
          },
        }),
      '/reports/sales',
      'desk.reports.sales',
    ],
    [
      'around a controller',
      (app) => mountController(app.use(guardsOf('desk')), '/jobs', { run: () => 1 }),
      '/jobs/run',
      'desk.jobs.run',
    ],
  ])('requires `{app}.{name}.{action}` if the permission is mounted %s', async (_place, build, path, id) => {
    expect(await statuses(build, path, id)).toEqual(GUARDED)
  })

  it('is not guarded by a permission behind it or on another path', async () => {
    expect(await statuses((app) => {
      app.use('/orders', guardsOf('desk'))
      tickets(app)
      app.use(guardsOf('desk'))
    })).toEqual([200, 200, 200])
  })

  it.each<[AuthMarker, boolean | undefined, number[]]>([
    [true, true, [401, 403, 200]],
    [true, false, [401, 200, 200]],
    ['optional', true, [401, 403, 200]],
    ['optional', false, [200, 200, 200]],
    [false, undefined, [200, 200, 200]],
  ])('keeps its own markers: auth %s, can %s', async (marker, can, expected) => {
    const markers = { auth: marker, ...(can !== undefined && { can }) }
    expect(await statuses((app) => tickets(app.use(guardsOf('desk')), markers))).toEqual(expected)
    expect(await statuses((app) => tickets(app, { ...markers, guards: guardsOf('desk') }))).toEqual(expected)
  })

  it('requires for HEAD the permission of GET, and a separate permission for each action', async () => {
    const client = await serving(appWith((app) => tickets(app.use(guardsOf('desk')))))
    const token = await tokenFor('desk', ['desk.tickets.list'])
    const ask = async (method: string, path: string): Promise<number> =>
      (await client.send(method, path, { token })).status
    expect([await ask('HEAD', '/tickets'), await ask('DELETE', '/tickets/1')]).toEqual([200, 403])
    const other = await tokenFor('desk', ['desk.tickets.delete'])
    expect((await client.send('HEAD', '/tickets', { token: other })).status).toBe(403)
  })

  it('requires the permission of every application in front of it', async () => {
    const client = await serving(appWith((app) => {
      const router = Router().use(badgeGuards('b'))
      tickets(router, { guards: badgeGuards('c') })
      app.use(badgeGuards('a'), router)
    }))
    const ask = async (headers: Record<string, string>): Promise<number> =>
      (await client.get('/tickets', { headers })).status
    const all = { 'x-a': 'a.tickets.list', 'x-b': 'b.tickets.list', 'x-c': 'c.tickets.list' }
    expect(await ask(all)).toBe(200)
    for (const app of ['a', 'b', 'c']) {
      expect(await ask({ ...all, [`x-${app}`]: 'a.tickets.show b.tickets.show c.tickets.show' })).toBe(403)
      expect(await ask(Object.fromEntries(Object.entries(all).filter(([name]) => name !== `x-${app}`)))).toBe(401)
    }
  })

  it('checks the caller of each application separately', async () => {
    const asked: unknown[] = []
    const client = await serving(appWith((app) => {
      for (const name of ['a', 'b']) {
        app.use(
          badge(name),
          permission(name, { allows: ({ id }, permissionId) => asked.push([id, permissionId]) > 0 }),
        )
      }
      tickets(app)
    }))
    await client.get('/tickets', { headers: { 'x-a': '', 'x-b': '' } })
    expect(asked).toEqual([['a', 'a.tickets.list'], ['b', 'b.tickets.list']])
  })

  it('calls a check once if the same permission is in front and in the guards', async () => {
    let asked = 0
    const one = permission('a', { allows: () => ++asked > 0 })
    const client = await serving(appWith((app) => tickets(app.use(badge('a'), one), { guards: [one] })))
    expect([(await client.get('/tickets', { headers: { 'x-a': '' } })).status, asked]).toEqual([200, 1])
  })

  it.each<[string, (answer: boolean) => boolean | Promise<boolean>]>([
    ['synchronously', (answer) => answer],
    ['asynchronously', (answer) => Promise.resolve(answer)],
  ])('is refused if any of several permissions refuses %s', async (_when, answer) => {
    for (const refusing of ['a', 'b', 'c']) {
      const client = await serving(appWith((app) => {
        for (const name of ['a', 'b', 'c']) {
          app.use(
            badge(name),
            permission(name, { allows: () => answer(name !== refusing) }),
          )
        }
        tickets(app)
      }))
      expect((await client.get('/tickets', { headers: { 'x-a': '', 'x-b': '', 'x-c': '' } })).status).toBe(403)
    }
  })

  it('requires the id of each application under which its Router is mounted', async () => {
    const shared = Router()
    tickets(shared)
    const client = await serving(
      appWith((app) => void app.use('/a', badgeGuards('a'), shared).use('/b', badgeGuards('b'), shared)),
    )
    const ask = async (path: string, headers: Record<string, string>): Promise<number> =>
      (await client.get(path, { headers })).status
    expect(await ask('/a/tickets', { 'x-a': 'a.tickets.list' })).toBe(200)
    expect(await ask('/b/tickets', { 'x-b': 'b.tickets.list' })).toBe(200)
    expect(await ask('/a/tickets', { 'x-a': 'b.tickets.list' })).toBe(403)
    expect(await ask('/b/tickets', { 'x-a': 'a.tickets.list' })).toBe(401)
  })

  it('replies a logged 500 if a public route was foreseen and the path was rewritten', async () => {
    for (const guards of [guardsOf('desk'), guardsOf('desk').slice(0, 1)]) {
      const app = appWith((root) => {
        root.use(guards, toTickets)
        mountRoutes(root, {
          route: '/open',
          name: 'open',
          auth: false,
          routes: { one: { route: '', handler: () => 1 } },
        })
        tickets(root)
      })
      const client = await serving(app)
      for (const token of [undefined, await tokenFor('desk')]) {
        expect((await client.get('/open', { token })).status).toBe(500)
      }
      expect(app.logged).toHaveLength(2)
      expect(app.logged[0]).toMatchObject({
        message:
          "`tickets.list` (GET /tickets) was reached without auth('desk'): mount auth and permission in front of it.",
      })
    }
  })

  it('requires a sign-in if an optional route was foreseen and the path was rewritten', async () => {
    const client = await serving(appWith((root) => {
      root.use(guardsOf('desk'), toTickets)
      mountRoutes(root, {
        route: '/open',
        name: 'open',
        auth: 'optional',
        can: false,
        routes: { one: { route: '', handler: () => 1 } },
      })
      tickets(root)
    }))
    expect((await client.get('/open')).status).toBe(401)
    expect((await client.get('/open', { token: await tokenFor('desk', ['desk.open.one']) })).status).toBe(403)
  })

  it.each<[string, RequestHandler[], Record<string, string>]>([
    ['auth refuses an anonymous caller', badgeGuards('a'), {}],
    ['auth refuses bad credentials', guardsOf('a'), { authorization: 'Bearer x.y.z' }],
    ['permission refuses', badgeGuards('a'), { 'x-a': 'a.other.list' }],
    ['permission is mounted without auth', [permission('a')], {}],
    ['permission fails', [badge('a'), permission('a', { allows: () => {
      throw new Error('down')
    } })], { 'x-a': '' }],
    ['a second auth refuses', [...badgeGuards('a'), auth('a', { verify: () => null })], { 'x-a': 'a.tickets.list' }],
  ])('is not reached if an error handler continues the request: %s', async (_what, guards, headers) => {
    for (const app of [undefined, 'a']) {
      let handled = 0
      const goOn: ErrorRequestHandler = (_error, _req, _res, next) => next()
      const client = await serving(appWith((root) => {
        root.use(guards, goOn)
        mountResource(root, {
          ...(app !== undefined && { app }),
          route: '/tickets',
          name: 'tickets',
          handlers: { list: () => handled++ },
        })
      }))
      expect([(await client.get('/tickets', { headers })).status >= 400, handled]).toEqual([true, 0])
    }
  })

  it('is allowed where undeclared handlers are denied, since it has a permission id', async () => {
    expect(
      await statuses((app) =>
        tickets(app.use(guardsOf('desk').slice(0, 1), permission('desk', { undeclared: 'deny' })))
      ),
    )
      .toEqual(GUARDED)
  })

  it('applies the field rules and soft deletion of crud by the permissions in front', async () => {
    const Row = z.object({ id: z.int(), title: z.string(), salary: z.int() })
    const rows = [{ id: 1, title: 'live', salary: 5, deletedAt: null }, {
      id: 2,
      title: 'gone',
      salary: 6,
      deletedAt: new Date(0),
    }]
    const store = memoryStore<{ id: number; title: string; salary: number; deletedAt: Date | null }>({
      key: 'id',
      rows,
    })
    const client = await serving(appWith((app) =>
      mountResource(app.use(guardsOf('desk')), {
        route: '/rows',
        name: 'rows',
        ...crud(store, {
          input: Row.omit({ id: true }),
          output: Row.partial(),
          softDelete: { field: 'deletedAt' },
          fields: { salary: { read: 'desk.salaries' } },
        }),
      })
    ))
    const list = async (path: string, ...permissions: string[]): Promise<unknown> => {
      const { status, body } = await client.get(path, {
        token: await tokenFor('desk', ['desk.rows.list', ...permissions]),
      })
      return status === 200 ? body.data : status
    }
    expect(await list('/rows')).toEqual([{ id: 1, title: 'live' }])
    expect(await list('/rows', 'desk.salaries')).toEqual([{ id: 1, title: 'live', salary: 5 }])
    expect(await list('/rows?deleted=only')).toBe(403)
    expect(await list('/rows?deleted=only', 'rows.restore')).toBe(403)
    expect(await list('/rows?deleted=only', 'desk.rows.restore')).toEqual([{ id: 2, title: 'gone' }])
  })

  it('reads no body of a refused caller', async () => {
    let read = 0
    const client = await serving(appWith((app) => {
      const parser: RequestHandler = (_req, _res, next) => {
        read++
        next()
      }
      app.use(guardsOf('desk'), parser)
      mountResource(app, { route: '/tickets', name: 'tickets', handlers: { create: () => 1 } })
    }))
    expect([(await client.post('/tickets', { a: 1 }, { token: await tokenFor('desk', []) })).status, read]).toEqual([
      403,
      0,
    ])
  })
})

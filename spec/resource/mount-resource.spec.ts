import express, { Router, type RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { BusinessError, formatData } from 'resourcery'
import { paginate } from 'resourcery'
import { param } from 'resourcery'
import { reply } from 'resourcery'
import { RequestParam } from 'resourcery'
import type { Declaration } from 'resourcery'
import { mountDeclaration, mountResource } from '../../lib/core/resource/mount-resource.js'
import { permissionsOf, routesOf } from 'resourcery'
import { send } from 'resourcery'
import { serving } from '../support/http.js'
import { appWith, guardsOf, tokenFor } from '../support/guarded-app.js'

const echo = (_req: unknown, _res: unknown, args: unknown): unknown => args

describe('the default actions of a resource', () => {
  const all = {
    list: () => [],
    show: echo,
    create: echo,
    edit: echo,
    store: echo,
    delete: echo,
    deleteMany: echo,
  } as const

  it('are seven routes, named after application, resource and action', () => {
    const router = Router()
    mountResource(router, { app: 'admin', route: '/users', name: 'users', handlers: all })
    expect(
      routesOf(router).map(({ method, path, name, permission, status }) => [method, path, name, permission, status]),
    )
      .toEqual([
        ['GET', '/users', 'admin.users.list', 'admin.users.list', 200],
        ['POST', '/users', 'admin.users.create', 'admin.users.create', 201],
        ['DELETE', '/users', 'admin.users.deleteMany', 'admin.users.deleteMany', 200],
        ['GET', '/users/:id', 'admin.users.show', 'admin.users.show', 200],
        ['PUT', '/users/:id', 'admin.users.edit', 'admin.users.edit', 200],
        ['PATCH', '/users/:id', 'admin.users.store', 'admin.users.store', 200],
        ['DELETE', '/users/:id', 'admin.users.delete', 'admin.users.delete', 200],
      ])
  })

  it('are restricted by `actions`, in routes and permissions', async () => {
    const app = appWith((root) =>
      mountResource(root, {
        app: 'admin',
        route: '/users',
        name: 'users',
        actions: ['list', 'show'],
        handlers: all,
        guards: guardsOf('admin'),
      })
    )
    expect(routesOf(app).map(({ name }) => name)).toEqual(['admin.users.list', 'admin.users.show'])
    expect(permissionsOf(app)).toEqual([{
      label: 'Users',
      name: 'users',
      children: [{ label: 'List users', name: 'admin.users.list', action: 'list' }, {
        label: 'Show one user',
        name: 'admin.users.show',
        action: 'show',
      }],
    }])
    const client = await serving(app)
    const refused = await client.post('/users', { a: 1 })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('are all omitted with `actions: false`', () => {
    const router = Router()
    mountResource(router, {
      route: '/users',
      name: 'users',
      actions: false,
      handlers: all,
      custom: { health: { methods: ['GET'], route: '/health', handler: () => 'well' } },
    })
    expect(routesOf(router).map(({ name, permission }) => [name, permission])).toEqual([['users.health', undefined]])
  })
})

describe('the custom actions of a resource', () => {
  it('take precedence over parameters, whatever the order of declaration', async () => {
    const app = appWith((root) =>
      mountResource(root, {
        route: '/users',
        name: 'users',
        handlers: { show: (_req, _res, { id }) => `show ${id}`, delete: (_req, _res, { id }) => `delete ${id}` },
        custom: {
          deep: {
            methods: ['GET'],
            route: '/:id/*rest',
            handler: (_req, _res, { id, rest }) => `deep ${id} ${rest.join()}`,
          },
          part: { methods: ['GET'], route: '/:id/:part', handler: (_req, _res, { id, part }) => `part ${id} ${part}` },
          fixed: { methods: ['GET'], route: '/:id/avatar', handler: (_req, _res, { id }) => `avatar ${id}` },
          file: {
            methods: ['GET'],
            route: '/:id/v:version',
            handler: (_req, _res, { version }) => `version ${version}`,
          },
          export: { methods: ['GET', 'POST'], route: '/export', handler: () => 'export' },
        },
      })
    )
    const client = await serving(app)
    const answer = async (method: string, path: string): Promise<unknown> => (await client.send(method, path)).body.data
    expect(await answer('GET', '/users/export')).toBe('export')
    expect(await answer('GET', '/users/EXPORT')).toBe('export')
    expect(await answer('POST', '/users/export')).toBe('export')
    expect(await answer('DELETE', '/users/export')).toBe('delete export')
    expect(await answer('GET', '/users/5')).toBe('show 5')
    expect(await answer('GET', '/users/5/avatar')).toBe('avatar 5')
    expect(await answer('GET', '/users/5/v3')).toBe('version 3')
    expect(await answer('GET', '/users/5/other')).toBe('part 5 other')
    expect(await answer('GET', '/users/5/other/more')).toBe('deep 5 other,more')
  })

  it('keep the order between resources and plain routes of Express', async () => {
    const app = appWith((root) => {
      mountResource(root, { route: '/users', name: 'users', handlers: { show: () => 'resource' } })
      root.get('/users/me', (_req, res) => send(res, 'ok', 'by hand'))
    })
    expect((await (await serving(app)).get('/users/me')).body.data).toBe('resource')
  })
})

describe('the arguments of a handler', () => {
  it('come from path and query for GET and DELETE, from path and body otherwise', async () => {
    const input = z.object({ id: param.int(), name: z.string().optional() })
    const app = appWith((root) =>
      mountResource(root, {
        route: '/users',
        name: 'users',
        handlers: { show: { input, handler: echo }, delete: { input, handler: echo }, edit: { input, handler: echo } },
      })
    )
    const client = await serving(app)
    const options = { body: { name: 'body', id: 9, other: 1 } }
    expect((await client.get('/users/5?name=query&id=9&other=1')).body.data).toEqual({ id: 5, name: 'query' })
    expect((await client.send('DELETE', '/users/5?name=query&id=9', options)).body.data).toEqual({
      id: 5,
      name: 'query',
    })
    expect((await client.send('PUT', '/users/5?name=query&id=9', options)).body.data).toEqual({ id: 5, name: 'body' })
  })

  it('contain a field named like an inherited method only if it was sent', async () => {
    const names = { toString: z.unknown().optional(), constructor: z.unknown().optional() }
    const input = z.object({ ...names, inside: z.object(names).optional() })
    const own = (
      value: object | undefined,
    ): string[] => (value === undefined
      ? []
      : Object.keys(value).filter((key) => key !== 'id' && Reflect.get(value, key) !== undefined))
    const handler = (
      _req: unknown,
      _res: unknown,
      args: z.infer<typeof input>,
    ): unknown => [own(args), own(args.inside)]
    const app = appWith((root) =>
      mountResource(root, {
        route: '/users',
        name: 'users',
        handlers: { create: { input, handler }, edit: { input, handler }, list: { input, handler } },
      })
    )
    const client = await serving(app)
    for (const [method, path] of [['POST', '/users'], ['PUT', '/users/5']] as const) {
      const data = async (body: string) =>
        (await client.send(method, path, { body, headers: { 'content-type': 'application/json' } })).body.data
      expect(await data('{"other":1}')).toEqual([[], []])
      expect(await data('{"other":"\\u0061","inside":{}}')).toEqual([['inside'], []])
      expect(await data('{"toString":1,"__proto__":{"constructor":2}}')).toEqual([['toString'], []])
      expect(await data('{"inside":{"constructor":1,"__proto__":{"toString":2}}}')).toEqual([['inside'], [
        'constructor',
      ]])
    }
    expect((await client.get('/users?other=1')).body.data).toEqual([[], []])
  })

  it('contain an undeclared path argument as a string, never a value from elsewhere', async () => {
    const app = appWith((root) =>
      mountResource(root, {
        route: '/orgs/:org/users',
        name: 'users',
        handlers: {
          create: { input: z.strictObject({ name: z.string() }), handler: echo },
          edit: { input: z.object({ id: z.string(), org: z.string() }), handler: echo },
        },
      })
    )
    const client = await serving(app)
    expect((await client.post('/orgs/acme/users', { name: 'Ann' })).body.data).toEqual({ name: 'Ann', org: 'acme' })
    expect((await client.post('/orgs/acme/users', { name: 'Ann', more: 1 })).status).toBe(422)
    expect((await client.send('PUT', '/orgs/acme/users/5', { body: { id: '6', org: 'evil' } })).body.data).toEqual({
      id: '5',
      org: 'acme',
    })
  })

  it('contain the fields of `query` next to the body', async () => {
    const app = appWith((root) =>
      mountResource(root, {
        route: '/users',
        name: 'users',
        handlers: {
          create: {
            input: z.object({ name: z.string() }),
            query: z.object({ notify: param.bool().default(false) }),
            handler: echo,
          },
        },
      })
    )
    const client = await serving(app)
    expect((await client.post('/users?notify=true&name=query', { name: 'Ann', notify: false })).body.data).toEqual({
      notify: true,
      name: 'Ann',
    })
    expect((await client.post('/users?notify=perhaps', { name: 'Ann' })).body).toMatchObject({
      code: 422,
      data: { notify: [expect.any(String)] },
    })
  })

  it('are refused by `query` before `input` runs, also if `query` is asynchronous', async () => {
    const asked: string[] = []
    const input = z.object({ name: z.string('no name') })
    const late = z.object({ dry: param.bool() }).refine(async () =>
      Promise.resolve(void asked.push('late')).then(() => true)
    )
    const handler = (): unknown => void asked.push('handler')
    const app = appWith((root) => {
      mountResource(root, {
        route: '/now',
        name: 'now',
        handlers: { create: { input, query: z.object({ dry: param.bool() }), handler } },
      })
      mountResource(root, {
        route: '/late',
        name: 'late',
        handlers: { create: { input, query: late, handler }, store: { input, query: late, handler } },
      })
    })
    const client = await serving(app)
    for (const path of ['/now', '/late']) {
      expect((await client.post(`${path}?dry=perhaps`, {})).body).toMatchObject({
        code: 422,
        data: { dry: [expect.any(String)] },
      })
      expect((await client.post(`${path}?dry=true`, {})).body).toMatchObject({ code: 422, data: { name: ['no name'] } })
    }
    expect((await client.send('PATCH', '/late/1?dry=true', { body: { name: 1 } })).body).toMatchObject({
      code: 422,
      data: { name: ['no name'] },
    })
    expect(asked).not.toContain('handler')
  })

  it('contain the fields of `query` without `input`', async () => {
    const app = appWith((root) =>
      mountResource(root, {
        route: '/users',
        name: 'users',
        handlers: { edit: { query: z.object({ dry: param.bool() }), handler: echo } },
      })
    )
    expect((await (await serving(app)).send('PUT', '/users/5?dry=true')).body.data).toEqual({ id: '5', dry: true })
  })

  it('may be validated by unions and refinements, also asynchronous ones', async () => {
    const shapes = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), a: z.number() }),
      z.object({ kind: z.literal('b') }),
    ])
    const free = z.object({ name: z.string() }).refine(async ({ name }) => name !== 'taken', {
      message: 'Taken',
      path: ['name'],
    })
    const app = appWith((root) =>
      mountResource(root, {
        route: '/x',
        name: 'x',
        handlers: { create: { input: shapes, handler: echo }, edit: { input: free, handler: echo } },
      })
    )
    const client = await serving(app)
    expect((await client.post('/x', { kind: 'a', a: 1, b: 2 })).body.data).toEqual({ kind: 'a', a: 1 })
    expect((await client.post('/x', { kind: 'c' })).body).toMatchObject({
      code: 422,
      data: { kind: [expect.any(String)] },
    })
    for (const name of ['taken', 'taken']) {
      expect((await client.send('PUT', '/x/1', { body: { name } })).body).toMatchObject({
        code: 422,
        data: { name: ['Taken'] },
      })
    }
    expect((await client.send('PUT', '/x/1', { body: { name: 'free' } })).body.data).toEqual({ id: '1', name: 'free' })
  })

  it('contain no defaults in a partial update', async () => {
    const input = z.object({
      id: param.int(),
      title: z.string().default('Untitled'),
      status: z.number().default(1),
      note: z.string().optional(),
    })
    const app = appWith((root) =>
      mountResource(root, {
        route: '/posts',
        name: 'posts',
        handlers: { store: { input, handler: echo }, edit: { input, handler: echo } },
      })
    )
    const client = await serving(app)
    expect((await client.send('PATCH', '/posts/5', { body: { note: 'n' } })).body.data).toEqual({ id: 5, note: 'n' })
    expect((await client.send('PUT', '/posts/5', { body: { note: 'n' } })).body.data).toEqual({
      id: 5,
      title: 'Untitled',
      status: 1,
      note: 'n',
    })
  })

  it('are refused with 422 if invalid, from path, query or body', async () => {
    const input = z.object({ id: param.int() })
    const app = appWith((root) =>
      mountResource(root, {
        route: '/users',
        name: 'users',
        handlers: { show: { input, handler: echo }, edit: { input, handler: echo } },
      })
    )
    const client = await serving(app)
    for (const id of ['1e0', '1.0', '%201', '0x1', '%00', 'x', '9007199254740993']) {
      expect([id, (await client.get(`/users/${id}`)).status]).toEqual([id, 422])
    }
    expect((await client.get('/users/%zz')).body).toMatchObject({ code: 400, meta: { reason: 'unreadable' } })
  })
})

describe('the body of a request', () => {
  const bodyOf: (req: express.Request) => unknown = (req) => RequestParam.body(req)

  it('is read up to 100 kB, up to a declared limit, or not at all', async () => {
    const app = appWith((root) =>
      mountResource(root, {
        route: '/x',
        name: 'x',
        body: { limit: 200 },
        handlers: {
          create: bodyOf,
          edit: { body: { limit: 2000 }, handler: bodyOf },
          store: { body: false, handler: (req) => req.headers['content-length'] },
        },
      })
    )
    const client = await serving(app)
    const body = { text: 'x'.repeat(500) }
    const large = await client.post('/x', body)
    expect([large.status, large.headers.get('connection'), large.body.meta.reason]).toEqual([413, 'close', 'too_large'])
    expect((await client.send('PUT', '/x/1', { body })).body.data).toEqual(body)
    expect((await client.send('PATCH', '/x/1', { body })).body.data).toBe('511')
  })

  it('is used as an earlier parser has read it', async () => {
    const app = appWith((root) => {
      root.use(express.json({ limit: '1mb' }))
      mountResource(root, { route: '/x', name: 'x', handlers: { create: bodyOf } })
    })
    const body = { text: 'x'.repeat(200_000) }
    expect((await (await serving(app)).post('/x', body)).body.data).toEqual(body)
  })

  it('may contain the ids of a DELETE', async () => {
    const app = appWith((root) =>
      mountResource(root, { route: '/x', name: 'x', handlers: { deleteMany: (req) => RequestParam.ids(req) } })
    )
    expect((await (await serving(app)).send('DELETE', '/x', { body: { ids: [1, 2, 1] } })).body.data).toHaveLength(2)
  })
})

describe('the return value of a handler', () => {
  async function sent(
    handler: express.RequestHandler | (() => unknown),
    spec: object = {},
  ): Promise<{ status: number; body: unknown }> {
    const app = appWith((root) =>
      mountDeclaration(root, {
        route: '/x',
        name: 'x',
        handlers: { list: { handler: handler as () => unknown, ...spec } },
      })
    )
    const { status, body } = await (await serving(app)).get('/x')
    return { status, body }
  }

  it('may be a record, a list, null, a page, formatted data, a reply, or a promise', async () => {
    const rows = [{ id: 1 }, { id: 2 }]
    expect((await sent(() => rows)).body).toEqual({ code: 200, message: 'ok', data: rows, meta: {} })
    expect((await sent(async () => null)).body).toEqual({ code: 200, message: 'ok', data: null, meta: {} })
    expect((await sent(() => paginate(rows, 1))).body).toEqual({
      code: 200,
      message: 'ok',
      data: [{ id: 1 }],
      meta: { total: 2, page: 1, limit: 1 },
    })
    expect((await sent(async () => formatData(await paginate(rows, 1), ({ id }) => id))).body).toMatchObject({
      data: [1],
      meta: { total: 2, page: 1, limit: 1 },
    })
    expect(await sent(() => reply('Made', { id: 1 }, { more: true }, 202))).toEqual({
      status: 202,
      body: { code: 202, message: 'Made', data: { id: 1 }, meta: { more: true } },
    })
    expect((await sent(async () => reply('Here', await paginate(rows, 1), { more: true }))).body).toMatchObject({
      message: 'Here',
      data: [{ id: 1 }],
      meta: { total: 2, more: true },
    })
  })

  it('may be a thenable that is no promise', async () => {
    const thenable = (settle: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void) => () => ({
      then(resolve: (value: unknown) => void, reject: (error: unknown) => void) {
        setImmediate(() => settle(resolve, reject))
      },
    })
    expect((await sent(thenable((resolve) => resolve(1)))).body).toMatchObject({ data: 1 })
    expect((await sent(thenable((resolve) => resolve(Symbol('x'))))).status).toBe(500)
    expect((await sent(thenable((_resolve, reject) => reject(new BusinessError('No', 409))))).status).toBe(409)
  })

  it('is a plain record even with the keys of a page or of formatted data', async () => {
    const record = { items: [1], page: 1, limit: 1, total: 1 }
    expect((await sent(() => record)).body).toMatchObject({ data: record, meta: {} })
    expect((await sent(() => ({ data: 1, meta: { a: 1 } }))).body).toMatchObject({
      data: { data: 1, meta: { a: 1 } },
      meta: {},
    })
  })

  it('is sent with the message and the status of the action', async () => {
    expect(await sent(() => 1, { message: 'Here you are', status: 206 })).toMatchObject({
      status: 206,
      body: { code: 206, message: 'Here you are' },
    })
  })

  it('is reduced by `output` to the declared fields', async () => {
    const output = z.object({ id: z.number() })
    expect((await sent(() => ({ id: 1, hash: 'secret' }), { output })).body).toMatchObject({ data: { id: 1 } })
    expect((await sent(() => paginate([{ id: 1, hash: 'secret' }], 5), { output: z.array(output) })).body).toEqual({
      code: 200,
      message: 'ok',
      data: [{ id: 1 }],
      meta: { total: 1, page: 1, limit: 5 },
    })
    expect((await sent(() => ({ id: 1 }), { output: output.refine(async () => true) })).body).toMatchObject({
      data: { id: 1 },
    })
  })

  it('causes a 500 if it does not fit `output`, with the route named only in the log', async () => {
    const app = appWith((root) =>
      mountDeclaration(root, {
        route: '/x',
        name: 'x',
        handlers: { list: { output: z.object({ id: z.number() }), handler: () => ({ id: 'secret' }) } },
      })
    )
    const { body, text } = await (await serving(app)).get('/x')
    expect(body).toEqual({ code: 500, message: 'Something went wrong', data: null, meta: { reason: 'internal' } })
    expect(text).not.toContain('secret')
    expect(String(app.logged[0])).toContain('x.list')
  })

  it('replaces a status that the handler has set', async () => {
    const returned = await sent((_req: express.Request, res: express.Response) => {
      res.status(202)
      return { id: 1 }
    })
    expect(returned).toMatchObject({ status: 200, body: { code: 200, data: { id: 1 } } })
  })

  it('may be nothing or the response, if the handler replies itself', async () => {
    const later: RequestHandler = (_req, res) => void setImmediate(() => send(res, 'later'))
    expect((await sent(later)).body).toMatchObject({ message: 'later' })
    const { status } = await sent((_req: express.Request, res: express.Response) => res.status(202).end())
    expect(status).toBe(202)
  })

  it.each([null, undefined, 'route', 'router', 'text', 0, new Error('secret'), Object.freeze({ a: 1 })])(
    'is replaced by a reply in the envelope if the handler throws %s',
    async (thrown) => {
      for (
        const handler of [() => {
          throw thrown
        }, () => Promise.reject(thrown)]
      ) {
        const { status, body } = await sent(handler)
        expect([403, 500]).toContain(status)
        expect(body).toMatchObject({ code: status, data: null })
        expect(JSON.stringify(body)).not.toContain('secret')
      }
    },
  )
})

describe('middleware of a route', () => {
  const passing: RequestHandler = (_req, _res, next) => next()

  it.each(['route', 'router'])(
    'refuses the request with next(%j) or by throwing, and no later handler runs',
    async (word) => {
      const refusing: RequestHandler[] = [(_req, _res, next) => next(word), () => {
        throw word
      }, () => Promise.reject(word)]
      for (const use of refusing) {
        const app = appWith((root) => {
          mountResource(root, { route: '/x', name: 'x', use: [passing, use], handlers: { list: () => 'reached' } })
          root.get('/x', (_req, res) => send(res, 'passed by'))
        })
        expect((await (await serving(app)).get('/x')).status).toBe(403)
      }
    },
  )

  it('runs in the order guards, resource, action, and continues only once', async () => {
    const seen: string[] = []
    const note = (name: string): RequestHandler => (_req, _res, next) => {
      seen.push(name)
      next()
      next()
    }
    const app = appWith((root) =>
      mountResource(root, {
        route: '/x',
        name: 'x',
        guards: note('guard'),
        use: note('resource'),
        handlers: { list: { use: [note('action')], handler: () => seen.push('handler') } },
      })
    )
    await (await serving(app)).get('/x')
    expect(seen).toEqual(['guard', 'resource', 'action', 'handler'])
  })

  it('is added to the guards, and never replaces them', async () => {
    const app = appWith((root) =>
      mountResource(root, {
        app: 'admin',
        route: '/x',
        name: 'x',
        guards: guardsOf('admin'),
        handlers: { list: { use: passing, handler: () => 1 } },
      })
    )
    expect((await (await serving(app)).get('/x')).status).toBe(401)
  })

  it('can reply itself', async () => {
    const app = appWith((root) =>
      mountResource(root, {
        route: '/x',
        name: 'x',
        use: (_req, res) => send(res, 'cached'),
        handlers: { list: () => 1 },
      })
    )
    expect((await (await serving(app)).get('/x')).body.message).toBe('cached')
  })
})

describe('the metadata of a route', () => {
  it('is inherited: the nearest value wins, tags are joined, and meta is merged', () => {
    const router = Router()
    mountResource(router, {
      app: 'admin',
      route: '/users',
      name: 'blog.userGroups',
      summary: 'Groups',
      description: 'About groups',
      tags: ['A', 'B'],
      doc: 'public',
      meta: { menu: 'system', icon: 'x' },
      auth: 'optional',
      can: false,
      handlers: {
        list: { handler: echo },
        show: {
          summary: 'One',
          description: 'Of them',
          tags: ['B', 'C'],
          doc: false,
          meta: { icon: 'y' },
          auth: true,
          can: true,
          handler: echo,
        },
      },
    })
    const [list, show] = routesOf(router)
    expect(list).toMatchObject({
      summary: 'Groups',
      description: 'About groups',
      tags: ['A', 'B'],
      doc: 'public',
      meta: { menu: 'system', icon: 'x' },
      auth: 'optional',
      can: false,
      permission: undefined,
    })
    expect(show).toMatchObject({
      summary: 'One',
      description: 'Of them',
      tags: ['A', 'B', 'C'],
      doc: false,
      meta: { menu: 'system', icon: 'y' },
      auth: true,
      can: true,
      permission: 'admin.blog.userGroups.show',
    })
  })

  it('has the application as default document, and a generated summary', () => {
    const router = Router()
    mountResource(router, {
      app: 'admin',
      route: '/c',
      name: 'categories',
      handlers: { list: echo, delete: echo },
      custom: { bulkImport: { methods: ['POST'], route: '/import', handler: echo } },
    })
    expect(routesOf(router).map(({ summary, doc }) => [summary, doc])).toEqual([['List categories', 'admin'], [
      'Categories: bulk import',
      'admin',
    ], ['Delete one category', 'admin']])
  })
})

describe('a HEAD request', () => {
  it('requires the permission of GET, and has no body', async () => {
    const app = appWith((root) =>
      mountResource(root, {
        app: 'admin',
        route: '/x',
        name: 'x',
        guards: guardsOf('admin'),
        handlers: { list: () => [1] },
      })
    )
    const client = await serving(app)
    expect((await client.send('HEAD', '/x')).status).toBe(401)
    expect((await client.send('HEAD', '/x', { token: await tokenFor('admin', []) })).status).toBe(403)
    const reply = await client.send('HEAD', '/x', { token: await tokenFor('admin') })
    expect([reply.status, reply.text, reply.headers.get('content-length')]).toEqual([200, '', '48'])
  })
})

describe('an invalid declaration', () => {
  const ok: Declaration = { app: 'admin', route: '/users', name: 'users', handlers: { list: () => 1 } }
  const four = (_a: unknown, _b: unknown, _c: unknown, _d: unknown): void => undefined

  it.each<[string, object]>([
    ['app_invalid', { app: '1x' }],
    ['app_invalid', { app: null }],
    ['app_invalid', { app: ['admin'] }],
    ['name_invalid', { name: ['users'] }],
    ['name_invalid', { singular: ['user'] }],
    ['name_invalid', { name: 'a b' }],
    ['name_invalid', { name: 'a..b' }],
    ['route_invalid', { route: 'users' }],
    ['route_invalid', { route: '/users/{id}' }],
    ['route_invalid', { route: '/users/:id?' }],
    ['route_invalid', { route: '/users/:id(\\d+)' }],
    ['route_invalid', { route: '/users/:' }],
    ['route_invalid', { route: '/:id/:id' }],
    ['route_invalid', { route: '/:a:b' }],
    ['route_invalid', { custom: { bad: { route: '/*a*b', handler: () => 1 } } }],
    ['route_invalid', { custom: { bad: { route: '/x/:a*b', handler: () => 1 } } }],
    ['route_invalid', { route: 5 }],
    ['action_unknown', { handlers: { lisst: () => 1 } }],
    ['action_unknown', { actions: ['lisst'] }],
    ['handler_missing', { actions: ['list', 'show'] }],
    ['handler_missing', { handlers: { list: {} } }],
    ['handler_missing', { handlers: undefined }],
    ['handler_missing', { handlers: { list: undefined }, custom: {} }],
    ['handler_arity', { handlers: { list: four } }],
    ['handler_arity', { handlers: { list: { handler: four } } }],
    ['option_unknown', { guard: [] }],
    ['option_unknown', { extension: { addedActions: [] } }],
    ['option_unknown', { handlers: { list: { handler: () => 1, extension: {} } } }],
    ['option_unknown', { handlers: { list: { handler: () => 1, methods: ['GET'] } } }],
    ['middleware_invalid', { use: [four] }],
    ['middleware_invalid', { guards: [undefined] }],
    ['options_shape', { handlers: null }],
    ['options_shape', { handlers: () => 1 }],
    ['options_shape', { handlers: { list: null } }],
    ['options_shape', { handlers: { list: { statuses: 'x', handler: () => 1 } } }],
    ['options_shape', { handlers: { list: { responseHeaders: null, handler: () => 1 } } }],
    ['options_shape', { custom: null }],
    ['options_shape', { custom: [] }],
    ['options_shape', { custom: { a: undefined } }],
    ['options_shape', { actions: 5 }],
    ['options_shape', { actions: 'list' }],
    ['options_shape', { summary: 5 }],
    ['options_shape', { description: null }],
    ['options_shape', { tags: 'users' }],
    ['options_shape', { doc: true }],
    ['options_shape', { deprecated: 'false' }],
    ['options_shape', { meta: ['x'] }],
    ['options_shape', { handlers: { list: { message: 5, handler: () => 1 } } }],
    ['options_shape', { handlers: { list: { tags: [5], handler: () => 1 } } }],
    ['options_shape', { custom: { a: { route: '/x', produces: true, handler: () => 1 } } }],
    ['auth_invalid', { auth: 'maybe' }],
    ['can_invalid', { can: 'yes' }],
    ['auth_can_conflict', { auth: false, can: true }],
    ['auth_can_conflict', { auth: false, handlers: { list: { can: true, handler: () => 1 } } }],
    ['body_invalid', { body: { limit: '100kb' } }],
    ['body_limit', { body: { limit: 1.5 } }],
    ['body_limit', { handlers: { create: { body: { limit: 0 }, handler: () => 1 } } }],
    ['input_invalid', { handlers: { list: { input: z.string(), handler: () => 1 } } }],
    ['query_invalid', { handlers: { list: { query: {}, handler: () => 1 } } }],
    ['output_invalid', { handlers: { list: { output: {}, handler: () => 1 } } }],
    ['status_invalid', { handlers: { list: { status: 404, handler: () => 1 } } }],
    ['action_invalid', { custom: { 'a.b': { methods: ['GET'], route: '/x', handler: () => 1 } } }],
    ['methods_invalid', { custom: { a: { methods: [], route: '/x', handler: () => 1 } } }],
    ['method_invalid', { custom: { a: { methods: ['FETCH'], route: '/x', handler: () => 1 } } }],
    ['route_invalid', { custom: { a: { methods: ['GET'], route: 'x', handler: () => 1 } } }],
    ['name_taken', { custom: { list: { methods: ['GET'], route: '/x', handler: () => 1 } } }],
    ['route_taken', { custom: { all: { methods: ['GET'], route: '', handler: () => 1 } } }],
    ['route_taken', {
      handlers: { show: () => 1 },
      custom: { one: { methods: ['GET'], route: '/:userId', handler: () => 1 } },
    }],
  ])('throws %s: %o', (code, wrong) => {
    const router = Router()
    expect(() => mountDeclaration(router, { ...ok, ...wrong })).toThrow(
      expect.objectContaining({ name: 'MisuseError', code, message: expect.stringMatching(/^[A-Z`].*\.$/) as string }),
    )
    expect(router.stack).toEqual([])
  })

  it('throws for a duplicate name or route on one router, and mounts nothing', () => {
    const router = Router()
    mountDeclaration(router, ok)
    const before = router.stack.length
    expect(() => mountDeclaration(router, { ...ok, route: '/others' })).toThrow(
      expect.objectContaining({ code: 'name_taken' }),
    )
    expect(() => mountDeclaration(router, { ...ok, name: 'others', route: '/Users' })).toThrow(
      expect.objectContaining({ code: 'route_taken' }),
    )
    expect(router.stack).toHaveLength(before)
    mountDeclaration(Router(), ok)
  })

  it('throws for a declaration that is missing', () => {
    expect(() => mountDeclaration(Router(), undefined as never)).toThrow(
      expect.objectContaining({ code: 'options_shape' }),
    )
  })

  it('names the options that declare actions where there is no action', () => {
    expect(() => mountDeclaration(Router(), { route: '/users', name: 'users' })).toThrow(
      'The resource `users` has no actions to mount: declare some in `handlers` or `custom`, or write `actions: []`',
    )
  })

  it('may have no actions where `actions` says so', () => {
    const router = Router()
    mountDeclaration(router, { ...ok, actions: [] })
    mountDeclaration(router, { ...ok, actions: false })
    expect(router.stack).toEqual([])
  })

  it('is shown with the type of its value', () => {
    expect(() => mountDeclaration(Router(), { ...ok, auth: 'false' as never })).toThrow('`auth: "false"`')
  })

  it('names the action that is closest to a misspelt one', () => {
    const stores = { ...ok, handlers: { stores: () => 1 } } as never
    expect(() => mountDeclaration(Router(), stores)).toThrow(
      'has no action `stores`. Did you mean `store`? The actions',
    )
  })

  it('throws for an invalid target', () => {
    expect(() => mountDeclaration({} as never, ok)).toThrow(expect.objectContaining({ code: 'target_invalid' }))
  })

  it('may have actions with other markers than the resource', () => {
    const router = Router()
    mountDeclaration(router, {
      ...ok,
      auth: false,
      handlers: { list: { auth: true, handler: () => 1 }, show: () => 1 },
    })
    mountDeclaration(router, {
      ...ok,
      name: 'others',
      route: '/others',
      can: true,
      handlers: { list: { auth: false, handler: () => 1 } },
    })
    expect(routesOf(router).map(({ auth, can }) => [auth, can])).toEqual([[true, true], [false, false], [false, false]])
  })
})

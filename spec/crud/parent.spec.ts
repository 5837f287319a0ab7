import express, { Router, type Request } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore, type IdempotencyKey } from 'resourcery/crud'
import { errorHandler } from 'resourcery'
import { BusinessError } from 'resourcery'
import { openapi } from 'resourcery/openapi'
import { param } from 'resourcery'
import { mountResource } from 'resourcery'
import { formOf, FORM_TYPE } from '../support/multipart.js'
import { serving, type Reply } from '../support/http.js'

interface Customer {
  id: number
  name: string
  tenant: number
  deletedAt: Date | null
}
interface Ticket {
  id: number
  customerId: number
  title: string
  secret: boolean
  deletedAt: Date | null
}
interface Comment {
  id: number
  ticketId: number
  text: string
  parentId: number | null
  deletedAt: Date | null
  version: number
}

const CustomerOut = z.object({ id: z.int(), name: z.string() })
const TicketOut = z.object({ id: z.int(), customerId: z.int(), title: z.string() })
const CommentOut = z.object({ id: z.int(), ticketId: z.int(), text: z.string(), parentId: z.int().nullable() })
const CommentIn = z.object({ text: z.string().min(1), parentId: param.int().nullable().default(null) })

const tenantOf = (req: Request): number => Number(req.get('x-tenant') ?? 1)

/** Creates a help desk in memory: customers of two tenants, tickets of customers, comments on tickets. */
function desk() {
  const customers = memoryStore<Customer>({
    key: 'id',
    defaults: { deletedAt: null },
    rows: [1, 2, 3].map((id) => ({ id, name: `c${id}`, tenant: id === 3 ? 2 : 1, deletedAt: null })),
  })
  const tickets = memoryStore<Ticket>({
    key: 'id',
    defaults: { deletedAt: null, secret: false },
    rows: [[11, 1], [12, 1], [21, 2], [31, 3]].map(([id = 0, customerId = 0]) => ({
      id,
      customerId,
      title: `t${id}`,
      secret: id === 12,
      deletedAt: null,
    })),
  })
  const comments = memoryStore<Comment>({
    key: 'id',
    defaults: { deletedAt: null, parentId: null },
    rows: [[111, 11], [112, 11], [121, 12], [211, 21], [311, 31]].map(([id = 0, ticketId = 0]) => ({
      id,
      ticketId,
      text: `x${id}`,
      parentId: null,
      deletedAt: null,
      version: 1,
    })),
  })
  const keys = memoryStore<IdempotencyKey>({ key: 'id' })
  const ofCustomers = crud(customers, {
    input: CustomerOut.pick({ name: true }),
    output: CustomerOut,
    scope: (req) => [['tenant', '=', tenantOf(req)]],
    softDelete: { field: 'deletedAt' },
  })
  const ofTickets = crud(tickets, {
    input: z.object({ title: z.string() }),
    output: TicketOut,
    softDelete: { field: 'deletedAt' },
    parent: { arg: 'customerId', column: 'customerId', of: ofCustomers },
    check: (ticket, { req }) => {
      if (ticket.secret && req.get('x-agent') !== 'yes') {
        throw new BusinessError('This ticket is secret', 403, { reason: 'ticket.secret' })
      }
    },
  })
  const ofComments = crud(comments, {
    input: CommentIn,
    output: CommentOut,
    parent: { arg: 'ticketId', column: 'ticketId', of: ofTickets },
    bulk: true,
    import: true,
    export: true,
    softDelete: { field: 'deletedAt', allows: () => true },
    tree: { parent: 'parentId', onDelete: 'cascade' },
    ifMatch: 'optional',
    version: 'version',
    sort: ['text'],
    search: ['text'],
    idempotency: { keys: () => keys, identity: () => 'all' },
  })
  return { customers, tickets, comments, ofCustomers, ofTickets, ofComments }
}

async function helpDesk() {
  const stores = desk()
  const logged: unknown[] = []
  const app = express()
  mountResource(app, { route: '/customers', name: 'customers', ...stores.ofCustomers })
  mountResource(app, { route: '/customers/:customerId/tickets', name: 'tickets', ...stores.ofTickets })
  mountResource(app, {
    route: '/customers/:customerId/tickets/:ticketId/comments',
    name: 'comments',
    ...stores.ofComments,
  })
  app.use(errorHandler({ log: (error) => logged.push(error) }))
  return { ...stores, app, logged, client: await serving(app) }
}

const BASE = '/customers/1/tickets/11/comments'
const idsOf = ({ body }: Reply): number[] => (body.data as { id: number }[]).map(({ id }) => id)

/** Returns one request for each action of comments, below this path. */
function everyAction(base: string): [method: string, path: string, body?: unknown][] {
  return [
    ['GET', base],
    ['GET', `${base}?cursor=`],
    ['GET', `${base}?tree=true`],
    ['GET', `${base}?ids=111`],
    ['GET', `${base}/111`],
    ['POST', base, { text: 'new' }],
    ['PUT', `${base}/111`, { text: 'new' }],
    ['PATCH', `${base}/111`, { text: 'new' }],
    ['DELETE', `${base}/111`],
    ['DELETE', `${base}?ids=111`],
    ['POST', `${base}/bulk`, { items: [{ text: 'new' }] }],
    ['PUT', base, { ids: [111], data: { text: 'new' } }],
    ['GET', `${base}/export`],
    ['POST', `${base}/export`],
    ['PUT', `${base}/111/restore`],
    ['DELETE', `${base}/111/purge`],
  ]
}

describe('a nested resource', () => {
  it('has only the rows of its parent', async () => {
    const { client } = await helpDesk()
    expect(idsOf(await client.get(BASE))).toEqual([111, 112])
    expect((await client.get(BASE)).body.meta.total).toBe(2)
    expect(idsOf(await client.get(`${BASE}?ids=111,211,112`))).toEqual([111, 112])
    expect(idsOf(await client.get(`${BASE}?search=x`))).toEqual([111, 112])
    expect((await client.post(`${BASE}/export`, undefined)).text.trim().split('\r\n')).toHaveLength(3)
    expect((await client.get(`${BASE}/111`)).body.data).toEqual({ id: 111, ticketId: 11, text: 'x111', parentId: null })
    for (
      const [method, path, body] of everyAction(BASE).filter(([, path]) =>
        path.includes('/111') || path.includes('ids=111')
      )
    ) {
      const reply = await client.send(method, path.replace('111', '211'), { body })
      expect([method, path, reply.status]).toEqual([method, path, method === 'GET' && path.includes('?') ? 200 : 404])
    }
  })

  it('creates rows below its parent, whatever the body contains', async () => {
    const { client, comments } = await helpDesk()
    expect((await client.post(BASE, { text: 'new', ticketId: 21, customerId: 2, id: 5 })).body).toMatchObject({
      code: 201,
      data: { id: 312, ticketId: 11, text: 'new' },
    })
    expect((await client.post(`${BASE}/bulk`, { items: [{ text: 'a', ticketId: 21 }, { text: 'b' }] })).body.data)
      .toMatchObject([{ ticketId: 11 }, { ticketId: 11 }])
    const form = formOf({ name: 'file', filename: 'rows.csv', content: 'text,parentId\r\nc,\r\nd,111\r\n' }).toString()
    expect((await client.send('POST', `${BASE}/import`, { body: form, headers: { 'content-type': FORM_TYPE } })).body)
      .toMatchObject({ code: 200, data: { created: 2 } })
    expect((await comments.find([312, 313, 314, 315, 316])).map(({ ticketId }) => ticketId)).toEqual([
      11,
      11,
      11,
      11,
      11,
    ])
  })

  it('never moves rows to another parent', async () => {
    const { client, comments } = await helpDesk()
    expect((await client.send('PATCH', `${BASE}/111`, { body: { ticketId: 21, text: 'changed' } })).body.data)
      .toMatchObject({ ticketId: 11, text: 'changed' })
    expect((await client.send('PUT', `${BASE}/112`, { body: { ticketId: 21, text: 'replaced' } })).body.data)
      .toMatchObject({ ticketId: 11, text: 'replaced' })
    expect((await client.send('DELETE', `${BASE}?ids=111,211`)).status).toBe(404)
    expect((await client.send('DELETE', `${BASE}?ids=111,112`)).body.meta).toEqual({ deleted: 2 })
    expect((await client.send('PUT', `${BASE}/111/restore`)).body.data).toMatchObject({ id: 111, ticketId: 11 })
    expect((await comments.find([211]))[0]).toMatchObject({ deletedAt: null, text: 'x211' })
  })

  it('has a separate tree below each parent', async () => {
    const { client } = await helpDesk()
    expect((await client.post(BASE, { text: 'reply', parentId: 111 })).status).toBe(201)
    expect((await client.post(BASE, { text: 'reply', parentId: 211 })).body).toMatchObject({
      code: 422,
      data: { parentId: [expect.any(String)] },
    })
    expect((await client.get(`${BASE}?tree=true`)).body.data).toMatchObject([
      { id: 111, children: [{ text: 'reply' }] },
      { id: 112, children: [] },
    ])
  })

  it('supports If-Match', async () => {
    const { client } = await helpDesk()
    const etag = String((await client.get(`${BASE}/111`)).headers.get('etag'))
    const change = () =>
      client.send('PATCH', `${BASE}/111`, { body: { text: 'changed' }, headers: { 'if-match': etag } })
    expect([(await change()).status, (await change()).status]).toEqual([200, 412])
  })

  it.each([
    ['an unknown parent', '/customers/1/tickets/99/comments', {}],
    ['a parent of another grandparent', '/customers/2/tickets/11/comments', {}],
    ['a parent of an unknown grandparent', '/customers/9/tickets/11/comments', {}],
    ['a grandparent of another tenant', '/customers/3/tickets/31/comments', {}],
    ['another tenant', BASE, { 'x-tenant': '2' }],
  ])('replies 404 below %s to every action, and writes nothing', async (_name, base, headers) => {
    const { client, comments } = await helpDesk()
    const before = await comments.list({ where: [], order: ['id'] }).slice(0, 100)
    for (const [method, path, body] of everyAction(base)) {
      const reply = await client.send(method, path, { body, headers })
      expect([method, path, reply.status]).toEqual([method, path, 404])
    }
    expect(await comments.list({ where: [], order: ['id'] }).slice(0, 100)).toEqual(before)
  })

  it.each(['/customers/1/tickets/11', '/customers/1'])('replies 404 while %s is soft-deleted', async (parent) => {
    const { client, customers, tickets } = await helpDesk()
    await client.send('DELETE', parent)
    for (const [method, path, body] of everyAction(BASE)) {
      expect((await client.send(method, path, { body })).status).toBe(404)
    }
    await tickets.update(11, { deletedAt: null })
    await customers.update(1, { deletedAt: null })
    expect(idsOf(await client.get(BASE))).toEqual([111, 112])
  })

  it('replies the error that the `check` of its parent throws', async () => {
    const { client } = await helpDesk()
    for (const [method, path, body] of everyAction('/customers/1/tickets/12/comments')) {
      expect((await client.send(method, path, { body })).body).toMatchObject({
        code: 403,
        meta: { reason: 'ticket.secret' },
      })
    }
    expect(idsOf(await client.get('/customers/1/tickets/12/comments', { headers: { 'x-agent': 'yes' } }))).toEqual([
      121,
    ])
  })

  it.each([
    '/customers/x/tickets/11/comments',
    '/customers/1/tickets/1e1/comments',
    '/customers/1/tickets/11.0/comments/111',
  ])('reads path arguments by their schema: 422 for %s', async (path) => {
    expect((await (await helpDesk()).client.get(path)).status).toBe(422)
  })

  it('refuses a path argument as a query name', async () => {
    const { client } = await helpDesk()
    const { body } = await client.get(`${BASE}?ticketId=21`)
    expect(body).toMatchObject({ code: 422, data: { ticketId: [expect.stringMatching(/^Unknown parameter/)] } })
    expect(body.message).not.toMatch(/ticketId|customerId/)
  })

  it('binds cursors and idempotency keys to the parent', async () => {
    const { client, comments } = await helpDesk()
    const { next } = (await client.get(`${BASE}?limit=1&cursor=`)).body.meta
    expect((await client.get('/customers/2/tickets/21/comments?cursor=' + String(next))).status).toBe(422)
    const headers = { 'idempotency-key': 'one' }
    const replies = [
      await client.post(BASE, { text: 'a' }, { headers }),
      await client.post('/customers/2/tickets/21/comments', { text: 'a' }, { headers }),
      await client.post(BASE, { text: 'a' }, { headers }),
    ]
    expect(replies.map(({ status, headers: of }) => [status, of.get('idempotency-replayed')])).toEqual([[201, null], [
      201,
      null,
    ], [201, 'true']])
    expect((await comments.find([312, 313])).map(({ ticketId }) => ticketId)).toEqual([11, 21])
  })

  it('documents its path arguments with their schemas', async () => {
    const { app } = await helpDesk()
    const { paths } = openapi(app, { title: 'Desk', version: '1' }) as unknown as {
      paths: Record<string, Record<string, { parameters: { name: string; in: string; schema: object }[] }>>
    }
    for (const [path, operations] of Object.entries(paths).filter(([path]) => path.includes('/comments'))) {
      for (const { parameters } of Object.values(operations)) {
        const inPath = parameters.filter((parameter) => parameter.in === 'path')
        expect(inPath.map(({ name }) => name)).toEqual([
          'customerId',
          'ticketId',
          ...(path.includes('{id}') ? ['id'] : []),
        ])
        for (const { schema } of inPath) expect(schema).toMatchObject({ type: 'integer' })
        expect(parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)).not.toContain(
          'ticketId',
        )
      }
    }
    expect(paths['/customers/{customerId}/tickets/{ticketId}/comments']?.delete?.parameters.map(({ name }) => name))
      .toContain('ids')
  })
})

describe('a parent in a store', () => {
  it('is loaded within its scope', async () => {
    const { tickets, comments } = desk()
    const app = express()
    mountResource(app, {
      route: '/tickets/:ticket/comments',
      name: 'comments',
      ...crud(comments, {
        input: z.object({ text: z.string() }),
        output: CommentOut,
        parent: {
          arg: 'ticket',
          column: 'ticketId',
          of: tickets,
          scope: (req) => [['customerId', '=', Number(req.get('x-customer'))]],
        },
      }),
    })
    app.use(errorHandler({ log: () => undefined }))
    const client = await serving(app)
    expect(idsOf(await client.get('/tickets/11/comments', { headers: { 'x-customer': '1' } }))).toEqual([111, 112])
    expect((await client.get('/tickets/11/comments', { headers: { 'x-customer': '2' } })).status).toBe(404)
  })

  it('has every row without a scope, and may be a store of another kind', async () => {
    const { tickets: { key, find, list, create, update, delete: remove }, comments } = desk()
    const app = express()
    mountResource(app, {
      route: '/tickets/:ticket/comments',
      name: 'comments',
      ...crud(comments, {
        input: z.object({ text: z.string() }),
        output: CommentOut,
        parent: { arg: 'ticket', column: 'ticketId', of: { key, find, list, create, update, delete: remove } },
        custom: {
          peek: { route: '/:id/peek', load: true,
            handler: (_req, _res, { id, ticket }, row) => [id, ticket, row.text] },
        },
      }),
    })
    app.use(errorHandler({ log: () => undefined }))
    const client = await serving(app)
    expect((await client.post('/tickets/11/comments', { text: 'new' })).status).toBe(201)
    expect((await client.get('/tickets/11/comments/111/peek')).body.data).toEqual([111, 11, 'x111'])
    for (const path of ['/tickets/21/comments/111/peek', '/tickets/99/comments/111/peek', '/tickets/99/comments']) {
      expect([path, (await client.get(path)).status]).toEqual([path, 404])
    }
    expect((await client.post('/tickets/99/comments', { text: 'new' })).status).toBe(404)
  })

  it('may be omitted, so that the path argument only scopes the rows', async () => {
    const { comments } = desk()
    const app = express()
    mountResource(app, {
      route: '/tickets/:ticketId/comments',
      name: 'comments',
      ...crud(comments, {
        input: z.object({ text: z.string() }),
        output: CommentOut,
        parent: { arg: 'ticketId', column: 'ticketId' },
      }),
    })
    const client = await serving(app)
    expect(idsOf(await client.get('/tickets/99/comments'))).toEqual([])
    expect((await client.get('/tickets/21/comments/111')).status).toBe(404)
  })

  it('may have a key of another type', async () => {
    const rooms = memoryStore<{ slug: string; name: string }>({ key: 'slug', rows: [{ slug: 'lab', name: 'Lab' }] })
    const chairs = memoryStore<{ id: number; room: string }>({
      key: 'id',
      rows: [{ id: 1, room: 'lab' }, { id: 2, room: 'hall' }],
    })
    const slug = z.string().regex(/^[a-z]+$/)
    const ofRooms = crud(rooms, {
      id: slug,
      input: z.object({ name: z.string() }),
      output: z.object({ slug, name: z.string() }),
    })
    const app = express()
    mountResource(app, {
      route: '/rooms/:room/chairs',
      name: 'chairs',
      ...crud(chairs, {
        input: z.object({}),
        output: z.object({ id: z.int(), room: z.string() }),
        parent: { arg: 'room', column: 'room', of: ofRooms },
      }),
    })
    app.use(errorHandler({ log: () => undefined }))
    const client = await serving(app)
    expect(idsOf(await client.get('/rooms/lab/chairs'))).toEqual([1])
    expect([(await client.get('/rooms/hall/chairs')).status, (await client.get('/rooms/LAB/chairs')).status]).toEqual([
      404,
      422,
    ])
  })
})

describe('a crud route with path arguments', () => {
  const plain = (options: object = {}) =>
    crud(desk().comments, { input: z.object({ text: z.string() }), output: CommentOut, ...options })
  const ticketsWith = (options: object = {}) =>
    crud(desk().tickets, { input: z.object({ title: z.string() }), output: TicketOut, ...options })
  const mounted = (route: string, made: ReturnType<typeof plain>) => () =>
    mountResource(express(), { route, name: 'comments', ...made })

  it.each([
    ['without a parent', '/tickets/:ticketId/comments', () => plain()],
    [
      'without a parent, and with an argument of the same name as the key',
      '/tickets/:id/comments',
      () => ({ ...plain(), actions: ['list'] as const, custom: {} }),
    ],
    [
      'with a parent that the route does not name',
      '/tickets/:ticketId/comments',
      () => plain({ parent: { arg: 'ticket', column: 'ticketId' } }),
    ],
    ['with a parent and no argument', '/comments', () => plain({ parent: { arg: 'ticketId', column: 'ticketId' } })],
    [
      'with an argument that belongs to no parent',
      '/customers/:customerId/tickets/:ticketId/comments',
      () => plain({ parent: { arg: 'ticketId', column: 'ticketId' } }),
    ],
    ['without the argument of a level above', '/tickets/:ticketId/comments', () => desk().ofComments as never],
  ])('is refused %s when mounting', (_name, route, made) => {
    expect(mounted(route, made())).toThrow(
      expect.objectContaining({
        code: 'crud_parent',
        message: expect.stringContaining('The resource `comments` at') as string,
      }) as Error,
    )
  })

  it('is accepted with `parent: false`, and for further arguments that a scope may use', () => {
    expect(mounted('/:lang/comments', plain({ parent: false }))).not.toThrow()
    expect(
      mounted(
        '/customers/:customerId/tickets/:ticketId/comments',
        plain({ parent: { arg: 'ticketId', column: 'ticketId' }, scope: () => [] }),
      ),
    )
      .not
      .toThrow()
  })

  describe.each([
    ['a store', (scope?: () => []) => ({ of: desk().tickets, ...(scope && { scope }) })],
    ['a resource', (scope?: () => []) => ({ of: ticketsWith(scope && { scope }) })],
    ['a resource whose own parent is a store', (scope?: () => []) => ({
      of: ticketsWith({
        parent: { arg: 'customerId', column: 'customerId', of: desk().customers, ...(scope && { scope }) },
      }),
    })],
    ['a resource with `parent: false`', (scope?: () => []) => ({ of: ticketsWith(scope && { parent: false }) })],
  ])('below %s', (_name, parentWith) => {
    const route = '/areas/:areaId/customers/:customerId/tickets/:ticketId/comments'
    const below = (scope?: () => []) =>
      mounted(route, plain({ parent: { arg: 'ticketId', column: 'ticketId', ...parentWith(scope) } }))

    it('is accepted with a further argument that the scope of its parent may use', () => {
      expect(below(() => [])).not.toThrow()
    })

    it('is refused with a further argument that nothing uses', () => {
      expect(below()).toThrow(expect.objectContaining({ code: 'crud_parent' }) as Error)
    })
  })

  it('tells what is missing', () => {
    const withParent = (parent: object) => () => plain({ parent: parent as never })
    expect(withParent({ column: 'ticketId' })).toThrow('`arg` must be the path argument that names the parent')
    expect(withParent({ arg: 'ticketId' })).toThrow('`column` must be the column with the key of the parent')
    expect(withParent({ arg: 'ticketId', column: '' })).toThrow('`column` must be')
    expect(withParent({ arg: 'ticketId', column: 'ticketId', off: 1 })).toThrow('it has no option `off`')
    expect(mounted('/tickets/:ticketId/comments', plain())).toThrow("set `parent: { arg: 'ticketId', column }`")
    expect(mounted('/areas/:areaId/:ticketId', plain({ parent: { arg: 'ticketId', column: 'ticketId' } })))
      .toThrow('give the resource in `parent.of` a `parent` of its own')
  })

  it.each(['key', 'find', 'list'])('is refused below a store without `%s`', (name) => {
    const { [name]: _removed, ...store } = { ...desk().tickets } as Record<string, unknown>
    const parent = { arg: 'ticketId', column: 'ticketId', of: store }
    expect(() => plain({ parent })).toThrow('`of` must be what `crud` returned, unchanged, or a store')
    expect(() => plain({ parent: { ...parent, of: { ...desk().tickets, find: 1 } } })).toThrow('`of` must be')
  })

  it('can get its arguments from a Router with `mergeParams`', async () => {
    const router = Router({ mergeParams: true })
    mountResource(router, {
      route: '/comments',
      name: 'comments',
      ...plain({ parent: { arg: 'ticketId', column: 'ticketId' } }),
    })
    const app = express()
    app.use('/tickets/:ticketId', router)
    const client = await serving(app)
    expect(idsOf(await client.get('/tickets/21/comments'))).toEqual([211])
  })

  it.each([
    ['no parent', '/tickets/:ticketId', {}],
    ['a parent that is not in the path', '/tickets/:ticket', { parent: { arg: 'ticketId', column: 'ticketId' } }],
  ])('replies a logged 500 with %s, if a Router merges the arguments', async (_name, path, options) => {
    const logged: unknown[] = []
    const router = Router({ mergeParams: true })
    mountResource(router, { route: '/comments', name: 'comments', ...plain(options) })
    const app = express()
    app.use(path, router)
    app.use(errorHandler({ log: (error) => logged.push(error) }))
    expect((await (await serving(app)).get('/tickets/21/comments')).status).toBe(500)
    expect(logged).toEqual([expect.objectContaining({ code: 'crud_parent' })])
  })

  it.each([
    ['a column that input writes', { parent: { arg: 'ticketId', column: 'text' } }],
    ['an argument that input writes', { parent: { arg: 'text', column: 'ticketId' } }],
    ['the key as a column', { parent: { arg: 'ticketId', column: 'id' } }],
    ['the argument of the record', { parent: { arg: 'id', column: 'ticketId' } }],
    ['an argument that is a parameter of the list', {
      parent: { arg: 'ticketId', column: 'ticketId' },
      filters: { ticketId: { eq: param.int() } },
    }],
    ['an unknown option', { parent: { arg: 'ticketId', column: 'ticketId', off: 1 } }],
    ['a spread resource', { parent: { arg: 'ticketId', column: 'ticketId', of: { ...desk().ofTickets } } }],
    ['a scope beside a resource', {
      parent: { arg: 'ticketId', column: 'ticketId', of: desk().ofTickets, scope: () => [] },
    }],
    ['a scope without a store', { parent: { arg: 'ticketId', column: 'ticketId', scope: () => [] } }],
    ['an argument of the level above', { parent: { arg: 'customerId', column: 'ticketId', of: desk().ofTickets } }],
    ['no argument', { parent: { column: 'ticketId' } }],
    ['an undefined resource', { parent: { arg: 'ticketId', column: 'ticketId', of: undefined } }],
  ])('is refused with %s when the resource is created', (_name, options) => {
    expect(() => plain(options)).toThrow(expect.objectContaining({ code: 'crud_parent' }) as Error)
  })
})

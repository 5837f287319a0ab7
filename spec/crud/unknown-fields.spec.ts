import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { MisuseError, param } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
import { mountResource } from '../../lib/core/resource/mount-resource.js'
import { FORM_TYPE, formOf } from '../support/multipart.js'
import { servingRoutes } from './serving.js'

interface Note {
  id: number
  title: string
  text: string | null
  createdAt: Date
  tags: string[]
  secret: string
  version: number
}

const shape = { title: z.string(), text: z.string().nullable().optional() }
const Out = z.object({
  id: z.int(),
  title: z.string(),
  text: z.string().nullable(),
  createdAt: z.date(),
  tags: z.array(z.string()),
})

async function serve(input: z.ZodObject, options: object = {}) {
  const rows: Note[] = [1, 2].map((id) => ({
    id,
    title: `N${id}`,
    text: 'T',
    createdAt: new Date(0),
    tags: ['a'],
    secret: 's',
    version: 3,
  }))
  const store = memoryStore<Note>({
    key: 'id',
    rows,
    defaults: { text: null, createdAt: new Date(0), tags: [], secret: '', version: 1 },
  })
  const client = await servingRoutes((app) =>
    mountResource(app, {
      route: '/notes',
      name: 'notes',
      ...crud(store, { input: input as never, output: Out, bulk: true, ...options }),
    })
  )
  return { ...client, find: (id: number) => store.find([id]) }
}

const STRICT: readonly (readonly [string, z.ZodObject, object])[] = [
  ['a strict `input`', z.strictObject(shape), {}],
  ["`unknownFields: 'refuse'`", z.object(shape), { unknownFields: 'refuse' }],
  ["`unknownFields: 'refuse'` with a loose `input`", z.looseObject(shape), { unknownFields: 'refuse' }],
]

describe.each(STRICT)('a resource with %s', (_name, input, options) => {
  it('accepts included fields as they were received, and sends none of them back', async () => {
    const { get, send } = await serve(input, {
      ...options,
      output: Out.extend({ author: z.object({ name: z.string() }).optional() }),
      include: { author: (rows: readonly Note[]) => new Map(rows.map(({ id }) => [id, { name: `A${id}` }])) },
    })
    const received = (await get('/notes/1?include=author')).body.data as object
    const other = { ...received, author: { name: 'A2' } }
    const refused = { code: 422, data: { author: ['Cannot be changed'] } }
    for (const [method, path, bodyOf] of [
      ['PUT', '/notes/1', (body: object) => body],
      ['PATCH', '/notes/1', (body: object) => body],
      ['PUT', '/notes', (data: object) => ({ ids: [1], data })],
    ] as const) {
      const { status, body } = await send(method, path, { body: bodyOf(received) })
      expect([status, JSON.stringify(body.data).includes('author')]).toEqual([200, false])
      expect((await send(method, path, { body: bodyOf(other) })).body).toMatchObject(
        path === '/notes' ? { code: 422 } : refused,
      )
    }
  })

  it('refuses unknown fields in each kind of write, and writes nothing', async () => {
    const { send, find } = await serve(input, options)
    const body = { title: 'New', colour: 'red' }
    const refused = { code: 422, data: { colour: ['Unknown field'] } }
    expect((await send('POST', '/notes', { body })).body).toMatchObject(refused)
    expect((await send('PUT', '/notes/1', { body })).body).toMatchObject(refused)
    expect((await send('PATCH', '/notes/1', { body })).body).toMatchObject(refused)
    expect((await send('PATCH', '/notes/1', { body: { colour: 'red' } })).body).toMatchObject(refused)
    expect((await send('POST', '/notes/bulk', { body: { items: [{ title: 'A' }, body] } })).body).toMatchObject({
      code: 422,
      data: { 'items.1.colour': ['Unknown field'] },
    })
    expect((await send('PUT', '/notes', { body: { ids: [1, 2], data: body } })).body).toMatchObject({
      code: 422,
      data: { 'data.colour': ['Unknown field'] },
    })
    expect((await send('POST', '/notes/bulk', { body: { items: [{ title: 'A' }], colour: 'red' } })).body)
      .toMatchObject(refused)
    expect((await send('PUT', '/notes', { body: { ids: [1], data: { title: 'A' }, colour: 'red' } })).body)
      .toMatchObject(refused)
    expect(await find(1)).toMatchObject([{ title: 'N1' }])
    expect(await find(3)).toEqual([])
  })

  it('accepts a record as it was received', async () => {
    const { send, get, find } = await serve(input, options)
    const { data } = (await get('/notes/1')).body as unknown as { readonly data: object }
    expect((await send('PUT', '/notes/1', { body: { ...data, title: 'Put' } })).body.data).toMatchObject({
      title: 'Put',
    })
    expect((await send('PATCH', '/notes/1', { body: { ...data, title: 'Patched' } })).status).toBe(200)
    const { id: _id, ...others } = data as { readonly id: number }
    expect((await send('PUT', '/notes', { body: { ids: [1, 2], data: { ...others, title: 'All' } } })).status).toBe(200)
    expect(await find(2)).toMatchObject([{ title: 'All', secret: 's', createdAt: new Date(0), tags: ['a'] }])
    const whole = { ...data, title: 'One' }
    expect((await send('PUT', '/notes', { body: { ids: [1], data: whole } })).status).toBe(200)
    expect((await send('PUT', '/notes', { body: { ids: [1, 2], data: whole } })).body).toMatchObject({
      code: 422,
      data: { 'ids.1.id': ['Cannot be changed'] },
    })
    expect(await find(1)).toMatchObject([{ title: 'One' }])
    expect(await find(2)).toMatchObject([{ title: 'All' }])
  })

  it('refuses fields of the output that differ from the stored ones', async () => {
    const { send, find } = await serve(input, options)
    const changed = { code: 422, data: { createdAt: ['Cannot be changed'], tags: ['Cannot be changed'] } }
    const body = { title: 'New', createdAt: new Date(1), tags: ['b'] }
    expect((await send('PUT', '/notes/1', { body })).body).toMatchObject(changed)
    expect((await send('PATCH', '/notes/1', { body })).body).toMatchObject(changed)
    expect((await send('PATCH', '/notes/1', { body: { id: 2 } })).body).toMatchObject({
      code: 422,
      data: { id: ['Cannot be changed'] },
    })
    expect((await send('PUT', '/notes', { body: { ids: [1, 2], data: { tags: ['b'] } } })).body).toMatchObject({
      code: 422,
      data: { 'ids.0.tags': ['Cannot be changed'] },
    })
    expect((await send('POST', '/notes', { body: { title: 'New', createdAt: new Date(0) } })).body).toMatchObject({
      code: 422,
      data: { createdAt: ['Unknown field'] },
    })
    expect((await send('PATCH', '/notes/1', { body: { secret: 's' } })).body).toMatchObject({
      code: 422,
      data: { secret: ['Unknown field'] },
    })
    expect(await find(1)).toMatchObject([{ title: 'N1' }])
  })
})

describe('unknown fields', () => {
  it('are dropped by default', async () => {
    const { send } = await serve(z.object(shape))
    expect((await send('POST', '/notes', { body: { title: 'New', colour: 'red' } })).status).toBe(201)
    expect((await send('PATCH', '/notes/1', { body: { createdAt: 7, id: 9 } })).body.data).toMatchObject({ id: 1 })
  })

  it('are refused in partial updates by a strict `changes` alone', async () => {
    const { send } = await serve(z.object(shape), { changes: z.strictObject({ title: z.string() }) })
    expect((await send('PATCH', '/notes/1', { body: { colour: 'red' } })).status).toBe(422)
    expect((await send('PUT', '/notes/1', { body: { title: 'New', colour: 'red' } })).status).toBe(200)
  })

  it('do not reveal a field that the caller may not read, and fields of others may be repeated', async () => {
    const fields = { createdAt: { read: () => false }, title: { write: () => false } }
    const { send } = await serve(z.strictObject(shape), { fields })
    for (const createdAt of [new Date(0), new Date(1)]) {
      expect((await send('PATCH', '/notes/1', { body: { createdAt } })).body).toMatchObject({
        code: 422,
        data: { createdAt: ['Cannot be changed'] },
      })
    }
    expect((await send('PATCH', '/notes/1', { body: { title: 'N1', text: 'U' } })).body.data).toMatchObject({
      text: 'U',
    })
    expect((await send('PATCH', '/notes/1', { body: { title: 'X' } })).status).toBe(422)
  })

  it('are documented as refused, and those of the output as read-only', () => {
    const { handlers } = crud(memoryStore<Note>({ key: 'id' }), { input: z.strictObject(shape) as never, output: Out })
    expect(z.toJSONSchema(handlers.edit.input, { io: 'input' })).toMatchObject({
      properties: { createdAt: { readOnly: true } },
      additionalProperties: false,
    })
  })

  it('have a treatment that exists and fits the schemas', () => {
    const store = memoryStore<Note>({ key: 'id' })
    const make = (options: object) => () => crud(store, { input: z.object(shape), output: Out, ...options })
    expect(make({ unknownFields: 'ignore' })).toThrow(MisuseError)
    expect(make({ unknownFields: 'drop', input: z.strictObject(shape) })).toThrow("`unknownFields` of crud is 'drop'")
    expect(make({ unknownFields: 'drop', changes: z.strictObject(shape) })).toThrow('`changes` is a strict object')
  })

  it('are no path arguments', async () => {
    const store = memoryStore<{ id: number; ticketId: number; text: string }>({
      key: 'id',
      rows: [{ id: 1, ticketId: 7, text: 'T' }],
    })
    const { send } = await servingRoutes((app) =>
      mountResource(app, {
        route: '/tickets/:ticketId/comments',
        name: 'comments',
        ...crud(store, {
          input: z.strictObject({ text: z.string() }),
          output: z.object({ id: z.int(), ticketId: z.int(), text: z.string() }),
          parent: { arg: 'ticketId', column: 'ticketId', id: param.int() },
        }),
      })
    )
    const path = '/tickets/7/comments'
    expect((await send('POST', path, { body: { text: 'A' } })).status).toBe(201)
    expect((await send('PUT', `${path}/1`, { body: { id: 1, ticketId: 7, text: 'B' } })).status).toBe(200)
    expect((await send('PATCH', `${path}/1`, { body: { ticketId: 8 } })).status).toBe(422)
  })

  it('include the key that callers have chosen, where a change has another value', async () => {
    const store = memoryStore<{ slug: string; title: string }>({ key: 'slug', rows: [{ slug: 'a', title: 'T' }] })
    const input = z.strictObject({ slug: z.string(), title: z.string() })
    const { send } = await servingRoutes((app) => {
      mountResource(app, {
        route: '/pages',
        name: 'pages',
        ...crud(store, { id: z.string(), input, output: z.object(input.shape), bulk: true }),
      })
    })
    const bulk = (data: object) => send('PUT', '/pages', { body: { ids: ['a'], data } })
    for (const method of ['PUT', 'PATCH']) {
      expect((await send(method, '/pages/a', { body: { slug: 'a', title: 'B' } })).status).toBe(200)
      expect((await send(method, '/pages/a', { body: { slug: 'b', title: 'C' } })).body)
        .toMatchObject({ code: 422, data: { slug: ['Cannot be changed'] } })
    }
    expect((await bulk({ slug: 'a', title: 'D' })).status).toBe(200)
    expect((await bulk({ slug: 'b', title: 'E' })).status).toBe(422)
    expect(await store.find(['a', 'b'])).toEqual([{ slug: 'a', title: 'D' }])
  })

  it('include path arguments with another value than that of the path', async () => {
    const store = memoryStore<{ id: number; ticketId: number; text: string }>({
      key: 'id',
      rows: [{ id: 1, ticketId: 7, text: 'T' }],
    })
    const output = z.object({ id: z.int(), ticketId: z.int(), text: z.string() })
    const { send } = await servingRoutes((app) => {
      for (const [route, input] of [['tickets', z.strictObject({ text: z.string() })], ['loose',
        z.object({ text: z.string() })]] as const)
      {
        mountResource(app, { route: `/${route}/:t/comments`, name: route, ...crud(store, {
          input: input as never,
          output,
          bulk: true,
          parent: { arg: 't', column: 'ticketId', id: param.int() },
        }) })
      }
    })
    const refused = { code: 422, data: { t: ['Cannot be changed'] } }
    const path = '/tickets/7/comments'
    expect((await send('POST', path, { body: { text: 'A', t: 99 } })).body).toMatchObject(refused)
    expect((await send('PUT', `${path}/1`, { body: { text: 'A', t: 99 } })).body).toMatchObject(refused)
    expect((await send('PATCH', `${path}/1`, { body: { text: 'A', t: 99 } })).body).toMatchObject(refused)
    const items = [{ text: 'A' }]
    const changes = { ids: [1], data: { text: 'A' } }
    expect((await send('POST', `${path}/bulk`, { body: { items, t: 99 } })).body).toMatchObject(refused)
    expect((await send('PUT', path, { body: { ...changes, t: 99 } })).body).toMatchObject(refused)
    expect((await send('POST', `${path}/bulk`, { body: { items, t: 7 } })).status).toBe(201)
    expect((await send('PUT', path, { body: { ...changes, t: 7 } })).status).toBe(200)
    expect((await send('POST', '/loose/7/comments/bulk', { body: { items, t: 99, colour: 'red' } })).status).toBe(201)
    expect((await send('POST', path, { body: { text: 'A', t: 7 } })).status).toBe(201)
    expect((await send('PATCH', `${path}/1`, { body: { text: 'A', t: 7 } })).status).toBe(200)
    expect((await send('POST', '/loose/7/comments', { body: { text: 'A', t: 99 } })).status).toBe(201)
  })
})

interface Account {
  id: number
  name: string
  level: number
  secret: string
  teamId: number | null
}

const accountShape = {
  name: z.string(),
  level: param.int().default(1),
  secret: z.string().default(() => `made ${Math.random()}`),
}

/** Serves accounts below teams and by themselves; only a boss may write `level`, `secret`, `labelIds` and `accounts`. */
async function serveAccounts(input: z.ZodObject, options: object = {}) {
  const write = (req: Request): boolean => req.get('x-role') === 'boss'
  const store = memoryStore<Account>({
    key: 'id',
    defaults: { teamId: null },
    rows: [{ id: 1, name: 'Ann', level: 2, secret: 's', teamId: 1 }],
  })
  const fields = { level: { write }, secret: { write } }
  const accounts = crud(store, {
    input: input as never,
    output: z.object({ id: z.int(), name: z.string(), level: z.int() }),
    fields,
    bulk: true,
    import: true,
    ...options,
  })
  const labels = crud(memoryStore({ key: 'id', rows: [{ id: 1 }] }), { input: z.object({}),
    output: z.object({ id: z.int() }) })
  const teams = crud(memoryStore({ key: 'id', rows: [{ id: 1, name: 'A' }] }), {
    input: z.strictObject({ name: z.string() }) as never,
    output: z.object({ id: z.int(), name: z.string(), labelIds: z.array(z.int()) }) as never,
    children: { accounts: { of: accounts, column: 'teamId' } },
    links: {
      labelIds: { of: labels, through: memoryStore<{ id: number; teamId: number; labelId: number }>({ key: 'id' }),
        own: 'teamId', other: 'labelId' },
    },
    fields: { labelIds: { write } },
  })
  const client = await servingRoutes((app) => {
    mountResource(app, { route: '/accounts', name: 'accounts', ...accounts })
    mountResource(app, { route: '/teams', name: 'teams', ...teams })
  })
  return { ...client, find: (id: number) => store.find([id]) }
}

const csv = (content: string): object => ({
  headers: { 'content-type': FORM_TYPE },
  body: formOf({ name: 'file', filename: 'accounts.csv', content }).toString(),
})

describe('fields that the caller may not write', () => {
  const boss = { headers: { 'x-role': 'boss' } }

  it('are refused in new records of a strict resource, in whatever way these are sent', async () => {
    const { send, find } = await serveAccounts(z.strictObject({ ...accountShape, teamId: z.int().optional() }))
    const readOnly = ['Cannot be changed']
    const body = { name: 'New', level: 1, secret: 'x' }
    expect((await send('POST', '/accounts', { body })).body).toMatchObject({
      code: 422,
      data: { level: readOnly, secret: readOnly },
    })
    expect((await send('POST', '/accounts/bulk', { body: { items: [{ name: 'A' }, body] } })).body).toMatchObject({
      code: 422,
      data: { 'items.1.level': readOnly, 'items.1.secret': readOnly },
    })
    const file = csv('name,level,secret\nA,,\nB,1,\nC,,x\n')
    expect((await send('POST', '/accounts/import', file)).body).toMatchObject({
      code: 422,
      data: { 'line.3.level': readOnly, 'line.4.secret': readOnly },
    })
    const list = [{ name: 'A' }, { name: 'B', level: 1 }]
    expect((await send('POST', '/teams', { body: { name: 'B', accounts: list } })).body).toMatchObject({
      code: 422,
      data: { 'accounts.1.level': readOnly },
    })
    expect((await send('POST', '/teams', { body: { name: 'B', labelIds: [1] } })).body).toMatchObject({
      code: 422,
      data: { labelIds: readOnly },
    })
    expect(await find(2)).toEqual([])
  })

  it('are missing in new records of a strict resource that is right, with their defaults', async () => {
    const { send, find } = await serveAccounts(z.strictObject({ ...accountShape, teamId: z.int().optional() }))
    expect((await send('POST', '/accounts', { body: { name: 'A' } })).status).toBe(201)
    expect((await send('POST', '/accounts/bulk', { body: { items: [{ name: 'A' }] } })).status).toBe(201)
    expect((await send('POST', '/accounts/import', csv('name,level\nA,\n'))).body.data).toMatchObject({
      created: 1,
    })
    expect((await send('POST', '/teams', { body: { name: 'B', accounts: [{ name: 'A' }] } })).status).toBe(201)
    expect((await send('POST', '/accounts', { ...boss, body: { name: 'B', level: 7, secret: 'x' } })).status).toBe(201)
    expect(await find(5)).toMatchObject([{ name: 'A', level: 1, teamId: 2 }])
    expect(await find(6)).toMatchObject([{ level: 7, secret: 'x' }])
  })

  it('are refused in changes of a strict resource whatever their value is, where no reply has them', async () => {
    const { send, find } = await serveAccounts(z.strictObject({ ...accountShape, teamId: z.int().optional() }))
    for (const secret of ['s', 'other']) {
      const refused = { code: 422, data: { secret: ['Cannot be changed'] } }
      const body = { name: 'New', secret }
      expect((await send('PATCH', '/accounts/1', { body })).body).toMatchObject(refused)
      expect((await send('PUT', '/accounts/1', { body })).body).toMatchObject(refused)
      expect((await send('PUT', '/accounts', { body: { ids: [1], data: { secret } } })).body).toMatchObject({
        code: 422,
        data: { 'ids.0.secret': ['Cannot be changed'] },
      })
      expect((await send('PATCH', '/teams/1', { body: { accounts: [{ id: 1, secret }] } })).body).toMatchObject({
        code: 422,
        data: { 'accounts.0.secret': ['Cannot be changed'] },
      })
    }
    expect((await send('PATCH', '/accounts/1', { body: { name: 'New', level: 2 } })).status).toBe(200)
    expect((await send('PATCH', '/accounts/1', { ...boss, body: { secret: 'set' } })).status).toBe(200)
    expect(await find(1)).toMatchObject([{ name: 'New', secret: 'set' }])
  })

  it('are dropped by a resource that is not strict', async () => {
    const { send, find } = await serveAccounts(z.object({ ...accountShape, teamId: z.int().optional() }))
    const body = { name: 'New', level: 7, secret: 'x' }
    expect((await send('POST', '/accounts', { body })).status).toBe(201)
    expect((await send('PATCH', '/accounts/1', { body })).status).toBe(200)
    expect((await send('POST', '/teams', { body: { name: 'B', accounts: [body] } })).status).toBe(201)
    expect((await send('POST', '/accounts/import', csv('name,level\nA,7\n'))).body.code).toBe(200)
    expect(await find(1)).toMatchObject([{ name: 'New', level: 2, secret: 's' }])
    expect(await find(2)).toMatchObject([{ level: 1 }])
    expect(await find(3)).toMatchObject([{ level: 1, teamId: 2 }])
  })

  it('are dropped from a new record and a replacement of a strict resource that demands them', async () => {
    const { send, find } = await serveAccounts(
      z.strictObject({ ...accountShape, secret: z.string(), teamId: z.int().optional() }),
      { before: { create: (fields: object) => ({ ...fields, secret: 'made' }) } },
    )
    const body = { name: 'New', secret: 'x' }
    expect((await send('POST', '/accounts', { body })).status).toBe(201)
    expect((await send('PUT', '/accounts/1', { body })).status).toBe(200)
    expect((await send('PATCH', '/accounts/1', { body })).status).toBe(422)
    expect([...await find(1), ...await find(2)]).toMatchObject([{ secret: 's' }, { secret: 'made' }])
  })
})

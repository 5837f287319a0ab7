import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { MisuseError, param } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
import { mountResource } from '../../lib/core/resource/mount-resource.js'
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
})

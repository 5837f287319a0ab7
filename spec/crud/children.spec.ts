import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore, type Referenced } from 'resourcery/crud'
import { BusinessError, param, ValidationError } from 'resourcery'
import { mountResource } from '../../lib/core/resource/mount-resource.js'
import { FORM_TYPE, formOf } from '../support/multipart.js'
import { servingRoutes, type Asking } from './serving.js'

interface Invoice {
  id: number
  tenantId: number
  title: string
  version: number
}

interface Line {
  id: number
  tenantId: number
  invoiceId: number
  productId: number | null
  text: string
  amount: number
  deletedAt: Date | null
}

const Invoice = z.object({ id: z.int(), title: z.string() })
const Line = z.object({ id: z.int(), text: z.string(), amount: z.int(), productId: z.int().nullable() })
const lineInput = z.object({
  invoiceId: param.int(),
  productId: param.int().nullable().optional(),
  text: z.string().min(1),
  amount: z.int().min(1).default(1),
})
const scope = (req: Request) => [['tenantId', '=', Number(req.headers['x-tenant'] ?? 1)] as const]
const line = (id: number, invoiceId: number, tenantId = 1): Line => ({ id, tenantId, invoiceId, productId: null,
  text: `line ${id}`, amount: 5, deletedAt: null })

interface Options {
  readonly invoices?: object
  readonly lines?: object
  readonly children?: object
  readonly refersBack?: boolean
}

/** Invoice 1 of tenant 1 has the lines 1 and 2; invoice 3 of tenant 2 has line 3. */
async function serve(options: Options = {}) {
  const products = memoryStore<{ id: number; tenantId: number }>({
    key: 'id',
    rows: [{ id: 1, tenantId: 1 }, { id: 2, tenantId: 2 }],
  })
  const lines = memoryStore<Line>({
    key: 'id',
    defaults: { productId: null, deletedAt: null },
    rows: [line(1, 1), line(2, 1), line(3, 3, 2)],
  })
  const invoices = memoryStore<Invoice>({
    key: 'id',
    rows: [{ id: 1, tenantId: 1, title: 'one', version: 1 }, { id: 3, tenantId: 2, title: 'three', version: 1 }],
  })
  const ofProducts = crud(products, { input: z.object({}), output: z.object({ id: z.int() }), scope })
  const ofLines = crud(lines, {
    input: lineInput,
    output: Line,
    scope,
    references: {
      productId: ofProducts,
      ...(options.refersBack === true && { invoiceId: (): Referenced<number> => ofInvoices }),
    },
    bulk: true,
    ...options.lines,
  })
  const ofInvoices = crud(invoices, {
    input: z.object({ title: z.string() }),
    output: Invoice,
    scope,
    bulk: true,
    ifMatch: 'optional',
    version: 'version',
    children: { lines: { of: ofLines, column: 'invoiceId', ...options.children } },
    ...options.invoices,
  })
  const client = await servingRoutes((app) => {
    mountResource(app, { route: '/lines', name: 'lines', ...ofLines })
    mountResource(app, { route: '/invoices', name: 'invoices', ...ofInvoices })
  })
  const patch: Asking['post'] = (path, body, settings) => client.send('PATCH', path, { body, ...settings })
  const put: Asking['post'] = (path, body, settings) => client.send('PUT', path, { body, ...settings })
  const stored = async (): Promise<readonly Line[]> => lines.list({ where: [], order: ['id'] }).slice(0, 100)
  const invoiceOf = async (id: number): Promise<Invoice | undefined> => (await invoices.find([id]))[0]
  return { ...client, patch, put, stored, invoiceOf, products }
}

const textsOf = (data: unknown): string[] => (data as { lines: { text: string }[] }).lines.map(({ text }) => text)
const MISSING = ['There is no such record']

describe('children of crud', () => {
  it('are created with their record, and shown by every reply', async () => {
    const { get, post } = await serve()
    const created = await post('/invoices', { title: 'new', lines: [{ text: 'a' }, { text: 'b', amount: 7 }] })
    expect(created.status).toBe(201)
    const { id } = created.body.data as { id: number }
    const lines = [
      { id: 4, text: 'a', amount: 1, productId: null },
      { id: 5, text: 'b', amount: 7, productId: null },
    ]
    expect(created.body.data).toEqual({ id, title: 'new', lines })
    expect((await get(`/invoices/${id}`)).body.data).toEqual({ id, title: 'new', lines })
    expect((await get('/invoices')).body.data).toEqual([
      { id: 1, title: 'one',
        lines: [1, 2].map((each) => ({ id: each, text: `line ${each}`, amount: 5, productId: null })) },
      { id, title: 'new', lines },
    ])
    expect((await post('/invoices', { title: 'empty' })).body.data).toMatchObject({ lines: [] })
  })

  it.each(['patch', 'put'] as const)('are replaced by the list of a %s', async (method) => {
    const bench = await serve()
    const { status, body } = await bench[method]('/invoices/1', {
      title: 'one',
      lines: [{ text: 'new' }, { id: 2, text: 'changed' }],
    })
    expect(status).toBe(200)
    expect(body.data).toEqual({ id: 1, title: 'one', lines: [
      { id: 2, text: 'changed', amount: 5, productId: null },
      { id: 4, text: 'new', amount: 1, productId: null },
    ] })
    expect((await bench.stored()).map(({ id }) => id)).toEqual([2, 3, 4])
  })

  it('keep what an element with an id does not send', async () => {
    const { patch, stored } = await serve()
    expect((await patch('/invoices/1', { lines: [{ id: 1 }, { id: 2, amount: 9 }] })).status).toBe(200)
    expect((await stored()).slice(0, 2)).toEqual([line(1, 1), { ...line(2, 1), amount: 9 }])
  })

  it('are untouched by a PATCH without the list, and replaced by nothing in a PUT without it', async () => {
    const { patch, put, stored } = await serve()
    expect(textsOf((await patch('/invoices/1', { title: 'x' })).body.data)).toEqual(['line 1', 'line 2'])
    expect(textsOf((await put('/invoices/1', { title: 'x' })).body.data)).toEqual([])
    expect((await stored()).map(({ id }) => id)).toEqual([3])
  })

  it.each([3, 99])('refuse the id %i, which names no child of the record', async (id) => {
    const { patch, put, post, stored } = await serve()
    const lines = [{ id: 1 }, { text: 'a' }, { text: 'b' }, { id, text: 'c' }]
    for (const reply of [await patch('/invoices/1', { lines }), await put('/invoices/1', { title: 'x', lines })]) {
      expect([reply.status, reply.body.data]).toEqual([422, { 'lines.3.id': MISSING }])
    }
    const created = await post('/invoices', { title: 'x', lines: [{ id: 1 }] })
    expect([created.status, created.body.data]).toEqual([422, { 'lines.0.id': MISSING }])
    expect(await stored()).toEqual([line(1, 1), line(2, 1), line(3, 3, 2)])
  })

  it('refuse an id that appears twice', async () => {
    const { patch } = await serve()
    expect((await patch('/invoices/1', { lines: [{ id: 1 }, { id: '1' }] })).body.data)
      .toEqual({ 'lines.1.id': ['Already taken'] })
  })

  it('report faults at their place', async () => {
    const { post, patch } = await serve()
    const lines = [{ text: 'a' }, {}, { text: '' }, { text: 'b', amount: 0 }]
    const faults = {
      'lines.1.text': ['Required'],
      'lines.2.text': ['Must have at least 1 character'],
      'lines.3.amount': ['Must be at least 1'],
    }
    expect((await post('/invoices', { title: 'x', lines })).body.data).toEqual(faults)
    expect((await patch('/invoices/1', { lines: [{ id: 1, amount: 'x' }, { id: 'y' }, 5] })).body.data).toEqual({
      'lines.0.amount': ['Must be a number'],
      'lines.1.id': ['Must be a whole number'],
      'lines.2': ['Must be an object'],
    })
    const bulk = await post('/invoices/bulk', {
      items: [{ title: 'x' }, { title: 'y', lines: [{ text: 'a', amount: 0 }] }],
    })
    expect(bulk.body.data).toEqual({ 'items.1.lines.0.amount': ['Must be at least 1'] })
  })

  it('have as many elements as `min` and `max` say', async () => {
    const { post, patch, put } = await serve({ children: { min: 1, max: 2 } })
    expect((await post('/invoices', { title: 'x' })).body.data).toEqual({ lines: ['Required'] })
    expect((await put('/invoices/1', { title: 'x' })).body.data).toEqual({ lines: ['Required'] })
    expect((await patch('/invoices/1', { lines: [] })).body.data).toEqual({ lines: ['Must have at least 1 item'] })
    expect((await patch('/invoices/1', { lines: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] })).body.data)
      .toEqual({ lines: ['Must have at most 2 items'] })
    expect((await patch('/invoices/1', { title: 'y' })).status).toBe(200)
  })

  it.each([true, { partial: true }])('are not needed by an import of %j, whatever `min` says', async (option) => {
    const { send, get } = await serve({ children: { min: 1 }, invoices: { import: option } })
    const body = formOf({ name: 'file', filename: 'invoices.csv', content: 'title\nnew\n' }).toString()
    const imported = await send('POST', '/invoices/import', { body, headers: { 'content-type': FORM_TYPE } })
    expect([imported.status, imported.body.data]).toMatchObject([200, { rows: 1, created: 1 }])
    expect((await get('/invoices?sort=-id')).body.data[0]).toMatchObject({ title: 'new', lines: [] })
  })

  it('refuse another value of the column of the record, where unknown fields are refused', async () => {
    const input = lineInput.strict().refine(({ text }) => text !== 'bad')
    for (const option of [{ input: lineInput.strict() }, { input }]) {
      const { patch } = await serve({ lines: option })
      const send = async (...lines: object[]) => {
        const { status, body } = await patch('/invoices/1', { lines })
        return [status, status === 200 ? 'ok' : Object.keys(body.data)]
      }
      expect(await send({ id: 1, invoiceId: 77 })).toEqual([422, ['lines.0.invoiceId']])
      expect(await send({ id: 1 }, { text: 'new', invoiceId: 99 })).toEqual([422, ['lines.1.invoiceId']])
      expect(await send({ id: 1, invoiceId: 1 }, { text: 'new' })).toEqual([200, 'ok'])
    }
  })

  it('name their list where one that is deleted is refused', async () => {
    const { patch, send, stored } = await serve({
      invoices: { version: undefined },
      lines: { before: { delete: () => {
        throw new ValidationError({ text: ['pinned'], _: ['no'] })
      } } },
    })
    const replies = [await patch('/invoices/1', { lines: [] }), await send('DELETE', '/invoices/1')]
    for (const { status, body } of replies) {
      expect([status, body.data]).toEqual([422, { 'lines.text': ['pinned'], lines: ['no'] }])
    }
    expect(await stored()).toHaveLength(3)
  })

  it('apply their own references, and the error undoes everything', async () => {
    const { post, patch, get, stored, invoiceOf } = await serve()
    const lines = [{ text: 'a', productId: 1 }, { text: 'b', productId: 2 }]
    const before = await stored()
    for (const reply of [
      await post('/invoices', { title: 'x', lines }),
      await patch('/invoices/1', { title: 'x', lines }),
      await post('/invoices/bulk', { items: [{ title: 'x', lines: [lines[0], lines[1]] }] }),
    ]) expect(reply.status).toBe(422)
    expect((await patch('/invoices/1', { lines })).body.data).toEqual({ 'lines.1.productId': MISSING })
    expect((await post('/invoices/bulk', { items: [{ title: 'x', lines }] })).body.data)
      .toEqual({ 'items.0.lines.1.productId': MISSING })
    expect(await stored()).toEqual(before)
    expect(await invoiceOf(1)).toMatchObject({ title: 'one', version: 1 })
    expect((await get('/invoices')).body.meta.total).toBe(1)
  })

  it('refuse a record that an earlier request of another tenant referred to, and one deleted since', async () => {
    const { post, products } = await serve()
    const invoice = { title: 'x', lines: [{ text: 'a', productId: 2 }] }
    const other = { headers: { 'x-tenant': '2' } }
    expect((await post('/invoices', invoice, other)).status).toBe(201)
    expect((await post('/invoices', invoice)).body.data).toEqual({ 'lines.0.productId': MISSING })
    await products.delete([2])
    expect((await post('/invoices', invoice, other)).body.data).toEqual({ 'lines.0.productId': MISSING })
  })

  it('may refer to their record, also to one that is created with them', async () => {
    const { post, patch, stored } = await serve({ refersBack: true })
    const created = await post('/invoices', { title: 'x', lines: [{ text: 'a' }] })
    expect([created.status, textsOf(created.body.data)]).toEqual([201, ['a']])
    expect((await patch('/invoices/1', { lines: [{ id: 1, amount: 9 }, { text: 'b' }] })).status).toBe(200)
    expect((await post('/lines', { invoiceId: 3, text: 'a' })).body.data).toEqual({ invoiceId: MISSING })
    expect(await stored()).toHaveLength(4)
  })

  it('apply their own check, hooks and soft deletion', async () => {
    const seen: string[] = []
    const note = (name: string) => (row: { text?: string }) => void seen.push(`${name} ${row.text ?? ''}`)
    const { patch, stored } = await serve({
      lines: {
        softDelete: { field: 'deletedAt' },
        check: (row: Line, { action }: { action: string }) => {
          if (row.text === 'locked') throw new BusinessError('Locked', 409)
          seen.push(`check ${action} ${row.id}`)
        },
        before: { create: (fields: Line) => ({ ...fields, text: `${fields.text}!` }), delete: note('before delete') },
        after: { create: note('after create'), store: note('after store') },
        afterCommit: { create: note('committed'), delete: note('gone') },
      },
    })
    const { body } = await patch('/invoices/1', { lines: [{ id: 1, text: 'locked' }, { text: 'b' }] })
    expect(textsOf(body.data)).toEqual(['locked', 'b!'])
    expect(seen).toEqual([
      'check delete 2',
      'before delete line 2',
      'check store 1',
      'after store locked',
      'after create b!',
      'gone line 2',
      'committed b!',
    ])
    expect((await stored()).find(({ id }) => id === 2)?.deletedAt).toBeInstanceOf(Date)
    expect((await patch('/invoices/1', { lines: [] })).status).toBe(409)
    expect((await patch('/invoices/1', { lines: [{ id: 2 }] })).status).toBe(422)
  })

  it('of another tenant are neither shown, changed nor deleted', async () => {
    const { patch, get, post } = await serve()
    const other = { headers: { 'x-tenant': '2' } }
    expect((await patch('/invoices/1', { lines: [] }, other)).status).toBe(404)
    expect(textsOf((await get('/invoices/3', other)).body.data)).toEqual(['line 3'])
    const { body } = await post('/invoices', { title: 'x', lines: [{ text: 'a' }] }, other)
    expect(textsOf(body.data)).toEqual(['a'])
    expect((await patch('/invoices/3', { lines: [{ id: 1 }] }, other)).body.data).toEqual({ 'lines.0.id': MISSING })
  })

  it('that their list hides are neither shown, changed nor deleted', async () => {
    const { get, patch, stored } = await serve({
      lines: {
        scope: { list: () => [['text', '!=', 'line 2']] },
        check: ({ text }: Line) => {
          if (text === 'line 2') throw new BusinessError('secret')
        },
      },
    })
    expect((await get('/lines/2')).body.message).toBe('secret')
    expect(textsOf((await get('/invoices/1')).body.data)).toEqual(['line 1'])
    expect((await get('/invoices')).body.data).toMatchObject([{ lines: [{ id: 1 }] }])
    const changed = await patch('/invoices/1', { lines: [{ text: 'new' }] })
    expect([changed.status, textsOf(changed.body.data)]).toEqual([200, ['new']])
    expect((await patch('/invoices/1', { lines: [{ id: 2, text: 'x' }] })).body.data).toEqual({ 'lines.0.id': MISSING })
    expect((await stored()).map(({ text }) => text)).toEqual(['line 2', 'line 3', 'new'])
  })

  it('cannot be moved to another record', async () => {
    const { patch, stored } = await serve()
    await patch('/invoices/1', { lines: [{ id: 1, invoiceId: 3 }, { text: 'a', invoiceId: 3 }] })
    expect((await stored()).map(({ invoiceId }) => invoiceId)).toEqual([1, 3, 1])
  })

  it('change the version of the record, once in a nested write and once for each write of their own', async () => {
    const { get, patch, post, send, invoiceOf } = await serve({ lines: { softDelete: { field: 'deletedAt' } } })
    const etag = async () => String((await get('/invoices/1')).headers.get('etag'))
    const first = await etag()
    expect((await patch('/invoices/1', { lines: [{ id: 1, amount: 6 }, { id: 2, amount: 7 }] })).status).toBe(200)
    expect((await invoiceOf(1))?.version).toBe(2)
    const stale = { headers: { 'if-match': first } }
    expect((await patch('/invoices/1', { lines: [] }, stale)).status).toBe(412)
    const writes = [
      () => patch('/lines/1', { amount: 9 }),
      () => post('/lines', { invoiceId: 1, text: 'x' }),
      () => post('/lines/bulk', { items: [{ invoiceId: 1, text: 'y' }, { invoiceId: 1, text: 'z' }] }),
      () => send('DELETE', '/lines/2'),
      () => send('PUT', '/lines/2/restore'),
    ]
    for (const write of writes) {
      const before = await etag()
      expect((await write()).status).toBeLessThan(300)
      expect((await patch('/invoices/1', { title: 'x' }, { headers: { 'if-match': before } })).status).toBe(412)
      expect((await patch('/invoices/1', { title: 'x' }, { headers: { 'if-match': await etag() } })).status).toBe(200)
    }
  })

  it('are part of the ETag of a record without a version', async () => {
    const { get, patch } = await serve({ invoices: { version: undefined } })
    const tag = String((await get('/invoices/1')).headers.get('etag'))
    await patch('/lines/1', { amount: 9 })
    expect((await patch('/invoices/1', { title: 'x' }, { headers: { 'if-match': tag } })).status).toBe(412)
  })

  it('are deleted with their record', async () => {
    const { send, stored } = await serve()
    expect((await send('DELETE', '/invoices/1')).status).toBe(200)
    expect((await stored()).map(({ id }) => id)).toEqual([3])
  })

  it('follow the rules of their fields', async () => {
    const { get, patch } = await serve({ lines: { fields: { amount: { read: () => false, write: () => false } } } })
    const { data } = (await patch('/invoices/1', { lines: [{ id: 1, amount: 9 }] })).body
    expect(data).toMatchObject({ lines: [{ id: 1, text: 'line 1', productId: null }] })
    expect((await get('/lines/1')).body.data).not.toHaveProperty('amount')
  })

  it('are undone with a reply that does not fit the output', async () => {
    const { post, stored } = await serve({ invoices: { transform: () => ({ id: 'x' }) } })
    expect((await post('/invoices', { title: 'x', lines: [{ text: 'a' }] })).status).toBe(500)
    expect(await stored()).toHaveLength(3)
  })
})

/** Serves an order whose two items have uuids as ids, and labels that it is linked with by uuids. */
async function serveUuids() {
  const [first, second] = ['0b8f1f2e-aaaa-4bbb-8ccc-000000000001', '0b8f1f2e-aaaa-4bbb-8ccc-000000000002']
  const output = z.object({ id: z.string(), text: z.string() })
  const items = crud(
    memoryStore({
      key: 'id',
      rows: [{ id: first, orderId: 1, text: 'one' }, { id: second, orderId: 1, text: 'two' }],
    }),
    { id: z.uuid(), input: z.object({ orderId: param.int(), text: z.string() }), output },
  )
  const labels = crud(memoryStore({ key: 'id', rows: [{ id: first, text: 'new' }, { id: second, text: 'old' }] }), {
    id: z.uuid(),
    input: z.object({ text: z.string() }),
    output,
  })
  const through = memoryStore<{ id: number; orderId: number; labelId: string }>({ key: 'id' })
  const client = await servingRoutes((app) => {
    mountResource(app, {
      route: '/orders',
      name: 'orders',
      ...crud(memoryStore({ key: 'id', rows: [{ id: 1 }] }), {
        input: z.object({}),
        output: z.object({ id: z.int() }),
        children: { items: { of: items, column: 'orderId' } },
        links: { labelIds: { of: labels, through, own: 'orderId', other: 'labelId' } },
      }),
    })
  })
  return { ...client, first, second }
}

describe('uuids in capitals', () => {
  it('name the children that they are', async () => {
    const { send, first, second } = await serveUuids()
    const body = { items: [{ id: second.toUpperCase(), text: 'changed' }, { id: first.toUpperCase() }] }
    expect((await send('PATCH', '/orders/1', { body })).body.data).toMatchObject({
      items: [{ id: first, text: 'one' }, { id: second, text: 'changed' }],
    })
    const twice = { items: [{ id: first }, { id: first.toUpperCase() }] }
    expect((await send('PATCH', '/orders/1', { body: twice })).body.data).toHaveProperty(['items.1.id'])
  })

  it('name the links that they are, and count once beside another spelling', async () => {
    const { send, first } = await serveUuids()
    const link = async (...labelIds: string[]) => (await send('PATCH', '/orders/1', { body: { labelIds } })).body.data
    expect(await link(first, first.toUpperCase())).toMatchObject({ labelIds: [first] })
    expect(await link(first.toUpperCase())).toMatchObject({ labelIds: [first] })
  })
})

describe('the option `children` of crud', () => {
  it.each<[object]>([
    [{ lines: { of: {}, column: 'invoiceId' } }],
    [{ lines: { of: memoryStore({ key: 'id' }), column: 'invoiceId' } }],
    [{ lines: { of: undefined, column: 'invoiceId' } }],
  ])('refuses %j', async (children) => {
    await expect(serve({ invoices: { children } })).rejects.toMatchObject({ code: 'crud_children' })
  })

  it.each<[object]>([[{ column: '' }], [{ column: 'id' }], [{ min: -1 }], [{ min: 3, max: 2 }], [{ max: 0 }]])(
    'refuses %j',
    async (children) => {
      await expect(serve({ children })).rejects.toMatchObject({ code: 'crud_children' })
    },
  )

  it('refuses a misspelt name', async () => {
    await expect(serve({ children: { minimum: 1 } })).rejects.toMatchObject({ code: 'crud_option_unknown' })
  })
})

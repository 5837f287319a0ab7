import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore } from 'resourcery/crud'
import { param } from 'resourcery'
import { mountResource } from '../../lib/core/resource/mount-resource.js'
import { servingRoutes } from './serving.js'

interface LineRow {
  id: number
  invoiceId: number
  aboveId: number | null
  text: string
  note: string
  deletedAt: Date | null
}

const Line = z.object({ id: z.int(), invoiceId: z.int(), text: z.string(), note: z.string(),
  unit: z.string().optional() })
const Invoice = z.object({ id: z.int(), title: z.string(), author: z.string().optional() })
const lineInput = z.object({ invoiceId: param.int(), text: z.string(), aboveId: param.int().nullable().optional() })

/** Serves invoice 1 with the lines 1 and 2; these options are those of the lines and of the invoices. */
async function serve(
  { lines: lineOptions = {}, invoices: invoiceOptions = {} }: { lines?: object; invoices?: object },
) {
  const line = { invoiceId: 1, aboveId: null, note: 'kept', deletedAt: null }
  const lines = crud(
    memoryStore<LineRow>({
      key: 'id',
      unique: ['text'],
      defaults: { note: 'kept', aboveId: null, deletedAt: null },
      rows: [{ ...line, id: 1, text: 'one' }, { ...line, id: 2, text: 'two', aboveId: 1 }],
    }),
    { input: lineInput, output: Line, ...lineOptions },
  )
  const invoices = crud(
    memoryStore<{ id: number; title: string; text: string; deletedAt: Date | null }>({
      key: 'id',
      defaults: { text: 'two', deletedAt: null },
      rows: [
        { id: 1, title: 'May', text: '', deletedAt: null },
        { id: 9, title: 'gone', text: 'two', deletedAt: new Date() },
      ],
    }),
    { input: Invoice.pick({ title: true }), output: Invoice, children: { lines: { of: lines, column: 'invoiceId' } },
      ...invoiceOptions },
  )
  const client = await servingRoutes((app) => mountResource(app, { route: '/invoices', name: 'invoices', ...invoices }))
  const patch = async (body: object) => (await client.send('PATCH', '/invoices/1', { body })).body
  return { ...client, patch }
}

const constant = (value: string) => (rows: readonly { id: number }[]) => new Map(rows.map(({ id }) => [id, value]))

describe('children beside `include`', () => {
  it.each([
    ['both resources', { unit: constant('piece') }],
    ['the record alone', undefined],
  ])('are shown without relations of their own, where %s have some', async (_, include) => {
    const { get } = await serve({ lines: { include }, invoices: { include: { author: constant('Ann') } } })
    for (const path of ['/invoices?include=author&ids=1', '/invoices/1?include=author']) {
      const { body } = await get(path)
      const [shown] = [body.data].flat() as { author: string; lines: object[] }[]
      expect(shown).toMatchObject({ author: 'Ann', lines: [{ text: 'one' }, { text: 'two' }] })
      expect(shown?.lines[0]).not.toHaveProperty('unit')
    }
  })
})

describe('children that refuse unknown fields', () => {
  const strict = { lines: { unknownFields: 'refuse' } }

  it('refuse them in an element that changes a child too', async () => {
    const { patch } = await serve(strict)
    expect((await patch({ lines: [{ text: 'new', txt: '' }] })).data).toEqual({ 'lines.0.txt': ['Unknown field'] })
    expect((await patch({ lines: [{ id: 1 }, { id: 2, txt: '' }] })).data).toEqual({ 'lines.1.txt': ['Unknown field'] })
  })

  it('accept an element as it was sent to the client, and no other value of a field that is only shown', async () => {
    const { get, patch } = await serve(strict)
    const { lines } = (await get('/invoices/1')).body.data as { lines: object[] }
    expect(await patch({ lines: lines.map((one) => ({ ...one, text: 'same' })).slice(0, 1) })).toMatchObject({
      code: 200,
      data: { lines: [{ id: 1, invoiceId: 1, text: 'same', note: 'kept' }] },
    })
    expect(await patch({ lines: [{ id: 1, note: 'other' }] })).toMatchObject({
      code: 422,
      data: { 'lines.0.note': [expect.any(String)] },
    })
  })
})

describe('children in a tree', () => {
  it('name an element that is deleted with another child', async () => {
    const { get, patch } = await serve({
      lines: { output: Line.extend({ aboveId: z.int().nullable() }), tree: { parent: 'aboveId', onDelete: 'cascade' } },
    })
    expect(await patch({ lines: [{ text: 'new' }, { id: 2, aboveId: null }] })).toMatchObject({
      code: 422,
      data: { 'lines.1.id': ['There is no such record'] },
    })
    expect((await get('/invoices/1')).body.data).toMatchObject({ lines: [{ id: 1 }, { id: 2 }] })
  })
})

describe('children beside `softDelete.unique`', () => {
  it('do not make their conflict one with a deleted record', async () => {
    const softDelete = { field: 'deletedAt', unique: ['text'], allows: () => true }
    const { patch } = await serve({ lines: { softDelete }, invoices: { softDelete } })
    expect(await patch({ title: 'June', lines: [{ id: 1 }, { id: 2 }, { text: 'two' }] })).toMatchObject({
      code: 409,
      data: { 'lines.2.text': ['Already taken'] },
      meta: { reason: 'conflict' },
    })
  })
})

describe('children with members', () => {
  it.each(['change', 'run'])('count the version of the record up, here by `%s`', async (kind) => {
    const tracks = memoryStore({ key: 'id', rows: [{ id: 1, albumId: 1, name: 'x' }] })
    const albums = memoryStore({ key: 'id', rows: [{ id: 1, title: 'A', version: 1 }] })
    const ofTracks = crud(tracks, {
      input: z.object({ name: z.string() }),
      output: z.object({ id: z.int(), name: z.string() }),
      members: {
        change: { change: () => ({ name: 'y' }) },
        run: { run: async ({ id }, _args, { store }) => (await store.update(id, { name: 'y' }))?.name },
      },
    })
    const { get, send } = await servingRoutes((app) => {
      mountResource(app, { route: '/tracks', name: 'tracks', ...ofTracks })
      mountResource(app, {
        route: '/albums',
        name: 'albums',
        ...crud(albums, {
          input: z.object({ title: z.string() }),
          output: z.object({ id: z.int(), title: z.string() }),
          ifMatch: 'required',
          version: 'version',
          children: { tracks: { of: ofTracks, column: 'albumId' } },
        }),
      })
    })
    const headers = { 'If-Match': String((await get('/albums/1')).headers.get('etag')) }
    expect((await send('POST', `/tracks/1/${kind}`, { body: {} })).status).toBe(200)
    expect((await send('PATCH', '/albums/1', { body: { tracks: [] }, headers })).status).toBe(412)
  })
})

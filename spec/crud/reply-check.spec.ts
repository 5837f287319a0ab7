import { sql, type Generated, type Kysely } from 'kysely'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore, type IdempotencyKey } from 'resourcery/crud'
import { mountResource } from 'resourcery'
import { kyselyStore } from 'resourcery/kysely'
import { openEmbedded } from '../support/databases.js'
import { servingRoutes } from './serving.js'

interface Folder {
  id: number
  name: string
  parentId: number | null
  version: number
  deletedAt: Date | null
}

/** Names of more than three characters fit the store, but not the output. */
const Output = z.object({ id: z.int(), name: z.string().max(3), parentId: z.int().nullable() })
const Input = z.object({ name: z.string(), parentId: z.int().nullable().default(null) })
const ROWS: readonly Folder[] = [
  { id: 1, name: 'a', parentId: null, version: 1, deletedAt: null },
  { id: 2, name: 'b', parentId: 1, version: 1, deletedAt: null },
  { id: 3, name: 'too long', parentId: null, version: 1, deletedAt: new Date(5) },
  { id: 4, name: 'd', parentId: 3, version: 1, deletedAt: new Date(5) },
]

async function filed(options: object = {}) {
  const store = memoryStore<Folder>({ key: 'id', defaults: { deletedAt: null }, rows: ROWS })
  const keys = memoryStore<IdempotencyKey>({ key: 'id' })
  const committed: string[] = []
  const note = (action: string) => () => void committed.push(action)
  const client = await servingRoutes((app) =>
    mountResource(app, {
      route: '/folders',
      name: 'folders',
      ...crud(store, {
        input: Input,
        output: Output,
        bulk: true,
        ifMatch: 'optional',
        version: 'version',
        tree: { parent: 'parentId', onDelete: 'cascade' },
        softDelete: { field: 'deletedAt', allows: () => true },
        idempotency: { keys: () => keys, identity: () => 'all' },
        afterCommit: { create: note('create'), edit: note('edit'), store: note('store'), restore: note('restore') },
        ...options,
      }),
    })
  )
  const rows = (): Promise<readonly Folder[]> => Promise.resolve(store.list({ where: [], order: ['id'] }).slice(0, 100))
  return {
    ...client,
    rows,
    committed,
    kept: () => Promise.resolve(keys.list({ where: [], order: ['id'] }).slice(0, 100)),
  }
}

const key = { 'idempotency-key': 'one' }
const long = { name: 'too long' }

describe('a writing action whose reply does not fit its output', () => {
  it.each<[method: string, path: string, body?: object, headers?: Record<string, string>]>([
    ['POST', '', long],
    ['POST', '', long, key],
    ['PUT', '/1', long],
    ['PATCH', '/1', long],
    ['PATCH', '/1', long, { 'if-match': '*' }],
    ['PUT', '/3/restore'],
    ['POST', '/bulk', { items: [{ name: 'c' }, long] }],
    ['POST', '/bulk', { items: [{ name: 'c' }, long] }, key],
    ['PUT', '', { ids: [1, 2], data: long }],
  ])('replies 500 and writes nothing: %s /folders%s %j %j', async (method, path, body, headers = {}) => {
    const { send, rows, committed, kept } = await filed()
    const reply = await send(method, `/folders${path}`, { body, headers })
    expect(reply.body).toEqual({ code: 500, message: 'Something went wrong', data: null, meta: { reason: 'internal' } })
    expect([await rows(), committed, await kept(), reply.headers.get('etag')]).toEqual([ROWS, [], [], null])
  })

  it('is undone if the transform fails or returns an invalid record', async () => {
    for (
      const transform of [() => Promise.reject(new Error('down')), (row: Folder) => ({ ...row, parentId: 'none' })]
    ) {
      const { send, rows, committed } = await filed({ transform })
      const replies = [
        await send('POST', '/folders', { body: { name: 'c' } }),
        await send('PATCH', '/folders/1', { body: { name: 'c' } }),
      ]
      expect([replies.map(({ status }) => status), await rows(), committed]).toEqual([[500, 500], ROWS, []])
    }
  })

  it.each<[what: string, make: () => object]>([
    ['a circle', () => {
      const circle: { self?: object } = {}
      return Object.assign(circle, { self: circle })
    }],
    ['an object whose `toJSON` throws', () => ({ toJSON: () => BigInt('none') })],
  ])('is undone if its output accepts what cannot be sent: %s', async (_what, make) => {
    for (const extra of [z.any(), z.custom<object>(), z.lazy(() => z.unknown())]) {
      const output = Output.extend({ name: z.string(), extra: extra.optional() })
      const transform = (row: Folder) => (row.name === 'too long' ? { ...row, extra: make() } : row)
      const { send, rows, committed } = await filed({ output, transform })
      for (
        const [method, path, body] of [
          ['POST', '', long],
          ['PUT', '/1', long],
          ['PATCH', '/1', long],
          ['PUT', '/3/restore', undefined],
          ['POST', '/bulk', { items: [{ name: 'c' }, long] }],
          ['PUT', '', { ids: [1, 2], data: long }],
        ] as const
      ) {
        expect((await send(method, `/folders${path}`, { body })).status).toBe(500)
      }
      expect([await rows(), committed]).toEqual([ROWS, []])
    }
  })

  it('releases its idempotency key, so that a repeat is executed', async () => {
    let limit = 0
    const { send, rows } = await filed({
      transform: (row: Folder) => ({ ...row, name: row.name.slice(0, limit === 0 ? 99 : limit) }),
    })
    expect((await send('POST', '/folders', { body: long, headers: key })).status).toBe(500)
    limit = 3
    expect((await send('POST', '/folders', { body: long, headers: key })).body).toMatchObject({
      code: 201,
      data: { name: 'too' },
    })
    expect(await rows()).toHaveLength(5)
  })
})

describe('the output of a writing action', () => {
  it.each<[method: string, path: string, body?: object, headers?: Record<string, string>]>([
    ['POST', '', { name: 'c' }],
    ['POST', '', { name: 'c' }, key],
    ['PUT', '/1', { name: 'c' }],
    ['PATCH', '/1', { name: 'c' }],
    ['PUT', '/4/restore'],
    ['PUT', '', { ids: [1], data: { name: 'c' } }],
    ['POST', '/bulk', { items: [{ name: 'c' }] }],
    ['POST', '/bulk', { items: [{ name: 'c' }] }, key],
  ])('is computed once: %s /folders%s', async (method, path, body, headers = {}) => {
    let runs = 0
    const output = Output.extend({ name: z.string().transform((name) => {
      runs++
      return `${name}!`
    }) })
    const { send } = await filed({ output, tree: undefined })
    const reply = await send(method, `/folders${path}`, { body, headers })
    expect([reply.status < 300, JSON.stringify(reply.body.data).match(/!/g)?.length, runs]).toEqual([true, 1, 1])
  })
})

describe('a transform that returns one object each time', () => {
  it('is checked for each reply', async () => {
    const shared = { id: 1, name: 'a', parentId: null as number | null }
    const { send, get } = await filed({
      ifMatch: undefined,
      version: undefined,
      transform: (row: Folder) => Object.assign(shared, { id: row.id, name: row.name }),
    })
    const first = [await send('PATCH', '/folders/1', { body: { name: 'x' } }), await get('/folders/2')]
    const second = [await send('PATCH', '/folders/2', { body: { name: 'y' } }), await get('/folders/1')]
    expect([...first, ...second].map(({ body }) => body.data as unknown)).toMatchObject([{ name: 'x' }, { name: 'b' }, {
      name: 'y',
    }, { name: 'x' }])
  })
})

describe('the headers of a reply', () => {
  it('are removed from the error if the write is undone later', async () => {
    const keys = memoryStore<IdempotencyKey>({ key: 'id' })
    const failing = { ...keys, transaction: () => Promise.reject(new Error('down')) }
    const { send, rows } = await filed({ idempotency: { keys: () => failing, identity: () => 'all' } })
    const reply = await send('POST', '/folders', { body: { name: 'c' }, headers: key })
    expect([reply.status, reply.headers.get('etag'), reply.headers.get('access-control-expose-headers'), await rows()])
      .toEqual([500, null, null, ROWS])
  })
})

describe('a rule of a field', () => {
  it('is evaluated once, before a transaction takes the only connection', async () => {
    const database = await openEmbedded<
      { notes: { id: Generated<number>; title: string }; editors: { name: string } }
    >()
    const { db } = database
    try {
      await sql`create table notes (id integer generated by default as identity primary key, title text not null)`
        .execute(db)
      await sql`create table editors (name text not null)`.execute(db)
      const asked: string[] = []
      const rule = (kind: string) => async () => {
        asked.push(kind)
        return (await db.selectFrom('editors').selectAll().execute()).length === 0
      }
      const { post } = await servingRoutes((app) =>
        mountResource(app, {
          route: '/notes',
          name: 'notes',
          ...crud(kyselyStore(db, 'notes'), {
            input: z.object({ title: z.string() }),
            output: z.object({ id: z.int(), title: z.string() }),
            bulk: true,
            deadline: 5,
            fields: { title: { read: rule('read'), write: rule('write') } },
          }),
        })
      )
      expect((await post('/notes', { title: 'Milk' })).body.data).toEqual({ id: 1, title: 'Milk' })
      expect(asked.sort()).toEqual(['read', 'write'])
      expect((await post('/notes/bulk', { items: [{ title: 'Bread' }, { title: 'Eggs' }] })).status).toBe(201)
    } finally {
      await database.close()
    }
  })
})

describe('a transform of crud', () => {
  it('gets the `db` of the transaction in a write, and of the store otherwise', async () => {
    const database = await openEmbedded<{ notes: { id: Generated<number>; title: string } }>()
    const { db } = database
    try {
      await sql`create table notes (id integer generated by default as identity primary key, title text not null)`
        .execute(db)
      const seen: boolean[] = []
      const Note = z.object({ id: z.int(), title: z.string(), notes: z.int() })
      const count = async (tables: Kysely<{ notes: { id: Generated<number>; title: string } }>): Promise<number> => {
        seen.push(tables.isTransaction)
        return (await tables.selectFrom('notes').select('id').execute()).length
      }
      const { post, get } = await servingRoutes((app) =>
        mountResource(app, {
          route: '/notes',
          name: 'notes',
          ...crud(kyselyStore(db, 'notes'), {
            input: z.object({ title: z.string() }),
            output: Note,
            transform: async (row, _req, { db: tables }) => ({ ...row, notes: await count(tables) }),
          }),
        })
      )
      expect((await post('/notes', { title: 'Milk' })).body.data).toEqual({ id: 1, title: 'Milk', notes: 1 })
      expect((await get('/notes/1')).body.data).toEqual({ id: 1, title: 'Milk', notes: 1 })
      expect(seen).toEqual([true, false])
    } finally {
      await database.close()
    }
  })
})

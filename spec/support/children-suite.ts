import type { Request } from 'express'
import { sql, type Generated, type Kysely } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, type IdempotencyKey, type Referenced } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'
import { mountResource } from '../../lib/core/resource/mount-resource.js'
import { servingRoutes, type Asking } from '../crud/serving.js'
import { STARTING } from './blog.js'
import type { OpenDatabase, TestDatabase } from './databases.js'
import { createKeyedTables, keysIn } from './idempotency-keys.js'

export interface ChildrenTables {
  products: { id: Generated<number>; tenant_id: number }
  invoices: { id: Generated<number>; tenant_id: number; title: string; version: number }
  lines: {
    id: Generated<number>
    tenant_id: number
    invoice_id: number
    product_id: number | null
    sku: string
    amount: number
  }
  invoice_products: { id: Generated<number>; invoice_id: number; product_id: number }
  pairs: { invoice_id: number; product_id: number }
  idempotency_keys: IdempotencyKey
}

const Invoice = z.object({ id: z.int(), title: z.string() })
const Line = z.object({ id: z.int(), sku: z.string(), amount: z.int(), product_id: z.int().nullable() })
const lineInput = z.object({
  invoice_id: z.int(),
  product_id: z.int().nullable().optional(),
  sku: z.string(),
  amount: z.int().default(1),
})
const TABLES = ['pairs', 'invoice_products', 'lines', 'invoices', 'products', 'idempotency_keys'] as const
const MISSING = ['There is no such record']

interface Options {
  /** More options of invoices, by the resource of products. */
  readonly invoices?: object | ((products: object) => object)
  readonly lines?: object
}

/** Serves invoices with lines of one database. */
async function serve(db: Kysely<ChildrenTables>, options: Options = {}): Promise<Asking> {
  const scope = (req: Request) => [['tenant_id', '=', Number(req.headers['x-tenant'] ?? 1)] as const]
  const products = crud(kyselyStore(db, 'products'), { input: z.object({}), output: z.object({ id: z.int() }), scope })
  const lines = crud(kyselyStore(db, 'lines'), {
    input: lineInput,
    output: Line,
    scope,
    references: { product_id: products, invoice_id: (): Referenced<number> => invoices },
    ...options.lines,
  })
  const invoices = crud(kyselyStore(db, 'invoices'), {
    input: Invoice.pick({ title: true }),
    output: Invoice,
    scope,
    bulk: true,
    ifMatch: 'optional',
    version: 'version',
    children: { lines: { of: lines, column: 'invoice_id' } },
    links: {
      productIds: {
        of: products,
        through: kyselyStore(db, 'invoice_products'),
        own: 'invoice_id',
        other: 'product_id',
      },
    },
    idempotency: { keys: (within: unknown) => keysIn(within as never), identity: () => 'all' },
    ...(typeof options.invoices === 'function' ? options.invoices(products) : options.invoices),
  })
  return servingRoutes((app) => {
    mountResource(app, { route: '/lines', name: 'lines', ...lines })
    mountResource(app, { route: '/invoices', name: 'invoices', ...invoices })
  })
}

/** Tests nested writes on a database. */
export function childrenSuite(open: OpenDatabase): void {
  let database: TestDatabase<ChildrenTables>
  beforeAll(async () => {
    database = await open<ChildrenTables>()
    await createTables(database)
  }, STARTING)
  beforeEach(async () => {
    const { db } = database
    for (const table of TABLES) await db.deleteFrom(table).execute()
    await db.insertInto('products').values([{ id: 1, tenant_id: 1 }, { id: 2, tenant_id: 2 }]).execute()
    const invoices = [{ id: 1, tenant_id: 1 }, { id: 3, tenant_id: 2 }]
    await db.insertInto('invoices').values(invoices.map((one) => ({ ...one, title: 'old', version: 1 }))).execute()
    const lines = [{ id: 1, invoice_id: 1 }, { id: 2, invoice_id: 1 }, { id: 3, invoice_id: 3 }]
    await db.insertInto('lines').values(lines.map((one) => (
      { ...one, tenant_id: one.id === 3 ? 2 : 1, product_id: null, sku: `sku ${one.id}`, amount: 5 }
    ))).execute()
  })
  afterAll(() => database.close())

  const stored = () => database.db.selectFrom('lines').selectAll().orderBy('id').execute()
  const skus = (data: unknown): string[] => (data as { lines: { sku: string }[] }).lines.map(({ sku }) => sku)

  it('creates, replaces and shows the lines of an invoice', async () => {
    const { get, post, send } = await serve(database.db)
    const created = await post('/invoices', { title: 'new', lines: [{ sku: 'a', product_id: 1 }, { sku: 'b' }] })
    expect([created.status, skus(created.body.data)]).toEqual([201, ['a', 'b']])
    const changed = await send('PATCH', '/invoices/1', {
      body: { lines: [{ sku: 'new' }, { id: 2, amount: 9 }] },
    })
    expect([changed.status, changed.body.data]).toMatchObject([200, {
      lines: [{ id: 2, sku: 'sku 2', amount: 9 }, { sku: 'new', amount: 1 }],
    }])
    expect(((await get('/invoices')).body.data as unknown[]).map(skus)).toEqual([['sku 2', 'new'], ['a', 'b']])
    const replaced = await send('PUT', '/invoices/1', { body: { title: 'empty' } })
    expect(replaced.body.data).toMatchObject({ lines: [] })
  })

  it.each([3, 999])('refuses the id %i of no line of the invoice, and undoes everything', async (id) => {
    const { send } = await serve(database.db)
    const lines = [{ id: 1, amount: 9 }, { sku: 'a' }, { sku: 'b' }, { id, amount: 7 }]
    const reply = await send('PATCH', '/invoices/1', { body: { title: 'x', lines } })
    expect([reply.status, reply.body.data]).toEqual([422, { 'lines.3.id': MISSING }])
    expect((await stored()).map(({ id: each, amount }) => [each, amount])).toEqual([[1, 5], [2, 5], [3, 5]])
  })

  it('undoes everything where a line is refused by its references or by the database', async () => {
    const { post, send } = await serve(database.db)
    const before = await stored()
    const foreign = [{ sku: 'a' }, { sku: 'b', product_id: 2 }]
    const replies = [
      await post('/invoices', { title: 'x', lines: foreign }),
      await send('PATCH', '/invoices/1', { body: { title: 'x', lines: foreign } }),
    ]
    for (const { status, body } of replies) {
      expect([status, body.data]).toEqual([422, { 'lines.1.product_id': MISSING }])
    }
    const bulk = await post('/invoices/bulk', { items: [{ title: 'x' }, { title: 'y', lines: foreign }] })
    expect([bulk.status, bulk.body.data]).toEqual([422, { 'items.1.lines.1.product_id': MISSING }])
    const twice = await post('/invoices', { title: 'x', lines: [{ sku: 'a' }, { sku: 'a' }] })
    expect([twice.status, twice.body.data]).toEqual([409, { 'lines.1.sku': ['Already taken'] }])
    expect(await stored()).toEqual(before)
    const { rows } = await sql`select title from invoices`.execute(database.db)
    expect(rows).toEqual([{ title: 'old' }, { title: 'old' }])
  })

  it('links an invoice with products in scope alone', async () => {
    const { get, post, send } = await serve(database.db)
    const created = await post('/invoices', { title: 'x', productIds: [1], lines: [{ sku: 'a' }] })
    expect([created.status, created.body.data]).toMatchObject([201, { productIds: [1], lines: [{ sku: 'a' }] }])
    const refused = await send('PATCH', '/invoices/1', { body: { lines: [], productIds: [1, 2] } })
    expect([refused.status, refused.body.data]).toEqual([422, { 'productIds.1': MISSING }])
    expect((await get('/invoices/1')).body.data).toMatchObject({ productIds: [], lines: [{ id: 1 }, { id: 2 }] })
    const { id } = created.body.data as { id: number }
    expect((await send('PUT', `/invoices/${id}`, { body: { title: 'x' } })).body.data).toMatchObject({ productIds: [] })
  })

  it.each(['invoice_id', 'product_id'] as const)(
    'links by a table that is identified by both of its columns, here with the key %s',
    async (key) => {
      const { db } = database
      const through = kyselyStore(db, 'pairs', { key })
      const { get, post, send } = await serve(db, {
        invoices: (of: object) => ({ links: { productIds: { of, through, own: 'invoice_id', other: 'product_id' } } }),
      })
      await db.insertInto('products').values([4, 5].map((id) => ({ id, tenant_id: 1 }))).execute()
      await db.insertInto('pairs').values([1, 4].map((id) => ({ invoice_id: 3, product_id: id }))).execute()
      const created = await post('/invoices', { title: 'x', productIds: [4, 1, 4] })
      expect([created.status, created.body.data]).toMatchObject([201, { productIds: [1, 4] }])
      expect((await send('PATCH', '/invoices/1', { body: { productIds: [1, 4] } })).status).toBe(200)
      const changed = await send('PATCH', '/invoices/1', { body: { productIds: [5, 4] } })
      expect(changed.body.data).toMatchObject({ productIds: [4, 5] })
      const refused = await send('PATCH', '/invoices/1', { body: { productIds: [1, 2] } })
      expect([refused.status, refused.body.data]).toEqual([422, { 'productIds.1': MISSING }])
      expect(((await get('/invoices')).body.data as { productIds: number[] }[]).map((one) => one.productIds))
        .toEqual([[4, 5], [1, 4]])
      expect((await send('DELETE', '/invoices/1')).status).toBe(200)
      const { id } = created.body.data as { id: number }
      expect(await db.selectFrom('pairs').selectAll().orderBy('invoice_id').orderBy('product_id').execute())
        .toEqual([[3, 1], [3, 4], [id, 1], [id, 4]].map(([invoice_id, product_id]) => ({ invoice_id, product_id })))
    },
  )

  it('counts the version of the invoice up when a line is written by itself', async () => {
    const { get, post, send } = await serve(database.db)
    const writes = [
      () => send('PATCH', '/lines/1', { body: { amount: 8 } }),
      () => post('/lines', { invoice_id: 1, sku: 'x' }),
      () => send('DELETE', '/lines/2'),
    ]
    for (const write of writes) {
      const headers = { 'if-match': String((await get('/invoices/1')).headers.get('etag')) }
      expect((await write()).status).toBeLessThan(300)
      expect((await send('PATCH', '/invoices/1', { body: { lines: [] }, headers })).status).toBe(412)
    }
  })

  it('counts the version up once where several stores have one table', async () => {
    const { db } = database
    const scope = () => [['tenant_id', '=', 1] as const]
    const linesOf = () => crud(kyselyStore(db, 'lines'), { input: lineInput, output: Line, scope })
    const lines = linesOf()
    const resources = ['desk', 'shop'].map((name) =>
      [name, crud(kyselyStore(db, 'invoices'), {
        input: Invoice.pick({ title: true }),
        output: Invoice,
        ifMatch: 'optional',
        version: 'version',
        children: { lines: { of: lines, column: 'invoice_id' } },
      })] as const
    )
    const { get, send } = await servingRoutes((app) => {
      mountResource(app, { route: '/lines', name: 'lines', ...linesOf() })
      for (const [name, each] of resources) mountResource(app, { route: `/${name}`, name, ...each })
    })
    const etagOf = ({ headers }: { readonly headers: Headers }) => ({ 'if-match': String(headers.get('etag')) })
    const changed = await send('PATCH', '/desk/1', { body: { lines: [{ sku: 'a' }] } })
    const next = await send('PATCH', '/shop/1', { body: { lines: [{ sku: 'b' }] }, headers: etagOf(changed) })
    expect([changed.status, next.status]).toEqual([200, 200])
    const [{ id = 0 } = {}] = (next.body.data as { lines: { id: number }[] }).lines
    expect((await send('PATCH', `/lines/${id}`, { body: { amount: 8 } })).status).toBe(200)
    expect((await send('PATCH', '/desk/1', { body: { title: 'x' }, headers: etagOf(next) })).status).toBe(412)
    expect((await send('PATCH', '/desk/1', { body: {}, headers: etagOf(await get('/shop/1')) })).status).toBe(200)
    const { version } = await db.selectFrom('invoices').select('version').where('id', '=', 1).executeTakeFirstOrThrow()
    expect(version).toBe(4)
  })

  it('loses no line and no version when many write at once', async () => {
    const { send, post } = await serve(database.db)
    const replies = await Promise.all([
      ...Array.from({ length: 5 }, (_, at) => post('/lines', { invoice_id: 1, sku: `s${at}` })),
      ...Array.from({ length: 5 }, (_, at) => send('PATCH', '/invoices/1', { body: { title: `t${at}` } })),
      send('PATCH', '/invoices/1', { body: { lines: [{ id: 1 }, { sku: 'nested' }] } }),
    ])
    expect(replies.map(({ status }) => status).filter((status) => status >= 300)).toEqual([])
    const { version } = await database.db.selectFrom('invoices').select('version').where('id', '=', 1)
      .executeTakeFirstOrThrow()
    expect(version).toBe(12)
  })

  it('creates lines once for an idempotency key', async () => {
    const { post } = await serve(database.db)
    const headers = { 'idempotency-key': 'one' }
    const body = { title: 'x', lines: [{ sku: 'a' }] }
    const [first, second] = [await post('/invoices', body, { headers }), await post('/invoices', body, { headers })]
    expect(second.body).toEqual(first.body)
    expect(skus(first.body.data)).toEqual(['a'])
    expect(await stored()).toHaveLength(4)
  })

  it('checks the reply before the commit', async () => {
    const { post } = await serve(database.db, { lines: { transform: () => ({ id: 'x' }) } })
    expect((await post('/invoices', { title: 'x', lines: [{ sku: 'a' }] })).status).toBe(500)
    expect(await stored()).toHaveLength(3)
  })

  it('deletes the lines with their invoice', async () => {
    const { send } = await serve(database.db)
    expect((await send('DELETE', '/invoices/1')).status).toBe(200)
    expect((await stored()).map(({ id }) => id)).toEqual([3])
  })
}

async function createTables({ db, dialect }: TestDatabase<ChildrenTables>): Promise<void> {
  const isPostgres = dialect === 'postgres'
  const key = sql.raw(isPostgres ? 'int generated by default as identity (start with 1000)' : 'int auto_increment')
  await sql`create table products (id ${key} primary key, tenant_id int not null)`.execute(db)
  await sql`create table invoices (id ${key} primary key, tenant_id int not null, title varchar(50) not null,
    version int not null)`.execute(db)
  await sql`create table ${sql.table('lines')} (id ${key} primary key, tenant_id int not null, invoice_id int not null,
    product_id int, sku varchar(50) not null, amount int not null, unique (invoice_id, sku),
    foreign key (invoice_id) references invoices (id))`.execute(db)
  await sql`create table invoice_products (id ${key} primary key, invoice_id int not null, product_id int not null,
    foreign key (invoice_id) references invoices (id), foreign key (product_id) references products (id))`.execute(db)
  await sql`create table pairs (invoice_id int not null, product_id int not null, primary key (invoice_id, product_id),
    foreign key (invoice_id) references invoices (id), foreign key (product_id) references products (id))`.execute(db)
  await createKeyedTables(db as never, dialect)
}

import type { Request } from 'express'
import { sql, type Generated, type Kysely } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, type IdempotencyKey } from 'resourcery/crud'
import { mountResource } from 'resourcery'
import { kyselyStore } from 'resourcery/kysely'
import { servingRoutes, type Asking } from '../crud/serving.js'
import { STARTING } from './blog.js'
import type { OpenDatabase, TestDatabase } from './databases.js'
import { FORM_TYPE, formOf } from './multipart.js'

export interface NestedTables {
  customers: { id: Generated<number>; name: string }
  tickets: { id: Generated<number>; customer_id: number; title: string; deleted_at: Date | null }
  comments: { id: Generated<number>; ticket_id: number; text: string }
  keys: IdempotencyKey
}

const Comment = z.object({ id: z.int(), ticket_id: z.int(), text: z.string() })

/** Serves a help desk on one database; `hooks` are those of comments and of tickets. */
async function helpDesk(
  db: Kysely<NestedTables>,
  hooks: { comments?: object; tickets?: object } = {},
): Promise<Asking> {
  const customers = crud(kyselyStore(db, 'customers'), {
    input: z.object({ name: z.string() }),
    output: z.object({ id: z.int(), name: z.string() }),
  })
  const tickets = crud(kyselyStore(db, 'tickets'), {
    input: z.object({ title: z.string() }),
    output: z.object({ id: z.int(), title: z.string() }),
    softDelete: { field: 'deleted_at' },
    parent: { arg: 'customerId', column: 'customer_id', of: customers },
    ...hooks.tickets,
  })
  const comments = crud(kyselyStore(db, 'comments'), {
    input: Comment.pick({ text: true }),
    output: Comment,
    bulk: true,
    sort: ['text'],
    idempotency: { keys: (inside) => kyselyStore(inside, 'keys'), identity: () => 'all' },
    parent: { arg: 'ticketId', column: 'ticket_id', of: tickets },
    ...hooks.comments,
  })
  return servingRoutes((app) => {
    mountResource(app, { route: '/customers/:customerId/tickets', name: 'tickets', ...tickets })
    mountResource(app, { route: '/customers/:customerId/tickets/:ticketId/comments', name: 'comments', ...comments })
  })
}

const BASE = '/customers/1/tickets/1/comments'

/**
 * Tests nested resources on a database; `isBlocked` returns if a connection waits for a lock, if there can be several.
 */
export function nestedSuite(open: OpenDatabase, isBlocked?: (db: Kysely<NestedTables>) => Promise<boolean>): void {
  let database: TestDatabase<NestedTables>
  beforeAll(async () => {
    database = await open<NestedTables>()
    await createTables(database)
  }, STARTING)
  beforeEach(async () => {
    const { db } = database
    for (const table of ['comments', 'tickets', 'customers', 'keys'] as const) await db.deleteFrom(table).execute()
    await db.insertInto('customers').values([{ id: 1, name: 'a' }, { id: 2, name: 'b' }]).execute()
    await db
      .insertInto('tickets')
      .values([{ id: 1, customer_id: 1, title: 'one', deleted_at: null }, {
        id: 2,
        customer_id: 2,
        title: 'two',
        deleted_at: null,
      }])
      .execute()
  })
  afterAll(() => database.close())

  it('loads the parent on the connection of the transaction', async () => {
    const { send, get, post } = await helpDesk(database.db)
    const { id } = (await post(BASE, { text: 'first' })).body.data as { id: number }
    expect((await post(`${BASE}/bulk`, { items: [{ text: 'a' }, { text: 'b' }] })).status).toBe(201)
    expect((await post(BASE, { text: 'keyed' }, { headers: { 'idempotency-key': 'one' } })).status).toBe(201)
    expect((await send('PATCH', `${BASE}/${id}`, { body: { text: 'changed' } })).body.data).toEqual({
      id,
      ticket_id: 1,
      text: 'changed',
    })
    expect((await get(`${BASE}?limit=2&cursor=`)).body.data).toHaveLength(2)
    expect((await send('DELETE', `${BASE}/${id}`)).status).toBe(200)
    for (
      const path of [
        '/customers/2/tickets/1/comments',
        '/customers/1/tickets/2/comments',
        '/customers/1/tickets/9/comments',
        '/customers/9/tickets/1/comments',
      ]
    ) {
      expect([
        (await post(path, { text: 'x' })).status,
        (await get(path)).status,
        (await send('DELETE', `${path}/${id}`)).status,
      ])
        .toEqual([404, 404, 404])
    }
    expect((await get(BASE)).body.meta.total).toBe(3)
  })

  it('replays no reply to a caller who does not reach the parent', async () => {
    const scope = (req: Request) => [['customer_id', '=', Number(req.headers['x-customer'] ?? 1)] as const]
    const { send, post } = await helpDesk(database.db, { tickets: { scope } })
    const keyed = (headers: object = {}) =>
      post(BASE, { text: 'a' }, { headers: { 'idempotency-key': 'one', ...headers } })
    const { status, body } = await keyed()
    expect([status, (await keyed()).body]).toEqual([201, body])
    expect((await keyed({ 'x-customer': '2' })).status).toBe(404)
    expect((await send('DELETE', '/customers/1/tickets/1')).status).toBe(200)
    expect((await keyed()).status).toBe(404)
  })

  it('imports nothing below a parent that does not exist, also where valid rows are written one by one', async () => {
    const { send, post } = await helpDesk(database.db, { comments: { import: { partial: true } } })
    const body = (content: string): string => formOf({ name: 'file', filename: 'f.csv', content }).toString()
    const headers = { 'content-type': FORM_TYPE }
    for (const path of ['/customers/1/tickets/9/comments', '/customers/2/tickets/1/comments']) {
      expect((await send('POST', `${path}/import`, { body: body('text\na\n'), headers })).status).toBe(404)
      expect((await send('POST', `${path}/import`, { body: body('text\n'), headers })).status).toBe(404)
    }
    expect((await post(`${BASE}/import`, body('text\na\n'), { headers })).body.data).toMatchObject({ created: 1 })
  })

  it('writes nothing below a soft-deleted parent, also concurrently', async () => {
    const { send, post } = await helpDesk(database.db)
    const replies = await Promise.all([
      ...Array.from({ length: 8 }, (_, at) => post(BASE, { text: `t${at}` })),
      send('DELETE', '/customers/1/tickets/1'),
      post(BASE, { text: 'late' }),
    ])
    expect(replies.every(({ status }) => [200, 201, 404].includes(status))).toBe(true)
    const { total } = await database
      .db
      .selectFrom('comments')
      .select((eb) => eb.fn.countAll<number | string>().as('total'))
      .executeTakeFirstOrThrow()
    expect(Number(total)).toBe(replies.filter(({ status }) => status === 201).length)
    expect((await post(BASE, { text: 'after' })).status).toBe(404)
  })

  it('loads a parent in the transaction of its child, if all levels are on one connection', async () => {
    const { db } = database
    const far = db.withoutPlugins()
    const seen: unknown[] = []
    const look = (_req: unknown, { db: inside }: { db: unknown }) => {
      seen.push(inside)
      return []
    }
    const inside: unknown[] = []
    const options = { input: Comment.pick({ text: true }), output: Comment, before: {
      create: (_fields: unknown, { store }: { store: { db: unknown } }) => void inside.push(store.db),
    } }
    const below = { arg: 'ticketId', column: 'ticket_id' } as const
    const ofTickets = (customers: typeof db) =>
      crud(kyselyStore(db, 'tickets'), {
        input: z.object({ title: z.string() }),
        output: z.object({ id: z.int() }),
        scope: look,
        parent: { arg: 'customerId', column: 'customer_id', of: kyselyStore(customers, 'customers') },
      })
    const comments = kyselyStore(db, 'comments')
    const { post } = await servingRoutes((app) => {
      const mount = (name: string, made: ReturnType<typeof crud>): void => {
        mountResource(app, { route: `/${name}/:ticketId/comments`, name, ...made })
      }
      mount('near',
        crud(comments, { ...options, parent: { ...below, of: kyselyStore(db, 'tickets'), scope: look } }) as never)
      mount('far',
        crud(comments, { ...options, parent: { ...below, of: kyselyStore(far, 'tickets'), scope: look } }) as never)
      mountResource(app, { route: '/together/:customerId/:ticketId/comments', name: 'together',
        ...crud(comments, { ...options, parent: { ...below, of: ofTickets(db) } }) })
      mountResource(app, { route: '/apart/:customerId/:ticketId/comments', name: 'apart',
        ...crud(comments, { ...options, parent: { ...below, of: ofTickets(far) } }) })
    })
    const places = async (path: string): Promise<unknown[]> => {
      seen.length = inside.length = 0
      expect([path, (await post(path, { text: 'a' })).status]).toEqual([path, 201])
      return [...new Set(seen)].map((place) =>
        place === inside[0] ? 'transaction' : place === db ? 'near' : place === far ? 'far' : 'other'
      )
    }
    expect(await places('/near/1/comments')).toEqual(['transaction'])
    expect(await places('/far/1/comments')).toEqual(['far'])
    expect(await places('/together/1/1/comments')).toEqual(['transaction'])
    expect(await places('/apart/1/1/comments')).toEqual(['near'])
  })

  if (isBlocked === undefined) return

  it('locks the parent until its new child is committed', async () => {
    const { db } = database
    const seen: number[] = []
    let deletion: Promise<unknown> = Promise.resolve()
    const client: Asking = await helpDesk(db, {
      comments: { before: { create: async () => {
        deletion = client.send('DELETE', '/customers/1/tickets/1')
        await Promise.race([deletion, untilTrue(() => isBlocked(db))])
      } } },
      tickets: { before: { delete: async (_row: unknown, { store }: { store: { db: Kysely<NestedTables> } }) => {
        seen.push((await store.db.selectFrom('comments').select('id').execute()).length)
      } } },
    })
    expect((await client.post(BASE, { text: 'first' })).status).toBe(201)
    await deletion
    expect(seen).toEqual([1])
  })
}

/** MariaDB updates its list of transactions at most every 100 ms, and not if it is read more often. */
const BETWEEN = 150

async function untilTrue(ask: () => Promise<boolean>): Promise<void> {
  while (!await ask()) await new Promise((resolve) => setTimeout(resolve, BETWEEN))
}

async function createTables({ db, dialect }: TestDatabase<NestedTables>): Promise<void> {
  const key = sql.raw(
    dialect === 'postgres'
      ? 'integer generated by default as identity primary key'
      : 'integer auto_increment primary key',
  )
  const time = sql.raw(dialect === 'postgres' ? 'timestamptz' : 'datetime(3)')
  await sql`create table customers (id ${key}, name varchar(50) not null)`.execute(db)
  await sql`create table tickets (id ${key}, customer_id integer not null, title varchar(50) not null, deleted_at ${time})`
    .execute(db)
  await sql`create table comments (id ${key}, ticket_id integer not null, text varchar(50) not null)`.execute(db)
  const keys = dialect === 'postgres'
    ? sql`create table keys (id char(64) primary key, fingerprint char(64) not null, claim varchar(36) not null, "expiresAt" bigint not null, reply text)`
    : sql`create table \`keys\` (id char(64) primary key, fingerprint char(64) not null, claim varchar(36) not null, expiresAt bigint not null, reply mediumtext)`
  await keys.execute(db)
}

import type { Request } from 'express'
import { sql, type Generated, type Kysely } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { crud } from 'resourcery/crud'
import { mountResource } from '../../lib/core/resource/mount-resource.js'
import { kyselyStore } from 'resourcery/kysely'
import { servingRoutes, type Asking } from '../crud/serving.js'
import { STARTING } from './blog.js'
import type { OpenDatabase, TestDatabase } from './databases.js'

export interface ReferencesTables {
  rooms: { id: Generated<number>; tenant_id: number; name: string; deleted_at: Date | null }
  bookings: { id: Generated<number>; tenant_id: number; room_id: number | null; title: string }
}

const Room = z.object({ id: z.int(), name: z.string() })
const Booking = z.object({ id: z.int(), room_id: z.int().nullable(), title: z.string() })
const input = z.object({ room_id: z.int().nullable().optional(), title: z.string() })
const MISSING = ['There is no such record']

interface Options {
  readonly rooms?: object
  readonly bookings?: object
}

/** Serves rooms and bookings of one database. */
async function serve(db: Kysely<ReferencesTables>, options: Options = {}, mounted: object = {}): Promise<Asking> {
  const scope = (req: Request) => [['tenant_id', '=', Number(req.headers['x-tenant'] ?? 1)] as const]
  const rooms = crud(kyselyStore(db, 'rooms'), {
    input: Room.pick({ name: true }),
    output: Room,
    scope,
    softDelete: { field: 'deleted_at' },
    ...options.rooms,
  })
  const bookings = crud(kyselyStore(db, 'bookings'), {
    input,
    output: Booking,
    scope,
    bulk: true,
    references: { room_id: rooms },
    ...options.bookings,
  })
  return servingRoutes((app) => {
    mountResource(app, { route: '/rooms', name: 'rooms', ...rooms })
    mountResource(app, { route: '/bookings', name: 'bookings', ...bookings, ...mounted })
  })
}

/**
 * Tests references on a database; `isBlocked` returns if a connection waits for a lock, if there can be several.
 */
export function referencesSuite(
  open: OpenDatabase,
  isBlocked?: (db: Kysely<ReferencesTables>) => Promise<boolean>,
): void {
  let database: TestDatabase<ReferencesTables>
  beforeAll(async () => {
    database = await open<ReferencesTables>()
    await createTables(database)
  }, STARTING)
  beforeEach(async () => {
    const { db } = database
    for (const table of ['bookings', 'rooms'] as const) await db.deleteFrom(table).execute()
    const rooms = [1, 2, 3, 4].map((id) => (
      { id, tenant_id: id === 3 ? 2 : 1, name: `room ${id}`, deleted_at: id === 4 ? new Date(0) : null }
    ))
    await db.insertInto('rooms').values(rooms).execute()
    await db.insertInto('bookings').values({ id: 1000, tenant_id: 1, room_id: 3, title: 'old' }).execute()
  })
  afterAll(() => database.close())

  it.each([3, 4, 9])('refuses the reference to room %i, which does not exist for the caller', async (room_id) => {
    const { send, post, get } = await serve(database.db)
    const { id } = (await post('/bookings', { room_id: 1, title: 'a' })).body.data as { id: number }
    const replies = [
      await post('/bookings', { room_id, title: 'b' }),
      await send('PATCH', `/bookings/${id}`, { body: { room_id } }),
      await send('PUT', `/bookings/${id}`, { body: { room_id, title: 'c' } }),
    ]
    expect(replies.map(({ status, body }) => [status, body.data]))
      .toEqual(replies.map(() => [422, { room_id: MISSING }]))
    const bulk = await post('/bookings/bulk', { items: [{ room_id: 2, title: 'd' }, { room_id, title: 'e' }] })
    expect([bulk.status, bulk.body.data]).toEqual([422, { 'items.1.room_id': MISSING }])
    expect((await get('/bookings')).body.meta.total).toBe(2)
  })

  it('accepts rooms in scope, unchanged values and null', async () => {
    const { send, post } = await serve(database.db)
    const items = [{ room_id: 2, title: 'a' }, { room_id: 1, title: 'b' }, { title: 'c' }]
    expect((await post('/bookings/bulk', { items })).status).toBe(201)
    for (const body of [{ room_id: 3, title: 'x' }, { room_id: null }, { title: 'y' }, { room_id: 2 }]) {
      expect((await send('PATCH', '/bookings/1000', { body })).status).toBe(200)
    }
    expect((await post('/bookings', { room_id: 3, title: 'd' }, { headers: { 'x-tenant': '2' } })).status).toBe(201)
  })

  it('refers to no room that is deleted at the same time', async () => {
    const { send, post } = await serve(database.db)
    const replies = await Promise.all([
      ...Array.from({ length: 6 }, (_, at) => post('/bookings', { room_id: 1, title: `t${at}` })),
      send('DELETE', '/rooms/1'),
      post('/bookings', { room_id: 1, title: 'late' }),
    ])
    expect(replies.every(({ status }) => [200, 201, 422].includes(status))).toBe(true)
    expect((await post('/bookings', { room_id: 1, title: 'after' })).status).toBe(422)
  })

  it('names at the start a field with a foreign key to a scoped resource that has no reference', async () => {
    const warned = warnings()
    const { get } = await serve(database.db, { bookings: { references: undefined } })
    await get('/bookings')
    await untilTrue(() => Promise.resolve(warned.length > 0))
    const named = /`bookings` write `room_id`.* `rooms`.*references: \{ room_id: rooms/
    expect(warned).toEqual([expect.stringMatching(named)])
  })

  it('names none that has a reference, is declared as free, or cannot be written', async () => {
    const warned = warnings()
    for (const bookings of [{}, { references: { room_id: false } }, { input: input.pick({ title: true }) }]) {
      const { get } = await serve(database.db, { bookings })
      await get('/bookings')
    }
    const { get } = await serve(database.db, { rooms: { scope: undefined }, bookings: { references: undefined } })
    await get('/bookings')
    const read = await serve(database.db, { bookings: { references: undefined } }, { actions: ['list', 'show'] })
    await read.get('/bookings')
    await database.db.selectFrom('rooms').select('id').execute()
    expect(warned).toEqual([])
  })

  if (isBlocked === undefined) return

  it('locks the row until the row that refers to it is committed', async () => {
    const { db } = database
    const seen: number[] = []
    let deletion: Promise<unknown> = Promise.resolve()
    const client: Asking = await serve(db, {
      bookings: { after: { create: async () => {
        deletion = client.send('DELETE', '/rooms/1')
        await Promise.race([deletion, untilTrue(() => isBlocked(db))])
      } } },
      rooms: { before: { delete: async (_row: unknown, { store }: { store: { db: Kysely<ReferencesTables> } }) => {
        seen.push((await store.db.selectFrom('bookings').select('id').where('room_id', '=', 1).execute()).length)
      } } },
    })
    expect((await client.post('/bookings', { room_id: 1, title: 'first' })).status).toBe(201)
    await deletion
    expect(seen).toEqual([1])
  })

  it('lets two requests refer to one row at the same time', async () => {
    let waiting = 0
    let meet = (): void => undefined
    const met = new Promise<void>((resolve) => (meet = resolve))
    const { post } = await serve(database.db, {
      bookings: { after: { create: () => {
        if (++waiting === 2) meet()
        return met
      } } },
    })
    const both = await Promise.all(['a', 'b'].map((title) => post('/bookings', { room_id: 1, title })))
    expect(both.map(({ status }) => status)).toEqual([201, 201])
  })
}

/** Collects the warnings about references until the test ends. */
function warnings(): string[] {
  const warned: string[] = []
  const listen = (warning: Error & { readonly code?: string }): void => {
    if (warning.code === 'RESOURCERY_CRUD_REFERENCES') warned.push(warning.message)
  }
  process.on('warning', listen)
  onTestFinished(() => void process.off('warning', listen))
  return warned
}

/** MariaDB updates its list of transactions at most every 100 ms, and not if it is read more often. */
const BETWEEN = 150

async function untilTrue(ask: () => Promise<boolean>): Promise<void> {
  while (!await ask()) await new Promise((resolve) => setTimeout(resolve, BETWEEN))
}

async function createTables({ db, dialect }: TestDatabase<ReferencesTables>): Promise<void> {
  const key = sql.raw(dialect === 'postgres' ? 'int generated by default as identity' : 'int auto_increment')
  const time = sql.raw(dialect === 'postgres' ? 'timestamptz' : 'datetime(3)')
  await sql`create table rooms (id ${key} primary key, tenant_id int not null, name varchar(50) not null,
    deleted_at ${time})`.execute(db)
  await sql`create table bookings (id ${key} primary key, tenant_id int not null, room_id int,
    title varchar(50) not null, foreign key (room_id) references rooms (id))`.execute(db)
}

import express, { type Express, type Request } from 'express'
import { CamelCasePlugin, DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector,
  PostgresQueryCompiler } from 'kysely'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore, type IdempotencyKey, type Referenced, type Store } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'
import { BusinessError } from 'resourcery'
import { param } from 'resourcery'
import { mountResource } from '../../lib/core/resource/mount-resource.js'
import { serve as served } from '../../lib/core/serve/serve.js'
import { FORM_TYPE, formOf } from '../support/multipart.js'
import { servingRoutes, type Asking } from './serving.js'

interface Room {
  id: number
  tenantId: number
  name: string
  isOpen: boolean
  deletedAt: Date | null
}

interface Booking {
  id: number
  tenantId: number
  roomId: number | null
  otherRoomId: number | null
  title: string
}

const Room = z.object({ id: z.int(), name: z.string(), isOpen: z.boolean() })
const Booking = z.object({
  id: z.int(),
  roomId: z.int().nullable(),
  otherRoomId: z.int().nullable(),
  title: z.string(),
})
const input = z.object({
  roomId: param.int().nullable().optional(),
  otherRoomId: param.int().nullable().optional(),
  title: z.string().default('x'),
})

const tenantOf = (req: Request): number => Number(req.headers['x-tenant'] ?? 1)
const scope = (req: Request) => [['tenantId', '=', tenantOf(req)] as const]

/** Rooms 1 and 2 are of tenant 1, 3 of tenant 2; 4 is soft-deleted, 5 is closed. */
const ROOMS: Room[] = [
  { id: 1, tenantId: 1, name: 'one', isOpen: true, deletedAt: null },
  { id: 2, tenantId: 1, name: 'two', isOpen: true, deletedAt: null },
  { id: 3, tenantId: 2, name: 'three', isOpen: true, deletedAt: null },
  { id: 4, tenantId: 1, name: 'four', isOpen: true, deletedAt: new Date(0) },
  { id: 5, tenantId: 1, name: 'five', isOpen: false, deletedAt: null },
]

const MISSING = ['There is no such record']

const refused = (field: string) => ({ status: 422, body: { data: { [field]: MISSING } } })

interface Bench extends Asking {
  readonly rooms: Store<Room>
  readonly bookings: Store<Booking>
  /** The keys of each query of rooms by key. */
  readonly asked: unknown[][]
  readonly patch: Asking['post']
}

/** Serves rooms and bookings; booking 1 has room 3, of another tenant, since before there were references. */
async function serve(
  options: object = {},
  ofRooms: object = {},
  more: (app: Express, rooms: Referenced<number>) => void = () => undefined,
): Promise<Bench> {
  const rooms = memoryStore<Room>({ key: 'id', rows: ROOMS })
  const find = rooms.find.bind(rooms)
  const asked: unknown[][] = []
  rooms.find = (keys, ...rest) => {
    asked.push([...keys])
    return find(keys, ...rest)
  }
  const bookings = memoryStore<Booking>({
    key: 'id',
    defaults: { roomId: null, otherRoomId: null },
    rows: [{ id: 1, tenantId: 1, roomId: 3, otherRoomId: null, title: 'old' }],
  })
  const roomResource = crud(rooms, {
    input: Room.omit({ id: true }),
    output: Room,
    scope,
    softDelete: { field: 'deletedAt' },
    check: ({ isOpen }, { action }) => {
      if (!isOpen && action === 'show') throw new BusinessError('Closed', 409)
    },
    ...ofRooms,
  })
  const client = await servingRoutes((app) => {
    more(app, roomResource)
    mountResource(app, { route: '/rooms', name: 'rooms', ...roomResource })
    mountResource(app, {
      route: '/bookings',
      name: 'bookings',
      ...crud(bookings, {
        input,
        output: Booking,
        scope,
        bulk: true,
        import: true,
        references: { roomId: roomResource, otherRoomId: { of: () => roomResource, message: 'No such room' } },
        ...options,
      }),
    })
  })
  return { ...client, rooms, bookings, asked, patch: (...args) => client.send('PATCH', args[0], { body: args[1] }) }
}

const upload = (text: string) => ({
  body: formOf({ name: 'file', filename: 'rows.csv', content: text }).toString(),
  headers: { 'content-type': FORM_TYPE },
})

describe('references of crud', () => {
  it.each([
    ['of another tenant', 3],
    ['that does not exist', 99],
    ['that is soft-deleted', 4],
    ['that `check` refuses', 5],
  ])('refuse a row %s in each way of writing', async (_name, roomId) => {
    const { send, post, patch, bookings } = await serve()
    const row = (await post('/bookings', { roomId: 1 })).body.data as Booking
    expect(await post('/bookings', { roomId })).toMatchObject(refused('roomId'))
    expect(await patch(`/bookings/${row.id}`, { roomId })).toMatchObject(refused('roomId'))
    expect(await send('PUT', `/bookings/${row.id}`, { body: { roomId, title: 'x' } }))
      .toMatchObject(refused('roomId'))
    expect(await post('/bookings/bulk', { items: [{ roomId: 1 }, { roomId }] }))
      .toMatchObject(refused('items.1.roomId'))
    expect(await send('PUT', '/bookings', { body: { ids: [row.id], data: { roomId } } }))
      .toMatchObject(refused('ids.0.roomId'))
    expect(await send('POST', '/bookings/import', upload(`roomId,title\n1,a\n${roomId},b\n`)))
      .toMatchObject(refused('line.3.roomId'))
    expect(await bookings.list({ where: [['id', '>', 1]], order: ['id'] }).slice(0, 9)).toEqual([
      { ...row, tenantId: 1 },
    ])
  })

  it('accept a row in scope, `null`, a missing field and an unchanged value', async () => {
    const { post, patch, send } = await serve()
    expect((await post('/bookings', { roomId: 1 })).status).toBe(201)
    expect((await post('/bookings', { roomId: null })).status).toBe(201)
    expect((await post('/bookings', {})).status).toBe(201)
    expect((await patch('/bookings/1', { roomId: 3, title: 'same' })).body.data).toMatchObject({ roomId: 3 })
    expect((await send('PUT', '/bookings/1', { body: { roomId: 3, title: 'again' } })).status).toBe(200)
    expect((await patch('/bookings/1', { roomId: null })).status).toBe(200)
    expect((await patch('/bookings/1', { roomId: 3 })).status).toBe(422)
  })

  it('name all fields at fault, each with its own message', async () => {
    const { post } = await serve()
    expect((await post('/bookings', { roomId: 3, otherRoomId: 99 })).body.data)
      .toEqual({ roomId: MISSING, otherRoomId: ['No such room'] })
  })

  it('are looked up by one query for all rows of a batch and all fields that refer to one resource', async () => {
    const { post, send, asked, bookings } = await serve()
    const items = Array.from({ length: 50 }, (_, at) => ({ roomId: 1 + at % 2, otherRoomId: 2 }))
    expect((await post('/bookings/bulk', { items })).status).toBe(201)
    expect(asked.splice(0)).toEqual([[1, 2]])
    const lines = Array.from({ length: 700 }, (_, at) => `${1 + at % 2}\n`)
    expect((await send('POST', '/bookings/import', upload(`roomId\n${lines.join('')}`))).status).toBe(200)
    expect(asked.splice(0).length).toBeLessThanOrEqual(2)
    const ids = (await bookings.list({ where: [['id', '>', 1]], order: ['id'] }).slice(0, 50)).map(({ id }) => id)
    expect((await send('PUT', '/bookings', { body: { ids, data: { otherRoomId: 1 } } })).status).toBe(200)
    expect(asked).toEqual([[1]])
  })

  it('are looked up once in a transaction, and for each row where a hook of a write may change them', async () => {
    const askedWith = async (options: object): Promise<unknown[][]> => {
      const { post, send, asked } = await serve(options)
      expect((await post('/bookings/bulk', { items: [{}, {}] })).status).toBe(201)
      expect((await send('PUT', '/bookings', { body: { ids: [2, 3], data: { roomId: 1 } } })).status).toBe(200)
      return asked
    }
    const [readOnly, writing] = [{ list: () => undefined, show: () => undefined }, { store: () => undefined }]
    expect(await askedWith({ before: readOnly, after: readOnly })).toEqual([[1]])
    expect(await askedWith({ after: writing })).toEqual([[1], [1]])
    expect(await askedWith({ before: writing })).toEqual([[1], [1]])
  })

  it('apply to a column that a hook sets, and not to what it replaces', async () => {
    const { post, patch } = await serve({
      before: { create: (fields: object) => ({ ...fields, roomId: 3 }), store: () => ({ roomId: 1 }) },
    })
    expect((await post('/bookings', { roomId: 1 })).body.data).toEqual({ roomId: MISSING })
    expect((await patch('/bookings/1', { roomId: 3 })).body.data).toMatchObject({ roomId: 1 })
  })

  it('apply to a column that is no field of the input, where a hook sets it', async () => {
    const { post } = await serve({
      input: z.object({ room: z.int() }),
      before: { create: ({ room }: { room: number }) => ({ roomId: room, title: '' }) },
      references: { roomId: crudOf(memoryStore({ key: 'id', rows: [{ id: 7 }] })) },
    })
    expect((await post('/bookings', { room: 7 })).status).toBe(201)
    expect((await post('/bookings', { room: 8 })).body.data).toEqual({ roomId: MISSING })
  })

  it('apply to the columns that a member changes', async () => {
    const { post } = await serve({
      members: { move: { input: z.object({ roomId: z.int() }), change: (_row: Booking, args: object) => args } },
    })
    expect((await post('/bookings/1/move', { roomId: 4 })).body.data).toEqual({ roomId: MISSING })
    expect((await post('/bookings/1/move', { roomId: 2 })).status).toBe(200)
  })

  it('judge each row of a bulk write anew where hooks may change what is referred to', async () => {
    let close = (_id: number): Promise<unknown> => Promise.resolve()
    const { post, rooms } = await serve({ after: { create: ({ roomId }: Booking) => close(roomId ?? 0) } })
    close = (id) => rooms.update(id, { isOpen: false })
    expect((await post('/bookings/bulk', { items: [{ roomId: 1 }, { roomId: 2 }, { roomId: 1 }] })).body.data)
      .toEqual({ 'items.2.roomId': MISSING })
  })

  it('apply under an Idempotency-Key, where a refusal is not kept', async () => {
    const keys = memoryStore<IdempotencyKey>({ key: 'id' })
    const { post } = await serve({ idempotency: { keys: () => keys, identity: () => 'all' } })
    const headers = { 'idempotency-key': 'one' }
    expect((await post('/bookings', { roomId: 3 }, { headers })).status).toBe(422)
    expect((await post('/bookings', { roomId: 3 }, { headers })).status).toBe(422)
  })

  it('apply to each row of an import that keeps the valid ones, and to a trial', async () => {
    const { send, bookings } = await serve({ import: { partial: true } })
    const file = upload('roomId\n1\n3\n2\n')
    expect((await send('POST', '/bookings/import?dryRun=true', file)).body.data)
      .toEqual({ rows: 3, created: 2, dryRun: true, faults: { 'line.3.roomId': MISSING } })
    expect((await send('POST', '/bookings/import', file)).body.data).toMatchObject({ created: 2 })
    expect(await bookings.list({ where: [], order: ['id'] }).count?.()).toBe(3)
  })

  it('work beside `transform`, a version, soft deletion and a parent', async () => {
    const rows = memoryStore<{ id: number; houseId: number; version: number; roomId: number; goneAt: Date | null }>({
      key: 'id',
      defaults: { version: 1, goneAt: null },
    })
    const { post, send } = await serve({}, {}, (app, roomResource) => {
      mountResource(app, {
        route: '/houses/:houseId/keys',
        name: 'keys',
        ...crud(rows, {
          input: z.object({ roomId: z.int() }),
          output: z.object({ id: z.int(), room: z.string() }),
          transform: ({ id, roomId }) => ({ id, room: `room ${roomId}` }),
          version: 'version',
          ifMatch: 'required',
          softDelete: { field: 'goneAt' },
          parent: { arg: 'houseId', column: 'houseId' },
          bulk: true,
          references: { roomId: roomResource },
        }),
      })
    })
    const made = await post('/houses/7/keys', { roomId: 1 })
    expect(made.body.data).toEqual({ id: 1, room: 'room 1' })
    expect((await post('/houses/7/keys', { roomId: 3 })).body.data).toEqual({ roomId: MISSING })
    expect((await post('/houses/7/keys/bulk', { items: [{ roomId: 2 }] })).status).toBe(201)
    const headers = { 'if-match': made.headers.get('etag') ?? '' }
    expect((await send('PATCH', '/houses/7/keys/1', { body: { roomId: 5 }, headers })).body.data)
      .toEqual({ roomId: MISSING })
    expect((await send('PATCH', '/houses/7/keys/1', { body: { roomId: 2 }, headers })).body.data)
      .toEqual({ id: 1, room: 'room 2' })
    expect((await send('DELETE', '/houses/7/keys/1', { headers: { 'if-match': '*' } })).status).toBe(200)
    expect((await send('PUT', '/houses/7/keys/1/restore')).status).toBe(200)
  })

  it('read the scope of the caller each time', async () => {
    const { post } = await serve()
    const headers = { 'x-tenant': '2' }
    expect((await post('/bookings', { roomId: 3 }, { headers })).status).toBe(201)
    expect((await post('/bookings', { roomId: 1 }, { headers })).status).toBe(422)
  })

  it('take no part in permissions of the resource that is referred to, nor in its path arguments', async () => {
    const rooms = memoryStore<Room>({ key: 'id', rows: ROOMS })
    const ofHouse = crud(rooms, {
      input: Room.pick({ name: true }),
      output: Room,
      parent: { arg: 'houseId', column: 'tenantId' },
    })
    const { post } = await serve({ references: { roomId: ofHouse } })
    expect((await post('/bookings', { roomId: 3 })).status).toBe(201)
    expect((await post('/bookings', { roomId: 9 })).status).toBe(422)
  })

  it('report a failure of `check` that is no refusal as a fault of the server', async () => {
    const { post } = await serve({}, { check: () => {
      throw new TypeError('a bug')
    } })
    expect((await post('/bookings', { roomId: 1 })).status).toBe(500)
  })

  it('may name the resource itself, with rows of the same batch among them', async () => {
    interface Person {
      id: number
      managerId: number | null
      team: number
    }
    const Person = z.object({ id: z.int(), managerId: z.int().nullable() })
    const store = memoryStore<Person>({
      key: 'id',
      defaults: { managerId: null },
      rows: [{ id: 1, managerId: null, team: 2 }],
    })
    const people: object = crud(store, {
      input: Person.partial({ id: true, managerId: true }),
      output: Person,
      bulk: true,
      scope: (req) => [['team', '=', tenantOf(req)]],
      references: { managerId: (): never => people as never },
    })
    const { post, send } = await servingRoutes((app) => {
      mountResource(app, { route: '/people', name: 'people', ...people as ReturnType<typeof crudOf> })
    })
    expect((await post('/people', { id: 5 })).status).toBe(201)
    expect((await post('/people', { id: 6, managerId: 1 })).body.data).toEqual({ managerId: MISSING })
    expect((await post('/people', { id: 6, managerId: 5 })).status).toBe(201)
    expect((await send('PATCH', '/people/5', { body: { managerId: 5 } })).status).toBe(200)
    expect((await post('/people/bulk', { items: [{ id: 8 }, { id: 9, managerId: 8 }] })).status).toBe(201)
  })

  it('work beside a tree on the same column', async () => {
    interface Folder {
      id: number
      parentId: number | null
      tenantId: number
    }
    const Folder = z.object({ id: z.int(), parentId: z.int().nullable() })
    const store = memoryStore<Folder>({ key: 'id', rows: [{ id: 1, parentId: null, tenantId: 2 }] })
    const folders: object = crud(store, {
      input: Folder.pick({ parentId: true }),
      output: Folder,
      scope,
      tree: { parent: 'parentId', onDelete: 'restrict' },
      references: { parentId: (): never => folders as never },
    })
    const { post } = await servingRoutes((app) => {
      mountResource(app, { route: '/folders', name: 'folders', ...folders as ReturnType<typeof crudOf> })
    })
    expect((await post('/folders', { parentId: null })).status).toBe(201)
    expect((await post('/folders', { parentId: 2 })).status).toBe(201)
    expect((await post('/folders', { parentId: 1 })).status).toBe(422)
  })

  it('keep a row from being deleted until the row that refers to it is committed', async () => {
    const events: string[] = []
    let remove = (): Promise<unknown> => Promise.resolve()
    let removal: Promise<unknown> = Promise.resolve()
    const { post, send } = await serve({
      after: { create: async () => {
        removal = remove().then(() => events.push('deleted'))
        await Promise.race([removal, new Promise((resolve) => setTimeout(resolve, 50))])
        events.push('created')
      } },
    })
    remove = () => send('DELETE', '/rooms/1')
    expect((await post('/bookings', { roomId: 1 })).status).toBe(201)
    await removal
    expect(events).toEqual(['created', 'deleted'])
    expect((await post('/bookings', { roomId: 1 })).status).toBe(422)
  })

  it('let a hook of the deletion write the rows that refer to the row', async () => {
    const bench: Bench = await serve({}, { before: { delete: async ({ id }: Room) => {
      const rows = await bench.bookings.list({ where: [['roomId', '=', id]], order: ['id'] }).slice(0, 9)
      await bench.bookings.delete(rows.map((row) => row.id))
    } } })
    const replies = await Promise.all([
      ...Array.from({ length: 4 }, () => bench.post('/bookings', { roomId: 1 })),
      bench.send('DELETE', '/rooms/1'),
      ...Array.from({ length: 4 }, () => bench.post('/bookings', { roomId: 1 })),
    ])
    expect(replies.every(({ status }) => [200, 201, 422].includes(status))).toBe(true)
    expect(await bench.bookings.list({ where: [['roomId', '=', 1]], order: ['id'] }).count?.()).toBe(0)
  })
})

const crudOf = (store: Store<{ id: number }>) => crud(store, { input: z.object({}), output: z.object({ id: z.int() }) })

describe('the option `references` of crud', () => {
  it('takes a resource of the same Kysely with other types of tables', () => {
    interface Room {
      id: number
    }
    interface Booking {
      id: number
      roomId: number
    }
    const db = new Kysely<{ rooms: Room }>({
      dialect: { createDriver: () => new DummyDriver(), createAdapter: () => new PostgresAdapter(),
        createIntrospector: (own) => new PostgresIntrospector(own),
        createQueryCompiler: () => new PostgresQueryCompiler() },
    })
    const rooms = crud(kyselyStore(db, 'rooms'), { input: z.object({}), output: z.object({ id: z.int() }) })
    const bookings = (own: Kysely<{ bookings: Booking }>) =>
      crud(kyselyStore(own, 'bookings'), {
        input: z.object({ roomId: z.int() }),
        output: z.object({ id: z.int(), roomId: z.int() }),
        references: { roomId: rooms },
      })
    expect(() => bookings(db.withTables<{ bookings: Booking }>())).not.toThrow()
    expect(() => bookings(db.withTables<{ bookings: Booking }>().withPlugin(new CamelCasePlugin())))
      .toThrow('on another connection')
  })

  const bookings = memoryStore<Booking>({ key: 'id' })
  const make = (references: unknown) => (): unknown => crud(bookings, { input, output: Booking, references } as never)
  const rooms = crudOf(memoryStore<{ id: number }>({ key: 'id' }))

  it.each<[string, unknown]>([
    ['a field that is neither written nor sent', { rom: rooms }],
    ['a misspelt field with `false`', { rom: false }],
    ['a store', { roomId: memoryStore<{ id: number }>({ key: 'id' }) }],
    ['`true`', { roomId: true }],
    ['a name', { roomId: 'rooms' }],
    ['`null`', { roomId: null }],
    ['an object without `of`', { roomId: { message: 'No such room' } }],
    ['`of: false`', { roomId: { of: false } }],
    ['an empty message', { roomId: { of: rooms, message: ' ' } }],
    ['a resource that was not made by crud', { roomId: { handlers: {} } }],
  ])('is refused for %s', (_name, references) => {
    expect(make(references)).toThrow(expect.objectContaining({ code: 'crud_references' }) as Error)
  })

  it.each<[string, unknown]>([['a string', 'rooms'], ['a list', []]])('is refused if it is %s', (_name, references) => {
    expect(make(references)).toThrow(expect.objectContaining({ name: 'MisuseError' }) as Error)
  })

  it('is refused for a misspelt name beside `of`', () => {
    expect(make({ roomId: { of: rooms, massage: 'x' } }))
      .toThrow(expect.objectContaining({ code: 'crud_option_unknown' }) as Error)
  })

  it('is refused for a resource on another connection', () => {
    const far = { ...memoryStore<{ id: number }>({ key: 'id' }), db: {}, on: () => far } as Store<{ id: number }>
    expect(make({ roomId: crudOf(far) })).toThrow(expect.objectContaining({ code: 'crud_references' }) as Error)
    expect(make({ roomId: { of: () => crudOf(far) } })).not.toThrow()
  })

  it('is refused for such a resource when the app starts, if a function returns it', async () => {
    const far = { ...memoryStore<{ id: number }>({ key: 'id' }), db: {}, on: () => far } as Store<{ id: number }>
    const app = express()
    mountResource(app, {
      route: '/bookings',
      name: 'bookings',
      ...make({ roomId: () => crudOf(far) })() as ReturnType<typeof crudOf>,
    })
    await expect(served(app, { port: 0 })).rejects.toMatchObject({ code: 'crud_references' })
  })

  it('takes what was spread into a declaration, `false` and `undefined`', () => {
    const declared = { name: 'rooms', route: '/rooms', ...rooms }
    expect(make({ roomId: declared, otherRoomId: false })).not.toThrow()
    expect(make({ roomId: undefined })).not.toThrow()
    expect(make(undefined)).not.toThrow()
  })

  it('calls a function at the start of the app, and refuses there what is no resource', async () => {
    const { post } = await servingRoutes((app) => {
      mountResource(app, {
        route: '/bookings',
        name: 'bookings',
        ...make({ roomId: () => 'rooms' })() as ReturnType<typeof crudOf>,
      })
    })
    expect((await post('/bookings', { roomId: 1 })).status).toBe(500)
  })
})

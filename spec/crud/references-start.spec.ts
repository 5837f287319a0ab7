import express, { type Express } from 'express'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore } from 'resourcery/crud'
import { mountResource } from 'resourcery'
import { findAtStart } from '../../lib/core/resource/start-checks.js'
import { withTable, type ForeignKey, type KnownTable, type Place } from '../../lib/crud/contract/index.js'

/*
 * What the start of an app says of fields with a foreign key, on tables that are known without a database, and of
 * children.
 */

interface Row {
  id: number
  tenantId: number
  roomId: number | null
  leaderId: number | null
}

const CONNECTION = {}
const ROOMS: Place = { schema: 'public', table: 'rooms' }
const Out = z.object({ id: z.int(), roomId: z.int().nullable(), leaderId: z.int().nullable() })
const scope = () => [['tenantId', '=', 1] as const]

function tableAt(place: Place, keys: readonly ForeignKey[] = [], connection: object = CONNECTION): KnownTable {
  return { connection, place: () => place, foreignKeys: () => Promise.resolve(keys) }
}

const resourceOn = (table: KnownTable | undefined, options: object = {}) => {
  const store = memoryStore<Row>({ key: 'id' })
  return crud(table === undefined ? store : withTable(store, table), {
    input: Out.pick({ roomId: true }),
    output: Out,
    ...options,
  })
}

interface Mounted {
  readonly bookings?: object
  readonly table?: KnownTable | undefined
  readonly rooms?: KnownTable
  readonly ofRooms?: object
  /** More of the declaration of bookings. */
  readonly declared?: object
}

/** Mounts bookings, whose `roomId` is a foreign key to rooms, and rooms, which have a scope. */
function appOf(
  { bookings = {}, table = tableAt({ schema: 'public', table: 'bookings' }, [{ field: 'roomId', table: ROOMS }]),
    rooms = tableAt(ROOMS), ofRooms = { scope }, declared = {} }: Mounted,
): Express {
  const app = express()
  mountResource(app, { route: '/rooms', name: 'rooms', ...resourceOn(rooms, ofRooms) })
  mountResource(app, { route: '/bookings', name: 'bookings', ...resourceOn(table, bookings), ...declared })
  return app
}

const findingsOf = async (mounted: Mounted): Promise<string[]> =>
  (await findAtStart(appOf(mounted))).map(({ message }) => message)

describe('the start of an app', () => {
  it('names a field with a foreign key to a resource with a scope, and the option that is missing', async () => {
    expect(await findAtStart(appOf({}))).toEqual([{
      code: 'crud_references',
      message: 'Callers of the resource `bookings` write `roomId`, a foreign key to the table of `rooms`, which has a '
        + '`scope`: they can name rows that are out of it. Give crud `references: { roomId: rooms }`, or '
        + '`references: { roomId: false }` if that is intended.',
    }])
  })

  it('names a resource that refers to itself by a function', async () => {
    const app = express()
    const place = { schema: 'public', table: 'members' }
    const members = resourceOn(tableAt(place, [{ field: 'leaderId', table: place }]), {
      input: Out.pick({ leaderId: true }),
      scope,
    })
    mountResource(app, { route: '/members', name: 'members', ...members })
    expect((await findAtStart(app)).map(({ message }) => message))
      .toEqual([expect.stringContaining('`references: { leaderId: () => members }`')])
  })

  it('names each such field, and the resource of its own table', async () => {
    const app = appOf({
      bookings: { input: Out.omit({ id: true }) },
      table: tableAt({ schema: 'public', table: 'bookings' }, [
        { field: 'leaderId', table: { schema: 'public', table: 'members' } },
        { field: 'roomId', table: ROOMS },
        { field: 'tenantId', table: ROOMS },
      ]),
    })
    const members = resourceOn(tableAt({ schema: 'public', table: 'members' }), { scope })
    mountResource(app, { route: '/members', name: 'members', ...members })
    expect((await findAtStart(app)).map(({ message }) => message)).toEqual([
      expect.stringContaining('write `leaderId`, a foreign key to the table of `members`'),
      expect.stringContaining('write `roomId`, a foreign key to the table of `rooms`'),
    ])
  })

  it.each<[string, Mounted]>([
    ['has a reference', { bookings: { references: { roomId: false } } }],
    ['refers to a resource without a scope', { ofRooms: {} }],
    ['is not written', { bookings: { input: Out.pick({ leaderId: true }) } }],
    [
      'a change may repeat only as it is stored',
      { bookings: { input: Out.pick({ leaderId: true }), unknownFields: 'refuse' } },
    ],
    ['belongs to a resource that is only read', { declared: { actions: ['list', 'show'] } }],
    ['refers to a table of the same name in another schema', { rooms: tableAt({ schema: 'other', table: 'rooms' }) }],
    ['refers to another table of the same schema', { rooms: tableAt({ schema: 'public', table: 'halls' }) }],
    ['refers to a table of the same name on another connection', { rooms: tableAt(ROOMS, [], {}) }],
    ['is no foreign key', { table: tableAt({ schema: 'public', table: 'bookings' }) }],
  ])('names no field that %s', async (_case, mounted) => {
    expect(await findingsOf(mounted)).toEqual([])
  })

  it.each(['create', 'edit', 'store'])('names a field that `%s` alone writes', async (action) => {
    expect(await findingsOf({ declared: { actions: [action] } })).toHaveLength(1)
  })

  it('compares the name alone of a table whose schema is not known', async () => {
    const keys = [{ field: 'roomId', table: { schema: undefined, table: 'rooms' } }]
    const table = tableAt({ schema: undefined, table: 'bookings' }, keys)
    expect(await findingsOf({ table })).toHaveLength(1)
    expect(await findingsOf({ rooms: tableAt({ schema: undefined, table: 'rooms' }) })).toHaveLength(1)
    expect(await findingsOf({ table, rooms: tableAt({ schema: undefined, table: 'halls' }) })).toEqual([])
  })

  it('names nothing of a store whose table is not known, and where the database does not answer', async () => {
    const app = express()
    mountResource(app, { route: '/rooms', name: 'rooms', ...resourceOn(tableAt(ROOMS), { scope }) })
    mountResource(app, { route: '/bookings', name: 'bookings', ...resourceOn(undefined) })
    expect(await findAtStart(app)).toEqual([])
    const silent = { ...tableAt(ROOMS), foreignKeys: () => Promise.reject(new Error('gone')) }
    expect(await findingsOf({ table: silent })).toEqual([])
  })

  it('asks for the foreign keys of a table once, and only where an answer matters', async () => {
    const foreignKeys = vi.fn(() => Promise.resolve([{ field: 'roomId', table: ROOMS }]))
    const table = { ...tableAt({ schema: 'public', table: 'bookings' }), foreignKeys }
    await findingsOf({ table, ofRooms: {} })
    await findingsOf({ table, declared: { actions: ['list', 'show'] } })
    expect(foreignKeys).not.toHaveBeenCalled()
    const app = appOf({ table })
    for (let time = 0; time < 2; time++) expect(await findAtStart(app)).toHaveLength(1)
    expect(foreignKeys).toHaveBeenCalledTimes(1)
  })

  it('calls the references that are functions', async () => {
    const rooms = vi.fn(() => resourceOn(undefined))
    const app = appOf({ table: undefined, bookings: { references: { roomId: rooms } } })
    expect(rooms).not.toHaveBeenCalled()
    expect(await findAtStart(app)).toEqual([])
    expect(rooms).toHaveBeenCalledTimes(1)
    const wrong = appOf({ table: undefined, bookings: { references: { roomId: () => 'rooms' } } })
    expect(await findAtStart(wrong)).toMatchObject([{ code: 'crud_references' }])
  })
})

describe('the start of an app with children', () => {
  const Line = z.object({ id: z.int(), tagId: z.int() })
  const Invoice = z.object({ id: z.int(), title: z.string() })
  const lineStore = () => memoryStore<{ id: number; tagId: number; tenantId: number }>({ key: 'id' })

  /** Mounts invoices, which have lines and tags, and the lines and the links with tags by themselves. */
  async function findingsOf(ofLines: object, ofInvoices: object = { scope }, route = '/invoices') {
    const options = { input: Line.omit({ id: true }), output: Line }
    const lines = crud(lineStore(), { ...options, ...ofLines })
    const through = crud(lineStore(), { ...options, ...ofLines })
    const tags = crud(lineStore(), options)
    const invoices = crud(memoryStore<{ id: number; title: string }>({ key: 'id' }), {
      input: Invoice.omit({ id: true }),
      output: Invoice,
      children: { lines: { of: lines, column: 'invoiceId' } },
      links: { tagIds: { of: tags, through, own: 'invoiceId', other: 'tagId' } },
      ...ofInvoices,
    } as never)
    const app = express()
    mountResource(app, { route, name: 'invoices', ...invoices as object })
    mountResource(app, { route: '/lines', name: 'lines', ...lines })
    mountResource(app, { route: '/tagged', name: 'tagged', ...through })
    return findAtStart(app)
  }

  it('names a resource that shows the children and links of records that its callers cannot reach', async () => {
    const messageFor = (name: string) =>
      `Callers of the resource \`${name}\` reach the rows of all records of \`invoices\`, also of those that they cannot `
      + `reach: \`${name}\` has neither \`scope\` nor \`parent\`. Give crud one of them, or \`scope: () => []\` if that is `
      + 'intended.'
    expect(await findingsOf({})).toEqual(
      ['lines', 'tagged'].map((name) => ({ code: 'crud_children', message: messageFor(name) })),
    )
    const parent = { arg: 'shopId', column: 'shopId' }
    expect(await findingsOf({}, { parent }, '/shops/:shopId/invoices')).toHaveLength(2)
  })

  it.each<[string, object, object?]>([
    ['has a scope', { scope }],
    ['shows all rows by intention', { scope: () => [] }],
    ['belongs to records without conditions', {}, {}],
    ['belongs to records of which lists alone show some', {}, { scope: { list: scope } }],
  ])('names none that %s', async (_case, ofLines, ofInvoices) => {
    expect(await findingsOf(ofLines, ofInvoices)).toEqual([])
  })

  it('names none that a path argument scopes', async () => {
    const options = { input: Line.omit({ id: true }), output: Line }
    const parent = { arg: 'invoiceId', column: 'tenantId' } as const
    const lines = crud(lineStore(), { ...options, parent })
    const app = express()
    const invoices = crud(memoryStore<{ id: number; title: string }>({ key: 'id' }),
      { input: Invoice.omit({ id: true }), output: Invoice, scope,
        children: { lines: { of: lines, column: 'invoiceId' } } } as never)
    mountResource(app, { route: '/invoices', name: 'invoices', ...invoices as object })
    mountResource(app, { route: '/invoices/:invoiceId/lines', name: 'lines', ...lines })
    expect(await findAtStart(app)).toEqual([])
  })
})

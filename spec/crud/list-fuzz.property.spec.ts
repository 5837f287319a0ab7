import fc from 'fast-check'
import { sql, type Generated } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, filter, memoryStore, type Store } from 'resourcery/crud'
import { encodeCursor } from '../../lib/core/paging/cursor.js'
import { param } from 'resourcery'
import { mountResource } from 'resourcery'
import { kyselyStore } from 'resourcery/kysely'
import { STARTING } from '../support/blog.js'
import { openEmbedded, type TestDatabase } from '../support/databases.js'
import { servingRoutes, type Asking } from './serving.js'

interface Item {
  id: number
  title: string
  size: number
  price: number
  made: Date
  tenant: number
  secret: string
  due: Date | null
}
interface Tables {
  items: Omit<Item, 'id'> & { id: Generated<number> }
}

const ItemOut = z.object({
  id: z.int(),
  title: z.string(),
  size: z.int(),
  price: z.number(),
  made: z.date(),
  tenant: z.int(),
  due: z.date().nullable(),
})
const ROWS: readonly Item[] = Array.from({ length: 24 }, (_, at) => ({
  id: at + 1,
  title: ['a', 'B', '%', '_', 'é', '\\', "'", 'zz'][at % 8] ?? '',
  size: (at * 7) % 5,
  price: at / 4,
  made: new Date(Date.UTC(2026, at % 12, 1)),
  tenant: at % 2,
  secret: `s${at}`,
  due: at % 3 === 0 ? null : new Date(Date.UTC(2026, 0, at % 5)),
}))

/** Serves lists that are scoped to tenant 1: with readable cursors, and with encrypted ones. */
function serving(store: Store<Item>): Promise<Asking> {
  const made = (cursorSecret?: string) =>
    crud(store, {
      input: ItemOut.omit({ id: true, tenant: true }),
      output: ItemOut,
      sort: ['title', 'size', 'price', 'made', 'due'],
      order: ['-made'],
      search: ['title'],
      filters: {
        size: { eq: param.int(), range: param.int() },
        title: { contains: true },
        price: { range: param.number() },
        made: { range: param.date() },
      },
      customFilters: { odd: filter(param.bool(), (odd) => (odd ? [['size', 'in', [1, 3]]] : [])) },
      scope: () => [['tenant', '=', 1]],
      fields: { price: { read: (req) => req.get('x-see') === 'yes' } },
      ...(cursorSecret !== undefined && { cursorSecret }),
    })
  return servingRoutes((app) => {
    mountResource(app, { route: '/items', name: 'items', ...made() })
    mountResource(app, { route: '/sealed', name: 'sealed', ...made('a secret of cursors, at least 32 bytes long') })
  })
}

const oddValue = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '1',
    '2',
    '-1',
    '1e3',
    '0x10',
    ' 1',
    '1.5',
    '９',
    'NaN',
    'Infinity',
    'null',
    'undefined',
    'true',
    'false',
    '9007199254740993',
    '99999999999999999999',
    '1,2',
    '1,1,1',
    ',',
    '%',
    '_',
    '\\',
    "'",
    '--',
    '[object Object]',
    'title',
    '-title',
    'title,-size',
    '--title',
    'secret',
    '-secret',
    'price',
    'due',
    '-due',
    'tenant',
    'id,id',
    '2026-06-01',
    '2026-06-01T00:00:00Z',
    '+275760-09-13T00:00:00.001Z',
    '2026-02-30',
    '0000-01-01',
    '\u0000',
    '\ud800',
    'İ',
    '💥',
  ),
  fc.string({ maxLength: 12 }),
  fc.integer().map(String),
  fc.double().map(String),
)
const cursorPart = fc.oneof(
  fc.constantFrom(null, true, '', 'id', '-made,id', '-made', 'offset', '2026-06-01', 'infinity', 'x'),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
  fc.date({ noInvalidDate: true }),
  fc.string({ maxLength: 8 }),
)
/** Generates forged cursors: with other values, with the beginning of a valid one, or arbitrary strings. */
const forged = (start: readonly unknown[]) =>
  fc.oneof(
    fc.array(cursorPart, { maxLength: 5 }).map((parts) => encodeCursor(parts)),
    fc.array(cursorPart, { maxLength: 4 }).map((parts) => encodeCursor([...start.slice(0, 2), ...parts])),
    fc.base64String({ maxLength: 60 }),
    fc.string({ maxLength: 20 }),
  )
const name = fc.constantFrom(
  'page',
  'limit',
  'search',
  'sort',
  'cursor',
  'ids',
  'size',
  'size_gte',
  'size_lte',
  'title',
  'price_gte',
  'made_gte',
  'made_lte',
  'odd',
  'secret',
  'tenant',
  'deleted',
  'x',
  '__proto__',
  'constructor',
)
const spelled = fc.tuple(name, fc.constantFrom('', '', '', '', '[]', '[0]', '[1]', '[$ne]', '[a][b]')).map((
  [one, suffix],
) => `${one}${suffix}`)

/** Half a surrogate pair has no percent-encoding. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString()
}

function encoded(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(wellFormed(value))}`).join('&')
}

function listSuite(open: () => Promise<Store<Item>>): void {
  let client: Asking
  let start: readonly unknown[]
  const suite = async (): Promise<void> => {
    client = await serving(await open())
    const { next } = (await client.get('/items?limit=1&cursor=')).body.meta
    start = JSON.parse(Buffer.from(String(next), 'base64url').toString('utf8', 5)) as unknown[]
  }

  async function ask(path: string, query: string): Promise<void> {
    const reply = await client.get(`${path}?${query}`)
    expect([200, 422]).toContain(reply.status)
    if (reply.status !== 200) return
    for (const row of reply.body.data as Partial<Item>[]) {
      expect(row.tenant).toBe(1)
      expect(Object.keys(row)).not.toContain('price')
    }
  }

  it('reply 200 or 422 to any query, and never a row outside the scope', async () => {
    await suite()
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('/items', '/sealed'),
        fc.array(fc.tuple(spelled, oddValue), { maxLength: 4 }),
        (path, pairs) => ask(path, encoded(pairs)),
      ),
      { numRuns: 400 },
    )
  })

  it('reply 200 or 422 to any cursor, and never a row outside the scope', async () => {
    await suite()
    const cursors = fc.tuple(
      fc.constantFrom('/items', '/sealed'),
      forged(start),
      fc.constantFrom(
        '',
        '&sort=title',
        '&sort=-size,title',
        '&sort=due',
        '&sort=-due',
        '&sort=id',
        '&limit=3',
        '&ids=2,4,6',
      ),
    )
    await fc.assert(
      fc.asyncProperty(cursors,
        ([path, cursor, rest]) => ask(path, `cursor=${encodeURIComponent(wellFormed(cursor))}${rest}`)),
      { numRuns: 400 },
    )
  })
}

describe('lists in memory', () =>
  listSuite(() => Promise.resolve(memoryStore<Item>({ key: 'id', rows: [...ROWS] }) as Store<Item>)))

describe('lists in the embedded PostgreSQL', () => {
  let database: TestDatabase<Tables>
  beforeAll(async () => {
    database = await openEmbedded<Tables>()
    await sql`create table items (id integer primary key, title text not null, size integer not null, price double precision not null, made timestamptz not null, tenant integer not null, secret text not null, due timestamptz)`
      .execute(database.db)
    await database.db.insertInto('items').values([...ROWS]).execute()
  }, STARTING)
  afterAll(() => database.close())

  listSuite(() => Promise.resolve(kyselyStore(database.db, 'items') as unknown as Store<Item>))
})

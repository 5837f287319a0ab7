import { PGlite } from '@electric-sql/pglite'
import { citext } from '@electric-sql/pglite/contrib/citext'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { mountResource, paginate } from 'resourcery'
import { crud, type Store, type Where } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'
import type { SampleRow } from 'resourcery/testing'
import { fill, sample } from '../../../lib/tools/testing/sample-row.js'
import { servingRoutes } from '../../crud/serving.js'
import { poolOfOne } from '../../support/databases.js'
import { createSamples, SAMPLE_COLUMNS, type SampleTables } from '../../support/sample-store.js'
import * as drizzle from './drizzle.js'
import * as knex from './knex.js'
import * as kysely from './kysely.js'
import { openPlace } from './places.js'
import * as prisma from './prisma.js'
import * as sequelize from './sequelize.js'
import type { Connect } from './tables.js'
import * as typeorm from './typeorm.js'

const LIBRARIES: readonly (readonly [string, readonly (readonly [string, Connect])[]])[] = Object.entries({
  drizzle,
  knex,
  kysely,
  prisma,
  sequelize,
  typeorm,
}).map(([library, { databases }]) => [library, databases])

const CASES = LIBRARIES.flatMap(([library, databases]) =>
  databases.map(([name, connect]) => ({ library, name, connect }))
)

/** Makes the columns `code` and `name` take `A` for `a`. */
async function ignoreCase(db: Kysely<SampleTables>, dialect: string): Promise<void> {
  const run = (text: string): Promise<unknown> => sql.raw(text).execute(db)
  if (dialect === 'postgres') {
    await run("create collation loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
    await run('alter table samples alter code type varchar(50) collate loose, alter name type text collate loose')
  }
  if (dialect === 'sqlite') {
    const { rows } = await sql<{ sql: string }>`select sql from sqlite_master where name = 'samples'`.execute(db)
    await run('drop table samples')
    await run(String(rows[0]?.sql).replace(/(code varchar\(50\)|name text)/g, '$1 collate nocase'))
  }
}

async function openLoose({ dialect, time, open }: Connect): Promise<Store<SampleRow>> {
  const place = await openPlace<SampleTables>(dialect)
  await createSamples({ db: place.admin, dialect }, time)
  await ignoreCase(place.admin, dialect)
  const { samples, close } = await open(place.url)
  onTestFinished(() => close().then(place.drop))
  return samples
}

/** Opens a table with columns of the type `citext`. */
async function openCitext(): Promise<Kysely<SampleTables & Labels>> {
  const pglite = await PGlite.create({ extensions: { citext } })
  const db = new Kysely<SampleTables & Labels>({ dialect: new PostgresDialect({ pool: poolOfOne(pglite as never) }) })
  onTestFinished(() => db.destroy())
  await createSamples({ db, dialect: 'postgres' })
  await sql`create extension citext`.execute(db)
  await sql`alter table samples alter code type citext, alter name type citext`.execute(db)
  await sql`create table labels (code citext primary key, name varchar(20))`.execute(db)
  return db
}

async function comparesExactly(store: Store<SampleRow>): Promise<void> {
  const rows = await fill(store, [{ name: 'ann' }, { name: 'Ann' }, { name: 'ben' }])
  const names = async (where: Where<SampleRow>): Promise<readonly string[]> => {
    const list = store.list({ where, order: ['id'] })
    const found = (await list.slice(0, 10)).map(({ name }) => name)
    expect(await list.count?.()).toBe(found.length)
    return found
  }
  expect(await names([['name', '=', 'ann']])).toEqual(['ann'])
  expect(await names([['name', '=', 'ANN']])).toEqual([])
  expect(await names([['name', '!=', 'ann']])).toEqual(['Ann', 'ben'])
  expect(await names([['name', 'in', ['ANN', 'Ann', 'Ben']]])).toEqual(['Ann'])
  expect(await names([['name', 'not in', ['ANN', 'Ann', 'Ben']]])).toEqual(['ann', 'ben'])
  expect(await names([['name', 'contains', 'NN']])).toEqual(['ann', 'Ann'])
  expect(await names([['name', 'startsWith', 'B']])).toEqual(['ben'])
  expect(await store.find(rows.map(({ id }) => id), [['name', '=', 'ANN']])).toEqual([])
  expect(await store.deleteWhere?.([['name', '=', 'BEN']])).toBe(0)
  expect(await store.deleteWhere?.([['name', '=', 'Ann']])).toBe(1)
  expect(await names([])).toEqual(['ann', 'ben'])
}

/** Lists by cursor, one row a page. */
async function walk(store: Store<SampleRow>, order: readonly string[]): Promise<readonly string[]> {
  const names: string[] = []
  let cursor: string | null = ''
  while (cursor !== null && names.length < 50) {
    const page: { items: readonly SampleRow[]; next: string | null } = await paginate(
      store.list({ where: [], order }),
      { cursor, limit: 1 },
    )
    names.push(...page.items.map(({ code, name }) => `${code} ${name}`))
    cursor = page.next
  }
  return names
}

async function pagesInOrder(store: Store<SampleRow>): Promise<void> {
  for (const [at, name] of ['b', 'A', 'a', 'B', 'á', 'c'].entries())
    await store.create(sample({ code: `c${at}`, name }))
  for (const order of [['name', 'id'], ['-name', 'id'], ['-code', 'id']]) {
    const all = (await store.list({ where: [], order }).slice(0, 50)).map(({ code, name }) => `${code} ${name}`)
    expect(await walk(store, order)).toEqual(all)
  }
}

describe.each(CASES)('$library on $name, a column that ignores letter case', ({ connect }) => {
  it('is compared exactly and searched in any letter case', async () => comparesExactly(await openLoose(connect)))

  it('is listed by cursor as by number', async () => pagesInOrder(await openLoose(connect)))
})

interface Labels {
  labels: { code: string; name: string | null }
}

/** Tests that requests write a row by the keys that find it, and no row by the others; the key `abc` is stored. */
async function writesWhatItFinds(db: Kysely<Labels>, finds: (key: string) => boolean = () => false): Promise<void> {
  const Label = z.object({ code: z.string(), name: z.string().nullable() })
  const labels = crud(kyselyStore(db, 'labels', { key: 'code' }), { id: z.string(), input: Label, output: Label })
  const { send } = await servingRoutes((app) => mountResource(app, { route: '/labels', name: 'labels', ...labels }))
  const { code } = await db.insertInto('labels').values({ code: 'abc', name: 'old' }).returning('code')
    .executeTakeFirstOrThrow()
  const nameNow = async () => (await db.selectFrom('labels').select('name').execute()).map(({ name }) => name)
  for (const key of ['ABC', 'abc', 'abc '].filter((each) => each !== code)) {
    const path = `/labels/${encodeURIComponent(key)}`
    const status = finds(key) ? 200 : 404
    expect((await send('GET', path)).status).toBe(status)
    expect((await send('PATCH', path, { body: { name: 'new' } })).status).toBe(status)
    expect(await nameNow()).toEqual([finds(key) ? 'new' : 'old'])
    expect((await send('PUT', path, { body: { code: 'abc', name: 'old' } })).status).toBe(status)
    expect(await nameNow()).toEqual(['old'])
  }
  const own = `/labels/${encodeURIComponent(code)}`
  expect((await send('PATCH', own, { body: { name: 'new' } })).status).toBe(200)
}

describe('a column of the type citext', () => {
  it('is compared exactly and searched in any letter case', async () =>
    comparesExactly(kyselyStore(await openCitext(), 'samples', { columns: SAMPLE_COLUMNS })))

  it('is listed by cursor as by number', async () =>
    pagesInOrder(kyselyStore(await openCitext(), 'samples', { columns: SAMPLE_COLUMNS })))

  it('writes no row by a key in another letter case', async () => writesWhatItFinds(await openCitext()))
})

describe('a key that PostgreSQL compares loosely', () => {
  it.each([
    // A `char` is equal with and without spaces at its end.
    ['char(6)', (key: string) => key.trimEnd() === 'abc'],
    ['text collate loose', () => false],
  ])('writes no row that it does not find: %s', async (type, finds) => {
    const { admin, drop } = await openPlace<Labels>('postgres')
    onTestFinished(drop)
    await sql`create collation loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`.execute(admin)
    await sql`create table labels (code ${sql.raw(type)} primary key, name varchar(20))`.execute(admin)
    await writesWhatItFinds(admin, finds)
  })
})

import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { bigint, decimal, int, mysqlTable } from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres'
import { integer, numeric, pgTable } from 'drizzle-orm/pg-core'
import { integer as sqliteInteger, numeric as sqliteNumeric, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { Kysely, sql, SqliteDialect } from 'kysely'
import Libsql from 'libsql'
import { createPool } from 'mysql2/promise'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Store } from 'resourcery/crud'
import { drizzleStore } from 'resourcery/drizzle'
import { kyselyStore } from 'resourcery/kysely'
import { openPlace } from './places.js'

interface Good {
  id: number
  price: string | null
}

const precision = { precision: 6, scale: 2 }

function open(dialect: 'postgres' | 'mysql', url: string): Store<Good> {
  if (dialect === 'postgres') {
    const client = new pg.Pool({ connectionString: url, max: 1 })
    onTestFinished(() => client.end())
    const goods = pgTable('goods', { id: integer().primaryKey(), price: numeric(precision) })
    return drizzleStore(drizzlePg({ client }), goods) as never
  }
  const client = createPool({ uri: url })
  onTestFinished(() => client.end())
  const goods = mysqlTable('goods', { id: int().primaryKey(), price: decimal(precision) })
  return drizzleStore(drizzleMysql({ client }), goods) as never
}

it.each(['postgres', 'mysql'] as const)('a decimal of a drizzle schema is exact on %s', async (dialect) => {
  const { admin, url, drop } = await openPlace(dialect)
  onTestFinished(drop)
  await sql`create table goods (id int primary key, price decimal(6, 2))`.execute(admin)
  const store = open(dialect, url)
  await expect(store.create({ id: 1, price: '1.555' })).rejects.toMatchObject({ status: 422, columns: ['price'] })
  // Rows are added one by one on MySQL, so that the store has no `createMany` there.
  const together = store.createMany?.([{ id: 1, price: '1' }, { id: 2, price: '1.001' }])
  if (together !== undefined) await expect(together).rejects.toMatchObject({ columns: ['price'] })
  expect(await store.create({ id: 3, price: '1.5500' })).toEqual({ id: 3, price: '1.55' })
  await expect(store.update(3, { price: '0.001' })).rejects.toMatchObject({ columns: ['price'] })
  expect(await store.find([1, 2, 3])).toEqual([{ id: 3, price: '1.55' }])
  for (const price of [1.5, 5n, '1e3', 'NaN', ' 1', '+1', '.5', ''] as string[]) {
    const refused = { status: 422, columns: ['price'], message: expect.stringContaining('decimal number as a string') }
    await expect(store.create({ id: 4, price })).rejects.toMatchObject(refused)
    await expect(store.update(3, { price })).rejects.toMatchObject(refused)
  }
  expect(await store.update(3, { price: null })).toEqual({ id: 3, price: null })
})

it('an integer of a drizzle schema for SQLite keeps no fraction', async () => {
  const client = new Libsql(':memory:')
  onTestFinished(() => void client.close())
  client.exec('create table goods (id integer primary key, pieces integer, weight real)')
  const goods = sqliteTable('goods', { id: sqliteInteger().primaryKey(), pieces: sqliteInteger(), weight: real() })
  const store = drizzleStore(drizzleSqlite({ client: client as never }), goods)
  await expect(store.create({ pieces: 1.5 })).rejects.toMatchObject({ status: 422, columns: ['pieces'] })
  await expect(store.create({ pieces: 2 ** 53 })).rejects.toMatchObject({ status: 422, columns: ['pieces'] })
  expect(await store.create({ pieces: 2, weight: 1.5 })).toEqual({ id: 1, pieces: 2, weight: 1.5 })
  expect(await store.find([1], [['pieces', '>', 1.5]])).toHaveLength(1)
})

describe('a bigint of a drizzle schema', () => {
  const LARGE = [2n ** 53n + 1n, -(2n ** 63n), null]

  const openSqlite = (): Store<{ id: number; big: bigint | null }> => {
    const client = new Libsql(':memory:')
    onTestFinished(() => void client.close())
    client.exec('create table counts (id integer primary key, big numeric)')
    const counts = sqliteTable('counts', { id: sqliteInteger().primaryKey(), big: sqliteNumeric({ mode: 'bigint' }) })
    return drizzleStore(drizzleSqlite({ client: client as never }), counts) as never
  }

  const openMysql = async (): Promise<Store<{ id: number; big: bigint | null }>> => {
    const { admin, url, drop } = await openPlace('mysql')
    onTestFinished(drop)
    await sql`create table counts (id int primary key, big bigint)`.execute(admin)
    const client = createPool({ uri: url })
    onTestFinished(() => client.end())
    const counts = mysqlTable('counts', { id: int().primaryKey(), big: bigint({ mode: 'bigint' }) })
    return drizzleStore(drizzleMysql({ client }), counts) as never
  }

  it.each([['SQLite', openSqlite], ['MariaDB', openMysql]] as const)('keeps all digits on %s', async (_, open) => {
    const store = await open()
    for (const [id, big] of LARGE.entries()) expect(await store.create({ id, big })).toEqual({ id, big })
    const rows = LARGE.map((big, id) => ({ id, big }))
    expect(await store.find([0, 1, 2])).toEqual(rows)
    expect(await store.list({ where: [], order: ['-big', 'id'] }).slice(0, 5)).toEqual(rows)
    expect(await store.find([0, 1, 2], [['big', '=', 2n ** 53n + 1n]])).toEqual([rows[0]])
    expect(await store.update(2, { big: 2n ** 63n - 1n })).toEqual({ id: 2, big: 2n ** 63n - 1n })
  })
})

it('a generated column of SQLite is read, compared and sorted by', async () => {
  const client = new Libsql(':memory:')
  onTestFinished(() => void client.close())
  client.exec(
    'create table goods (id integer primary key, pieces integer, twice integer generated always as (pieces * 2) stored, '
      + "note text not null as (pieces || 'x'))",
  )
  const goods = sqliteTable('goods', {
    id: sqliteInteger().primaryKey(),
    pieces: sqliteInteger(),
    twice: sqliteInteger().generatedAlwaysAs(sql`pieces * 2` as never),
    note: text().notNull().generatedAlwaysAs(sql`pieces` as never),
  })
  interface Row {
    id: number
    pieces: number
    twice: number
    note: string
  }
  const db = new Kysely<{ goods: Row }>({ dialect: new SqliteDialect({ database: client }) })
  const stores = [drizzleStore(drizzleSqlite({ client: client as never }), goods), kyselyStore(db, 'goods')]
  for (const store of stores as unknown as Store<Row>[]) {
    const { id } = await store.create({ pieces: 4 })
    const row = { id, pieces: 4, twice: 8, note: '4x' }
    expect(
      await store.list({ where: [['twice', '=', 8], ['id', '=', id]], order: ['-twice', 'note', 'id'] }).slice(0, 5),
    )
      .toEqual([row])
    expect(await store.update(id, { pieces: 5 })).toEqual({ ...row, pieces: 5, twice: 10, note: '5x' })
  }
})

import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { decimal, int, mysqlTable } from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres'
import { integer, numeric, pgTable } from 'drizzle-orm/pg-core'
import { integer as sqliteInteger, real, sqliteTable } from 'drizzle-orm/sqlite-core'
import { sql } from 'kysely'
import Libsql from 'libsql'
import { createPool } from 'mysql2/promise'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import type { Store } from 'resourcery/crud'
import { drizzleStore } from 'resourcery/drizzle'
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

it.each(['postgres', 'mysql'] as const)('a decimal of a drizzle schema is not rounded on %s', async (dialect) => {
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

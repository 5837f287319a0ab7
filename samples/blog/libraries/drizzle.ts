import * as mysql from 'drizzle-orm/mysql-core'
import { drizzle as drizzleOnMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzleOnPostgres } from 'drizzle-orm/node-postgres'
import * as postgres from 'drizzle-orm/pg-core'
import { drizzleStore } from 'resourcery/drizzle'
import type { Pool } from '../database/open.js'
import type { Stores } from '../stores.js'

/** The stores of the blog by Drizzle. */
export function makeStores({ kind, pool }: Pool): Stores {
  return kind === 'mysql' ? onMysql(pool) : onPostgres(pool)
}

function onPostgres(pool: unknown): Stores {
  const { bigint, char, integer, numeric, pgTable, text, timestamp, varchar } = postgres
  const id = () => bigint({ mode: 'number' }).primaryKey().generatedByDefaultAsIdentity()
  const time = () => timestamp({ withTimezone: true, precision: 3 })
  const users = pgTable('users', {
    id: id(),
    name: varchar({ length: 50 }).notNull(),
    email: varchar({ length: 254 }).notNull(),
    status: integer().notNull(),
    age: integer(),
    role: varchar({ length: 20 }),
    avatarUrl: varchar({ length: 250 }),
    createdAt: time().notNull(),
    passwordHash: varchar({ length: 250 }),
  })
  const posts = pgTable('posts', {
    id: id(),
    title: varchar({ length: 200 }).notNull(),
    content: text().notNull(),
    category: varchar({ length: 50 }).notNull(),
    status: integer().notNull(),
    authorId: bigint({ mode: 'number' }).notNull(),
    createdAt: time().notNull(),
    deletedAt: time(),
  })
  const orders = pgTable('orders', {
    id: id(),
    userId: bigint({ mode: 'number' }),
    items: postgres.json().notNull(),
    total: numeric({ mode: 'number' }).notNull(),
    status: varchar({ length: 20 }).notNull(),
    createdAt: time().notNull(),
  })
  const keys = pgTable('idempotency_keys', {
    id: char({ length: 64 }).primaryKey(),
    fingerprint: char({ length: 64 }).notNull(),
    claim: char({ length: 36 }).notNull(),
    expiresAt: bigint({ mode: 'number' }).notNull(),
    reply: text(),
  })
  const database = drizzleOnPostgres({ client: pool as never })
  return {
    users: drizzleStore(database, users),
    posts: drizzleStore(database, posts),
    orders: drizzleStore(database, orders),
    idempotencyKeys: (db) => drizzleStore(db as typeof database, keys),
  }
}

function onMysql(pool: unknown): Stores {
  const { bigint, char, datetime, decimal, int, mediumtext, mysqlTable, text, varchar } = mysql
  const id = () => bigint({ mode: 'number' }).primaryKey().autoincrement()
  const users = mysqlTable('users', {
    id: id(),
    name: varchar({ length: 50 }).notNull(),
    email: varchar({ length: 254 }).notNull(),
    status: int().notNull(),
    age: int(),
    role: varchar({ length: 20 }),
    avatarUrl: varchar({ length: 250 }),
    createdAt: datetime({ fsp: 3 }).notNull(),
    passwordHash: varchar({ length: 250 }),
  })
  const posts = mysqlTable('posts', {
    id: id(),
    title: varchar({ length: 200 }).notNull(),
    content: text().notNull(),
    category: varchar({ length: 50 }).notNull(),
    status: int().notNull(),
    authorId: bigint({ mode: 'number' }).notNull(),
    createdAt: datetime({ fsp: 3 }).notNull(),
    deletedAt: datetime({ fsp: 3 }),
  })
  const orders = mysqlTable('orders', {
    id: id(),
    userId: bigint({ mode: 'number' }),
    items: mysql.json().notNull(),
    total: decimal({ mode: 'number' }).notNull(),
    status: varchar({ length: 20 }).notNull(),
    createdAt: datetime({ fsp: 3 }).notNull(),
  })
  const keys = mysqlTable('idempotency_keys', {
    id: char({ length: 64 }).primaryKey(),
    fingerprint: char({ length: 64 }).notNull(),
    claim: char({ length: 36 }).notNull(),
    expiresAt: bigint({ mode: 'number' }).notNull(),
    reply: mediumtext(),
  })
  const database = drizzleOnMysql({ client: pool as never })
  return {
    users: drizzleStore(database, users),
    posts: drizzleStore(database, posts),
    orders: drizzleStore(database, orders),
    idempotencyKeys: (db) => drizzleStore(db as typeof database, keys),
  }
}

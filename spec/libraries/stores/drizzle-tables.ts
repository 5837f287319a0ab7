import { sql } from 'drizzle-orm'
import { bigint as mysqlBigint, boolean as mysqlBoolean, date as mysqlDate, datetime, decimal as mysqlDecimal, int,
  mysqlTable, varchar as mysqlVarchar } from 'drizzle-orm/mysql-core'
import { bigint, boolean, date, decimal, integer, pgTable, timestamp, uuid, varchar } from 'drizzle-orm/pg-core'
import { integer as sqliteInteger, numeric, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/* The tables of the suite in drizzle's three ways. */

export const postgres = {
  samples: pgTable('samples', {
    id: bigint({ mode: 'number' }).primaryKey().generatedByDefaultAsIdentity(),
    code: varchar({ length: 50 }).notNull(),
    name: varchar({ length: 200 }).notNull(),
    age: integer(),
    views: bigint({ mode: 'number' }).notNull(),
    active: boolean().notNull(),
    createdAt: timestamp({ withTimezone: true, precision: 3 }).notNull(),
  }),
  things: pgTable('things', {
    id: integer().primaryKey().generatedByDefaultAsIdentity(),
    email: varchar({ length: 20 }).notNull(),
    tenant: integer().notNull(),
    slug: varchar({ length: 20 }).notNull(),
    age: integer().notNull(),
    dueOn: date({ mode: 'string' }),
    price: decimal({ precision: 10, scale: 2 }).notNull(),
    big: decimal().notNull(),
    at: timestamp({ withTimezone: true }).notNull(),
    flag: boolean().notNull(),
    uid: uuid().notNull(),
    parent: integer(),
  }),
}

export const mysql = {
  samples: mysqlTable('samples', {
    id: mysqlBigint({ mode: 'number' }).primaryKey().autoincrement(),
    code: mysqlVarchar({ length: 50 }).notNull(),
    name: mysqlVarchar({ length: 200 }).notNull(),
    age: int(),
    views: mysqlBigint({ mode: 'number' }).notNull(),
    active: mysqlBoolean().notNull(),
    createdAt: datetime({ fsp: 3 }).notNull(),
  }),
  things: mysqlTable('things', {
    id: int().primaryKey().autoincrement(),
    email: mysqlVarchar({ length: 20 }).notNull(),
    tenant: int().notNull(),
    slug: mysqlVarchar({ length: 20 }).notNull(),
    age: int().notNull(),
    dueOn: mysqlDate({ mode: 'string' }),
    price: mysqlDecimal({ precision: 10, scale: 2 }).notNull(),
    big: mysqlDecimal().notNull(),
    at: datetime({ fsp: 6 }).notNull(),
    flag: mysqlBoolean().notNull(),
    uid: mysqlVarchar({ length: 36 }).notNull(),
    parent: int(),
  }),
}

export const sqlite = {
  samples: sqliteTable('samples', {
    id: sqliteInteger().primaryKey({ autoIncrement: true }),
    code: text().notNull(),
    name: text().notNull(),
    age: sqliteInteger(),
    views: sqliteInteger().notNull(),
    active: sqliteInteger({ mode: 'boolean' }).notNull(),
    createdAt: sqliteInteger({ mode: 'timestamp_ms' }).notNull(),
  }),
  things: sqliteTable('things', {
    id: sqliteInteger().primaryKey({ autoIncrement: true }),
    email: text().notNull(),
    tenant: sqliteInteger().notNull(),
    slug: text().notNull(),
    age: sqliteInteger().notNull(),
    dueOn: text(),
    price: numeric().notNull(),
    big: numeric().notNull(),
    at: sqliteInteger({ mode: 'timestamp_ms' }).notNull(),
    flag: sqliteInteger({ mode: 'boolean' }).notNull(),
    uid: text().notNull(),
    parent: sqliteInteger(),
  }),
}

/** The row has children; drizzle's own names of an alias differ by database. */
export const hasChildren = sql`exists (select 1 from things as child where child.parent = things.id)`

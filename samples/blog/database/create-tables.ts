import { sql, type ColumnDefinitionBuilder, type CreateTableBuilder } from 'kysely'
import { isMysql } from './dialect.js'
import type { Database } from './schema.js'

/**
 * Creates the tables that are missing.
 *
 * Ids are bigint: every whole number that JavaScript can hold fits, so that an absurd id is simply not found.
 */
export async function createTables(db: Database): Promise<void> {
  const { id, time, finish } = isMysql(db) ? MYSQL : POSTGRES
  await finish(
    db.schema.createTable('users').ifNotExists()
      .addColumn('id', 'bigint', id)
      .addColumn('name', 'varchar(50)', required)
      .addColumn('email', 'varchar(254)', (column) => column.notNull().unique())
      .addColumn('status', 'integer', required)
      .addColumn('age', 'integer')
      .addColumn('role', 'varchar(20)')
      .addColumn('avatarUrl', 'varchar(250)')
      .addColumn('createdAt', time, required)
      .addColumn('passwordHash', 'varchar(250)'),
  ).execute()
  await finish(
    db.schema.createTable('posts').ifNotExists()
      .addColumn('id', 'bigint', id)
      .addColumn('title', 'varchar(200)', required)
      .addColumn('content', 'text', required)
      .addColumn('category', 'varchar(50)', required)
      .addColumn('status', 'integer', required)
      .addColumn('authorId', 'bigint', required)
      .addColumn('createdAt', time, required)
      .addColumn('deletedAt', time)
      .addForeignKeyConstraint('posts_author', ['authorId'], 'users', ['id']),
  ).execute()
  await addDeletedAt(db)
  await finish(
    db.schema.createTable('orders').ifNotExists()
      .addColumn('id', 'bigint', id)
      .addColumn('userId', 'bigint')
      .addColumn('items', 'text', required)
      .addColumn('total', 'numeric(12, 2)', required)
      .addColumn('status', 'varchar(20)', required)
      .addColumn('createdAt', time, required)
      .addForeignKeyConstraint('orders_user', ['userId'], 'users', ['id'], (key) => key.onDelete('set null')),
  ).execute()
  await createKeys(db)
}

/**
 * The table that `idempotency` of `crud` needs; the primary key is all that it is found by, the time what it is forgotten by.
 */
async function createKeys(db: Database): Promise<void> {
  const { longText, finish } = isMysql(db) ? MYSQL : POSTGRES
  await finish(
    db.schema.createTable('idempotency_keys').ifNotExists()
      .addColumn('id', 'char(64)', (column) => column.primaryKey())
      .addColumn('fingerprint', 'char(64)', required)
      .addColumn('claim', 'char(36)', required)
      .addColumn('expiresAt', 'bigint', required)
      .addColumn('reply', longText),
  ).execute()
}

/** Adds the column to a database that was created before posts had soft deletion. */
async function addDeletedAt(db: Database): Promise<void> {
  try {
    await db.selectFrom('posts').select('deletedAt').limit(1).execute()
  } catch {
    await db.schema.alterTable('posts').addColumn('deletedAt', isMysql(db) ? MYSQL.time : POSTGRES.time).execute()
  }
}

function required(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull()
}

const POSTGRES = {
  id: (column: ColumnDefinitionBuilder) => column.primaryKey().generatedByDefaultAsIdentity(),
  time: sql`timestamptz(3)`,
  longText: sql`text`,
  finish: (table: CreateTableBuilder<string>) => table,
}

const MYSQL = {
  id: (column: ColumnDefinitionBuilder) => column.primaryKey().autoIncrement(),
  time: sql`datetime(3)`,
  longText: sql`mediumtext`,
  finish: (table: CreateTableBuilder<string>) => table.modifyEnd(sql`engine = InnoDB character set utf8mb4`),
}

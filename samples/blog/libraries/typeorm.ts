import 'reflect-metadata'
import type { IdempotencyKey } from 'resourcery/crud'
import { typeormStore } from 'resourcery/typeorm'
import { DataSource, EntitySchema, type EntityManager, type EntitySchemaColumnOptions } from 'typeorm'
import { ConfigError } from '../config.js'
import type { Pool } from '../database/open.js'
import type { OrderRow, PostRow, UserRow } from '../database/schema.js'
import type { Stores } from '../stores.js'

/**
 * The stores of the blog by TypeORM, which opens connections of its own.
 *
 * @throws ConfigError on the embedded database, which has no address.
 */
export async function makeStores({ kind, url }: Pool): Promise<Stores> {
  if (url === undefined) throw new ConfigError('STORE=typeorm needs a server: set DATABASE_URL.')
  const { Users, Posts, Orders, Keys } = entitiesOf(kind)
  const entities = [Users, Posts, Orders, Keys]
  const source = await new DataSource(kind === 'mysql'
    ? { type: 'mysql', url, entities, timezone: 'Z', charset: 'utf8mb4' }
    : { type: 'postgres', url, entities, poolErrorHandler: () => undefined }).initialize()
  const keys = typeormStore(source, source.getRepository(Keys), { columns: { expiresAt: 'integer' } })
  return {
    users: typeormStore(source, source.getRepository(Users), { columns: { id: 'integer' } }),
    posts: typeormStore(source, source.getRepository(Posts), { columns: { id: 'integer', authorId: 'integer' } }),
    orders: typeormStore(source, source.getRepository(Orders), {
      columns: { id: 'integer', userId: 'integer', items: 'json', total: 'number' },
    }),
    idempotencyKeys: (db) => keys.on?.(db as EntityManager) ?? keys,
    close: () => source.destroy(),
  }
}

function entitiesOf(kind: Pool['kind']) {
  const id: EntitySchemaColumnOptions = { type: 'bigint', primary: true, generated: 'increment' }
  const time: EntitySchemaColumnOptions = kind === 'mysql'
    ? { type: 'datetime', precision: 3 }
    : { type: 'timestamptz', precision: 3 }
  const text = (length: number): EntitySchemaColumnOptions => ({ type: 'varchar', length })
  const nullable = { nullable: true }
  return {
    Users: new EntitySchema<UserRow>({
      name: 'User',
      tableName: 'users',
      columns: {
        id,
        name: text(50),
        email: text(254),
        status: { type: 'integer' },
        age: { type: 'integer', ...nullable },
        role: { ...text(20), ...nullable },
        avatarUrl: { ...text(250), ...nullable },
        createdAt: time,
        passwordHash: { ...text(250), ...nullable },
      },
    }),
    Posts: new EntitySchema<PostRow>({
      name: 'Post',
      tableName: 'posts',
      columns: {
        id,
        title: text(200),
        content: { type: 'text' },
        category: text(50),
        status: { type: 'integer' },
        authorId: { type: 'bigint' },
        createdAt: time,
        deletedAt: { ...time, ...nullable },
      },
    }),
    Orders: new EntitySchema<OrderRow>({
      name: 'Order',
      tableName: 'orders',
      columns: {
        id,
        userId: { type: 'bigint', ...nullable },
        items: { type: 'text' },
        total: { type: 'decimal', precision: 12, scale: 2 },
        status: text(20),
        createdAt: time,
      },
    }),
    Keys: new EntitySchema<IdempotencyKey>({
      name: 'IdempotencyKey',
      tableName: 'idempotency_keys',
      columns: {
        id: { type: 'char', length: 64, primary: true },
        fingerprint: { type: 'char', length: 64 },
        claim: { type: 'char', length: 36 },
        expiresAt: { type: 'bigint' },
        reply: { type: kind === 'mysql' ? 'mediumtext' : 'text', ...nullable },
      },
    }),
  }
}

import type { IdempotencyKey } from 'resourcery/crud'
import { sequelizeStore } from 'resourcery/sequelize'
import { DataTypes, Sequelize, type Model, type ModelAttributes, type ModelStatic, type Transaction } from 'sequelize'
import { ConfigError } from '../config.js'
import type { Pool } from '../database/open.js'
import type { OrderRow, PostRow, UserRow } from '../database/schema.js'
import type { Stores } from '../stores.js'

const { BIGINT, CHAR, DATE, DECIMAL, INTEGER, STRING, TEXT } = DataTypes
const id = { type: BIGINT, primaryKey: true, autoIncrement: true }

/**
 * The stores of the blog by Sequelize, which opens connections of its own.
 *
 * @throws ConfigError on the embedded database, which has no address.
 */
export function makeStores({ kind, url }: Pool): Stores {
  if (url === undefined) throw new ConfigError('STORE=sequelize needs a server: set DATABASE_URL.')
  const sequelize = new Sequelize(url, { dialect: kind, logging: false })
  const model = <Row extends object>(tableName: string, attributes: ModelAttributes): ModelStatic<Model<Row>> => (
    sequelize.define(tableName, attributes, { tableName, timestamps: false }) as unknown as ModelStatic<Model<Row>>
  )
  const keys = sequelizeStore(model<IdempotencyKey>('idempotency_keys', {
    id: { type: CHAR(64), primaryKey: true },
    fingerprint: CHAR(64),
    claim: CHAR(36),
    expiresAt: BIGINT,
    reply: TEXT,
  }), { columns: { expiresAt: 'integer' } })
  return {
    users: sequelizeStore(
      model<UserRow>('users', {
        id,
        name: STRING(50),
        email: STRING(254),
        status: INTEGER,
        age: INTEGER,
        role: STRING(20),
        avatarUrl: STRING(250),
        createdAt: DATE(3),
        passwordHash: STRING(250),
      }),
      { columns: { id: 'integer' } },
    ),
    posts: sequelizeStore(
      model<PostRow>('posts', {
        id,
        title: STRING(200),
        content: TEXT,
        category: STRING(50),
        status: INTEGER,
        authorId: BIGINT,
        createdAt: DATE(3),
        deletedAt: DATE(3),
      }),
      { columns: { id: 'integer', authorId: 'integer' } },
    ),
    orders: sequelizeStore(
      model<OrderRow>('orders', {
        id,
        userId: BIGINT,
        items: TEXT,
        total: DECIMAL(12, 2),
        status: STRING(20),
        createdAt: DATE(3),
      }),
      { columns: { id: 'integer', userId: 'integer', items: 'json', total: 'number' } },
    ),
    idempotencyKeys: (db) => keys.on?.(db as Transaction | null) ?? keys,
    close: () => sequelize.close(),
  }
}

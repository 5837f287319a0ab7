import makeKnex from 'knex'
import type { IdempotencyKey } from 'resourcery/crud'
import { knexStore } from 'resourcery/knex'
import type { Pool } from '../database/open.js'
import type { OrderRow, PostRow, UserRow } from '../database/schema.js'
import type { Stores } from '../stores.js'

/** The stores of the blog by Knex. */
export function makeStores({ kind, pool }: Pool): Stores {
  const knex = makeKnex({ client: kind === 'mysql' ? 'mysql2' : 'pg', connectionPool: pool as never })
  return {
    users: knexStore(knex, knex<UserRow>('users'), { columns: { id: 'integer' } }),
    posts: knexStore(knex, knex<PostRow>('posts'), { columns: { id: 'integer', authorId: 'integer' } }),
    orders: knexStore(knex, knex<OrderRow>('orders'), {
      columns: { id: 'integer', userId: 'integer', items: 'json', total: 'number' },
    }),
    idempotencyKeys: (db) =>
      knexStore<IdempotencyKey>(db as typeof knex, 'idempotency_keys', {
        columns: { expiresAt: 'integer' },
      }),
  }
}

import type { IdempotencyKey, Store } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'
import { ConfigError, type StoreLibrary } from './config.js'
import type { Pool } from './database/open.js'
import type { Database, OrderRow, PostRow, UserRow } from './database/schema.js'

/** Where the rows of the `crud` resources are kept, by whatever library. */
export interface Stores {
  readonly users: Store<UserRow>
  readonly posts: Store<PostRow>
  readonly orders: Store<OrderRow>
  /** Requests that came with an `Idempotency-Key`, on the `db` of another store or of a transaction of it. */
  readonly idempotencyKeys: (db: unknown) => Store<IdempotencyKey>
  /** Closes the connections that the library has opened beside those of the database. */
  readonly close?: () => Promise<void>
}

/**
 * Opens the stores by a library, over the connections of the database. All but Kysely are installed in `libraries`.
 *
 * @throws ConfigError where that is not done.
 */
export async function openStores(library: StoreLibrary, pool: Pool, db: Database): Promise<Stores> {
  if (library === 'kysely') return kyselyStores(db)
  try {
    const file = new URL(`libraries/${library}.ts`, import.meta.url).href
    const { makeStores } = await import(file) as Library
    return await makeStores(pool)
  } catch (error) {
    if (!isMissing(error)) throw error
    const more = library === 'prisma' ? ', then npm run --prefix samples/blog/libraries generate' : ''
    throw new ConfigError(
      `STORE=${library} needs a library that is not installed: run npm ci --prefix samples/blog/libraries${more}.`,
    )
  }
}

interface Library {
  readonly makeStores: (pool: Pool) => Stores | Promise<Stores>
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).endsWith('MODULE_NOT_FOUND')
}

function kyselyStores(database: Database): Stores {
  return {
    users: kyselyStore(database, 'users'),
    posts: kyselyStore(database, 'posts'),
    orders: kyselyStore(database, 'orders', { columns: { items: 'json', total: 'number' } }),
    idempotencyKeys: (db) => kyselyStore(db as Database, 'idempotency_keys'),
  }
}

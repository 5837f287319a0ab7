import knex from 'knex'
import pg from 'pg'
import { knexStore } from 'resourcery/knex'
import type { SampleRow } from 'resourcery/testing'
import type { Thing } from '../../support/typed-table.js'
import type { Connect, Stores } from './tables.js'

function storesOf(config: knex.Knex.Config): Stores {
  const db = knex({ useNullAsDefault: true, ...config })
  return {
    samples: knexStore<SampleRow>(db, 'samples', {
      columns: { id: 'integer', views: 'integer', active: 'boolean', createdAt: 'date' },
    }),
    things: {
      store: knexStore(db, db<Thing>('things'), { columns: { at: 'date', flag: 'boolean', uid: 'string' } }),
      withColumns: (columns) => knexStore<Thing>(db, 'things', { columns: columns as never }),
      raw: {
        hasChildren: db('things as child').where('child.parent', db.ref('things.id')),
        isAged: (age) => db.raw('age = ? or 1 = 0', [age]),
        wrong: ['1 = 1', true, () => true, null, {}],
      },
    },
    statement: (transaction: knex.Knex, text) => transaction.raw(text),
    close: () => db.destroy(),
  }
}

const onPostgres: Connect = { dialect: 'postgres', open: (url) => storesOf({ client: 'pg', connection: url }) }
const onPool: Connect = {
  dialect: 'postgres',
  open: (url) => storesOf({ client: 'pg', connectionPool: new pg.Pool({ connectionString: url }) }),
}
const onMariadb: Connect = { dialect: 'mysql', open: (url) => storesOf({ client: 'mysql2', connection: url }) }
const onSqlite: Connect = {
  dialect: 'sqlite',
  open: (url) => storesOf({ client: 'better-sqlite3', connection: { filename: url } }),
}

export const databases = [['PostgreSQL', onPostgres], ['MariaDB', onMariadb], ['SQLite', onSqlite]] as const

/** For specs of connections alone. */
export const pools = [['PostgreSQL by a pg.Pool', onPool]] as const

export { knexStore } from '../adapters/knex/knex-store.js'
export type { KnexDatabase, KnexStoreOptions, KnexTable } from '../adapters/knex/knex-store.js'
export { fromKnex } from '../adapters/knex/from-knex.js'
export type { KnexOptions, KnexQuery } from '../adapters/knex/from-knex.js'

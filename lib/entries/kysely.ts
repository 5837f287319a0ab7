export { kyselyStore } from '../adapters/kysely/kysely-store.js'
export type { KyselyRow, KyselyStoreOptions } from '../adapters/kysely/kysely-store.js'
export { fromKysely } from '../adapters/kysely/from-kysely.js'
export type { KyselyOptions, KyselyQuery } from '../adapters/kysely/from-kysely.js'

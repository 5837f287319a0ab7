export { drizzleStore } from '../adapters/drizzle/drizzle-store.js'
export type { DrizzleDatabase, DrizzleStoreOptions, DrizzleTable } from '../adapters/drizzle/drizzle-store.js'
export { fromDrizzle } from '../adapters/drizzle/from-drizzle.js'
export type { DrizzleOptions, DrizzleQuery } from '../adapters/drizzle/from-drizzle.js'

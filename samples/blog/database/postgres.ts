import pg from 'pg'

/** PostgreSQL over the network. Its two listeners keep the process alive: docs/stores.md, "Lost connections". */
export function postgresPool(url: string): pg.Pool {
  const types = new pg.TypeOverrides()
  // Ids and counts are bigint, and as text by default; these are far from where a number loses digits.
  types.setTypeParser(pg.types.builtins.INT8, Number)
  const pool = new pg.Pool({ connectionString: url, types })
  // A connection that breaks while nobody uses it is replaced; without a listener it would end the process.
  pool.on('error', (error) => console.error('A database connection was lost:', error.message))
  // One that breaks in the middle of a transaction fails its queries; its own event would end the process all the same.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

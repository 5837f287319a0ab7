import { MisuseError } from '../../errors.js'
import type { Dialect } from '../sql/kinds.js'

/** What an adapter of kysely's says of its database. */
export interface Adapter {
  readonly supportsReturning: boolean
  readonly supportsTransactionalDdl: boolean
}

/**
 * Finds out which database it is, by what it can do: names of classes do not survive a bundler.
 *
 * @throws MisuseError `kysely_dialect` for a database that is none of the three kinds.
 */
export function dialectOf({ supportsReturning, supportsTransactionalDdl }: Adapter): Dialect {
  if (supportsReturning) return supportsTransactionalDdl ? 'postgres' : 'sqlite'
  if (!supportsTransactionalDdl) return 'mysql'
  throw new MisuseError('kysely_dialect', 'kyselyStore works on PostgreSQL, MySQL, MariaDB and SQLite.')
}

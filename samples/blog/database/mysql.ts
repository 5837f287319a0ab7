import { MysqlDialect } from 'kysely'
import { createPool } from 'mysql2'

/** MySQL or MariaDB over the network; a `datetime` has no time zone, so it is always UTC. */
export function mysqlDialect(url: string): MysqlDialect {
  return new MysqlDialect({ pool: createPool({ uri: url, timezone: 'Z', charset: 'utf8mb4' }) })
}

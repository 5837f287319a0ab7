import { createPool, type Pool } from 'mysql2'

/** MySQL or MariaDB over the network; a `datetime` has no time zone, so it is always UTC. */
export function mysqlPool(url: string): Pool {
  return createPool({ uri: url, timezone: 'Z', charset: 'utf8mb4' })
}

import { MysqlAdapter } from 'kysely'
import type { Database } from './schema.js'

/** MySQL and MariaDB differ from PostgreSQL where a table is made, a row is inserted and a lock is taken. */
export function isMysql(db: Database): boolean {
  return db.getExecutor().adapter instanceof MysqlAdapter
}

import { toCount } from '../../paging/count.js'
import type { Config, Field, Fields, Query } from './query.js'
import { sqlTagOf } from './sql.js'

/** How many rows a query has, whatever it joins, groups or makes distinct. */
export async function countRows(query: Query): Promise<number> {
  const sql = sqlTagOf(query)
  const rows = withoutOrder(query.config)
  const counting = selectsRowsAsTheyAre(rows)
    ? query.dialect.buildSelectQuery({ ...rows, fields: { count: sql`count(*) as count` } })
    : sql`select count(*) as count from (${query.dialect.buildSelectQuery(rows)}) as counted`
  return toCount(await query.session.count(counting))
}

/** Rows are counted neither in order nor under a lock. */
function withoutOrder(config: Config): Config {
  const setOperators = config.setOperators.map((part, index, all) => index === all.length - 1 ? { ...part, orderBy: undefined } : part)
  return { ...config, orderBy: undefined, lockingClause: undefined, setOperators }
}

/** Such a query is counted without a subquery, in which MySQL would refuse two columns of one name, as a join has them. */
function selectsRowsAsTheyAre({ groupBy, having, distinct, setOperators, fields }: Config): boolean {
  const changing = [groupBy, having, distinct, setOperators[0]]
  return changing.every((part) => part === undefined || part === false) && holdsColumnsOnly(fields)
}

function holdsColumnsOnly(fields: Fields): boolean {
  return Object.values(fields).every((field) => isField(field) ? field.columnType !== undefined : holdsColumnsOnly(field))
}

function isField(field: Field | Fields): field is Field {
  return typeof field.getSQL === 'function'
}

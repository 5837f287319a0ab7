import { MisuseError } from '../../errors.js'
import type { Order } from '../keyset/key.js'
import type { KeyedRow } from '../keyset/slice-after.js'
import { takeTexts, textColumn, textsOf } from '../keyset/texts.js'
import { changed, readRows, type Field, type Fields, type Query, type Row, type Sql } from './query.js'
import { sqlTagOf, type SqlTag } from './sql.js'

/** The same query in this order. */
export function orderedBy(query: Query, { keys }: Order): Query {
  if (keys.length === 0) return query
  const sql = sqlTagOf(query)
  return changed(query, {
    orderBy: keys.map(({ column, descending }) => descending ? sql`${selected(query, column)} desc` : sql`${selected(query, column)}`),
  })
}

/** The rows behind the one with these values, each with the texts of its keys. */
export async function readBehind<Found>(query: Query, order: Order, values: readonly unknown[] | null, limit: number): Promise<KeyedRow<Found>[]> {
  const sql = sqlTagOf(query)
  const { where, fields } = query.config
  const texts = order.keys.map(({ column }, index) => [textColumn(index), sql`concat(${selected(query, column)})`])
  const keyed = changed(query, { fields: { ...fields, ...Object.fromEntries(texts) as Fields } })
  const behind = values === null ? keyed : changed(keyed, { where: withWhere(sql, where, isBehind(sql, query, order, textsOf(values))) })
  const rows = await readRows(behind, limit)
  return rows.map((row) => takeTexts<Found>(row, order.keys.map(({ column }) => at(row, column))))
}

function withWhere(sql: SqlTag, where: unknown, behind: Sql): Sql {
  return where === undefined ? behind : sql`(${where}) and (${behind})`
}

function isBehind(sql: SqlTag, query: Query, { keys }: Order, values: readonly unknown[]): Sql {
  const conditions = keys.map(({ column, descending }, index) => {
    const key = selected(query, column)
    const value = values[index]
    return descending
      ? { beyond: sql`${key} < ${value}`, bound: sql`${key} <= ${value}` }
      : { beyond: sql`${key} > ${value}`, bound: sql`${key} >= ${value}` }
  })
  // The bound is implied by what it stands beside; with it a database begins in the right place of an index.
  return conditions.reduceRight<Sql>((rest, { beyond, bound }, index) => (
    index === keys.length - 1 ? beyond : sql`${bound} and (${beyond} or (${rest}))`
  ), sql``)
}

/** A selected column or expression by the path that it has in a row, `posts.createdAt`. */
function selected(query: Query, path: string): Sql | Field {
  const field = at(query.config.fields, path) as Partial<Field> | undefined
  if (typeof field?.getSQL !== 'function') {
    throw new MisuseError('drizzle_key', `The query selects no "${path}": a key is named as in a row, 'posts.id' in a join.`)
  }
  return field.sql ?? field as Field
}

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, name) => (
    typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name) ? (inner as Row)[name] : undefined
  ), value)
}

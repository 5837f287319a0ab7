import { MisuseError, toCount, type PageSource } from '../../core/index.js'
import { sql, type Sql } from '../sql/statement.js'
import { bareName, checkPaged, has, readOrder, type Key, type NeverNull, type Order,
  type OrderOptions } from '../sql/keyset/order.js'
import type { MysqlQuery } from '../sql/keyset/mysql.js'
import type { Row } from '../sql/table.js'
import { sqlSource } from '../sql/keyset/sql-source.js'
import { expression, extra, type Selected } from './expression.js'
import type { Builder, Expression, Node, QueryNode, QueryPlugin } from './library.js'

/** A `SelectQueryBuilder` of kysely, by structure. */
export interface KyselyQuery<Row> {
  readonly isSelectQueryBuilder: true
  execute(): Promise<Row[]>
}

/** A column by its name, its table in front where it needs one: `'id'`, `'posts.createdAt'`. */
type Named<Column extends string> = `${'' | `${string}.`}${Column}`

export interface KyselyOptions<Row, Nullable extends keyof Row & string = never> {
  /**
   * The whole order, which gives stable cursors: selected columns under their own names, `-` in front for descending,
   * the last one unique.
   *
   * @default the query's own order, without cursors
   */
  readonly by?: readonly `${'' | '-'}${Named<NeverNull<Row> | NoInfer<Nullable>>}`[] | undefined
  /** The columns of `by` that may be null: nulls come last, in both directions. @default none */
  readonly nullable?: readonly Named<Nullable>[] | undefined
}

/**
 * Converts a query of kysely to a source for `paginate`, on PostgreSQL, MySQL and MariaDB.
 *
 * The count is of the same query, with its joins, groups and `distinct`. The query must have an order: its own,
 * preferably ending in a unique column, or `by`. With `by`, a cursor holds the keys of the last row as the database
 * writes them, so that neither microseconds nor large integers are lost, and rows that come or go elsewhere disturb
 * nothing.
 *
 * @throws MisuseError `kysely_option_unknown` for an option that does not exist, `kysely_query` when the query is none
 * or has a limit or an offset; `kysely_order` when it has no order or two. When pages are read: `kysely_cursor` when a
 * cursor is sent without `by`, `kysely_key` when a key is null or not selected, `cursor_length` when the keys are
 * texts too long for a cursor.
 * @throws ValidationError naming `cursor`, when pages are read by one that was made for another order.
 * @example
 * const posts = db.selectFrom('posts').selectAll().where('status', '=', 'published')
 * await paginate(fromKysely(posts, { by: ['-createdAt', 'id'] }), { cursor: '', limit: 20 })
 */
export function fromKysely<Row, const Nullable extends keyof Row & string = never>(
  query: KyselyQuery<Row>,
  options?: KyselyOptions<Row, Nullable>,
): PageSource<Row>
export function fromKysely(query: unknown, options: OrderOptions = {}): PageSource<Row> {
  const order = readOrder('kysely', options)
  const unordered = builderOf(query, order)
  const ordered = orderBy(unordered, order.keys)
  return sqlSource('kysely', order, {
    slice: (offset, limit) => ordered.limit(limit).offset(offset).execute(),
    count: () => countRows(unordered),
    mysql: () => mysqlOf(unordered),
    read: (columns) => {
      const selected = columnsByName(unordered)
      return (condition, keys, limit) => {
        const after = condition === undefined ? unordered : unordered.where((eb) => expression(eb, condition, selected))
        return orderBy(withColumns(after, columns, selected), keys).limit(limit).execute()
      }
    },
  })
}

function builderOf(query: unknown, order: Order): Builder {
  if (!isBuilder(query))
    throw new MisuseError(
      'kysely_query',
      "fromKysely was given something other than a select query. Give it db.selectFrom('posts').selectAll().",
    )
  const node = query.toOperationNode()
  checkPaged('kysely', order, {
    isLimited: node.limit !== undefined || node.offset !== undefined,
    isOrdered: node.orderBy !== undefined,
    isCombined: node.setOperations !== undefined || node.distinctOn !== undefined,
    subquery: "db.selectFrom(query.as('rows')).selectAll()",
  })
  return query
}

function isBuilder(query: unknown): query is Builder {
  return has(query, 'isSelectQueryBuilder') && query.isSelectQueryBuilder === true
}

/** Counts the rows of a query, with its joins, groups and `distinct`. */
async function countRows(query: Builder): Promise<number> {
  const [row = {}] = await query.clearOrderBy().withPlugin(counting).execute()
  return toCount(Object.values(row)[0])
}

const counting: QueryPlugin = {
  transformQuery: ({ node }) => ({ ...(selectsRowsAsTheyAre(node) ? node : selectFrom(node)), selections }),
  transformResult: ({ result }) => Promise.resolve(result),
}

const selections = [
  { kind: 'SelectionNode', selection: { kind: 'RawNode', sqlFragments: ['count(*) as total'], parameters: [] } },
]

function selectFrom(node: QueryNode): QueryNode {
  const subquery = { kind: 'AliasNode', node, alias: { kind: 'IdentifierNode', name: 'counted' } }
  return { kind: 'SelectQueryNode', from: { kind: 'FromNode', froms: [subquery] } }
}

/**
 * Such a query is counted without a subquery, in which MySQL would refuse two columns of one name, as a join has them.
 */
function selectsRowsAsTheyAre(node: QueryNode): boolean {
  const changing = [
    node.groupBy,
    node.having,
    node.distinctOn,
    node.setOperations,
    node.frontModifiers,
    node.endModifiers,
  ]
  return (
    changing.every((part) => part === undefined)
    && (node.selections ?? []).every(({ selection }) => isColumn(selection))
  )
}

function isColumn(node: Node): boolean {
  if (node.kind === 'AliasNode' && node.node !== undefined) return isColumn(node.node)
  return node.kind === 'ReferenceNode' || node.kind === 'SelectAllNode'
}

/** The same query in this order, nulls last. */
function orderBy(query: Builder, keys: readonly Key[]): Builder {
  const selected = columnsByName(query)
  return keys.reduce((ordered, { column, descending, nullable }) => {
    const valued = nullable ? ordered.orderBy((eb) => expression(eb, sql`${{ column }} is null`, selected)) : ordered
    return valued.orderBy(column, descending ? 'desc' : 'asc')
  }, query)
}

/** Describes a query on MySQL; only there names stand between backticks. */
function mysqlOf(query: Builder): MysqlQuery | undefined {
  const { sql: text } = query.compile()
  if (!/\b(?:from|join) `/.test(text)) return undefined
  const selected = columnsByName(query)
  return {
    text: () => text,
    nameOf: (column) => {
      const node = selected.get(column)?.toOperationNode()
      return node?.column?.column?.name ?? bareName(column)
    },
    compute: async (asked) => (await withColumns(query, { asked }, selected).limit(1).execute())[0]?.asked,
  }
}

/**
 * Maps each selected name to its expression: `order by id` means the selected `id`, but a condition on `id` means
 * that of any joined table.
 */
function columnsByName(query: Builder): Selected {
  const named = (query.toOperationNode().selections ?? []).flatMap(({ selection }): [string, Expression][] => {
    const name = selection.kind === 'AliasNode' ? selection.alias?.name : selection.column?.column?.name
    const node: Node = selection.node ?? selection
    return name === undefined ? [] : [[name, { toOperationNode: () => node }]]
  })
  return new Map(named)
}

/** Selects expressions besides the columns of a query. */
function withColumns(query: Builder, columns: Readonly<Record<string, Sql>>, selected: Selected): Builder {
  return query.select(extra(Object.keys(columns), Object.values(columns), selected))
}

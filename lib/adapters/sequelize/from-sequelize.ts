import { MisuseError, propertyOf, suggestion, toCount, type PageSource } from '../../core/index.js'
import { dataSource } from '../sql/keyset/data-rows.js'
import { checkOrder, readOrder, type Condition, type NeverNull, type Order,
  type OrderOptions } from '../sql/keyset/order.js'

/** A model of sequelize, by structure; also one with a scope, `Post.scope('published')`. */
export interface SequelizeQueryModel<Row> {
  new(...args: never[]): Row
  findAll(options?: object): Promise<unknown[]>
  count(options?: object): Promise<unknown>
}

/** The options of `findAll` without those that a page sets; write `satisfies FindOptions` to check all of them. */
export interface SequelizeQuery {
  readonly where?: object
  readonly order?: unknown
  readonly include?: unknown
  readonly attributes?: unknown
  readonly group?: unknown
  readonly having?: object
  readonly transaction?: unknown
  readonly limit?: never
  readonly offset?: never
  readonly [option: string]: unknown
}

export interface SequelizeOptions<Row, Nullable extends string = never> {
  /**
   * The whole order, which gives stable cursors: attributes of the model, the last one unique, dates no finer than the
   * milliseconds of a `Date`, as sequelize writes them itself.
   *
   * @default the `order` of the options, without cursors
   */
  readonly by?: readonly `${'' | '-'}${NeverNull<Attributes<Row>> | NoInfer<Nullable>}`[] | undefined
  /**
   * The first attribute of `by`, if it may be null: nulls come last, in both directions, read by a query of their own.
   *
   * @default none
   */
  readonly nullable?: readonly Nullable[] | undefined
}

type Attributes<Row> = Row extends { readonly dataValues: infer Values } ? Values : Row

/**
 * A Sequelize model with the options of its `findAll` as a source for `paginate`, on any database that Sequelize
 * supports.
 *
 * Records are counted, not the rows that an include makes of them; with `group`, the groups. The list must have an
 * order: `order` among the options, best ending in a unique attribute, or `by`. With `by`, a cursor holds the keys of
 * the last record, so that rows that come or go elsewhere disturb nothing.
 *
 * @throws MisuseError `sequelize_option_unknown` for an option that does not exist, and for one of `findAll` that is
 * misspelt; `sequelize_query` when the model is none, or the options hold `limit` or `offset` or select an aggregate or
 * `distinct` without a group; `sequelize_order` when there is no order or two. When pages are read: `sequelize_cursor`
 * when a cursor is sent without `by`, `sequelize_key` when a key is null or not selected, `cursor_length` when the
 * keys are texts too long for a cursor.
 * @throws ValidationError naming `cursor`, when pages are read by one that was made for another order.
 * @example
 * const published = fromSequelize(Post, { where: { status: 'published' } }, { by: ['-createdAt', 'id'] })
 * await paginate(published, { cursor: '', limit: 20 })
 */
export function fromSequelize<Row, const Nullable extends keyof Attributes<Row> & string = never>(
  model: SequelizeQueryModel<Row>,
  query?: SequelizeQuery,
  options?: SequelizeOptions<Row, Nullable>,
): PageSource<Row>
export function fromSequelize(
  model: unknown,
  query: SequelizeQuery = {},
  options: OrderOptions = {},
): PageSource<Found> {
  const order = readOrder('sequelize', options, 1)
  checkQuery(model, query, order)
  const matching = (condition: Condition | undefined): SequelizeQuery =>
    condition === undefined ? query : { ...query, where: { [OPERATORS.and]: [query.where ?? {}, condition] } }
  return dataSource('sequelize', order, {
    operators: OPERATORS,
    labelsOf: (column) => labelsIn(model, column),
    read: (condition, keys, range) =>
      model.findAll({
        ...matching(condition),
        ...(keys.length > 0 && { order: keys.map(({ column, descending }) => [column, descending ? 'DESC' : 'ASC']) }),
        ...range,
      }),
    count: (condition) => countRows(model, matching(condition)),
  }, (row, { column }) => valueOf(row, column))
}

/** The symbols of sequelize's `Op`. */
const OPERATORS = {
  and: Symbol.for('and'),
  or: Symbol.for('or'),
  less: Symbol.for('lt'),
  greater: Symbol.for('gt'),
  notEqual: Symbol.for('ne'),
  atMost: Symbol.for('lte'),
  atLeast: Symbol.for('gte'),
}

/** MySQL and MariaDB sort an enum by the places of its labels, and compare it as a string. */
function labelsIn({ sequelize, rawAttributes }: QueryModel, column: string): readonly unknown[] | undefined {
  const isMysql = ['mysql', 'mariadb'].includes(sequelize?.getDialect() ?? '')
  return isMysql ? rawAttributes?.[column]?.type?.values : undefined
}

/** A model as it is at run time. */
interface QueryModel {
  readonly sequelize?: { getDialect(): string }
  readonly rawAttributes?: Readonly<Record<string, { readonly type?: { readonly values?: readonly unknown[] } }>>
  readonly _scope?: { readonly order?: unknown }
  findAll(options: object): Promise<readonly Found[]>
  count(options: object): Promise<unknown>
}

/** A record, or a row where the options ask for raw ones. */
interface Found {
  readonly [column: string]: unknown
  getDataValue?(column: string): unknown
}

async function countRows(model: QueryModel, query: SequelizeQuery): Promise<number> {
  const { attributes, order, lock, skipLocked, ...rows } = query
  const result = await model.count({ ...rows, distinct: query.include !== undefined })
  return toCount(Array.isArray(result) ? result.length : result)
}

/** Returns the stored value; a getter of the model may return another. */
function valueOf(row: Found, column: string): unknown {
  return typeof row.getDataValue === 'function' ? row.getDataValue(column) : row[column]
}

/** The options of `findAll` that select rows or columns. */
const SELECTING = ['where', 'order', 'include', 'attributes', 'group', 'having', 'paranoid']

/** Checks that no option is a misspelt one that selects: Sequelize ignores unknown options, which hooks may read. */
function checkNames(query: SequelizeQuery): void {
  for (const name of Object.keys(query)) {
    const meant = SELECTING.includes(name) ? '' : suggestion(name, SELECTING)
    if (meant === '') continue
    throw new MisuseError(
      'sequelize_option_unknown',
      `fromSequelize: \`findAll\` has no option \`${name}\`.${meant} Sequelize would ignore it.`,
    )
  }
}

function checkQuery(model: unknown, query: SequelizeQuery, order: Order): asserts model is QueryModel {
  if (!isModel(model))
    throw new MisuseError(
      'sequelize_query',
      "fromSequelize was given something other than a model. Write fromSequelize(Post, { order: ['id'] }).",
    )
  checkNames(query)
  if ('limit' in query || 'offset' in query) {
    throw new MisuseError('sequelize_query', 'The options have a limit or an offset, which the page sets. Remove it.')
  }
  if (query.group === undefined && selectsAggregate(query.attributes)) {
    throw new MisuseError(
      'sequelize_query',
      'The attributes have an aggregate or `distinct`, which cannot be counted. Use group.',
    )
  }
  checkOrder(
    'sequelize',
    order,
    [query.order, model._scope?.order].some((own) => own !== undefined && !isEmptyList(own)),
  )
}

function isModel(model: unknown): model is QueryModel {
  return typeof model === 'function' && 'findAll' in model && 'count' in model
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function selectsAggregate(attributes: unknown): boolean {
  return Array.isArray(attributes) && attributes.some((attribute: unknown) => {
    const name = propertyOf(Array.isArray(attribute) ? attribute[0] : attribute, 'fn')
    return typeof name === 'string' && /^(?:distinct|count|sum|avg|min|max)$/i.test(name)
  })
}

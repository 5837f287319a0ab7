import { MisuseError, propertyOf, type PageSource } from '../../core/index.js'
import { dataSource } from '../sql/keyset/data-rows.js'
import { checkOrder, has, readOrder, type Condition, type NeverNull, type Order,
  type OrderOptions } from '../sql/keyset/order.js'

/** A `find` of mongoose, by structure. */
export interface MongooseQuery<Row> {
  exec(): Promise<Row[]>
  getFilter(): unknown
  clone(): unknown
}

export interface MongooseOptions<Row, Nullable extends string = never> {
  /**
   * The whole order, which gives stable cursors: paths of the schema that are selected, the last one unique, each of
   * one type in all documents (a comparison passes over the others).
   *
   * @default the query's own sort, without cursors
   */
  readonly by?: readonly `${'' | '-'}${Path<Row> | NoInfer<Nullable>}`[] | undefined
  /**
   * The first path of `by`, if documents may lack it: these come last, in both directions, read by a query of their
   * own.
   *
   * @default none
   */
  readonly nullable?: readonly Nullable[] | undefined
}

/** A path that is no method of a document; nested paths are checked by the schema. */
type Path<Row> = Stored<Row> | `${string}.${string}`

type Stored<Row> = { [K in NeverNull<Row>]: Row[K] extends (...args: never[]) => unknown ? never : K }[NeverNull<Row>]

/**
 * A `find` of mongoose's, also a `lean` one, as a source for `paginate`.
 *
 * The count is of the same filter, with the query's session and collation. The query must have an order: its own
 * `sort`, best ending in a unique path, or `by`. With `by`, a cursor holds the keys of the last document, so that
 * documents that come or go elsewhere disturb nothing. An aggregation is no query: page a view of it.
 *
 * @throws MisuseError `mongoose_option_unknown` for an option that does not exist, `mongoose_query` when the query is
 * no `find` or has a limit or a skip; `mongoose_order` when it has no order or two; `mongoose_key` when the schema has
 * no such path. When pages are read: `mongoose_cursor` when a cursor is sent without `by`, `mongoose_key` when a key
 * is empty or not selected, `cursor_value` when it is of a kind that no cursor holds, `cursor_length` when the keys are
 * too long for one.
 * @throws ValidationError naming `cursor`, when pages are read by one that was made for another order.
 * @example
 * await paginate(fromMongoose(Post.find({ status: 'published' }), { by: ['-createdAt', '_id'] }), { cursor: '', limit:
 * 20 })
 */
export function fromMongoose<Row, const Nullable extends keyof Row & string = never>(
  query: MongooseQuery<Row>,
  options?: MongooseOptions<Row, Nullable>,
): PageSource<Row>
export function fromMongoose(query: unknown, options: OrderOptions = {}): PageSource<unknown> {
  const order = readOrder('mongoose', options, 1)
  const find = checkFind(query, order)
  const matching = (condition: Condition | undefined): Find =>
    condition === undefined ? find.clone() : find.clone().and([condition])
  return dataSource('mongoose', order, {
    operators: { and: '$and', or: '$or', less: '$lt', greater: '$gt', notEqual: '$ne' },
    read: (condition, keys, { offset, limit }) => {
      const names = keys.map(({ column, descending }) => `${descending ? '-' : ''}${column}`)
      const ordered = names.length === 0 ? matching(condition) : matching(condition).sort(names.join(' '))
      return (offset === undefined ? ordered : ordered.skip(offset)).limit(limit).exec()
    },
    count: (condition) => countDocuments(matching(condition)),
    // A document may lack a path that has no value.
  }, (row, { column, nullable }) => valueOf(row, column) ?? (nullable ? null : undefined))
}

/** The part of a `Query` of mongoose 9 that is used here. */
interface Find {
  readonly op: string
  readonly model: {
    readonly schema: { path(name: string): unknown }
    countDocuments(filter: unknown, options: object): PromiseLike<number>
  }
  clone(): Find
  sort(order: string): Find
  skip(documents: number): Find
  limit(documents: number): Find
  and(conditions: readonly Condition[]): Find
  getFilter(): unknown
  getOptions(): Readonly<Record<string, unknown>>
  exec(): Promise<readonly unknown[]>
}

async function countDocuments(find: Find): Promise<number> {
  const { sort, projection, lean, populate, ...options } = find.getOptions()
  return await find.model.countDocuments(find.getFilter(), options)
}

/** Returns the stored value of a path; an id of a BSON type as a string, which mongoose reads again. */
function valueOf(row: unknown, path: string): unknown {
  const value = path.split('.').reduce(propertyOf, row)
  return isBson(value) ? value.toString() : value
}

function isBson(value: unknown): value is { toString(): string } {
  return has(value, '_bsontype')
}

function checkFind(query: unknown, order: Order): Find {
  if (!isFind(query))
    throw new MisuseError(
      'mongoose_query',
      'fromMongoose was given something other than a find. Give it Post.find().sort({ _id: 1 }).',
    )
  const { limit, skip, sort } = query.getOptions()
  if (limit !== undefined || skip !== undefined) {
    throw new MisuseError('mongoose_query', 'The query has a limit or a skip, which the page sets. Remove it.')
  }
  checkOrder('mongoose', order, typeof sort === 'object' && sort !== null && Object.keys(sort).length > 0)
  const unknown = order.keys.find(({ column }) => query.model.schema.path(column) === undefined)
  if (unknown !== undefined)
    throw new MisuseError(
      'mongoose_key',
      `\`by\` names the path "${unknown.column}", which the schema does not have. Name a path of the schema.`,
    )
  // A query of mongoose is mutable, and pages are read later.
  return query.clone()
}

function isFind(query: unknown): query is Find {
  return has(query, 'op', 'getFilter', 'exec') && query.op === 'find'
}

import { MisuseError, type PageSource } from '../../core/index.js'
import { dataSource } from '../sql/keyset/data-rows.js'
import { checkOrder, readOrder, type Condition, type NeverNull, type Order,
  type OrderOptions } from '../sql/keyset/order.js'

/** A model of a Prisma client, `prisma.post`, by structure. */
export interface PrismaModel<Types extends ModelTypes = ModelTypes> {
  readonly [types: symbol]: { readonly types: Types }
  findMany(args?: object): PromiseLike<readonly unknown[]>
  count(args?: object): PromiseLike<unknown>
}

interface ModelTypes {
  readonly payload: Payload
  readonly operations: { readonly findMany: { readonly args: object } }
}

type TypesOf<Model extends PrismaModel> = Model[symbol]['types']

/** The arguments of `findMany` without those that a page sets. */
type Args<Model extends PrismaModel> = Omit<TypesOf<Model>['operations']['findMany']['args'], PageArgs> & Readonly<
  Partial<Record<PageArgs, never>>
>

type PageArgs = 'take' | 'skip' | 'cursor' | 'distinct'

type Scalars<Model extends PrismaModel> = TypesOf<Model>['payload']['scalars']

export interface PrismaOptions<Model extends PrismaModel, Nullable extends keyof Scalars<Model> & string = never> {
  /**
   * The whole order, which gives stable cursors: columns of the model, the last one unique, dates no finer than the
   * milliseconds of a `Date`, as Prisma's own `DateTime` columns are.
   *
   * @default the `orderBy` of the arguments, without cursors
   */
  readonly by?: readonly `${'' | '-'}${NeverNull<Scalars<Model>> | NoInfer<Nullable>}`[] | undefined
  /**
   * The first column of `by`, if it may be null: nulls come last, in both directions, read by a query of their own.
   *
   * @default none
   */
  readonly nullable?: readonly Nullable[] | undefined
}

/**
 * A Prisma model with the arguments of its `findMany` as a source for `paginate`, on any database that Prisma supports.
 *
 * The list must have an order: `orderBy` among the arguments, best ending in a unique column, or `by`. With `by`, a
 * cursor holds the keys of the last row, so that rows that come or go elsewhere disturb nothing. For a transaction give
 * its own client's model.
 *
 * @throws MisuseError `prisma_option_unknown` for an option that does not exist, `prisma_query` when the model is none
 * or the arguments hold `take`, `skip`, `cursor` or `distinct`; `prisma_order` when there is no order or two. When
 * pages are read: `prisma_cursor` when a cursor is sent without `by` or in the order of an enum, `prisma_key` when a
 * key is null or not selected, `cursor_value` when it is of a kind that no cursor holds, `cursor_length` when the keys
 * are too long for one.
 * @throws ValidationError naming `cursor`, when pages are read by one that was made for another order.
 * @example
 * const args = { where: { status: 'published' }, include: { author: true } }
 * const published = fromPrisma(prisma.post, args, { by: ['-createdAt', 'id'] })
 * await paginate(published, { cursor: '', limit: 20 })
 */
export function fromPrisma<
  Model extends PrismaModel,
  A extends object = object,
  const Nullable extends keyof Scalars<Model> & string = never,
>(
  model: Model,
  args?: A & Args<Model>,
  options?: PrismaOptions<Model, Nullable>,
): PageSource<RowOf<TypesOf<Model>['payload'], A>>
export function fromPrisma(
  model: QueryModel,
  query: Query = {},
  options: OrderOptions = {},
): PageSource<Condition> {
  const order = readOrder('prisma', options, 1)
  checkQuery(model, query, order)
  const matching = (condition: Condition | undefined): object | undefined =>
    condition === undefined ? query.where : { AND: [query.where ?? {}, condition] }
  return dataSource('prisma', order, {
    operators: OPERATORS,
    read: async (condition, keys, { offset, limit }) => {
      if (offset === undefined) checkNoEnum(model, order)
      return await model.findMany({
        ...query,
        where: matching(condition),
        ...(keys.length > 0 && { orderBy: keys.map(directionOf) }),
        ...(offset !== undefined && { skip: offset }),
        take: limit,
      })
    },
    count: async (condition) => Number(await model.count({ where: matching(condition) })),
  }, (row, { column }) => row[column])
}

const OPERATORS = { and: 'AND', or: 'OR', less: 'lt', greater: 'gt', notEqual: 'not', atMost: 'lte', atLeast: 'gte' }

/** @throws MisuseError `prisma_cursor` for an order by an enum: a condition of Prisma cannot ask for a greater one. */
function checkNoEnum({ fields }: QueryModel, { keys }: Order): void {
  const enumKey = keys.find(({ column }) => fields?.[column]?.isEnum === true)
  if (enumKey === undefined) return
  throw new MisuseError(
    'prisma_cursor',
    `Prisma does not compare "${enumKey.column}", an enum, by order, so that a cursor has no place in it. `
      + 'Order by another column, or page by number.',
  )
}

/** A model as it is at run time. */
interface QueryModel {
  readonly fields?: Readonly<Record<string, { readonly isEnum?: boolean }>>
  findMany(args: object): PromiseLike<readonly Condition[]>
  count(args: object): PromiseLike<unknown>
}

interface Query extends Condition {
  readonly where?: object
  readonly orderBy?: object
}

function checkQuery(model: Partial<QueryModel> | undefined, args: Query, order: Order): void {
  if (!isModel(model))
    throw new MisuseError(
      'prisma_query',
      'fromPrisma was given something other than a model of a Prisma client. Give it prisma.post.',
    )
  const own = ['take', 'skip', 'cursor', 'distinct'].find((name) => args[name] !== undefined)
  if (own === 'distinct')
    throw new MisuseError(
      'prisma_query',
      'The arguments have `distinct`, and Prisma cannot count distinct rows. Page a view of them instead.',
    )
  if (own !== undefined)
    throw new MisuseError('prisma_query', `The arguments have "${own}", which the page sets. Remove it.`)
  checkOrder('prisma', order, args.orderBy !== undefined && Object.keys(args.orderBy).length > 0)
}

function directionOf({ column, descending }: { column: string; descending: boolean }): Condition {
  return { [column]: descending ? 'desc' : 'asc' }
}

function isModel(model: Partial<QueryModel> | null | undefined): boolean {
  return typeof model === 'object' && typeof model?.findMany === 'function' && typeof model.count === 'function'
}

/** The columns and relations of a model in Prisma's generated types. */
interface Payload {
  readonly scalars: object
  readonly objects: object
  readonly composites: object
}

/** The type of a row of `findMany(args)`. */
type RowOf<P extends Payload, Args> = Args extends { select: infer S extends object } ? Chosen<P, S>
  : Args extends { include: infer I extends object } ? Chosen<P, I> & Plain<P, Args>
  : Plain<P, Args>

type Plain<P extends Payload, Args> = Args extends { omit: infer O }
  ? Flat<Omit<Columns<P>, { [K in keyof O]: O[K] extends false | undefined ? never : K }[keyof O]>>
  : Columns<P>

type Columns<P extends Payload> = Flat<
  P['scalars'] & { [K in keyof P['composites']]: Related<P['composites'][K], true> }
>

type Chosen<P extends Payload, Names> = {
  [K in keyof Names as Names[K] extends false | null | undefined ? never : K]: K extends keyof P['scalars']
    ? P['scalars'][K]
    : K extends keyof P['objects'] ? Related<P['objects'][K], Names[K]>
    : K extends keyof P['composites'] ? Related<P['composites'][K], Names[K]>
    : K extends '_count' ? Counts<P, Names[K]>
    : never
}

type Related<R, Args> = R extends readonly (infer One extends Payload)[] ? RowOf<One, Args>[]
  : R extends Payload ? RowOf<R, Args>
  : R

type Counts<P extends Payload, Args> = Args extends { select: infer S } ? { [K in keyof S]: number }
  : { [K in keyof P['objects'] as P['objects'][K] extends readonly unknown[] ? K : never]: number }

type Flat<T> = { [K in keyof T]: T[K] }

import { MisuseError, type PageSource } from '../../core/index.js'
import { has, limitError } from '../sql/keyset/order.js'
import { countingSource } from '../sql/keyset/slice-after.js'

/** A `SelectQueryBuilder` of typeorm, by structure. */
export interface TypeormQuery<Entity> {
  getMany(): Promise<Entity[]>
  getCount(): Promise<number>
  clone(): unknown
}

/** A repository of typeorm, by structure. */
export interface TypeormRepository<Entity, Options> {
  find(options?: Options): Promise<Entity[]>
  count(options?: Options): Promise<number>
}

/**
 * A query builder of typeorm's, or a repository with the options of its `find`, as a source for `paginate`.
 *
 * Entities are counted, not the rows that a join makes of them. The list must have an order, best ending in a unique
 * column; its cursors contain offsets: typeorm returns a time as a `Date`, which has no microseconds, and a
 * cursor made of it would lose rows.
 *
 * @throws MisuseError `typeorm_option_unknown` for options that are not those of `find`, `typeorm_query` when it is
 * neither, has a limit or an offset, or groups rows; `typeorm_order` when it has no order.
 * @example
 * await paginate(fromTypeorm(posts.createQueryBuilder('post').orderBy('post.id')), { page: 2, limit: 20 })
 * await paginate(fromTypeorm(posts, { where: { status: 'published' }, order: { id: 'ASC' } }), { page: 2, limit: 20 })
 */
export function fromTypeorm<Entity>(query: TypeormQuery<Entity>): PageSource<Entity>
export function fromTypeorm<Entity, Options extends object>(
  repository: TypeormRepository<Entity, Options>,
  options: Options,
): PageSource<Entity>
export function fromTypeorm<Entity>(source: unknown, options: FindOptions = {}): PageSource<Entity> {
  if ('by' in options || (isBuilder(source) && Object.keys(options).length > 0)) {
    throw new MisuseError(
      'typeorm_option_unknown',
      'fromTypeorm was given options that are not those of find. Order the query itself, with a unique column last.',
    )
  }
  if (isBuilder<Entity>(source)) return ofBuilder(source)
  if (isRepository<Entity>(source)) return ofRepository(source, options)
  throw new MisuseError(
    'typeorm_query',
    'fromTypeorm was given neither a query builder nor a repository. '
      + 'Give it a query builder, or a repository and the options of its find.',
  )
}

/** The part of a `SelectQueryBuilder` of typeorm 1.1 that is used here. */
interface Builder<Entity> {
  readonly expressionMap: {
    readonly allOrderBys: object
    readonly groupBys: readonly unknown[]
    readonly selectDistinctOn: readonly unknown[]
    readonly limit?: number
    readonly offset?: number
    readonly skip?: number
    readonly take?: number
  }
  clone(): Builder<Entity>
  skip(offset: number): Builder<Entity>
  take(limit: number): Builder<Entity>
  getMany(): Promise<Entity[]>
  getCount(): Promise<number>
}

function ofBuilder<Entity>(builder: Builder<Entity>): PageSource<Entity> {
  checkBuilder(builder.expressionMap)
  // A query builder is mutable, and pages are read later.
  const query = builder.clone()
  return countingSource((offset, limit) => query.clone().skip(offset).take(limit).getMany(),
    () => query.clone().getCount())
}

function checkBuilder(map: Builder<unknown>['expressionMap']): void {
  if ([map.limit, map.offset, map.skip, map.take].some((figure) => figure !== undefined)) throw limitError('typeorm')
  if (map.groupBys.length > 0 || map.selectDistinctOn.length > 0) {
    throw new MisuseError(
      'typeorm_query',
      'The query groups rows or has `distinct on`, and pages consist of entities. Page a view entity of the query.',
    )
  }
  if (Object.keys(map.allOrderBys).length === 0) throw orderError()
}

interface FindOptions {
  readonly order?: object
  readonly skip?: number
  readonly take?: number
}

type Repository<Entity> = TypeormRepository<Entity, FindOptions>

function ofRepository<Entity>(repository: Repository<Entity>, options: FindOptions): PageSource<Entity> {
  if (options.skip !== undefined || options.take !== undefined) throw limitError('typeorm')
  if (Object.keys(options.order ?? {}).length === 0) throw orderError()
  return countingSource((skip, take) => repository.find({ ...options, skip, take }), () => repository.count(options))
}

function orderError(): MisuseError {
  return new MisuseError(
    'typeorm_order',
    'The query has no order, without which pages repeat and miss rows. Order it, with a unique column last.',
  )
}

function isBuilder<Entity>(source: unknown): source is Builder<Entity> {
  return has(source, 'expressionMap', 'getMany')
}

function isRepository<Entity>(source: unknown): source is Repository<Entity> {
  return has(source, 'find', 'count', 'createQueryBuilder')
}

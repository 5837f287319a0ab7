import { hasProperties, isList, isObject, MisuseError } from '../../core/index.js'
import { isCallable } from '../../crud/contract/index.js'
import type { Select } from './library.js'

/** The entity whose rows a condition selects. */
interface Selected {
  readonly target: unknown
  readonly key: string
}

/**
 * Returns a raw condition as SQL, or as a query of keys, since what `find` takes may join relations; `undefined` for
 * anything else, and for a condition that every row meets.
 */
export function rawCondition(
  query: Select,
  condition: unknown,
  { target, key }: Selected,
  alias: string,
): string | Select | undefined {
  if (isCallable(condition)) {
    const text = condition(query, alias)
    return typeof text === 'string' ? text : undefined
  }
  if (typeof condition !== 'object' || condition === null) return undefined
  const keys = query.subQuery().select(`${alias}.${key}`).from(target, alias).withDeleted()
  if ('@instanceof' in condition) {
    const all = keys.getQuery()
    // Brackets without a condition in them add nothing.
    return keys.where(condition).getQuery() === all ? undefined : keys
  }
  return holdsOfAll(condition)
    ? undefined
    : keys.setFindOptions({ where: condition, withDeleted: true, loadEagerRelations: false })
}

/** True for a `where` of find that every row meets, such as an empty list, and for a promise of one. */
function holdsOfAll(where: object): boolean {
  if (isList(where)) return where.length === 0 || where.some((each) => hasProperties(each) && holdsOfAll(each))
  return Object.values(where).every((value: unknown) => value === undefined || (isNested(value) && holdsOfAll(value)))
}

/** True for the conditions of a relation, false for an operator of TypeORM. */
function isNested(value: unknown): value is object {
  return isList(value) || (isObject(value) && Object.getPrototypeOf(value) === Object.prototype)
}

export function rawMisuse(): MisuseError {
  const ways = 'a `where` of find that not every row meets, as in raw({ teamId: In(ids) }), or a function of a query '
    + 'builder and an alias that returns SQL'
  return new MisuseError('store_raw', `A raw condition of a typeormStore is ${ways}.`)
}

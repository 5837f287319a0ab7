import type { Values } from '../request.js'
import type { Resource } from '../providers/resources.js'
import type { Filter, Sorter } from './types.js'

/** The query names of refine's operators: of a field, and of what follows its name. */
const NAMES: Readonly<Record<string, string>> = {
  eq: '',
  in: '',
  contains: '',
  ne: '_ne',
  gte: '_gte',
  lte: '_lte',
  null: '_isNull',
  nnull: '_isNull',
}

/**
 * Converts refine's filters to those of the API; `q` and `search` become its search.
 *
 * @throws TypeError for an operator that the API does not have.
 */
export function toQuery(
  filters: readonly Filter[] = [],
): { readonly search: string | undefined; readonly filters: Values } {
  const all = filters.flatMap(termsOf)
  const search = all.find(([name]) => name === 'q' || name === 'search')?.[1]
  const others = all.filter(([name]) => name !== 'q' && name !== 'search')
  return { search: typeof search === 'string' ? search : undefined, filters: Object.fromEntries(others) }
}

function termsOf({ field = '', operator, value }: Filter): (readonly [name: string, value: unknown])[] {
  if (operator === 'and') return (value as readonly Filter[]).flatMap(termsOf)
  if (operator === 'between') {
    const [from, to] = value as readonly unknown[]
    return [[`${field}_gte`, from], [`${field}_lte`, to]]
  }
  const suffix = Object.hasOwn(NAMES, operator) ? NAMES[operator] : undefined
  if (suffix === undefined) {
    throw new TypeError(
      `The operator \`${operator}\` of the filter \`${field}\` is not supported. Use `
        + `${Object.keys(NAMES).join(', ')}, between, and.`,
    )
  }
  return [[field + suffix, suffix === '_isNull' ? operator === 'null' : value]]
}

/** Converts refine's sorters to `-createdAt,title`. */
export function toSort({ key }: Pick<Resource, 'key'>, sorters: readonly Sorter[] = []): string {
  return sorters.map(({ field, order }) => `${order === 'desc' ? '-' : ''}${field === 'id' ? key : field}`).join(',')
}

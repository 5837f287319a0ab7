import { MisuseError } from '../errors.js'

/**
 * What a source returned, copied, and never more than was asked for.
 *
 * @throws MisuseError `page_source` when it is no list.
 */
export function rowsOf<T>(returned: readonly T[], limit: number): T[] {
  if (!Array.isArray(returned)) throw new MisuseError('page_source', 'A source must return its rows as a list.')
  return returned.slice(0, limit) as T[]
}

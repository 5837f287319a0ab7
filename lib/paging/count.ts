import { MisuseError } from '../errors.js'

/**
 * What a driver counted, as a number: PostgreSQL sends text, others a bigint.
 *
 * @throws MisuseError `page_count` for anything that is no number of rows.
 */
export function toCount(counted: unknown): number {
  const readable = typeof counted === 'bigint' || (typeof counted === 'string' && /^\d+$/.test(counted))
  const count = readable ? Number(counted) : counted
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) {
    throw new MisuseError('page_count', 'A count must be a whole number from 0.')
  }
  return count
}

import { createHash } from 'node:crypto'

/** Returns a digest of 64 characters of JSON data, dates and bigints. */
export function digest(value: unknown): string {
  const json = JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? `${one}n` : one))
  return createHash('sha256').update(json).digest('hex')
}

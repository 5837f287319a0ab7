import { createHash } from 'node:crypto'

/** Returns a digest of 64 characters of JSON data, dates and bigints. */
export function digest(value: unknown): string {
  const json = JSON.stringify(value, function(this: Readonly<Record<string, unknown>>, key, member: unknown) {
    // A `toJSON` of all bigints may have replaced this one.
    const original = this[key]
    return typeof original === 'bigint' ? `${original}n` : member
  })
  return createHash('sha256').update(json).digest('hex')
}

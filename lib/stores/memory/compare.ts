/** Names the type of a value as conditions tell types apart: a Date is a type of its own. */
export function typeOf(value: unknown): string {
  return value instanceof Date ? 'date' : typeof value
}

/**
 * Orders values the way databases do: nulls last, strings by code points, Dates by time. Values of different types are
 * never equal, and are ordered by their types.
 */
export function compare(left: unknown, right: unknown): number {
  const [a, b] = [comparable(left), comparable(right)]
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b))
  const [ofLeft, ofRight] = [typeOf(left), typeOf(right)]
  if (ofLeft !== ofRight) return ofLeft < ofRight ? -1 : 1
  return a < b ? -1 : Number(a > b)
}

function comparable(value: unknown): string | number | bigint | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'bigint') return value
  return Number(value)
}

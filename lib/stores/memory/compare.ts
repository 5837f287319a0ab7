/** Orders values the way databases do: nulls last, texts by code points, Dates by time. */
export function compare(left: unknown, right: unknown): number {
  const [a, b] = [comparable(left), comparable(right)]
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return a < b ? -1 : Number(a > b)
}

function comparable(value: unknown): string | number | bigint | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'bigint') return value
  return Number(value)
}

import { isList } from './guards.js'

/*
 * JSON has no bigint. A reply has its digits as a string, whatever `BigInt.prototype.toJSON` of the application does.
 */

/**
 * Returns the JSON of a value, with the digits of a bigint as a string.
 *
 * @throws TypeError and all other errors of `JSON.stringify`.
 */
export function toJson(value: unknown, spaces?: string | number): string {
  if ('toJSON' in BigInt.prototype) return JSON.stringify(withDigits(value), null, spaces)
  // Most values have no bigint, and `JSON.stringify` without a function takes a third of the time.
  try {
    return JSON.stringify(value, null, spaces)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return JSON.stringify(value, (_key, part: unknown) => isBigint(part) ? String(part) : part, spaces)
  }
}

/** Returns a value with the digits of each bigint in it as a string; the same value if it has no bigint. */
export function withDigits(value: unknown, key = '', around: readonly object[] = []): unknown {
  if (isBigint(value)) return String(value)
  // A circle is left to `JSON.stringify`.
  if (!isObject(value) || around.includes(value)) return value
  const json = jsonOf(value, key)
  if (isBigint(json)) return String(json)
  return isObject(json) ? copyWithDigits(json, [...around, value]) ?? value : value
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isBigint(value: unknown): boolean {
  return typeof value === 'bigint' || value instanceof BigInt
}

function jsonOf(value: object, key: string): unknown {
  const { toJSON }: { readonly toJSON?: unknown } = value
  return typeof toJSON === 'function' ? toJSON.call(value, key) : value
}

/** Returns a copy of a list or an object with digits in it, `undefined` if there is no bigint in it. */
function copyWithDigits(json: object, around: readonly object[]): unknown {
  if (isList(json)) {
    const items = json.map((item, index) => withDigits(item, String(index), around))
    return items.some((item, index) => item !== json[index]) ? items : undefined
  }
  const fields = Object.entries(json).map(([name, field]: [string, unknown]) => ({ name, field,
    digits: withDigits(field, name, around) })
  )
  if (fields.every(({ field, digits }) => field === digits)) return undefined
  return Object.fromEntries(fields.map(({ name, digits }) => [name, digits]))
}

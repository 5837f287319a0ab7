import { emptyMap, isMap, type PlainMap } from '../validate/plain-data.js'

/** `k[]` or `k[0]`, as a parser leaves it that knows no brackets. */
const LIST_KEY = /^([^[\]]+)\[(0|[1-9]\d*)?\]$/
const INDEX = /^(?:0|[1-9]\d*)$/

/**
 * Reads the fields of a query or form alike, whichever of Express's parsers has made them: `k[]`, `k[0]`, and the object of
 * indexes that qs makes of a long list, are the list `k`, in the order of the indexes and without holes.
 */
export function joinLists(fields: PlainMap): PlainMap {
  if (!Object.keys(fields).some((key) => key.endsWith(']') || isIndexed(fields[key]))) return fields
  const joined = emptyMap()
  const lists = new Map<string, Part[]>()
  for (const [key, value] of Object.entries(fields)) {
    const [, name, index] = LIST_KEY.exec(key) ?? []
    if (name === undefined) joined[key] = isIndexed(value) ? inOrder(value) : value
    else partsOf(lists, name).push({ index: Number(index ?? -1), values: [value].flat() })
  }
  for (const [name, parts] of lists) {
    const values = parts.sort((a, b) => a.index - b.index).flatMap((part) => part.values)
    if (name !== '__proto__') joined[name] = name in joined ? [joined[name], values].flat() : values
  }
  return joined
}

interface Part {
  /** -1 for `k[]`, which has none. */
  readonly index: number
  readonly values: readonly unknown[]
}

function partsOf(lists: Map<string, Part[]>, name: string): Part[] {
  const parts = lists.get(name) ?? []
  lists.set(name, parts)
  return parts
}

function isIndexed(value: unknown): value is PlainMap {
  if (!isMap(value)) return false
  const keys = Object.keys(value)
  return keys.length > 0 && keys.every((key) => INDEX.test(key))
}

function inOrder(indexed: PlainMap): unknown[] {
  return Object.keys(indexed).sort((a, b) => Number(a) - Number(b)).map((index) => indexed[index])
}

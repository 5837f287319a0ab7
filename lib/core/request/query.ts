import express, { type Request } from 'express'
import { emptyMap } from '../base/guards.js'
import { FieldMap, isMap, toPlainData, type PlainMap } from '../validate/plain-data.js'

/** Returns the query parameters, the same with either of Express's parsers. */
export function queryOf(req: Request): PlainMap {
  const query = toPlainData(req.query)
  return isMap(query) ? joinLists(query) : emptyMap()
}

const NOTHING: Readonly<PlainMap> = Object.freeze(emptyMap())

/** Returns the same for reading only. Most requests have no query; Express would parse the empty string for each. */
export function queryToReadOf(req: Request): Readonly<PlainMap> {
  return isReplaced(req) || req.url.includes('?') ? textsOf(req.query) ?? queryOf(req) : NOTHING
}

/**
 * Copies a query of plain texts, `undefined` for any other. The parser returns a hash table: to spread one, as
 * `queryOf` does, takes a tenth of the time of a short list.
 */
function textsOf(query: unknown): PlainMap | undefined {
  if (!isMap(query)) return undefined
  const texts = new FieldMap()
  for (const name of Object.keys(query)) {
    const value = query[name]
    const isPlain = typeof value === 'string' && !value.includes('\0') && !name.includes('\0')
    if (!isPlain || name === '__proto__' || name.endsWith(']')) return undefined
    texts[name] = value
  }
  return texts
}

/**
 * Returns true if the application has a query parser of its own, or has replaced `query` on the request or one of its
 * prototypes.
 */
function isReplaced(req: Request): boolean {
  const own: { readonly app?: { readonly settings: Readonly<Record<string, unknown>> } } = req
  if (typeof own.app?.settings['query parser'] === 'function') return true
  for (
    let owner: object | null = req;
    owner !== express.request;
    owner = Reflect.getPrototypeOf(owner)
  ) {
    if (owner === null || Object.hasOwn(owner, 'query')) return true
  }
  return false
}

/** `k[]` or `k[0]`, as the simple parser returns it. */
const LIST_KEY = /^([^[\]]+)\[(0|[1-9]\d*)?\]$/
const INDEX = /^(?:0|[1-9]\d*)$/

/**
 * Joins the lists in the fields of a query or form, for either of Express's parsers: `k[]`, `k[0]`, and the object of
 * indexes that qs makes of a long list, become the list `k`, in the order of the indexes and without holes.
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
  /** -1 for `k[]`. */
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

import type { Request } from 'express'
import { emptyMap, isMap, toPlainData, type PlainMap } from '../validate/plain-data.js'
import { joinLists } from './form-lists.js'

/** The query, the same with either of Express's parsers. */
export function queryOf(req: Request): PlainMap {
  const query = toPlainData(req.query)
  return isMap(query) ? joinLists(query) : emptyMap()
}

const NOTHING: Readonly<PlainMap> = Object.freeze(emptyMap())

/** The same to look at: most requests have none. */
export function queryToReadOf(req: Request): Readonly<PlainMap> {
  return req.url.includes('?') || hasKeys(req.query) ? queryOf(req) : NOTHING
}

/** Somebody may have put one there. */
function hasKeys(query: object | undefined): boolean {
  for (const _name in query) return true
  return false
}

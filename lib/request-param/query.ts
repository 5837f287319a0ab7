import type { Request } from 'express'
import { emptyMap, isMap, toPlainData, type PlainMap } from '../validate/plain-data.js'
import { joinLists } from './form-lists.js'

/** The query, the same with either of Express's parsers. */
export function queryOf(req: Request): PlainMap {
  const query = toPlainData(req.query)
  return isMap(query) ? joinLists(query) : emptyMap()
}

const NOTHING: Readonly<PlainMap> = Object.freeze(emptyMap())

/** The same to look at: most requests have none, and Express would parse nothing again each time. */
export function queryToReadOf(req: Request): Readonly<PlainMap> {
  return isReplaced(req) || req.url.includes('?') ? queryOf(req) : NOTHING
}

/** Whether somebody has put a query in front of Express's, on the request or for the whole app. */
function isReplaced(req: Request): boolean {
  return Object.hasOwn(req, 'query') || Object.hasOwn(Object.getPrototypeOf(req) as object, 'query')
}

import type { Request } from 'express'
import { emptyMap, isMap, toPlainData, type PlainMap } from '../validate/plain-data.js'
import { joinLists } from './form-lists.js'

/** The query, the same with either of Express's parsers. */
export function queryOf(req: Request): PlainMap {
  const query: unknown = toPlainData(req.query)
  return isMap(query) ? joinLists(query) : emptyMap()
}

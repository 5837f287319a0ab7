import express, { type Request } from 'express'
import { emptyMap, isMap, toPlainData, type PlainMap } from '../validate/plain-data.js'
import { joinLists } from './form-lists.js'

/** The query, the same with either of Express's parsers. */
export function queryOf(req: Request): PlainMap {
  const query = toPlainData(req.query)
  return isMap(query) ? joinLists(query) : emptyMap()
}

const NOTHING: Readonly<PlainMap> = Object.freeze(emptyMap())

/** Returns the same for reading only. Most requests have no query, and Express would parse the empty string for each. */
export function queryToReadOf(req: Request): Readonly<PlainMap> {
  return isReplaced(req) || req.url.includes('?') ? queryOf(req) : NOTHING
}

/** Checks for a parser of the user's, or a `query` that covers that of Express, on the request or on a prototype of it. */
function isReplaced(req: Request): boolean {
  const settings = (req as Partial<Request>).app?.settings as Readonly<Record<string, unknown>> | undefined
  if (typeof settings?.['query parser'] === 'function') return true
  for (let owner: object | null = req; owner !== express.request; owner = Object.getPrototypeOf(owner) as object | null) {
    if (owner === null || Object.hasOwn(owner, 'query')) return true
  }
  return false
}

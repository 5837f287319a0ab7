import type { Request } from 'express'
import { RequestParam } from '../request-param.js'
import { FieldMap } from '../validate/plain-data.js'

/**
 * Reads the path arguments of a route, as text.
 *
 * @throws ValidationError for NUL in one.
 */
export function pathReader(names: readonly string[], mergesParams: boolean): (req: Request) => FieldMap {
  const all = (req: Request): FieldMap => Object.assign(new FieldMap(), RequestParam.params(req))
  // Those of a parent are told to nobody in advance.
  if (mergesParams) return all
  return (req) => {
    const args = new FieldMap()
    for (const name of names) {
      const text: unknown = req.params[name]
      if (typeof text !== 'string' || text.includes('\0')) return all(req)
      args[name] = text
    }
    return args
  }
}

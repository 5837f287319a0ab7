import type { RequestHandler } from 'express'
import { middlewareOf } from '../../resource/checks.js'
import type { LooseSpec } from '../../resource/declaration.js'
import type { ExtensionOf } from '../extension.js'
import { readIfMatch } from './header.js'

/** Actions whose success carries the tag of the record, and those that ask for one. */
const TAGGED = new Set(['show', 'create', 'edit', 'store', 'restore'])
const CHANGING = new Set(['edit', 'store', 'delete', 'deleteMany', 'updateMany'])

/** Tells what `If-Match` does to the actions, and refuses one that cannot be read before a body is. */
export const ifMatchExtension: ExtensionOf = ({ options: { ifMatch } }) => {
  if (ifMatch === undefined) return undefined
  const required = ifMatch === 'required'
  return {
    around: (name, spec) => ({
      ...spec,
      ...(TAGGED.has(name) && { responseHeaders: { ...spec.responseHeaders, ETag: { description: 'The version of this record, for `If-Match` and `If-None-Match`' } } }),
      ...(name === 'show' && { requestHeaders: { ...spec.requestHeaders, 'If-None-Match': { description: 'The ETag of the copy that the caller has: 304 while it is fresh' } } }),
      ...(CHANGING.has(name) && asking(spec, required)),
    }),
  }
}

function asking({ requestHeaders, statuses = [], use }: LooseSpec, required: boolean): Partial<LooseSpec> {
  const description = 'The ETag of what is to be changed, of several records all their ETags; `*` for any'
  return {
    requestHeaders: { ...requestHeaders, 'If-Match': { description, required, example: '*' } },
    statuses: [...statuses, 412, ...(required ? [428] : [])],
    use: [...middlewareOf(use), refuseUnreadable],
  }
}

const refuseUnreadable: RequestHandler = (req, _res, next) => {
  readIfMatch(req)
  next()
}

import type { Request } from 'express'
import { bodyFieldsOf } from '../request/fields.js'
import { idsOf } from './ids.js'
import { pageOf } from './page.js'
import { queryOf } from '../request/query.js'
import { fileOf, filesOf } from '../upload/files-of.js'
import { emptyMap } from '../base/guards.js'
import { isMap, toPlainData, type PlainMap } from '../validate/plain-data.js'

/**
 * Reads the parts of a request safely: objects have no prototype, `k[]` and `k[0]` are the list `k`, NUL in a string is
 * a 422.
 *
 * Values are strings or JSON as they were sent: pass them to `validate`.
 *
 * @example
 * app.get('/notes', (req, res) => {
 *   const { limit, offset, search } = RequestParam.page(req)
 *   send(res, 'ok', notes.find(search).slice(offset, offset + limit))
 * })
 */
export const RequestParam = {
  /**
   * Returns the query parameters, the same with either query parser of Express.
   *
   * @throws ValidationError for NUL in a string.
   */
  query: queryOf,

  /**
   * Returns the fields of the body; none without a body.
   *
   * @throws HttpError 415 `media_type`, with a warning, if no parser has read the body; 400 `unreadable` if it is
   * neither object nor list or is nested deeper than 32.
   * @throws ValidationError under `_` if the body is a list, and for NUL in a string.
   */
  body: bodyFieldsOf,

  /**
   * Returns the uploaded file of a field, the first of several, `null` if there is none.
   *
   * After a multer of your own, with `memoryStorage` or `diskStorage`, it is the file of `req.file` or `req.files`.
   * `saveTo` copies it: multer's file stays at its path, to be deleted by you.
   *
   * @throws MisuseError `upload_storage` for a file from multer that is neither in memory nor at its path.
   * @example
   * const { url } = await findOrFail(RequestParam.file(req, 'avatar')).saveTo(storage)
   */
  file: fileOf,

  /** Returns all uploaded files of a field, in the order in which they were sent; otherwise as `file`. */
  files: filesOf,

  /** Returns the path arguments as strings. @throws ValidationError for NUL in one. */
  params: paramsOf,

  /** Returns a header, with repeated lines joined by commas; `''` without one. The name ignores letter case. */
  header: headerOf,

  /**
   * Returns the requested page: `page` from 1 (default 1), `limit` from 1 (default 20) to `maxLimit` (default 100), and
   * `search`, at most 200 characters.
   *
   * @throws ValidationError for any other value: values are not clamped.
   * @throws MisuseError `page_limit` for options that are not positive whole numbers, or a `limit` above `maxLimit`;
   * `option_unknown` for any other option.
   * @example
   * const { page, limit, offset, search } = RequestParam.page(req, { limit: 10, maxLimit: 50 })
   */
  page: pageOf,

  /**
   * Returns the ids of a bulk call, in order and without duplicates: `?ids=1,2`, `?ids=1&ids=2`, `?ids[]=1`, or a body
   * `{ "ids": [1, 2] }`.
   *
   * @throws ValidationError for no ids, for more than `max` (default 100), and for one that does not fit `of`.
   * @throws MisuseError `ids_max` if `max` is not a positive whole number.
   * @example
   * const ids = RequestParam.ids(req, { of: param.int() })
   */
  ids: idsOf,
}

function paramsOf(req: Request): PlainMap {
  const params = toPlainData(req.params)
  return isMap(params) ? params : emptyMap()
}

function headerOf(req: Request, name: string): string {
  const key = name.toLowerCase()
  const lines = Object.hasOwn(req.headers, key) ? req.headers[key] : undefined
  return Array.isArray(lines) ? lines.join(', ') : (lines ?? '')
}

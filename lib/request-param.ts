import type { Request } from 'express'
import { bodyFieldsOf } from './body/fields.js'
import { idsOf } from './request-param/ids.js'
import { pageOf } from './request-param/page.js'
import { queryOf } from './request-param/query.js'
import type { UploadedFile } from './types.js'
import { emptyMap, isMap, toPlainData, type PlainMap } from './validate/plain-data.js'

/**
 * What a request brings, read safely: maps have no prototype, `k[]` and `k[0]` are the list `k`, NUL in a text is a 422.
 *
 * Values are as they came, text or JSON: give them to `validate`.
 *
 * @example
 * app.get('/notes', (req, res) => {
 *   const { limit, offset, search } = RequestParam.page(req)
 *   send(res, 'ok', notes.find(search).slice(offset, offset + limit))
 * })
 */
export const RequestParam = {
  /**
   * The query parameters, the same with either of Express's parsers.
   *
   * @throws ValidationError for NUL in a text.
   */
  query: queryOf,

  /**
   * The fields of the body; none where there is no body.
   *
   * @throws HttpError 415 `media_type`, and warns, when nobody has read the body; 400 `unreadable` when it is neither object nor
   * list or is nested deeper than 32.
   * @throws ValidationError under `_` when the body is a list, and for NUL in a text.
   */
  body: bodyFieldsOf,

  /**
   * The uploaded file of a field, the first if there are several, `null` where none came or no `upload` has read the form.
   *
   * @example
   * const { url } = await findOrFail(RequestParam.file(req, 'avatar')).saveTo(storage)
   */
  file: fileOf,

  /** All uploaded files of a field, in the order in which they came. */
  files: filesOf,

  /**
   * The path arguments, as text.
   *
   * @throws ValidationError for NUL in one.
   */
  params: paramsOf,

  /** One header line, several of a name joined by commas; `''` where there is none. The name may be written in any case. */
  header: headerOf,

  /**
   * The page that is asked for: `page` from 1 (default 1), `limit` from 1 to `maxLimit`, and `search`, at most 200 characters.
   *
   * @throws ValidationError for anything else: nothing is clamped.
   * @throws MisuseError `page_limit` for options that are no positive whole numbers, or a `limit` above `maxLimit`; `option_unknown` for any other option.
   * @example
   * const { page, limit, offset, search } = RequestParam.page(req, { limit: 10, maxLimit: 50 })
   */
  page: pageOf,

  /**
   * The ids of a bulk call, in order and without duplicates: `?ids=1,2`, `?ids=1&ids=2`, `?ids[]=1`, or a body `{ "ids": [1, 2] }`.
   *
   * @throws ValidationError when there are none, more than `max` (default 100), or one that does not fit `of`.
   * @throws MisuseError `ids_max` when `max` is no positive whole number.
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

/** By field, in the order in which they came. */
type ReceivedFiles = ReadonlyMap<string, readonly UploadedFile[]>

const received = new WeakMap<Request, ReceivedFiles>()

/** Leaves what has been uploaded where a handler finds it. */
export function keepFiles(req: Request, files: ReceivedFiles): void {
  received.set(req, files)
}

function fileOf(req: Request, name: string): UploadedFile | null {
  return received.get(req)?.get(name)?.[0] ?? null
}

function filesOf(req: Request, name: string): UploadedFile[] {
  return [...(received.get(req)?.get(name) ?? [])]
}

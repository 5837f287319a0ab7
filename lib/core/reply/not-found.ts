import type { RequestHandler } from 'express'
import { HttpError, NotFoundError } from '../base/errors.js'
import { MisuseError } from '../base/misuse.js'
import { messageOf } from '../base/messages/messages.js'
import { attempt } from '../base/promises.js'
import { allowedMethods } from '../routing/look-ahead.js'

/**
 * Answers requests that no handler has answered, in front of `errorHandler()`: 404, or 405 with the exact `Allow` for a
 * known path (RFC 9110 §15.5.6). An OPTIONS on a known path is answered with 204, a malformed `%` with 400. It passes
 * errors on, so `errorHandler()` is needed for their envelope.
 *
 * @throws MisuseError `options_shape` for `app.use(notFound)`, which would leave each such request without a reply
 * @example
 * app.use(notFound(), errorHandler())
 */
export function notFound(...given: readonly never[]): RequestHandler {
  if (given.length > 0) throw new MisuseError('options_shape', 'notFound() takes nothing: write `app.use(notFound())`.')
  return function resourceryNotFound(req, res, next) {
    if (attempt(() => decodeURIComponent(req.path)) === undefined) {
      next(new HttpError(400, messageOf('unreadable.path')))
      return
    }
    const allowed = allowedMethods(req)
    if (allowed.length === 0 || allowed.includes(req.method) || allowed.includes('*')) {
      next(new NotFoundError())
      return
    }
    const headers = { Allow: allowed.join(', ') }
    if (req.method === 'OPTIONS') res.writeHead(204, headers).end()
    else next(new HttpError(405, messageOf('method'), { headers }))
  }
}

/** Returns true for middleware of `notFound`. */
export function isNotFound(middleware: unknown): boolean {
  return typeof middleware === 'function' && middleware.name === 'resourceryNotFound'
}

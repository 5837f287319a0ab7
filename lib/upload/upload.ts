import type { RequestHandler } from 'express'
import type { FileFields } from '../types.js'
import { closeSlowly } from '../body.js'
import { formRules, type UploadOptions } from './rules.js'

/**
 * Middleware that reads a multipart form: its files are for `RequestParam.file`, its text fields for `RequestParam.body`.
 *
 * It reads where it stands: put it behind the guards, or declare `files` on a resource's action, which does so. Each file is
 * judged by its content, and whatever ends in an error leaves none behind.
 *
 * Its errors are HttpErrors: 400 `unreadable` for a form that is broken or has nested names; 413 `too_large`, at once, over
 * `maxBytes` or any other limit; 415 `media_type` for a file of another type or a body that is no form; ValidationError for a
 * file that is missing, empty, one too many, or under a name that is not declared, and for text where a file is expected.
 *
 * @throws MisuseError `upload_invalid` for fields or options that make no sense.
 * @example
 * app.post('/avatar', upload({ avatar: { types: ['image/jpeg', 'image/png'], maxBytes: 2_000_000, required: true } }), async (req, res) => {
 *   const file = findOrFail(RequestParam.file(req, 'avatar'))
 *   send(res, 'Stored', await file.saveTo(storage))
 * })
 */
export function upload(fields: FileFields, options: UploadOptions = {}): RequestHandler {
  const rules = formRules(fields, options)
  // Whoever takes no files is spared the parser and the knowledge of types.
  const receiving = import('./receive-form.js').then(({ formReceiver }) => formReceiver(rules))
  receiving.catch(() => undefined) // the request that needs it is told
  return (req, res, next) => {
    receiving.then((receive) => receive(req, res)).then(
      () => next(),
      (error: unknown) => {
        closeSlowly(req, res)
        next(error)
      },
    )
  }
}

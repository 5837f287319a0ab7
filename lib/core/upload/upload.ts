import type { RequestHandler } from 'express'
import type { FileFields } from '../base/types.js'
import { checkCalled } from '../base/options.js'
import { closeSlowly } from '../request/read-body.js'
import { formRules, type UploadOptions } from './rules.js'

/**
 * Makes middleware that reads a multipart form: its files are for `RequestParam.file`, its text fields for
 * `RequestParam.body`.
 *
 * Mount it after the guards, or declare `files` on a resource's action, which does so. The type of a file is determined
 * by its content. If the request fails, its files are removed.
 *
 * Its errors are HttpErrors: 400 `unreadable` for a form that is malformed or has nested names; 413 `too_large`,
 * immediately, over `maxBytes` or any other limit; 415 `media_type` for a file of another type or a body that is no
 * form; ValidationError for a file that is missing, empty, one too many, or under a name that is not declared, and for
 * text where a file is expected.
 *
 * @throws MisuseError `upload_invalid` for a field or option with an invalid value; `option_unknown` for an unknown
 * option.
 * @example
 * const avatar = { types: ['image/jpeg', 'image/png'], maxBytes: 2_000_000, required: true }
 * app.post('/avatar', upload({ avatar }), async (req, res) => {
 *   const file = findOrFail(RequestParam.file(req, 'avatar'))
 *   send(res, 'Stored', await file.saveTo(storage))
 * })
 */
export function upload(fields: FileFields, options: UploadOptions = {}): RequestHandler {
  checkCalled("app.use(upload({ avatar: { types: ['image/png'] } }))", fields)
  const rules = formRules(fields, options)
  // An application without uploads does not load the parser.
  const receiving = import('./receive-form.js').then(({ formReceiver }) => formReceiver(rules))
  receiving.catch(() => undefined) // each request reports it
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

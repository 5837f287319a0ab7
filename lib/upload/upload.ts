import type { Request, RequestHandler, Response } from 'express'
import { hasBody } from '../body/presence.js'
import { HttpError, ValidationError } from '../errors.js'
import { keepFiles } from '../request-param/files.js'
import type { FileFields } from '../types.js'
import { closeSlowly } from './close-slowly.js'
import { Form } from './form.js'
import { formReader, type FormReader } from './read-form.js'
import { RequestFiles } from './request-files.js'
import { formRules, type FormRules, type UploadOptions } from './rules.js'
import { sweepTemporaryFiles } from './temporary-file.js'

/** Once for each process. */
let swept: Promise<void> | undefined

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
  const readForm = formReader(rules)
  swept ??= sweepTemporaryFiles().catch(() => undefined)
  return (req, res, next) => {
    receive(req, res, rules, readForm).then(
      () => next(),
      (error: unknown) => {
        closeSlowly(req, res)
        next(error)
      },
    )
  }
}

async function receive(req: Request, res: Response, rules: FormRules, readForm: FormReader): Promise<void> {
  if (!hasBody(req)) {
    checkRequired(new Map(), rules)
    return
  }
  checkReadable(req, rules)
  const files = new RequestFiles(res)
  try {
    const form = new Form(req, rules, files)
    await readForm(form)
    checkRequired(form.received, rules)
    req.body = form.body
    keepFiles(req, form.received)
  } catch (error) {
    files.dispose()
    throw error
  }
}

function checkReadable(req: Request, rules: FormRules): void {
  if (req.readableDidRead) throw new Error('upload() was reached after something else had read the body: put it in front.')
  if (req.destroyed) throw new HttpError(400, 'The form is not complete', { reason: 'unreadable' })
  if (!req.is('multipart/form-data')) throw new HttpError(415, 'The body must be multipart/form-data', { reason: 'media_type' })
  const { 'content-encoding': encoding = 'identity', 'content-length': length = 0 } = req.headers
  if (encoding.toLowerCase() !== 'identity') throw new HttpError(415, 'A form is not compressed', { reason: 'media_type' })
  if (Number(length) > rules.bytes) throw new HttpError(413, 'The form is too large', { reason: 'too_large' })
}

function checkRequired(received: ReadonlyMap<string, readonly unknown[]>, { fields }: FormRules): void {
  const missing = [...fields].filter(([name, { required }]) => required && !received.has(name))
  if (missing.length > 0) throw new ValidationError(Object.fromEntries(missing.map(([name]) => [name, ['A file is needed']])))
}

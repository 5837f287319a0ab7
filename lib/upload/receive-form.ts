import type { Request, Response } from 'express'
import { hasBody } from '../body/content.js'
import { HttpError, ValidationError } from '../errors.js'
import { messageOf } from '../messages.js'
import { keepFiles } from '../request-param/files.js'
import { Form } from './form.js'
import { formReader } from './read-form.js'
import { RequestFiles } from './request-files.js'
import type { FormRules } from './rules.js'
import { sweepTemporaryFiles } from './temporary-file.js'

/** Takes in the form of one request. */
export type FormReceiver = (req: Request, res: Response) => Promise<void>

/** Once for each process. */
let swept: Promise<void> | undefined

/** What reads forms by these rules, with all that it takes: the parser, the types of files, the temporary folder. */
export function formReceiver(rules: FormRules): FormReceiver {
  const readForm = formReader(rules)
  swept ??= sweepTemporaryFiles().catch(() => undefined)
  return async (req, res) => {
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
}

function checkReadable(req: Request, rules: FormRules): void {
  if (req.readableDidRead) throw new Error('upload() was reached after something else had read the body: put it in front.')
  if (req.destroyed) throw new HttpError(400, messageOf('unreadable.form_incomplete'))
  if (!req.is('multipart/form-data')) throw new HttpError(415, messageOf('media_type.form'))
  const { 'content-encoding': encoding = 'identity', 'content-length': length = 0 } = req.headers
  if (encoding.toLowerCase() !== 'identity') throw new HttpError(415, messageOf('media_type.form_encoding'))
  if (Number(length) > rules.bytes) throw new HttpError(413, messageOf('too_large.form'))
}

function checkRequired(received: ReadonlyMap<string, readonly unknown[]>, { fields }: FormRules): void {
  const missing = [...fields].filter(([name, { required }]) => required && !received.has(name))
  if (missing.length > 0) throw new ValidationError(Object.fromEntries(missing.map(([name]) => [name, [messageOf('field.file_missing')]])))
}

import type { Request, Response } from 'express'
import multer, { type StorageEngine } from 'multer'
import { hasBody, isMultipart } from '../request/content.js'
import { receivedForm, setBody } from '../request/received.js'
import { HttpError } from '../base/errors.js'
import { messageOf } from '../base/messages/messages.js'
import { checkRequired } from './file-checks.js'
import { keepFiles } from './files-of.js'
import { Form } from './form.js'
import { fromMulterError } from './multer-error.js'
import { isReadByMulter, keepMulterFiles } from './multer-form.js'
import { RequestFiles } from './request-files.js'
import { LONGEST_NAME, MOST_FIELDS, type FormRules } from './rules.js'
import { sweepTemporaryFiles } from './temporary-file.js'

/** The deletion of old temporary files, once for each process. */
let sweep: Promise<void> | undefined

/**
 * Makes a reader of forms with these rules. This file loads all that it needs: the parser, the detection of types, the
 * temporary folder.
 */
export function formReceiver(rules: FormRules): (req: Request, res: Response) => Promise<void> {
  const readForm = formReader(rules)
  sweep ??= sweepTemporaryFiles().catch(() => undefined)
  return async (req, res) => {
    const bytes = receivedForm(req)
    if (bytes === undefined ? !hasBody(req) : bytes.length === 0) {
      checkRequired(new Map(), rules)
      return
    }
    if (bytes === undefined && isReadByMulter(req)) return keepMulterFiles(req, res, rules)
    checkForm(req, bytes?.length ?? Number(req.headers['content-length'] ?? 0), rules)
    if (bytes === undefined) checkUnread(req)
    const files = new RequestFiles(res)
    try {
      const form = new Form(req, bytes, rules, files)
      await readForm(form)
      checkRequired(form.received, rules)
      setBody(req, form.body)
      keepFiles(req, form.received)
    } catch (error) {
      files.dispose()
      throw error
    }
  }
}

function checkUnread(req: Request): void {
  if (req.readableDidRead)
    throw new Error(
      'The body was read before upload() ran. Mount upload() before other middleware that reads the body.',
    )
  if (req.destroyed) throw new HttpError(400, messageOf('unreadable.form_incomplete'))
}

/** @param length of the body in bytes, 0 where it is not announced */
function checkForm(req: Request, length: number, rules: FormRules): void {
  if (!isMultipart(req)) throw new HttpError(415, messageOf('media_type.form'))
  const { 'content-encoding': encoding = 'identity' } = req.headers
  if (encoding.toLowerCase() !== 'identity') throw new HttpError(415, messageOf('media_type.form_encoding'))
  if (length > rules.bytes) throw new HttpError(413, messageOf('too_large.form'))
}

type Done = (error?: Error | null) => void

/** Reads one form to its end, or to the first refused part. */
type FormReader = (form: Form) => Promise<void>

/** Makes a multer with all limits set. It decides nothing itself and does not receive the request. */
function formReader(rules: FormRules): FormReader {
  const parse = multer({
    storage: engine,
    fileFilter: (form, part, done) => {
      attempt(() => {
        toForm(form).checkFile(part)
        done(null, true)
      }, done)
    },
    limits: {
      fieldArrayIndexLimit: 0,
      fieldNestingDepth: 1,
      fieldNameSize: LONGEST_NAME,
      fieldSize: rules.textBytes,
      fields: MOST_FIELDS,
      fileSize: rules.fileBytes,
      // One more, so that our own check can name the field.
      files: rules.files + 1,
      parts: MOST_FIELDS + rules.files + 1,
    },
    defParamCharset: 'utf8',
    // A name such as `..` or `dir/` would be none, and its part skipped; the path is removed later.
    preservePath: true,
  }).any()
  return (form) =>
    new Promise((resolve, reject) => {
      attempt(() =>
        parse(form as unknown as Request, undefined as never, (error: unknown) => {
          if (error === undefined) resolve()
          else reject(toReadError(error))
        }), reject)
    })
}

/** The storage of multer. It removes nothing: RequestFiles removes all files of a failed request. */
const engine: StorageEngine = {
  _handleFile: (form, part, done: Done) => attempt(() => toForm(form).receive(part, done), done),
  _removeFile: (_form, _part, done) => done(null),
}

function toForm(req: Request): Form {
  return req as unknown as Form
}

/** Catches errors thrown inside an event of the parser, which would end the process. */
function attempt(run: () => void, fail: (error: Error) => void): void {
  try {
    run()
  } catch (error) {
    fail(error as Error)
  }
}

/** Converts an error of the parser; one that is not known means that the form cannot be read. */
function toReadError(error: unknown): HttpError {
  if (error instanceof HttpError) return error
  return fromMulterError(error) ?? new HttpError(400, messageOf('unreadable.form'), { cause: error })
}

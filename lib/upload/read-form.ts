import type { Request } from 'express'
import multer, { type StorageEngine } from 'multer'
import { HttpError } from '../errors.js'
import { messageOf } from '../messages.js'
import type { Form } from './form.js'
import { fromMulterError } from './multer-error.js'
import { LONGEST_NAME, MOST_FIELDS, type FormRules } from './rules.js'

type Done = (error?: Error | null) => void

/** Reads one form to its end, or to the first part that is refused. */
export type FormReader = (form: Form) => Promise<void>

/** Makes a multer that has all its limits, decides nothing itself and never sees the request. */
export function formReader(rules: FormRules): FormReader {
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
      // One more, so that a file too many is told by the name of its field.
      files: rules.files + 1,
      parts: MOST_FIELDS + rules.files + 1,
    },
    defParamCharset: 'utf8',
  }).any()
  return (form) =>
    new Promise((resolve, reject) => {
      attempt(() => parse(form as unknown as Request, undefined as never, (error: unknown) => {
        if (error === undefined) resolve()
        else reject(toReadError(error))
      }), reject)
    })
}

/** Nothing is ever left to multer to remove: the request's own files are, all of them, when it fails. */
const engine: StorageEngine = {
  _handleFile: (form, part, done: Done) => attempt(() => toForm(form).receive(part, done), done),
  _removeFile: (_form, _part, done) => done(null),
}

function toForm(req: Request): Form {
  return req as unknown as Form
}

/** What is thrown inside an event of the parser's would end the process. */
function attempt(run: () => void, fail: (error: Error) => void): void {
  try {
    run()
  } catch (error) {
    fail(error as Error)
  }
}

/** Whatever a parser says of a form that is none of the known refusals: it cannot be read. */
function toReadError(error: unknown): HttpError {
  if (error instanceof HttpError) return error
  return fromMulterError(error) ?? new HttpError(400, messageOf('unreadable.form'), { cause: error })
}

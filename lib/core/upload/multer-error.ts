import { HttpError, ValidationError } from '../base/errors.js'
import { messageOf, type Message } from '../base/messages/messages.js'

type Refusal = (field: string, cause: unknown) => HttpError

const refusal = (status: number, message: Message): Refusal => (_field, cause) =>
  new HttpError(status, message, { cause })

/** The errors by multer's codes. The name of a field, which the client has chosen, is repeated only where it helps. */
const REFUSALS: ReadonlyMap<unknown, Refusal> = new Map([
  [
    'LIMIT_FILE_SIZE',
    (field, cause) =>
      new HttpError(413, field === '' ? messageOf('too_large.file') : messageOf('too_large.file_field', { field }), {
        cause,
      }),
  ],
  ['LIMIT_FILE_COUNT', refusal(413, messageOf('too_large.files'))],
  ['LIMIT_PART_COUNT', refusal(413, messageOf('too_large.form_parts'))],
  ['LIMIT_FIELD_COUNT', refusal(413, messageOf('too_large.form_fields'))],
  ['LIMIT_FIELD_KEY', refusal(413, messageOf('too_large.field_name'))],
  ['LIMIT_FIELD_VALUE', refusal(413, messageOf('too_large.form_field'))],
  ['LIMIT_FIELD_NESTING', refusal(400, messageOf('unreadable.field_nested'))],
  ['LIMIT_FIELD_ARRAY_INDEX', refusal(400, messageOf('unreadable.field_nested'))],
  ['INVALID_FIELD_NAME', refusal(400, messageOf('unreadable.field_name'))],
  ['MISSING_FIELD_NAME', refusal(400, messageOf('unreadable.field_unnamed'))],
  ['STREAM_DESTROYED', refusal(400, messageOf('unreadable.form_incomplete'))],
  [
    'LIMIT_UNEXPECTED_FILE',
    (field) => new ValidationError({ [field === '' ? '_' : field]: [messageOf('field.file_extra')] }),
  ],
] as const satisfies readonly (readonly [string, Refusal])[])

/** The messages of busboy for a form that cannot be read: multer passes them on as ordinary errors. */
const UNREADABLE = new Set([
  'Malformed content type',
  'Malformed part header',
  'Multipart: Boundary not found',
  'Unexpected end of form',
])

function fromFormParser(error: Error): HttpError | undefined {
  if (UNREADABLE.has(error.message)) return new HttpError(400, messageOf('unreadable.form'), { cause: error })
  return error.message.startsWith('Unsupported content type: multipart/')
    ? new HttpError(415, messageOf('media_type.form'), { cause: error })
    : undefined
}

/** Converts an error of multer, which has no status, or of its parser; returns `undefined` for any other. */
export function fromMulterError(error: unknown): HttpError | undefined {
  if (!(error instanceof Error)) return undefined
  if (error.name === 'Error') return fromFormParser(error)
  if (error.name !== 'MulterError') return undefined
  const { code, field }: Error & { readonly code?: unknown; readonly field?: unknown } = error
  return REFUSALS.get(code)?.(typeof field === 'string' ? field : '', error)
}

import { HttpError, ValidationError } from '../errors.js'

type Refusal = (field: string, cause: unknown) => HttpError

const tooLarge = (what: string): Refusal => (_field, cause) => new HttpError(413, what, { reason: 'too_large', cause })
const unreadable = (what: string): Refusal => (_field, cause) => new HttpError(400, what, { reason: 'unreadable', cause })

/** By multer's codes. What a field was called by the caller is told only where it helps. */
const REFUSALS: ReadonlyMap<unknown, Refusal> = new Map([
  ['LIMIT_FILE_SIZE', (field, cause) => new HttpError(413, field === '' ? 'The file is too large' : `${field} is too large`, { reason: 'too_large', cause })],
  ['LIMIT_FILE_COUNT', tooLarge('There are too many files')],
  ['LIMIT_PART_COUNT', tooLarge('The form has too many parts')],
  ['LIMIT_FIELD_COUNT', tooLarge('The form has too many fields')],
  ['LIMIT_FIELD_KEY', tooLarge('The name of a field is too long')],
  ['LIMIT_FIELD_VALUE', tooLarge('A field of the form is too large')],
  ['LIMIT_FIELD_NESTING', unreadable('The name of a field is nested')],
  ['LIMIT_FIELD_ARRAY_INDEX', unreadable('The name of a field is nested')],
  ['INVALID_FIELD_NAME', unreadable('The name of a field is not valid')],
  ['MISSING_FIELD_NAME', unreadable('A part of the form has no name')],
  ['STREAM_DESTROYED', unreadable('The form is not complete')],
  ['LIMIT_UNEXPECTED_FILE', (field) => new ValidationError({ [field === '' ? '_' : field]: ['No file, or no further one, is expected here'] })],
] as const satisfies readonly (readonly [string, Refusal])[])

/** Our error for one of multer's, which have no status of their own; `undefined` for any other. */
export function fromMulterError(error: unknown): HttpError | undefined {
  if (!(error instanceof Error) || error.name !== 'MulterError') return undefined
  const { code, field } = error as { code?: unknown; field?: unknown }
  return REFUSALS.get(code)?.(typeof field === 'string' ? field : '', error)
}

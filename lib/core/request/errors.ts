import { HttpError, isHttpError } from '../base/errors.js'
import { messageOf, type Message } from '../base/messages/messages.js'

/** Makes the error of a body that cannot be read. Its message contains nothing that the client sent. */
type BodyError = (cause?: unknown) => HttpError

function bodyError(status: number, message: Message): BodyError {
  return (cause) => new HttpError(status, message, cause === undefined ? {} : { cause })
}

export const notJson = bodyError(400, messageOf('unreadable.json'))
export const invalid = bodyError(400, messageOf('unreadable.body'))
const tooDeep = bodyError(400, messageOf('unreadable.body_depth'))
export const cutOff = bodyError(400, messageOf('unreadable.body_incomplete'))
export const tooLarge = bodyError(413, messageOf('too_large.body'))
export const tooManyFields = bodyError(413, messageOf('too_large.fields'))
export const unknownCharset = bodyError(415, messageOf('media_type.charset'))
export const unknownEncoding = bodyError(415, messageOf('media_type.encoding'))

/** The errors by the `type` of body-parser's. */
const ERRORS: ReadonlyMap<unknown, BodyError> = new Map([
  ['entity.parse.failed', notJson],
  ['querystring.parse.rangeError', tooDeep],
  ['request.aborted', cutOff],
  ['request.size.invalid', cutOff],
  ['entity.too.large', tooLarge],
  ['parameters.too.many', tooManyFields],
  ['charset.unsupported', unknownCharset],
  ['encoding.unsupported', unknownEncoding],
])

/** Error codes of zlib, brotli and zstd. */
const DECOMPRESSION = /^(?:Z_|ERR_|ZSTD_)/

/**
 * Converts an Express error body parsers or of its router; returns `undefined` for any other error.
 *
 * Their messages repeat input of the client, so none of them is kept.
 */
export function fromParserError(error: unknown): HttpError | undefined {
  if (!(error instanceof Error)) return undefined
  const { type, status, code }: Error & { readonly type?: unknown; status?: unknown; code?: unknown } = error
  if (error instanceof URIError && status === 400) {
    return new HttpError(400, messageOf('unreadable.path'), { cause: error })
  }
  // Parsers make an HTTP error of that of zlib; other services have errors with such a code and a status too.
  const compressed = status === 400 && typeof code === 'string' && DECOMPRESSION.test(code) && isHttpError(error)
  return compressed ? invalid(error) : ERRORS.get(type)?.(error)
}

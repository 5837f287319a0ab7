import { HttpError, isHttpError } from '../base/errors.js'
import { messageOf, type Message } from '../base/messages/messages.js'

type ParserFailure = readonly [status: number, message: Message]

const NO_JSON: ParserFailure = [400, messageOf('unreadable.json')]
const INVALID: ParserFailure = [400, messageOf('unreadable.body')]
const TOO_DEEP: ParserFailure = [400, messageOf('unreadable.body_depth')]
const CUT_OFF: ParserFailure = [400, messageOf('unreadable.body_incomplete')]
const TOO_LARGE: ParserFailure = [413, messageOf('too_large.body')]
const TOO_MANY: ParserFailure = [413, messageOf('too_large.fields')]
const CHARSET: ParserFailure = [415, messageOf('media_type.charset')]
const ENCODING: ParserFailure = [415, messageOf('media_type.encoding')]

/** The failures by the `type` of body-parser's errors. */
const FAILURES: ReadonlyMap<unknown, ParserFailure> = new Map([
  ['entity.parse.failed', NO_JSON],
  ['querystring.parse.rangeError', TOO_DEEP],
  ['request.aborted', CUT_OFF],
  ['request.size.invalid', CUT_OFF],
  ['entity.too.large', TOO_LARGE],
  ['parameters.too.many', TOO_MANY],
  ['charset.unsupported', CHARSET],
  ['encoding.unsupported', ENCODING],
])

/** The message contains nothing that the client sent. */
function toHttpError([status, message]: ParserFailure, cause?: unknown): HttpError {
  return new HttpError(status, message, cause === undefined ? {} : { cause })
}

export const notJson = (cause?: unknown): HttpError => toHttpError(NO_JSON, cause)
export const invalid = (cause?: unknown): HttpError => toHttpError(INVALID, cause)
export const cutOff = (cause?: unknown): HttpError => toHttpError(CUT_OFF, cause)
export const tooLarge = (): HttpError => toHttpError(TOO_LARGE)
export const tooManyFields = (): HttpError => toHttpError(TOO_MANY)
export const unknownCharset = (): HttpError => toHttpError(CHARSET)
export const unknownEncoding = (): HttpError => toHttpError(ENCODING)

/** Error codes of zlib, brotli and zstd. */
const DECOMPRESSION = /^(?:Z_|ERR_|ZSTD_)/

/**
 * Converts an Express error body parsers or of its router; returns `undefined` for any other error.
 *
 * Their messages repeat input of the client, so none of them is kept.
 */
export function fromParserError(error: unknown): HttpError | undefined {
  if (!(error instanceof Error)) return undefined
  const { type, status, code } = error as { type?: unknown; status?: unknown; code?: unknown }
  if (error instanceof URIError && status === 400) {
    return new HttpError(400, messageOf('unreadable.path'), { cause: error })
  }
  // Parsers make an HTTP error of that of zlib; other services have errors with such a code and a status too.
  const compressed = status === 400 && typeof code === 'string' && DECOMPRESSION.test(code) && isHttpError(error)
  const failure = compressed ? INVALID : FAILURES.get(type)
  return failure === undefined ? undefined : toHttpError(failure, error)
}

import { TextDecoder } from 'node:util'
import { HttpError } from '../errors.js'
import { messageOf } from '../messages.js'

/**
 * The bytes of a file as they are, while they are text in UTF-8.
 *
 * @throws HttpError 415 `media_type` where they are not: a workbook, UTF-16, letters of an older encoding.
 */
export async function* checkedText(file: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const bytes of file) {
    check(decoder, bytes)
    yield bytes
  }
  check(decoder)
}

/** A character may stand across two pieces; the end of the file is no piece. */
function check(decoder: TextDecoder, bytes?: Buffer): void {
  try {
    decoder.decode(bytes, { stream: bytes !== undefined })
  } catch (cause) {
    throw notText(cause)
  }
  if (bytes?.includes(0) === true) throw notText()
}

function notText(cause?: unknown): HttpError {
  return new HttpError(415, messageOf('media_type.csv'), { cause })
}

import { isList } from '../base/guards.js'
import { crc32 } from 'node:zlib'
import { MisuseError, ValidationError } from '../base/errors.js'
import { messageOf } from '../base/messages/messages.js'

/** The position where a page begins: the values that identify the last row before it. */
export type Position = readonly unknown[]

const VERSION = 1
const MAX_CHARACTERS = 2048

/**
 * Encodes a position as an opaque string: base64url (RFC 4648 §5) of a version byte, a CRC-32 and the values as JSON;
 * at most 2048 characters.
 *
 * The checksum detects accidents and is no signature: a decoded position must be checked like any other input.
 *
 * @throws MisuseError `cursor_value` for anything but strings, finite numbers, booleans, `null`, dates and bigints;
 * `cursor_length` when they are too long.
 */
export function encodeCursor(position: Position): string {
  const body = Buffer.from(JSON.stringify(position.map(pack)))
  const head = Buffer.alloc(5)
  head.writeUInt8(VERSION)
  head.writeUInt32BE(crc32(body), 1)
  const text = Buffer.concat([head, body]).toString('base64url')
  if (text.length > MAX_CHARACTERS) {
    throw new MisuseError(
      'cursor_length',
      `The values of an order do not fit into a cursor, which has at most ${MAX_CHARACTERS} characters. `
        + 'Order by shorter values.',
    )
  }
  return text
}

/**
 * Decodes a cursor that a client sent.
 *
 * @throws ValidationError naming `cursor` for anything that `encodeCursor` does not write.
 */
export function decodeCursor(text: unknown): Position {
  if (typeof text !== 'string' || text.length > MAX_CHARACTERS) throw invalidCursor()
  const position = read(text)
  if (position === undefined) throw invalidCursor()
  return position
}

/** Makes the 422 that names `cursor`. */
export function invalidCursor(): ValidationError {
  return new ValidationError({ cursor: [messageOf('field.cursor')] })
}

function read(text: string): Position | undefined {
  try {
    const values: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8', 5))
    if (!isList(values)) return undefined
    const position = values.map(unpack)
    // Encoding it again checks version, checksum, spelling and the types of the values.
    return encodeCursor(position) === text ? position : undefined
  } catch {
    return undefined
  }
}

function pack(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return value
  if (typeof value === 'bigint') return ['bigint', String(value)]
  if (value instanceof Date && !Number.isNaN(value.getTime())) return ['date', value.getTime()]
  throw new MisuseError(
    'cursor_value',
    'A value of an order cannot be part of a cursor. Order by strings, finite numbers, booleans, dates and bigints.',
  )
}

function unpack(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  const [kind, content] = value as [unknown, string | number]
  return kind === 'bigint' ? BigInt(content) : new Date(content)
}

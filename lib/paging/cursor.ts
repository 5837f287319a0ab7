import { crc32 } from 'node:zlib'
import { MisuseError, ValidationError } from '../errors.js'
import { messageOf } from '../messages.js'

/** Where a page begins: what identifies the last row before it. */
export type Position = readonly unknown[]

const VERSION = 1
const MAX_CHARACTERS = 2048

/**
 * A position as opaque text: base64url (RFC 4648 §5) of a version byte, a CRC-32 and the values as JSON; at most 2048 characters.
 *
 * The checksum finds accidents and is no signature: whoever reads a position judges it like any other input.
 *
 * @throws MisuseError `cursor_value` for anything but text, finite numbers, booleans, `null`, dates and bigints;
 * `cursor_length` when they are too long.
 */
export function encodeCursor(position: Position): string {
  const body = Buffer.from(JSON.stringify(position.map(pack)))
  const head = Buffer.alloc(5)
  head.writeUInt8(VERSION)
  head.writeUInt32BE(crc32(body), 1)
  const text = Buffer.concat([head, body]).toString('base64url')
  if (text.length > MAX_CHARACTERS) {
    throw new MisuseError('cursor_length', `A cursor has at most ${MAX_CHARACTERS} characters: order by shorter values.`)
  }
  return text
}

/**
 * The position behind a cursor that came from outside.
 *
 * @throws ValidationError naming `cursor` for whatever `encodeCursor` would not have written.
 */
export function decodeCursor(text: unknown): Position {
  if (typeof text !== 'string' || text.length > MAX_CHARACTERS) throw invalidCursor()
  const position = read(text)
  if (position === undefined) throw invalidCursor()
  return position
}

/** 422, naming `cursor`. */
export function invalidCursor(): ValidationError {
  return new ValidationError({ cursor: [messageOf('field.cursor')] })
}

function read(text: string): Position | undefined {
  try {
    const values = JSON.parse(Buffer.from(text, 'base64url').toString('utf8', 5)) as unknown[]
    const position = values.map(unpack)
    // Writing it again checks everything at once: version, checksum, spelling and the kinds of the values.
    return encodeCursor(position) === text ? position : undefined
  } catch {
    return undefined
  }
}

function pack(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return value
  if (typeof value === 'bigint') return ['bigint', String(value)]
  if (value instanceof Date && !Number.isNaN(value.getTime())) return ['date', value.getTime()]
  throw new MisuseError('cursor_value', 'A cursor is made of text, finite numbers, booleans, null, dates and bigints only.')
}

function unpack(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  const [kind, content] = value as [unknown, string | number]
  return kind === 'bigint' ? BigInt(content) : new Date(content)
}

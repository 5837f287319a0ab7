import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ValidationError } from 'resourcery'
import { decodeCursor, encodeCursor } from '../../lib/core/paging/cursor.js'
import { codePoint } from '../support/code-point.js'

const value = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 20 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
  fc.boolean(),
  fc.constant(null),
  fc.bigInt(),
  fc.date({ noInvalidDate: true }),
)
const position = fc.array(value, { maxLength: 6 })

function refused(text: unknown): boolean {
  try {
    decodeCursor(text)
    return false
  } catch (error) {
    if (error instanceof ValidationError) return error.status === 422 && error.fields.cursor?.length === 1
    throw error
  }
}

describe('a cursor of paginate', () => {
  it('decodes to the position it was made of', () => {
    fc.assert(fc.property(position, (values) => {
      const text = encodeCursor(values)
      expect(text).toMatch(/^[\w-]+$/)
      expect(decodeCursor(text)).toEqual(values)
    }))
  })

  it('is refused if any bit is flipped', () => {
    fc.assert(fc.property(position, fc.nat(), (values, seed) => {
      const bytes = Buffer.from(encodeCursor(values), 'base64url')
      const bit = seed % (bytes.length * 8)
      const at = bit >> 3
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (bit & 7)), at)
      expect(refused(bytes.toString('base64url'))).toBe(true)
    }))
  })

  it('is refused if any character is changed, removed or added', () => {
    const characters = fc.constantFrom('A', 'z', '_', '-', '=', ' ', '\n', '+', '/', 'é', '\0')
    fc.assert(fc.property(position, fc.nat(), characters, (values, seed, character) => {
      const text = encodeCursor(values)
      const at = seed % text.length
      const others = [
        `${text.slice(0, at)}${character}${text.slice(at + 1)}`,
        text.slice(0, at),
        text.slice(at + 1),
        `${text}${character}`,
      ]
      for (const other of others) expect(refused(other)).toBe(other !== text)
    }))
  })

  it('is refused if it was never encoded, or is not a string', () => {
    fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => refused(text)))
    fc.assert(fc.property(fc.base64String(), (text) => refused(text)))
    fc.assert(fc.property(fc.anything(), (anything) => refused(anything)))
  })

  it('is refused before it is decoded if it is too long', () => {
    expect(refused('A'.repeat(2049))).toBe(true)
    expect(refused('A'.repeat(50_000_000))).toBe(true)
    expect(decodeCursor(encodeCursor(['x'.repeat(1500)]))).toEqual(['x'.repeat(1500)])
    expect(() => encodeCursor(['x'.repeat(1600)])).toThrow(expect.objectContaining({ code: 'cursor_length' }))
  })

  it.each([
    ['an object', '{"a":1}'],
    ['a string', '"a"'],
    ['null', 'null'],
    ['a broken list', '[1'],
    ['a nested list', '[[[1]]]'],
    ['an object', '[{"__proto__":1}]'],
    ['an invalid bigint', '[["bigint","1.5"]]'],
    ['a bigint spelt otherwise', '[["bigint","007"]]'],
    ['an impossible date', '[["date",9e99]]'],
    ['a date as text', '[["date","2026-01-01"]]'],
    ['spaces', '[1, 2]'],
    ['a number spelt otherwise', '[1.0]'],
    ['an infinite number', '[1e999]'],
  ])('is refused with a valid checksum of %s', (_what, json) => {
    expect(refused(sealed(json))).toBe(true)
  })

  it('is accepted with a valid checksum of a flat list', () => {
    expect(decodeCursor(sealed('[1,"a"]'))).toEqual([1, 'a'])
  })

  it.each([[{}], [[]], [undefined], [NaN], [Infinity], [Symbol('a')], [new Date(NaN)], [() => 1], [Buffer.from('a')]])(
    'cannot contain %s',
    (bad) => {
      expect(() => encodeCursor([bad])).toThrow(expect.objectContaining({ code: 'cursor_value' }))
    },
  )
})

/**
 * Encodes a cursor like a forger who knows the format: version 1, CRC-32 (here bit by bit, as ISO 3309 defines it),
 * JSON.
 */
function sealed(json: string): string {
  const body = Buffer.from(json)
  let crc = -1
  for (const byte of body) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  const head = Buffer.alloc(5)
  head.writeUInt8(1)
  head.writeUInt32BE(~crc >>> 0, 1)
  return Buffer.concat([head, body]).toString('base64url')
}

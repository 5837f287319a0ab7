import fc from 'fast-check'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { fuzzing, fuzzingTimeout } from '../support/fuzzing.js'
import type { Client } from '../support/http.js'
import { connection } from '../support/raw-connection.js'
import { both, cut } from './parsers.js'

/** Posts a body in pieces, cut at any byte, and returns the whole reply. */
async function posted({ url }: Client, path: string, type: string, pieces: readonly Buffer[]): Promise<string> {
  const { socket, write, closed } = await connection(url)
  socket.setNoDelay(true)
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  write(
    `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\nConnection: `
      + `close\r\n\r\n`,
  )
  for (const piece of pieces) {
    await setImmediate()
    socket.write(piece)
  }
  return (await closed).replace(/^(?:Date|Connection): .*\r\n/gm, '')
}

const value = fc.jsonValue({ maxDepth: 3, noUnicodeString: false })
const json = value.map((data) => Buffer.from(JSON.stringify(data)))
const broken = fc.tuple(json, fc.nat(), fc.nat(255)).map(([bytes, at, byte]) =>
  Buffer.from(bytes.map((old, index) => (index === at % bytes.length ? byte : old)))
)
const flat = fc.dictionary(
  fc.string({ unit: 'grapheme' }),
  fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean(), fc.constant(null)),
)
const special = fc
  .constantFrom(
    '\ufeff{"a":1}',
    '\ufeff\ufeff{}',
    '\ufeff',
    ' ',
    '\r\n',
    ' {}',
    '\ufeff ',
    '\v{}',
    '\u00a0{}',
    '5',
    '"x"',
    'null',
    '[',
    '[]x',
    '{"a":"\\u0000"}',
    '{"a":"\0"}',
    '{"\\u0000":1}',
    '{"__proto__":{"x":1},"a":1}',
    '{"\\u005f_proto__":{"x":1}}',
    '{"constructor":{"prototype":{"x":1}}}',
    '{"a":1,"a":2}',
    '{"1":1,"0":2}',
    '{"a":"\\ud800"}',
    '['.repeat(29) + ']'.repeat(29),
    '{"a":1e999}',
    '{"a":-0}',
    '{"toString":1,"hasOwnProperty":2}',
  )
  .map((text) => Buffer.from(text))
const bytes = fc.oneof(
  json,
  flat.map((data) => Buffer.from(JSON.stringify(data))),
  broken,
  special,
  fc.uint8Array({ minLength: 1, maxLength: 70 }).map((list) => Buffer.from(list)),
)
const types = fc.constantFrom(
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'Application/JSON',
  'application/json; charset="utf-8"',
  'application/json; profile=x',
)

it('a JSON body gets the same reply as from the parser of Express, in any bytes and pieces', async () => {
  const client = await both()
  await fc.assert(fc.asyncProperty(bytes, types, fc.array(fc.nat(), { maxLength: 3 }), async (body, type, places) => {
    const pieces = cut(body, places)
    expect(await posted(client, '/ours', type, pieces)).toBe(await posted(client, '/express', type, pieces))
  }), fuzzing(300))
}, fuzzingTimeout(30))

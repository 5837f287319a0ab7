import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { connect } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readBody } from '../lib/core/request/read-body.js'
import { HttpError, ValidationError } from 'resourcery'
import { raw, serving, type Client } from './support/http.js'

const JSON_TYPE = { 'content-type': 'application/json' }
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' }

/** Replaces the error handler: replies with the error only. */
const showError: ErrorRequestHandler = (error: unknown, _req, res, _next) => {
  const shown = error instanceof HttpError
    ? { reason: error.reason, message: error.message }
    : { unknown: String(error) }
  res.status(error instanceof HttpError ? error.status : 500).json({
    ...shown,
    ...(error instanceof ValidationError && { fields: error.fields }),
  })
}

function reading(reader: RequestHandler = readBody(), ...front: RequestHandler[]): Promise<Client> {
  const app = express()
  app.all('/', ...front, reader, (req, res) => {
    res.json({ body: (req.body as unknown) ?? null })
  })
  app.use(showError)
  return serving(app)
}

async function posted(
  client: Client,
  body: string | undefined,
  headers: Record<string, string>,
): Promise<{ status: number; json: unknown }> {
  const { status, body: json } = await client.post('/', body, { headers })
  return { status, json }
}

describe('readBody', () => {
  it('reads JSON and types with the suffix +json', async () => {
    const client = await reading()
    for (
      const type of [
        'application/json',
        'application/json; charset=utf-8',
        'APPLICATION/JSON',
        'application/vnd.api+json',
        'model/gltf+json',
        'application/json;charset="UTF-8"',
        'application/json; profile="a;charset=utf-7"; Charset=Utf-8',
        'application/json;',
      ]
    ) {
      expect(await posted(client, '{"a":[1]}', { 'content-type': type })).toEqual({
        status: 200,
        json: { body: { a: [1] } },
      })
    }
    expect(await posted(client, '[1]', JSON_TYPE)).toEqual({ status: 200, json: { body: [1] } })
  })

  it('reads a urlencoded form', async () => {
    const client = await reading()
    for (const type of [FORM_TYPE['content-type'], 'application/x-www-form-urlencoded; charset=UTF-8']) {
      expect(await posted(client, 'a=1&b=x+y', { 'content-type': type })).toEqual({
        status: 200,
        json: { body: { a: '1', b: 'x y' } },
      })
    }
    expect(await posted(client, 'a=1&a=2&b[]=3&=4&c&__proto__=5&d=%E2%82%AC&e=%', FORM_TYPE)).toEqual({
      status: 200,
      json: { body: { 'a': ['1', '2'], 'b[]': '3', '': '4', 'c': '', 'd': '€', 'e': '%' } },
    })
  })

  it('ignores a byte order mark before JSON, compressed or not', async () => {
    const client = await reading()
    const text = Buffer.from('\ufeff{"a":1}')
    for (const [headers, bytes] of [[{}, text], [{ 'content-encoding': 'gzip' }, gzipSync(text)]] as const) {
      const response = await fetch(client.url, {
        method: 'POST',
        headers: { ...JSON_TYPE, ...headers },
        body: new Uint8Array(bytes),
      })
      expect(await response.json()).toEqual({ body: { a: 1 } })
    }
  })

  it('reads compressed bodies', async () => {
    const client = await reading()
    for (
      const [encoding, bytes] of [['gzip', gzipSync('{"a":1}')], ['deflate', deflateSync('{"a":1}')], [
        'br',
        brotliCompressSync('{"a":1}'),
      ]] as const
    ) {
      const response = await fetch(client.url, {
        method: 'POST',
        headers: { ...JSON_TYPE, 'content-encoding': encoding },
        body: new Uint8Array(bytes),
      })
      expect(await response.json()).toEqual({ body: { a: 1 } })
    }
  })

  it.each(['GET', 'POST', 'DELETE'])('passes a %s without a body, whatever its Content-Type', async (method) => {
    const client = await reading()
    expect((await client.send(method, '/', { headers: { 'content-type': 'text/plain' } })).body).toEqual({ body: null })
  })

  it('treats a Content-Length of 0 as no body', async () => {
    const client = await reading()
    expect(await raw(client.url, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'))
      .toContain('{"body":null}')
  })

  it('reads a body of unknown length', async () => {
    const client = await reading()
    const head =
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: '
      + 'close\r\n\r\n'
    expect(await raw(client.url, `${head}7\r\n{"a":1}\r\n0\r\n\r\n`)).toContain('{"body":{"a":1}}')
    expect(await raw(client.url, `${head}0\r\n\r\n`)).toContain('{"body":{}}')
  })

  it.each(['{', '{"a":1', '{a:1}', '5', '"text"', 'null', 'true', ' ', '{"a":1}x', 'undefined'])(
    'replies 400 with its own message to %j',
    async (body) => {
      const message = 'The body is not a valid JSON object or list'
      expect(await posted(await reading(), body, JSON_TYPE)).toEqual({
        status: 400,
        json: { reason: 'unreadable', message },
      })
    },
  )

  it('refuses nesting deeper than 32 levels', async () => {
    const client = await reading()
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
    expect((await posted(client, nested(32), JSON_TYPE)).status).toBe(200)
    expect(await posted(client, nested(33), JSON_TYPE)).toMatchObject({ status: 400, json: { reason: 'unreadable' } })
    expect((await posted(client, nested(40_000), JSON_TYPE)).status).toBe(400)
    expect((await posted(client, `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`, JSON_TYPE)).status).toBe(400)
  })

  it('refuses NUL in a string, and names the field', async () => {
    const client = await reading()
    expect(await posted(client, '{"a":{"b":["\\u0000"]}}', JSON_TYPE)).toMatchObject({
      status: 422,
      json: { fields: { 'a.b.0': [expect.any(String)] } },
    })
    expect(await posted(client, 'a=%00', FORM_TYPE)).toMatchObject({
      status: 422,
      json: { fields: { a: [expect.any(String)] } },
    })
  })

  it('refuses more bytes than the limit', async () => {
    const client = await reading(readBody({ limit: 20 }))
    expect((await posted(client, '{"a":"0123456789ab"}', JSON_TYPE)).status).toBe(200)
    const tooLarge = { status: 413, json: { reason: 'too_large', message: 'The body is too large' } }
    expect(await posted(client, '{"a":"0123456789abc"}', JSON_TYPE)).toEqual(tooLarge)
    expect(await posted(client, `a=${'x'.repeat(20)}`, FORM_TYPE)).toEqual(tooLarge)
  })

  it('has a default limit of 100,000 bytes', async () => {
    const client = await reading()
    const exactly = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`
    expect((await posted(client, exactly(100_000), JSON_TYPE)).status).toBe(200)
    expect((await posted(client, exactly(100_001), JSON_TYPE)).status).toBe(413)
  })

  it('applies the limit to the decompressed bytes', async () => {
    const client = await reading()
    const body = new Uint8Array(gzipSync(`{"a":"${' '.repeat(1_000_000)}"}`))
    expect(
      (await fetch(client.url, { method: 'POST', headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, body })).status,
    )
      .toBe(413)
  })

  it('refuses too many parameters', async () => {
    const fields = Array.from({ length: 1001 }, (_item, n) => `k${n}=`).join('&')
    expect(await posted(await reading(), fields, FORM_TYPE)).toMatchObject({
      status: 413,
      json: { reason: 'too_large' },
    })
  })

  it.each([
    ['no type', undefined],
    ['text', 'text/plain'],
    ['XML', 'application/xml'],
    ['a broken type', 'json'],
    ['a file', 'multipart/form-data; boundary=x'],
    ['an unknown charset', 'application/json; charset=x-klingon'],
    ['a charset that JSON does not have', 'application/json; charset=latin1'],
    ['UTF-7', 'application/json; charset=utf-7'],
    ['UTF-16', 'application/json;charset="UTF-16LE"'],
    ['UTF-32', 'application/vnd.api+json; charset=utf-32'],
    ['two charsets', 'application/json; charset=utf-8; charset=utf-7'],
    ['a charset that cannot be read', "application/json; charset='utf-8'"],
    ['a charset after a space', 'application/json; charset = utf-8'],
    ['no charset at all', 'application/json; charset='],
    ['an encoded charset', "application/json; charset*=utf-8''utf-8"],
    ['a form in Latin-1', 'application/x-www-form-urlencoded; charset=iso-8859-1'],
    ['a suffix in the middle', 'application/x+json+xml'],
    ['nothing before the suffix', '+json'],
  ])('replies 415 to %s', async (_name, type) => {
    const client = await reading()
    const head = `POST / HTTP/1.1\r\nHost: a\r\n${
      type === undefined ? '' : `Content-Type: ${type}\r\n`
    }Connection: close\r\n`
    const reply = await raw(client.url, `${head}Content-Length: 2\r\n\r\n{}`)
    expect(reply).toMatch(/^HTTP\/1\.1 415 /)
    expect(reply).toContain('"reason":"media_type"')
  })

  it('replies 415 to an unknown content encoding', async () => {
    expect(await posted(await reading(), '{}', { ...JSON_TYPE, 'content-encoding': 'rot13' })).toEqual({
      status: 415,
      json: { reason: 'media_type', message: 'This content encoding is not supported' },
    })
  })

  it.each(['gzip', 'deflate', 'br'])('replies 400 to a body that is not valid %s', async (encoding) => {
    expect(await posted(await reading(), '{"a":1}', { ...JSON_TYPE, 'content-encoding': encoding })).toEqual({
      status: 400,
      json: { reason: 'unreadable', message: 'The body is not valid' },
    })
  })

  it('refuses a body that ends too early', async () => {
    const app = express()
    const failure = new Promise<unknown>((resolve) => {
      const catchIt: ErrorRequestHandler = (error, _req, _res, _next) => resolve(error)
      app.post('/', readBody(), () => resolve('read'))
      app.use(catchIt)
    })
    const { url } = await serving(app)
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.end('POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{}')
    expect(await failure).toMatchObject({ status: 400, reason: 'unreadable', message: 'The body is not complete' })
  })

  it('keeps a body that an earlier parser has read', async () => {
    const client = await reading(readBody({ limit: 5 }), express.json())
    expect(await posted(client, '{"longer":true}', JSON_TYPE)).toEqual({
      status: 200,
      json: { body: { longer: true } },
    })
    const text = await reading(readBody(), express.text({ type: '*/*' }))
    expect(await posted(text, 'plain', { 'content-type': 'text/plain' })).toEqual({
      status: 200,
      json: { body: 'plain' },
    })
  })

  it('refuses invalid content also in a body that an earlier parser has read', async () => {
    const client = await reading(readBody(), express.json({ limit: '1mb' }))
    expect((await posted(client, '['.repeat(33) + ']'.repeat(33), JSON_TYPE)).status).toBe(400)
    expect((await posted(client, '{"a":"\\u0000"}', JSON_TYPE)).status).toBe(422)
  })

  it('passes a request whose stream was consumed earlier', async () => {
    const drain: RequestHandler = (req, _res, next) => {
      req.on('end', () => next()).resume()
    }
    expect(await posted(await reading(readBody(), drain), '{"a":1}', JSON_TYPE)).toEqual({
      status: 200,
      json: { body: null },
    })
  })

  it('hides the error message of a broken stream', async () => {
    const breakOff: RequestHandler = (req, _res, next) => {
      next()
      req.emit('error', new Error('10.0.0.1 reset'))
    }
    expect(await posted(await reading(readBody(), breakOff), '{"a":1}', JSON_TYPE)).toEqual({
      status: 400,
      json: { reason: 'unreadable', message: 'The body is not valid' },
    })
  })

  it('passes on an error that the caller did not cause', async () => {
    const breakStream: RequestHandler = (req, _res, next) => {
      req.setEncoding('utf8')
      next()
    }
    expect(await posted(await reading(readBody(), breakStream), '{"a":1}', JSON_TYPE)).toMatchObject({
      json: { unknown: expect.stringContaining('remove the call of setEncoding') as unknown },
    })
  })

  it.each([-1, 1.5, NaN, '100kb' as unknown as number])('refuses a limit of %s', (limit) => {
    expect(() => readBody({ limit })).toThrow(expect.objectContaining({ code: 'body_limit' }))
  })
})

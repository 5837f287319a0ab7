import express, { type Express } from 'express'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { errorHandler } from 'resourcery'
import { UnauthorizedError } from 'resourcery'
import { mountResource } from 'resourcery'
import { upload } from 'resourcery'
import { served } from '../serve/served.js'
import { chunk, sendWithoutEnd } from '../support/endless-sender.js'
import { serving } from '../support/http.js'
import { connection, lastEnvelope } from '../support/raw-connection.js'

const TOO_LARGE = { code: 413, message: 'The body is too large', data: null, meta: { reason: 'too_large' } }

/** Creates an app with the resource `notes`, whose bodies have at most 1000 bytes. */
function notes(): Express {
  const app = express()
  mountResource(app, {
    name: 'notes',
    route: '/notes',
    body: { limit: 1000 },
    actions: ['create'],
    handlers: { create: { input: z.looseObject({}), handler: () => 'stored' } },
  })
  mountResource(app, {
    name: 'guarded',
    route: '/guarded',
    body: { limit: 1000 },
    actions: ['create'],
    guards: [() => {
      throw new UnauthorizedError()
    }],
    handlers: { create: { input: z.looseObject({}), handler: () => 'stored' } },
  })
  app.post('/form', upload({}, { textBytes: 1000 }), (_req, res) => void res.end('stored'))
  return app.use(errorHandler({ log: () => undefined }))
}

const SERVERS: readonly [string, (app: Express) => Promise<{ readonly url: string }>][] = [
  ['serve', (app) => served(app)],
  ['serve on the server of the user', (app) => served(app, { server: createServer() })],
  ['app.listen', serving],
]

function head(type: string, ...lines: string[]): string {
  return ['POST /notes HTTP/1.1', 'Host: a', `Content-Type: ${type}`, ...lines, '', ''].join('\r\n')
}

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

const LARGE = `{"a":"${' '.repeat(5_000_000)}`
const COMPRESSED = [['gzip', gzipSync(LARGE)], ['deflate', deflateSync(LARGE)], ['br',
  brotliCompressSync(LARGE)]] as const

describe.each(SERVERS)('a body over its limit, under %s', (_name, start) => {
  it.each([
    ['JSON', head(JSON_TYPE, 'Content-Length: 50000000')],
    ['JSON of another type', head('application/vnd.api+json', 'Content-Length: 1001')],
    ['a form', head(FORM_TYPE, 'Content-Length: 50000000')],
    ['a multipart form', head('multipart/form-data; boundary=x', 'Content-Length: 50000000').replace('notes', 'form')],
    ['compressed JSON', head(JSON_TYPE, 'Content-Length: 50000000', 'Content-Encoding: gzip')],
    ['a body that waits for 100 Continue', head(JSON_TYPE, 'Content-Length: 50000000', 'Expect: 100-continue')],
  ])('is refused by its length alone: %s', async (_what, bytes) => {
    const { write, closed } = await connection((await start(notes())).url)
    write(bytes)
    const reply = await closed
    expect(reply).toMatch(/^(?:HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.1 413 /)
    expect(reply).toMatch(/^connection: close\r$/im)
    expect(lastEnvelope(reply)).toMatchObject({ code: 413, meta: { reason: 'too_large' } })
  })

  it.each([
    ['JSON', JSON_TYPE, `{"a":"${'x'.repeat(1000)}`],
    ['a form', FORM_TYPE, `a=${'x'.repeat(1000)}`],
  ])('is refused once its chunks exceed the limit: %s', async (_what, type, text) => {
    const { write, until, closed } = await connection((await start(notes())).url)
    write(head(type, 'Transfer-Encoding: chunked'))
    write(chunk(text.slice(0, 500)))
    write(chunk(text.slice(500)))
    expect(lastEnvelope(await until(/\}\}$/))).toEqual(TOO_LARGE)
    expect(await closed).toMatch(/^HTTP\/1\.1 413 [^]*^connection: close\r$/im)
  })

  it.each(COMPRESSED)(
    'is refused while it is decompressed: %s',
    async (encoding, bytes) => {
      const { socket, write, until } = await connection((await start(notes())).url)
      // It never ends: the reply does not wait for the rest.
      write(head(JSON_TYPE, 'Transfer-Encoding: chunked', `Content-Encoding: ${encoding}`))
      write(`${bytes.length.toString(16)}\r\n`)
      socket.write(bytes)
      expect(lastEnvelope(await until(/\}\}$/))).toEqual(TOO_LARGE)
    },
  )

  it('is refused for its compressed bytes, even if they decompress to nothing', async () => {
    const { socket, write, until } = await connection((await start(notes())).url)
    write(head(JSON_TYPE, 'Transfer-Encoding: chunked', 'Content-Encoding: gzip'))
    const empty = gzipSync('')
    const bytes = Buffer.concat(Array.from({ length: 400 }, () => empty))
    write(`${bytes.length.toString(16)}\r\n`)
    socket.write(bytes)
    expect(lastEnvelope(await until(/\}\}$/))).toEqual(TOO_LARGE)
  })

  it('gets 413 while the client still sends, then the connection is closed', async () => {
    const sender = sendWithoutEnd((await start(notes())).url, head(JSON_TYPE, 'Transfer-Encoding: chunked'))
    expect(await sender.seen(/"too_large"\}\}$/)).toMatch(/^HTTP\/1\.1 413 /)
    await sender.closed
  })

  it('ends its connection: a request after its last byte is not carried out', async () => {
    const app = express()
    const paths: string[] = []
    app.use((req, _res, next) => {
      paths.push(req.url)
      next()
    })
    app.use(notes())
    const { write, until, closed } = await connection((await start(app)).url)
    write(head(JSON_TYPE, 'Content-Length: 1001'))
    await until(/"too_large"\}\}$/)
    write(`${'x'.repeat(1001)}${head(JSON_TYPE, 'Content-Length: 2').replace('/notes', '/notes?next')}{}`)
    await closed
    expect(paths).toEqual(['/notes'])
  })

  it('gets 401 instead if the caller is not signed in', async () => {
    const { write, until } = await connection((await start(notes())).url)
    write(head(JSON_TYPE, 'Content-Length: 50000000').replace('/notes', '/guarded'))
    expect(await until(/\}\}$/)).toMatch(/^HTTP\/1\.1 401 /)
  })
})

describe('a body within its limit', () => {
  it.each([['gzip', gzipSync], ['deflate', deflateSync], ['br', brotliCompressSync]] as const)(
    'may have more compressed bytes than the limit: incompressible %s',
    async (encoding, compress) => {
      const text = JSON.stringify(randomBytes(490).toString('hex')).padEnd(996)
      const body = new Uint8Array(compress(`[${text}]`, {}))
      const { url } = await serving(notes())
      const { status } = await fetch(`${url}/notes`, {
        method: 'POST',
        headers: { 'content-type': JSON_TYPE, 'content-encoding': encoding },
        body,
      })
      expect(status).toBe(422) // a list: it was read
    },
  )

  it('keeps the connection open', async () => {
    const { write, until } = await connection((await serving(notes())).url)
    const request = `${head(JSON_TYPE, 'Content-Length: 2')}{}`
    write(request + request)
    expect((await until((seen) => seen.split('"stored"').length === 3)).match(/HTTP\/1\.1 201 /g)).toHaveLength(2)
  })
})

describe('a 413 error of the application', () => {
  it('closes the connection slowly as well', async () => {
    const app = express()
    app.post(
      '/notes',
      (_req, _res, next) =>
        next(Object.assign(new Error('request entity too large'), { status: 413, type: 'entity.too.large' })),
    )
    app.use(errorHandler({ log: () => undefined }))
    const sender = sendWithoutEnd((await serving(app)).url, head(JSON_TYPE, 'Transfer-Encoding: chunked'))
    expect(await sender.seen(/"too_large"\}\}$/)).toMatch(/^connection: close\r$/im)
    await sender.closed
  })
})

import { createServer, IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import express, { type Express, type RequestHandler } from 'express'
import { errorHandler, mountResource, mountRoutes, param, RequestParam, send } from 'resourcery'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { FORM_TYPE, formOf } from '../support/multipart.js'

/** Puts the body of a request where a platform puts it; the request that it returns has not been read. */
type Platform = (req: IncomingMessage, body: Buffer) => IncomingMessage

/** A request as adapters of AWS Lambda make it: a stream that repeats the body, and a socket that cannot be read. */
function repeated(req: IncomingMessage, body: Buffer): IncomingMessage {
  const made = new IncomingMessage(new Socket())
  const { method, url, headers, rawHeaders } = req
  const read = (): void => {
    made.push(body.length === 0 ? null : body)
    made.push(null)
  }
  return Object.assign(made, { method, url, headers, rawHeaders, complete: true, httpVersion: '1.1', _read: read })
}

/** What Vercel does with a body on first use. */
const parsedOnUse = (req: IncomingMessage, body: Buffer): unknown => {
  const type = String(req.headers['content-type'])
  if (body.length === 0) return undefined
  if (type.includes('json')) return JSON.parse(body.toString())
  if (type.includes('urlencoded')) return Object.fromEntries(new URLSearchParams(body.toString()))
  return type.startsWith('text/') ? body.toString() : body
}

const platforms: Readonly<Record<string, Platform>> = {
  'bytes in `req.body`, its stream unread': (req, body) => Object.assign(repeated(req, body), { body }),
  'a string in `req.body`, its stream unread': (req, body) =>
    Object.assign(repeated(req, body), { body: body.toString() }),
  'an ArrayBuffer in `req.body`': (req, body) =>
    Object.assign(repeated(req, body), { body: new Uint8Array(body).buffer }),
  'bytes in `req.body` and `req.rawBody`, its stream read': (req, body) => Object.assign(req, { body, rawBody: body }),
  'bytes in `req.rawBody`, its stream read': (req, body) => Object.assign(req, { rawBody: body }),
  'a string in `req.rawBody`, its stream read': (req, body) => Object.assign(req, { rawBody: body.toString() }),
  'a getter `req.body` that returns bytes': (req, body) =>
    Object.defineProperty(repeated(req, body), 'body', { get: () => body, configurable: true }),
}

const vercel: Platform = (req, body) =>
  Object.defineProperty(repeated(req, body), 'body', { get: () => parsedOnUse(req, body), configurable: true })

function makeApp(): Express {
  const app = express()
  const bodyOf: RequestHandler = (req, res) => send(res, 'ok', RequestParam.body(req))
  app.post('/undeclared', bodyOf)
  app.post('/parsed', express.json(), express.urlencoded(), bodyOf)
  mountResource(app, {
    route: '/notes',
    name: 'notes',
    handlers: {
      create: { input: z.object({ title: z.string(), n: param.int() }), handler: (_req, _res, args) => args },
      edit: (req) => RequestParam.body(req),
      delete: { handler: ({ body }: { readonly body?: unknown }) => ({ body: typeof body }) },
    },
  })
  mountRoutes(app, {
    route: '/files',
    name: 'files',
    routes: {
      store: {
        route: '',
        methods: 'POST',
        files: { file: { required: true, maxBytes: 1000 } },
        handler: async (req) => {
          const file = RequestParam.file(req, 'file')
          return { name: file?.name, size: file?.size, ...RequestParam.body(req) }
        },
      },
      hook: {
        route: '/hook',
        methods: 'POST',
        body: false,
        handler: ({ body }: { readonly body?: unknown }) => ({
          bytes: Buffer.isBuffer(body) ? body.length : typeof body,
        }),
      },
    },
  })
  return app.use(errorHandler({ log: () => undefined }))
}

interface Reply {
  readonly status: number
  readonly data: unknown
}

type Ask = (method: string, path: string, body?: string | Buffer, headers?: Record<string, string>) => Promise<Reply>

/** Serves the app behind a server that receives the whole body first, as a platform does. */
async function on(platform: Platform): Promise<Ask> {
  const app = makeApp()
  const listener: RequestListener = (req, res) => {
    void buffer(req).then((body) => {
      app(platform(req, body) as never, res as never)
    })
  }
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return async (method, path, body, headers = { 'content-type': 'application/json' }) => {
    const sent = body === undefined ? {} : { body: new Uint8Array(Buffer.from(body)), headers }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...sent })
    return { status: response.status, data: (await response.json() as { data: unknown }).data }
  }
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const MILK = { status: 201, data: { title: 'Milk é', n: 5 } }

describe.each(Object.entries({ ...platforms, 'a getter `req.body` that parses on first use': vercel }))(
  'a request with %s',
  (_name, platform) => {
    it('has the fields of its JSON or form, in routes and in undeclared handlers', async () => {
      const ask = await on(platform)
      expect(await ask('POST', '/notes', '{"title":"Milk é","n":5}')).toEqual(MILK)
      expect(await ask('POST', '/notes', 'title=Milk+%C3%A9&n=5', FORM)).toEqual(MILK)
      expect(await ask('PUT', '/notes/1', '{"a":[1]}')).toEqual({ status: 200, data: { a: [1] } })
      expect(await ask('POST', '/undeclared', '{"a":{"b":1}}')).toEqual({ status: 200, data: { a: { b: 1 } } })
      expect(await ask('POST', '/undeclared', 'a=1', FORM)).toEqual({ status: 200, data: { a: '1' } })
      expect((await ask('DELETE', '/notes/1')).status).toBe(200)
    })

    it('is refused as any other request', async () => {
      const ask = await on(platform)
      expect((await ask('POST', '/notes', '{"title":')).status).toBe(400)
      expect((await ask('POST', '/undeclared', '{"title":')).status).toBe(400)
      expect((await ask('POST', '/notes', '['.repeat(40) + ']'.repeat(40))).status).toBe(400)
      expect(await ask('POST', '/notes', '{"title":"Milk","n":"x"}')).toEqual({
        status: 422,
        data: { n: ['Must be a whole number'] },
      })
      expect((await ask('POST', '/notes', '{"title":"a\\u0000b","n":1}')).status).toBe(422)
      expect((await ask('POST', '/notes', '{}', { 'content-type': 'application/json; charset=utf-7' })).status).toBe(
        415,
      )
      expect((await ask('POST', '/notes', 'Milk', { 'content-type': 'text/plain' })).status).toBe(415)
      expect((await ask('POST', '/files', '{}')).status).toBe(415)
    })

    it('keeps its limit, unless the platform has parsed it', async () => {
      const ask = await on(platform)
      const long = JSON.stringify({ title: 'x'.repeat(100_000), n: 1 })
      expect((await ask('POST', '/notes', long)).status).toBe(platform === vercel ? 201 : 413)
    })
  },
)

describe.each(Object.entries(platforms))('an upload with %s', (_name, platform) => {
  it('is received with its fields', async () => {
    const ask = await on(platform)
    const form = formOf({ name: 'title', content: 'A' }, { name: 'file', filename: 'a.txt', content: 'hello' })
    const type = { 'content-type': FORM_TYPE }
    expect(await ask('POST', '/files', form, type)).toEqual({
      status: 200,
      data: { name: 'a.txt', size: 5, title: 'A' },
    })
    const tooLarge = formOf({ name: 'file', filename: 'a.txt', content: 'x'.repeat(1001) })
    expect((await ask('POST', '/files', tooLarge, type)).status).toBe(413)
    expect((await ask('POST', '/files', formOf({ name: 'title', content: 'A' }), type)).status).toBe(422)
    expect((await ask('POST', '/files', form.subarray(0, 60), type)).status).toBe(400)
  })
})

describe('a body that a platform has received', () => {
  it('is parsed for undeclared handlers behind parsers of Express, which may skip it', async () => {
    const unreadable = Object.assign(new Socket(), { readable: false })
    const ask = await on((req, body) => Object.assign(repeated(req, body), { socket: unreadable, body }))
    expect(await ask('POST', '/parsed', '{"a":1}')).toEqual({ status: 200, data: { a: 1 } })
    expect((await ask('POST', '/parsed', '{"a":')).status).toBe(400)
  })

  it('is decompressed within its limit, unless a parser has read it', async () => {
    const encoded = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const ask = await on((req, body) => Object.assign(repeated(req, body), { body }))
    expect(await ask('POST', '/notes', gzipSync('{"title":"Milk é","n":5}'), encoded)).toEqual(MILK)
    expect((await ask('POST', '/notes', gzipSync(`"${'x'.repeat(200_000)}"`), encoded)).status).toBe(413)
    expect((await ask('POST', '/notes', 'no gzip', encoded)).status).toBe(400)
    expect((await ask('POST', '/notes', 'x', { ...encoded, 'content-encoding': 'other' })).status).toBe(415)
    const inflated = await on((req, body) => Object.assign(req, { body }))
    expect(await inflated('POST', '/notes', '{"title":"Milk é","n":5}', encoded)).toEqual(MILK)
  })

  it('is passed as it is to a route with `body: false`', async () => {
    const ask = await on((req, body) => Object.assign(repeated(req, body), { body }))
    expect(await ask('POST', '/files/hook', '{"a":1}')).toEqual({ status: 200, data: { bytes: 7 } })
  })

  it('is not taken from a string that a parser has made', async () => {
    const ask = await on((req, body) => Object.assign(req, { body: JSON.parse(body.toString()) as unknown }))
    expect((await ask('POST', '/notes', JSON.stringify('{"title":"Milk é","n":5}'))).status).toBe(400)
  })
})

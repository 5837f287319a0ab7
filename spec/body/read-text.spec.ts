import express, { type ErrorRequestHandler, type Request } from 'express'
import fc from 'fast-check'
import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { readText } from '../../lib/core/request/read-text.js'
import { readBody } from '../../lib/core/request/read-body.js'
import { served } from '../serve/served.js'
import { serving } from '../support/http.js'
import { connection, lastEnvelope } from '../support/raw-connection.js'
import { both, cut, LIMIT } from './parsers.js'
import { character } from '../support/code-point.js'

describe('a JSON body', () => {
  it('is refused by its length before any of its bytes arrives', async () => {
    const { url } = await both()
    const { write, until } = await connection(url)
    write(
      `POST /ours HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${
        LIMIT + 1
      }\r\nExpect: 100-continue\r\n\r\n`,
    )
    write(`"${'x'.repeat(LIMIT - 1)}"`)
    expect(lastEnvelope(await until(/too_large.*\}$/))).toMatchObject({ reason: 'too_large' })
  })

  it('can follow another one on the same connection, also before the first reply', async () => {
    const { url } = await both()
    const { write, until } = await connection(url)
    const request = (body: string): string =>
      `POST /ours HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: `
      + `${body.length}\r\n\r\n${body}`
    write(request('{"n":1}') + request('{"n":') + request('{"n":3}'))
    const seen = await until((text) => text.split('HTTP/1.1').length === 4 && text.endsWith('}'))
    expect([...seen.matchAll(/"body":\{"n":(\d)\}|"reason":"(\w+)"/g)].map(([, number, reason]) => number ?? reason))
      .toEqual(['1', 'unreadable', '3'])
    write(request('{"n":4}'))
    expect(await until(/"n":4/)).toContain('"body":{"n":4}')
  })

  it('is awaited after 100 Continue', async () => {
    const { url } = await both()
    const { write, until } = await connection(url)
    write(
      'POST /ours HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 7\r\nExpect: '
        + '100-continue\r\n\r\n',
    )
    await until(/^HTTP\/1\.1 100 Continue\r\n\r\n/)
    write('{"a":1}')
    expect(await until(/"body"/)).toContain('"body":{"a":1}')
  })

  it('is refused with 503 after the deadline, without running the handler', async () => {
    const handler = vi.fn<RequestHandler>()
    const { url } = await served(express().post('/', readBody(), handler), { deadline: 0.1 })
    const { write, until, closed } = await connection(url)
    write('POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a"')
    expect(lastEnvelope(await until(/\}$/))).toMatchObject({ code: 503 })
    write(':1}')
    await closed
    expect(handler).not.toHaveBeenCalled()
  })

  it('is read in the asynchronous context of the request', async () => {
    const storage = new AsyncLocalStorage<string>()
    const app = express()
    app.post(
      '/',
      (req, _res, next) => storage.run(String(req.headers['x-id']), next),
      readBody(),
      (_req, res) => void res.json(storage.getStore() ?? null),
    )
    const client = await serving(app)
    const ids = ['one', 'two', 'three']
    const replies = await Promise.all(ids.map((id) => client.post('/', { a: 1 }, { headers: { 'x-id': id } })))
    expect(replies.map(({ body }) => body)).toEqual(ids)
  })

  it.each(['end', 'destroy'] as const)('is refused if cut short by `%s`, and leaves no listeners', async (way) => {
    const app = express()
    const failed = new Promise<[unknown, string[]]>((resolve) => {
      const catchIt: ErrorRequestHandler = (error, req, _res, _next) => resolve([error, req.eventNames().map(String)])
      app.post('/', readBody())
      app.use(catchIt)
    })
    const { url, server } = await serving(app)
    const seen = new Promise((resolve) => server.once('request', resolve))
    const { socket, write } = await connection(url)
    write('POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a"')
    await seen
    socket[way]()
    const [error, listeners] = await failed
    expect(error).toMatchObject({ status: 400, reason: 'unreadable', message: 'The body is not complete' })
    expect(listeners.filter((name) => ['data', 'end', 'error'].includes(name))).toEqual([])
  })
})

/** Returns a request that receives exactly these pieces. */
function streamed(pieces: readonly Buffer[], headers: Record<string, string>): Request {
  return Object.assign(Readable.from(pieces, { objectMode: false }), { headers }) as unknown as Request
}

describe('readText', () => {
  it('joins characters that were split between pieces', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: character }), fc.array(fc.nat(), { maxLength: 6 }), async (text, places) => {
        const whole = Buffer.from(text)
        const pieces = cut(whole, places).filter((piece) => piece.length > 0)
        const read = await readText(streamed(pieces, { 'content-length': String(whole.length) }), Infinity)
        expect(read).toBe(text.replace(/^\ufeff/, ''))
      }),
    )
  })

  it.each([['fewer', '9'], ['more', '1']])('refuses a stream with %s bytes than announced', async (_which, length) => {
    await expect(readText(streamed([Buffer.from('{"a":1}')], { 'content-length': length }), 100)).rejects.toMatchObject(
      { status: 400, reason: 'unreadable' },
    )
  })

  it('hides the error message of a broken stream', async () => {
    const req = streamed([], { 'content-length': '3' })
    const text = readText(req, 100)
    req.emit('error', new Error('10.0.0.1 reset'))
    await expect(text).rejects.toMatchObject({ status: 400, message: 'The body is not valid' })
    expect(req.listenerCount('data')).toBe(0)
  })
})

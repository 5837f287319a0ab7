import { once } from 'node:events'
import { connect } from 'node:net'
import express, { type Express } from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { auth, envelope, type EnvelopeOptions, errorHandler, mountResource, notFound, permission, send,
  serve } from 'resourcery'
import { crud, type IdempotencyKey, memoryStore } from 'resourcery/crud'
import { inject } from 'resourcery/testing'

const OWN: EnvelopeOptions = {
  success: ({ code, data, message, meta }) => ({ status: code, result: data, message, ...meta }),
  failure: ({ code, message, data, reason }) => ({ status: code, error: { message, reason, fields: data } }),
}

const Note = z.object({ id: z.int(), title: z.string() })

/** An app with a crud resource after another envelope. */
function app(options: EnvelopeOptions = OWN, log: (error: unknown) => void = () => undefined): Express {
  const made = express().set('env', 'test')
  made.use(envelope(options))
  const rows = [{ id: 1, title: 'Milk' }, { id: 2, title: 'Tea' }]
  mountResource(made, {
    route: '/notes',
    name: 'notes',
    ...crud(memoryStore({ key: 'id', rows }), { input: z.object({ title: z.string().min(1) }), output: Note }),
  })
  made.get('/digits', (_req, res) => send(res, 'ok', { digits: 9007199254740993n }))
  made.get('/fault', () => {
    throw new Error('secret')
  })
  made.use(notFound(), errorHandler({ log }))
  return made
}

describe.each([true, false])('another envelope, with fast: %s', (fast) => {
  it('encodes successes, lists and errors of all kinds', async () => {
    const { url, close } = await serve(app(), { port: 0, signals: false, fast })
    onTestFinished(() => close())
    const get = async (path: string, init?: RequestInit): Promise<unknown> => (await fetch(url + path, init)).json()
    const json = { 'content-type': 'application/json' }
    expect(await get('/notes/1')).toEqual({ status: 200, result: { id: 1, title: 'Milk' }, message: 'ok' })
    expect(await get('/notes?limit=1')).toMatchObject({ result: [{ id: 1 }], total: 2, limit: 1 })
    expect(await get('/digits')).toMatchObject({ result: { digits: '9007199254740993' } })
    expect(await get('/nowhere')).toEqual({
      status: 404,
      error: { message: 'Not found', reason: 'not_found', fields: null },
    })
    expect(await get('/notes/1', { method: 'PURGE' })).toMatchObject({ error: { reason: 'method' } })
    expect(await get('/notes/9')).toMatchObject({ status: 404, error: { reason: 'not_found' } })
    expect(await get('/notes', { method: 'POST', headers: json, body: '{"title":""}' })).toMatchObject({
      status: 422,
      error: { reason: 'validation', fields: { title: [expect.any(String)] } },
    })
    expect(await get('/notes', { method: 'POST', headers: json, body: '{' })).toMatchObject({
      error: { reason: 'unreadable' },
    })
    expect(await get('/fault')).toMatchObject({ status: 500, error: { reason: 'internal' } })
    const created = await fetch(`${url}/notes`, { method: 'POST', headers: json, body: '{"title":"Rye"}' })
    expect([created.status, created.headers.get('location')]).toEqual([201, '/notes/3'])
  })

  it('answers HEAD and a fresh copy as before', async () => {
    const { url, close } = await serve(app(), { port: 0, signals: false, fast })
    onTestFinished(() => close())
    const whole = await fetch(`${url}/notes/1`)
    const head = await fetch(`${url}/notes/1`, { method: 'HEAD' })
    expect(head.headers.get('content-length')).toBe(String((await whole.text()).length))
    const fresh = { 'if-none-match': whole.headers.get('etag') ?? '' }
    expect((await inject(app(), { method: 'GET', path: '/notes/1', headers: fresh })).status).toBe(304)
  })
})

describe('another envelope', () => {
  it('sends the media types it names', async () => {
    const made = app({ ...OWN, types: { failure: 'application/problem+json' } })
    const failed = await inject(made, { method: 'GET', path: '/notes/9' })
    expect(failed.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    const shown = await inject(made, { method: 'GET', path: '/notes/1' })
    expect(shown.headers['content-type']).toBe('application/json; charset=utf-8')
  })

  it('may be the default one under other media types', async () => {
    const made = app({ types: { success: 'application/vnd.notes+json', failure: 'application/vnd.fault+json' } })
    const [shown, failed] = [await inject(made, { method: 'GET', path: '/notes/1' }),
      await inject(made, { method: 'GET', path: '/notes/9' })]
    expect(shown.headers['content-type']).toBe('application/vnd.notes+json; charset=utf-8')
    expect(shown.json).toEqual({ code: 200, message: 'ok', data: { id: 1, title: 'Milk' }, meta: {} })
    expect(failed.headers['content-type']).toBe('application/vnd.fault+json; charset=utf-8')
    expect(failed.json).toEqual({ code: 404, message: 'Not found', data: null, meta: { reason: 'not_found' } })
  })

  it('keeps the keys of the default one under another media type, whatever `json replacer` omits', async () => {
    const made = app({ types: { success: 'application/vnd.notes+json' } }).set('json replacer', ['title'])
    const { json } = await inject(made, { method: 'GET', path: '/notes/1' })
    expect(json).toEqual({ code: 200, message: 'ok', data: { title: 'Milk' }, meta: {} })
  })

  it('applies on a Router to what follows, to its errors too, and elsewhere not', async () => {
    const made = express().set('env', 'test')
    const router = express.Router()
    router.get('/before', (_req, res) => send(res, 'ok'))
    router.use(envelope({ success: ({ data }) => ({ data }), failure: ({ reason }) => ({ reason }) }))
    router.get('/after', (_req, res) => send(res, 'ok', 1))
    made.use('/inner', router)
    made.get('/outer', (_req, res) => send(res, 'ok'))
    made.use(notFound(), errorHandler())
    const get = async (path: string): Promise<unknown> => (await inject(made, { method: 'GET', path })).json
    expect(await get('/inner/before')).toHaveProperty('code', 200)
    expect(await get('/inner/after')).toEqual({ data: 1 })
    expect(await get('/inner/nowhere')).toEqual({ reason: 'not_found' })
    expect(await get('/outer')).toHaveProperty('code', 200)
    expect(await get('/nowhere')).toHaveProperty('code', 404)
  })

  it('is replaced by the one that a request passes later, and reset by one without functions', async () => {
    const made = express()
    made.use(envelope({ success: () => 'first' }))
    made.use('/second', envelope({ success: () => 'second' }))
    made.use('/default', envelope({}))
    made.use((_req, res) => send(res, 'ok'))
    const get = async (path: string): Promise<unknown> => (await inject(made, { method: 'GET', path })).json
    expect(await get('/')).toBe('first')
    expect(await get('/second')).toBe('second')
    expect(await get('/default')).toEqual({ code: 200, message: 'ok', data: null, meta: {} })
  })

  it('encodes refusals of guards', async () => {
    const made = express().set('env', 'test')
    made.use(envelope(OWN), auth('shop', { verify: () => null }), permission('shop', { roles: {} }))
    mountResource(made, { app: 'shop', route: '/posts', name: 'posts', handlers: { list: () => [] } })
    made.use(notFound(), errorHandler())
    const { status, json } = await inject(made, { method: 'GET', path: '/posts' })
    expect([status, json]).toEqual([401, { status: 401, error: expect.objectContaining({ reason: 'token_missing' }) }])
  })

  it('keeps the settings of the app: spaces, replacer and escape', async () => {
    const made = app({ success: ({ data }) => ({ data, html: '<b>' }) })
    made.set('json spaces', 1).set('json escape', true).set('json replacer',
      (key: string, value: unknown) => key === 'title' ? undefined : value)
    const { text } = await inject(made, { method: 'GET', path: '/notes/1' })
    expect(text).toBe('{\n "data": {\n  "id": 1\n },\n "html": "\\u003cb\\u003e"\n}')
  })

  it('is seen by middleware that wraps res.json', async () => {
    const seen: unknown[] = []
    const made = express()
    made.use(envelope(OWN), (_req, res, next) => {
      const json = res.json.bind(res)
      res.json = (body) => json((seen.push(body), body))
      next()
    })
    made.use((_req, res) => send(res, 'ok', 1))
    await inject(made, { method: 'GET', path: '/' })
    expect(seen).toEqual([{ status: 200, result: 1, message: 'ok' }])
  })

  it.each<[string, EnvelopeOptions]>([
    ['throws', { failure: () => {
      throw new Error('broken')
    } }],
    ['returns undefined', { failure: () => undefined }],
    ['is asynchronous', { failure: async () => ({ status: 404 }) }],
    ['is asynchronous and fails', { failure: () => Promise.reject(new Error('down')) }],
    ['returns a function', { failure: () => () => 1 }],
    ['returns a circle', { failure: () => {
      const circle: unknown[] = []
      circle.push(circle)
      return circle
    } }],
  ])('answers a constant 500 and logs it where `failure` %s', async (_what, options) => {
    const log = vi.fn()
    const { status, json } = await inject(app(options, log), { method: 'GET', path: '/notes/9' })
    expect([status, json]).toEqual([500, {
      code: 500,
      message: 'Something went wrong',
      data: null,
      meta: { reason: 'internal' },
    }])
    expect(log).toHaveBeenCalledTimes(1)
  })

  it('answers a 500 of its own where `success` returns no JSON', async () => {
    const { status, json } = await inject(app({ ...OWN, success: () => undefined }), {
      method: 'GET',
      path: '/notes/1',
    })
    expect([status, json]).toEqual([500, { status: 500, error: expect.objectContaining({ reason: 'internal' }) }])
  })

  it('answers a logged 500 where `success` is asynchronous', async () => {
    for (const failure of [OWN.failure, async () => ({}), undefined]) {
      const log = vi.fn()
      const options = { success: async () => ({ result: 1 }), ...(failure && { failure }) }
      const { status, text } = await inject(app(options, log), { method: 'GET', path: '/notes/1' })
      expect([status, text]).toEqual([500, expect.stringContaining('"Something went wrong"')])
      expect(log.mock.calls[0]?.[0]).toMatchObject({ code: 'data_promise' })
    }
  })

  it('is that of the app for requests that cannot be read, and for the deadline', async () => {
    const made = express().set('env', 'test')
    made.use(envelope(OWN))
    const router = express.Router()
    router.use(envelope({ failure: () => 'router' }), () => undefined)
    made.use('/hang', router)
    const { url, close } = await serve(made, { port: 0, signals: false, deadline: 0.05, log: () => undefined })
    onTestFinished(() => close())
    const late = await fetch(`${url}/hang`)
    expect([late.status, await late.json()]).toEqual([503, expect.objectContaining({ status: 503 })])
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.end('NOT HTTP\r\n\r\n')
    const [bytes] = await once(socket, 'data') as [Buffer]
    expect(bytes.toString()).toContain('{"status":400,"error":{"message":')
  })

  it('encodes replays of an idempotent action too', async () => {
    const made = express().set('env', 'test')
    made.use(envelope(OWN))
    const keys = memoryStore<IdempotencyKey>({ key: 'id' })
    const store = memoryStore({ key: 'id', rows: [] as { id: number; title: string }[] })
    mountResource(made, {
      route: '/notes',
      name: 'notes',
      ...crud(store, { input: z.object({ title: z.string() }), output: Note,
        idempotency: { keys: () => keys, identity: () => 'all' } }),
    })
    made.use(errorHandler())
    const request = { method: 'POST', path: '/notes', body: { title: 'Rye' },
      headers: { 'idempotency-key': 'a-key-1' } }
    const [first, second] = [await inject(made, request), await inject(made, request)]
    expect(first.json).toMatchObject({ status: 201, result: { title: 'Rye' } })
    expect(second.text).toBe(first.text)
  })

  it.each([
    [{ sucess: () => 1 }, 'option_unknown'],
    [{ success: 1 }, 'option_function'],
    [{ failure: {} }, 'option_function'],
    [{ types: { failure: 'problem' } }, 'envelope_type'],
    [{ types: { failure: 'a/b\r\nX: y' } }, 'envelope_type'],
    [{ types: { other: 'a/b' } }, 'option_unknown'],
    [undefined, 'options_shape'],
  ])('refuses %o', (options, code) => {
    expect(() => envelope(options as EnvelopeOptions)).toThrow(expect.objectContaining({ code }))
  })
})

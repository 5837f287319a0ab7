import { randomBytes } from 'node:crypto'
import express, { type Express, type RequestHandler } from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { auth, envelope, errorHandler, formatData, issueToken, mountResource, paginate, problem, RequestParam, send,
  upload } from 'resourcery'
import { crud, memoryStore, raw, type Store } from 'resourcery/crud'
import { inject } from 'resourcery/testing'

interface Note {
  id: number
  title: string
}

const secret = randomBytes(32)
const output = z.object({ id: z.int(), title: z.string() })
const notes = { input: output.omit({ id: true }), output }
const lost = async (): Promise<never> => {
  throw new Error('no database')
}
/** A function that the types require to be synchronous, as a program without types may write it. */
const asynchronous = lost as () => never

const storeOf = (options: object = {}): Store<Note, undefined> =>
  memoryStore<Note>({ key: 'id', rows: [{ id: 1, title: 'Milk' }], ...options })

function resource(options: object, store = storeOf()): (app: Express) => void {
  return (app) => void mountResource(app, { route: '/', name: 'notes', ...crud(store, { ...notes, ...options }) })
}

const handling = (handler: RequestHandler) => (app: Express) => void app.get('/', handler)

async function requestTo(prepare: (app: Express) => void, request: object = {}) {
  const log = vi.fn()
  const app = express().set('env', 'test')
  prepare(app)
  app.use(errorHandler({ log }))
  const { status, json } = await inject(app, { method: 'GET', path: '/', ...request })
  // A promise that fails without a listener is reported after the microtasks; vitest fails then.
  await new Promise((resolve) => setImmediate(resolve))
  return { status, json, log }
}

describe('a promise that fails, from a function that must be synchronous', () => {
  it.each<[string, (app: Express) => void, object?]>([
    ['the callback of formatData', handling((_req, res) => send(res, 'ok', formatData([1], asynchronous)))],
    ['the data of formatData', handling((_req, res) => send(res, 'ok', formatData(lost(), () => 1)))],
    ['the source of a page', handling(async (req, res) => send(res, 'ok', await paginate(lost() as never, req)))],
    ['a list of a handler',
      (app) =>
        void mountResource(app, { route: '/', name: 'notes', handlers: { list: () => [1, 2].map(asynchronous) } })],
    ['a list of a handler with an output', (app) =>
      void mountResource(app, {
        route: '/',
        name: 'notes',
        handlers: { list: { output: z.array(z.int()), handler: () => [1, 2].map(asynchronous) } },
      })],
    ['the data of send', handling((_req, res) => send(res, 'ok', [1, 2].map(asynchronous)))],
    ['`type` of problem', (app) => void app.use(envelope(problem({ type: asynchronous })), () => asynchronous())],
    ['`newKey` of a memoryStore', resource({}, storeOf({ newKey: asynchronous })), { method: 'POST',
      body: { title: 'Tea' } }],
    ['`list` of a store', resource({}, { ...storeOf(), list: asynchronous })],
    ['`list` of a store, by cursor', resource({}, { ...storeOf(), list: asynchronous }), { path: '/?cursor=' }],
  ])('is a logged 500: %s', async (_what, prepare, request) => {
    const { status, log } = await requestTo(prepare, request)
    expect(status).toBe(500)
    expect(log).toHaveBeenCalled()
  })

  it('is no row where a raw condition of a memoryStore returns it', async () => {
    const { status, json } = await requestTo(resource({ scope: () => [raw(asynchronous)] }))
    expect([status, json]).toMatchObject([200, { data: [], meta: { total: 0 } }])
  })

  it('is a logged 503 where `key` of `load` returns it', async () => {
    const load = { run: () => ({ id: 1 }), seconds: 5, key: asynchronous }
    const token = await issueToken('desk', { id: 1 }, { secret })
    const { status, log } = await requestTo((app) => void app.use(auth('desk', { secret, load })), {
      headers: { Authorization: `Bearer ${token}` },
    })
    expect([status, log.mock.calls.length]).toEqual([503, 1])
  })
})

describe('an error without a text', () => {
  const textless = Object.create(null) as Error

  function warnings() {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    onTestFinished(() => warn.mockRestore())
    return warn
  }

  it('is reported where a stored file cannot be deleted', async () => {
    const warn = warnings()
    const storage = { write: async () => undefined, publicUrl: String, deleteFile: () => Promise.reject(textless) }
    const { status } = await requestTo((app) =>
      void app.post('/', upload({ file: {} }), async (req) => {
        await RequestParam.file(req, 'file')?.saveTo(storage)
        throw new Error('later')
      }), { method: 'POST', ...formOf() })
    expect(status).toBe(500)
    await vi.waitFor(() =>
      expect(warn).toHaveBeenCalledWith(expect.stringContaining('without a text'), expect.anything())
    )
  })

  it('is reported where `subscribe` of a broadcast fails', async () => {
    const warn = warnings()
    const broadcast = { publish: () => undefined, subscribe: () => Promise.reject(textless) }
    auth('desk', { secret, load: { run: () => ({ id: 1 }), seconds: 5, broadcast } })
    await vi.waitFor(() =>
      expect(warn).toHaveBeenCalledWith(expect.stringContaining('without a text'), expect.anything())
    )
  })
})

function formOf() {
  const lines = ['--x', 'Content-Disposition: form-data; name="file"; filename="a.txt"', '', 'Milk', '--x--', '']
  return { headers: { 'Content-Type': 'multipart/form-data; boundary=x' }, body: lines.join('\r\n') }
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import express, { type Express } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore } from 'resourcery/crud'
import { sendCsv } from 'resourcery/csv'
import { errorHandler, localDisk, mountRoutes, mountResource, notFound, reply, send } from 'resourcery'
import { served } from '../serve/served.js'
import { connection } from '../support/raw-connection.js'
import { serving } from '../support/http.js'

/*
 * Middleware may change `req.method`. A client reads the connection by the method that it has sent, so a body is written
 * or not by that one, and the next reply on the connection stays readable.
 */

const Item = z.object({ id: z.number(), name: z.string() })

async function application(): Promise<{ readonly app: Express; readonly file: string }> {
  const app = express().set('env', 'test')
  app.use((req, _res, next) => {
    const wanted = req.get('x-method')
    if (wanted !== undefined) req.method = wanted
    next()
  })
  const folder = mkdtempSync(join(tmpdir(), 'methods-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const disk = localDisk(folder, { baseUrl: '/files' })
  const file = `a/${'b'.repeat(8)}.txt`
  await disk.write(file, Readable.from(['content of a file']), {})
  app.use('/files', disk.serve())
  mountRoutes(app, {
    route: '/things',
    name: 'things',
    routes: {
      shown: { route: '/shown', output: Item, handler: () => ({ id: 1, name: 'one' }) },
      sent: { route: '/sent', handler: (_req, res) => send(res, 'sent', [1, 2, 3]) },
      replied: { route: '/replied', handler: () => reply('replied', 'x'.repeat(300)) },
      nothing: { route: '/nothing', handler: () => reply('nothing', null, {}, 204) },
      reset: { route: '/reset', handler: () => reply('reset', null, {}, 205) },
      failing: { route: '/failing', handler: () => Promise.reject(new Error('failing')) },
      table: { route: '/table', handler: (_req, res) => sendCsv(res, [{ a: 1 }, { a: 2 }], { columns: ['a'] }) },
    },
  })
  const store = memoryStore<{ id: number; name: string }>({ key: 'id' })
  await store.create({ name: 'one' })
  mountResource(app, {
    route: '/items',
    name: 'items',
    ...crud(store, { input: Item.omit({ id: true }), output: Item, export: { columns: ['id', 'name'] } }),
  })
  app.use(notFound())
  app.use(errorHandler({ log: () => undefined }))
  return { app, file: `/files/${file}` }
}

/** Serves the application in one of the ways in which applications are served. */
const WAYS: Readonly<Record<string, (app: Express) => Promise<string>>> = {
  'serve': async (app) => (await served(app)).url,
  'serve without the fast path': async (app) => (await served(app, { fast: false })).url,
  'app.listen': async (app) => (await serving(app)).url,
}

const PATHS = [
  '/things/shown',
  '/things/sent',
  '/things/replied',
  '/things/nothing',
  '/things/reset',
  '/things/failing',
  '/things/table',
  '/items',
  '/items/1',
  '/items/export',
  '/unknown',
  'file',
]

const request = (method: string, path: string, more = ''): string =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
const LAST = request('GET', '/things/shown', 'Connection: close\r\n')

/** Splits what a connection has received into replies, by the methods that were sent. */
function repliesIn(bytes: string, methods: readonly string[]): { status: number; head: string; body: string }[] {
  let rest = bytes
  return methods.map((method) => {
    const end = rest.indexOf('\r\n\r\n') + 4
    const head = rest.slice(0, end)
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1])
    rest = rest.slice(end)
    const isEmpty = method === 'HEAD' || status === 204 || status === 304
    const length = isEmpty ? 0 : lengthOf(head, rest)
    const body = rest.slice(0, length)
    rest = rest.slice(length)
    return { status, head, body }
  })
}

function lengthOf(head: string, rest: string): number {
  if (/transfer-encoding: chunked/i.test(head)) return rest.indexOf('\r\n0\r\n\r\n') + 7
  return Number(/content-length: (\d+)/i.exec(head)?.[1])
}

describe.each(Object.keys(WAYS))('a request whose method middleware rewrites, under %s', (way) => {
  it.each([['HEAD', 'GET'], ['GET', 'HEAD']])('keeps the connection readable: %s turned %s', async (sent, wanted) => {
    const { app, file } = await application()
    const url = await WAYS[way]?.(app) ?? ''
    for (const path of PATHS.map((one) => (one === 'file' ? file : one))) {
      const rewritten = request(sent, path, `X-Method: ${wanted}\r\n`)
      const { closed, write } = await connection(url)
      write(request('GET', path) + rewritten + rewritten + LAST)
      const [asIs, one, other, last] = repliesIn(await closed, ['GET', sent, sent, 'GET'])
      expect([path, last?.status, last?.body]).toEqual([path, 200, expect.stringContaining('"name":"one"')])
      expect([path, one?.status, other?.status]).toEqual([path, asIs?.status, asIs?.status])
      if (sent === 'GET') expect([path, one?.body, other?.body]).toEqual([path, asIs?.body, asIs?.body])
    }
  })

  it('answers 304 to a fresh copy, whichever of the two methods it was', async () => {
    const { app } = await application()
    const url = await WAYS[way]?.(app) ?? ''
    const etag = (await fetch(`${url}/things/shown`)).headers.get('etag') ?? ''
    for (const [sent, wanted] of [['HEAD', 'GET'], ['GET', 'HEAD']] as const) {
      const { closed, write } = await connection(url)
      write(request(sent, '/things/shown', `X-Method: ${wanted}\r\nIf-None-Match: ${etag}\r\n`) + LAST)
      const [one, last] = repliesIn(await closed, [sent, 'GET'])
      expect([one?.status, last?.status, last?.body]).toEqual([304, 200, expect.stringContaining('"name":"one"')])
    }
  })
})

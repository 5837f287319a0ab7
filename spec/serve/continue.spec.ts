import express, { type Express } from 'express'
import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { errorHandler } from 'resourcery'
import { UnauthorizedError } from 'resourcery'
import { notFound } from 'resourcery'
import { mountResource } from 'resourcery'
import { connection } from '../support/raw-connection.js'
import { served } from './served.js'

const refuse = (): never => {
  throw new UnauthorizedError()
}

function notes(): Express {
  const app = express()
  const handlers = {
    create: { input: z.object({ a: z.number() }), handler: (_req: unknown, _res: unknown, { a }: { a: number }) => a },
  }
  mountResource(app, { name: 'notes', route: '/notes', body: { limit: 100 }, actions: ['create'], handlers })
  mountResource(app, { name: 'guarded', route: '/guarded', guards: [refuse], actions: ['create'], handlers })
  return app.use(notFound(), errorHandler({ log: () => undefined }))
}

const head = (path: string, length: number): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nExpect: `
  + `100-continue\r\n\r\n`

describe('a client that waits for 100 Continue', () => {
  it('receives 100 Continue when its body is read, and keeps its connection', async () => {
    const { write, until } = await connection((await served(notes())).url)
    for (const times of [1, 2]) {
      write(head('/notes', 7))
      await until((seen) => seen.split('HTTP/1.1 100 Continue\r\n\r\n').length === times + 1)
      write('{"a":1}')
      await until((seen) => seen.split('"data":1').length === times + 1)
    }
  })

  it.each([['is not signed in', '/guarded', 7, 401], ['announces too much', '/notes', 101, 413], [
    'requests an unknown path',
    '/none',
    7,
    404,
  ]])(
    'is refused without 100 Continue if it %s',
    async (_why, path, length, status) => {
      const { write, closed } = await connection((await served(notes())).url)
      write(head(path, length))
      expect(await closed).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*^connection: close\r$`, 'im'))
    },
  )

  it('is handled by a `checkContinue` listener of the user', async () => {
    const server = createServer().on('checkContinue', (_req, res) => res.writeHead(402).end())
    const { write, closed } = await connection((await served(notes(), { server })).url)
    write(head('/notes', 7))
    expect(await closed).toMatch(/^HTTP\/1\.1 402 /)
  })
})

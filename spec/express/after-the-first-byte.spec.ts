import { createReadStream } from 'node:fs'
import { connect, type AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'
import { fileURLToPath } from 'node:url'
import express, { type ErrorRequestHandler, type Express, type NextFunction, type Request,
  type Response } from 'express'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { errorHandler } from 'resourcery'
import { fromHandler } from 'resourcery'
import { mountResource } from 'resourcery'
import { served } from '../serve/served.js'
import { raw } from '../support/http.js'

/*
 * A handler fails after its reply has begun. However the error is handled, the connection ends, no client receives a
 * complete reply, and the process serves the next request.
 */

type Fault = (req: Request, res: Response, next: NextFunction) => unknown

const begin = (res: Response): void => {
  res.set('Content-Length', '100')
  res.write('begun')
}

const FAULTS: Readonly<Record<string, Fault>> = {
  'throws at once': (_req, res) => {
    begin(res)
    throw new Error('Too late')
  },
  'rejects later': async (_req, res) => {
    begin(res)
    await Promise.resolve()
    throw new Error('Too late')
  },
  'calls next with an error': (_req, res, next) => {
    begin(res)
    next(new Error('Too late'))
  },
  'calls next with what is no Error': (_req, res, next) => {
    begin(res)
    next('too late')
  },
  'replies twice': (_req, res) => {
    res.json({})
    res.json({})
  },
}

/** A large file, for downloads that the client aborts. */
const FILE = fileURLToPath(new URL('../../package-lock.json', import.meta.url))

const DOWNLOADS: Readonly<Record<string, Fault>> = {
  'a pipeline': (_req, res, next) =>
    pipeline(createReadStream(FILE, { highWaterMark: 100 }), res, (error) => (error ? next(error) : undefined)),
  'sendFile': (_req, res, next) => res.sendFile(FILE, (error) => (error ? next(error) : undefined)),
}

const documented: ErrorRequestHandler = (error, _req, res, next) => {
  if (res.headersSent) next(error)
  else res.status(500).end()
}

const HANDLERS: Readonly<Record<string, (app: Express) => unknown>> = {
  "the pattern of Express's documentation": (app) => app.use(documented),
  'no error handler': () => undefined,
  'a handler of this path, in front of ours': (app) =>
    app.use('/fail', documented).use(errorHandler({ log: () => undefined })),
  'ours': (app) => app.use(errorHandler({ log: () => undefined })),
}

const SERVERS: Readonly<Record<string, (app: Express) => Promise<string>>> = {
  'serve': async (app) => (await served(app)).url,
  'serve without the fast path': async (app) => (await served(app, { fast: false })).url,
  'app.listen': async (app) => {
    const server = app.listen(0, '127.0.0.1')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    await new Promise((resolve) => server.once('listening', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  },
}

function appOf(fault: Fault, take: (app: Express) => unknown): Express {
  const app = express().set('env', 'test')
  mountResource(app, { route: '/fail', name: 'fail', handlers: { list: fromHandler(fault) } })
  mountResource(app, { route: '/fine', name: 'fine', handlers: { list: () => 'fine' } })
  take(app)
  return app
}

const fatal: unknown[] = []
const note = (error: unknown): void => void fatal.push(error)

beforeEach(() => {
  fatal.length = 0
  process.on('uncaughtException', note).on('unhandledRejection', note)
})

afterEach(() => {
  process.off('uncaughtException', note).off('unhandledRejection', note)
})

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function stillServes(url: string): Promise<void> {
  const reply = await fetch(`${url}/fine`)
  expect([reply.status, fatal]).toEqual([200, []])
}

describe.each(Object.entries(SERVERS))('an error after the first byte, under %s', (_server, start) => {
  describe.each(Object.entries(HANDLERS))('handled by %s', (_handler, take) => {
    it.each(Object.entries(FAULTS))('ends the connection if a handler %s', async (name, fault) => {
      const url = await start(appOf(fault, take))
      const seen = await raw(
        url,
        'GET /fail HTTP/1.1\r\nHost: x\r\n\r\n',
        (text) => name === 'replies twice' && text.endsWith('{}'),
      )
      expect(seen).toContain('HTTP/1.1 200')
      expect(seen.includes('begun')).toBe(name !== 'replies twice')
      await turn()
      await stillServes(url)
    })

    it.each(Object.entries(DOWNLOADS))('does no harm if the client has disconnected from %s', async (_name, fault) => {
      let end = (): void => undefined
      const ended = new Promise<void>((resolve) => {
        end = resolve
      })
      const url = await start(appOf((req, res, next) => {
        res.once('close', end)
        return fault(req, res, next)
      }, take))
      const { hostname, port } = new URL(url)
      const socket = connect(Number(port), hostname, () => socket.write('GET /fail HTTP/1.1\r\nHost: x\r\n\r\n'))
      socket.once('data', () => socket.resetAndDestroy())
      await ended
      await turn()
      await stillServes(url)
    })
  })
})

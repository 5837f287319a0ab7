import express, { type Express, type Request, type Response } from 'express'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { errorHandler } from 'resourcery'
import { notFound } from 'resourcery'
import { mountResource } from 'resourcery'
import { upload } from 'resourcery'
import { connection } from '../support/raw-connection.js'
import { served } from './served.js'

type Act = (req: Request, res: Response) => unknown

/** Resolves when the server has replied at the deadline, or the client has disconnected. */
const late = (res: Response): Promise<unknown> =>
  new Promise((resolve) => {
    res.once('close', resolve)
    res.req.once('error', resolve)
  })

const long = (): Readable => Readable.from(Array.from({ length: 200 }, () => Buffer.alloc(10_000, 'x')))

/** Misbehaving handlers, with the statuses of their replies; 0 is a closed connection. */
const ACTS: readonly [string, readonly number[], Act][] = [
  ['replies twice', [200], (_req, res) => void res.json({}).json({})],
  ['replies and returns a value', [200], (_req, res) => res.json({})],
  ['throws after its reply', [200], (_req, res) => {
    res.end()
    throw new Error('late')
  }],
  ['writes after the end', [200], (_req, res) => {
    res.end('a')
    res.write('b')
  }],
  ['pipes a stream into an ended reply', [200], (_req, res) => {
    res.end('a')
    createReadStream(import.meta.filename).pipe(res)
  }],
  ['throws after the first byte', [0, 200], (_req, res) => {
    res.write('a')
    throw new Error('late')
  }],
  ['destroys the response', [0], (_req, res) => void res.destroy(new Error('gone'))],
  ['destroys the response and throws', [0], (_req, res) => {
    res.destroy()
    throw new Error('gone')
  }],
  ['destroys the request', [0, 503], (req) => void req.destroy(new Error('gone'))],
  ['destroys the socket and returns', [0], (req) => {
    req.socket.destroy(new Error('gone'))
    return 'x'
  }],
  ['sets a header with a line break', [500], (_req, res) => void res.setHeader('x', 'a\r\nb: c')],
  ['writes a head with a line break', [500], (_req, res) => void res.writeHead(200, { x: 'a\r\nb: c' })],
  ['sets a header whose name is not valid', [500], (_req, res) => void res.setHeader('x y', 'a')],
  ['sets a trailer with a line break', [500], (_req, res) => res.addTrailers({ x: 'a\nb' })],
  ['sets a status text with a line break', [500], (_req, res) => {
    res.statusMessage = 'a\r\nb: c'
    return 'x'
  }],
  ['sets a status that does not exist', [500], (_req, res) => {
    res.statusCode = 99
    res.end()
  }],
  ['hints early with a line break', [500], (_req, res) => res.writeEarlyHints({ link: 'a\r\nb' })],
  ['emits an error on the response', [500], (_req, res) => void res.emit('error', new Error('emitted'))],
  ['returns what cannot be JSON', [500], () => ({ toJSON() {
    throw new Error('no')
  } })],
  ['throws a proxy', [500], () => {
    throw new Proxy(new Error('x'), { get: () => {
      throw new Error('no')
    } })
  }],
  ['never replies', [503], (_req, res) => late(res).then(() => undefined)],
  ['replies too late', [503], async (_req, res) => {
    await late(res)
    res.status(201).set('a', 'b').json({})
  }],
  ['throws too late', [503], async (_req, res) => {
    await late(res)
    throw new Error('late')
  }],
  ['sends a file too late', [503], async (_req, res) => {
    await late(res)
    res.sendFile(import.meta.filename)
  }],
  ['pipes too late', [503], async (_req, res) => {
    await late(res)
    createReadStream(import.meta.filename).pipe(res)
  }],
  ['sends a file that is not there', [404], (_req, res) => res.sendFile('/no/such/file')],
  ['sends a long body', [200], (_req, res) => void long().pipe(res)],
]

const ROUTES = ['/express', '/resource'] as const

function misbehaving(misbehave: Act, running: Promise<unknown>[] = []): Express {
  const app = express()
  const act: Act = (req, res) => {
    const value = misbehave(req, res)
    running.push(Promise.resolve(value))
    return value
  }
  app.all('/express', async (req, res) => {
    const value = await act(req, res)
    if (value !== undefined && !res.headersSent && !res.destroyed) res.json(value)
  })
  const handler = (req: Request, res: Response): unknown => act(req, res)
  mountResource(app, {
    name: 'acts',
    route: '/resource',
    actions: ['list', 'create'],
    handlers: { list: handler, create: { input: z.looseObject({}), handler } },
  })
  mountResource(app, {
    name: 'others',
    route: '/others',
    actions: ['list', 'create'],
    handlers: { list: () => 'fine', create: { input: z.looseObject({}), handler: () => 'fine' } },
  })
  app.post('/upload', upload({ file: {} }), (_req, res) => void res.end())
  return app.use(notFound(), errorHandler({ log: () => undefined }))
}

const REQUESTS: Readonly<Record<string, (path: string) => string>> = {
  GET: (path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`,
  HEAD: (path) => `HEAD ${path} HTTP/1.1\r\nHost: a\r\n\r\n`,
  POST: (path) =>
    `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}`,
}

async function isAlive(url: string): Promise<void> {
  const response = await fetch(`${url}/others`)
  expect([response.status, await response.json()]).toEqual([200, { code: 200, message: 'ok', data: 'fine', meta: {} }])
}

describe.each(ACTS)('a handler that %s', (_what, statuses, act) => {
  it('does not end the process', async () => {
    const running: Promise<unknown>[] = []
    const { url } = await served(misbehaving(act, running), { deadline: 0.1 })
    await Promise.all(ROUTES.flatMap((path) =>
      Object.entries(REQUESTS).map(async ([method, bytesFor]) => {
        const { write, socket, until, closed } = await connection(url)
        write(bytesFor(path))
        const seen = await until(/^HTTP\/1\.1 \d+ [^]*?\r\n\r\n/).catch(() => closed)
        const status = Number(/^HTTP\/1\.1 (\d+)/.exec(seen)?.[1] ?? 0)
        expect(status === 201 ? 200 : status).toBeOneOf([...statuses])
        if (status >= 400 && method !== 'HEAD') {
          expect(await until(/\}\}$/)).toMatch(
            new RegExp(`\\{"code":${status},"message":".*","data":null,"meta":\\{"reason":".*"\\}\\}$`),
          )
        }
        socket.destroy()
      })
    ))
    await Promise.allSettled(running)
    await isAlive(url)
  })

  it('does not end the process if the client has disconnected', async () => {
    const running: Promise<unknown>[] = []
    const { url, server } = await served(misbehaving(act, running), { deadline: 0.1 })
    for (const path of ROUTES) {
      const asked = once(server, 'request')
      const { write, socket } = await connection(url)
      write((REQUESTS.GET?.(path) ?? '').repeat(3))
      await asked
      socket.resetAndDestroy()
    }
    await Promise.allSettled(running)
    await isAlive(url)
  })
})

describe('an error reported only by an event', () => {
  it('is logged', async () => {
    const log = vi.fn()
    const { url } = await served(misbehaving((_req, res) => {
      res.end('a')
      res.write('b')
    }), { log })
    expect(await (await fetch(`${url}/resource`)).text()).toBe('a')
    await vi.waitFor(() =>
      expect(log.mock.calls).toEqual([[
        expect.objectContaining({ code: 'ERR_STREAM_WRITE_AFTER_END' }),
        expect.anything(),
      ]])
    )
  })
})

const JSON_HEAD = 'POST /others HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
const FORM_HEAD = 'POST /upload HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=x\r\n'
const PART = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc'

describe('a misbehaving client', () => {
  it.each([
    ['disconnects within JSON', `${JSON_HEAD}Content-Length: 7\r\n\r\n{"a"`],
    ['disconnects within chunks', `${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\n7\r\n{"a"`],
    [
      'disconnects within compressed JSON',
      `${JSON_HEAD}Content-Encoding: gzip\r\nContent-Length: 50\r\n\r\n\x1f\x8b\x08\0\0\0\0\0`,
    ],
    ['disconnects within an upload', `${FORM_HEAD}Content-Length: 5000\r\n\r\n${PART}`],
    ['disconnects after 100 Continue', `${JSON_HEAD}Content-Length: 7\r\nExpect: 100-continue\r\n\r\n`],
  ])('does no harm if it %s', async (_what, bytes) => {
    const { url, server } = await served(misbehaving(() => 'x'))
    for (const leave of ['end', 'resetAndDestroy', 'destroy'] as const) {
      const asked = once(server, 'request')
      const { socket, closed } = await connection(url)
      socket.write(Buffer.from(bytes, 'latin1'))
      await asked
      socket[leave]()
      await closed
    }
    await isAlive(url)
  })

  it.each([
    ['a bad path', 'GET /others/%zz HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['bad JSON', `${JSON_HEAD}Content-Length: 3\r\n\r\n{a:`, 400],
    ['a bad form', `${FORM_HEAD}Content-Length: 3\r\n\r\nabc`, 400],
    ['another type', `${JSON_HEAD.replace('application/json', 'text/plain')}Content-Length: 3\r\n\r\nabc`, 415],
    ['an unknown path', 'GET /none HTTP/1.1\r\nHost: a\r\n\r\n', 404],
  ])(
    'gets a reply to each of 100 requests for %s on one connection, without a warning',
    async (_what, bytes, status) => {
      const warned = vi.fn()
      process.on('warning', warned)
      onTestFinished(() => void process.off('warning', warned))
      const { url } = await served(misbehaving(() => 'x'))
      const { write, until } = await connection(url)
      write(bytes.repeat(100))
      const seen = await until((text) => text.split('"meta":{"reason"').length === 101)
      expect(seen.split(`HTTP/1.1 ${status} `)).toHaveLength(101)
      expect(warned).not.toHaveBeenCalled()
    },
  )

  it('gets 400 for a tunnel', async () => {
    const { url } = await served(misbehaving(() => 'x'))
    const { write, closed } = await connection(url)
    write('CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n')
    expect(await closed).toMatch(
      /^HTTP\/1\.1 400 [^]*\{"code":400,"message":"This server is not a proxy","data":null,"meta":\{"reason":"unreadable"\}\}$/,
    )
  })

  it('gets an HTTP/1.1 reply if it requests another protocol', async () => {
    const { url } = await served(misbehaving(() => 'x'))
    const { write, until } = await connection(url)
    write('GET /others HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    expect(await until(/"fine"/)).toMatch(/^HTTP\/1\.1 200 /)
  })
})

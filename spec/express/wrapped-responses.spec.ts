import { ServerResponse } from 'node:http'
import express, { type Express, type RequestHandler, type Response } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { errorHandler } from 'resourcery'
import { notFound } from 'resourcery'
import { mountResource } from 'resourcery'
import { send } from 'resourcery'
import { served } from '../serve/served.js'
import { clientOf, serving, type Client } from '../support/http.js'

/*
 * A wrapper of a function of the response, in middleware or on a prototype, before or after the first request, sees
 * every reply as Express shows it: `json` the envelope, `send` and `end` its text, `writeHead` the status.
 */

type Name = 'json' | 'send' | 'end' | 'writeHead' | 'write' | 'setHeader'
type Functions = Record<Name, (this: unknown, ...args: unknown[]) => unknown>
type Calls = [name: Name, first: unknown][]

/** Wraps a function of an object until the test ends. */
function wrap(owner: object, name: Name, calls: Calls): void {
  const functions = owner as Functions
  const own = Object.getOwnPropertyDescriptor(functions, name)
  const { [name]: original } = functions
  functions[name] = function(...args) {
    calls.push([name, args[0]])
    return original.apply(this, args)
  }
  onTestFinished(() => {
    if (own === undefined) Reflect.deleteProperty(functions, name)
    else Object.defineProperty(functions, name, own)
  })
}

function appOf(...before: RequestHandler[]): Express {
  const app = express().set('env', 'test')
  if (before.length > 0) app.use(...before)
  mountResource(app, {
    route: '/items',
    name: 'items',
    handlers: {
      list: () => ['tea'],
      show: () => {
        throw new Error('It broke')
      },
    },
  })
  app.get('/by-hand', (_req, res) => send(res, 'By hand', 1))
  return app.use(notFound(), errorHandler({ log: () => undefined }))
}

const REPLIES = {
  '/items': { code: 200, message: 'ok', data: ['tea'], meta: {} },
  '/by-hand': { code: 200, message: 'By hand', data: 1, meta: {} },
  '/items/1': { code: 500, message: 'Something went wrong', data: null, meta: { reason: 'internal' } },
  '/nowhere': { code: 404, data: null, meta: { reason: 'not_found' } },
} as const

const SERVERS: Readonly<Record<string, (app: Express) => Promise<Client>>> = {
  'serve': async (app) => {
    const { url, server } = await served(app)
    return clientOf(url, server)
  },
  'serve without the fast path': async (app) => {
    const { url, server } = await served(app, { fast: false })
    return clientOf(url, server)
  },
  'app.listen': (app) => serving((req, res) => void app(req, res)),
}

async function replies(client: Client, calls: Calls, name: Name): Promise<void> {
  for (const [path, envelope] of Object.entries(REPLIES)) {
    calls.length = 0
    const { status, text, body } = await client.get(path)
    expect([path, status, body]).toMatchObject([path, envelope.code, envelope])
    const first = calls.find(([called]) => called === name)?.[1]
    const expected = {
      json: body,
      send: text,
      end: text,
      writeHead: status,
      write: undefined,
      setHeader: expect.any(String) as string,
    }[name]
    expect([path, name, first])
      .toEqual([path, name, expected])
  }
}

describe.each(Object.entries(SERVERS))('under %s', (_server, start) => {
  describe.each(['json', 'send', 'end', 'writeHead', 'setHeader'] as const)('a wrapped res.%s', (name) => {
    it('sees every reply if middleware wraps it', async () => {
      const calls: Calls = []
      const client = await start(appOf((_req, res, next) => {
        const functions = res as unknown as Functions
        const own = functions[name].bind(res)
        functions[name] = (...args) => {
          calls.push([name, args[0]])
          return own(...args)
        }
        next()
      }))
      await replies(client, calls, name)
    })

    it('sees every reply if the app wraps it after the first requests', async () => {
      const calls: Calls = []
      const app = appOf()
      const client = await start(app)
      await client.get('/items')
      wrap(app.response, name, calls)
      await replies(client, calls, name)
    })

    it('sees every reply if it is wrapped for all of Express after the first requests', async () => {
      const calls: Calls = []
      const client = await start(appOf())
      await client.get('/items')
      wrap(name === 'json' || name === 'send' ? express.response : ServerResponse.prototype, name, calls)
      await replies(client, calls, name)
    })
  })

  it('may change the envelope in a wrapped res.json', async () => {
    const client = await start(appOf((_req, res, next) => {
      const json = res.json.bind(res)
      res.json = (body: object) => json({ ...body, extra: true })
      next()
    }))
    const reply = await client.get('/items')
    expect(reply.body).toEqual({ ...REPLIES['/items'], extra: true })
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(reply.headers.get('content-length')).toBe(String(reply.text.length))
  })

  it('passes an error thrown by a wrapped res.json to the error handler', async () => {
    const client = await start(appOf((req, res, next) => {
      const json = res.json.bind(res)
      res.json = (body: { code: number }): Response => {
        if (req.path === '/items' && body.code === 200) throw new Error('Not valid')
        return json(body)
      }
      next()
    }))
    expect((await client.get('/items')).status).toBe(500)
  })

  it('sends the same ETag with and without a wrapped response', async () => {
    const seeing = await start(appOf((_req, res, next) => {
      res.json = res.json.bind(res)
      next()
    }))
    const plain = await start(appOf())
    const tag = (await plain.get('/items')).headers.get('etag')
    expect((await seeing.get('/items')).headers.get('etag')).toBe(tag)
    expect(
      (await seeing.send('GET', '/items', { headers: { 'if-none-match': String(tag), 'cache-control': 'max-age=0' } }))
        .status,
    )
      .toBe(304)
    expect((await seeing.send('HEAD', '/items')).headers.get('content-length')).toBe(
      (await plain.get('/items')).headers.get('content-length'),
    )
  })
})

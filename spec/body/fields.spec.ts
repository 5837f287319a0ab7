import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { bodyFieldsOf } from '../../lib/core/request/fields.js'
import { readBody } from '../../lib/core/request/read-body.js'
import { errorHandler, HttpError, ValidationError } from 'resourcery'
import { RequestParam } from 'resourcery'
import { mountResource } from 'resourcery'
import { serving, type Client } from '../support/http.js'

const JSON_TYPE = { headers: { 'content-type': 'application/json' } }
const FORM_TYPE = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }

/** Serves `/inner/:id`, which replies with the fields that a handler after `front` gets. */
function showing(...front: RequestHandler[]): Promise<Client> {
  const app = express()
  const router = express.Router()
  router.post('/:id', ...front, (req, res) => {
    try {
      const fields = bodyFieldsOf(req)
      res.json({ fields, prototype: Object.getPrototypeOf(fields) as unknown })
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      res.status(error.status).json({
        reason: error.reason,
        ...(error instanceof ValidationError && { fields: error.fields }),
      })
    }
  })
  app.use('/inner', router)
  return serving(app)
}

function warnings(): Error[] {
  const seen: Error[] = []
  const listen = (warning: Error): void => void seen.push(warning)
  process.on('warning', listen)
  onTestFinished(() => void process.off('warning', listen))
  return seen
}

describe('bodyFieldsOf', () => {
  it('returns a map without a prototype', async () => {
    const client = await showing(readBody())
    expect((await client.post('/inner/1', '{"a":1,"__proto__":{"b":1},"c":{"__proto__":{"d":1}}}', JSON_TYPE)).body)
      .toEqual({ fields: { a: 1, c: {} }, prototype: null })
    expect((await client.post('/inner/1', '{"a":1,"b":null}', JSON_TYPE)).body).toEqual({
      fields: { a: 1, b: null },
      prototype: null,
    })
  })

  it('returns an empty map for a request without a body', async () => {
    expect((await (await showing()).post('/inner/1')).body).toEqual({ fields: {}, prototype: null })
    expect((await (await showing(readBody())).post('/inner/1')).body).toEqual({ fields: {}, prototype: null })
  })

  it.each([
    ['express.raw()', express.raw({ type: '*/*' })],
    ['express.text()', express.text({ type: '*/*' })],
    ['express.json()', express.json()],
  ])('returns an empty map for an empty body behind %s', async (_name, parser) => {
    const seen = warnings()
    const client = await showing(parser)
    expect(await client.post('/inner/1', '', JSON_TYPE)).toMatchObject({ status: 200, body: { fields: {} } })
    expect(seen).toEqual([])
  })

  it('replies 415 and warns with the route if no parser has read the body', async () => {
    const seen = warnings()
    const client = await showing()
    expect(await client.post('/inner/1', '{}', JSON_TYPE)).toMatchObject({
      status: 415,
      body: { reason: 'media_type' },
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(seen).toMatchObject([{
      code: 'RESOURCERY_BODY_NOT_READ',
      message: expect.stringContaining('POST /inner/:id') as string,
    }])
  })

  it('warns once for each route', async () => {
    const seen = warnings()
    const app = express()
    const answer: RequestHandler = (req, res) => void res.json(bodyFieldsOf(req))
    const refuse: ErrorRequestHandler = (error: HttpError, _req, res, _next) => void res.status(error.status).end()
    app.post('/one/:id', answer).post('/two', answer).use(answer, refuse)
    const client = await serving(app)
    for (const path of ['/one/1', '/one/2', '/two', '/two', '/three', '/four']) {
      expect((await client.post(path, '{}', JSON_TYPE)).status).toBe(415)
    }
    await new Promise((resolve) => setImmediate(resolve))
    expect(seen.map(({ message }) => /POST \S+(?=:)/.exec(message)?.[0])).toEqual([
      'POST /one/:id',
      'POST /two',
      'POST /three',
    ])
  })

  it('warns with the path if no route has matched yet', async () => {
    const seen = warnings()
    const app = express()
    const answer: RequestHandler = (req, res) => void res.json(bodyFieldsOf(req))
    const refuse: ErrorRequestHandler = (error: HttpError, _req, res, _next) => void res.status(error.status).end()
    app.use('/inner', answer, refuse)
    expect((await (await serving(app)).post('/inner/1', {})).status).toBe(415)
    await new Promise((resolve) => setImmediate(resolve))
    expect(seen[0]?.message).toContain('POST /inner/1')
  })

  it('replies 415 without a warning if no parser knows the type', async () => {
    const seen = warnings()
    const client = await showing(express.json(), express.urlencoded())
    expect((await client.post('/inner/1', '<a/>', { headers: { 'content-type': 'text/xml' } })).status).toBe(415)
    await new Promise((resolve) => setImmediate(resolve))
    expect(seen).toEqual([])
  })

  it.each([
    ['application/json', 'express.json()'],
    ['application/x-www-form-urlencoded', 'express.urlencoded()'],
    ['multipart/form-data; boundary=x', 'upload()'],
  ])('names the parser for %s in its warning', async (type, parser) => {
    const seen = warnings()
    const client = await showing()
    expect((await client.post('/inner/1', 'a=1', { headers: { 'content-type': type } })).status).toBe(415)
    await new Promise((resolve) => setImmediate(resolve))
    expect(seen[0]?.message).toContain(`mount ${parser} in front`)
  })

  it('replies 415 to a body that was read as text or bytes', async () => {
    const seen = warnings()
    for (const parser of [express.text({ type: '*/*' }), express.raw({ type: '*/*' })]) {
      expect(
        (await (await showing(parser)).post('/inner/1', 'x', { headers: { 'content-type': 'text/plain' } })).status,
      )
        .toBe(415)
    }
    expect(seen).toEqual([])
  })

  it('refuses a list as a whole', async () => {
    expect(await (await showing(readBody())).post('/inner/1', [1])).toMatchObject({
      status: 422,
      body: { fields: { _: [expect.any(String)] } },
    })
  })

  it.each(['5', '"text"', 'null'])('replies 400 to %s, which a lenient parser accepts', async (body) => {
    const client = await showing(express.json({ strict: false }))
    expect(await client.post('/inner/1', body, JSON_TYPE)).toMatchObject({
      status: 400,
      body: { reason: 'unreadable' },
    })
  })

  it('replies 415 if the body is an instance of a class', async () => {
    const instance: RequestHandler = (req, _res, next) => {
      req.body = new Map([['a', 1]])
      next()
    }
    expect(
      (await (await showing(instance)).post('/inner/1', '{}', { headers: { 'content-type': 'text/plain' } })).status,
    )
      .toBe(415)
  })

  it.each([
    ['readBody', readBody()],
    ['a simple parser', express.urlencoded({ extended: false })],
    ['an extended parser', express.urlencoded({ extended: true })],
  ])('reads the lists of a form parsed by %s', async (_name, parser) => {
    const client = await showing(parser)
    const form = async (text: string) =>
      ((await client.post('/inner/1', text, FORM_TYPE)).body as unknown as { fields: unknown }).fields
    expect(await form('k[]=1')).toEqual({ k: ['1'] })
    expect(await form('k[1]=b&k[0]=a')).toEqual({ k: ['a', 'b'] })
    expect(await form('k=1&k[]=2')).toEqual({ k: ['1', '2'] })
    expect(await form('k[4294967294]=b&k[7]=a')).toEqual({ k: ['a', 'b'] })
    expect(await form(Array.from({ length: 150 }, (_item, n) => `k[${n}]=${n}`).join('&'))).toEqual({
      k: Array.from({ length: 150 }, (_item, n) => String(n)),
    })
    expect(await form('__proto__[]=1&__proto__=2&[__proto__]=3')).not.toHaveProperty('__proto__.0')
  })

  it('keeps brackets in the keys of JSON', async () => {
    expect((await (await showing(readBody())).post('/inner/1', { 'k[]': 1, years: { 2024: 5 } })).body).toMatchObject({
      fields: { 'k[]': 1, years: { 2024: 5 } },
    })
  })

  it('refuses NUL after any parser, and names the field', async () => {
    for (const parser of [readBody(), express.json()]) {
      const silent: RequestHandler = (req, res, next) => void parser(req, res, () => next())
      expect(await (await showing(silent)).post('/inner/1', '{"a":["\\u0000"]}', JSON_TYPE)).toMatchObject({
        status: 422,
        body: { fields: { 'a.0': [expect.any(String)] } },
      })
    }
  })
})

describe('a number of JSON that is too large', () => {
  it.each([
    ['1e999', '{"a":1e999}', 'a'],
    ['-1e400 in a list', '{"a":[{"b":-1e400}]}', 'a.0.b'],
    ['400 digits', `{"a":${'9'.repeat(400)}}`, 'a'],
  ])('is refused at its field: %s', async (_name, body, field) => {
    for (const parser of [readBody(), express.json()]) {
      const silent: RequestHandler = (req, res, next) => void parser(req, res, () => next())
      expect(await (await showing(silent)).post('/inner/1', body, JSON_TYPE)).toMatchObject({
        status: 422,
        body: { fields: { [field]: ['Must be a finite number'] } },
      })
    }
  })

  it('is not stored as null in a field of unknown type', async () => {
    const stored: unknown[] = []
    const app = express()
    mountResource(app, {
      route: '/notes',
      name: 'notes',
      handlers: {
        create: {
          input: z.object({ flat: z.unknown(), deep: z.unknown() }),
          handler: (_req, _res, fields) => stored.push(fields),
        },
      },
    })
    app.use(errorHandler())
    const client = await serving(app)
    for (const body of ['{"flat":1e999}', '{"deep":[1e999]}']) {
      expect(await client.post('/notes', body, JSON_TYPE)).toMatchObject({ status: 422, body: { code: 422 } })
    }
    expect(stored).toEqual([])
  })
})

describe('a body that middleware has changed', () => {
  const change: RequestHandler = (req, _res, next) => {
    Object.assign(req.body as object, { a: 2, b: 3 })
    next()
  }
  const replace: RequestHandler = (req, _res, next) => {
    req.body = { other: [1] }
    next()
  }

  it.each([['readBody', readBody()], ['the parser of Express', express.json()]])(
    'is read with the changes, after %s',
    async (_name, parser) => {
      const fieldsBehind = async (middleware: RequestHandler) =>
        (await (await showing(parser, middleware)).post('/inner/1', { a: 1 })).body
      expect(await fieldsBehind(change)).toMatchObject({ fields: { a: 2, b: 3 } })
      expect(await fieldsBehind(replace)).toMatchObject({ fields: { other: [1] } })
    },
  )

  it.each([[{ a: 1 }], [{ a: 1, list: [] }], [{ a: '\u0001' }]])(
    'is validated by `input` with the changes: %j',
    async (body) => {
      const seen: unknown[] = []
      const router = express.Router()
      const create = {
        input: z.looseObject({}),
        handler: (req: Request, _res: Response, args: object) => {
          seen.push(args)
          Object.assign(req.body as object, { late: true })
          seen.push(RequestParam.body(req))
          return 'done'
        },
      }
      for (const [name, use] of [['changed', [change]], ['replaced', [replace]], ['kept', []]] as const) {
        mountResource(router, {
          name,
          route: `/${name}`,
          use: [readBody(), ...use],
          actions: ['create'],
          handlers: { create },
        })
      }
      const client = await serving(express().use(router))
      for (const name of ['changed', 'replaced', 'kept']) await client.post(`/${name}`, body)
      expect(seen).toEqual([
        { ...body, a: 2, b: 3 },
        { ...body, a: 2, b: 3, late: true },
        { other: [1] },
        { other: [1], late: true },
        body,
        { ...body, late: true },
      ])
    },
  )
})

describe('JSON in another charset', () => {
  it('is refused after a parser that has decoded it', async () => {
    const client = await showing(express.json())
    const response = await fetch(`${client.url}/inner/1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-16le' },
      body: Buffer.from('{"a":1}', 'utf16le'),
    })
    expect(response.status).toBe(415)
  })
})

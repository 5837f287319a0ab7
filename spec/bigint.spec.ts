import express, { Router, type Express } from 'express'
import { auth, errorHandler, mountResource, mountRoutes, param, reply, send } from 'resourcery'
import { createClient } from 'resourcery/client'
import { crud, memoryStore } from 'resourcery/crud'
import { mcpRouter } from 'resourcery/mcp'
import { openapi } from 'resourcery/openapi'
import { inject } from 'resourcery/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { routeManifest } from 'resourcery'
import { serving } from './support/http.js'

const LARGE = 9007199254740993n
const DIGITS = String(LARGE)

const Account = z.object({
  id: z.bigint(),
  balance: z.bigint().min(-5n).nullable(),
  kind: z.literal(7n),
  more: z.bigint().optional(),
  list: z.array(z.int64()),
  any: z.any(),
  union: z.union([z.bigint(), z.string()]),
})
const account = { id: LARGE, balance: -5n, kind: 7n as const, list: [1n, LARGE], any: { deep: [LARGE] }, union: 2n }
const ACCOUNT = {
  id: DIGITS,
  balance: '-5',
  kind: '7',
  list: ['1', DIGITS],
  any: { deep: [DIGITS] },
  union: '2',
}

/** Creates an app whose routes reply with bigints in each way. */
function bank(): { app: Express; accounts: ReturnType<typeof mountAccounts> } {
  const app = express()
  app.use('/mcp', mcpRouter(app, { name: 'bank', version: '1' }))
  const accounts = mountAccounts(app)
  app.use(errorHandler({ log: () => undefined }))
  return { app, accounts }
}

function mountAccounts(app: Express) {
  return mountRoutes(app, {
    route: '/accounts',
    name: 'accounts',
    tool: true,
    routes: {
      show: { route: '/one', output: Account, handler: () => account },
      plain: { route: '/plain', handler: () => account },
      bare: { route: '/bare', output: z.bigint(), handler: () => LARGE },
      alone: { route: '/alone', handler: () => LARGE as never },
      meta: { route: '/meta', handler: () => reply('ok', account, { sum: LARGE }) },
      sent: { route: '/sent', handler: (_req, res) => {
        send(res, 'ok', account, { sum: LARGE })
      } },
      wrapped: { route: '/wrapped', handler: () => ({ when: new Date(0), toJSON: () => ({ digits: LARGE }) }) },
    },
  })
}

const PATHS = ['one', 'plain', 'bare', 'alone', 'meta', 'sent', 'wrapped']

async function dataOf(app: Express): Promise<unknown[]> {
  const { url } = await serving(app)
  return Promise.all(PATHS.map(async (path) => {
    const response = await fetch(`${url}/accounts/${path}`)
    const body = await response.json() as { code: number; data: unknown; meta: object }
    return [body.code, body.data, body.meta]
  }))
}

const EXPECTED = [
  [200, ACCOUNT, {}],
  [200, ACCOUNT, {}],
  [200, DIGITS, {}],
  [200, DIGITS, {}],
  [200, ACCOUNT, { sum: DIGITS }],
  [200, ACCOUNT, { sum: DIGITS }],
  [200, { digits: DIGITS }, {}],
]

function setToJson(toJSON: (this: bigint) => unknown): void {
  Object.defineProperty(BigInt.prototype, 'toJSON', { value: toJSON, configurable: true })
}

afterEach(() => {
  Reflect.deleteProperty(BigInt.prototype, 'toJSON')
})

describe('a bigint in a reply', () => {
  it('is the string of its digits', async () => {
    expect(await dataOf(bank().app)).toEqual(EXPECTED)
  })

  it.each<[string, () => unknown]>([
    ['a number', function(this: bigint) {
      return Number(this)
    }],
    ['an object', () => ({ $bigint: 1 })],
    ['nothing', () => undefined],
    ['an error', () => {
      throw new Error('no')
    }],
  ])('is the string of its digits whatever BigInt.prototype.toJSON returns: %s', async (_what, toJSON) => {
    setToJson(toJSON)
    expect(await dataOf(bank().app)).toEqual(EXPECTED)
  })

  it.each<[string, unknown]>([
    ['json replacer', (_key: string, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)],
    ['json replacer', function(this: Record<string, unknown>, key: string, value: unknown) {
      return typeof this[key] === 'bigint' ? Number(this[key]) : value
    }],
    ['json replacer', (_key: string, value: unknown) => (value === DIGITS ? LARGE : value)],
    ['json spaces', 2],
    ['json escape', true],
  ])('is the string of its digits with the setting %s', async (name, value) => {
    const { app } = bank()
    app.set(name, value)
    expect(await dataOf(app)).toEqual(EXPECTED)
  })

  it('is the string of its digits with a list of keys as `json replacer`', async () => {
    const { app } = bank()
    app.set('json replacer', ['id'])
    expect((await dataOf(app))[0]).toEqual([200, { id: DIGITS }, {}])
  })

  it('is left out by a `json replacer` that leaves its key out', async () => {
    const { app } = bank()
    app.set('json replacer', (key: string, value: unknown) => (key === 'id' ? undefined : value))
    const { id: _id, ...others } = ACCOUNT
    expect((await dataOf(app))[0]).toEqual([200, others, {}])
  })

  it('is the string of its digits for a wrapper of res.json and of res.send', async () => {
    for (const name of ['json', 'send'] as const) {
      const { app } = bank()
      const seen: unknown[] = []
      const before = express()
      before.use((_req, res, next) => {
        const original = res[name].bind(res)
        res[name] = (body: unknown) => {
          seen.push(body)
          return original(body)
        }
        next()
      })
      before.use(app)
      expect(await dataOf(before)).toEqual(EXPECTED)
      expect(seen.length).toBeGreaterThan(0)
    }
  })

  it('is the string of its digits in tools of MCP, as their schemas say', async () => {
    const { url } = await serving(bank().app)
    const rpc = async (method: string, params: object): Promise<object> => {
      const response = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
      return (await response.json() as { result: object }).result
    }
    expect(await rpc('tools/call', { name: 'showAccount', arguments: {} })).toMatchObject({
      structuredContent: { data: ACCOUNT },
    })
    const { tools } = await rpc('tools/list', {}) as { tools: { name: string; outputSchema: object }[] }
    expect(tools.find(({ name }) => name === 'showAccount')?.outputSchema).toMatchObject({
      properties: { data: { properties: { id: { type: 'string' }, kind: { const: '7' } } } },
    })
  })

  it('is a string of digits in documents', () => {
    const digits = { type: 'string', pattern: '^(?:0|-?[1-9]\\d*)$' }
    const app = express()
    mountRoutes(app, {
      route: '/a',
      name: 'a',
      routes: {
        one: {
          methods: 'POST',
          route: '/:id',
          input: z.object({
            id: param.bigint(),
            size: param.bigint().default(3n),
            sizes: z.array(param.bigint().min(1n)),
            kind: z.union([z.literal([1n, 2n]), z.literal('x')]).optional(),
          }),
          output: Account,
          handler: () => account,
        },
      },
    })
    for (const toJSON of [undefined, () => 1]) {
      if (toJSON) setToJson(toJSON)
      const document = JSON.parse(JSON.stringify(openapi(app, { title: 'a', version: '1' }))) as {
        paths: Record<string, { post: { parameters: object[]; requestBody: { content: object } } }>
        components: { schemas: Record<string, { properties: Record<string, object> }> }
      }
      const operation = document.paths['/a/{id}']?.post
      expect(operation?.parameters).toMatchObject([{ name: 'id', in: 'path', schema: digits }])
      const text = JSON.stringify(document)
      expect(text).toContain(JSON.stringify({ type: 'string', enum: ['1', '2'] }))
      expect(text).toContain(JSON.stringify({ type: 'string', const: '7' }))
      expect(text).toContain('"default":"3"')
      expect(text).not.toContain('x-omitted')
      expect(JSON.stringify(operation?.requestBody)).toMatch(/"sizes":\["\d+"\]/)
    }
  })

  it('is the string of its digits in a CSV file', async () => {
    const rows = memoryStore<{ id: bigint; data: unknown }>({
      key: 'id',
      rows: [{ id: LARGE, data: { deep: 1n } }],
      newKey: () => 1,
    })
    const app = express()
    mountResource(app, {
      route: '/rows',
      name: 'rows',
      ...crud(rows, {
        id: param.bigint(),
        input: z.object({ data: z.any() }),
        output: z.object({ id: z.bigint(), data: z.any() }),
        export: true,
      }),
    })
    for (const toJSON of [undefined, () => 1]) {
      if (toJSON) setToJson(toJSON)
      expect((await inject(app, { method: 'GET', path: '/rows/export' })).text).toContain(
        `${DIGITS},"{""deep"":""1""}"`,
      )
    }
  })
})

describe('param.bigint', () => {
  const app = express()
  type Echo = ReturnType<typeof mountEcho>
  const mountEcho = () =>
    mountRoutes(app, {
      route: '/echo',
      name: 'echo',
      routes: {
        one: {
          methods: 'POST',
          route: '/:id',
          query: z.object({ q: param.bigint().optional() }),
          input: z.object({ id: param.bigint(), body: param.bigint().optional() }),
          output: z.object({ id: z.bigint(), q: z.bigint().optional(), body: z.bigint().optional() }),
          handler: (_req, _res, args) => args,
        },
      },
    })
  mountEcho()
  app.use(errorHandler({ log: () => undefined }))
  const send = (id: string, q: string, body: unknown) =>
    inject(app, { method: 'POST', path: `/echo/${id}${q && `?q=${encodeURIComponent(q)}`}`, body })

  it.each(['0', '7', '-7', DIGITS, `-${DIGITS}`, '9'.repeat(100)])('reads %s in path, query and body', async (text) => {
    expect((await send(text, text, { body: text })).json).toMatchObject({
      code: 200,
      data: { id: text, q: text, body: text },
    })
  })

  it.each([0, -7, 9007199254740991])('reads the number %s in a body', async (body) => {
    expect((await send('1', '', { body })).json).toMatchObject({ code: 200, data: { body: String(body) } })
  })

  it.each([
    '',
    ' 1',
    '1 ',
    '+1',
    '01',
    '-0',
    '00',
    '1.0',
    '1e3',
    '0x10',
    '1n',
    '1_000',
    '１',
    'NaN',
    '1\n',
    '9'.repeat(1001),
  ])(
    'refuses %j',
    async (text) => {
      const message = ['Must be a whole number']
      expect((await send('1', '', { body: text })).json).toMatchObject({ code: 422, data: { body: message } })
      expect((await send('1', text === '' ? ' ' : text, {})).json).toMatchObject({ code: 422, data: { q: message } })
      if (text !== '') {
        expect((await send(encodeURIComponent(text), '', {})).json).toMatchObject({ code: 422, data: { id: message } })
      }
    },
  )

  it.each(['9007199254740993', '1.5', '1e300', 'true', 'null', '[1]', '["1"]', '{}'])(
    'refuses %s in a JSON body',
    async (json) => {
      const { json: reply } = await inject(app, {
        method: 'POST',
        path: '/echo/1',
        headers: { 'content-type': 'application/json' },
        body: `{"body":${json}}`,
      })
      expect(reply).toMatchObject({ code: 422, data: { body: ['Must be a whole number'] } })
    },
  )

  it('has the methods and the messages of z.bigint()', () => {
    const schema = param.bigint('No').min(2n).max(5n)
    expect([schema.parse('3'), schema.safeParse('x').error?.issues[0]?.message, schema.safeParse('1').success])
      .toEqual([3n, 'No', false])
  })

  it('is sent by the typed client', async () => {
    const { url } = await serving(app)
    const api = createClient<{ echo: Echo }>({ url, routes: routeManifest(app) })
    for (const toJSON of [undefined, () => 1]) {
      if (toJSON) setToJson(toJSON)
      const result = await api.echo.one({ id: LARGE, q: LARGE, body: LARGE })
      expect(result).toMatchObject({ ok: true, data: { id: DIGITS, q: DIGITS, body: DIGITS } })
      if (result.ok) expect<string>(result.data.id).toBe(DIGITS)
    }
  })
})

describe('a resource with a key of bigints', () => {
  it('lists, pages, filters, changes and tags its rows, whatever BigInt.prototype.toJSON returns', async () => {
    const rows = memoryStore<{ id: bigint; size: bigint }>({
      key: 'id',
      rows: [{ id: 1n, size: 5n }, { id: LARGE, size: LARGE }],
    })
    const app = express()
    const router = Router()
    router.use(auth('x', { verify: () => ({ id: 1 }) }))
    mountResource(router, {
      app: 'x',
      route: '/rows',
      name: 'rows',
      can: false,
      ...crud(rows, {
        id: param.bigint(),
        input: z.object({ size: param.bigint() }),
        output: z.object({ id: z.bigint(), size: z.bigint() }),
        sort: ['size'],
        filters: { size: { eq: param.bigint(), range: param.bigint() } },
        ifMatch: 'optional',
      }),
    })
    app.use(router, errorHandler({ log: () => undefined }))
    const send = (method: string, path: string, body?: unknown, headers = {}) =>
      inject<{ data: never; meta: { next: string } }>(app, { method, path, body, headers, as: { id: 1 } })
    setToJson(function(this: bigint) {
      return Number(this)
    })
    expect((await send('GET', '/rows?sort=-size')).json.data).toEqual([
      { id: DIGITS, size: DIGITS },
      { id: '1', size: '5' },
    ])
    const first = await send('GET', '/rows?sort=-size&limit=1&cursor=')
    const second = await send('GET', `/rows?sort=-size&limit=1&cursor=${first.json.meta.next}`)
    expect(second.json.data).toEqual([{ id: '1', size: '5' }])
    expect((await send('GET', `/rows?size=${DIGITS}`)).json.data).toHaveLength(1)
    expect((await send('GET', '/rows?size_gte=6')).json.data).toHaveLength(1)
    expect((await send('GET', `/rows?ids=1,${DIGITS}`)).json.data).toHaveLength(2)
    const etag = (await send('GET', `/rows/${DIGITS}`)).headers.etag ?? ''
    await send('PATCH', `/rows/${DIGITS}`, { size: String(LARGE + 1n) })
    expect((await send('PATCH', `/rows/${DIGITS}`, { size: '1' }, { 'if-match': etag })).status).toBe(412)
    expect((await send('POST', '/rows', { size: DIGITS })).json.data).toEqual({ id: String(LARGE + 1n), size: DIGITS })
    expect((await send('DELETE', `/rows/${DIGITS}`)).status).toBe(200)
  })
})

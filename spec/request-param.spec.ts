import express from 'express'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HttpError, ValidationError } from 'resourcery'
import { RequestParam } from 'resourcery'
import { serving, type Client } from './support/http.js'

const PARSERS = ['simple', 'extended'] as const

/** Serves every path with the result or the error of `read`. */
function showing(parser: (typeof PARSERS)[number], read: (req: express.Request) => unknown): Promise<Client> {
  const app = express()
  app.set('query parser', parser)
  app.use(express.json())
  app.all(['/paths/:a/*rest', '/paths/:a', '/'], (req, res) => {
    try {
      res.json({ value: read(req) })
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      res.status(error.status).json({
        fields: error instanceof ValidationError ? error.fields : null,
        reason: error.reason,
      })
    }
  })
  return serving(app)
}

async function value(client: Client, path: string): Promise<unknown> {
  const { status, text } = await client.get(path)
  const { value: shown, fields } = JSON.parse(text) as { value?: unknown; fields?: object }
  return status === 200 ? shown : { status, fields: Object.keys(fields ?? {}) }
}

/** Replaces unpaired surrogates, which have no UTF-8. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString()
}

describe.each(PARSERS)('RequestParam.query with the %s parser', (parser) => {
  const client = () => showing(parser, (req) => RequestParam.query(req))

  it.each([
    ['?a=1&b=', { a: '1', b: '' }],
    ['?a=1&a=2', { a: ['1', '2'] }],
    ['?k[]=1', { k: ['1'] }],
    ['?k[]=1&k[]=2', { k: ['1', '2'] }],
    ['?k%5B%5D=1', { k: ['1'] }],
    ['?k[1]=b&k[0]=a', { k: ['a', 'b'] }],
    ['?k[10]=c&k[9]=b&k[0]=a', { k: ['a', 'b', 'c'] }],
    ['?k=1&k[]=2', { k: ['1', '2'] }],
    ['?k[99999999]=b&k[5]=a', { k: ['a', 'b'] }],
    ['?k[4294967294]=1', { k: ['1'] }],
    ['?k[99999999999999999999999]=1', { k: ['1'] }],
    ['?constructor=1&toString[]=2', { constructor: '1', toString: ['2'] }],
    ['', {}],
    ['?', {}],
    ['?=1', parser === 'simple' ? { '': '1' } : {}],
  ])('reads %s', async (search, fields) => {
    expect(await value(await client(), `/${search}`)).toEqual(fields)
  })

  it('ignores __proto__', async () => {
    const seen = await value(await client(), '/?__proto__=1&__proto__[]=2&__proto__[0]=3&__proto__[x]=4&k=1')
    expect(JSON.stringify(seen)).not.toMatch(/"__proto__":/)
  })

  it.each([20, 21, 22, 100])('reads %d entries as a list', async (length) => {
    const list = Array.from({ length }, (_item, n) => String(n))
    const served = await client()
    expect(await value(served, `/?${list.map((n) => `k[]=${n}`).join('&')}`)).toEqual({ k: list })
    expect(await value(served, `/?${list.map((n) => `k=${n}`).join('&')}`)).toEqual({ k: list })
    expect(await value(served, `/?${list.map((n) => `k[${n}]=${n}`).reverse().join('&')}`)).toEqual({ k: list })
  })

  it('refuses NUL in a string or a key, and names the field', async () => {
    const served = await client()
    expect(await value(served, '/?a=x%00')).toEqual({ status: 422, fields: ['a'] })
    expect(await value(served, '/?a=x&a=%00')).toEqual({ status: 422, fields: ['a.1'] })
    expect(await value(served, '/?%00a=x')).toEqual({ status: 422, fields: ['\0a'] })
  })

  it('replies 200 or 422 to any query', async () => {
    const served = await client()
    const brackets = fc.stringMatching(/^[k_\][&=%0-9.]{0,30}$/)
    await fc.assert(fc.asyncProperty(fc.oneof(brackets, fc.string({ maxLength: 40 })), async (text) => {
      expect([200, 422]).toContain((await served.get(`/?${encodeURI(wellFormed(text)).replaceAll('#', '%23')}`)).status)
    }), { numRuns: 60 })
  })
})

describe('RequestParam.query', () => {
  it('keeps nested objects of the extended parser', async () => {
    const client = await showing('extended', (req) => RequestParam.query(req))
    expect(await value(client, '/?search[$ne]=x&k[]=1&k[a]=2&e[__proto__]=1')).toEqual({
      search: { $ne: 'x' },
      k: { 0: '1', a: '2' },
      e: {},
    })
  })

  it('keeps nested keys of the simple parser', async () => {
    const client = await showing('simple', (req) => RequestParam.query(req))
    expect(await value(client, '/?search[$ne]=x&k[0][a]=1&[]=1&k[01]=2')).toEqual({
      'search[$ne]': 'x',
      'k[0][a]': '1',
      '[]': '1',
      'k[01]': '2',
    })
  })

  it('returns an object without a prototype, empty without a parser', () => {
    const query = RequestParam.query({ query: { a: { b: '1' } } } as unknown as express.Request)
    expect([Object.getPrototypeOf(query), Object.getPrototypeOf(query.a)]).toEqual([null, null])
    expect(RequestParam.query({ query: undefined } as unknown as express.Request)).toEqual({})
  })
})

describe('RequestParam.params', () => {
  it('returns the path arguments as strings', async () => {
    const client = await showing('simple', (req) => RequestParam.params(req))
    expect(await value(client, '/paths/1%202')).toEqual({ a: '1 2' })
    expect(await value(client, '/paths/1/x/y')).toEqual({ a: '1', rest: ['x', 'y'] })
    expect(await value(client, '/')).toEqual({})
  })

  it('refuses NUL, and names the argument', async () => {
    expect(await value(await showing('simple', (req) => RequestParam.params(req)), '/paths/a%00b')).toEqual({
      status: 422,
      fields: ['a'],
    })
  })

  it('returns an object without a prototype', () => {
    expect(Object.getPrototypeOf(RequestParam.params({ params: { a: '1' } } as unknown as express.Request))).toBeNull()
    expect(RequestParam.params({ params: undefined } as unknown as express.Request)).toEqual({})
  })
})

describe('RequestParam.header', () => {
  it('returns one line, several joined, or an empty string', async () => {
    const client = await showing(
      'simple',
      (req) => ['X-One', 'x-none', 'constructor', '__proto__', 'Accept'].map((name) => RequestParam.header(req, name)),
    )
    const { text } = await client.get('/', { headers: { 'x-one': 'a', accept: 'text/a' } })
    expect((JSON.parse(text) as { value: unknown }).value).toEqual(['a', '', '', '', 'text/a'])
    expect(
      RequestParam.header({ headers: { 'set-cookie': ['a=1', 'b=2'] } } as unknown as express.Request, 'Set-Cookie'),
    )
      .toBe('a=1, b=2')
  })
})

describe('RequestParam.body', () => {
  it('returns the fields of the body', async () => {
    const client = await showing('simple', (req) => RequestParam.body(req))
    expect((await client.post('/', { a: [1] })).body).toEqual({ value: { a: [1] } })
    expect((await client.post('/', [1])).status).toBe(422)
  })
})

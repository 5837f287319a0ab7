import express from 'express'
import { describe, expect, it } from 'vitest'
import { errorHandler } from 'resourcery'
import { formatData } from 'resourcery'
import { paginate } from 'resourcery'
import { send } from 'resourcery'
import { serving, type Client } from './support/http.js'

const numbers = Array.from({ length: 120 }, (_, index) => index + 1)

/** Serves a page of the numbers for each request, with either query parser of Express. */
function paging(options?: { limit?: number; maxLimit?: number }, parser = 'simple'): Promise<Client> {
  const app = express().set('query parser', parser)
  app.get('/', async (req, res) => send(res, 'ok', await paginate(numbers, req, options)))
  app.get('/formatted', async (req, res) => send(res, 'ok', formatData(await paginate(numbers, req), String)))
  app.use(errorHandler({ log: () => undefined }))
  return serving(app)
}

describe('paginate with a request', () => {
  it('reads page and limit of the query', async () => {
    const { get } = await paging()
    expect((await get('/')).body).toMatchObject({
      data: numbers.slice(0, 20),
      meta: { total: 120, page: 1, limit: 20 },
    })
    expect((await get('/?page=3&limit=2&other=x&search[]=1')).body).toMatchObject({
      data: [5, 6],
      meta: { total: 120, page: 3, limit: 2 },
    })
    expect((await get('/?page=99')).body).toMatchObject({ data: [], meta: { total: 120, page: 99, limit: 20 } })
    expect((await get('/formatted?limit=1')).body).toMatchObject({ data: ['1'], meta: { total: 120, limit: 1 } })
  })

  it('follows cursors to the end of the list', async () => {
    const { get } = await paging()
    const seen: number[] = []
    for (let next: string | null = ''; next !== null;) {
      const { data, meta } = (await get(`/?limit=50&cursor=${next}`)).body as unknown as { data: number[];
        meta: { next: string | null } }
      expect(meta).toEqual({ limit: 50, next: meta.next })
      seen.push(...data)
      next = meta.next
    }
    expect(seen).toEqual(numbers)
  })

  it('refuses a page beside a cursor, and names both', async () => {
    const { get } = await paging()
    const both = ['Send a page or a cursor, not both']
    for (const query of ['?page=2&cursor=', '?cursor=x&page=3']) {
      expect(await get(`/${query}`)).toMatchObject({ status: 422, body: { data: { page: both, cursor: both } } })
    }
  })

  it('reads page 1 beside a cursor as its default, which some clients send', async () => {
    const { get } = await paging()
    expect((await get('/?page=1&limit=2&cursor=')).body).toMatchObject({ data: [1, 2], meta: { limit: 2 } })
  })

  it('applies limit and maxLimit', async () => {
    const { get } = await paging({ limit: 3, maxLimit: 5 })
    expect((await get('/')).body.data).toEqual([1, 2, 3])
    expect((await get('/?cursor=')).body.data).toEqual([1, 2, 3])
    expect((await get('/?limit=5')).body.data).toEqual([1, 2, 3, 4, 5])
    expect(Object.keys((await get('/?limit=6')).body.data)).toEqual(['limit'])
    expect((await (await paging({ maxLimit: 2 })).get('/')).body.meta).toMatchObject({ limit: 2 })
  })

  it.each(['simple', 'extended'])('refuses other values with the %s query parser', async (parser) => {
    const { get } = await paging(undefined, parser)
    const fields = [
      ['page=0', 'page'],
      ['page=-1', 'page'],
      ['page=1e1', 'page'],
      ['page=1&page=2', 'page'],
      ['page[]=1', 'page'],
      ['page=9007199254740991', 'page'],
      ['page=', 'page'],
      ['limit=0', 'limit'],
      ['limit=101', 'limit'],
      ['limit=x', 'limit'],
      ['cursor=x', 'cursor'],
      ['cursor=&cursor=', 'cursor'],
      ['cursor[]=', 'cursor'],
      ['cursor=&limit=0', 'limit'],
      ['page=0&limit=0', 'page,limit'],
    ] as const
    for (const [query, field] of fields) {
      const { status, body } = await get(`/?${query}`)
      expect([query, status, Object.keys(body.data).join()]).toEqual([query, 422, field])
    }
  })

  it('returns the first page for a number, whatever the request asks for', async () => {
    const app = express()
    app.get('/', async (_req, res) => send(res, 'ok', await paginate(numbers, 20)))
    const { get } = await serving(app)
    expect((await get('/?page=2&limit=5')).body).toMatchObject({ meta: { page: 1, limit: 20 } })
  })

  it('refuses limits that make no sense', async () => {
    const request = Object.assign(Object.create(express.request) as express.Request, { url: '/' })
    for (const [options, code] of [
      [{ limit: 0 }, 'page_limit'],
      [{ limit: 30, maxLimit: 20 }, 'page_limit'],
      [{ max: 5 }, 'option_unknown'],
      [{ page: 1 }, 'option_unknown'],
      ['20', 'options_shape'],
    ] as const) {
      await expect(paginate(numbers, request, options as never)).rejects.toMatchObject({ code })
    }
  })

  it('refuses options in a third argument where the second is no request', () => {
    const loose = paginate as (...args: unknown[]) => unknown
    for (const second of [20, { page: 1, limit: 2 }, { cursor: '', limit: 2 }]) {
      for (const options of [{ max: 5 }, { nope: 1 }, { maxLimit: 5 }]) {
        expect(() => loose(numbers, second, options)).toThrow(expect.objectContaining({ code: 'option_unknown' }))
      }
      for (const none of [undefined, null, {}]) expect(() => loose(numbers, second, none)).not.toThrow()
    }
  })
})

import express from 'express'
import { describe, expect, it } from 'vitest'
import { ValidationError } from 'resourcery'
import { RequestParam } from 'resourcery'
import type { PageOptions } from '../../lib/core/request-param/page.js'
import { serving } from '../support/http.js'

/** Returns the page of a query, or the invalid fields. */
async function page(search: string, options?: PageOptions, parser = 'simple'): Promise<unknown> {
  const app = express().set('query parser', parser)
  app.get('/', (req, res) => {
    try {
      res.json(RequestParam.page(req, options))
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      res.json(Object.keys(error.fields))
    }
  })
  return (await (await serving(app)).get(`/${search}`)).body
}

describe('RequestParam.page', () => {
  it('has defaults', async () => {
    expect(await page('')).toEqual({ page: 1, limit: 20, offset: 0, search: '' })
    expect(await page('', { limit: 5 })).toEqual({ page: 1, limit: 5, offset: 0, search: '' })
    expect(await page('', { maxLimit: 10 })).toEqual({ page: 1, limit: 10, offset: 0, search: '' })
  })

  it('reads page, limit and search only', async () => {
    expect(await page('?page=3&limit=100&search=50%25+_x&sort=-id')).toEqual({
      page: 3,
      limit: 100,
      offset: 200,
      search: '50% _x',
    })
  })

  it.each(['simple', 'extended'])('refuses all other values with the %s parser, without clamping', async (parser) => {
    for (
      const text of [
        '0',
        '-1',
        '',
        '%201',
        '1%20',
        '1.0',
        '1e2',
        '0x10',
        '01',
        '%2B1',
        'abc',
        '%EF%BC%91',
        '9007199254740992',
        'Infinity',
        'NaN',
        'null',
      ]
    ) {
      expect(await page(`?page=${text}`, {}, parser)).toEqual(['page'])
      expect(await page(`?limit=${text}`, {}, parser)).toEqual(['limit'])
    }
    for (const search of ['?page[]=1', '?page[0]=1', '?page=1&page=2']) {
      expect(await page(search, {}, parser)).toEqual(['page'])
    }
    for (const search of ['?search[]=a', '?search=a&search=b']) {
      expect(await page(search, {}, parser)).toEqual(['search'])
    }
    expect(await page('?limit=101', {}, parser)).toEqual(['limit'])
    expect(await page('?limit=6', { limit: 5, maxLimit: 5 }, parser)).toEqual(['limit'])
    expect(await page('?page=x&limit=0&search[]=a', {}, parser)).toEqual(['page', 'limit', 'search'])
  })

  it('refuses an object in place of a string', async () => {
    expect(await page('?search[$ne]=x', {}, 'extended')).toEqual(['search'])
    expect(await page('?page[$gt]=1', {}, 'extended')).toEqual(['page'])
    expect(await page('?search[$ne]=x')).toMatchObject({ search: '' })
  })

  it('refuses a page whose offset is too large', async () => {
    expect(await page('?page=9007199254740991')).toEqual(['page'])
    expect(await page('?page=90071992547409&limit=100')).toMatchObject({ offset: 9_007_199_254_740_800 })
  })

  it('accepts a search of at most 200 characters', async () => {
    expect(await page(`?search=${encodeURIComponent('😀'.repeat(200))}`)).toMatchObject({ search: '😀'.repeat(200) })
    expect(await page(`?search=${'x'.repeat(201)}`)).toEqual(['search'])
    expect(await page('?search=a%00')).toEqual(['search'])
  })

  it('describes each invalid value', async () => {
    const app = express().get('/', (req, res) => {
      try {
        res.json(RequestParam.page(req, { maxLimit: 50 }))
      } catch (error) {
        res.json((error as ValidationError).fields)
      }
    })
    const client = await serving(app)
    const bodyOf = async (path: string): Promise<unknown> => (await client.get(path)).body
    expect(await bodyOf('/?page=x&limit=51&search=a&search=b')).toEqual({
      page: ['Must be a whole number'],
      limit: ['Must be at most 50'],
      search: ['Must be a string'],
    })
    expect(await bodyOf(`/?page=0&limit=-1&search=${'x'.repeat(201)}`)).toEqual({
      page: ['Must be at least 1'],
      limit: ['Must be at least 1'],
      search: ['Must have at most 200 characters'],
    })
  })

  it('reads a query that was replaced, with numbers', () => {
    expect(RequestParam.page({ query: { page: 2, limit: '10' } } as unknown as express.Request)).toEqual({
      page: 2,
      limit: 10,
      offset: 10,
      search: '',
    })
    for (const wrong of [1.5, NaN, true, null, 10n]) {
      expect(() => RequestParam.page({ query: { page: wrong } } as unknown as express.Request))
        .toThrow('Must be a whole number')
    }
  })

  it.each([{ limit: 0 }, { limit: 101 }, { maxLimit: 0 }, { maxLimit: 1.5 }, { limit: 10, maxLimit: 5 }, {
    maxLimit: Infinity,
  }, { limit: '5' as unknown as number }])(
    'refuses options like %j',
    (options) => {
      const request = { query: {} } as unknown as express.Request
      expect(() => RequestParam.page(request, options)).toThrow(expect.objectContaining({ code: 'page_limit' }))
    },
  )

  it('refuses unknown options, and former ones with the new name', () => {
    const request = { query: {} } as unknown as express.Request
    const refusal = (options: object): unknown => {
      try {
        return RequestParam.page(request, options)
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(refusal({ max: 50 })).toBe('RequestParam.page: the option `max` was renamed to `maxLimit`.')
    expect(refusal({ maxlimit: 50 })).toContain('Did you mean `maxLimit`?')
    expect(() => RequestParam.ids(request, { maximum: 5 } as object)).toThrow(
      expect.objectContaining({ code: 'option_unknown' }),
    )
  })
})

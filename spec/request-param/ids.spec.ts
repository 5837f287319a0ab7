import express from 'express'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { readBody } from '../../lib/core/request/read-body.js'
import { HttpError, ValidationError } from 'resourcery'
import { param } from 'resourcery'
import { RequestParam } from 'resourcery'
import type { IdsOptions } from '../../lib/core/request-param/ids.js'
import { serving, type SendOptions } from '../support/http.js'

interface Call extends SendOptions {
  readonly search?: string
  readonly parser?: string
  readonly options?: IdsOptions<z.ZodType>
  readonly read?: boolean
}

/** Returns the ids of a DELETE, or the status and the invalid fields. */
async function ids({ search = '', parser = 'simple', options, read = true, ...sent }: Call): Promise<unknown> {
  const app = express().set('query parser', parser)
  if (read) app.use(readBody())
  app.delete('/', (req, res) => {
    try {
      res.json(RequestParam.ids(req, options))
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      res.json({ status: error.status, fields: error instanceof ValidationError ? Object.keys(error.fields) : [] })
    }
  })
  return (await (await serving(app)).send('DELETE', `/${search}`, sent)).body
}

const REFUSED = { status: 422, fields: ['ids'] }
const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }

describe('RequestParam.ids', () => {
  it.each(['simple', 'extended'])('reads every notation of a query with the %s parser', async (parser) => {
    for (
      const search of [
        '?ids=1,2',
        '?ids=1&ids=2',
        '?ids[]=1&ids[]=2',
        '?ids[0]=1&ids[1]=2',
        '?ids[1]=2&ids[0]=1',
        '?ids=1%2C2',
      ]
    ) {
      expect(await ids({ search, parser })).toEqual(['1', '2'])
      expect(await ids({ search, parser, options: { of: param.int() } })).toEqual([1, 2])
    }
    expect(await ids({ search: '?ids[]=7', parser })).toEqual(['7'])
    const many = Array.from({ length: 100 }, (_item, n) => String(n))
    expect(await ids({ search: `?${many.map((id) => `ids[]=${id}`).join('&')}`, parser })).toEqual(many)
  })

  it('reads a list of a JSON body', async () => {
    expect(await ids({ body: { ids: [3, 1, 2] }, options: { of: param.int() } })).toEqual([3, 1, 2])
    expect(await ids({ body: { ids: [3, 'a', 2] } })).toEqual(['3', 'a', '2'])
  })

  it('reads a list of a form', async () => {
    expect(await ids({ body: 'ids=1&ids=2', ...form })).toEqual(['1', '2'])
    expect(await ids({ body: 'ids[]=1', ...form })).toEqual(['1'])
  })

  it('refuses a string in a body', async () => {
    for (const text of ['12', '1,2', '']) expect(await ids({ body: { ids: text } })).toEqual(REFUSED)
    expect(await ids({ body: 'ids=12', ...form })).toEqual(REFUSED)
  })

  it.each([null, 12, true, {}, { 0: 1 }, [], undefined].map((sent) => ({ sent })))(
    'refuses $sent in a body',
    async ({ sent }) => {
      expect(await ids({ body: { ids: sent } })).toEqual(REFUSED)
    },
  )

  it('splits commas only in a single string of the query', async () => {
    expect(await ids({ search: '?ids[]=a,b&ids[]=c' })).toEqual(['a,b', 'c'])
    expect(await ids({ body: { ids: ['a,b'] } })).toEqual(['a,b'])
  })

  it('keeps the order and removes duplicates', async () => {
    expect(await ids({ search: '?ids=3,1,3,2,1' })).toEqual(['3', '1', '2'])
    expect(await ids({ body: { ids: [1, '1', 2] }, options: { of: param.int() } })).toEqual([1, 2])
    await fc.assert(fc.asyncProperty(fc.array(fc.nat(9), { minLength: 1 }), async (list) => {
      expect(await ids({ search: `?ids=${list.join(',')}`, options: { of: param.int() } })).toEqual([...new Set(list)])
    }), { numRuns: 30 })
  })

  it('requires one id at least and `max` ids at most', async () => {
    for (const search of ['', '?ids=', '?other=1']) expect(await ids({ search })).toEqual(REFUSED)
    const hundred = Array.from({ length: 100 }, (_item, n) => n)
    expect(await ids({ body: { ids: hundred } })).toHaveLength(100)
    expect(await ids({ body: { ids: [...hundred, 0] } })).toHaveLength(100)
    expect(await ids({ body: { ids: [...hundred, 100] } })).toEqual(REFUSED)
    expect(await ids({ search: '?ids=1,2,3', options: { max: 2 } })).toEqual(REFUSED)
  })

  it('names the invalid id', async () => {
    expect(await ids({ search: '?ids=1,,2' })).toEqual({ status: 422, fields: ['ids.1'] })
    expect(await ids({ search: `?ids=${'x'.repeat(64)},${'x'.repeat(65)}` })).toEqual({
      status: 422,
      fields: ['ids.1'],
    })
    expect(await ids({ body: { ids: [{}, null, 1.5, true, ['1']] } })).toEqual({
      status: 422,
      fields: ['ids.0', 'ids.1', 'ids.2', 'ids.3', 'ids.4'],
    })
    expect(await ids({ search: '?ids=1,1e3,%202,0x1,03', options: { of: param.int() } })).toMatchObject({
      fields: ['ids.1', 'ids.2', 'ids.3', 'ids.4'],
    })
    expect(await ids({ search: '?ids=1,%00' })).toMatchObject({ status: 422, fields: ['ids'] })
  })

  it('has one message for an id of a wrong type', () => {
    const request = { query: {}, headers: {}, body: { ids: [1.5, null, ['1'], '1'] } } as unknown as express.Request
    expect(() => RequestParam.ids(request)).toThrow(expect.objectContaining({
      fields: { 'ids.0': ['Must be an id'], 'ids.1': ['Must be an id'], 'ids.2': ['Must be an id'] },
    }))
  })

  it('refuses an object in the query', async () => {
    expect(await ids({ search: '?ids[$ne]=1', parser: 'extended' })).toEqual(REFUSED)
  })

  it('reads the body only if the query has no ids', async () => {
    expect(await ids({ search: '?ids=1', body: { ids: [2] } })).toEqual(['1'])
    expect(await ids({ search: '?ids=1', body: { ids: [2] }, read: false })).toEqual(['1'])
    expect(await ids({ body: { ids: [2] }, read: false })).toEqual({ status: 415, fields: [] })
    expect(await ids({ body: [1, 2] })).toEqual({ status: 422, fields: ['_'] })
  })

  it.each([0, -1, 1.5, NaN, Infinity])('refuses a max of %s', (max) => {
    const request = { query: { ids: '1' } } as unknown as express.Request
    expect(() => RequestParam.ids(request, { max })).toThrow(expect.objectContaining({ code: 'ids_max' }))
  })
})

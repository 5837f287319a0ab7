import express, { type Response } from 'express'
import { describe, expect, it } from 'vitest'
import { errorHandler } from 'resourcery'
import { formatData } from 'resourcery'
import { paginate, toPage } from 'resourcery'
import { reply } from 'resourcery'
import { mountResource } from 'resourcery'
import { send } from 'resourcery'
import type { Meta } from '../lib/core/base/types.js'
import { serving, type Reply } from './support/http.js'

const users = [1, 2, 3].map((id) => ({ id, hash: 'x' }))

/** Sends by `send`, and returns the same from a handler; both replies. */
async function bothReplies(make: () => unknown, meta?: Meta): Promise<[Reply, Reply]> {
  const app = express()
  const { get } = await serving(app)
  app.get('/sent', async (_req, res) => send(res, 'ok', await make(), meta))
  mountResource(app, { route: '/returned', name: 'returned',
    handlers: { list: async () => reply('ok', await make(), meta) } })
  app.use(errorHandler({ log: () => undefined }))
  return [await get('/sent'), await get('/returned')]
}

const PAGES: readonly [string, () => unknown, unknown, Meta][] = [
  ['a page of paginate', () => paginate(users, { page: 2, limit: 2 }), [users[2]], { total: 3, page: 2, limit: 2 }],
  ['a page without a total', () => paginate(users, { page: 1, limit: 1, total: false }), [users[0]], { page: 1,
    limit: 1 }],
  ['a page by cursor', () => paginate(users, { cursor: '', limit: 3 }), users, { limit: 3, next: null }],
  ['a page of toPage', () => toPage([1], { page: 1, limit: 1, total: 9 }), [1], { total: 9, page: 1, limit: 1 }],
  ['a formatted page', async () => formatData(await paginate(users, 1), ({ id }) => id), [1], { total: 3, page: 1,
    limit: 1 }],
  ['a formatted list', () => formatData(users, ({ id }) => id), [1, 2, 3], {}],
  ['a formatted record', () => formatData(users[0], (user) => ({ id: user.id })), { id: 1 }, {}],
]

describe('send', () => {
  it.each(PAGES)('unfolds %s as when a handler returns it', async (_what, make, data, meta) => {
    for (const { body } of await bothReplies(make)) expect(body).toEqual({ code: 200, message: 'ok', data, meta })
  })

  it.each(PAGES)('merges an explicit meta over that of %s', async (_what, make, data, meta) => {
    for (const { body } of await bothReplies(make, { total: 1000, took: 3 })) {
      expect(body).toEqual({ code: 200, message: 'ok', data, meta: { ...meta, total: 1000, took: 3 } })
    }
  })

  it.each<[string, () => unknown]>([
    ['the keys of a page', () => ({ items: [1], page: 1, limit: 1, total: 1 })],
    ['the keys of formatted data', () => ({ data: [1], meta: { total: 1 } })],
    ['a copy of a page', async () => ({ ...await paginate(users, 1) })],
    ['a page inside of it', async () => ({ users: { ...await paginate(users, 1) } })],
    ['a copy of formatted data', () => ({ ...formatData(users, ({ id }) => id) })],
  ])('sends an object with %s as it is', async (_what, make) => {
    for (const { body } of await bothReplies(make)) expect(body).toMatchObject({ data: await make(), meta: {} })
  })

  it('unfolds formatted data once', async () => {
    const page = toPage([1], { page: 1, limit: 1, total: 1 })
    const make = (): unknown => formatData({ id: 1 }, () => page)
    for (const { body } of await bothReplies(make)) expect(body).toMatchObject({ data: { ...page }, meta: {} })
  })

  class Figures {
    readonly total = 1
  }

  it.each<[string, unknown]>([
    ['a bigint', 5n],
    ['a number', 5],
    ['a string', 'total'],
    ['a list', [1]],
    ['a date', new Date(0)],
    ['a map', new Map([['total', 1]])],
    ['an object of a class', new Figures()],
    ['null', null],
    ['true', true],
    ['a function', () => ({})],
    ['a symbol', Symbol('meta')],
    ['an error', new Error('x')],
  ])('refuses a meta that is %s', async (_what, meta) => {
    for (const make of [() => 1, () => paginate(users, 1), () => formatData(users, ({ id }) => id)]) {
      for (const { status, body } of await bothReplies(make, meta as Meta)) {
        expect([status, body.data, body.meta]).toEqual([500, null, { reason: 'internal' }])
      }
    }
    const refused = expect.objectContaining({ code: 'meta_invalid' }) as Error
    expect(() => reply('ok', null, meta as Meta)).toThrow(refused)
    expect(() => send(Object.create(express.response) as Response, 'ok', null, meta as Meta)).toThrow(refused)
  })

  it('accepts a meta without a prototype', async () => {
    const meta = Object.assign(Object.create(null) as Record<string, unknown>, { total: 1 })
    for (const { body } of await bothReplies(() => null, meta)) expect(body.meta).toEqual({ total: 1 })
  })
})

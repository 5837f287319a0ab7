import { homedir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { findOrFail, mountResource, mountRoutes, paginate, param, reply, RequestParam,
  ValidationError } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
import { z } from 'zod'
import { checkSmall, told } from './small-app.js'

const byId = z.object({ id: param.int() })

describe('checkApi on applications without faults', () => {
  it('takes a record with a field `items` for a record', async () => {
    const lines = memoryStore({ key: 'id',
      rows: [1, 2, 3, 4, 5].map((id) => ({ id: id + 100, orderId: 1 + id % 2, text: `Line ${id}`, amount: id })) })
    const Line = z.object({ id: z.int(), text: z.string(), amount: z.int() })
    const orders = memoryStore({ key: 'id', rows: [1, 2].map((id) => ({ id, title: `Order ${id}` })) })
    const ofLines = crud(lines, { output: Line,
      input: z.object({ orderId: z.int(), text: z.string().max(40), amount: z.int().min(1).max(1000) }) })
    const report = await checkSmall((router) =>
      mountResource(router, { app: 'x', route: '/orders', name: 'orders', ...crud(orders, {
        input: z.object({ title: z.string().min(1).max(60) }),
        output: z.object({ id: z.int(), title: z.string() }),
        children: { items: { of: ofLines, column: 'orderId', min: 1 } },
      }) })
    )
    expect(told(report)).toEqual([])
  })

  it('takes the parameters of a list for no filters by fields of the same names', async () => {
    const text = z.string().max(60)
    const report = await checkSmall((router) => {
      const quotes = memoryStore({ key: 'id',
        rows: [1, 2, 3, 4].map((id) => ({ id, text: `Note ${id}`, page: id * 30, limit: id * 10, size: id * 3 })) })
      const Quote = z.object({ id: z.int(), text, page: z.int(), limit: z.int(), size: z.int() })
      mountResource(router, { app: 'x', route: '/quotes', name: 'quotes',
        ...crud(quotes, { input: Quote.omit({ id: true }), output: Quote }) })
      const plans = memoryStore({ key: 'id',
        rows: [1, 2, 3].map((id) => ({ id, text: `Plan ${id}`, sort: 4 - id, search: `k${id}`, size: id * 10 })) })
      const Plan = z.object({ id: z.int(), text, sort: z.int(), search: text, size: z.int() })
      mountResource(router, { app: 'x', route: '/plans', name: 'plans',
        ...crud(plans, { input: Plan.omit({ id: true }), output: Plan, sort: ['text', 'sort'], search: ['text'],
          paramNames: { limit: 'size' } }) })
    })
    expect(told(report)).toEqual([])
  })

  it('takes any value for a field of another variant of a body', async () => {
    const input = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('cat'), lives: z.int().min(0).max(9) }),
      z.object({ kind: z.literal('dog'), barks: z.boolean() }),
    ])
    const report = await checkSmall((router) =>
      mountRoutes(router, { app: 'x', route: '/pets', name: 'pets', routes: {
        feed: { methods: ['POST'], route: '', input, output: input, handler: (_req, _res, pet) => pet },
      } })
    )
    expect(told(report)).toEqual([])
  })

  it('blames no route for a counter of views, which its own reads change', async () => {
    const rows = [1, 2, 3].map((id) => ({ id, title: `Article ${id}`, starred: false, views: 0 }))
    const Article = z.object({ id: z.int(), title: z.string(), starred: z.boolean(), views: z.int() })
    const input = z.object({ title: z.string().min(1).max(60) })
    const one = (id: number): typeof rows[number] => findOrFail(rows.find((row) => row.id === id))
    const report = await checkSmall((router) =>
      mountResource(router, { app: 'x', route: '/articles', name: 'articles', handlers: {
        list: { output: z.array(Article), handler: (req) => paginate(rows, RequestParam.page(req)) },
        show: { input: byId, output: Article, handler: (_req, _res, { id }) => {
          one(id).views++
          return one(id)
        } },
        create: { input, output: Article, handler: (_req, _res, sent) => {
          const row = { id: rows.length + 1, starred: false, views: 0, ...sent }
          rows.push(row)
          return row
        } },
        store: { input: input.partial().extend({ id: param.int() }), output: Article,
          handler: (_req, _res, { id, ...sent }) => Object.assign(one(id), sent) },
      }, custom: {
        star: { methods: ['POST'], route: '/:id/star', status: 200, input: byId, output: Article,
          handler: (_req, _res, { id }) => Object.assign(one(id), { starred: true }) },
      } })
    )
    expect(told(report)).toEqual([])
  })

  it('asks for no page by its number of a list that has only cursors or offsets', async () => {
    const rows = [1, 2, 3, 4, 5, 6, 7].map((id) => ({ id, name: `Event ${id}` }))
    const Event = z.object({ id: z.int(), name: z.string() })
    const limit = param.int().min(1).max(100).optional()
    const report = await checkSmall((router) =>
      mountRoutes(router, { app: 'x', route: '', name: 'events', routes: {
        cursors: { methods: ['GET'], route: '/events', output: z.array(Event),
          input: z.object({ cursor: z.string().max(60).optional(), limit }),
          handler: (_req, _res, { cursor = '', limit: size = 20 }) => {
            if (!/^\d*$/.test(cursor)) throw new ValidationError({ cursor: ['The cursor is none of this list'] })
            const rest = rows.filter(({ id }) => id > Number(cursor))
            const page = rest.slice(0, size)
            const next = rest.length > size ? String(page.at(-1)?.id) : null
            return reply('ok', page, { total: rows.length, limit: size, next })
          } },
        offsets: { methods: ['GET'], route: '/moments', output: z.array(Event),
          input: z.object({ offset: param.int().min(0).max(1e6).optional(), limit }),
          handler: (_req, _res, { offset = 0, limit: size = 20 }) =>
            reply('ok', rows.slice(offset, offset + size), { total: rows.length, offset, limit: size }) },
      } })
    )
    expect(told(report)).toEqual([])
  })

  it('takes the folders of this machine for a leak only as paths of their own', async () => {
    const output = z.object({ place: z.string() })
    const report = await checkSmall((router) =>
      mountRoutes(router, { app: 'x', route: '', name: 'files', routes: {
        link: { methods: ['GET'], route: '/link', output,
          handler: () => ({ place: `https://files.example.com${homedir()}/a${process.cwd()}/b` }) },
        similar: { methods: ['GET'], route: '/similar', output, handler: () => ({ place: `${homedir()}s` }) },
        path: { methods: ['GET'], route: '/path', output, handler: () => ({ place: `${homedir()}/a` }) },
      } })
    )
    expect(told(report)).toEqual(['GET /x/path: The reply contains a path of this machine (200)'])
  })

  it('takes the headers of a stream of events for the reply, and closes it', async () => {
    let open = 0
    const report = await checkSmall((router) =>
      mountRoutes(router, { app: 'x', route: '/live', name: 'live', routes: {
        events: { methods: ['GET'], route: '', produces: 'text/event-stream', handler: (_req, res) => {
          open++
          res.type('text/event-stream').write('data: 1\n\n')
          const timer = setInterval(() => res.write('data: 1\n\n'), 100)
          res.on('close', () => {
            open--
            clearInterval(timer)
          })
        } },
      } }), { timeout: 0.5 })
    expect(told(report)).toEqual([])
    expect(report.isComplete).toBe(true)
    expect(open).toBe(0)
  })

  it('takes a payroll for no payment, and finds cents below zero where money is moved', async () => {
    const input = z.object({ amount: z.number().min(-1000).max(1000) })
    const cents = z.object({ amountCents: z.int().max(1000) })
    const handler = (): null => null
    const report = await checkSmall((router) =>
      mountRoutes(router, { app: 'x', route: '', name: 'money', routes: {
        correct: { methods: ['POST'], route: '/payroll/corrections', input, handler },
        pay: { methods: ['POST'], route: '/sendMoney', input: cents, handler },
      } })
    )
    expect(told(report)).toEqual(['POST /x/sendMoney: `amountCents` may be below zero where money or goods are moved'])
  })

  it('takes no string of a later page of a tenant for one of another tenant', async () => {
    const notes = memoryStore({ key: 'id',
      rows: Array.from({ length: 44 },
        (_, index) => ({ id: index + 1, tenantId: index < 43 ? 'one' : 'two',
          text: index < 43 ? `Note ${index}` : 'Note 42' })) })
    const Note = z.object({ id: z.int(), text: z.string().max(60) })
    const report = await checkSmall(
      (router) =>
        mountResource(router, { app: 'x', route: '/notes', name: 'notes',
          ...crud(notes, { input: Note.omit({ id: true }), output: Note, export: true,
            scope: (req) => [['tenantId', '=', String(req.auth?.tenantId)]] }) }),
      {
        callers: { ann: { id: 1, role: 'u', tenantId: 'one' }, ben: { id: 2, role: 'u', tenantId: 'two' } },
        tenants: ['ann', 'ben'],
        only: ['x.notes.list', 'x.notes.export'],
      },
    )
    expect(told(report)).toEqual([])
  })

  it('blames no other route for a list whose order is left to chance', async () => {
    const rows = [1, 2, 3, 4, 5, 6].map((id) => ({ id, title: `Quote ${id}` }))
    const output = z.array(z.object({ id: z.int(), title: z.string() }))
    const report = await checkSmall((router) =>
      mountRoutes(router, { app: 'x', route: '', name: 'quotes', routes: {
        random: { methods: ['GET'], route: '/random-quotes', output, handler: () => shuffled(rows) },
        mixed: { methods: ['GET'], route: '/mixed', output, handler: () => shuffled(rows) },
        all: { methods: ['GET'], route: '/quotes', output, handler: () => rows },
      } })
    )
    expect(told(report)).toEqual(['GET /x/mixed: The list has the same records in another order each time'])
  })
})

describe('checkApi on valid requests', () => {
  it.each([
    [z.iso.date(), 'from', 'to'],
    [z.iso.datetime(), 'startsAt', 'endsAt'],
    [z.iso.date(), 'check_in', 'check_out'],
    [z.iso.datetime(), 'validFrom', 'validUntil'],
  ])('ends a period after its beginning (%#)', async (moment, start, end) => {
    const report = await checkSmall(
      (router) =>
        mountRoutes(router, { app: 'x', route: '/stays', name: 'stays', routes: {
          book: { methods: ['POST'], route: '', input: z.object({ [start]: moment, [end]: moment }),
            handler: (_req, _res, stay) => {
              if (String(stay[start]) >= String(stay[end]))
                throw new ValidationError({
                  [end]: ['Before the beginning'],
                })
              throw new Error('No table of stays')
            } },
        } }),
      { budget: 3 },
    )
    expect(told(report)).toEqual(['POST /x/stays: The reply is 500 Internal Server Error'])
  })

  it('sends the largest number that a field accepts', async () => {
    let balance = 70_000
    const report = await checkSmall((router) =>
      mountRoutes(router, { app: 'x', route: '/card', name: 'card', routes: {
        load: { methods: ['POST'], route: '', input: z.object({ points: z.int().min(1).max(80_000) }),
          handler: (_req, _res, { points }) => {
            if (points <= 70_000) return null
            balance -= 1
            throw new ValidationError({ points: ['Too many'] })
          } },
      } }), { budget: 3, snapshot: () => [{ balance }] })
    expect(told(report)).toEqual(['POST /x/card: The reply is 422, but rows have changed'])
  })
})

/** Returns the rows in another order each time. */
function shuffled<R>(rows: readonly R[]): R[] {
  return rows.map((row) => [Math.random(), row] as const).sort(([one], [other]) => one - other).map(([, row]) => row)
}

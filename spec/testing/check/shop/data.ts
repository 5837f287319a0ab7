import type { Request, Response, Router } from 'express'
import { mountRoutes, paginate, param, reply, RequestParam, ValidationError } from 'resourcery'
import { z } from 'zod'
import { mountShelf, Named, named, type Row, type Shelf } from './shelf.js'
import type { Has } from './replies.js'

/** Faults of what is stored and listed, each with its route. */
export const DATA_FAULTS = {
  truncates: 'POST /shop/reviews',
  dateShift: 'POST /shop/events',
  instantShift: 'PATCH /shop/events/:id',
  precision: 'POST /shop/payments',
  escapesHtml: 'POST /shop/quotes',
  replyDiffers: 'POST /shop/orders',
  deleteKeeps: 'DELETE /shop/drafts/:id',
  deletesOther: 'DELETE /shop/stamps/:id',
  patchResets: 'PATCH /shop/profiles/:id',
  putIgnores: 'PUT /shop/addresses/:id',
  patchIgnores: 'PATCH /shop/addresses/:id',
  emptyAsNull: 'POST /shop/addresses',
  wrongLocation: 'POST /shop/boxes',
  etagSame: 'GET /shop/rates/:id',
  keyIgnored: 'POST /shop/transfers',
  patchUnchecked: 'PATCH /shop/seats/:id',
  limitless: 'GET /shop/logs',
  limitIgnored: 'GET /shop/trips',
  negativePage: 'GET /shop/feeds',
  secretSort: 'GET /shop/staff',
  wildcard: 'GET /shop/songs',
  unsorted: 'GET /shop/films',
  descIgnored: 'GET /shop/plays',
  filterIgnored: 'GET /shop/cars',
  filterWrong: 'GET /shop/vans',
  rangeWrong: 'GET /shop/homes',
  pagesRepeat: 'GET /shop/jobs',
  pagesMiss: 'GET /shop/ships',
  cursorRepeats: 'GET /shop/ticks',
  tiesRepeat: 'GET /shop/games',
  listLacksNew: 'POST /shop/letterheads',
  listDiffers: 'GET /shop/parcels',
} as const

export function mountData(router: Router, has: Has): Shelf[] {
  return [...mountStored(router, has), ...mountChanged(router, has), ...mountLists(router, has),
    ...mountPages(router, has)]
}

function dayBefore(day: string): string {
  return new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)
}

const Event = z.object({ name: z.string().min(1).max(100), day: param.calendarDate(), startsAt: z.iso.datetime() })

function mountStored(router: Router, has: Has): Shelf[] {
  const with_ =
    (fault: string, change: (fields: Row) => object) =>
    (shelf: Shelf, req: Request, res: Response, fields: Record<string, unknown>) =>
      shelf.add({ ...fields, ...(has(fault) ? change(fields as Row) : {}) })
  return [
    mountShelf(router, 'reviews', { fields: z.object({ text: z.string().min(1).max(200) }), rows: [{ text: 'Good' }],
      create: with_('truncates', ({ text }) => ({ text: String(text).slice(0, 64) })) }),
    mountShelf(router, 'events', { fields: Event,
      rows: named('Event', 2, () => ({ day: '2026-05-01', startsAt: '2026-05-01T10:00:00.000Z' })),
      create: with_('dateShift', ({ day }) => ({ day: dayBefore(String(day)) })),
      store: (shelf, req, res, { id, ...fields }) => {
        const { startsAt } = fields
        const moved = has('instantShift') && typeof startsAt === 'string'
          ? { startsAt: new Date(Date.parse(startsAt) + 3_600_000).toISOString() }
          : {}
        return Object.assign(shelf.byId(req, id), fields, moved)
      } }),
    mountShelf(router, 'payments', {
      fields: z.object({ amount: param.number().min(0).max(1e9), ref: z.string().max(40) }),
      rows: [{ amount: 1.5, ref: 'a' }],
      create: with_('precision', ({ amount }) => ({ amount: Math.fround(Number(amount)) })),
    }),
    mountShelf(router, 'quotes', { fields: z.object({ text: z.string().min(1).max(300) }), rows: [{ text: 'Yes' }],
      create: with_('escapesHtml',
        ({ text }) => ({ text: String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;') })) }),
    mountShelf(router, 'orders', { fields: Named.extend({ count: param.int().min(1).max(50) }),
      rows: named('Order', 2, () => ({ count: 2 })), create: (shelf, req, res, fields) => {
        const row = shelf.add(fields)
        if (has('replyDiffers')) shelf.rows[shelf.rows.length - 1] = { ...row, count: 1 }
        return row
      } }),
    mountShelf(router, 'letterheads', { fields: Named, rows: named('Head', 2), create: (shelf, req, res, fields) => {
      const row = shelf.add(fields)
      if (has('listLacksNew')) shelf.remove(row)
      return row
    } }),
  ]
}

const Address = z.object({ street: z.string().min(1).max(100), city: z.string().min(1).max(100),
  note: z.string().max(100).nullable() })

function mountChanged(router: Router, has: Has): Shelf[] {
  const addresses = [1, 2].map((count) => ({ street: `Street ${count}`, city: 'Rome', note: null }))
  const Profile = z.object({ name: z.string().min(1).max(100), nickname: z.string().max(100),
    motto: z.string().max(100) })
  return [
    mountShelf(router, 'drafts', { fields: Named, rows: named('Draft', 3), delete: (shelf, req, res, { id }) => {
      const row = shelf.byId(req, id)
      if (!has('deleteKeeps')) shelf.remove(row)
      return null
    } }),
    mountShelf(router, 'stamps', { fields: Named, rows: named('Stamp', 4), delete: (shelf, req, res, { id }) => {
      const row = shelf.byId(req, id)
      shelf.remove(row)
      if (has('deletesOther') && shelf.rows[0] !== undefined) shelf.remove(shelf.rows[0])
      return null
    } }),
    mountShelf(router, 'profiles', { fields: Profile,
      rows: named('Profile', 3, (index) => ({ nickname: `nick ${index}`, motto: 'yes' })),
      store: (shelf, req, res, { id, ...fields }) =>
        Object.assign(shelf.byId(req, id), has('patchResets') ? { nickname: '' } : {}, fields) }),
    mountShelf(router, 'addresses', { fields: Address, rows: addresses,
      actions: ['list', 'show', 'create', 'edit', 'store', 'delete'],
      create: (shelf, req, res, fields) => shelf.add({ ...fields, ...(has('emptyAsNull') && { note: null }) }),
      edit: (shelf, req, res, { id, ...fields }) => {
        const row = shelf.byId(req, id)
        return Object.assign(row, fields, has('putIgnores') ? { city: row.city } : {})
      }, store: (shelf, req, res, { id, ...fields }) => {
        const row = shelf.byId(req, id)
        return Object.assign(row, fields, has('patchIgnores') ? { street: row.street } : {})
      } }),
    mountShelf(router, 'boxes', { fields: Named, rows: named('Box', 2), create: (shelf, req, res, fields) => {
      const row = shelf.add(fields)
      if (has('wrongLocation')) res.set('Location', `/shop/boxen/${row.id}`)
      return row
    } }),
    mountShelf(router, 'rates', { fields: Named, rows: named('Rate', 2), show: (shelf, req, res, { id }) => {
      const row = shelf.byId(req, id)
      if (has('etagSame')) res.set('ETag', `"rate-${row.id}"`)
      return row
    } }),
    mountTransfers(router, has),
    mountShelf(router, 'seats', { fields: z.object({ label: z.string().min(1).max(20) }),
      rows: [{ label: 'A1' }, { label: 'A2' }], output: z.object({ id: z.int(), label: z.string() }),
      ...(has('patchUnchecked') && { changes: z.object({ label: z.string() }) }) }),
  ]
}

function mountTransfers(router: Router, has: Has): Shelf {
  const shelf = mountShelf(router, 'transfers', { fields: Named, rows: named('Transfer', 2),
    actions: ['list', 'show'] })
  const done = new Map<string, Row>()
  mountRoutes(router, { app: 'shop', route: '/transfers', name: 'transfer-starts', routes: {
    start: { methods: ['POST'], route: '', input: Named, status: 201,
      output: z.object({ id: z.int(), name: z.string() }),
      requestHeaders: { 'Idempotency-Key': { description: 'A key of the request' } }, handler: (req, res, fields) => {
        const key = req.get('idempotency-key')
        const known = key === undefined || has('keyIgnored') ? undefined : done.get(`${String(req.auth?.id)} ${key}`)
        const row = known ?? shelf.add(fields)
        if (key !== undefined) done.set(`${String(req.auth?.id)} ${key}`, row)
        return row as { id: number; name: string }
      } },
  } })
  return shelf
}

const Film = z.object({ title: z.string().min(1).max(100), year: param.int().min(1900).max(2100) })
const Sorted = z.object({ sort: z.enum(['title', '-title', 'year', '-year']).optional() })

function sorted(rows: readonly Row[], sort: unknown): readonly Row[] {
  if (typeof sort !== 'string') return rows
  const name = sort.replace(/^-/, '')
  const up = rows.toSorted((one, other) => {
    const [a, b] = [one[name], other[name]]
    return typeof a === 'number' ? a - Number(b) : String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0
  })
  return sort.startsWith('-') ? up.toReversed() : up
}

function mountLists(router: Router, has: Has): Shelf[] {
  const films = [1999, 1980, 2011, 2004].map((year, index) => ({ title: `${'dbca'[index] ?? ''} film`, year }))
  const page = (req: Request, rows: readonly Row[]): unknown => paginate([...rows], RequestParam.page(req))
  const Car = z.object({ name: z.string().min(1).max(100), color: z.enum(['red', 'blue', 'green']) })
  const cars = named('Car', 5, (index) => ({ color: ['red', 'blue', 'green'][index % 3] }))
  const colors = z.object({ color: Car.shape.color.optional() })
  return [
    mountShelf(router, 'films', { fields: Film, rows: films, query: Sorted,
      list: (shelf, req, res, { sort }) =>
        page(req, has('unsorted') && String(sort).includes('year') ? shelf.rows : sorted(shelf.rows, sort)) }),
    mountShelf(router, 'plays', { fields: Film, rows: films, query: Sorted,
      list: (shelf, req, res, { sort }) =>
        page(req, sorted(shelf.rows, has('descIgnored') ? String(sort ?? 'title').replace('-', '') : sort)) }),
    mountShelf(router, 'cars', { fields: Car, rows: cars, query: colors,
      list: (shelf, req, res, { color }) =>
        page(req, shelf.rows.filter((row) => has('filterIgnored') || color === undefined || row.color === color)) }),
    mountShelf(router, 'vans', { fields: Car, rows: cars, query: colors,
      list: (shelf, req, res, { color }) =>
        page(req, shelf.rows.filter((row) =>
          color === undefined || row.color === color || (has('filterWrong') && row.color !== 'red')
        )) }),
    mountShelf(router, 'homes', {
      fields: z.object({ name: z.string().min(1).max(50), price: param.int().min(0).max(1_000_000) }),
      rows: [5, 1, 9, 3].map((price) => ({ name: `Home ${price}`, price })),
      query: z.object({ minPrice: param.int().optional(), maxPrice: param.int().optional() }),
      list: (shelf, req, res, { minPrice = 0, maxPrice = Infinity }) =>
        page(req, shelf.rows.filter(({ price }) =>
          Number(price) >= Number(minPrice) && (has('rangeWrong') || Number(price) <= Number(maxPrice))
        )),
    }),
    mountShelf(router, 'staff', { fields: Named,
      rows: named('Clerk', 4, (index) => ({ salary: [30, 10, 40, 20][index] })),
      query: z.object({ sort: z.string().max(30).optional() }), list: (shelf, req, res, { sort }) => {
        const allowed = ['name', '-name', ...(has('secretSort') ? ['salary', '-salary'] : [])]
        if (sort !== undefined && !allowed.includes(String(sort))) throw new ValidationError({ sort: ['Unknown'] })
        return page(req, sorted(shelf.rows, sort))
      } }),
    mountShelf(router, 'songs', { fields: Named,
      rows: ['Yellow moon', 'Blue sun', 'Green star'].map((name) => ({ name })),
      query: z.object({ search: z.string().max(100).optional() }), list: (shelf, req, res, { search = '' }) => {
        const literal = String(search).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
        const pattern = new RegExp(has('wildcard') ? literal.replaceAll('%', '.*').replaceAll('_', '.') : literal, 'i')
        return page(req, shelf.rows.filter(({ name }) => pattern.test(String(name))))
      } }),
    mountShelf(router, 'parcels', { fields: Named.extend({ weight: param.int().min(0).max(99) }),
      rows: named('Parcel', 3, (index) => ({ weight: index + 2 })),
      list: (shelf, req) => page(req, shelf.rows.map((row) => has('listDiffers') ? { ...row, weight: 0 } : row)) }),
  ]
}

function mountPages(router: Router, has: Has): Shelf[] {
  const list = (name: string, count: number, handler: (shelf: Shelf, req: Request) => unknown,
    query?: z.ZodObject): Shelf =>
    mountShelf(router, name, { fields: Named, rows: named(name, count), ...(query && { query }), list: handler })
  const numbers = (req: Request): { page: number; limit: number } => {
    const { page = '1', limit = '20' } = req.query
    return { page: Number(page), limit: Number(limit) }
  }
  return [
    list('logs', 4, (shelf, req) => {
      const { page, limit } = has('limitless') ? numbers(req) : RequestParam.page(req)
      if (!(page > 0 && limit > 0)) throw new ValidationError({ page: ['Positive'] })
      return reply('ok', shelf.rows.slice((page - 1) * limit, page * limit), { total: shelf.rows.length, page, limit })
    }),
    list('trips', 6, (shelf, req) => {
      const { page, limit } = RequestParam.page(req)
      const rows = has('limitIgnored') ? shelf.rows : shelf.rows.slice((page - 1) * limit, page * limit)
      return reply('ok', rows, { total: shelf.rows.length, page, limit })
    }),
    list('feeds', 4, (shelf, req) => {
      const { page, limit } = has('negativePage') ? numbers(req) : RequestParam.page(req)
      if (Number.isNaN(page) || !(limit > 0 && limit <= 100)) throw new ValidationError({ page: ['A number'] })
      return reply('ok', shelf.rows.slice((page - 1) * limit, page * limit), { total: shelf.rows.length, page, limit })
    }),
    list('jobs', 7, (shelf, req) => {
      const { page, limit } = RequestParam.page(req)
      const from = has('pagesRepeat') ? (page - 1) * Math.max(1, limit - 1) : (page - 1) * limit
      return reply('ok', shelf.rows.slice(from, from + limit), { total: shelf.rows.length, page, limit })
    }),
    list('ships', 7, (shelf, req) => {
      const { page, limit } = RequestParam.page(req)
      const from = (page - 1) * limit + (has('pagesMiss') && page > 1 ? 1 : 0)
      return reply('ok', shelf.rows.slice(from, page * limit), { total: shelf.rows.length, page, limit })
    }),
    list('ticks', 7, (shelf, req) => {
      const { cursor = '', limit = '20' } = req.query as Record<string, string | undefined>
      const [size, from] = [Number(limit), Number(cursor)]
      if (!(size > 0 && size <= 100) || !(from >= 0)) throw new ValidationError({ cursor: ['No such cursor'] })
      const rows = shelf.rows.filter(({ id }) => has('cursorRepeats') ? id >= from : id > from).slice(0, size)
      return reply('ok', rows, { limit: size, next: rows.length < size ? null : String(rows.at(-1)?.id) })
    }, z.object({ cursor: z.string().max(50).optional(), limit: param.int().min(1).max(100).optional() })),
    list('games', 7, (shelf, req) => {
      const { page, limit } = RequestParam.page(req)
      const tied = has('tiesRepeat') && page % 2 === 0 ? shelf.rows.toReversed() : shelf.rows
      return reply('ok', tied.slice((page - 1) * limit, page * limit), { total: shelf.rows.length, page, limit })
    }),
  ]
}

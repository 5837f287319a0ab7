import type { Router } from 'express'
import { ConflictError, findOrFail, paginate, param, reply, RequestParam } from 'resourcery'
import { z } from 'zod'
import { mountShelf, Named, named, type Shelf, type ShelfHandler } from './shelf.js'
import type { Has } from './replies.js'

/** Faults of which record a request reaches, and of what a handler forgets, each with its route. */
export const IDENTITY_FAULTS = {
  shownOther: 'GET /shop/doors/:id',
  idReused: 'POST /shop/stalls',
  idRaced: 'POST /shop/queues',
  idOfBody: 'PATCH /shop/hooks/:id',
  anyParent: 'GET /shop/floors/:floorId/desks/:id',
  staleReply: 'PATCH /shop/halls/:id',
  firstItem: 'POST /shop/albums',
  absolute: 'POST /shop/depths',
  fraction: 'POST /shop/weights',
  repeatFails: 'POST /shop/mottos',
  zeroBound: 'GET /shop/fees',
  eitherFilter: 'GET /shop/bikes',
} as const

export function mountIdentity(router: Router, has: Has): Shelf[] {
  return [...mountReached(router, has), ...mountForgotten(router, has), ...mountFiltered(router, has),
    ...mountNested(router, has)]
}

function mountReached(router: Router, has: Has): Shelf[] {
  return [
    mountShelf(router, 'doors', { fields: Named, rows: named('Door', 4), actions: ['list', 'show', 'create'],
      show: (shelf, req, res, { id }) =>
        has('shownOther') ? findOrFail(shelf.rows[Number(id)]) : shelf.byId(req, id) }),
    mountShelf(router, 'stalls', { fields: Named, rows: named('Stall', 3), actions: ['show', 'create', 'delete'],
      create: (shelf, req, res, fields) => {
        if (!has('idReused')) return shelf.add(fields)
        const row = { ...fields, id: shelf.rows.length + 1 }
        shelf.rows.push(row)
        return row
      } }),
    mountShelf(router, 'queues', { fields: Named, rows: named('Queue', 2), actions: ['show', 'create'],
      create: async (shelf, req, res, fields) => {
        const id = shelf.rows.length + 1
        if (has('idRaced')) await new Promise((resolve) => setTimeout(resolve, 5))
        const row = { ...fields, id }
        shelf.rows.push(row)
        return row
      } }),
    mountShelf(router, 'hooks', { fields: Named, rows: named('Hook', 3),
      store: (shelf, req, res, { id, ...fields }) => {
        const { id: sent } = Object(req.body) as { readonly id?: unknown }
        return Object.assign(shelf.byId(req, has('idOfBody') ? sent ?? id : id), fields)
      } }),
    mountShelf(router, 'halls', { fields: Named, rows: named('Hall', 2),
      store: (shelf, req, res, { id, ...fields }) => {
        const row = shelf.byId(req, id)
        const before = { ...row }
        Object.assign(row, fields)
        return has('staleReply') ? before : row
      } }),
  ]
}

function mountForgotten(router: Router, has: Has): Shelf[] {
  const isTaken = (shelf: Shelf, name: unknown): boolean => shelf.rows.some((row) => row.name === name)
  return [
    mountShelf(router, 'albums', { fields: z.object({ tags: z.array(z.string().min(1).max(20)).max(5) }),
      rows: [{ tags: ['a', 'b'] }],
      create: (shelf, req, res, { tags }) =>
        shelf.add({ tags: has('firstItem') ? (tags as string[]).slice(0, 1) : tags }) }),
    mountShelf(router, 'depths', { fields: z.object({ metres: param.int().min(-100).max(100) }), rows: [{ metres: 3 }],
      create: (shelf, req, res, { metres }) =>
        shelf.add({ metres: has('absolute') ? Math.abs(Number(metres)) : metres }) }),
    mountShelf(router, 'weights', { fields: z.object({ kilos: param.number().min(-10).max(10) }), rows: [{ kilos: 3 }],
      create: (shelf, req, res, { kilos }) =>
        shelf.add({ kilos: has('fraction') ? Math.trunc(Number(kilos)) : kilos }) }),
    mountShelf(router, 'mottos', { fields: Named, rows: named('Motto', 2), actions: ['list', 'show', 'create'],
      create: (shelf, req, res, fields) => {
        if (!isTaken(shelf, fields.name)) return shelf.add(fields)
        throw has('repeatFails') ? new Error('mottos_name_key') : new ConflictError('There is such a motto')
      } }),
  ]
}

const Page = { page: param.int().min(1).default(1), limit: param.int().min(1).max(100).default(20) }

/** Returns a handler of a list that filters by its arguments. */
function filtered(keeps: (row: Record<string, unknown>, query: Record<string, unknown>) => boolean): ShelfHandler {
  return (shelf, req, res, { page, limit, ...query }) => {
    const rows = shelf.own(req).filter((row) => keeps(row, query))
    const start = (Number(page) - 1) * Number(limit)
    return reply('ok', rows.slice(start, start + Number(limit)), { total: rows.length, page, limit })
  }
}

function mountFiltered(router: Router, has: Has): Shelf[] {
  const Bike = { color: z.enum(['red', 'blue']), size: z.enum(['small', 'large']) }
  const bikes = Bike.color.options.flatMap((color) => Bike.size.options.map((size) => ({ color, size })))
  return [
    mountShelf(router, 'fees', { fields: z.object({ cents: param.int().min(0).max(900) }),
      rows: [0, 5, 100, 20].map((cents) => ({ cents })),
      query: z.object({ maxCents: param.int().min(0).optional(), ...Page }),
      list: filtered(({ cents }, { maxCents }) =>
        (has('zeroBound') ? !maxCents : maxCents === undefined) || Number(cents) <= Number(maxCents)
      ) }),
    mountShelf(router, 'bikes', { fields: z.object(Bike), rows: bikes,
      query: z.object({ color: Bike.color.optional(), size: Bike.size.optional(), ...Page }),
      list: filtered((row, { color, size }) => {
        const matches = [[row.color, color], [row.size, size]].filter(([, asked]) => asked !== undefined)
          .map(([value, asked]) => value === asked)
        return has('eitherFilter') ? matches.length === 0 || matches.includes(true) : !matches.includes(false)
      }) }),
  ]
}

function mountNested(router: Router, has: Has): Shelf[] {
  const floors = mountShelf(router, 'floors', { fields: Named, rows: named('Floor', 2), actions: ['list', 'show'] })
  const desks = mountShelf(router, 'floors/:floorId/desks', { fields: Named,
    rows: named('Desk', 4, (index) => ({ floorId: index % 2 + 1 })), actions: ['list', 'show', 'create'],
    isOwn: (req, row) => row.floorId === floors.byId(req, Number(req.params.floorId)).id,
    list: (shelf, req) => paginate(shelf.own(req), RequestParam.page(req)),
    show: (shelf, req, res, { id }) =>
      has('anyParent') ? findOrFail(shelf.rows.find((row) => row.id === id)) : shelf.byId(req, id),
    create: (shelf, req, res, fields) =>
      shelf.add({ ...fields, floorId: floors.byId(req, Number(req.params.floorId)).id }) })
  return [floors, desks]
}

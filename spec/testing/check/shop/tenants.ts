import express, { type Express, type Request, type Router } from 'express'
import { auth, BusinessError, ConflictError, errorHandler, findOrFail, ForbiddenError, mountRoutes, notFound, paginate,
  param, permission, reply, RequestParam, ValidationError } from 'resourcery'
import { z } from 'zod'
import { mountShelf, Named, named, type Fields, type Row, type Shelf } from './shelf.js'

/** Faults between two tenants, each with its route. */
export const BORDER_FAULTS = {
  nested: 'GET /shop/orders/:orderId/lines',
  nestedWrite: 'POST /shop/carts/:cartId/items',
  idByQuery: 'GET /shop/invoices',
  tenantByQuery: 'GET /shop/letters',
  search: 'GET /shop/messages',
  include: 'GET /shop/projects',
  exported: 'GET /shop/exports/contacts',
  exportPosted: 'POST /shop/people/export',
  total: 'GET /shop/tasks',
  meta: 'GET /shop/plans',
  conflict: 'POST /shop/domains',
  conflictOnChange: 'PATCH /shop/aliases/:id',
  cursor: 'GET /shop/entries',
  reassign: 'PATCH /shop/assets/:id',
  assigned: 'POST /shop/tools',
  reference: 'POST /shop/shipments',
  oracle: 'GET /shop/passes/:id',
  oracleDelete: 'DELETE /shop/badges/:id',
  bodyId: 'POST /shop/papers/move',
  bodyIds: 'POST /shop/scans/archive',
  member: 'POST /shop/bills/:id/pay',
  stats: 'GET /shop/figures',
  latest: 'GET /shop/newest',
  cachedList: 'GET /shop/menus',
  sharedId: 'GET /shop/gates',
  referenceOnChange: 'PATCH /shop/crates/:id',
  unchecked: 'POST /shop/stickers',
  otherName: 'POST /shop/errands',
  references: 'POST /shop/pallets',
  nestedReference: 'POST /shop/baskets',
  claimedHeader: 'PUT /shop/signs/:id',
  createdByHeader: 'POST /shop/banners',
  sharedKey: 'POST /shop/transfers',
  cachedSingle: 'GET /shop/own-settings',
  otherSingle: 'PUT /shop/own-address',
  searchAll: 'GET /shop/find',
} as const

const tenantOf = (req: Request): string => String(req.auth?.tenantId)
const isOwn = (req: Request, row: Row): boolean => row.tenantId === tenantOf(req)
const rowsOf = (name: string): Fields[] =>
  named(name, 6, (index) => ({ tenantId: index % 2 === 0 ? 'north' : 'south' }))

/** Makes an app of two tenants, with these faults. */
export function borderApp(has: (fault: string) => boolean): Express {
  const app = express()
  const shop = express.Router()
  app.use('/shop', auth('shop', { secret: 'a secret of at least 32 bytes for tests' }),
    permission('shop', { roles: { seller: ['*'] } }), shop)
  mountChildren(shop, has)
  mountQueries(shop, has)
  mountWrites(shop, has)
  mountReferences(shop, has)
  mountHeaders(shop, has)
  mountSingles(shop, has)
  mountCustom(shop, has)
  app.use(notFound(), errorHandler({ log: () => undefined }))
  return app
}

/** Mounts a collection in which each caller has the rows of one tenant. */
function mountOwn(shop: Router, name: string, options: Partial<Parameters<typeof mountShelf>[2]> = {}): Shelf {
  return mountShelf(shop, name, { fields: Named, rows: rowsOf(name), isOwn,
    create: (shelf, req, res, fields) => shelf.add({ ...fields, tenantId: tenantOf(req) }), ...options })
}

function mountChildren(shop: Router, has: (fault: string) => boolean): void {
  const orders = mountOwn(shop, 'orders')
  const lines = orders.rows.map(({ id }) => ({ id: id + 50, orderId: id, text: `line ${id}` }))
  const parent = (shelf: Shelf, req: Request, fault: string, id: unknown): Row =>
    has(fault) ? findOrFail(shelf.rows.find((row) => row.id === id)) : shelf.byId(req, id)
  mountRoutes(shop, { app: 'shop', route: '/orders/:orderId/lines', name: 'orders.lines', routes: {
    list: { methods: ['GET'], route: '', input: z.object({ orderId: param.int() }),
      handler: (req, res, { orderId }) => {
        const order = parent(orders, req, 'nested', orderId)
        return lines.filter((line) => line.orderId === order.id)
      } },
  } })
  const carts = mountOwn(shop, 'carts')
  const items: Fields[] = []
  mountRoutes(shop, { app: 'shop', route: '/carts/:cartId/items', name: 'carts.items', routes: {
    list: { methods: ['GET'], route: '', input: z.object({ cartId: param.int() }), handler: (req, res, { cartId }) => {
      const cart = carts.byId(req, cartId)
      return items.filter((item) => item.cartId === cart.id)
    } },
    create: { methods: ['POST'], route: '', input: z.object({ cartId: param.int(), text: z.string().max(50) }),
      handler: (req, res, { cartId, text }) => {
        const cart = parent(carts, req, 'nestedWrite', cartId)
        items.push({ id: items.length + 1, cartId: cart.id, text })
        return null
      } },
  } })
}

function mountQueries(shop: Router, has: (fault: string) => boolean): void {
  const page = (req: Request, rows: readonly Row[]): unknown => paginate([...rows], RequestParam.page(req))
  const customers = mountOwn(shop, 'customers')
  mountOwn(shop, 'invoices', { query: z.object({ customerId: param.int().optional() }),
    rows: rowsOf('invoice').map((row, index) => ({ ...row, customerId: index + 1 })),
    list: (shelf, req, res, { customerId }) => {
      if (customerId === undefined) return page(req, shelf.own(req))
      const all = has('idByQuery') ? shelf.rows : shelf.own(req)
      return page(req, all.filter((row) => row.customerId === customerId))
    } })
  if (customers.rows.length === 0) throw new Error('There are no customers')
  mountOwn(shop, 'letters', { list: (shelf, req) => {
    const tenantId = has('tenantByQuery') ? req.query.tenantId ?? tenantOf(req) : tenantOf(req)
    return page(req, shelf.rows.filter((row) => row.tenantId === tenantId))
  } })
  mountOwn(shop, 'messages', { query: z.object({ search: z.string().max(100).optional() }),
    list: (shelf, req, res, { search }) => {
      const rows = has('search') && search !== undefined ? shelf.rows : shelf.own(req)
      return page(req, rows.filter(({ name }) => String(name).includes(String(search ?? ''))))
    } })
  mountOwn(shop, 'projects', { query: z.object({ include: z.enum(['own', 'all']).optional() }),
    list: (shelf, req, res, { include }) =>
      page(req, has('include') && include === 'all' ? shelf.rows : shelf.own(req)) })
  mountOwn(shop, 'tasks', { list: (shelf, req) => {
    const { page: number, limit } = RequestParam.page(req)
    const rows = shelf.own(req)
    const total = has('total') ? shelf.rows.length : rows.length
    return reply('ok', rows.slice((number - 1) * limit, number * limit), { total, page: number, limit })
  } })
  mountOwn(shop, 'plans', { list: (shelf, req) => {
    const rows = shelf.own(req)
    return reply('ok', rows.slice(0, 50), { ever: has('meta') ? shelf.rows.length : rows.length })
  } })
  mountOwn(shop, 'entries', {
    query: z.object({ cursor: z.string().max(40).optional(), limit: param.int().min(1).max(100).optional() }),
    list: (shelf, req, res, { cursor = '', limit = 20 }) => {
      const from = Number(cursor)
      if (!(from >= 0)) throw new ValidationError({ cursor: ['No such cursor'] })
      const all = has('cursor') && from > 0 ? shelf.rows : shelf.own(req)
      const rows = all.filter(({ id }) => id > from).slice(0, Number(limit))
      return reply('ok', rows, { limit: Number(limit),
        next: rows.length < Number(limit) ? null : String(rows.at(-1)?.id) })
    },
  })
  const cache = new Map<string, unknown>()
  mountOwn(shop, 'menus', { actions: ['list', 'show'], list: (shelf, req) => {
    const rows = shelf.own(req)
    if (!cache.has(req.originalUrl)) cache.set(req.originalUrl, rows)
    return has('cachedList') ? cache.get(req.originalUrl) : rows
  } })
  mountOwn(shop, 'gates', { actions: ['list', 'show'],
    list: (shelf, req) => has('sharedId') ? shelf.rows : shelf.own(req) })
}

function mountWrites(shop: Router, has: (fault: string) => boolean): void {
  const checkFree = (rows: readonly Row[], name: unknown, except?: unknown): void => {
    if (rows.some((row) => row.name === name && row.id !== except)) throw new ConflictError('The name is taken')
  }
  mountOwn(shop, 'domains', { create: (shelf, req, res, fields) => {
    checkFree(has('conflict') ? shelf.rows : shelf.own(req), fields.name)
    return shelf.add({ ...fields, tenantId: tenantOf(req) })
  } })
  mountOwn(shop, 'aliases', { store: (shelf, req, res, { id, ...fields }) => {
    const row = shelf.byId(req, id)
    checkFree(has('conflictOnChange') ? shelf.rows : shelf.own(req), fields.name, id)
    return Object.assign(row, fields)
  } })
  mountOwn(shop, 'assets', { store: (shelf, req, res, { id, ...fields }) => {
    const { tenantId } = Object(req.body) as Fields
    return Object.assign(shelf.byId(req, id), fields, has('reassign') && tenantId !== undefined ? { tenantId } : {})
  } })
  mountOwn(shop, 'tools', { create: (shelf, req, res, fields) => {
    const { tenantId } = Object(req.body) as Fields
    return shelf.add({ ...fields, tenantId: has('assigned') ? tenantId ?? tenantOf(req) : tenantOf(req) })
  } })
  const parcels = mountOwn(shop, 'parcels')
  const checkParcel = (rows: readonly Row[], parcelId: unknown): void => {
    if (!rows.some(({ id }) => id === parcelId)) throw new ValidationError({ parcelId: ['No such parcel'] })
  }
  mountOwn(shop, 'shipments', { fields: z.object({ parcelId: param.int() }), rows: [
    { parcelId: 1, tenantId: 'north' },
    { parcelId: 2, tenantId: 'south' },
  ], create: (shelf, req, res, { parcelId }) => {
    checkParcel(has('reference') ? parcels.rows : parcels.own(req), parcelId)
    return shelf.add({ parcelId, tenantId: tenantOf(req) })
  }, store: (shelf, req, res, { id, ...fields }) => {
    if (fields.parcelId !== undefined) checkParcel(parcels.own(req), fields.parcelId)
    return Object.assign(shelf.byId(req, id), fields)
  } })
  const oracle = (shelf: Shelf, req: Request, id: unknown, isFaulty: boolean): Row => {
    if (isFaulty && shelf.rows.some((row) => row.id === id && !isOwn(req, row))) throw new ForbiddenError()
    return shelf.byId(req, id)
  }
  mountOwn(shop, 'passes', { show: (shelf, req, res, { id }) => oracle(shelf, req, id, has('oracle')) })
  mountOwn(shop, 'badges', { delete: (shelf, req, res, { id }) => {
    shelf.remove(oracle(shelf, req, id, has('oracleDelete')))
    return null
  } })
}

/** Mounts what refers to records of another collection. */
function mountReferences(shop: Router, has: (fault: string) => boolean): void {
  const depots = mountOwn(shop, 'depots')
  const check = (req: Request, fault: string, ids: readonly unknown[]): void => {
    if (has(fault) && fault === 'unchecked') return
    const known = has(fault) ? depots.rows : depots.own(req)
    if (ids.some((id) => !known.some((row) => row.id === id))) throw new ValidationError({ id: ['No such depot'] })
  }
  const rows = (fields: (id: number) => Fields): Fields[] =>
    [1, 2].map((id) => ({ ...fields(id), tenantId: id === 1 ? 'north' : 'south' }))
  const mount = (fault: keyof typeof BORDER_FAULTS, name: string, fields: z.ZodObject,
    idsOf: (fields: Fields) => readonly unknown[]): void =>
  {
    const sample = (id: number): Fields => ({ depotId: id, keeperId: id, depotIds: [id], items: [{ depotId: id }] })
    const names = Object.keys(fields.shape)
    mountOwn(shop, name, { fields,
      rows: rows((id) => Object.fromEntries(Object.entries(sample(id)).filter(([one]) => names.includes(one)))),
      create: (shelf, req, res, sent) => {
        if (fault !== 'referenceOnChange') check(req, fault, idsOf(sent))
        else check(req, '', idsOf(sent))
        return shelf.add({ ...sent, tenantId: tenantOf(req) })
      }, store: (shelf, req, res, { id, ...sent }) => {
        const row = shelf.byId(req, id)
        check(req, fault === 'referenceOnChange' ? fault : '', idsOf({ ...row, ...sent }))
        return Object.assign(row, sent)
      } })
  }
  const byDepot = z.object({ depotId: param.int() })
  mount('referenceOnChange', 'crates', byDepot, ({ depotId }) => [depotId])
  mount('unchecked', 'stickers', byDepot, ({ depotId }) => [depotId])
  mount('otherName', 'errands', z.object({ keeperId: param.int() }), ({ keeperId }) => [keeperId])
  mount('references', 'pallets', z.object({ depotIds: z.array(param.int()).min(1).max(20) }),
    ({ depotIds }) => depotIds as readonly unknown[])
  mount('nestedReference', 'baskets', z.object({ items: z.array(byDepot).min(1).max(20) }),
    ({ items }) => (items as readonly Fields[]).map(({ depotId }) => depotId))
}

/** Mounts what each tenant has once, and a search of several collections. */
function mountSingles(shop: Router, has: (fault: string) => boolean): void {
  const settings = new Map<string, { title: string }>()
  const addresses = new Map<string, { street: string }>()
  const cache = new Map<string, { title: string }>()
  const papers = mountOwn(shop, 'contracts', { rows: named('Contract', 6, (index) => ({
    name: `Agreement of ${['Wenzel', 'Marlow'][index % 2]}`,
    tenantId: index % 2 === 0 ? 'north' : 'south',
  })) })
  const keyOf = (req: Request): string => has('cachedSingle') ? 'settings' : tenantOf(req)
  mountRoutes(shop, { app: 'shop', route: '', name: 'singles', routes: {
    settings: { methods: ['GET'], route: '/own-settings', output: z.object({ title: z.string() }), handler: (req) => {
      const known = cache.get(keyOf(req)) ?? settings.get(tenantOf(req)) ?? { title: 'A shop' }
      cache.set(keyOf(req), known)
      return known
    } },
    change: { methods: ['PATCH'], route: '/own-settings', input: z.object({ title: z.string().max(200) }),
      handler: (req, res, fields) => {
        settings.set(tenantOf(req), fields)
        cache.clear()
        return null
      } },
    address: { methods: ['GET'], route: '/own-address', output: z.object({ street: z.string() }),
      handler: (req) => addresses.get(tenantOf(req)) ?? { street: '' } },
    move: { methods: ['PUT'], route: '/own-address', input: z.object({ street: z.string().max(200) }),
      handler: (req, res, fields) => {
        for (const tenant of has('otherSingle') ? ['north', 'south'] : [tenantOf(req)]) addresses.set(tenant, fields)
        return null
      } },
    find: { methods: ['GET'], route: '/find', input: z.object({ q: z.string().min(3).max(50) }),
      output: z.object({ contracts: z.array(z.object({ label: z.string() })) }), handler: (req, res, { q }) => {
        const rows = has('searchAll') ? papers.rows : papers.own(req)
        const found = rows.filter(({ name }) => String(name).toLowerCase().includes(q.toLowerCase()))
        return { contracts: found.map(({ name }) => ({ label: String(name) })) }
      } },
  } })
}

/** Mounts what reads headers. */
function mountHeaders(shop: Router, has: (fault: string) => boolean): void {
  const claimed = (req: Request, fault: string): string =>
    (has(fault) ? req.get('x-tenant-id') : undefined) ?? tenantOf(req)
  mountOwn(shop, 'signs', { actions: ['list', 'show', 'create', 'edit'],
    edit: (shelf, req, res, { id, ...fields }) =>
      Object.assign(
        findOrFail(shelf.rows.find((row) => row.id === id && row.tenantId === claimed(req, 'claimedHeader'))),
        fields,
      ) })
  mountOwn(shop, 'banners', {
    create: (shelf, req, res, fields) => shelf.add({ ...fields, tenantId: claimed(req, 'createdByHeader') }),
  })
  const replies = new Map<string, Row>()
  mountOwn(shop, 'transfers', { create: (shelf, req, res, fields) => {
    const key = `${has('sharedKey') ? '' : tenantOf(req)} ${req.get('idempotency-key') ?? ''}`
    const known = req.get('idempotency-key') === undefined ? undefined : replies.get(key)
    const row = known ?? shelf.add({ ...fields, tenantId: tenantOf(req) })
    replies.set(key, row)
    return row
  } })
}

function mountCustom(shop: Router, has: (fault: string) => boolean): void {
  const find = (shelf: Shelf, req: Request, id: unknown, fault: string): Row =>
    has(fault) ? findOrFail(shelf.rows.find((row) => row.id === id)) : shelf.byId(req, id)
  const Ids = z.object({ ids: z.array(param.int()).min(1).max(50) })
  const [papers, scans, bills, contacts, people, figures, newest] = ['papers', 'scans', 'bills', 'contacts', 'people',
    'items', 'news'].map((name) => mountOwn(shop, name)) as [Shelf, Shelf, Shelf, Shelf, Shelf, Shelf, Shelf]
  const own = (shelf: Shelf, req: Request, fault: string): readonly Row[] => has(fault) ? shelf.rows : shelf.own(req)
  const csv = (rows: readonly Row[]): string =>
    ['id,name', ...rows.map(({ id, name }) => `${id},${inert(String(name))}`)].join('\n')
  // A spreadsheet would run what begins with one of these signs.
  const inert = (text: string): string => /^[=+@-]/.test(text) ? `'${text}` : text
  mountRoutes(shop, { app: 'shop', route: '/', name: 'tools-of-all', routes: {
    move: { methods: ['POST'], route: '/papers/move', input: z.object({ id: param.int(), place: z.string().max(20) }),
      handler: (req, res, { id, place }) => {
        Object.assign(find(papers, req, id, 'bodyId'), { place })
        return null
      } },
    archive: { methods: ['POST'], route: '/scans/archive', input: Ids, handler: (req, res, { ids }) => {
      for (const row of ids.map((id) => find(scans, req, id, 'bodyIds')))
        Object.assign(row, { name: `archived ${row.id}` })
      return null
    } },
    pay: { methods: ['POST'], route: '/bills/:id/pay', input: z.object({ id: param.int() }),
      handler: (req, res, { id }) => {
        const bill = find(bills, req, id, 'member')
        if (bill.id < 0) throw new BusinessError('Paid')
        return null
      } },
    contacts: { methods: ['GET'], route: '/exports/contacts', produces: 'text/csv',
      handler: (req, res) => void res.type('text/csv').send(csv(own(contacts, req, 'exported'))) },
    people: { methods: ['POST'], route: '/people/export', body: false, produces: 'text/csv',
      handler: (req, res) => void res.type('text/csv').send(csv(own(people, req, 'exportPosted'))) },
    figures: { methods: ['GET'], route: '/figures', handler: (req) => ({ items: own(figures, req, 'stats').length }) },
    newest: { methods: ['GET'], route: '/newest',
      handler: (req) => ({ last: own(newest, req, 'latest').at(-1)?.name ?? null }) },
  } })
}

import { EventEmitter } from 'node:events'
import type { Request, Response, Router } from 'express'
import { ConflictError, findOrFail, ForbiddenError, mountResource, mountRoutes, NotFoundError, paginate, param,
  RequestParam, toPage, ValidationError } from 'resourcery'
import { z } from 'zod'
import { mountShelf, Named, named, type Row, type Shelf } from './shelf.js'
import type { Has } from './replies.js'

/** Faults of what happens to records that are there: whose they are, what refers to them, how they are named. */
export const RECORD_FAULTS = {
  usedByOthers: 'DELETE /shop/brands/:id',
  deletesNothing: 'DELETE /shop/labels/:id',
  deletesAll: 'DELETE /shop/pins',
  createsOnRead: 'GET /shop/own-purse',
  otherTotal: 'GET /shop/own-bills',
  shownToAll: 'GET /shop/own-letters/:id',
  partToAll: 'GET /shop/own-sheets/:id/content',
  forced: 'DELETE /shop/own-seats/:id',
  deletedFirst: 'DELETE /shop/own-notes/:id',
  anyRoom: 'GET /shop/rooms/:roomId/chairs',
  bookedTwice: 'POST /shop/places',
  encodedName: 'GET /shop/chapters/:slug',
  listeners: 'POST /shop/bells/:id/ring',
  capitals: 'DELETE /shop/own-keys/:id',
  ownerInBody: 'PATCH /shop/own-cards/:id',
  slash: 'POST /shop/own-gates/:id/open',
  ofOthers: 'PUT /shop/own-notices/:id/read',
  partOfDeleted: 'DELETE /shop/own-scans/:id',
  spelled: 'GET /shop/atlases/:id',
  toggles: 'PUT /shop/lamps/:id/favourite',
  appends: 'PUT /shop/tags/:id',
  overdrawn: 'POST /shop/own-wallet/spend',
  sharedKey: 'POST /shop/gifts',
  repeated: 'POST /shop/vaults',
  openList: 'GET /shop/staff',
  shownByClaim: 'GET /shop/own-rents/:id',
  listedByQuery: 'GET /shop/own-bonds',
  noDeletion: 'DELETE /shop/films/:id',
  half: 'POST /shop/films/raise',
  month: 'GET /shop/calendar',
  cappedPattern: 'POST /shop/stamps',
  unbounded: 'POST /shop/letters',
  unstable: 'GET /shop/own-mails',
} as const

const byId = z.object({ id: param.int() })
const Shown = Named.extend({ id: z.int() })

const callerOf = (req: Request): number => Number(req.auth?.id)
const isAdmin = (req: Request): boolean => req.auth?.role === 'admin'
const isOwn = (req: Request, row: Row): boolean => isAdmin(req) || row.ownerId === callerOf(req)

export function mountRecords(router: Router, has: Has): Shelf[] {
  return [...mountDeletions(router, has), ...mountOwn(router, has), ...mountNested(router, has),
    ...mountNames(router, has), ...mountActions(router, has), ...mountRepeated(router, has), ...mountSeen(router, has),
    ...mountSizes(router, has)]
}

function mountDeletions(router: Router, has: Has): Shelf[] {
  const models = mountShelf(router, 'models', { fields: z.object({ brandId: param.int() }),
    rows: [{ brandId: 1 }, { brandId: 2 }], actions: ['list', 'show'] })
  const brands = mountShelf(router, 'brands', { fields: Named, rows: named('Brand', 3),
    delete: (shelf, req, res, { id }) => {
      const row = shelf.byId(req, id)
      const isUsed = models.rows.some(({ brandId }) => brandId === id)
      if (isUsed) throw has('usedByOthers') ? new Error('models_brand_id_fkey') : new ConflictError('A model is of it')
      shelf.remove(row)
      return null
    } })
  const labels = mountShelf(router, 'labels', { fields: Named, rows: named('Label', 3),
    actions: ['list', 'show', 'create'] })
  mountResource(router, { app: 'shop', route: '/labels', name: 'labels.single', handlers: {
    delete: { input: byId, statuses: [404], handler: (req, res, { id }) => {
      const row = labels.rows.find((one) => one.id === id)
      if (row === undefined && !has('deletesNothing')) throw new NotFoundError()
      if (row !== undefined) labels.remove(row)
      return null
    } },
  } })
  return [models, brands, labels, mountPins(router, has)]
}

function mountPins(router: Router, has: Has): Shelf {
  const pins = mountShelf(router, 'pins', { fields: Named, rows: named('Pin', 3), actions: ['list', 'show', 'create'] })
  mountResource(router, { app: 'shop', route: '/pins', name: 'pins.bulk', handlers: {
    deleteMany: { handler: (req) => {
      const isAll = has('deletesAll') && req.query.ids === undefined && req.body === undefined
      const ids = isAll ? pins.rows.map(({ id }) => id) : RequestParam.ids(req, { of: param.int() })
      const rows = ids.map((id) => pins.byId(req, id))
      for (const row of rows) pins.remove(row)
      return null
    } },
  } })
  return pins
}

/** Mounts what belongs to one user, and what admins may see of all. */
function mountOwn(router: Router, has: Has): Shelf[] {
  const owned = (name: string): Record<string, unknown>[] => named(name, 6, (index) => ({ ownerId: index % 2 + 1 }))
  const own = { fields: Named, output: Shown.extend({ ownerId: z.int() }), isOwn }
  const create = (shelf: Shelf, req: Request, res: Response, fields: Record<string, unknown>): Row =>
    shelf.add({ ...fields, ownerId: callerOf(req) })
  const sheets = mountShelf(router, 'own-sheets', { ...own, rows: owned('Sheet'), actions: ['list', 'show'] })
  const seats = mountShelf(router, 'own-seats', { ...own, rows: owned('Seat'), actions: ['list', 'show', 'create'],
    create })
  mountRoutes(router, { app: 'shop', route: '', name: 'own', routes: {
    content: { methods: ['GET'], route: '/own-sheets/:id/content', input: byId, output: z.object({ text: z.string() }),
      handler: (req, res, { id }) => {
        const row = has('partToAll') ? findOrFail(sheets.rows.find((one) => one.id === id)) : sheets.byId(req, id)
        return { text: String(row.name) }
      } },
    leave: { methods: ['DELETE'], route: '/own-seats/:id', input: byId.extend({ force: param.bool().default(false) }),
      handler: (req, res, { id, force }) => {
        const row = has('forced') && force ? seats.rows.find((one) => one.id === id) : seats.byId(req, id)
        seats.remove(findOrFail(row))
        return null
      } },
  } })
  return [sheets, seats, mountPurses(router, has),
    mountShelf(router, 'own-bills', { ...own, rows: owned('Bill'), actions: ['list', 'show'], list: (shelf, req) => {
      const { page, limit } = RequestParam.page(req)
      const rows = shelf.own(req)
      const total = has('otherTotal') ? shelf.rows.length : rows.length
      return toPage(rows.slice((page - 1) * limit, page * limit), { page, limit, total })
    } }),
    mountShelf(router, 'own-letters', { ...own, rows: owned('Letter'), actions: ['list', 'show'],
      show: (shelf, req, res, { id }) =>
        has('shownToAll') ? findOrFail(shelf.rows.find((one) => one.id === id)) : shelf.byId(req, id) }),
    mountShelf(router, 'own-notes', { ...own, rows: owned('Note'), create, delete: (shelf, req, res, { id }) => {
      const row = findOrFail(shelf.rows.find((one) => one.id === id))
      if (has('deletedFirst')) shelf.remove(row)
      if (!isOwn(req, row)) throw new NotFoundError()
      if (shelf.rows.includes(row)) shelf.remove(row)
      return null
    } })]
}

function mountPurses(router: Router, has: Has): Shelf {
  const purses = mountShelf(router, 'purses', { fields: z.object({ ownerId: param.int(), cents: param.int() }),
    rows: [{ ownerId: 1, cents: 500 }], actions: ['list'] })
  mountRoutes(router, { app: 'shop', route: '', name: 'own.purse', routes: {
    show: { methods: ['GET'], route: '/own-purse', output: z.object({ cents: z.int() }), handler: (req) => {
      const purse = purses.rows.find(({ ownerId }) => ownerId === callerOf(req))
      if (purse === undefined && has('createsOnRead')) purses.add({ ownerId: callerOf(req), cents: 0 })
      return { cents: Number(purse?.cents ?? 0) }
    } },
  } })
  return purses
}

function mountNested(router: Router, has: Has): Shelf[] {
  const rooms = mountShelf(router, 'rooms', { fields: Named, rows: named('Room', 3), actions: ['list', 'show'] })
  const isInRoom = (req: Request, row: Row): boolean => row.roomId === rooms.byId(req, Number(req.params.roomId)).id
  const chairs = mountShelf(router, 'rooms/:roomId/chairs', { fields: Named,
    rows: named('Chair', 3, (index) => ({ roomId: index + 1 })), actions: ['list', 'show', 'create'], isOwn: isInRoom,
    list: (shelf, req) => paginate(has('anyRoom') ? shelf.rows : shelf.own(req), RequestParam.page(req)),
    create: (shelf, req, res, fields) =>
      shelf.add({ ...fields, roomId: rooms.byId(req, Number(req.params.roomId)).id }) })
  const places = mountShelf(router, 'places', { fields: z.object({ roomId: param.int() }), rows: [],
    actions: ['list', 'create'], create: async (shelf, req, res, { roomId }) => {
      rooms.byId(req, roomId)
      const ownerId = callerOf(req)
      if (shelf.rows.some((row) => row.roomId === roomId && row.ownerId === ownerId)) throw new ConflictError('Taken')
      if (has('bookedTwice')) await new Promise((resolve) => setTimeout(resolve, 5))
      return shelf.add({ roomId, ownerId })
    } })
  return [rooms, chairs, places]
}

function mountNames(router: Router, has: Has): Shelf[] {
  const chapters: Readonly<Record<string, string>> = { welcome: 'Welcome', payroll: 'The salaries of all employees' }
  const bus = new EventEmitter()
  const bells = mountShelf(router, 'bells', { fields: Named, rows: named('Bell', 2), actions: ['list', 'show'] })
  router.use((req, res, next) => {
    const isHidden = has('encodedName') && req.path.toLowerCase().startsWith('/chapters/payroll') && !isAdmin(req)
    next(isHidden ? new NotFoundError() : undefined)
  })
  router.use((req, res, next) => {
    const path = has('capitals') ? req.path : req.path.toLowerCase()
    next(req.method === 'DELETE' && path.startsWith('/own-keys/') && !isAdmin(req) ? new ForbiddenError() : undefined)
  })
  mountRoutes(router, { app: 'shop', route: '', name: 'own.names', routes: {
    chapters: { methods: ['GET'], route: '/chapters', output: z.array(z.object({ slug: z.string() })),
      handler: () => Object.keys(chapters).map((slug) => ({ slug })) },
    chapter: { methods: ['GET'], route: '/chapters/:slug', input: z.object({ slug: z.string().max(60) }),
      output: z.object({ text: z.string() }), handler: (req, res, { slug }) => {
        const isShown = has('encodedName') || slug !== 'payroll' || isAdmin(req)
        return { text: findOrFail(isShown && Object.hasOwn(chapters, slug) ? chapters[slug] : undefined) }
      } },
    ring: { methods: ['POST'], route: '/bells/:id/ring', input: byId, handler: (req, res, { id }) => {
      bells.byId(req, id)
      if (has('listeners')) bus.on('ring', () => void req.auth)
      return null
    } },
  } })
  return [bells,
    mountShelf(router, 'own-keys', { fields: Named, rows: named('Key', 5), actions: ['list', 'show', 'delete'] })]
}

/** Mounts what may be done to own records alone. */
function mountActions(router: Router, has: Has): Shelf[] {
  const rows = (name: string): Record<string, unknown>[] => named(name, 6, (index) => ({ ownerId: index % 2 + 1 }))
  const own = { fields: Named, output: Shown.extend({ ownerId: z.int() }), isOwn }
  const gates = mountShelf(router, 'own-gates', { ...own, rows: rows('Gate'), actions: ['list', 'show'] })
  const scans = mountShelf(router, 'own-scans', { ...own, rows: rows('Scan'), actions: ['list', 'show', 'create'],
    create: (shelf, req, res, fields) => shelf.add({ ...fields, ownerId: callerOf(req) }) })
  const notices = mountShelf(router, 'own-notices', { fields: z.object({ isRead: z.boolean() }), isOwn,
    rows: [1, 2, 1, 2].map((ownerId) => ({ ownerId, isRead: false })), actions: ['list'] })
  const contents = new Map<number, string>()
  mountRoutes(router, { app: 'shop', route: '', name: 'own.actions', routes: {
    open: { methods: ['POST'], route: '/own-gates/:id/open', input: byId, handler: (req, res, { id }) => {
      const isPlain = !has('slash') || !/\/(?:\?|$)/.test(req.originalUrl)
      const row = findOrFail(gates.rows.find((one) => one.id === id))
      if (isPlain && !isOwn(req, row)) throw new NotFoundError()
      return null
    } },
    read: { methods: ['PUT'], route: '/own-notices/:id/read', input: byId, handler: (req, res, { id }) => {
      const all = has('ofOthers') ? notices.rows : notices.own(req)
      Object.assign(findOrFail(all.find((row) => row.id === id)), { isRead: true })
      return null
    } },
    text: { methods: ['GET'], route: '/own-scans/:id/text', input: byId, output: z.object({ text: z.string() }),
      handler: (req, res, { id }) => {
        const row = scans.own(req).find((one) => one.id === id)
        const text = row === undefined ? contents.get(id) : String(row.name)
        return { text: findOrFail(row === undefined && !has('partOfDeleted') ? undefined : text) }
      } },
    drop: { methods: ['DELETE'], route: '/own-scans/:id', input: byId, handler: (req, res, { id }) => {
      const row = scans.byId(req, id)
      contents.set(id, String(row.name))
      scans.remove(row)
      return null
    } },
  } })
  return [gates, scans, notices,
    mountShelf(router, 'own-cards', { ...own, rows: rows('Card'), actions: ['list', 'show', 'store'],
      store: (shelf, req, res, { id, name }) => {
        const { ownerId } = Object(req.body) as { readonly ownerId?: unknown }
        const row = findOrFail(shelf.rows.find((one) => one.id === id))
        const owner = has('ownerInBody') && ownerId !== undefined ? ownerId : row.ownerId
        if (!isAdmin(req) && owner !== callerOf(req)) throw new NotFoundError()
        return Object.assign(row, name !== undefined && { name })
      } })]
}

/** Mounts what is sent again: by the same caller, by another one, and in a refusal. */
function mountRepeated(router: Router, has: Has): Shelf[] {
  const lamps = mountShelf(router, 'lamps', { fields: Named, output: Shown.extend({ isFavourite: z.boolean() }),
    rows: named('Lamp', 3, () => ({ isFavourite: false })),
    create: (shelf, req, res, fields) => shelf.add({ ...fields, isFavourite: false }) })
  const wallets: Record<number, number> = { 1: 500, 2: 500 }
  mountRoutes(router, { app: 'shop', route: '', name: 'own.repeated', routes: {
    favourite: { methods: ['PUT'], route: '/lamps/:id/favourite', input: byId, handler: (req, res, { id }) => {
      const row = lamps.byId(req, id)
      return Object.assign(row, { isFavourite: has('toggles') ? row.isFavourite === false : true })
    } },
    wallet: { methods: ['GET'], route: '/own-wallet', output: z.object({ cents: z.int() }),
      handler: (req) => ({ cents: wallets[callerOf(req)] ?? 0 }) },
    fill: { methods: ['POST'], route: '/own-wallet/fill', body: false, handler: (req) => {
      wallets[callerOf(req)] = (wallets[callerOf(req)] ?? 0) + 500
      return null
    } },
    spend: { methods: ['POST'], route: '/own-wallet/spend', input: z.object({ cents: param.int().min(1) }),
      handler: async (req, res, { cents }) => {
        if ((wallets[callerOf(req)] ?? 0) < cents) throw new ConflictError('There is not enough in it')
        if (has('overdrawn')) await new Promise((resolve) => setTimeout(resolve, 5))
        wallets[callerOf(req)] = (wallets[callerOf(req)] ?? 0) - cents
        return null
      } },
  } })
  const gifts = new Map<string, Row>()
  const Password = z.string().min(8).max(20).refine((text) => /[A-Z]/.test(text))
  return [lamps,
    mountShelf(router, 'atlases', { fields: Named, rows: named('Atlas', 3), actions: ['list', 'show'],
      id: has('spelled') ? z.string().transform((text) => Number.parseInt(text, 10)) : param.int() }),
    mountShelf(router, 'tags', { fields: z.object({ words: z.array(z.string().max(20)).max(50) }),
      output: z.object({ id: z.int(), words: z.array(z.string()) }), rows: [{ words: ['a'] }],
      actions: ['list', 'show', 'create', 'edit'], edit: (shelf, req, res, { id, words }) => {
        const row = shelf.byId(req, id)
        const sent = words as readonly string[]
        return Object.assign(row, { words: has('appends') ? [...row.words as readonly string[], ...sent] : sent })
      } }),
    mountShelf(router, 'gifts', { fields: Named, actions: ['list', 'create'], create: (shelf, req, res, fields) => {
      const key = req.get('idempotency-key')
      const place = `${has('sharedKey') ? '' : callerOf(req)} ${key}`
      const row = (key === undefined ? undefined : gifts.get(place)) ?? shelf.add(fields)
      gifts.set(place, row)
      return row
    } }),
    mountShelf(router, 'vaults', { fields: Named.extend({ password: z.string().max(100) }), output: Shown,
      actions: ['list', 'create'], create: (shelf, req, res, { name, password }) => {
        const isStrong = Password.safeParse(password).success
        const message = has('repeated') ? `"${String(password)}" is too weak` : 'The password is too weak'
        if (!isStrong) throw new ValidationError({ password: [message] })
        return shelf.add({ name })
      } })]
}

/** Mounts what some callers may see and others may not. */
function mountSeen(router: Router, has: Has): Shelf[] {
  const staff = [1, 2, 3].map((id) => ({ id, name: `Person ${id}`, phone: `0${id}55 1234` }))
  const Person = Shown.extend({ phone: z.string() })
  mountRoutes(router, { app: 'shop', route: '/staff', name: 'staff', routes: {
    all: { methods: ['GET'], route: '', can: !has('openList'), output: z.array(Person), handler: () => staff },
    one: { methods: ['GET'], route: '/:id', input: byId, output: Person,
      handler: (req, res, { id }) => findOrFail(staff.find((one) => one.id === id)) },
  } })
  const claimOf = (req: Request): number => Number(req.auth?.houseId ?? 0)
  const houses = { fields: Named, output: Shown.extend({ houseId: z.int() }),
    rows: named('Rent', 6, (index) => ({ houseId: index % 2 === 0 ? 71 : 72 })),
    isOwn: (req: Request, row: Row): boolean => isAdmin(req) || row.houseId === claimOf(req) }
  return [
    mountShelf(router, 'own-rents', { ...houses, actions: ['list', 'show'],
      show: (shelf, req, res, { id }) =>
        has('shownByClaim') ? findOrFail(shelf.rows.find((row) => row.id === id)) : shelf.byId(req, id) }),
    mountShelf(router, 'own-bonds', { ...houses, actions: ['list'],
      query: z.object({ houseId: param.int().optional() }), list: (shelf, req, res, { houseId }) => {
        const rows = has('listedByQuery') && houseId !== undefined ? shelf.rows : shelf.own(req)
        return paginate(rows.filter((row) => houseId === undefined || row.houseId === houseId), RequestParam.page(req))
      } }),
  ]
}

/** Mounts what takes values of all sizes, and several records at once. */
function mountSizes(router: Router, has: Has): Shelf[] {
  const films = mountShelf(router, 'films', { fields: z.object({ cents: param.int().min(0).max(1_000_000_000) }),
    rows: [100, 200, 300].map((cents) => ({ cents })), actions: ['list', 'show'] })
  const ids = z.array(param.int()).min(1).max(20)
  mountRoutes(router, { app: 'shop', route: '', name: 'own.sizes', routes: {
    remove: { methods: ['DELETE'], route: '/films/:id', input: byId, statuses: [404], handler: (req, res, { id }) => {
      const row = films.rows.find((one) => one.id === id)
      if (row === undefined && !has('noDeletion')) throw new NotFoundError()
      if (row !== undefined) films.remove(row)
      return null
    } },
    raise: { methods: ['POST'], route: '/films/raise', input: z.object({ ids, cents: param.int().min(1).max(500) }),
      handler: (req, res, { ids: chosen, cents }) => {
        if (!has('half')) { for (const id of chosen) films.byId(req, id) }
        for (const id of chosen) {
          const row = films.byId(req, id)
          row.cents = Math.min(Number(row.cents) + cents, 1_000_000_000)
        }
        return null
      } },
    calendar: { methods: ['GET'], route: '/calendar', input: z.object({ month: z.string().regex(/^\d{4}-\d\d$/) }),
      output: z.object({ first: z.string() }), handler: (req, res, { month }) => {
        const first = new Date(`${month}-01`)
        if (Number.isNaN(first.getTime()) && !has('month')) throw new ValidationError({ month: ['No such month'] })
        return { first: first.toISOString() }
      } },
  } })
  const slow = z.string().max(26, { abort: true }).regex(/^([0-9A-Za-z]+ ?)+$/)
  const code = has('cappedPattern') ? slow : z.string().max(26).regex(/^[0-9A-Za-z][0-9A-Za-z ]*$/)
  const Text = has('unbounded') ? z.string().min(1) : z.string().min(1).max(2000)
  const letters = mountShelf(router, 'letters', { fields: z.object({ text: Text }), actions: ['list'] })
  mountResource(router, { app: 'shop', route: '/letters', name: 'letters.new', handlers: {
    create: { input: z.object({ text: Text }), ...has('unbounded') && { body: { limit: 50_000_000 } },
      output: z.object({ id: z.int() }), handler: (req, res, { text }) => letters.add({ text: text.slice(0, 2000) }) },
  } })
  const mails = mountShelf(router, 'own-mails', { fields: Named, output: Shown.extend({ sent: z.int() }), isOwn,
    rows: named('Mail', 9, (index) => ({ ownerId: index < 2 ? 1 : 2, sent: 1 + index % 2 })), actions: ['list'],
    list: (shelf, req) => {
      const { page, limit } = RequestParam.page(req)
      const sorted = shelf.rows.filter((row) => row.ownerId === callerOf(req))
        .sort((one, other) => Number(one.sent) - Number(other.sent))
      // One that the end of the last page shared with others comes again.
      const shift = has('unstable') && page > 1 && sorted[0]?.sent === sorted[(page - 1) * limit]?.sent ? 1 : 0
      const start = (page - 1) * limit - shift
      return toPage(sorted.slice(start, start + limit), { page, limit, total: sorted.length })
    } })
  // No fault: of the first one a single part is left whenever it is listed, of the others many.
  const dues = mountShelf(router, 'dues', { fields: z.object({ parts: param.int() }),
    rows: [1, 50_000, 50_000].map((parts) => ({ parts })), actions: ['list'], list: (shelf, req) => {
      Object.assign(shelf.byId(req, 1), { parts: 1 })
      return paginate(shelf.rows, RequestParam.page(req))
    } })
  const receipts = mountShelf(router, 'receipts', { fields: z.object({ dueId: param.int() }),
    actions: ['list', 'create'], create: (shelf, req, res, { dueId }) => {
      const due = dues.byId(req, dueId)
      if (due.parts === 0) throw new ConflictError('Nothing is left')
      due.parts = Number(due.parts) - 1
      return shelf.add({ dueId })
    } })
  return [films, letters, mails, dues, receipts,
    mountShelf(router, 'stamps', { fields: z.object({ code }), output: z.object({ id: z.int(), code: z.string() }),
      actions: ['list', 'show', 'create'] })]
}

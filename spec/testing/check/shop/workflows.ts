import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Request, Router } from 'express'
import { auth, ConflictError, findOrFail, NotFoundError, mountRoutes, paginate, param, RequestParam, send,
  UnauthorizedError, ValidationError } from 'resourcery'
import { z } from 'zod'
import { mountShelf, Named, named, type Row, type Shelf } from './shelf.js'
import type { Has } from './replies.js'

/** Faults that several requests show, each with its route. */
export const WORKFLOW_FAULTS = {
  notSaved: 'PATCH /shop/settings',
  resetsOthers: 'PATCH /shop/badges/:id',
  keepsDeleted: 'DELETE /shop/labels/:id',
  shuffled: 'GET /shop/news',
  otherBoard: 'POST /shop/boards/:boardId/notes/:noteId/pin',
  halfStored: 'POST /shop/coupons/bulk',
  noSuchDay: 'POST /shop/visits',
  fetches: 'POST /shop/previews',
  fileName: 'GET /shop/scans/:id/file',
  noMaximum: 'GET /shop/entries',
  failsAtSigns: 'GET /shop/find',
  anyFile: 'GET /shop/manuals/:name',
  inherited: 'PATCH /shop/layout',
  belowZero: 'POST /shop/tills/:id/withdraw',
  noBoard: 'POST /shop/boards/:boardId/notes',
  tellsSecret: 'GET /shop/hooks',
  noQuantity: 'GET /shop/bills/:id',
  lostLine: 'GET /shop/offers/:id',
  pairIgnored: 'GET /shop/seats',
  zeroIgnored: 'PATCH /shop/racks/:id',
  keepsOthers: 'POST /door/password',
  anyPassword: 'POST /door/enter/login',
  staysIn: 'POST /door/logout',
  renewsTwice: 'POST /door/refresh',
} as const

export function mountWorkflows(router: Router, has: Has): Shelf[] {
  mountSettings(router, has)
  mountPreviews(router, has)
  mountNamed(router, has)
  return [...mountPlain(router, has), ...mountKept(router, has), mountBoards(router, has), mountCoupons(router, has),
    mountScans(router, has)]
}

function mountSettings(router: Router, has: Has): void {
  const Settings = z.object({ title: z.string().min(1).max(80), perPage: z.int().min(1).max(100) })
  const settings = { title: 'Shop', perPage: 20 }
  mountRoutes(router, { app: 'shop', route: '/settings', name: 'settings', routes: {
    show: { methods: ['GET'], route: '', output: Settings, handler: () => settings },
    store: { methods: ['PATCH'], route: '', input: Settings.partial(), output: Settings,
      handler: (_req, _res, fields) =>
        Object.assign(has('notSaved') && fields.perPage !== undefined ? { ...settings } : settings, fields) },
  } })
}

/** A day as a pattern describes it; only a calendar knows which days there are. */
const DAY = z.string().regex(/^\d{4}-\d{2}-\d{2}$/)

function mountPlain(router: Router, has: Has): Shelf[] {
  const badges = mountShelf(router, 'badges', { actions: ['list', 'show', 'store'],
    fields: Named.extend({ colour: z.string().max(20) }), rows: named('Badge', 3, () => ({ colour: 'red' })),
    store: (shelf, req, _res, { id, ...fields }) =>
      Object.assign(shelf.byId(req, id), has('resetsOthers') ? { colour: '', ...fields } : fields) })
  const labels = mountShelf(router, 'labels', { actions: ['list', 'create', 'delete'], fields: Named,
    rows: named('Label', 2), delete: (shelf, req, _res, { id }) => {
      const label = shelf.byId(req, id)
      if (!has('keepsDeleted')) shelf.remove(label)
      return null
    } })
  let turn = 0
  const news = mountShelf(router, 'news', { actions: ['list'], fields: Named, rows: named('News', 4),
    list: (shelf) => has('shuffled') && ++turn % 2 === 0 ? shelf.rows.toReversed() : shelf.rows })
  const visits = mountShelf(router, 'visits', { fields: Named.extend({ day: DAY }),
    rows: named('Visit', 2, () => ({ day: '2026-11-02' })), actions: ['list', 'show', 'create'],
    create: (shelf, _req, _res, fields) => {
      if (!has('noSuchDay') && new Date(`${String(fields.day)}T00:00Z`).toJSON()?.slice(0, 10) !== fields.day)
        throw new ValidationError({ day: ['There is no such day'] })
      return shelf.add(fields)
    } })
  const entries = mountShelf(router, 'entries', { actions: ['list'], fields: Named, rows: named('Entry', 3),
    query: z.object({ limit: z.coerce.number().int().min(1).optional() }),
    list: (shelf, req, _res, { limit }) =>
      paginate(shelf.rows, has('noMaximum') ? { page: 1, limit: Number(limit ?? 20) } : RequestParam.page(req)) })
  return [badges, labels, news, visits, entries]
}

/** The layout of each caller has its defaults from one object, which is its prototype. */
function mountNamed(router: Router, has: Has): void {
  const Layout = z.object({ columns: z.int().min(1).max(9), isDark: z.boolean() })
  const defaults: Record<string, unknown> = { columns: 2, isDark: false }
  const layouts = new Map<unknown, Record<string, unknown>>()
  const layoutOf = (req: Request): Record<string, unknown> => {
    const layout = layouts.get(req.auth?.id) ?? Object.create(defaults) as Record<string, unknown>
    layouts.set(req.auth?.id, layout)
    return layout
  }
  const shown = ({ columns, isDark }: Record<string, unknown>): z.infer<typeof Layout> => ({ columns: Number(columns),
    isDark: isDark === true })
  mountRoutes(router, { app: 'shop', route: '/layout', name: 'layout', routes: {
    show: { methods: ['GET'], route: '', output: Layout, handler: (req) => shown(layoutOf(req)) },
    create: { methods: ['PATCH'], route: '', status: 200, input: Layout.partial(), output: Layout,
      handler: (req, _res, fields) => {
        const inherited: unknown = Object.getOwnPropertyDescriptor(Object(req.body), '__proto__')?.value
        if (has('inherited')) Object.assign(defaults, inherited)
        return shown(Object.assign(layoutOf(req), fields))
      } },
  } })
  mountRoutes(router, { app: 'shop', route: '/find', name: 'find', routes: {
    list: { methods: ['GET'], route: '', input: z.object({ q: z.string().min(1).max(40) }),
      output: z.object({ names: z.array(z.string()) }), handler: (_req, _res, { q }) => ({
        names: ['Badge 1', 'Label 1'].filter((name) =>
          has('failsAtSigns') ? new RegExp(q).test(name) : name.includes(q)
        ),
      }) },
  } })
  mountRoutes(router, { app: 'shop', route: '/manuals', name: 'manuals', routes: {
    show: { methods: ['GET'], route: '/:name', input: z.object({ name: z.string() }), produces: 'text/plain',
      handler: (_req, res, { name }) => {
        const file = fileURLToPath(new URL(import.meta.url))
        const path = has('anyFile') ? join(file, '..', name) : name === 'workflows' ? file : ''
        if (!existsSync(path) || !statSync(path).isFile()) throw new NotFoundError()
        res.type('text/plain').send(readFileSync(path, 'utf8').slice(0, 200))
      } },
  } })
}

function mountKept(router: Router, has: Has): Shelf[] {
  const tills = mountShelf(router, 'tills', { fields: Named, rows: named('Till', 2, () => ({ sum: 100 })),
    output: Named.extend({ id: z.int(), sum: z.number() }), actions: ['list', 'show'] })
  const amount = has('belowZero') ? z.int().max(50) : z.int().min(1).max(50)
  mountRoutes(router, { app: 'shop', route: '/tills', name: 'tills.sums', routes: {
    withdraw: { methods: ['POST'], route: '/:id/withdraw', input: z.object({ id: param.int(), amount }), status: 200,
      output: z.object({ sum: z.number() }), handler: (req, _res, { id, amount: taken }) => {
        const till = tills.byId(req, id)
        if (Number(till.sum) < taken) throw new ConflictError('There is not so much in the till')
        till.sum = Number(till.sum) - taken
        return { sum: Number(till.sum) }
      } },
  } })
  const hooks = mountShelf(router, 'hooks', { fields: Named, actions: ['list'],
    rows: named('Hook', 2, (index) => ({ secret: `a-secret-of-hook-${index}` })),
    output: Named.extend({ id: z.int(), ...(has('tellsSecret') && { secret: z.string() }) }) })
  const seats = mountShelf(router, 'seats', { actions: ['list'],
    fields: Named.extend({ row: z.string(), zone: z.string(), price: z.int() }),
    rows: named('Seat', 8, (index) => ({ row: `r${index % 2}`, zone: `z${index % 3}`, price: (index % 4) + 1 })),
    query: z.object({ row: z.string().optional(), zone: z.string().optional(), price: param.int().optional() }),
    list: (shelf, req, _res, { row, zone, price }) =>
      paginate(
        shelf.rows.filter((seat) =>
          (row ?? seat.row) === seat.row
          && ((zone ?? seat.zone) === seat.zone || (has('pairIgnored') && price !== undefined))
          && (price ?? seat.price) === seat.price
        ),
        RequestParam.page(req),
      ) })
  const racks = mountShelf(router, 'racks', { actions: ['list', 'store'],
    fields: Named.extend({ places: z.int().min(0).max(99) }), rows: named('Rack', 2, () => ({ places: 3 })),
    store: (shelf, req, _res, { id, places, ...fields }) =>
      Object.assign(shelf.byId(req, id), fields,
        has('zeroIgnored') ? { places: places || 3 } : places !== undefined && { places }) })
  return [tills, hooks, seats, racks, mountLines(router, 'bills', has('noQuantity'), ({ price }) => price),
    mountLines(router, 'offers', has('lostLine'), ({ price, quantity }, index) => index === 0 ? 0 : price * quantity)]
}

interface Line {
  readonly price: number
  readonly quantity: number
}

/** Mounts records whose total is the sum of their lines, or what a wrong sum adds for each. */
function mountLines(router: Router, name: string, isWrong: boolean,
  wrong: (line: Line, index: number) => number): Shelf
{
  const Lines = z.array(z.object({ price: z.number(), quantity: z.int() }))
  const right = ({ price, quantity }: Line): number => price * quantity
  const shown = (row: Row): Row => ({ ...row,
    total: (row.lines as Line[]).map(isWrong ? wrong : right).reduce((sum, one) => sum + one, 0) })
  return mountShelf(router, name, { fields: Named, actions: ['list', 'show'],
    rows: named('Sale', 2, (index) => ({ lines: [{ price: 2.5, quantity: 3 }, { price: 4, quantity: index + 1 }] })),
    output: Named.extend({ id: z.int(), lines: Lines, total: z.number() }),
    list: (shelf, req) => paginate(shelf.rows.map(shown), RequestParam.page(req)),
    show: (shelf, req, _res, { id }) => shown(shelf.byId(req, id)) })
}

/** Notes have a board; one of them can be pinned. */
function mountBoards(router: Router, has: Has): Shelf {
  const boards = mountShelf(router, 'boards', { fields: Named, rows: named('Board', 2), actions: ['list', 'show'] })
  const Note = z.object({ id: z.int(), text: z.string(), isPinned: z.boolean() })
  const notes = [1, 2, 3, 4].map((id) => ({ id, boardId: (id % 2) + 1, text: `Note ${id}`, isPinned: false }))
  const place = z.object({ boardId: param.int(), noteId: param.int() })
  mountRoutes(router, { app: 'shop', route: '/boards/:boardId/notes', name: 'boards.notes', routes: {
    list: { methods: ['GET'], route: '', input: z.object({ boardId: param.int() }), output: z.array(Note),
      handler: (req, _res, { boardId }) => {
        boards.byId(req, boardId)
        return notes.filter((note) => note.boardId === boardId).map(({ boardId: _, ...note }) => note)
      } },
    create: { methods: ['POST'], route: '', input: z.object({ boardId: param.int(), text: z.string().min(1).max(99) }),
      output: Note, handler: (req, _res, { boardId, text }) => {
        if (!has('noBoard')) boards.byId(req, boardId)
        const note = { id: notes.length + 1, boardId, text, isPinned: false }
        notes.push(note)
        return { id: note.id, text, isPinned: false }
      } },
    pin: { methods: ['POST'], route: '/:noteId/pin', input: place, output: Note, status: 200,
      handler: (req, _res, { boardId, noteId }) => {
        boards.byId(req, boardId)
        const { boardId: _, ...note } = Object.assign(
          findOrFail(notes.find(({ id, ...one }) => id === noteId && (has('otherBoard') || one.boardId === boardId))),
          { isPinned: true },
        )
        return note
      } },
  } })
  return boards
}

/** Coupons are created several at a time; their codes are unique. */
function mountCoupons(router: Router, has: Has): Shelf {
  const Coupon = z.object({ code: z.string().min(1).max(40), percent: z.int().min(1).max(100) })
  const shelf = mountShelf(router, 'coupons', { fields: Coupon, rows: [{ code: 'a', percent: 5 }], actions: ['list'] })
  const add = (coupon: z.infer<typeof Coupon>): z.infer<typeof Coupon> & Row => {
    if (shelf.rows.some(({ code }) => code === coupon.code)) throw new ValidationError({ code: ['It is taken'] })
    return { ...coupon, id: shelf.add(coupon).id }
  }
  mountRoutes(router, { app: 'shop', route: '/coupons/bulk', name: 'coupons.bulk', routes: {
    create: { methods: ['POST'], route: '', input: z.object({ coupons: z.array(Coupon).min(1).max(50) }),
      output: z.array(Coupon.extend({ id: z.int() })), handler: (_req, _res, { coupons }) => {
        const rows = [...shelf.rows]
        try {
          return coupons.map(add)
        } catch (error) {
          if (!has('halfStored')) shelf.rows.splice(0, shelf.rows.length, ...rows)
          throw error
        }
      } },
  } })
  return shelf
}

function mountPreviews(router: Router, has: Has): void {
  mountRoutes(router, { app: 'shop', route: '/previews', name: 'previews', routes: {
    create: { methods: ['POST'], route: '', input: z.object({ pageUrl: z.url({ protocol: /^http$/ }).max(500) }),
      output: z.object({ host: z.string() }), status: 200, handler: (_req, _res, { pageUrl }) => {
        if (has('fetches')) get(pageUrl, (reply) => reply.resume()).on('error', () => undefined)
        return { host: new URL(pageUrl).hostname }
      } },
  } })
}

/** Scans are files, which are sent back under their names. */
function mountScans(router: Router, has: Has): Shelf {
  const shelf = mountShelf(router, 'scans', { fields: Named, rows: named('Scan', 1), actions: ['list'] })
  mountRoutes(router, { app: 'shop', route: '/scans', name: 'scans.files', routes: {
    create: { methods: ['POST'], route: '', files: { scan: { types: ['image/png'], maxBytes: 10_000, required: true } },
      output: Named.extend({ id: z.int() }), handler: (req) => {
        const name = findOrFail(RequestParam.file(req, 'scan')).name.slice(0, 100)
        return { id: shelf.add({ name }).id, name }
      } },
    file: { methods: ['GET'], route: '/:id/file', input: z.object({ id: param.int() }), produces: 'text/plain',
      handler: (req: Request, res, { id }) => {
        const name = String(shelf.byId(req, id).name)
        if (has('fileName')) res.set('Content-Disposition', `attachment; filename="${name.replace(/[^ -~]/g, '_')}"`)
        else res.attachment(name)
        res.type('text/plain').send('scanned')
      } },
  } })
  return shelf
}

const PASSWORD = 'a long way home'
const Door = z.object({ email: z.email().max(200), password: z.string().min(8).max(100) })
const Tokens = z.object({ accessToken: z.string(), refreshToken: z.string() })
const Renewal = z.object({ refreshToken: z.string().min(1).max(200) })

/** The accounts of the door, which the snapshot has. */
export const doorRows = (): unknown => [{ email: 'eve@example.com' }]

/** Mounts a sign-in whose tokens can be renewed once and end with a sign-out. */
export function mountDoor(router: Router, has: Has): void {
  const sessions = new Map<string, string>()
  const open = (): z.infer<typeof Tokens> => {
    const [accessToken, refreshToken] = [randomUUID(), randomUUID()]
    sessions.set(refreshToken, accessToken)
    return { accessToken, refreshToken }
  }
  let password = PASSWORD
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex')
  mountRoutes(router, { route: '/door', name: 'door', routes: {
    enter: { methods: ['POST'], route: '/enter/login', input: Door, output: Tokens, status: 200,
      handler: (_req, _res, { email, password: sent }) => {
        const isRight = hash(sent) === hash(password) || has('anyPassword')
        if (email !== 'eve@example.com' || !isRight) throw new UnauthorizedError('Wrong email or password')
        return open()
      } },
    refresh: { methods: ['POST'], route: '/refresh', input: Renewal, output: Tokens, status: 200,
      handler: (_req, _res, { refreshToken }) => {
        if (!sessions.has(refreshToken)) throw new UnauthorizedError()
        if (!has('renewsTwice')) sessions.delete(refreshToken)
        return open()
      } },
  } })
  const isOpen = (token: string): boolean => [...sessions.values()].includes(token)
  const guard = auth('door', { verify: (req) => {
    const token = req.get('authorization')?.slice('Bearer '.length) ?? ''
    return isOpen(token) ? { id: 7, token } : null
  } })
  router.use('/door', guard)
  mountRoutes(router, { route: '/door', name: 'door.session', routes: {
    me: { methods: ['GET'], route: '/me', output: z.object({ id: z.unknown() }),
      handler: (req) => ({ id: req.auth?.id }) },
    change: { methods: ['POST'], route: '/password',
      input: z.object({ currentPassword: z.string().max(100), newPassword: z.string().min(8).max(100) }),
      handler: (req, res, { currentPassword, newPassword }) => {
        if (hash(currentPassword) !== hash(password))
          throw new ValidationError({ currentPassword: ['It is another one'] })
        password = newPassword
        for (const [refresh, access] of sessions)
          if (access !== req.auth?.token && !has('keepsOthers')) sessions.delete(refresh)
        send(res, 'The password is changed')
      } },
    leave: { methods: ['POST'], route: '/logout', handler: (req, res) => {
      for (const [refresh, access] of sessions)
        if (access === req.auth?.token && !has('staysIn')) sessions.delete(refresh)
      send(res, 'Signed out')
    } },
  } })
}

/** A sign-in at the door that succeeds. */
export const ENTRY = { body: { email: 'eve@example.com', password: PASSWORD } }

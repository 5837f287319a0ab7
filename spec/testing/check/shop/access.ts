import { mkdtemp, open, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express, { type Express, type NextFunction, type Request, type Response, type Router } from 'express'
import { BusinessError, findOrFail, ForbiddenError, mountResource, mountRoutes, param, reply, RequestParam, send,
  ValidationError } from 'resourcery'
import { z } from 'zod'
import { mountShelf, Named, named, type Shelf } from './shelf.js'
import type { Has } from './replies.js'

/** Faults of who may do what, of refused writes and of state between requests, each with its route. */
export const ACCESS_FAULTS = {
  openDelete: 'DELETE /shop/vouchers/:id',
  openPatch: 'PATCH /shop/badges/:id',
  writeThenCheck: 'POST /shop/refunds',
  auditOnRefusal: 'PATCH /shop/limits/:id',
  pathGuard: 'GET /backoffice/report',
  headerGuard: 'GET /backoffice/totals',
  queryGuard: 'GET /backoffice/sums',
  override: 'DELETE /shop/flyers/:id',
  textBypass: 'POST /shop/imports',
  halfBulk: 'POST /shop/crates/bulk',
  halfDelete: 'DELETE /shop/pallets',
  hiddenRole: 'POST /shop/accounts',
  hiddenOwner: 'PATCH /shop/accounts/:id',
  lastCaller: 'GET /shop/me',
  cachedByUrl: 'GET /shop/dashboard',
  raced: 'GET /shop/basket',
  tempFile: 'POST /shop/photos',
  fileLeft: 'GET /shop/sheets/:id',
  lateListener: 'GET /shop/watches',
  pollution: 'PUT /shop/preferences',
  unsignedCookie: 'GET /shop/vip',
} as const

export interface AccessShelves {
  readonly shelves: readonly Shelf[]
  readonly log: unknown[]
}

/** Mounts what stands beside the guards of the shop. */
export function mountOutside(app: Express, has: Has): void {
  const hidden: string[] = ['/backoffice/report', '/backoffice/totals', '/backoffice/sums']
  app.use((req: Request, res: Response, next: NextFunction) => {
    const path = has('pathGuard') ? req.path : req.path.toLowerCase().replace(/\/+$/, '')
    const isTrusted = has('headerGuard') && req.path.includes('totals') && req.get('x-forwarded-for') === '127.0.0.1'
    const isAsked = has('queryGuard') && req.path.includes('sums') && req.query.admin === 'true'
    if (hidden.includes(path) && !isTrusted && !isAsked) throw new ForbiddenError()
    next()
  })
  for (const path of hidden) app.get(path, (req, res) => send(res, 'ok', [{ id: 1, cents: 5 }]))
}

export function mountAccess(router: Router, has: Has): AccessShelves {
  const log: unknown[] = []
  const shelves = [...mountGuarded(router, has, log), ...mountBulk(router, has), ...mountAccounts(router, has)]
  mountState(router, has)
  mountUploads(router, has)
  return { shelves, log }
}

function mountGuarded(router: Router, has: Has, log: unknown[]): Shelf[] {
  const mountWithout = (name: string, without: 'delete' | 'store'): Shelf => {
    const actions = (['list', 'show', 'create', 'store', 'delete'] as const).filter((one) => one !== without)
    return mountShelf(router, name, { fields: Named, rows: named(name, 4), actions })
  }
  const open = mountWithout('vouchers', 'delete')
  mountRoutes(router, { app: 'shop', route: '/vouchers', name: 'voucher-ends', routes: {
    end: { methods: ['DELETE'], route: '/:id', ...(has('openDelete') && { can: false }),
      input: z.object({ id: param.int() }), handler: (req, res, { id }) => {
        open.remove(open.byId(req, id))
        return null
      } },
  } })
  const badges = mountWithout('badges', 'store')
  mountRoutes(router, { app: 'shop', route: '/badges', name: 'badge-changes', routes: {
    change: { methods: ['PATCH'], route: '/:id', ...(has('openPatch') && { auth: false }),
      input: z.object({ id: param.int(), name: z.string().min(1).max(99) }),
      handler: (req, res, { id, ...fields }) => Object.assign(badges.byId(req, id), fields) },
  } })
  const flyers = mountShelf(router, 'flyers', { fields: Named, rows: named('Flyer', 4) })
  mountRoutes(router, { app: 'shop', route: '/flyers', name: 'flyer-views', routes: {
    create: { methods: ['POST'], route: '/:id', input: z.object({ id: param.int() }), handler: (req, res, { id }) => {
      const flyer = flyers.byId(req, id)
      if (has('override') && req.get('x-http-method-override') === 'DELETE') flyers.remove(flyer)
      return null
    } },
  } })
  return [
    open,
    badges,
    flyers,
    mountShelf(router, 'refunds', { fields: Named.extend({ cents: param.int().min(1).max(100_000) }),
      rows: named('Refund', 3, () => ({ cents: 5 })), create: (shelf, req, res, fields) => {
        const check = (): void => {
          if (Number(fields.cents) > 5000) throw new ForbiddenError()
        }
        if (!has('writeThenCheck')) check()
        const row = shelf.add(fields)
        check()
        return row
      } }),
    mountShelf(router, 'limits', { fields: Named, rows: named('Limit', 3),
      store: (shelf, req, res, { id, ...fields }) => {
        const row = shelf.byId(req, id)
        if (String(fields.name ?? '').includes("'")) {
          if (has('auditOnRefusal')) log.push(fields)
          throw new ValidationError({ name: ['No quotes'] })
        }
        return Object.assign(row, fields)
      } }),
  ]
}

function mountBulk(router: Router, has: Has): Shelf[] {
  const crates = mountShelf(router, 'crates', { fields: Named, rows: named('Crate', 3) })
  const pallets = mountShelf(router, 'pallets', { fields: Named, rows: named('Pallet', 5),
    actions: ['list', 'show', 'create'] })
  mountRoutes(router, { app: 'shop', route: '/crates', name: 'crate-bulk', routes: {
    bulk: { methods: ['POST'], route: '/bulk',
      input: z.object({ items: z.array(z.object({ name: z.string().max(50) })) }), handler: (req, res, { items }) => {
        const check = (name: string): void => {
          if (name.trim() === '') throw new ValidationError({ items: ['A name is empty'] })
        }
        if (!has('halfBulk')) { for (const { name } of items) check(name) }
        for (const { name } of items) {
          check(name)
          crates.add({ name })
        }
        return null
      } },
  } })
  mountResource(router, { app: 'shop', route: '/pallets', name: 'pallet-ends', handlers: {
    deleteMany: (req) => {
      const ids = RequestParam.ids(req, { of: param.int() })
      if (!has('halfDelete')) { for (const id of ids) pallets.byId(req, id) }
      for (const id of ids) pallets.remove(pallets.byId(req, id))
      return reply('Deleted', null, { deleted: ids.length })
    },
  } })
  return [crates, pallets]
}

function mountAccounts(router: Router, has: Has): Shelf[] {
  const shelf = mountShelf(router, 'accounts', {
    fields: Named,
    rows: named('Account', 3, () => ({ role: 'guest', ownerId: 1 })),
    create: (one, req, res, fields) =>
      one.add({ role: 'guest', ownerId: 1, ...(has('hiddenRole') ? Object(req.body) as object : fields) }),
    store: (one, req, res, { id, ...fields }) => {
      const { ownerId } = Object(req.body) as { ownerId?: number }
      return Object.assign(one.byId(req, id), fields, has('hiddenOwner') && ownerId !== undefined ? { ownerId } : {})
    },
  })
  return [shelf]
}

function mountState(router: Router, has: Has): void {
  let last: unknown
  let current: unknown
  const cache = new Map<string, unknown>()
  const pause = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 2))
  router.get('/me', (req, res) => {
    const id = has('lastCaller') ? last ?? req.auth?.id : req.auth?.id
    last = req.auth?.id
    send(res, 'ok', { id })
  })
  router.get('/dashboard', (req, res) => {
    const made = { greeting: `Hello ${String(req.auth?.id)}`, role: req.auth?.role }
    if (has('cachedByUrl') && !cache.has(req.originalUrl)) cache.set(req.originalUrl, made)
    send(res, 'ok', cache.get(req.originalUrl) ?? made)
  })
  router.get('/basket', async (req, res) => {
    const own = req.auth?.id
    current = own
    await pause()
    send(res, 'ok', { owner: has('raced') ? current : own })
  })
  router.get('/watches', (req, res) => {
    if (has('lateListener')) process.on('SIGUSR2', () => undefined)
    send(res, 'ok', [])
  })
  router.get('/vip', (req, res) => {
    const isVip = /(?:^|; )role=admin/.test(req.get('cookie') ?? '')
    if (req.auth?.role !== 'admin' && !(has('unsignedCookie') && isVip)) throw new ForbiddenError()
    send(res, 'ok', [{ id: 1 }])
  })
  const preferences: Record<string, unknown> = {}
  const merge = (target: Record<string, unknown>, from: Record<string, unknown>): void => {
    for (const [key, value] of Object.entries(from)) {
      if (typeof value !== 'object' || value === null) target[key] = value
      else merge((target[key] ??= {}) as Record<string, unknown>, value as Record<string, unknown>)
    }
  }
  router.put('/preferences', express.json(), (req, res) => {
    const given = Object(req.body) as Record<string, unknown>
    if (has('pollution')) merge(preferences, given)
    send(res, 'Saved', null)
  })
  mountRoutes(router, { app: 'shop', route: '/', name: 'imports', routes: {
    create: { methods: ['POST'], route: '/imports', input: z.object({ lines: z.string().min(1).max(5000) }),
      use: [express.text(), (req: Request, res: Response, next: NextFunction) => {
        if (has('textBypass') && typeof req.body === 'string') send(res, 'Imported', { lines: 1 })
        else next()
      }], handler: (req, res, { lines }) => ({ lines: lines.length }) },
  } })
}

function mountUploads(router: Router, has: Has): void {
  const photos: unknown[] = []
  mountResource(router, { app: 'shop', route: '/photos', name: 'photos', handlers: {
    create: {
      files: { photo: { types: ['image/png', 'image/jpeg'], required: true } },
      input: z.object({ title: z.string().min(2).max(50) }),
      handler: async (req, res, { title }) => {
        const file = findOrFail(RequestParam.file(req, 'photo'))
        if (has('tempFile')) await writeFile(join(await mkdtemp(join(tmpdir(), 'shop-photo-')), 'photo'), 'x')
        if (title.includes("'")) throw new BusinessError('No quotes in a title', 422)
        photos.push(title)
        return { title, size: file.size }
      },
    },
  } })
  mountShelf(router, 'sheets', { fields: Named, rows: named('Sheet', 3), actions: ['list', 'show'],
    show: async (shelf, req, res, { id }) => {
      const row = shelf.byId(req, id)
      const file = await open(new URL(import.meta.url))
      if (has('fileLeft')) kept.push(file)
      else await file.close()
      return row
    } })
}

/** Files that are kept from the collection of garbage, which would close them. */
const kept: unknown[] = []

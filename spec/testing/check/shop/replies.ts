import type { Request, Response, Router } from 'express'
import { BusinessError, mountRoutes, reply, send } from 'resourcery'
import { z } from 'zod'
import { mountShelf, Named, named, type Shelf } from './shelf.js'

export const SECRET = 'sk-shop-9f3c77aa'

/** Faults of single replies, each with its route. */
export const REPLY_FAULTS = {
  neverAnswers: 'GET /shop/lookup',
  twoReplies: 'POST /shop/pings',
  replyAndValue: 'POST /shop/pongs',
  bareReply: 'GET /shop/uptime',
  okWithError: 'POST /shop/coupons/check',
  createdAs200: 'POST /shop/tags',
  deletedAs202: 'DELETE /shop/tags/:id',
  nullField: 'GET /shop/authors/:id',
  internalField: 'GET /shop/members',
  sqlMessage: 'GET /shop/prices',
  sqlHeader: 'GET /shop/costs',
  filePath: 'GET /shop/manuals/:name',
  secretHeader: 'GET /shop/config',
  debugStack: 'GET /shop/insights',
  control: 'POST /shop/notes',
  longText: 'POST /shop/labels',
  emoji: 'POST /shop/slogans',
  protoKey: 'GET /shop/settings/:key',
  nested: 'POST /shop/trees',
  lateCrash: 'POST /shop/letters',
  lateRejection: 'PATCH /shop/letters/:id',
  exits: 'POST /shop/restart',
  wrongType: 'GET /shop/list.csv',
  cutStream: 'GET /shop/archive.csv',
  headDiffers: 'GET /shop/stock',
  duplicateQuery: 'GET /shop/paints',
  redos: 'GET /shop/codes',
  quadratic: 'POST /shop/trims',
  timerLeft: 'GET /shop/clocks/:id',
  emptyShow: 'GET /shop/moons/:id',
  coercedId: 'GET /shop/planets/:id',
  acceptsMissing: 'PATCH /shop/comets/:id',
  openCors: 'GET /shop/widgets',
  publicCache: 'GET /shop/wallet',
  openRedirect: 'GET /shop/leave',
  markup: 'GET /shop/hello',
} as const

export type Has = (fault: string) => boolean

/** Tells a handler's type that it has replied itself. */
function itself(_sent: unknown): never {
  return undefined as never
}

export function mountReplies(router: Router, has: Has): Shelf[] {
  mountTools(router, has)
  mountMore(router, has)
  mountFiles(router, has)
  mountPlain(router, has)
  return mountShelves(router, has)
}

function mountTools(router: Router, has: Has): void {
  const Text = z.object({ text: z.string().max(5000) })
  mountRoutes(router, { app: 'shop', route: '/', name: 'tools', routes: {
    lookup: { methods: ['GET'], route: '/lookup', query: z.object({ code: z.string().max(100).default('a') }),
      handler: (req, res, { code }) => has('neverAnswers') && code.includes('%') ? undefined : { code } },
    pings: { methods: ['POST'], route: '/pings', handler: (req, res) => {
      send(res, 'ok', null)
      if (has('twoReplies')) res.status(200).json({ code: 200, message: 'ok', data: null, meta: {} })
    } },
    pongs: { methods: ['POST'], route: '/pongs', handler: (req, res) => {
      send(res, 'ok', null)
      if (has('replyAndValue')) res.end()
    } },
    uptime: { methods: ['GET'], route: '/uptime',
      handler: (req, res) => has('bareReply') ? itself(res.json({ up: true })) : { up: true } },
    coupon: { methods: ['POST'], route: '/coupons/check', input: z.object({ code: z.string().max(20) }),
      handler: (req, res, { code }) => {
        if (code.startsWith('SALE')) return { percent: 10 }
        if (has('okWithError')) return reply('Error: coupon not found', null)
        throw new BusinessError('No such coupon', 404)
      } },
    prices: { methods: ['GET'], route: '/prices', query: z.object({ currency: z.string().max(50).default('EUR') }),
      handler: (req, res, { currency }) => {
        if (/^[A-Z]{3}$/.test(currency)) return [{ cents: 100 }]
        throw new BusinessError(
          has('sqlMessage') ? `select cents from "prices" where currency = '${currency}'` : 'No such currency',
          400,
        )
      } },
    costs: { methods: ['GET'], route: '/costs', handler: (req, res) => {
      if (has('sqlHeader')) res.set('X-Query', 'SELECT cents FROM costs WHERE shop = 7')
      return [1]
    } },
    manual: { methods: ['GET'], route: '/manuals/:name', handler: (req, res, { name }) => {
      if (name === 'bike') return { pages: 12 }
      throw new BusinessError(has('filePath') ? `No file /srv/shop/manuals/${String(name)}.pdf` : 'No such manual', 404)
    } },
    config: { methods: ['GET'], route: '/config', handler: (req, res) => {
      if (has('secretHeader')) res.set('X-Signed-With', SECRET)
      return { theme: 'light' }
    } },
    insights: { methods: ['GET'], route: '/insights',
      handler: (req) =>
        has('debugStack') && req.query.debug !== undefined ? { trace: new Error('here').stack } : { visits: 3 } },
    setting: { methods: ['GET'], route: '/settings/:key', handler: (req, res, { key }) => {
      const settings: Record<string, { value: string }> = { color: { value: 'red' } }
      const found = has('protoKey') || Object.hasOwn(settings, String(key)) ? settings[String(key)] : undefined
      if (found === undefined) throw new BusinessError('No such setting', 404)
      return found.value.toUpperCase()
    } },
    tree: { methods: ['POST'], route: '/trees', input: z.object({ tree: z.unknown() }),
      handler: (req, res, { tree }) => {
        const depth = (value: unknown): number => {
          const isParent = typeof value === 'object' && (value !== null || has('nested'))
          return isParent ? 1 + Math.max(0, ...Object.values(value as object).map(depth)) : 0
        }
        return depth(tree)
      } },
    restart: { methods: ['POST'], route: '/restart', input: Text, handler: (req, res, { text }) => {
      if (has('exits') && text === '') process.exit(1)
      return null
    } },
    codes: { methods: ['GET'], route: '/codes', query: z.object({ code: z.string().max(2000).default('a') }),
      handler: (req, res, { code }) => (has('redos') ? /^(\w+\s?)+$/ : /^[\w\s]+$/).test(code) },
    trims: { methods: ['POST'], route: '/trims', input: z.object({ text: z.string().max(100_000) }),
      handler: (req, res, { text }) => has('quadratic') ? text.replace(/\s+$/g, '').length : text.trimEnd().length },
    leave: { methods: ['GET'], route: '/leave', query: z.object({ to: z.string().max(200).default('/') }),
      statuses: [302], handler: (req, res, { to }) => {
        const isOwn = /^\/(?![/\\])[\w/-]*$/.test(to)
        if (!isOwn && !has('openRedirect')) throw new BusinessError('A path of this shop', 400)
        return itself(res.redirect(302, to === '' ? '/' : to))
      } },
    hello: { methods: ['GET'], route: '/hello', query: z.object({ name: z.string().max(200).default('you') }),
      produces: 'text/html', handler: (req, res, { name }) => {
        const text = has('markup') ? name : name.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
        res.type('html').send(`<p>Hello ${text}</p>`)
      } },
  } })
}

function mountMore(router: Router, has: Has): void {
  const failing =
    (isBad: (text: string) => boolean) =>
    (fault: string) =>
    (req: Request, res: Response, { text }: { text: string }) => {
      if (has(fault) && isBad(text)) throw new Error(`a fault for ${text.length} characters`)
      return { length: text.length }
    }
  const input = z.object({ text: z.string().max(5000) })
  mountRoutes(router, { app: 'shop', route: '/', name: 'texts', routes: {
    notes: { methods: ['POST'], route: '/notes', input: z.object({ text: z.unknown() }),
      handler: (req, res, { text }) => {
        if (has('control') && JSON.stringify(req.body).includes('\\n')) throw new Error('a control character')
        return { isText: typeof text === 'string' }
      } },
    labels: { methods: ['POST'], route: '/labels', input, handler: failing((text) => text.length > 255)('longText') },
    slogans: { methods: ['POST'], route: '/slogans', input,
      handler: failing((text) => /[\u{10000}-\u{10ffff}]/u.test(text))('emoji') },
  } })
}

function mountFiles(router: Router, has: Has): void {
  mountRoutes(router, { app: 'shop', route: '/', name: 'files', routes: {
    csv: { methods: ['GET'], route: '/list.csv', produces: 'text/csv', handler: (req, res) => {
      res.type(has('wrongType') ? 'text/html' : 'text/csv').send('id,name\n1,a\n')
    } },
    archive: { methods: ['GET'], route: '/archive.csv', produces: 'text/csv', handler: (req, res) => {
      res.type('text/csv').set('Content-Length', '17')
      res.write('id,name\n')
      if (has('cutStream')) setTimeout(() => res.destroy(), 5)
      else res.end('1,a\n2,bcd')
    } },
    stock: { methods: ['GET'], route: '/stock', handler: (req) => {
      if (has('headDiffers') && req.method === 'HEAD') throw new BusinessError('No such thing', 404)
      return [{ count: 3 }]
    } },
  } })
}

/** Mounts handlers of Express that no resource declares. */
function mountPlain(router: Router, has: Has): void {
  router.get('/paints', (req, res) => {
    const { name = '' } = req.query
    const text = has('duplicateQuery') ? (name as string).trim() : String(name).trim()
    send(res, 'ok', [{ id: 1, name: 'red' }, { id: 2, name: 'blue' }].filter((paint) => paint.name.includes(text)))
  })
  router.get('/widgets', (req, res) => {
    const origin = req.get('origin')
    if (origin !== undefined) res.vary('Origin')
    if (origin !== undefined && (has('openCors') || origin === 'https://shop.example.com')) {
      res.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Allow-Credentials': 'true' })
    }
    send(res, 'ok', [])
  })
  router.get('/wallet', (req, res) => {
    if (has('publicCache')) res.set('Cache-Control', 'public, max-age=600')
    send(res, 'ok', { cents: 100 * Number(req.auth?.id) })
  })
}

function mountShelves(router: Router, has: Has): Shelf[] {
  const Author = z.object({ name: z.string().min(1).max(80), city: z.string().max(80) })
  return [
    mountShelf(router, 'tags', { fields: Named, rows: named('Tag', 3),
      create: (shelf, req, res, fields) => reply('Created', shelf.add(fields), {}, has('createdAs200') ? 200 : 201),
      delete: (shelf, req, res, { id }) => {
        shelf.remove(shelf.byId(req, id))
        return reply('Deleted', null, {}, has('deletedAs202') ? 202 : 200)
      } }),
    mountShelf(router, 'authors', { fields: Author, rows: named('Author', 3, () => ({ city: 'Rome' })),
      show: (shelf, req, res, { id }) => {
        const row = shelf.byId(req, id)
        return has('nullField') ? itself(send(res, 'ok', { ...row, city: null })) : row
      } }),
    mountShelf(router, 'members', { fields: Named, rows: named('Member', 3), list: (shelf, req, res) => {
      const rows = shelf.rows.slice(0, 20)
      if (!has('internalField')) return rows
      return itself(send(res, 'ok', rows.map((row) => ({ ...row, pwHash: '9b1c5e' }))))
    } }),
    mountShelf(router, 'letters', { fields: Named, rows: named('Letter', 3), create: (shelf, req, res, fields) => {
      if (has('lateCrash'))
        setTimeout(() => {
          throw new Error('the mail server is gone')
        }, 15)
      return shelf.add(fields)
    }, store: (shelf, req, res, { id, ...fields }) => {
      if (has('lateRejection')) setTimeout(() => void Promise.reject(new Error('the queue is gone')), 15)
      return Object.assign(shelf.byId(req, id), fields)
    } }),
    mountShelf(router, 'clocks', { fields: Named, rows: named('Clock', 3), show: (shelf, req, res, { id }) => {
      if (has('timerLeft')) setTimeout(() => undefined, 600_000)
      return shelf.byId(req, id)
    } }),
    mountShelf(router, 'moons', { fields: Named, rows: named('Moon', 3), show: (shelf, req, res, { id }) => {
      const row = shelf.rows.find((one) => one.id === id)
      return row === undefined && has('emptyShow') ? itself(send(res, 'ok', null)) : shelf.byId(req, id)
    } }),
    mountShelf(router, 'planets', { fields: Named, rows: named('Planet', 3),
      ...(has('coercedId') && { id: z.coerce.number().int() }) }),
    mountShelf(router, 'comets', { fields: Named, rows: named('Comet', 3),
      store: (shelf, req, res, { id, ...fields }) => {
        const row = shelf.rows.find((one) => one.id === id)
        if (row === undefined && has('acceptsMissing')) return itself(send(res, 'Saved', { id, name: 'x', ...fields }))
        return Object.assign(shelf.byId(req, id), fields)
      } }),
  ]
}

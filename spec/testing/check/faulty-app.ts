import express, { type Express, type Request, type Response } from 'express'
import { auth, BusinessError, errorHandler, findOrFail, mountResource, mountRoutes, notFound, paginate, param,
  permission, reply, RequestParam, send } from 'resourcery'
import { z } from 'zod'

/** The faults that can be planted, each with the route and the kind that must be reported. */
export const FAULTS = {
  frontRoute: ['GET /desk/orders-overview', 'access'],
  frontWrite: ['DELETE /desk/labels', 'change'],
  guardBehind: ['POST /desk/reindex', 'access'],
  lookUpFirst: ['GET /desk/vaults/:vaultId', 'access'],
  validationFirst: ['POST /desk/vaults', 'access'],
  errorMessage: ['GET /desk/reports/sales', 'leak'],
  stack: ['POST /desk/reports/run', 'leak'],
  passwordHash: ['GET /desk/people/:id', 'leak'],
  secretHeader: ['GET /desk/labels', 'leak'],
  undeclaredStatus: ['POST /desk/labels/:id/print', 'document'],
  wideField: ['GET /desk/invoices/:id', 'document'],
  wrongType: ['GET /desk/invoices', 'document'],
  missingField: ['POST /desk/invoices', 'document'],
  regex: ['GET /desk/people', 'failure'],
  quote: ['POST /desk/comments', 'failure'],
  unknownId: ['GET /desk/comments/:id', 'failure'],
  headerText: ['PATCH /desk/comments/:id', 'failure'],
  anonymous: ['GET /desk/greeting', 'failure'],
  noEnvelope: ['GET /desk/settings', 'envelope'],
  wrongCode: ['PUT /desk/settings', 'envelope'],
  htmlError: ['GET /desk/settings/theme', 'envelope'],
  silence: ['GET /desk/search', 'time'],
  floating: ['POST /desk/notify', 'crash'],
  halfBulk: ['POST /desk/labels/bulk', 'change'],
  sortByHidden: ['GET /desk/staff', 'hidden'],
  filterByHidden: ['GET /desk/suppliers', 'hidden'],
  searchHidden: ['GET /desk/clients', 'hidden'],
  massAssignment: ['POST /desk/staff', 'field'],
  storedId: ['PATCH /desk/suppliers/:id', 'field'],
  timer: ['GET /desk/clients/:id', 'handle'],
  pages: ['GET /desk/orders', 'page'],
  total: ['GET /desk/returns', 'page'],
  unsigned: ['GET /keys/mine', 'access'],
  claimedUser: ['GET /desk/profile', 'access'],
  claimedTenant: ['GET /desk/branches', 'access'],
  claimedAuthor: ['POST /desk/memos', 'access'],
  readWrites: ['GET /desk/drafts/:id/preview', 'change'],
  sortsShared: ['GET /desk/ranking', 'change'],
  upstream: ['GET /desk/weather', 'leak'],
  upstreamHeader: ['GET /desk/forecast', 'leak'],
  nestedField: ['GET /desk/teams', 'document'],
} as const satisfies Readonly<Record<string, readonly [route: string, kind: string]>>

export type FaultName = keyof typeof FAULTS

export const FORBIDDEN_SECRET = 'hunter2-signing-key'

export interface FaultyApp {
  readonly app: Express
  /** Returns all rows. */
  readonly snapshot: () => unknown
}

const Person = z.object({ id: z.int(), name: z.string(), email: z.string() })
const Invoice = z.object({ id: z.int(), title: z.string(), cents: z.int() })
const Comment = z.object({ id: z.int(), text: z.string() })
const Label = z.object({ id: z.int(), name: z.string() })

interface Row {
  id: number
}

/** Makes an app of hand-written resources in which some faults are planted. */
export function faultyApp(faults: ReadonlySet<FaultName>): FaultyApp {
  const has = (fault: FaultName): boolean => faults.has(fault)
  const people = ['Ann', 'Ben', 'Cid'].map((name, index) => ({ id: index + 1, name, email: `${name}@example.com`,
    passwordHash: `$2b$10$abcdefghijklmnopqrstuv${name}` })
  )
  const invoices = [1, 2, 3].map((id) => ({ id, title: `Invoice ${id}`, cents: id * 100, margin: 7 }))
  const comments = [1, 2, 3].map((id) => ({ id, text: `Comment ${id}` }))
  const labels = [1, 2, 3].map((id) => ({ id, name: `Label ${id}` }))
  const vaults = [1, 2].map((id) => ({ id, name: `Vault ${id}` }))
  const settings = { theme: 'dark' }
  const log: string[] = []

  const app = express()
  const desk = express.Router()
  const guards = [auth('desk', { secret: 'a secret of at least 32 bytes for tests' }),
    permission('desk', { roles: { boss: ['*'], clerk: ['desk.people.*', 'desk.comments.*'] } })]
  if (has('frontRoute')) app.get('/desk/orders-overview', (req, res) => send(res, 'ok', invoices))
  if (has('frontWrite')) {
    app.use('/desk/labels', (req, res, next) => {
      if (req.method === 'DELETE') log.push('a deletion')
      next()
    })
  }
  if (has('guardBehind')) {
    app.post('/desk/reindex', (req, res) => send(res, 'Done', null), ...guards)
  }
  if (has('lookUpFirst')) {
    app.use('/desk/vaults/:vaultId', (req, res, next) => {
      findOrFail(vaults.find(({ id }) => String(id) === req.params.vaultId))
      next()
    })
  }
  if (has('validationFirst')) {
    app.use('/desk/vaults', express.json(), (req: Request, res, next) => {
      const { name } = (req.body ?? {}) as { name?: unknown }
      if (req.method === 'POST' && typeof name !== 'string') throw new BusinessError('A name is needed', 422)
      next()
    })
  }
  mountRoutes(app, { route: '/', name: 'public', routes: {
    health: { methods: ['GET'], route: '/health', handler: () => 'up' },
  } })
  app.use('/desk', ...guards, desk)
  mountRoutes(desk, { app: 'desk', route: '/greeting', name: 'greeting', routes: {
    show: { methods: ['GET'], route: '', auth: 'optional', can: false,
      handler: (req) => `Hello ${String(has('anonymous') ? (req.auth as { id: number }).id : req.auth?.id ?? 'you')}` },
  } })
  desk.get('/orders-overview', (req, res) => send(res, 'ok', invoices))
  desk.post('/reindex', (req, res) => send(res, 'Done', null))

  mountResource(desk, {
    app: 'desk',
    route: '/people',
    name: 'people',
    handlers: {
      list: {
        input: z.object({ search: z.string().max(100).default('') }),
        output: z.array(Person),
        handler: (req, res, { search }) => {
          const found = people.filter(({ name }) =>
            has('regex') ? new RegExp(search).test(name) : name.includes(search)
          )
          return paginate(found, RequestParam.page(req))
        },
      },
      show: { input: z.object({ id: param.int() }), handler: (req, res, { id }) => {
        const { passwordHash, ...person } = byId(people, id)
        return has('passwordHash') ? { ...person, passwordHash } : person
      } },
    },
  })

  mountResource(desk, {
    app: 'desk',
    route: '/invoices',
    name: 'invoices',
    handlers: {
      list: { output: z.array(Invoice), handler: (req, res) => {
        const shown = invoices.map(({ margin: _, ...invoice }) => invoice)
        return has('wrongType')
          ? itself(send(res, 'ok', shown.map((one) => ({ ...one, cents: `${one.cents}` }))))
          : shown
      } },
      show: { input: z.object({ id: param.int() }), output: Invoice, handler: (req, res, { id }) => {
        const invoice = byId(invoices, id)
        return has('wideField') ? itself(send(res, 'ok', invoice)) : invoice
      } },
      create: { input: z.object({ title: z.string().min(1).max(50), cents: param.int().min(0) }), output: Invoice,
        handler: (req, res, fields) => {
          const invoice = { ...fields, id: nextId(invoices), margin: 1 }
          invoices.push(invoice)
          return has('missingField')
            ? itself(send(res, 'Created', { id: invoice.id, title: invoice.title }, {}, 201))
            : invoice
        } },
    },
  })

  mountResource(desk, {
    app: 'desk',
    route: '/comments',
    name: 'comments',
    handlers: {
      list: { output: z.array(Comment), handler: () => comments },
      show: { input: z.object({ id: param.int() }), output: Comment, handler: (req, res, { id }) => {
        if (!has('unknownId')) return byId(comments, id)
        const { text } = comments.find((one) => one.id === id) as (typeof comments)[number]
        return { id, text }
      } },
      create: { input: z.object({ text: z.string().min(1).max(200) }), output: Comment,
        handler: (req, res, { text }) => {
          if (has('quote') && text.includes("'")) throw new Error(`unterminated quote in ${text}`)
          const comment = { id: nextId(comments), text }
          comments.push(comment)
          return comment
        } },
      store: { input: z.object({ id: param.int(), text: z.string().min(1).max(200) }), output: Comment,
        handler: (req, res, { id, text }) => {
          const comment = byId(comments, id)
          if (has('headerText')) res.set('X-Text', text)
          return Object.assign(comment, text === undefined ? {} : { text })
        } },
      delete: { input: z.object({ id: param.int() }), handler: (req, res, { id }) => {
        comments.splice(comments.indexOf(byId(comments, id)), 1)
        return null
      } },
    },
  })

  mountResource(desk, {
    app: 'desk',
    route: '/labels',
    name: 'labels',
    handlers: {
      list: { output: z.array(Label), handler: (req, res) => {
        if (has('secretHeader')) res.set('X-Key', FORBIDDEN_SECRET)
        return labels
      } },
      deleteMany: (req) => {
        const ids = RequestParam.ids(req, { of: param.int() })
        for (const id of ids) byId(labels, id)
        for (const id of ids) labels.splice(labels.indexOf(byId(labels, id)), 1)
        return reply('Deleted', null, { deleted: ids.length })
      },
    },
    custom: {
      print: { methods: ['POST'], route: '/:id/print', input: z.object({ id: param.int() }),
        handler: (req, res, { id }) => {
          byId(labels, id)
          return has('undeclaredStatus') ? reply('Printing', null, {}, 202) : null
        } },
      bulk: { methods: ['POST'], route: '/bulk', input: z.object({ names: z.array(z.string().max(20)) }),
        handler: (req, res, { names }) => {
          if (!has('halfBulk') && names.some((name) => name.trim() === '')) throw new BusinessError('No name', 422)
          for (const name of names) {
            if (name.trim() === '') throw new BusinessError('No name', 422)
            labels.push({ id: nextId(labels), name })
          }
          return null
        } },
    },
  })

  mountRoutes(desk, { app: 'desk', route: '/reports', name: 'reports', routes: {
    sales: { methods: ['GET'], route: '/sales', query: z.object({ from: z.string().default('2026') }),
      handler: (req, res, { from }) => {
        try {
          if (!/^[\w-]+$/.test(from))
            throw new Error(`syntax error at or near "${from}" in SELECT sum(cents) FROM invoices`)
          return { total: 100 }
        } catch (error) {
          throw has('errorMessage')
            ? new BusinessError((error as Error).message, 400)
            : new BusinessError('Bad period', 400)
        }
      } },
    run: { methods: ['POST'], route: '/run', input: z.object({ name: z.string().max(100) }),
      handler: (req, res, { name }) => {
        try {
          return { parsed: JSON.parse(`"${name}"`) as unknown }
        } catch (error) {
          if (!has('stack')) throw new BusinessError('This name cannot be used', 400)
          res.status(400).json({ code: 400, message: 'Failed', data: (error as Error).stack,
            meta: { reason: 'failed' } })
        }
      } },
  } })

  mountRoutes(desk, { app: 'desk', route: '/settings', name: 'settings', routes: {
    show: { methods: ['GET'], route: '', output: z.object({ theme: z.string() }),
      handler: (req, res) => has('noEnvelope') ? itself(res.json(settings)) : settings },
    change: { methods: ['PUT'], route: '', input: z.object({ theme: z.enum(['dark', 'light']) }),
      handler: (req, res, { theme }) => {
        settings.theme = theme
        return has('wrongCode') ? itself(res.json({ code: 0, message: 'Saved', data: null, meta: {} })) : null
      } },
    theme: { methods: ['GET'], route: '/theme', query: z.object({ of: z.string().max(100).optional() }),
      handler: (req: Request, res: Response, { of }) => {
        if (of === undefined || Object.hasOwn(settings, of)) return settings.theme
        if (has('htmlError')) return itself(res.status(404).send('<h1>Not found</h1>'))
        throw new BusinessError('No such setting', 404)
      } },
  } })

  mountRoutes(desk, { app: 'desk', route: '/', name: 'tools', routes: {
    search: { methods: ['GET'], route: '/search', query: z.object({ q: z.string().max(200).default('') }),
      handler: (req, res, { q }) => {
        if (has('silence') && q.trim() === '' && q !== '') return undefined
        return people.filter(({ name }) => name.includes(q)).map(({ id }) => id)
      } },
    notify: { methods: ['POST'], route: '/notify', input: z.object({ to: z.string().max(200) }),
      handler: (req, res, { to }) => {
        const sent = to.includes('@') ? Promise.resolve() : Promise.reject(new Error('no address'))
        if (has('floating')) return 'queued'
        return sent.then(() => 'queued', () => 'refused')
      } },
  } })

  mountResource(desk, {
    app: 'desk',
    route: '/vaults',
    name: 'vaults',
    handlers: { create: { input: z.object({ name: z.string().max(50) }), handler: (req, res, { name }) => {
      vaults.push({ id: nextId(vaults), name })
      return null
    } } },
    custom: {
      show: { methods: ['GET'], route: '/:vaultId', handler: (req, res, { vaultId }) => byId(vaults, Number(vaultId)) },
    },
  })
  const kept = mountKept(desk, has)
  mountClaims(desk, has)
  mountReads(desk, has)
  mountKeys(app, has('unsigned'))
  app.use(notFound(), errorHandler({ log: () => undefined }))
  const tables = { kept, people, invoices, comments, labels, vaults, log }
  return { app, snapshot: () => structuredClone(tables) }
}

const Kept = z.object({ id: z.int(), name: z.string(), grade: z.string() })
const KEPT = ['staff', 'suppliers', 'clients', 'orders', 'returns'] as const

/** Mounts resources whose rows have columns that no reply shows. */
function mountKept(desk: express.Router, has: (fault: FaultName) => boolean): unknown[] {
  return KEPT.map((name) => {
    const rows = [3, 1, 2, 5, 4].map((rate, index) => ({ id: index + 1, name: `${name} ${index + 1}`, grade: 'a', rate,
      remark: `remark of ${rate}` })
    )
    const shown = ({ id, name: text, grade }: (typeof rows)[number]) => ({ id, name: text, grade })
    mountResource(desk, {
      app: 'desk',
      route: `/${name}`,
      name,
      handlers: {
        list: {
          input: z.object({ sort: z.string().max(50).default('id'), search: z.string().max(100).default('') }),
          output: z.array(Kept),
          handler: async (req, res, { sort, search }) => {
            const column = sort.replace(/^-/, '') as 'rate'
            const isSorted = name === 'staff' && has('sortByHidden') && Object.hasOwn(rows[0] ?? {}, column)
            const sorted = isSorted ? rows.toSorted((one, other) => one[column] - other[column]) : rows
            const ordered = isSorted && sort.startsWith('-') ? sorted.toReversed() : sorted
            const found = ordered.filter((row) => {
              const { remark } = req.query
              if (name === 'suppliers' && has('filterByHidden') && remark !== undefined) return row.remark === remark
              const text = name === 'clients' && has('searchHidden') ? `${row.name} ${row.remark}` : row.name
              return text.includes(search)
            })
            const { page, limit } = RequestParam.page(req)
            const from = name === 'orders' && has('pages') ? (page - 1) * Math.max(1, limit - 1) : (page - 1) * limit
            const total = name === 'returns' && has('total') ? found.length + 1 : found.length
            return reply('ok', found.slice(from, from + limit).map(shown), { total, page, limit })
          },
        },
        show: { input: z.object({ id: param.int() }), output: Kept, handler: (req, res, { id }) => {
          if (name === 'clients' && has('timer')) setInterval(() => undefined, 60_000)
          return shown(byId(rows, id))
        } },
        create: { input: z.object({ name: z.string().min(1).max(100) }), output: Kept, handler: (req, res, fields) => {
          const sent = name === 'staff' && has('massAssignment') ? req.body as typeof fields : fields
          const row = { grade: 'a', ...sent, id: nextId(rows), rate: 1, remark: `remark of ${rows.length}` }
          rows.push(row)
          return shown(row)
        } },
        store: { input: z.object({ id: param.int(), name: z.string().min(1).max(100) }), output: Kept,
          handler: (req, res, { id, name: text }) => {
            const body = req.body as { grade?: unknown }
            const row = Object.assign(byId(rows, id), text === undefined ? {} : { name: text })
            if (name === 'suppliers' && has('storedId') && typeof body.grade === 'string') row.grade = body.grade
            return shown(row)
          } },
      },
    })
    return rows
  })
}

/** Mounts routes that may take the caller from a header. */
function mountClaims(desk: express.Router, has: (fault: FaultName) => boolean): void {
  const branches = ['north', 'south'].map((tenant, index) => ({ id: index + 1, tenant }))
  mountRoutes(desk, { app: 'desk', route: '/', name: 'claims', routes: {
    profile: { methods: ['GET'], route: '/profile',
      handler: (req) => ({ id: has('claimedUser') ? Number(req.get('x-user-id') ?? req.auth?.id) : req.auth?.id }) },
    branches: { methods: ['GET'], route: '/branches', handler: (req) => {
      const tenant = has('claimedTenant') ? req.get('x-tenant-id') ?? 'north' : 'north'
      return branches.filter((branch) => branch.tenant === tenant)
    } },
    memos: { methods: ['POST'], route: '/memos', input: z.object({ text: z.string().max(100) }),
      handler: (req, res, { text }) => ({ text,
        by: (has('claimedAuthor') ? req.get('x-user') : null) ?? req.auth?.id }) },
  } })
}

/** Mounts routes that may change what they read, or tell more than they declare. */
function mountReads(desk: express.Router, has: (fault: FaultName) => boolean): void {
  const drafts = [1, 2, 3].map((id) => ({ id, name: `Draft ${id}`, state: 'new' }))
  const racers = [3, 1, 2].map((points, index) => ({ id: index + 1, name: `Racer ${index}`, points }))
  const Team = z.object({ id: z.int(), members: z.array(z.object({ id: z.int(), name: z.string() })) })
  const members = [{ id: 1, name: 'Ann', badge: 'b-1' }]
  const weather = (isTold: boolean, res: Response, name: string): never => {
    if (has('upstreamHeader') && name === 'forecast') res.set('X-Upstream', '10.3.0.7:8443')
    const message = isTold ? 'The service weather-primary:8443 is not available' : 'Try again later'
    return itself(res.status(503).json({ code: 503, message, data: null, meta: { reason: 'unavailable' } }))
  }
  mountRoutes(desk, { app: 'desk', route: '/', name: 'reads', routes: {
    drafts: { methods: ['GET'], route: '/drafts', handler: () => drafts },
    preview: { methods: ['GET'], route: '/drafts/:id/preview', input: z.object({ id: param.int() }),
      handler: (req, res, { id }) => Object.assign(byId(drafts, id), has('readWrites') ? { state: 'shown' } : {}) },
    racers: { methods: ['GET'], route: '/racers', handler: () => racers },
    ranking: { methods: ['GET'], route: '/ranking', handler: () => {
      const sorted = has('sortsShared') ? racers : [...racers]
      return sorted.sort((one, other) => one.points - other.points).map(({ name }) => name)
    } },
    weather: { methods: ['GET'], route: '/weather', handler: (req, res) => weather(has('upstream'), res, 'weather') },
    forecast: { methods: ['GET'], route: '/forecast', handler: (req, res) => weather(false, res, 'forecast') },
    teams: { methods: ['GET'], route: '/teams', output: z.array(Team), handler: (req, res) =>
      has('nestedField')
        ? itself(send(res, 'ok', [{ id: 1, members }]))
        : [{ id: 1, members: members.map(({ id, name }) => ({ id, name })) }] },
  } })
}

/** Mounts a route whose guard reads tokens by itself. */
function mountKeys(app: Express, isTrusting: boolean): void {
  const verify = (req: Request) => {
    const [, payload] = (req.get('authorization') ?? '').split('.')
    if (!isTrusting || payload === undefined) return null
    try {
      return JSON.parse(Buffer.from(payload, 'base64url').toString()) as { id: number }
    } catch {
      return null
    }
  }
  app.use('/keys', auth('keys', { verify }), permission('keys', { allows: () => true }))
  app.get('/keys/mine', (req, res) => send(res, 'ok', { id: req.auth?.id }))
}

/** Tells a handler's type that it has replied itself. */
function itself(_sent: unknown): never {
  return undefined as never
}

function byId<T extends Row>(rows: readonly T[], id: number): T {
  return findOrFail(rows.find((row) => row.id === id))
}

function nextId(rows: readonly Row[]): number {
  return Math.max(0, ...rows.map(({ id }) => id)) + 1
}

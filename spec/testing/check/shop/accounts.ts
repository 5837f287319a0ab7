import { setTimeout as wait } from 'node:timers/promises'
import type { Request, Response, Router } from 'express'
import { ConflictError, findOrFail, HttpError, mountRoutes, param, send, UnauthorizedError } from 'resourcery'
import { sendCsv } from 'resourcery/csv'
import { z } from 'zod'
import { mountShelf, Named, named, type Row, type Shelf } from './shelf.js'
import type { Has } from './replies.js'

/** Faults of changes at the same time, of sign-ins, of queries and of exports, each with its route. */
export const ACCOUNT_FAULTS = {
  lostField: 'PATCH /shop/cards/:id',
  twoNames: 'POST /shop/teams',
  paidTwice: 'POST /shop/invoices/:id/pay',
  lostSum: 'POST /shop/wallets/:id/deposit',
  tagIgnored: 'PATCH /shop/plans/:id',
  versionIgnored: 'PATCH /shop/pages/:id',
  sqlSearch: 'GET /shop/tools',
  sqlId: 'GET /shop/keys/:id',
  operator: 'GET /shop/lamps',
  signInTells: 'POST /sign-in',
  resetTells: 'POST /password/forgot',
  readableCookie: 'POST /session',
  formulas: 'GET /shop/leads.csv',
} as const

export function mountAccounts(router: Router, has: Has): Shelf[] {
  return [...mountRaces(router, has), ...mountStates(router, has), ...mountQueried(router, has),
    mountLeads(router, has)]
}

/** Takes the time of a query between reading and writing. */
const query = (): Promise<void> => wait(1)

function mountRaces(router: Router, has: Has): Shelf[] {
  const Card = z.object({ front: z.string().min(1).max(200), back: z.string().min(1).max(200) })
  const cards = mountShelf(router, 'cards', { fields: Card, rows: [{ front: 'one', back: 'two' }],
    store: async (shelf, req, res, { id, ...fields }) => {
      const row = shelf.byId(req, id)
      const copy = { ...row }
      await query()
      return Object.assign(row, has('lostField') ? copy : {}, fields)
    } })
  const teams = mountShelf(router, 'teams', { fields: Named, rows: named('Team', 2),
    create: async (shelf, req, res, fields) => {
      const check = (): void => {
        if (shelf.rows.some(({ name }) => name === fields.name)) throw new ConflictError('There is such a team')
      }
      check()
      await query()
      if (!has('twoNames')) check()
      return shelf.add(fields)
    } })
  return [cards, teams, mountInvoices(router, has), mountWallets(router, has)]
}

function mountInvoices(router: Router, has: Has): Shelf {
  const fields = Named
  const shelf = mountShelf(router, 'invoices', { fields, rows: named('Invoice', 2, () => ({ paid: false })),
    output: z.object({ id: z.int(), ...fields.shape, paid: z.boolean() }),
    create: (invoices, req, res, sent) => invoices.add({ ...sent, paid: false }) })
  mountRoutes(router, { app: 'shop', route: '/invoices', name: 'invoices', routes: {
    pay: { methods: ['POST'], route: '/:id/pay', input: z.object({ id: param.int() }),
      handler: async (req, res, { id }) => {
        const invoice = shelf.byId(req, id)
        if (invoice.paid === true) throw new ConflictError('The invoice is paid')
        if (!has('paidTwice')) invoice.paid = true
        await query()
        invoice.paid = true
        return { paid: true }
      } },
  } })
  return shelf
}

function mountWallets(router: Router, has: Has): Shelf {
  const shelf = mountShelf(router, 'wallets', { fields: Named, rows: named('Wallet', 2, () => ({ cents: 0 })),
    output: z.object({ id: z.int(), name: z.string(), cents: z.int() }),
    create: (wallets, req, res, sent) => wallets.add({ ...sent, cents: 0 }) })
  mountRoutes(router, { app: 'shop', route: '/wallets', name: 'wallets', routes: {
    deposit: { methods: ['POST'], route: '/:id/deposit',
      input: z.object({ id: param.int(), cents: param.int().min(1).max(1000) }),
      handler: async (req, res, { id, cents }) => {
        const wallet = shelf.byId(req, id)
        const before = Number(wallet.cents)
        await query()
        wallet.cents = (has('lostSum') ? before : Number(wallet.cents)) + cents
        return { cents: wallet.cents }
      } },
  } })
  return shelf
}

function mountStates(router: Router, has: Has): Shelf[] {
  const tagOf = (row: Row): string => `"v${String(row.changes ?? 0)}"`
  const plans = mountShelf(router, 'plans', { fields: Named, rows: named('Plan', 2),
    show: (shelf, req, res, { id }) => {
      const row = shelf.byId(req, id)
      res.set('ETag', tagOf(row))
      return row
    }, store: (shelf, req, res, { id, ...fields }) => {
      const row = shelf.byId(req, id)
      const tag = req.get('if-match') ?? '*'
      if (!has('tagIgnored') && tag !== '*' && tag !== tagOf(row)) throw new HttpError(412, 'The plan has changed')
      return Object.assign(row, fields, { changes: Number(row.changes ?? 0) + 1 })
    }, delete: (shelf, req, res, { id }) => {
      const row = shelf.byId(req, id)
      const tag = req.get('if-match') ?? '*'
      if (tag !== '*' && tag !== tagOf(row)) throw new HttpError(412, 'The plan has changed')
      shelf.remove(row)
      return null
    } })
  const pages = mountShelf(router, 'pages', { fields: Named, rows: named('Page', 2, () => ({ version: 1 })),
    changes: Named.extend({ version: param.int() }),
    output: z.object({ id: z.int(), name: z.string(), version: z.int() }),
    create: (shelf, req, res, fields) => shelf.add({ ...fields, version: 1 }),
    store: (shelf, req, res, { id, version, ...fields }) => {
      const row = shelf.byId(req, id)
      if (!has('versionIgnored') && version !== undefined && version !== row.version)
        throw new ConflictError('The page has changed')
      return Object.assign(row, fields, { version: Number(row.version) + 1 })
    } })
  return [plans, pages]
}

/** Reads a string as a database would read it between quotes: what follows an end of the string is a condition. */
function isTrue(text: string, quoted: boolean): boolean {
  const condition = (quoted ? /' OR ('\w+'='\w+')/ : / OR ('\w+'='\w+')/).exec(text)?.[1]
  const [one, other] = condition?.split('=') ?? []
  return one !== undefined && one === other
}

function mountQueried(router: Router, has: Has): Shelf[] {
  const tools = mountShelf(router, 'tools', { fields: Named, rows: named('Tool', 3),
    query: z.object({ like: z.string().max(60).optional() }),
    list: (shelf, req, res, { like = '' }) =>
      shelf.rows.filter(({ name }) =>
        String(name).includes(String(like)) || (has('sqlSearch') && isTrue(String(like), true))
      ) })
  const keys = mountShelf(router, 'keys', { fields: Named, rows: named('Key', 3), id: z.string(),
    actions: ['list', 'show'],
    show: (shelf, req, res, { id }) =>
      findOrFail(shelf.rows.find((row) => String(row.id) === id || (has('sqlId') && isTrue(String(id), false)))) })
  const lamps = mountShelf(router, 'lamps', { fields: Named, rows: named('Lamp', 3), list: (shelf, req) => {
    const name = new URL(req.originalUrl, 'http://localhost').searchParams
    const other = has('operator') ? name.get('name[$ne]') : null
    const value = name.get('name') ?? (has('operator') && name.has('name[$zq7x]') ? '' : null)
    return shelf.rows.filter((row) => (value === null || row.name === value) && (other === null || row.name !== other))
  } })
  return [tools, keys, lamps]
}

function mountLeads(router: Router, has: Has): Shelf {
  mountRoutes(router, { app: 'shop', route: '/leads.csv', name: 'leads.csv', routes: {
    export: { methods: ['GET'], route: '', produces: 'text/csv', handler: async (_req, res) => {
      const rows = shelf.rows.map(({ id, name }) => ({ id, name: String(name) }))
      if (!has('formulas')) return sendCsv(res, rows, { columns: { id: 'Id', name: 'Name' } })
      res.type('text/csv').send(
        ['id,name', ...rows.map(({ id, name }) => `${id},"${name.replaceAll('"', '""')}"`)].join('\n'),
      )
    } },
  } })
  const shelf = mountShelf(router, 'leads', { fields: Named, rows: named('Lead', 2),
    actions: ['list', 'show', 'create'] })
  return shelf
}

const ACCOUNTS = [{ email: 'ada@example.com', password: 'analytical' }, { email: 'bob@example.com',
  password: 'builder of walls' }]

const SignIn = z.object({ email: z.email().max(200), password: z.string().min(8).max(100) })

/** The rows of the accounts, which the snapshot has. */
export const accountRows = (): unknown => ACCOUNTS.map(({ email }) => ({ email }))

/** Mounts the routes of callers who have not signed in, without a guard in front of them. */
export function mountSignIn(router: Router, has: Has): void {
  const check = ({ email, password }: z.infer<typeof SignIn>): void => {
    const account = ACCOUNTS.find((one) => one.email === email)
    if (has('signInTells') && account === undefined) throw new UnauthorizedError('No such account')
    if (account?.password !== password) throw new UnauthorizedError('Wrong email or password')
  }
  mountRoutes(router, { route: '', name: 'sessions', routes: {
    signIn: { methods: ['POST'], route: '/sign-in', input: SignIn, handler: (_req, res, args) => {
      check(args)
      send(res, 'Signed in', { email: args.email })
    } },
    session: { methods: ['POST'], route: '/session', input: SignIn, handler: (_req, res, args) => {
      if (ACCOUNTS.find(({ email }) => email === args.email)?.password !== args.password)
        throw new UnauthorizedError('Wrong email or password')
      setSession(res, has('readableCookie'))
      send(res, 'Signed in')
    } },
    forgot: { methods: ['POST'], route: '/password/forgot', input: z.object({ email: z.email().max(200) }),
      handler: (req: Request, res, { email }) => {
        const isKnown = ACCOUNTS.some((one) => one.email === email)
        send(res, has('resetTells') && isKnown ? 'A mail was sent' : 'If there is such an account, a mail was sent')
      } },
  } })
}

function setSession(res: Response, isReadable: boolean): void {
  res.cookie('session', 'a-value-of-a-session', { httpOnly: !isReadable, sameSite: 'lax', path: '/' })
}

/** A sign-in that succeeds. */
export const SIGN_IN = { body: { email: 'ada@example.com', password: 'analytical' } }

import express, { Router } from 'express'
import { auth, errorHandler, findOrFail, issueToken, mountResource, mountRoutes, notFound, paginate, param, permission,
  permissionsOf, RequestParam, send, UnauthorizedError } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
import { z } from 'zod'
import { serving, type Client } from '../support/http.js'

const SECRET = 'a secret of the specs with enough bytes in it'

const Book = z.object({ id: z.int(), title: z.string(), genre: z.string(), pages: z.int().nullable() })
const NewBook = z.object({
  title: z.string().min(2, 'At least 2 characters'),
  genre: z.string().default('novel'),
  pages: param.int().min(1).nullable().default(null),
})
const Review = z.object({ id: z.int(), bookId: z.int(), text: z.string() })
const Country = z.object({ code: z.string(), name: z.string() })
const User = z.object({ id: z.int(), name: z.string() })

/** A request that the shop has received. */
export interface Received {
  readonly method: string
  /** With the query, decoded. */
  readonly path: string
  readonly headers: NodeJS.Dict<string | string[]>
}

export interface BookShop extends Client {
  /** All requests, the latest last. */
  readonly received: Received[]
  /** The covers that were uploaded: their sizes, by the id of the book. */
  readonly covers: Map<number, number>
}

/** Serves an app with each kind of resource that a data provider meets, at `/shop`, until the test ends. */
export async function bookShop(books = 25): Promise<BookShop> {
  const received: Received[] = []
  const covers = new Map<number, number>()
  const app = express()
  app.use((req, _res, next) => {
    received.push({ method: req.method, path: decodeURIComponent(req.url), headers: req.headers })
    next()
  })
  const shop = Router()
  mountBooks(shop, books, covers)
  mountOthers(shop)
  app.use('/shop', shop)
  app.use('/staff', staffRouter())
  app.get('/page', (_req, res) => {
    res.status(502).send('<h1>Bad gateway</h1>')
  })
  app.use(notFound(), errorHandler({ log: () => undefined }))
  return { ...await serving(app), received, covers }
}

function mountBooks(shop: Router, count: number, covers: Map<number, number>): void {
  const rows = Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    title: `Book ${index + 1}`,
    genre: index % 5 === 0 ? 'poetry' : 'novel',
    pages: index === 0 ? null : 100 + index,
    version: 1,
    deletedAt: null as Date | null,
  }))
  const declare = (ifMatch: 'optional' | 'required') =>
    crud(memoryStore({ key: 'id', unique: ['title'], rows }), {
      input: NewBook,
      output: Book,
      sort: ['title'],
      search: ['title'],
      filters: { genre: { oneOf: z.string(), ne: z.string() }, pages: { range: param.int(), isNull: true } },
      ifMatch,
      version: 'version',
      bulk: true,
      softDelete: { field: 'deletedAt', allows: () => true },
    })
  const ofBooks = declare('optional')
  mountResource(shop, {
    route: '/books',
    name: 'books',
    ...ofBooks,
    custom: {
      ...ofBooks.custom,
      cover: {
        methods: ['POST'],
        route: '/:id/cover',
        files: { cover: { types: ['image/png'], maxBytes: 2000, required: true } },
        input: z.object({ id: param.int() }),
        handler: (req, _res, { id }) => covers.set(id, RequestParam.file(req, 'cover')?.size ?? 0).size,
      },
    },
  })
  mountResource(shop, { route: '/strict', name: 'strict', ...declare('required') })
  const reviews = memoryStore({
    key: 'id',
    rows: [{ id: 1, bookId: 1, text: 'Good' }, { id: 2, bookId: 2, text: 'Bad' }],
  })
  mountResource(shop, {
    route: '/books/:bookId/reviews',
    name: 'reviews',
    ...crud(reviews, {
      input: Review.pick({ text: true }),
      output: Review,
      parent: { arg: 'bookId', column: 'bookId', of: ofBooks },
    }),
  })
}

function mountOthers(shop: Router): void {
  const countries = memoryStore({
    key: 'code',
    rows: [{ code: 'de', name: 'Germany' }, { code: 'fr', name: 'France' }],
  })
  mountResource(shop, {
    route: '/countries',
    name: 'countries',
    ...crud(countries, {
      id: z.string(),
      input: Country,
      changes: Country.pick({ name: true }),
      output: Country,
      sort: ['name'],
      total: false,
    }),
  })
  const people = Array.from({ length: 30 }, (_, index) => ({ id: index + 1, name: `Person ${index + 1}` }))
  mountResource(shop, {
    route: '/people',
    name: 'people',
    handlers: {
      list: { output: z.array(User), handler: (req) => paginate(people, RequestParam.page(req)) },
      show: {
        input: z.object({ id: param.int() }),
        output: User,
        handler: (_req, _res, { id }) => findOrFail(people.find((one) => one.id === id)),
      },
      store: {
        input: z.object({ id: param.int(), name: z.string().optional() }),
        output: User,
        handler: (_req, _res, { id, name }) =>
          Object.assign(findOrFail(people.find((one) => one.id === id)), name === undefined ? {} : { name }),
      },
    },
    custom: {
      faulty: {
        methods: ['POST'],
        route: '/faulty',
        handler: () => {
          throw new Error('a secret of the driver')
        },
      },
    },
  })
}

const ROLES = { boss: ['*'], clerk: ['staff.items.list', 'staff.items.store', 'staff.notes.*'] }

/** An application with a login route: `boss@…` and `clerk@…` have the password `secret`. */
function staffRouter(): Router {
  const staff = Router()
  staff.use(auth('staff', { secret: SECRET }), permission('staff', { roles: ROLES }))
  mountRoutes(staff, {
    app: 'staff',
    route: '',
    name: 'session',
    routes: {
      login: {
        methods: 'POST',
        route: '/login',
        auth: false,
        input: z.object({ email: z.string(), password: z.string() }),
        handler: async (_req, _res, { email, password }) => {
          if (password !== 'secret') throw new UnauthorizedError('Wrong e-mail or password')
          return { token: await issueToken('staff', { id: 7, role: email.replace(/@.*/, '') }, { secret: SECRET }) }
        },
      },
      tokenless: { methods: 'POST', route: '/tokenless', auth: false, handler: () => ({}) },
      logout: { methods: 'POST', route: '/logout', can: false, handler: () => null },
      renewed: {
        methods: 'GET',
        route: '/renewed',
        can: false,
        handler: (_req, res) => {
          res.set('Authorization', 'Bearer renewed')
          return null
        },
      },
    },
  })
  mountResource(staff, {
    app: 'staff',
    route: '/items',
    name: 'items',
    handlers: { list: () => [], create: () => ({ id: 1 }) },
  })
  staff.get('/me', (req, res) => send(res, 'ok', { id: req.auth?.id, name: 'Ann', avatarUrl: '/ann.png' }))
  staff.get(
    '/permissions',
    (req, res) => send(res, 'ok', permissionsOf(staff, 'staff'), { granted: ROLES[req.auth?.role as 'boss'] }),
  )
  staff.get('/tree', (_req, res) => send(res, 'ok', permissionsOf(staff, 'staff')))
  staff.get('/ids', (_req, res) => send(res, 'ok', ['staff.items.show']))
  return staff
}

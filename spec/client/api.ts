import express, { type Express } from 'express'
import { auth, BusinessError, errorHandler, mountResource, mountRoutes, notFound, paginate, param, permission,
  RequestParam, resource } from 'resourcery'
import { crud, filter, memoryStore, type IdempotencyKey } from 'resourcery/crud'
import { z } from 'zod'

/** The API that the specs of the client call. */

export const SECRET = 'a secret of the specs with enough bytes in it'

interface PostRow {
  id: number
  title: string
  status: number
  publishedAt: Date | null
}

const Post = z.object({ id: z.int(), title: z.string(), status: z.int(), publishedAt: z.date().nullable() })
const NewPost = z.object({
  title: z.string().min(2, 'At least 2 characters'),
  status: param.int().default(1),
  publishedAt: param.date().nullable().default(null),
})
const keys = memoryStore<IdempotencyKey>({ key: 'id' })
const rows = Array.from(
  { length: 25 },
  (_, at) => ({ id: at + 1, title: `Post ${at + 1}`, status: at % 2, publishedAt: at === 0 ? new Date(0) : null }),
)

export const app: Express = express()

export const posts = mountResource(app, {
  route: '/posts',
  name: 'posts',
  ...crud(memoryStore<PostRow>({ key: 'id', rows, unique: ['title'] }), {
    input: NewPost,
    output: Post,
    search: ['title'],
    sort: ['title'],
    bulk: true,
    ifMatch: 'optional',
    filters: { status: { oneOf: param.int(), range: param.int() } },
    customFilters: { even: filter(param.bool(), (even) => [['status', '=', even ? 0 : 1]]) },
    idempotency: { keys: () => keys, identity: () => 'all' },
  }),
})

const Note = z.object({ id: z.int(), text: z.string(), words: z.int().optional(), author: z.string().optional() })

export const notes = mountResource(app, {
  route: '/notes',
  name: 'notes',
  ...crud(memoryStore<{ id: number; text: string }>({ key: 'id', rows: [{ id: 1, text: 'Buy milk' }] }), {
    input: Note.pick({ text: true }),
    output: Note,
    include: {
      words: (found) => new Map(found.map(({ id, text }) => [id, text.split(' ').length])),
      author: async (found) => new Map(found.map(({ id }) => [id, 'Ann'])),
    },
  }),
})

const calls = { busy: 0 }

export const echo = mountRoutes(app, {
  route: '/echo',
  routes: {
    place: { route: '/:shelf/*path', handler: (req, _res, { shelf, path }) => ({ shelf, path, url: req.url }) },
    body: {
      methods: ['PUT'],
      route: '/body/:id',
      query: z.object({ dry: param.bool() }),
      input: z.object({ id: param.int(), tags: z.array(z.string()), on: param.date() }),
      output: z.object({ id: z.int(), dry: z.boolean(), tags: z.array(z.string()), on: z.date() }),
      handler: (_req, _res, args) => args,
    },
    query: {
      route: '/query',
      input: z.object({ tags: param.list(z.string()), on: param.date().optional() }),
      handler: (_req, _res, args) => args,
    },
    upload: {
      methods: ['POST'],
      route: '/upload',
      files: { photos: { maxCount: 3 } },
      input: z.object({ title: z.string(), tags: z.array(z.string()) }),
      output: z.object({ title: z.string(), tags: z.array(z.string()), files: z.array(z.string()) }),
      handler: (req, _res, { title, tags }) => ({
        title,
        tags,
        files: RequestParam.files(req, 'photos').map(({ name, size }) => `${name} ${size}`),
      }),
    },
    nothingNeeded: { methods: ['POST'], route: '/nothing-needed', input: z.object({}), handler: () => null },
    portrait: {
      methods: ['POST'],
      route: '/portrait',
      files: { portrait: { required: true }, more: { maxCount: 1 } },
      input: z.object({ title: z.string().optional() }),
      handler: () => null,
    },
    headers: {
      route: '/headers',
      handler: (req) => ({
        ifMatch: req.headers['if-match'],
        key: req.headers['idempotency-key'],
        lang: req.headers['accept-language'],
      }),
    },
    renew: {
      route: '/renew',
      handler: (req, res) => {
        res.set('Authorization', 'Bearer fresh')
        return req.headers.authorization ?? null
      },
    },
    csv: {
      route: '/csv',
      produces: 'text/csv',
      handler: (_req, res) => {
        res.type('text/csv').send('a,b\r\n')
      },
    },
    page: {
      route: '/page',
      handler: (_req, res) => {
        res.status(502).type('html').send('<h1>Bad gateway</h1>')
      },
    },
    portal: {
      route: '/portal',
      handler: (_req, res) => {
        res.type('html').send('<h1>Sign in to this network</h1>')
      },
    },
    nothing: {
      route: '/nothing',
      methods: ['DELETE'],
      handler: (_req, res) => {
        res.status(204).end()
      },
    },
    hang: { route: '/hang', handler: async () => new Promise(() => undefined) },
    taken: { route: '/taken', handler: () => {
      throw new BusinessError('This is taken', 409, { reason: 'taken' })
    } },
    busy: {
      route: '/busy',
      methods: ['GET', 'POST'],
      input: z.object({ until: param.int(), after: z.string().default('0') }),
      handler: (_req, res, { until, after }) => {
        calls.busy++
        if (calls.busy >= until) return calls.busy
        res.status(503).set('Retry-After', after).json({
          code: 503,
          message: 'Busy',
          data: null,
          meta: { reason: 'unavailable' },
        })
        return undefined
      },
    },
  },
})

export const pages = mountResource(app, {
  route: '/pages',
  name: 'pages',
  handlers: {
    list: {
      input: z.strictObject({ page: param.int().default(1), limit: param.int().default(10) }),
      output: z.array(z.int()),
      handler: (_req, _res, { page, limit }) => paginate(Array.from({ length: 25 }, (_, at) => at), { page, limit }),
    },
  },
  custom: { all: { methods: ['POST'], route: '/all', handler: () => 'an action of this name' } },
})

export const guarded = resource(app, '/guarded').app('desk')
  .guards(auth('desk', { secret: SECRET }), permission('desk', { roles: { admin: ['*'] } }))
  .list(() => ['seen'])
  .delete(() => null)

app.use(notFound(), errorHandler({ log: () => undefined }))

export interface Api {
  posts: typeof posts
  notes: typeof notes
  echo: typeof echo
  pages: typeof pages
  guarded: typeof guarded
}

/** Resets the number of calls of `busy`. */
export function reset(): void {
  calls.busy = 0
}

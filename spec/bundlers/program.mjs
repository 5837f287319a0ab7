import express from 'express'
import { auth, errorHandler, findOrFail, formatData, issueToken, localDisk, mountResource, mountRoutes, notFound,
  paginate, param, permission, RequestParam, send, serve } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
import { openapi } from 'resourcery/openapi'
import { inject } from 'resourcery/testing'
import { z } from 'zod'

/* A program that uses much of the package. It is bundled and served; run.mjs sends requests to it. */

const secret = 'at least 32 bytes that are only here for a test'
const books = [{ id: 1, title: 'Emma', since: new Date(0) }, { id: 2, title: 'Ulysses', since: new Date(1) }]
const Book = z.object({ id: z.number(), title: z.string(), since: z.date() })

const storage = localDisk(process.env.UPLOADS, { baseUrl: '/uploads' })

const app = express()
app.post('/login', async (_req, res) => {
  send(res, 'Signed in', { token: await issueToken('desk', { id: 1, role: 'editor' }, { secret }) })
})
mountRoutes(app, {
  route: '/formatted',
  name: 'formatted',
  routes: {
    ids: {
      methods: 'GET',
      route: '',
      handler: async (req) => formatData(await paginate(books, RequestParam.page(req)), ({ id }) => ({ id })),
    },
  },
})
mountResource(app, {
  route: '/books',
  name: 'books',
  handlers: {
    list: { output: z.array(Book), handler: (req) => paginate(books, RequestParam.page(req)) },
    show: { output: Book, input: z.object({ id: param.int() }),
      handler: (_req, _res, { id }) => findOrFail(books.find((one) => one.id === id)) },
    create: { output: Book, input: z.object({ title: z.string().min(2) }),
      handler: (_req, _res, { title }) => ({ id: 3, title, since: new Date(2) }) },
    delete: () => {
      throw new Error('The database is gone')
    },
  },
})
mountResource(app, {
  route: '/notes',
  name: 'notes',
  ...crud(
    memoryStore({ key: 'id', rows: [{ id: 1, title: 'Milk', done: false }, { id: 2, title: 'Tea', done: true }] }),
    {
      input: z.object({ title: z.string(), done: param.bool().default(false) }),
      output: z.object({ id: z.int(), title: z.string(), done: z.boolean() }),
      sort: ['title'],
      search: ['title'],
      filters: { done: { eq: param.bool() } },
      bulk: true,
      export: true,
      import: true,
    },
  ),
})
mountRoutes(app, {
  route: '/files',
  name: 'files',
  routes: {
    photo: {
      methods: 'POST',
      route: '',
      files: { photo: { types: ['image/png'], required: true } },
      handler: async (req) => {
        const file = findOrFail(RequestParam.file(req, 'photo'))
        await file.saveTo(storage)
        return { size: file.size, type: file.type }
      },
    },
  },
})
const desk = express.Router().use(auth('desk', { secret }),
  permission('desk', { roles: { editor: ['desk.tasks.list'] } }))
mountResource(desk, {
  app: 'desk',
  route: '/tasks',
  name: 'tasks',
  handlers: { list: (req) => [{ by: req.auth?.id }], show: (_req, _res, { id }) => id },
})
app.use('/desk', desk)
app.get('/openapi.json', (_req, res) => res.json(openapi(app, { title: 'Books', version: '1' })))
app.get('/inner', async (_req, res) => {
  send(res, 'ok', (await inject(app, { method: 'GET', path: '/books/1' })).status)
})
app.use(notFound(), errorHandler({ log: () => undefined }))

void serve(app, { port: 0, host: '127.0.0.1' }).then(({ url }) => console.log(url))

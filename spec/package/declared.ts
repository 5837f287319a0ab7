import express from 'express'
import { auth, mountResource, mountRoutes, paginate, param, permission, reply, RequestParam, resource, routeManifest,
  validate } from 'resourcery'
import { createClient } from 'resourcery/client'
import { crud, filter, memoryStore } from 'resourcery/crud'
import { dataProvider } from 'resourcery/react-admin'
import { z } from 'zod'

/*
 * A module of a project that emits declarations: `npm run test:package` compiles it against the packed package. Each
 * exported type is inferred, so that TypeScript has to find a name in the package for all of its parts.
 */
export const app = express()

export const Task = z.object({
  id: z.int(),
  title: z.string(),
  done: z.boolean(),
  due: z.date().nullable(),
  parentId: z.int().nullable(),
})
export const fields = {
  id: param.int(),
  price: param.number(),
  done: param.bool(),
  due: param.date(),
  day: param.calendarDate(),
  tags: param.list(z.string()),
}

interface TaskRow {
  id: number
  title: string
  done: boolean
  due: Date | null
  parentId: number | null
  boardId: number
  version: number
  deletedAt: Date | null
}

export const boardStore = memoryStore<{ id: number; name: string }>({ key: 'id', rows: [{ id: 1, name: 'Home' }] })
export const taskStore = memoryStore<TaskRow>({ key: 'id' })

export const boardActions = crud(boardStore, {
  input: z.object({ name: z.string() }),
  output: z.object({ id: z.int(), name: z.string() }),
})
export const boards = mountResource(app, { route: '/boards', name: 'boards', ...boardActions })

export const tasks = mountResource(app, {
  route: '/boards/:boardId/tasks',
  name: 'tasks',
  ...crud(taskStore, {
    input: z.object({
      title: z.string(),
      done: param.bool().default(false),
      due: param.date().nullable().default(null),
      parentId: param.int().nullable().default(null),
    }),
    output: Task,
    sort: ['title'],
    search: ['title'],
    filters: { done: { eq: param.bool() }, due: { range: param.date() } },
    customFilters: { late: filter(param.bool(), () => [['done', '=', false]]) },
    parent: { arg: 'boardId', column: 'boardId', of: boardActions },
    ifMatch: 'optional',
    version: 'version',
    bulk: true,
    softDelete: { field: 'deletedAt' },
    tree: { parent: 'parentId', onDelete: 'restrict' },
    export: true,
    members: { finish: { input: z.object({ note: z.string() }), change: () => ({ done: true }) } },
    custom: { count: { methods: ['GET'], route: '/count', output: z.int(), handler: () => 3 } },
  }),
})

export const users = mountResource(app, {
  route: '/users',
  name: 'users',
  handlers: {
    list: (req) => paginate([{ id: 1 }], RequestParam.page(req)),
    show: {
      input: { id: [['required', 'An id is needed'], ['integer', 'A whole number']] },
      handler: (req, res, { id }) => reply('Found', { id }),
    },
  },
})

export const session = mountRoutes(app, {
  route: '',
  name: 'session',
  routes: {
    login: {
      methods: 'POST',
      route: '/login',
      auth: false,
      input: z.object({ email: z.string() }),
      output: z.object({ token: z.string() }),
      handler: () => ({ token: '' }),
    },
    photo: {
      methods: ['POST'],
      route: '/photo',
      files: { photo: { types: ['image/png'], required: true } },
      handler: (req) => RequestParam.file(req, 'photo')?.size,
    },
  },
})

export const chained = resource(app, '/notes')
  .show({
    input: z.object({ id: param.int() }),
    output: z.object({ id: z.int() }),
    handler: (req, res, { id }) => ({ id }),
  })
  .get('ping', '/ping', { output: z.literal('pong'), handler: () => 'pong' as const })

export const signIn = auth('admin', { secret: 'a secret of this file with enough bytes' })
export const mayEnter = permission('admin', { roles: { admin: ['*'] } })
export const note = (value: unknown) => validate(value, { title: [['required', 'A title is needed']] })
export const client = createClient<
  { boards: typeof boards; tasks: typeof tasks; users: typeof users; session: typeof session }
>({ url: '', routes: routeManifest(app) })
export const firstPage = () => client.tasks.list({ boardId: 1, done: true })
export const refused = async () => {
  const reply = await firstPage()
  return !reply.ok && reply.code === 422 ? reply : undefined
}
export const provider = dataProvider('/admin')

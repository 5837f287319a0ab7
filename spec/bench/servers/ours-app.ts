import express, { type Express } from 'express'
import { auth, errorHandler, findOrFail, mountResource, notFound, paginate, param, permission,
  RequestParam } from 'resourcery'
import { z } from 'zod'
import { addPost, addThing, allThings, findPost, findThing, ROLES, searchPosts, SECRET, type Shape } from './data.js'

export const Id = z.object({ id: param.int() })
export const Post = z.object({
  id: z.int(),
  title: z.string(),
  content: z.string(),
  category: z.enum(['news', 'guide', 'story']),
  status: z.int(),
  authorId: z.int(),
  createdAt: z.string(),
})
export const NewPost = z.object({
  title: z.string().min(3, 'must NOT have fewer than 3 characters').max(200, 'must NOT have more than 200 characters'),
  content: z.string().min(1, 'must NOT have fewer than 1 characters'),
  category: z.enum(['news', 'guide', 'story'], 'must be equal to one of the allowed values'),
  status: z.int('must be integer'),
})
const Thing = z.object({ id: z.int(), name: z.string() })
const NewThing = z.object({ name: z.string().min(1, 'must NOT have fewer than 1 characters') })

/** The app as a user of the package would write it. */
export function createApp(resources: number, shape: Shape, tagged = shape === 'router'): Express {
  const app = express()
  if (!tagged) app.disable('etag').disable('x-powered-by')
  const api = shape === 'router' ? express.Router() : app
  if (api !== app) app.use('/api', api)
  mountResource(api, {
    route: '/posts',
    name: 'posts',
    handlers: {
      list: {
        output: z.array(Post),
        handler: (req) => {
          const { page, limit, search } = RequestParam.page(req)
          return paginate(searchPosts(search), { page, limit })
        },
      },
      show: { input: Id, output: Post, handler: (req, res, { id }) => findOrFail(findPost(id)) },
      create: { input: NewPost, output: Post, handler: (req, res, args) => addPost(args) },
    },
  })

  const admin = express.Router()
  api.use('/admin', admin)
  admin.use(auth('admin', { secret: SECRET }), permission('admin', { roles: ROLES }))
  mountResource(admin, {
    app: 'admin',
    route: '/posts',
    name: 'posts',
    handlers: { show: { input: Id, output: Post, handler: (req, res, { id }) => findOrFail(findPost(id)) } },
  })

  for (let at = 0; at < resources; at++) {
    mountResource(api, {
      route: `/things${at}`,
      name: `things${at}`,
      handlers: {
        list: { output: z.array(Thing), handler: allThings },
        show: { input: Id, output: Thing, handler: (req, res, { id }) => findOrFail(findThing(id)) },
        create: { input: NewThing, output: Thing, handler: (req, res, { name }) => addThing(name) },
      },
    })
  }
  app.use(notFound(), errorHandler())
  return app
}

import cors from 'cors'
import express, { type Express } from 'express'
import helmet from 'helmet'
import { pino } from 'pino'
import { pinoHttp } from 'pino-http'
import { auth, errorHandler, findOrFail, mountResource, notFound, paginate, permission, RequestParam } from 'resourcery'
import { z } from 'zod'
import { addPost, findPost, SECRET, searchPosts, type Shape } from '../data.js'
import { Id, NewPost, Post } from '../ours-app.js'
import { featuresOf, LOG_FILE, REAL_ROLES } from './features.js'

/** The app as a user of the package would write it, with the settings that Express has by default. */
export function createApp(shape: Shape): Express {
  const { guarded, plugins, logs, resources } = featuresOf(shape)
  const app = express()
  if (logs) app.use(pinoHttp({ logger: pino(pino.destination(LOG_FILE)) }))
  if (plugins) app.use(helmet(), cors())
  const api = express.Router()
  app.use('/api', api)
  if (guarded) api.use(auth('admin', { secret: SECRET }), permission('admin', { roles: REAL_ROLES }))
  for (const name of resources) {
    mountResource(api, {
      ...(guarded ? { app: 'admin' } : {}),
      route: `/${name}`,
      name,
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
  }
  app.use(notFound(), errorHandler())
  return app
}

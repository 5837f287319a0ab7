import cors from 'cors'
import express, { type RequestHandler } from 'express'
import helmet from 'helmet'
import { pino } from 'pino'
import { pinoHttp } from 'pino-http'
import type { Start } from '../data.js'
import { createPost, fail, listPosts, onError, showPost, signedIn } from '../peers/express-app.js'
import { featuresOf, grants, LOG_FILE } from './features.js'

/** The same app on plain Express, by hand, with `app.listen`. */
export const start: Start = (_resources, shape) => {
  const { guarded, plugins, logs, resources } = featuresOf(shape)
  const app = express()
  if (logs) app.use(pinoHttp({ logger: pino(pino.destination(LOG_FILE)) }))
  if (plugins) app.use(helmet(), cors())
  const api = express.Router()
  app.use('/api', api)
  if (guarded) api.use(signedIn)
  api.use(express.json())
  for (const name of resources) {
    const may = (action: string): RequestHandler[] => guarded ? [requires(`admin.${name}.${action}`)] : []
    const router = express.Router()
    router.get('/', ...may('list'), listPosts)
    router.get('/:id', ...may('show'), showPost)
    router.post('/', ...may('create'), createPost)
    api.use(`/${name}`, router)
  }
  app.use((_req, res) => fail(res, 404, 'Not found', null, 'not_found'))
  app.use(onError)
  return app.listen(0, '127.0.0.1')
}

function requires(permission: string): RequestHandler {
  return (req, res, next) => {
    if (grants(req.user?.role, permission)) next()
    else fail(res, 403, 'Permission denied', null, 'forbidden')
  }
}

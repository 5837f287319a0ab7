import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import jwt from '@fastify/jwt'
import createFastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { pino } from 'pino'
import { SECRET, type Start } from '../data.js'
import { createPost, fail, listPosts, onError, schemas, showPost, signedIn } from '../peers/fastify.js'
import { featuresOf, grants, LOG_FILE } from './features.js'

/* The same app on Fastify with its own plugins, and with its own logger, which writes a line before and after a request. */

declare module 'fastify' {
  interface FastifyContextConfig {
    permission?: string
  }
}

export const start: Start = async (_resources, shape) => {
  const { guarded, plugins, logs, resources } = featuresOf(shape)
  const app = createFastify({
    ajv: { customOptions: { allErrors: true } },
    ...(logs ? { logger: { stream: pino.destination(LOG_FILE) } } : {}),
  })
  if (plugins) {
    await app.register(helmet)
    await app.register(cors)
  }
  if (guarded) await app.register(jwt, { secret: SECRET })
  app.setErrorHandler(onError)
  app.setNotFoundHandler(noPath)
  await app.register(async (api) => {
    if (guarded) {
      api.addHook('onRequest', signedIn)
      api.addHook('onRequest', permitted)
      // The hooks of this scope run for it too: as on the other servers, callers need a token to learn which paths exist.
      api.setNotFoundHandler(noPath)
    }
    for (const name of resources) {
      const config = (action: string): { permission?: string } =>
        guarded ? { permission: `admin.${name}.${action}` } : {}
      await api.register(async (router) => {
        router.get('/', { schema: schemas.list, config: config('list') }, listPosts)
        router.get('/:id', { schema: schemas.show, config: config('show') }, showPost)
        router.post('/', { schema: schemas.create, config: config('create') }, createPost)
      }, { prefix: `/${name}` })
    }
  }, { prefix: '/api' })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server
}

function noPath(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return fail(reply, 404, 'Not found', 'not_found')
}

async function permitted(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { permission } = request.routeOptions.config
  return request.is404 || (permission !== undefined && grants(request.user.role, permission))
    ? undefined
    : fail(reply, 403, 'Permission denied', 'forbidden')
}

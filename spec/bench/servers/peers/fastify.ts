import jwt from '@fastify/jwt'
import createFastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { addPost, addThing, allThings, findPost, findThing, ROLES, searchPosts, SECRET, type NewPost,
  type Start } from '../data.js'

/* Fastify with JSON schemas for input and output, and its own plugin for tokens. */

declare module '@fastify/jwt' {
  interface FastifyJWT {
    user: { role?: string }
  }
}

const Meta = { type: 'object', properties: {} }
const Post = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    title: { type: 'string' },
    content: { type: 'string' },
    category: { type: 'string' },
    status: { type: 'integer' },
    authorId: { type: 'integer' },
    createdAt: { type: 'string' },
  },
}
const PageMeta = {
  type: 'object',
  properties: { total: { type: 'integer' }, page: { type: 'integer' }, limit: { type: 'integer' } },
}
const NewPost = {
  type: 'object',
  required: ['title', 'content', 'category', 'status'],
  additionalProperties: false,
  properties: {
    title: { type: 'string', minLength: 3, maxLength: 200 },
    content: { type: 'string', minLength: 1 },
    category: { type: 'string', enum: ['news', 'guide', 'story'] },
    status: { type: 'integer' },
  },
}
const PageQuery = {
  type: 'object',
  properties: {
    page: { type: 'integer', minimum: 1, default: 1 },
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    search: { type: 'string', maxLength: 200, default: '' },
  },
}
const Id = { type: 'object', required: ['id'], properties: { id: { type: 'integer', minimum: 1 } } }
const Thing = { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } } }
const NewThing = {
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  properties: { name: { type: 'string', minLength: 1 } },
}

function envelope(data: object, meta: object = Meta): object {
  return { type: 'object', properties: { code: { type: 'integer' }, message: { type: 'string' }, data, meta } }
}

export const schemas = {
  list: { querystring: PageQuery, response: { 200: envelope({ type: 'array', items: Post }, PageMeta) } },
  show: { params: Id, response: { 200: envelope(Post) } },
  create: { body: NewPost, response: { 201: envelope(Post) } },
}

export const start: Start = async (resources, shape) => {
  const prefix = shape === 'router' ? '/api' : ''
  const app = createFastify({ ajv: { customOptions: { allErrors: true } } })
  await app.register(jwt, { secret: SECRET })
  app.setErrorHandler(onError)
  app.setNotFoundHandler((_request, reply) => fail(reply, 404, 'Not found', 'not_found'))
  await app.register(async (api) => {
    await api.register(posts, { prefix: '/posts' })
    await api.register(admin, { prefix: '/admin/posts' })
    for (let at = 0; at < resources; at++) await api.register(things, { prefix: `/things${at}` })
  }, { prefix })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server
}

async function posts(app: FastifyInstance): Promise<void> {
  app.get('/', { schema: schemas.list }, listPosts)
  app.get('/:id', { schema: schemas.show }, showPost)
  app.post('/', { schema: schemas.create }, createPost)
}

async function admin(app: FastifyInstance): Promise<void> {
  app.get('/:id', {
    onRequest: [signedIn, may('admin.posts.show')],
    schema: schemas.show,
  }, showPost)
}

async function things(app: FastifyInstance): Promise<void> {
  app.get(
    '/',
    { schema: { response: { 200: envelope({ type: 'array', items: Thing }) } } },
    async () => ({ code: 200, message: 'ok', data: allThings(), meta: {} }),
  )
  app.get<{ Params: { id: number } }>(
    '/:id',
    { schema: { params: Id, response: { 200: envelope(Thing) } } },
    async (request, reply) => {
      const thing = findThing(request.params.id)
      if (thing === undefined) return fail(reply, 404, 'Not found', 'not_found')
      return { code: 200, message: 'ok', data: thing, meta: {} }
    },
  )
  app.post<{ Body: { name: string } }>(
    '/',
    { schema: { body: NewThing, response: { 201: envelope(Thing) } } },
    async (request, reply) => {
      reply.code(201)
      return { code: 201, message: 'ok', data: addThing(request.body.name), meta: {} }
    },
  )
}

export async function listPosts(request: FastifyRequest): Promise<unknown> {
  const { page, limit, search } = request.query as { page: number; limit: number; search: string }
  const rows = searchPosts(search)
  return {
    code: 200,
    message: 'ok',
    data: rows.slice((page - 1) * limit, page * limit),
    meta: { total: rows.length, page, limit },
  }
}

export async function createPost(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  reply.code(201)
  return { code: 201, message: 'ok', data: addPost(request.body as NewPost), meta: {} }
}

export async function showPost(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const post = findPost((request.params as { id: number }).id)
  if (post === undefined) return fail(reply, 404, 'Not found', 'not_found')
  return { code: 200, message: 'ok', data: post, meta: {} }
}

export async function signedIn(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  try {
    await request.jwtVerify()
  } catch {
    const missing = request.headers.authorization === undefined
    return fail(
      reply,
      401,
      missing ? 'Authentication required' : 'Sign in again',
      missing ? 'token_missing' : 'token_invalid',
    )
  }
  return undefined
}

function may(permission: string) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> =>
    ROLES[request.user.role ?? '']?.includes(permission) === true
      ? undefined
      : fail(reply, 403, 'Not allowed', 'forbidden')
}

interface Fault {
  readonly statusCode?: number
  readonly validation?: readonly { instancePath: string; message?: string; params: Record<string, unknown> }[]
}

export function onError(error: Fault, _request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error.validation === undefined) return fail(reply, error.statusCode ?? 500, 'Something went wrong', 'internal')
  const fields: Record<string, string[]> = {}
  for (const { instancePath, message = 'invalid', params } of error.validation) {
    const field = instancePath.slice(1).replaceAll('/', '.') || String(params.missingProperty ?? '_')
    ;(fields[field] ??= []).push(message)
  }
  return fail(reply, 422, error.validation[0]?.message ?? 'Invalid', 'validation', fields)
}

export function fail(reply: FastifyReply, code: number, message: string, reason: string,
  data: unknown = null): FastifyReply
{
  return reply.code(code).send({ code, message, data, meta: { reason } })
}

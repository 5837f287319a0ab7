import { createConfig, createServer, EndpointsFactory, InputValidationError, Middleware, ResultHandler,
  type Routing } from 'express-zod-api'
import createHttpError, { isHttpError } from 'http-errors'
import jwt from 'jsonwebtoken'
import { z } from 'zod'
import { addPost, addThing, allThings, findPost, findThing, ROLES, searchPosts, SECRET, type Start } from '../data.js'

/*
 * express-zod-api with a custom result handler for the envelope. Its outputs are objects: a list is one with `items`.
 */

const Id = z.object({ id: z.string().regex(/^[1-9]\d{0,8}$/, 'must be integer').transform(Number) })
const Post = z.object({
  id: z.int(),
  title: z.string(),
  content: z.string(),
  category: z.enum(['news', 'guide', 'story']),
  status: z.int(),
  authorId: z.int(),
  createdAt: z.string(),
})
const PostPage = z.object({ items: z.array(Post), total: z.int(), page: z.int(), limit: z.int() })
const PageQuery = z.object({
  page: z.coerce.number().int().min(1).default(1),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  search: z.string().max(200).default(''),
})
const NewPost = z.object({
  title: z.string().min(3, 'must NOT have fewer than 3 characters').max(200, 'must NOT have more than 200 characters'),
  content: z.string().min(1, 'must NOT have fewer than 1 characters'),
  category: z.enum(['news', 'guide', 'story'], 'must be equal to one of the allowed values'),
  status: z.int('must be integer'),
})
const Thing = z.object({ id: z.int(), name: z.string() })
const Things = z.object({ items: z.array(Thing) })
const NewThing = z.object({ name: z.string().min(1, 'must NOT have fewer than 1 characters') })

const REASONS: Readonly<Record<number, string>> = { 401: 'token_invalid', 403: 'forbidden', 404: 'not_found' }

function replying(status: number) {
  return new ResultHandler({
    positive: {
      statusCode: status,
      schema: z.object({
        code: z.int(),
        message: z.string(),
        data: z.unknown(),
        meta: z.record(z.string(), z.unknown()),
      }),
    },
    negative: z.object({
      code: z.int(),
      message: z.string(),
      data: z.unknown(),
      meta: z.record(z.string(), z.unknown()),
    }),
    handler: ({ error, output, response }) => {
      if (error === null) {
        const { items, ...meta } = output
        response.status(status).json(
          items === undefined
            ? { code: status, message: 'ok', data: output, meta: {} }
            : { code: status, message: 'ok', data: items, meta },
        )
      } else if (error instanceof InputValidationError) {
        const fields: Record<string, string[]> = {}
        for (const { path, message } of error.cause.issues) (fields[path.join('.')] ??= []).push(message)
        const message = error.cause.issues[0]?.message ?? 'Invalid'
        response.status(422).json({ code: 422, message, data: fields, meta: { reason: 'validation' } })
      } else {
        const code = isHttpError(error) ? error.statusCode : 500
        const reason = (error as { reason?: string }).reason ?? REASONS[code] ?? 'internal'
        response.status(code).json({
          code,
          message: isHttpError(error) ? error.message : 'Something went wrong',
          data: null,
          meta: { reason },
        })
      }
    },
  })
}

const ok = new EndpointsFactory(replying(200))
const created = new EndpointsFactory(replying(201))

const signedIn = new Middleware({
  security: { type: 'bearer' },
  handler: async ({ request }) => {
    const [scheme, token] = (request.headers.authorization ?? '').split(' ')
    if (scheme !== 'Bearer' || token === undefined) {
      throw createHttpError(401, 'Authentication required', { reason: 'token_missing' })
    }
    try {
      return { user: jwt.verify(token, SECRET, { algorithms: ['HS256'] }) as { role?: string } }
    } catch {
      throw createHttpError(401, 'Sign in again')
    }
  },
})

const listPosts = ok.build({
  input: PageQuery,
  output: PostPage,
  handler: async ({ input: { page, limit, search } }) => {
    const rows = searchPosts(search)
    return { items: rows.slice((page - 1) * limit, page * limit), total: rows.length, page, limit }
  },
})

const showPost = ok.build({ input: Id, output: Post, handler: async ({ input: { id } }) => found(findPost(id)) })

const createPost = created.build({
  method: 'post',
  input: NewPost,
  output: Post,
  handler: async ({ input }) => addPost(input),
})

const showPostAsAdmin = ok
  .addMiddleware(signedIn)
  .addMiddleware({
    handler: async ({ ctx: { user } }) => {
      if (ROLES[user.role ?? '']?.includes('admin.posts.show') !== true) throw createHttpError(403, 'Not allowed')
      return {}
    },
  })
  .build({ input: Id, output: Post, handler: async ({ input: { id } }) => found(findPost(id)) })

function things(): Routing {
  return {
    get: ok.build({ output: Things, handler: async () => ({ items: allThings() }) }),
    ':id': ok.build({ input: Id, output: Thing, handler: async ({ input: { id } }) => found(findThing(id)) }),
    post: created.build({
      method: 'post',
      input: NewThing,
      output: Thing,
      handler: async ({ input: { name } }) => addThing(name),
    }),
  }
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw createHttpError(404, 'Not found')
  return value
}

export const start: Start = async (resources) => {
  const routing: Routing = {
    posts: { get: listPosts, post: createPost, ':id': showPost },
    admin: { posts: { ':id': showPostAsAdmin } },
    ...Object.fromEntries(Array.from({ length: resources }, (_, at) => [`things${at}`, things()])),
  }
  const config = createConfig({
    http: { listen: { port: 0, host: '127.0.0.1' } },
    cors: false,
    startupLogo: false,
    errorHandler: replying(200),
  })
  const { servers } = await createServer(config, routing)
  const [server] = servers
  if (server === undefined) throw new Error('express-zod-api has made no server')
  return server
}

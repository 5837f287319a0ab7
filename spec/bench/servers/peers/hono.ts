import { serve } from '@hono/node-server'
import { zValidator } from '@hono/zod-validator'
import { Hono, type Context, type MiddlewareHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { jwt, type JwtVariables } from 'hono/jwt'
import { z } from 'zod'
import { addPost, addThing, allThings, findPost, findThing, ROLES, searchPosts, SECRET, type Start } from '../data.js'

/* Hono on its server for Node.js, with its validator for zod and its own middleware for tokens. */

type Claims = { Variables: JwtVariables<{ role?: string }> }

const Id = z.object({ id: z.coerce.number().int().positive() })
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
const NewThing = z.object({ name: z.string().min(1, 'must NOT have fewer than 1 characters') })

const params = zValidator('param', Id, invalid)

const posts = new Hono()
  .get('/', zValidator('query', PageQuery, invalid), (c) => {
    const { page, limit, search } = c.req.valid('query')
    const rows = searchPosts(search)
    return c.json({
      code: 200,
      message: 'ok',
      data: rows.slice((page - 1) * limit, page * limit),
      meta: { total: rows.length, page, limit },
    })
  })
  .get('/:id', params, (c) => showPost(c, c.req.valid('param').id))
  .post(
    '/',
    zValidator('json', NewPost, invalid),
    (c) => c.json({ code: 201, message: 'ok', data: addPost(c.req.valid('json')), meta: {} }, 201),
  )

const admin = new Hono<Claims>()
  .get(
    '/:id',
    jwt({ secret: SECRET, alg: 'HS256' }),
    may('admin.posts.show'),
    params,
    (c) => showPost(c, c.req.valid('param').id),
  )

function things(): Hono {
  return new Hono()
    .get('/', (c) => c.json({ code: 200, message: 'ok', data: allThings(), meta: {} }))
    .get('/:id', params, (c) => {
      const thing = findThing(c.req.valid('param').id)
      return thing === undefined ? notFound(c) : c.json({ code: 200, message: 'ok', data: thing, meta: {} })
    })
    .post('/', zValidator('json', NewThing, invalid),
      (c) => c.json({ code: 201, message: 'ok', data: addThing(c.req.valid('json').name), meta: {} }, 201))
}

export const start: Start = (resources) => {
  const app = new Hono()
  app.route('/posts', posts)
  app.route('/admin/posts', admin)
  for (let at = 0; at < resources; at++) app.route(`/things${at}`, things())
  app.notFound(notFound)
  app.onError(onError)
  return serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
}

function showPost(c: Context, id: number): Response {
  const post = findPost(id)
  return post === undefined ? notFound(c) : c.json({ code: 200, message: 'ok', data: post, meta: {} })
}

function may(permission: string): MiddlewareHandler<Claims> {
  return async (c, next) => {
    if (ROLES[c.get('jwtPayload').role ?? '']?.includes(permission) === true) return next()
    return c.json({ code: 403, message: 'Not allowed', data: null, meta: { reason: 'forbidden' } }, 403)
  }
}

function notFound(c: Context): Response {
  return c.json({ code: 404, message: 'Not found', data: null, meta: { reason: 'not_found' } }, 404)
}

function onError(error: Error, c: Context): Response {
  const status = error instanceof HTTPException ? error.status : 500
  if (status === 401) {
    const reason = c.req.header('authorization') === undefined ? 'token_missing' : 'token_invalid'
    return c.json({ code: 401, message: 'Authentication required', data: null, meta: { reason } }, 401)
  }
  return c.json({ code: status, message: 'Something went wrong', data: null, meta: { reason: 'internal' } }, status)
}

function invalid(
  result: { success: true } | { success: false; error: z.core.$ZodError },
  c: Context,
): Response | undefined {
  if (result.success) return undefined
  const fields: Record<string, string[]> = {}
  for (const { path, message } of result.error.issues) (fields[path.join('.')] ??= []).push(message)
  return c.json({
    code: 422,
    message: result.error.issues[0]?.message ?? 'Invalid',
    data: fields,
    meta: { reason: 'validation' },
  }, 422)
}

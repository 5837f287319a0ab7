import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Response } from 'express'
import jwt from 'jsonwebtoken'
import { z } from 'zod'
import { addPost, addThing, allThings, findPost, findThing, ROLES, searchPosts, SECRET, type Shape } from '../data.js'

/*
 * The same app on plain Express: explicit calls of zod, jsonwebtoken with the secret as a string, a router for each
 * resource.
 */

declare module 'express-serve-static-core' {
  interface Request {
    user?: { role?: string }
  }
}

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

export function createApp(resources: number, shape: Shape): Express {
  const app = express()
  if (shape === 'app') app.disable('etag').disable('x-powered-by')
  app.use(express.json())
  const api = shape === 'router' ? express.Router() : app
  if (api !== app) app.use('/api', api)
  api.use('/posts', postsRouter())
  api.use('/admin/posts', adminRouter())
  for (let at = 0; at < resources; at++) api.use(`/things${at}`, thingsRouter())
  app.use((_req, res) => fail(res, 404, 'Not found', null, 'not_found'))
  app.use(onError)
  return app
}

function postsRouter(): express.Router {
  const router = express.Router()
  router.get('/', listPosts)
  router.get('/:id', showPost)
  router.post('/', createPost)
  return router
}

function adminRouter(): express.Router {
  const router = express.Router()
  router.get('/:id', signedIn, may('admin.posts.show'), showPost)
  return router
}

function thingsRouter(): express.Router {
  const router = express.Router()
  router.get('/', (_req, res) => void res.json({ code: 200, message: 'ok', data: allThings(), meta: {} }))
  router.get('/:id', (req, res) => {
    const params = Id.safeParse(req.params)
    if (!params.success) return invalid(res, params.error)
    const thing = findThing(params.data.id)
    if (thing === undefined) return fail(res, 404, 'Not found', null, 'not_found')
    res.json({ code: 200, message: 'ok', data: thing, meta: {} })
  })
  router.post('/', (req, res) => {
    const body = NewThing.safeParse(req.body)
    if (!body.success) return invalid(res, body.error)
    res.status(201).json({ code: 201, message: 'ok', data: addThing(body.data.name), meta: {} })
  })
  return router
}

export const listPosts: RequestHandler = (req, res) => {
  const query = PageQuery.safeParse(req.query)
  if (!query.success) return invalid(res, query.error)
  const { page, limit, search } = query.data
  const rows = searchPosts(search)
  res.json({
    code: 200,
    message: 'ok',
    data: rows.slice((page - 1) * limit, page * limit),
    meta: { total: rows.length, page, limit },
  })
}

export const createPost: RequestHandler = (req, res) => {
  const body = NewPost.safeParse(req.body)
  if (!body.success) return invalid(res, body.error)
  res.status(201).json({ code: 201, message: 'ok', data: addPost(body.data), meta: {} })
}

export const showPost: RequestHandler = (req, res) => {
  const params = Id.safeParse(req.params)
  if (!params.success) return invalid(res, params.error)
  const post = findPost(params.data.id)
  if (post === undefined) return fail(res, 404, 'Not found', null, 'not_found')
  res.json({ code: 200, message: 'ok', data: post, meta: {} })
}

export const signedIn: RequestHandler = (req, res, next) => {
  const [scheme, token] = (req.headers.authorization ?? '').split(' ')
  if (scheme !== 'Bearer' || token === undefined) {
    return fail(res, 401, 'Authentication required', null, 'token_missing')
  }
  try {
    req.user = jwt.verify(token, SECRET, { algorithms: ['HS256'] }) as { role?: string }
  } catch {
    return fail(res, 401, 'Sign in again', null, 'token_invalid')
  }
  next()
}

function may(permission: string): RequestHandler {
  return (req, res, next) => {
    if (ROLES[req.user?.role ?? '']?.includes(permission) !== true) {
      return fail(res, 403, 'Not allowed', null, 'forbidden')
    }
    next()
  }
}

export const onError: ErrorRequestHandler = (error: { status?: number }, _req, res, _next) => {
  fail(res, error.status ?? 500, 'Something went wrong', null, 'internal')
}

function invalid(res: Response, error: z.ZodError): void {
  const fields: Record<string, string[]> = {}
  for (const { path, message } of error.issues) (fields[path.join('.')] ??= []).push(message)
  fail(res, 422, error.issues[0]?.message ?? 'Invalid', fields, 'validation')
}

export function fail(res: Response, code: number, message: string, data: unknown, reason: string): void {
  res.status(code).json({ code, message, data, meta: { reason } })
}

import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { addPost, addThing, allThings, findPost, findThing, ROLES, searchPosts, SECRET, type NewPost,
  type Start } from './data.js'

/* No framework: what these replies cost with `node:http` and a few conditions. */

const INTEGER = /^[1-9]\d{0,8}$/
const CATEGORIES: readonly unknown[] = ['news', 'guide', 'story']

/** Written for both shapes: those of a user would have the prefix in their conditions. */
export const start: Start = (resources, shape) => {
  const prefix = shape === 'router' ? '/api' : ''
  const things = new Set(Array.from({ length: resources }, (_, at) => `things${at}`))
  const server = createServer((req, res) => {
    const { method = 'GET', url = '/' } = req
    if (!url.startsWith(prefix)) return fail(res, 404, 'Not found', 'not_found')
    const [path = '', query = ''] = url.slice(prefix.length).split('?', 2)
    const [, group = '', id, rest] = path.split('/')
    if (group === 'posts' && method === 'POST') readJson(req, res, createPost)
    else if (group === 'posts' && id === undefined) listPosts(res, query)
    else if (group === 'posts' && id !== undefined) showPost(res, id)
    else if (group === 'admin' && id === 'posts' && rest !== undefined) guarded(req, res, () => showPost(res, rest))
    else if (things.has(group) && method === 'POST') readJson(req, res, createThing)
    else if (things.has(group)) showThing(res, id)
    else fail(res, 404, 'Not found', 'not_found')
  })
  return server.listen(0, '127.0.0.1')
}

function showPost(res: ServerResponse, id: string): void {
  if (!INTEGER.test(id)) return fail(res, 422, 'must be integer', 'validation', { id: ['must be integer'] })
  const post = findPost(Number(id))
  if (post === undefined) return fail(res, 404, 'Not found', 'not_found')
  write(res, 200, { code: 200, message: 'ok', data: post, meta: {} })
}

function listPosts(res: ServerResponse, query: string): void {
  const wanted = new URLSearchParams(query)
  const [page, limit, search] = [wanted.get('page') ?? '1', wanted.get('limit') ?? '20', wanted.get('search') ?? '']
  const faults: Record<string, string[]> = {}
  if (!INTEGER.test(page)) faults.page = ['must be integer']
  if (!INTEGER.test(limit) || Number(limit) > 100) faults.limit = ['must be integer']
  if (search.length > 200) faults.search = ['must NOT have more than 200 characters']
  if (Object.keys(faults).length > 0) return fail(res, 422, 'Invalid', 'validation', faults)
  const rows = searchPosts(search)
  const [at, size] = [Number(page), Number(limit)]
  write(res, 200, {
    code: 200,
    message: 'ok',
    data: rows.slice((at - 1) * size, at * size),
    meta: { total: rows.length, page: at, limit: size },
  })
}

function createPost(res: ServerResponse, body: Record<string, unknown>): void {
  const { title, content, category, status } = body
  const faults: Record<string, string[]> = {}
  if (typeof title !== 'string' || title.length < 3) faults.title = ['must NOT have fewer than 3 characters']
  else if (title.length > 200) faults.title = ['must NOT have more than 200 characters']
  if (typeof content !== 'string' || content.length === 0) faults.content = ['must NOT have fewer than 1 characters']
  if (!CATEGORIES.includes(category)) faults.category = ['must be equal to one of the allowed values']
  if (!Number.isInteger(status)) faults.status = ['must be integer']
  const [first] = Object.values(faults)
  if (first !== undefined) return fail(res, 422, first[0] ?? 'Invalid', 'validation', faults)
  write(res, 201, {
    code: 201,
    message: 'ok',
    data: addPost({ title, content, category, status } as NewPost),
    meta: {},
  })
}

function showThing(res: ServerResponse, id: string | undefined): void {
  if (id === undefined) return write(res, 200, { code: 200, message: 'ok', data: allThings(), meta: {} })
  if (!INTEGER.test(id)) return fail(res, 422, 'must be integer', 'validation', { id: ['must be integer'] })
  const thing = findThing(Number(id))
  if (thing === undefined) return fail(res, 404, 'Not found', 'not_found')
  write(res, 200, { code: 200, message: 'ok', data: thing, meta: {} })
}

function createThing(res: ServerResponse, { name }: Record<string, unknown>): void {
  if (typeof name !== 'string' || name === '') {
    return fail(res, 422, 'Invalid', 'validation', { name: ['must be string'] })
  }
  write(res, 201, { code: 201, message: 'ok', data: addThing(name), meta: {} })
}

function guarded(req: IncomingMessage, res: ServerResponse, act: () => void): void {
  const { authorization } = req.headers
  if (authorization === undefined) return fail(res, 401, 'Authentication required', 'token_missing')
  const [head = '', payload = '', signature = ''] = authorization.slice('Bearer '.length).split('.')
  const expected = createHmac('sha256', SECRET).update(`${head}.${payload}`).digest()
  const given = Buffer.from(signature, 'base64url')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    return fail(res, 401, 'Sign in again', 'token_invalid')
  }
  const { exp, role = '' } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: number; role?: string }
  if (exp * 1000 < Date.now()) return fail(res, 401, 'Sign in again', 'token_expired')
  if (ROLES[role]?.includes('admin.posts.show') !== true) return fail(res, 403, 'Not allowed', 'forbidden')
  act()
}

function readJson(
  req: IncomingMessage,
  res: ServerResponse,
  act: (res: ServerResponse, body: Record<string, unknown>) => void,
): void {
  let text = ''
  req.setEncoding('utf8').on('data', (part: string) => (text += part)).on('end', () => {
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      return fail(res, 400, 'Not JSON', 'unreadable')
    }
    if (typeof body !== 'object' || body === null) return fail(res, 400, 'No object', 'unreadable')
    act(res, body as Record<string, unknown>)
  })
}

function fail(res: ServerResponse, code: number, message: string, reason: string, data: unknown = null): void {
  write(res, code, { code, message, data, meta: { reason } })
}

function write(res: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value)
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  })
  res.end(body)
}

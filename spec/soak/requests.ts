import { Agent, request, type OutgoingHttpHeaders } from 'node:http'
import { decodeCursor, encodeCursor, type Position } from '../../lib/core/paging/cursor.js'

/** Holds what the server has told at its start, and makes tokens. */
export interface Api {
  readonly url: string
  readonly tokens: { readonly admin: string; readonly shop: string }
  /** Returns a token that no request has sent before. */
  readonly freshToken: () => Promise<string>
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

interface Sent {
  readonly headers?: OutgoingHttpHeaders
  readonly body?: unknown
  /** The bytes of the reply after which the client closes the connection. */
  readonly abortAfter?: number
}

interface Received {
  /** The status; 0 for a request that the client has aborted. */
  readonly status: number
  readonly text: string
}

/** Sends one request and reads its reply. */
export function send({ url }: Api, method: string, path: string,
  { headers = {}, body, abortAfter }: Sent = {}): Promise<Received>
{
  const payload = body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const sent = request(url + path, {
      method,
      agent,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    }, (res) => {
      const chunks: Buffer[] = []
      let length = 0
      res.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        length += chunk.length
        if (abortAfter !== undefined && length > abortAfter) {
          sent.destroy()
          resolve({ status: 0, text: '' })
        }
      })
      res.on('end', () => resolve({ status: res.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
      res.on('error', () => undefined)
    })
    sent.on('error', (error) => (sent.destroyed ? resolve({ status: 0, text: '' }) : reject(error)))
    sent.end(payload)
    if (abortAfter === 0) setTimeout(() => sent.destroy(), 1)
  })
}

const random = (below: number): number => Math.floor(Math.random() * below)
const word = (): string => Math.random().toString(36).slice(2)

let head: Promise<Position> | undefined

/** Returns a valid cursor that no request has sent before: a real one with another id. */
async function freshCursor(api: Api): Promise<string> {
  head ??= send(api, 'GET', '/admin/posts?limit=1&cursor=', { headers: admin(api) }).then(({ text }) => {
    const { meta } = JSON.parse(text) as { readonly meta: { readonly next: string } }
    return decodeCursor(meta.next).slice(0, -1)
  })
  return encodeCursor([...await head, String(100 + random(2e9))])
}

/** Names what a server might keep for each request. */
export type Distinct = 'paths' | 'hosts' | 'tokens' | 'ids' | 'keys' | 'cursors'

/** Describes a kind of request: how often it is sent, and the statuses that are right. */
export interface Kind {
  readonly name: string
  readonly weight: number
  readonly statuses: readonly number[]
  /** What each of its runs names for the first time. */
  readonly distinct?: Distinct
  readonly run: (api: Api) => Promise<readonly number[]>
}

/** Returns the headers of an admin. */
function admin({ tokens }: Api, more: OutgoingHttpHeaders = {}): OutgoingHttpHeaders {
  return { authorization: `Bearer ${tokens.admin}`, ...more }
}

async function one(sent: Promise<Received>): Promise<readonly number[]> {
  return [(await sent).status]
}

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Returns a form with a picture; a longer one is more than the storage of the soak can write. */
function avatar(name: string, padding = 0): { readonly headers: OutgoingHttpHeaders; readonly body: Buffer } {
  const boundary = word()
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="a.png"\r\n`
    + 'Content-Type: image/png\r\n\r\n'
  const body = Buffer.concat([
    Buffer.from(head),
    PNG,
    Buffer.alloc(padding),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }
}

/** Uploads an avatar and reads it as a stream. */
async function avatarAndBack(api: Api): Promise<readonly number[]> {
  const { headers, body } = avatar('avatar')
  const stored = await send(api, 'POST', '/admin/users/2/avatar', { headers: admin(api, headers), body })
  const { data } = JSON.parse(stored.text) as { readonly data: { readonly avatar_url: string } | null }
  const read = await send(api, 'GET', data?.avatar_url ?? '/', { headers: admin(api) })
  return [stored.status, read.status]
}

/** Creates a post with a key of its own, and deletes it for good. */
async function keyedPost(api: Api): Promise<readonly number[]> {
  const created = await send(api, 'POST', '/admin/posts', {
    headers: admin(api, { 'idempotency-key': word() + word() }),
    body: { title: `Soak ${word()}` },
  })
  const { data } = JSON.parse(created.text) as { readonly data: { readonly id: number } | null }
  const deleted = await send(api, 'DELETE', `/admin/posts/${data?.id}`, { headers: admin(api) })
  const purged = await send(api, 'DELETE', `/admin/posts/${data?.id}/purge`, { headers: admin(api) })
  return [created.status, deleted.status, purged.status]
}

/** Creates a post, changes it and deletes it for good, so that the table stays as it is. */
async function wholePost(api: Api): Promise<readonly number[]> {
  const created = await send(api, 'POST', '/admin/posts', {
    headers: admin(api, { 'idempotency-key': word() + word() }),
    body: { title: `Soak ${word()}` },
  })
  const { data } = JSON.parse(created.text) as { readonly data: { readonly id: number } | null }
  const path = `/admin/posts/${data?.id}`
  const changed = await send(api, 'PATCH', path, { headers: admin(api), body: { title: `Changed ${word()}` } })
  const deleted = await send(api, 'DELETE', path, { headers: admin(api) })
  const purged = await send(api, 'DELETE', `${path}/purge`, { headers: admin(api) })
  return [created.status, changed.status, deleted.status, purged.status]
}

/** Follows a list by cursors from a random place. */
async function cursors(api: Api): Promise<readonly number[]> {
  const first = await send(api, 'GET', `/admin/posts?limit=${1 + random(9)}&cursor=`, { headers: admin(api) })
  const { meta } = JSON.parse(first.text) as { readonly meta: { readonly next?: string | null } }
  if (typeof meta.next !== 'string') return [first.status]
  const next = await send(api, 'GET', `/admin/posts?limit=3&cursor=${encodeURIComponent(meta.next)}`, {
    headers: admin(api),
  })
  return [first.status, next.status]
}

/** Lists the kinds of requests; those with something distinct are a tenth of all requests each. */
export const KINDS: readonly Kind[] = [
  { name: 'distinct ids', distinct: 'ids', weight: 20, statuses: [404, 422],
    run: (api) => one(send(api, 'GET', `/admin/posts/${1_000_000 + random(1e12)}`, { headers: admin(api) })) },
  { name: 'distinct paths', distinct: 'paths', weight: 20, statuses: [404],
    run: (api) => one(send(api, 'GET', `/${word()}/${word()}?${word()}=${word()}`)) },
  { name: 'distinct hosts', distinct: 'hosts', weight: 20, statuses: [200],
    run: (api) => one(send(api, 'GET', '/admin/users/health', { headers: { host: `${word()}.example.test` } })) },
  { name: 'distinct tokens', distinct: 'tokens', weight: 20, statuses: [200], run: async (api) =>
    one(
      send(api, 'GET', '/shop/orders?limit=1', { headers: { authorization: `Bearer ${await api.freshToken()}` } }),
    ) },
  { name: 'distinct keys', distinct: 'keys', weight: 20, statuses: [200, 201, 204], run: keyedPost },
  { name: 'distinct cursors', distinct: 'cursors', weight: 20, statuses: [200],
    run: async (api) =>
      one(send(api, 'GET', `/admin/posts?limit=1&cursor=${await freshCursor(api)}`, { headers: admin(api) })) },
  { name: 'one record', weight: 8, statuses: [200],
    run: (api) => one(send(api, 'GET', `/admin/posts/${1 + random(40)}`, { headers: admin(api) })) },
  { name: 'a list', weight: 4, statuses: [200],
    run: (api) =>
      one(send(api, 'GET', `/admin/posts?page=${1 + random(5)}&limit=5&sort=-title`, { headers: admin(api) })) },
  { name: 'a post from its creation to its end', weight: 1, statuses: [200, 201, 204], run: wholePost },
  { name: 'cursors', weight: 1, statuses: [200], run: cursors },
  { name: 'forged cursors', weight: 1, statuses: [422],
    run: (api) => one(send(api, 'GET', `/admin/posts?cursor=${word()}`, { headers: admin(api) })) },
  { name: 'forged tokens', weight: 2, statuses: [401],
    run: (api) =>
      one(send(api, 'GET', '/shop/orders', { headers: { authorization: `Bearer ${word()}.${word()}.x` } })) },
  { name: 'invalid bodies', weight: 2, statuses: [422],
    run: (api) => one(send(api, 'POST', '/admin/posts', { headers: admin(api), body: { title: '', [word()]: 1 } })) },
  { name: 'broken bodies', weight: 1, statuses: [400], run: (api) =>
    one(
      send(api, 'POST', '/admin/posts', { headers: admin(api, { 'content-type': 'application/json' }),
        body: Buffer.from('{"title":') }),
    ) },
  { name: 'large bodies', weight: 1, statuses: [413, 0],
    run: (api) =>
      one(send(api, 'POST', '/admin/posts', { headers: admin(api), body: { title: 'x'.repeat(150_000) } })) },
  { name: 'refused callers', weight: 1, statuses: [401, 403],
    run: (api) =>
      one(send(api, 'DELETE', '/admin/users?ids=1', { headers: { authorization: `Bearer ${api.tokens.shop}` } })) },
  { name: 'uploads and downloads', weight: 1, statuses: [200, 201, 404], run: avatarAndBack },
  { name: 'refused uploads', weight: 1, statuses: [422], run: (api) => {
    const { headers, body } = avatar('other')
    return one(send(api, 'POST', '/admin/users/2/avatar', { headers: admin(api, headers), body }))
  } },
  { name: 'uploads to a storage that fails', weight: 1, statuses: [503], run: (api) => {
    const { headers, body } = avatar('avatar', 2_000)
    return one(send(api, 'POST', '/admin/users/2/avatar', { headers: admin(api, headers), body }))
  } },
  { name: 'aborted uploads', weight: 1, statuses: [0, 200, 503], run: (api) => {
    const { headers, body } = avatar('avatar', 1_000_000)
    return one(send(api, 'POST', '/admin/users/2/avatar', { headers: admin(api, headers), body, abortAfter: 0 }))
  } },
  { name: 'exports', weight: 1, statuses: [200],
    run: (api) => one(send(api, 'POST', '/admin/users/export', { headers: admin(api) })) },
  { name: 'aborted exports', weight: 1, statuses: [0, 200],
    run: (api) => one(send(api, 'POST', '/admin/users/export', { headers: admin(api), abortAfter: 10 })) },
  { name: 'aborted requests', weight: 2, statuses: [0, 200],
    run: (api) => one(send(api, 'GET', '/admin/posts?limit=50', { headers: admin(api), abortAfter: 0 })) },
  { name: 'documents', weight: 1, statuses: [200], run: (api) => one(send(api, 'GET', '/openapi.json')) },
]

import { Agent, request, type OutgoingHttpHeaders } from 'node:http'

/** What the server has told at its start, and what is made of it. */
export interface Api {
  readonly url: string
  readonly tokens: { readonly admin: string; readonly shop: string }
  /** Returns a token that no request has sent before. */
  readonly freshToken: () => string
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

interface Sent {
  readonly headers?: OutgoingHttpHeaders
  readonly body?: unknown
  /** Bytes of the reply after which the client closes the connection. */
  readonly abortAfter?: number
}

interface Received {
  /** 0 for a request that the client has aborted. */
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

/** A kind of request: how often it is sent, and the statuses that are right. */
export interface Kind {
  readonly name: string
  readonly weight: number
  readonly statuses: readonly number[]
  readonly run: (api: Api) => Promise<readonly number[]>
}

/** The headers of an admin. */
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

function avatar(name: string): { readonly headers: OutgoingHttpHeaders; readonly body: Buffer } {
  const boundary = word()
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="a.png"\r\n`
    + 'Content-Type: image/png\r\n\r\n'
  const body = Buffer.concat([Buffer.from(head), PNG, Buffer.from(`\r\n--${boundary}--\r\n`)])
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }
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

/** The kinds of requests, the most frequent first. */
export const KINDS: readonly Kind[] = [
  { name: 'one record', weight: 22, statuses: [200],
    run: (api) => one(send(api, 'GET', `/admin/posts/${1 + random(40)}`, { headers: admin(api) })) },
  { name: 'a list', weight: 10, statuses: [200],
    run: (api) =>
      one(send(api, 'GET', `/admin/posts?page=${1 + random(5)}&limit=5&sort=-title`, { headers: admin(api) })) },
  { name: 'distinct ids', weight: 12, statuses: [404, 422],
    run: (api) => one(send(api, 'GET', `/admin/posts/${1_000_000 + random(1e9)}`, { headers: admin(api) })) },
  { name: 'distinct paths', weight: 12, statuses: [404],
    run: (api) => one(send(api, 'GET', `/${word()}/${word()}?${word()}=${word()}`)) },
  { name: 'distinct hosts', weight: 12, statuses: [200],
    run: (api) => one(send(api, 'GET', '/admin/users/health', { headers: { host: `${word()}.example.test` } })) },
  { name: 'distinct tokens', weight: 11, statuses: [200],
    run: (api) =>
      one(send(api, 'GET', '/shop/orders?limit=1', { headers: { authorization: `Bearer ${api.freshToken()}` } })) },
  { name: 'forged tokens', weight: 4, statuses: [401],
    run: (api) =>
      one(send(api, 'GET', '/shop/orders', { headers: { authorization: `Bearer ${word()}.${word()}.x` } })) },
  { name: 'cursors', weight: 5, statuses: [200, 422], run: cursors },
  { name: 'forged cursors', weight: 3, statuses: [422],
    run: (api) => one(send(api, 'GET', `/admin/posts?cursor=${word()}`, { headers: admin(api) })) },
  { name: 'a post from its creation to its end', weight: 3, statuses: [200, 201, 204], run: wholePost },
  { name: 'invalid bodies', weight: 4, statuses: [422],
    run: (api) => one(send(api, 'POST', '/admin/posts', { headers: admin(api), body: { title: '', [word()]: 1 } })) },
  { name: 'broken bodies', weight: 2, statuses: [400], run: (api) =>
    one(
      send(api, 'POST', '/admin/posts', { headers: admin(api, { 'content-type': 'application/json' }),
        body: Buffer.from('{"title":') }),
    ) },
  { name: 'large bodies', weight: 1, statuses: [413, 0],
    run: (api) =>
      one(send(api, 'POST', '/admin/posts', { headers: admin(api), body: { title: 'x'.repeat(150_000) } })) },
  { name: 'refused callers', weight: 3, statuses: [403],
    run: (api) =>
      one(send(api, 'DELETE', '/admin/users?ids=1', { headers: { authorization: `Bearer ${api.tokens.shop}` } }))
        .then((statuses) => statuses.map((status) => (status === 401 ? 403 : status))) },
  { name: 'uploads', weight: 1, statuses: [200, 201], run: (api) => {
    const { headers, body } = avatar('avatar')
    return one(send(api, 'POST', '/admin/users/2/avatar', { headers: admin(api, headers), body }))
  } },
  { name: 'refused uploads', weight: 1, statuses: [422], run: (api) => {
    const { headers, body } = avatar('other')
    return one(send(api, 'POST', '/admin/users/2/avatar', { headers: admin(api, headers), body }))
  } },
  { name: 'exports', weight: 1, statuses: [200],
    run: (api) => one(send(api, 'POST', '/admin/users/export', { headers: admin(api) })) },
  { name: 'aborted exports', weight: 1, statuses: [0, 200],
    run: (api) => one(send(api, 'POST', '/admin/users/export', { headers: admin(api), abortAfter: 10 })) },
  { name: 'aborted requests', weight: 2, statuses: [0, 200],
    run: (api) => one(send(api, 'GET', '/admin/posts?limit=50', { headers: admin(api), abortAfter: 0 })) },
  { name: 'documents', weight: 1, statuses: [200], run: (api) => one(send(api, 'GET', '/openapi.json')) },
]

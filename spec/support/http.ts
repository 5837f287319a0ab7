import { Agent, createServer, request, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'
import { IS_FAST, useFastPath } from '../../lib/core/fast/fast.js'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed JSON, `undefined` if the reply is not JSON. */
  readonly body: Body
}

/** The envelope of a reply. */
export interface Body {
  readonly code: number
  readonly message: string
  readonly data: never
  readonly meta: Readonly<Record<string, never>>
}

export interface SendOptions {
  readonly headers?: Record<string, string>
  readonly token?: string | undefined
  /** An object or list is sent as JSON, a string unchanged. */
  readonly body?: unknown
}

export interface Client {
  readonly url: string
  readonly server: Server
  readonly send: (method: string, path: string, options?: SendOptions) => Promise<Reply>
  readonly get: (path: string, options?: SendOptions) => Promise<Reply>
  readonly post: (path: string, body?: unknown, options?: SendOptions) => Promise<Reply>
}

/**
 * How long an unused connection stays open, in milliseconds. After five seconds, the default of Node.js, a client on a
 * busy machine may just be sending its next request.
 */
export const KEPT_OPEN = 65_000

/** Serves a listener (an Express app is one) on a free port until the test ends, by the fast path unless it is off. */
export async function serving(listener: RequestListener): Promise<Client> {
  const client = await standing(listener)
  onTestFinished(() => closed(client.server))
  return client
}

/** Serves a listener until the server is closed, for a whole suite. */
export async function standing(listener: RequestListener): Promise<Client> {
  const server = createServer({ keepAliveTimeout: KEPT_OPEN }, listener)
  if (IS_FAST) server.prependListener('request', useFastPath)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server)
}

export function clientOf(url: string, server: Server): Client {
  const send = (method: string, path: string, { headers, token, body }: SendOptions = {}): Promise<Reply> => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    return exchange(new URL(url + path), method, text, {
      accept: '*/*',
      ...(text !== undefined && {
        'content-type': typeof body === 'string' ? 'text/plain;charset=UTF-8' : 'application/json',
        'content-length': String(Buffer.byteLength(text)),
      }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...lowerCase(headers),
    })
  }
  return {
    url,
    server,
    send,
    get: (path, options) => send('GET', path, options),
    post: (path, body, options) => send('POST', path, { ...options, body }),
  }
}

function lowerCase(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

const agent = new Agent({ keepAlive: true })

/** Sends a request and reads the reply; `fetch` takes three times as much of the processor. */
async function exchange(
  url: URL,
  method: string,
  text: string | undefined,
  headers: Record<string, string>,
): Promise<Reply> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { method, headers, agent }, resolve).on('error', reject).end(text)
  })
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return replyOf(response, Buffer.concat(chunks))
}

function replyOf({ statusCode = 0, rawHeaders }: IncomingMessage, bytes: Buffer): Reply {
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  const text = new TextDecoder().decode(headers.get('content-encoding') === 'gzip' ? gunzipSync(bytes) : bytes)
  const json = headers.get('content-type')?.startsWith('application/json') && text !== ''
  return { status: statusCode, headers, text, body: (json ? JSON.parse(text) : undefined) as Body }
}

/** Sends bytes to a server unchanged, and reads until it closes the connection or `enough` is satisfied. */
export function raw(
  url: string,
  bytes: string | Buffer,
  enough: (seen: string) => boolean = () => false,
): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let seen = ''
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      seen += chunk
      if (enough(seen)) socket.destroy()
    })
    socket.on('close', () => resolve(seen))
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? resolve(seen) : reject(error)))
  })
}

export function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

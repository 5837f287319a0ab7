import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http'
import { duplexPair, type Duplex, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Application, Express } from 'express'
import { memoize } from '../base/memoize.js'
import { request as sendRequest } from '../base/node-http.js'
import { toSettings } from './settings.js'
import { createServer } from './server.js'
import { Traffic } from './traffic.js'

type Arrived = (req: IncomingMessage, res: ServerResponse) => void

/** A request to an app of this process. */
export interface InProcessRequest {
  readonly method: string
  readonly path: string
  readonly headers: OutgoingHttpHeaders
  readonly body: Uint8Array | string | Readable | undefined
  readonly signal?: AbortSignal | undefined
  /** The address that the app sees. */
  readonly address: string
  /** True if the app sees a connection with TLS. @default false */
  readonly encrypted?: boolean | undefined
  /** The largest reply in bytes; a larger one throws a `ReplyTooLarge`. @default no limit */
  readonly limit?: number | undefined
  /** Returns the milliseconds after which a reply that goes on is closed, and read until there. @default never */
  readonly patience?: ((message: IncomingMessage) => number | undefined) | undefined
  /** False to answer it by Express alone, as with `fast: false` of `serve`. @default true */
  readonly fast?: boolean | undefined
  /** Called with the app's own request and response, before the app receives them. */
  readonly arrived?: Arrived | undefined
}

export interface InProcessReply {
  readonly message: IncomingMessage
  readonly body: Buffer
}

/** A reply that is larger than its limit; the rest of it was not read. */
export class ReplyTooLarge extends Error {}

/**
 * Sends one request to an app over a connection in memory, as `serve` would receive it, and reads the whole reply.
 *
 * Node's own parser and writer run on both ends, so the reply is the one a client would receive: a HEAD without a body,
 * chunks joined, an incomplete reply as an error.
 *
 * @throws Error with Node's `code` for an incomplete reply, and the signal's reason when it is aborted.
 * @throws ReplyTooLarge for a reply over the limit.
 */
export async function request(app: Application, inProcess: InProcessRequest): Promise<InProcessReply> {
  const { method, path, headers, body, signal, address, encrypted = false, limit = Infinity, arrived } = inProcess
  const { patience } = inProcess
  const [near, far] = duplexPair()
  const server = serverFor(app as Express, inProcess)
  if (arrived !== undefined) listenerByConnection.set(far, arrived)
  // Each end is told that the other is closed; data that was written before is read first.
  near.once('close', () => far.destroy())
  far.once('close', () => far.writableFinished || near.destroy())
  server.emit('connection', asSocket(far, address, encrypted))
  try {
    const outgoing = sendRequest(
      { createConnection: () => near, method, path, headers, ...(signal !== undefined && { signal }) },
    )
    // Node.js frames no body of GET, HEAD, DELETE and OPTIONS: the server would read it as the next request.
    if (body !== undefined) outgoing.useChunkedEncodingByDefault = true
    const stream = typeof body === 'object' && !(body instanceof Uint8Array) ? body : undefined
    const reply = new Promise<IncomingMessage>((resolve, reject) => {
      // Before the error of the connection, which only tells that it was closed.
      stream?.once('error', reject)
      outgoing.once('response', resolve).once('error', reject)
    })
    const sent = stream === undefined ? void outgoing.end(body) : pipeline(stream, outgoing)
    // A reply may arrive before the whole body is sent, and then closes the connection.
    Promise.resolve(sent).catch(() => undefined)
    const message = await reply
    return { message, body: await read(message, limit, patience?.(message)) }
  } finally {
    near.destroy()
    far.destroy()
  }
}

async function read(message: IncomingMessage, limit: number, patience: number | undefined): Promise<Buffer> {
  const received: AsyncIterable<Buffer> = message
  const chunks: Buffer[] = []
  let size = 0
  const end = new AbortController()
  const timer = patience === undefined ? undefined : setTimeout(() => end.abort(), patience)
  end.signal.addEventListener('abort', () => message.destroy())
  try {
    for await (const chunk of received) {
      size += chunk.length
      if (size > limit) throw new ReplyTooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    if (!end.signal.aborted) throw error
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(chunks)
}

/** The functions to call with the first request of a connection. */
const listenerByConnection = new WeakMap<Duplex, Arrived>()

/** Adds the properties of a socket that servers and handlers use. */
function asSocket(stream: Duplex, remoteAddress: string, encrypted: boolean): Duplex {
  const unchanged = (): Duplex => stream
  const destroySoon = (): void => {
    if (stream.writable) stream.end()
    if (stream.writableFinished) stream.destroy()
    else stream.once('finish', () => stream.destroy())
  }
  return Object.assign(stream, {
    remoteAddress,
    remoteFamily: remoteAddress.includes(':') ? 'IPv6' : 'IPv4',
    remotePort: 0,
    localAddress: '127.0.0.1',
    localPort: 0,
    encrypted,
    destroySoon,
    setTimeout: unchanged,
    setNoDelay: unchanged,
    setKeepAlive: unchanged,
    ref: unchanged,
    unref: unchanged,
  })
}

const fastServerOf = memoize((app: Express) => createInnerServer(app, true))
const plainServerOf = memoize((app: Express) => createInnerServer(app, false))

function serverFor(app: Express, { fast = true }: InProcessRequest): Server {
  return fast ? fastServerOf(app) : plainServerOf(app)
}

/** Creates the server of an app for requests in this process; it does not listen. */
function createInnerServer(app: Express, fast: boolean): Server {
  const settings = toSettings({ signals: false, fast })
  // The app keeps its own prototypes: only `serve` replaces them.
  const server = createServer(app, { ...settings, fast: false })
  new Traffic(app, settings).attach(server)
  server.prependListener('request', (req, res) => {
    // Express does so first; the fast path takes only requests that have them.
    Object.setPrototypeOf(req, app.request)
    Object.setPrototypeOf(res, app.response)
    listenerByConnection.get(req.socket)?.(req, res)
    listenerByConnection.delete(req.socket)
  })
  return server
}

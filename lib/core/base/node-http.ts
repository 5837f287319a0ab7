import type { Socket } from 'node:net'
import type { IncomingMessage as Incoming, ServerResponse as Outgoing } from 'node:http'
import { emptyMap, propertyOf } from './guards.js'

/*
 * All that this package uses of `node:http`, and the only file that uses names of Node.js which are not documented.
 */

/**
 * The exports of `node:http` that are used. An import by name would read all exports, `WebSocket` among them, for which
 * Node.js 22 and later load their whole web client: a quarter of the time that Express and zod take to load.
 */
export const {
  createServer,
  IncomingMessage,
  METHODS,
  request,
  Server,
  ServerResponse,
  STATUS_CODES,
  validateHeaderName,
} = process.getBuiltinModule('node:http')

/**
 * Returns the response that is using a connection, from the arrival of its request until its last byte is written to
 * the socket.
 *
 * Node's own error handling and `closeIdleConnections` read the same property.
 */
export function currentResponse(socket: Socket & { _httpMessage?: Outgoing | null }): Outgoing | undefined {
  return socket._httpMessage ?? undefined
}

/**
 * Returns true if Node.js sends a body with a response. It decides by the method that the client sent: a client reads
 * the connection by that one, whatever middleware has made of `req.method`.
 */
export function sendsBody(res: Outgoing & { _hasBody?: boolean }): boolean {
  return res._hasBody !== false
}

type Send = (text: string, encoding: 'latin1' | 'utf8') => unknown

/**
 * Ends a reply after `writeHead`, with its head and its text in one write.
 *
 * `end(text)` makes two writes, the second of them empty, and joins them again, which takes a sixth of the time of a
 * short reply.
 */
export function endInOneWrite(res: Outgoing & { _send?: Send }, text: string, bytes: number): void {
  if (res._send === undefined) {
    res.end(text, 'utf8')
    return
  }
  // ASCII is the same in both encodings, and latin1 needs no measuring.
  res._send(text, text.length === bytes ? 'latin1' : 'utf8')
  res.end()
}

/** Functions that write a reply, each with a name in its source that only Node's own code can use. */
const INTERNAL_NAMES = {
  writeHead: 'kOutHeaders',
  write: 'write_(this',
  end: 'write_(this',
  setHeader: 'kOutHeaders',
} as const

type WritingFunctions = Readonly<Record<keyof typeof INTERNAL_NAMES, unknown>>

function originalWritingFunctions(): WritingFunctions | undefined {
  const own: WritingFunctions = ServerResponse.prototype
  const { writeHead, write, end, setHeader } = own
  const functions: WritingFunctions = { writeHead, write, end, setHeader }
  const areOriginal = Object.entries(INTERNAL_NAMES).every(([name, internal]) => {
    const fn = propertyOf(functions, name)
    return typeof fn === 'function' && Function.prototype.toString.call(fn).includes(internal)
  })
  return areOriginal ? functions : undefined
}

/**
 * Node's functions that write a reply, `undefined` if one of them is wrapped. A tracer may have wrapped them before
 * this module was loaded, so only their source text proves that they are Node's.
 */
export const WRITING_FUNCTIONS = originalWritingFunctions()

/** A header as Node.js keeps it: its name as it is sent, and its value. */
type Header = [name: string, value: string | number]

/**
 * The headers of a response that this package sets, as Node.js keeps them: by name in lower case, in an object without
 * a prototype. The engine finds and adds properties of an instance of this class faster than those of Node's object.
 */
class OutHeaders {
  declare 'x-powered-by'?: Header
  declare 'content-type'?: Header
  declare etag?: Header
  declare location?: Header
  declare 'content-length'?: Header
  declare readonly 'transfer-encoding'?: Header

  static {
    Object.setPrototypeOf(this.prototype, null)
    Reflect.deleteProperty(this.prototype, 'constructor')
  }
}

/** False once middleware has removed a header: an object that loses a property is slower than one made by Node.js. */
let areHeadersKept = true

/** Records that middleware removes headers, as helmet does. */
export function headersWereRemoved(): void {
  areHeadersKept = false
}

/** The symbol under which Node.js keeps the headers of a response; `undefined` if unknown. */
const OUT_HEADERS = Object.getOwnPropertySymbols(new ServerResponse(new IncomingMessage(null as never)))
  .find(({ description }) => description === 'kOutHeaders')

/**
 * Returns the headers of a response to which names and values that are valid can be added, as `setHeader` does;
 * `undefined` if `setHeader` is wrapped or the headers have been sent.
 *
 * The checks of name and value are most of the cost of `setHeader`, and four headers a reply a tenth of the cost of a
 * short one.
 */
export function outHeaders(res: Outgoing): OutHeaders | undefined {
  if (OUT_HEADERS === undefined || res.setHeader !== WRITING_FUNCTIONS?.setHeader || res.headersSent) return undefined
  const own = res as Outgoing & Record<symbol, OutHeaders | null>
  return (own[OUT_HEADERS] ??= areHeadersKept ? new OutHeaders() : emptyMap<Header>())
}

/** Calls `read` when the body of a request is first read. */
export function onFirstRead(req: Incoming, read: () => void): void {
  const readFirst = (size: number): void => {
    Reflect.deleteProperty(req, '_read')
    read()
    req._read(size)
  }
  req._read = readFirst
}

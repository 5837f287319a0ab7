import { Readable } from 'node:stream'
import type { OutgoingHttpHeaders } from 'node:http'
import type { Application } from 'express'
import { checkOptionNames, isApp, MisuseError, propertyOf, request, show, signIn, toJson, type Auth, type Callers,
  type SignedIn } from '../../core/index.js'

/** The caller of a test: the claims, and the application that signs them in. */
export type InjectedCaller = keyof Callers extends never ? Auth & InjectedApp<string>
  : { [App in keyof Callers]: Auth & Callers[App] & InjectedApp<App> }[keyof Callers]

interface InjectedApp<App> {
  /** @default the application whose `auth` the request reaches, if there is only one */
  readonly app?: App | undefined
}

export interface InjectOptions {
  readonly method: string
  /** The path with its query, such as `/users?limit=5`; spaces and letters beyond ASCII are encoded as by `fetch`. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | Headers | undefined
  /**
   * A `FormData`, `URLSearchParams`, `Blob`, `ArrayBuffer`, typed array, stream, async iterable or string is sent as it
   * is, anything else as JSON. The matching `Content-Type` is added. @default no body
   */
  readonly body?: unknown
  /** The caller, signed in without a token; permissions are checked as with a token. @default an anonymous caller */
  readonly as?: InjectedCaller | undefined
  /** Closes the connection, like a client that disconnects. */
  readonly signal?: AbortSignal | undefined
}

/** The headers of a reply; each is a property too, in lower case, as in Node.js. */
export type InjectedHeaders =
  & Headers
  & Readonly<Record<`${string}-${string}`, string | undefined>>
  & { readonly etag?: string; readonly allow?: string }

export interface Injected<Json = unknown> {
  readonly status: number
  readonly headers: InjectedHeaders
  readonly text: string
  /** The parsed body, `undefined` if it is no JSON. */
  readonly json: Json
}

/**
 * Sends one request to an app without a port, through the same objects and parsers of Node.js as a connection.
 *
 * `as` signs a caller in: every `auth` that the request reaches accepts them without credentials, and `permission`
 * checks them as usual. If the request reaches two applications, `as.app` names one.
 *
 * @throws MisuseError (as a rejection) `inject_app` for something that is no Express app, `inject_request` for a
 * request that cannot be sent, `inject_as` if no `auth` could sign the caller in, `testing_option_unknown` for an
 * unknown option.
 * @throws Error with Node's `code` when the reply is cut off.
 * @example
 * const as = { id: 1, role: 'admin' }
 * const { status, json } = await inject(app, { method: 'POST', path: '/users', body: { name: 'Ann' }, as })
 */
export async function inject<Json = unknown>(app: Application, options: InjectOptions): Promise<Injected<Json>> {
  checkRequest(app, options)
  const { method, path, headers = {}, as, signal } = options
  const caller = as === undefined ? undefined : callerOf(as)
  const { body, type } = await encodeBody(options.body)
  const sent = request(app, {
    method: method.toUpperCase(),
    path: encoded(path),
    body,
    signal,
    address: '127.0.0.1',
    headers: { host: 'localhost', ...type, ...lowerCased(headers) },
    arrived: caller && ((req) => signIn(req, caller)),
  })
  const { message, body: received } = await sent.catch((error: unknown) => {
    throw refusedByNode(error) ?? error
  })
  if (caller !== undefined) checkMet(caller)
  const text = received.toString()
  return {
    status: message.statusCode ?? 0,
    headers: headersOf(message.headersDistinct),
    text,
    json: parseReply(message.headers['content-type'], text) as Json,
  }
}

/** @throws MisuseError `inject_app`, `inject_request` and `testing_option_unknown`. */
function checkRequest(app: Application, options: InjectOptions): void {
  if (!isApp(app)) {
    throw new MisuseError(
      'inject_app',
      "inject() was given no Express app. Write inject(app, { method: 'GET', path: '/users' }).",
    )
  }
  checkOptionNames(
    'inject()',
    options,
    ['method', 'path', 'headers', 'body', 'as', 'signal'],
    'testing_option_unknown',
  )
  const { method, path }: { readonly method: unknown; readonly path: unknown } = options
  if (typeof method !== 'string' || typeof path !== 'string' || !path.startsWith('/')) {
    throw new MisuseError(
      'inject_request',
      `inject() was given the method ${show(method)} and the path ${show(path)}. `
        + 'Give it a method and a path that begins with a slash.',
    )
  }
  if (method.toUpperCase() === 'CONNECT') {
    throw new MisuseError('inject_request',
      'inject() cannot send CONNECT, which asks a proxy for a tunnel: no route gets it.')
  }
}

/** Encodes the characters of a path that no request line may have. */
function encoded(path: string): string {
  return path.replace(/[^!-~]+/g,
    (characters) => Buffer.from(characters).toString('hex').replace(/../g, '%$&').toUpperCase())
}

/** Returns the error of a request that Node.js refuses to send, `undefined` for any other error. */
function refusedByNode(error: unknown): MisuseError | undefined {
  if (!(error instanceof TypeError) || !String(propertyOf(error, 'code')).startsWith('ERR_')) return undefined
  return new MisuseError('inject_request', `inject() cannot send the request: ${error.message}`)
}

function callerOf(caller: InjectedCaller): SignedIn {
  const { app, ...auth } = Object(caller) as InjectedCaller
  if (isAuth(auth)) return { app, auth, met: new Set() }
  throw new MisuseError(
    'inject_as',
    `The caller of inject() has the id ${
      show(propertyOf(auth, 'id'))
    }. Give it a string or a number: { id: 1, role: 'admin' }.`,
  )
}

export function isAuth(claims: Readonly<Record<string, unknown>>): claims is Auth {
  const { id } = claims
  return (typeof id === 'string' && id !== '') || Number.isFinite(id)
}

/** Checks that an `auth` has signed the caller in. @throws MisuseError `inject_as` if none has. */
function checkMet({ app, met }: SignedIn): void {
  const apps = [...met].map((one) => `\`${one}\``).join(' and ')
  const isFound = app === undefined ? met.size === 1 : met.has(app)
  if (isFound) return
  if (met.size === 0) {
    throw new MisuseError(
      'inject_as',
      'The request reaches no auth(), so inject() cannot sign a caller in. Mount auth(), or remove `as`.',
    )
  }
  throw new MisuseError(
    'inject_as',
    app === undefined
      ? `The request reaches the applications ${apps}. Name the one that signs the caller in: as: { app, id }.`
      : `The request reaches the auth() of ${apps}, not of \`${app}\`. Name another application in as.app.`,
  )
}

/** A body as it is sent, and its header. */
export interface EncodedBody {
  readonly body: Uint8Array | string | Readable | undefined
  readonly type: OutgoingHttpHeaders
}

async function encodeBody(body: unknown): Promise<EncodedBody> {
  if (body === undefined || body === null) return { body: undefined, type: {} }
  const unchanged = unchangedOf(body)
  if (unchanged !== undefined) return { body: unchanged, type: {} }
  if (body instanceof FormData || body instanceof URLSearchParams || body instanceof Blob) return encodeForm(body)
  return { body: toJson(body), type: { 'content-type': 'application/json' } }
}

/** Encodes what `fetch` encodes. */
export async function encodeForm(body: FormData | URLSearchParams | Blob): Promise<EncodedBody> {
  const encoded = new Response(body)
  const type = encoded.headers.get('Content-Type')
  return { body: new Uint8Array(await encoded.arrayBuffer()), type: type === null ? {} : { 'content-type': type } }
}

/** Returns a body that is sent as it is, `undefined` for any other. */
function unchangedOf(body: unknown): EncodedBody['body'] {
  if (typeof body === 'string' || body instanceof Readable) return body
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  return isAsyncIterable(body) ? Readable.from(body) : undefined
}

function isAsyncIterable(body: unknown): body is AsyncIterable<unknown> {
  return typeof propertyOf(body, Symbol.asyncIterator) === 'function'
}

/**
 * Converts the names of headers to lower case, so that a given header replaces a default one.
 *
 * @throws MisuseError `inject_request` for headers of another form.
 */
function lowerCased(headers: unknown): OutgoingHttpHeaders {
  if (typeof headers !== 'object' || headers === null) throw headersInvalid('the headers', headers)
  const entries: [string, unknown][] = headers instanceof Headers ? [...headers] : Object.entries(headers)
  return Object.fromEntries(
    entries.map(([name, value]): [string, string | string[]] => {
      if (typeof value === 'string') return [name.toLowerCase(), value]
      if (!Array.isArray(value)) throw headersInvalid(`the header ${name}`, value)
      return [name.toLowerCase(), [...value as string[]]]
    }),
  )
}

function headersInvalid(what: string, given: unknown): MisuseError {
  return new MisuseError(
    'inject_request',
    `inject() was given ${show(given)} as ${what}. Give each header a string or a list of strings.`,
  )
}

function headersOf(distinct: NodeJS.Dict<string[]>): InjectedHeaders {
  const lines = Object.entries(distinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value])
  )
  const headers = new Headers(lines)
  for (const name of headers.keys())
    if (!(name in headers)) Object.defineProperty(headers, name, { value: headers.get(name) })
  return headers as InjectedHeaders
}

/** Parses a reply of JSON; returns `undefined` for one of another media type, and for one that is not JSON. */
export function parseReply(type: string | undefined, text: string): unknown {
  if (type === undefined || !/^application\/(.+\+)?json/i.test(type)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

import type { ManifestRoute } from '../core/resource/mounted.js'
import { toRequest, type ClientRequest, type Values } from './request.js'
import { resultOf, toEnvelope, type Decode, type Result } from './result.js'
import type { CallOptions } from './types.js'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>
/** The tokens of a signed-in user, where the one that requests carry is short-lived. */
export interface Tokens {
  /** Returns the token that requests carry, `null` where there is none. */
  get(): string | null | undefined | PromiseLike<string | null | undefined>
  /**
   * Gets and keeps a new token after a 401; `null` where the user has to sign in again. The request is then sent once
   * more. Parallel calls share one refresh.
   */
  refresh?(): Promise<string | null>
}

export type Token = string | (() => string | null | undefined | PromiseLike<string | null | undefined>)

/** The target of requests and their tokens, which a reply may renew. */
export interface Connection {
  readonly url: string
  /** The address of the API, which alone gets the token and renews it. @default `url` */
  readonly api?: string
  readonly tokens: Tokens
  readonly onToken?: ((token: string) => unknown) | undefined
  readonly fetch?: Fetch | undefined
  readonly decode?: Decode | undefined
}

/** Times that a request is repeated, and the longest wait before it, in seconds. */
const REPEATS = 2
const LONGEST_WAIT = 60

/**
 * Sends a request and reads its reply; an idempotent request is repeated after a 503 with `Retry-After`.
 *
 * @throws the signal's reason when the call was aborted.
 */
export function exchange(
  connection: Connection,
  route: ManifestRoute,
  args: Values,
  options: CallOptions,
): Promise<Result<unknown>> {
  const { signal } = options
  const { tokens, fetch: own, decode = toEnvelope } = connection
  let timer: ReturnType<typeof setTimeout> | undefined
  const run = async (): Promise<Result<unknown>> => {
    const [path, request] = toRequest(route, args, options)
    const address = connection.url + path
    /** Sends the request with a token, which the reply may renew. */
    const send = async (token: Current | false): Promise<Response> => {
      if (token) request.headers.Authorization = `Bearer ${token}`
      // Loaded when it is needed first: `fetch` reports no progress, and few calls ask for it.
      const response = await (options.onUploadProgress && !own && 'XMLHttpRequest' in globalThis
        ? (await import('./upload.js')).upload(address, request, options)
        : (own ?? fetch)(address, { ...request, signal } as RequestInit))
      // The reply is as good without a new token.
      await renew(connection, address, token, response).catch(console.error)
      return response
    }
    for (let repeats = 0;; repeats++) {
      const current = await tokenFor(connection, address)
      try {
        let response = await send(current)
        const fresh = response.status === 401 && await refreshToken(tokens, current, request.method)
        if (fresh) response = await send(fresh)
        const wait = waitOf(request, response)
        if (!(repeats < REPEATS && wait <= LONGEST_WAIT)) return await resultOf(response, decode)
        await new Promise((resolve) => timer = setTimeout(resolve, wait * 1000))
      } catch (error) {
        if (signal?.aborted) throw error
        return resultOf(Response.error(), decode, error)
      }
    }
  }
  return new Promise((resolve, reject) => {
    // A token may never come, and the time to repeat a request may be a minute away.
    const abort = (): void => {
      clearTimeout(timer)
      // React Native has no reasons: `fetch` fails.
      if (signal?.reason) reject(signal.reason as Error)
    }
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort)
    run().then(resolve, reject).finally(() => signal?.removeEventListener('abort', abort))
  })
}

/** The parts of a browser that know the address to which relative ones belong. */
interface Page {
  /** Exists in each environment, so that `globalThis` has the type of a page. */
  readonly URL: unknown
  readonly document?: { readonly baseURI: string }
  readonly location?: { readonly href: string }
}

/** Returns true for an address at or below that of the API, as a URL parser reads both. */
function isOwn({ url, api = url }: Connection, address: string): boolean {
  const { document, location }: Page = globalThis
  const placeOf = (one: string): string =>
    new URL(one, document?.baseURI ?? location?.href ?? 'http://a').href.replace(/[?#].*/, '')
  try {
    return `${placeOf(address)}/`.startsWith(placeOf(`${api}/`))
  } catch {
    // React Native had no parts of URLs for years, and no relative ones.
    return address.startsWith(`${api}/`)
  }
}

type Current = string | null | undefined

/** Returns the token that a request carries, false for another server; at once where the application has it at hand. */
function tokenFor(connection: Connection, address: string): false | Current | PromiseLike<Current> {
  return isOwn(connection, address) && connection.tokens.get()
}

/** The tokens of one sign-in, each of which has replaced another, and the refresh under way. */
interface SignIn extends Array<Current> {
  refresh?: Promise<string | null> | undefined
}

/** The last sign-ins, by the objects that read their tokens, which several providers may share. */
const signIns = new WeakMap<Tokens, SignIn>()

/**
 * Returns the last sign-in if the token belongs to it, or else a new one. Without a token each refresh begins a new
 * one.
 */
function signInOf(tokens: Tokens, token: Current): SignIn {
  const last = signIns.get(tokens)
  return last?.includes(token) && (token ?? last.refresh) ? last : [token]
}

/**
 * Returns a new token in place of the refused one, from a refresh that another call has begun or from a new one. There
 * is none after a sign-out. A token that came from elsewhere, such as another tab, may be that of another user: it
 * reads and does not write.
 */
async function refreshToken(tokens: Tokens, refused: false | Current, method: string): Promise<Current | false> {
  if (refused === false || !tokens.refresh) return undefined
  // Looked up first: it may end while the token is read, which is then the refused one still.
  const underWay = signInOf(tokens, refused).refresh
  const current = await tokens.get()
  const signIn = signInOf(tokens, refused)
  let fresh: Current | Promise<Current> = underWay ?? signIn.refresh ?? current
  if (fresh === refused) {
    signIns.set(tokens, signIn)
    fresh = signIn.refresh = tokens.refresh()
      .then((token) => {
        if (token) signIn.push(token)
        return token
      })
      .finally(() => signIn.refresh = undefined)
  }
  fresh = await fresh
  return (!refused || method === 'GET' || signIn.includes(current)) && fresh
}

/**
 * Passes a new token to `onToken`; no other server renews a token.
 * Meanwhile the user may have signed out, or in as another one, and an earlier reply may have renewed the token: then
 * this one is of no use.
 */
async function renew(
  connection: Connection,
  address: string,
  sent: Current | false,
  { headers, redirected, url }: Response,
): Promise<void> {
  // A `fetch` of the user's may send a request elsewhere, and a redirect is the server's.
  const sender = connection.fetch && !redirected ? address : url || address
  const authorization = sent && headers.get('Authorization')
  if (!authorization) return
  // Read at once where that is possible: another reply may renew the token meanwhile.
  const current = tokenFor(connection, sender)
  if ((typeof current === 'object' ? await current : current) !== sent) return
  await connection.onToken?.(authorization.slice('Bearer '.length))
}

/**
 * Returns the seconds of `Retry-After` (RFC 9110 §10.2.3); NaN without it, and where the request is not to be repeated:
 * it is idempotent by its method, all but POST and PATCH, or by its key.
 */
function waitOf({ method, headers }: ClientRequest, response: Response): number {
  const isRepeated = response.status === 503 && (!/^P[OA]/.test(method) || 'Idempotency-Key' in headers)
  return parseFloat(isRepeated ? response.headers.get('Retry-After') ?? '' : '')
}

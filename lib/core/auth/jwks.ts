import type { CryptoKey, JSONWebKeySet } from 'jose'
import { MisuseError, UnavailableError } from '../base/errors.js'
import { isList, isObject } from '../base/guards.js'
import { checkOptionNames } from '../base/options.js'
import { chain } from '../base/promises.js'
import type { Auth } from '../base/types.js'
import type { CallerLoader } from './caller-loader.js'
import { jose } from './jose.js'
import type { LoadOptions } from './load.js'
import { remoteKeys, type KeyFinder, type MakeKeyFinder } from './remote-keys.js'
import { secondsOf, timeoutOf, type Identity, type Strategy } from './strategy.js'
import type { Claims } from './token.js'
import { tokenVerifier } from './verify-token.js'

const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const

/** A JSON Web Key Set (RFC 7517). */
interface KeySet {
  readonly keys: readonly object[]
}

/** Authentication by bearer tokens of an identity provider, verified with its published keys. */
export interface JwksOptions<App extends string = string> {
  /** The URL where the provider publishes its keys (https, or http on this machine), or the keys themselves. */
  readonly jwks: URL | string | KeySet
  /** The exact `iss` of its tokens. */
  readonly issuer: string
  /**
   * The `aud` of tokens for this application. `false` is for a provider whose tokens have no `aud`: one that has it
   * is refused, and every client of the provider is accepted: check claims such as `azp` in `load`.
   */
  readonly audience: string | false
  /**
   * The accepted signature algorithms.
   *
   * @default ['RS256', 'ES256', 'EdDSA']
   */
  readonly algorithms?: readonly (typeof ALGORITHMS)[number][] | undefined
  /**
   * Seconds by which the clocks of issuer and verifier may differ.
   *
   * @default 0
   */
  readonly clockTolerance?: number | undefined
  /**
   * Seconds to wait for the keys; after them the reply is 503.
   *
   * @default 5
   */
  readonly timeout?: number | undefined
  /**
   * Accepts `Authorization: <token>` too, without the scheme `Bearer`, for clients that send it so.
   *
   * @default false
   */
  readonly bareToken?: boolean | undefined
  /**
   * Returns the caller as the database has it now, for `req.auth` and `permission`; `null` is a 401 `token_revoked`, an
   * error a 503.
   *
   * @default the claims of the token
   */
  readonly load?: LoadOptions<App> | undefined
}

/** Seconds for which a token stays accepted after the provider has withdrawn its key. */
const CACHE_SECONDS = 60

const OPTIONS = ['jwks', 'issuer', 'audience', 'algorithms', 'clockTolerance', 'timeout', 'bareToken', 'load']

/** @throws MisuseError for a missing or empty option, an insecure URL, an unsupported algorithm. */
export function jwksStrategy(app: string, options: JwksOptions, loader?: CallerLoader): Strategy {
  checkOptionNames(`auth('${app}')`, options, OPTIONS)
  const issuer = stringOf('issuer', options.issuer)
  const audience = options.audience === false ? undefined : stringOf('audience', options.audience)
  const algorithms = algorithmsOf(options.algorithms)
  const clockTolerance = secondsOf('clockTolerance', options.clockTolerance, 0)
  const keysOf = keySource(options.jwks, timeoutOf(options.timeout))
  const rules = { algorithms, issuer, clockTolerance, ...(audience !== undefined && { audience }) }
  const toAuth = audience === undefined ? subjectWithoutAudience : subjectOf
  const tokens = tokenVerifier({ app, keysOf, rules, toAuth, cacheSeconds: CACHE_SECONDS })
  return (req, bearer) => {
    if (bearer === undefined) return null
    const toIdentity = (claims: Auth): Identity | PromiseLike<Identity> =>
      chain(loader?.load(bearer.text, claims, req) ?? claims, (auth) => ({ auth }))
    const verified = tokens.findVerified(bearer.text)
    if (verified !== undefined) return toIdentity(verified)
    const { alg, iss } = bearer.unverified
    if (iss !== issuer || typeof alg !== 'string' || !algorithms.includes(alg)) return null
    return tokens.verify(bearer.text).then(toIdentity)
  }
}

/** Identifies the caller by `sub`; a claim `id` of the provider's is ignored. */
function subjectOf(claims: Claims): Auth | undefined {
  const { sub } = claims
  return typeof sub === 'string' && sub !== '' ? { ...claims, id: sub } : undefined
}

/** Refuses a token for an audience, which this application is not (RFC 7519 §4.1.3). */
function subjectWithoutAudience(claims: Claims): Auth | undefined {
  return claims.aud === undefined ? subjectOf(claims) : undefined
}

function stringOf(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw new MisuseError(
    'option_text',
    `\`${name}\` must be a non-empty string: without it any token of the provider would be accepted.`
      + (name === 'audience' ? ' For a provider whose tokens have no `aud` write `audience: false`.' : ''),
  )
}

function algorithmsOf(wanted: unknown = ALGORITHMS): string[] {
  const names: readonly unknown[] = ALGORITHMS
  if (isList(wanted) && wanted.length > 0 && wanted.every((name): name is string => names.includes(name))) {
    return [...wanted]
  }
  throw new MisuseError('option_algorithms', `\`algorithms\` must be a non-empty list of ${ALGORITHMS.join(', ')}.`)
}

/** Returns the keys that may have signed a token: most often one, none for a token of an unpublished key. */
type KeySource = (token: string) => Promise<Keys>
type Keys = AsyncIterable<CryptoKey> | readonly CryptoKey[]

/**
 * Makes a key source of a URL, whose keys are fetched once and kept for ten minutes, or of given keys.
 *
 * @throws MisuseError `option_jwks` for anything else.
 */
function keySource(jwks: unknown, timeout: number): KeySource {
  const makeFinder = jwks instanceof URL || typeof jwks === 'string'
    ? remoteKeys(urlOf(jwks), timeout)
    : localKeys(jwks)
  const loading = jose().then(makeFinder)
  loading.catch(() => undefined) // the first token reports the failure
  return async (token) => {
    const finder = await loading
    const keys = await keysOf(finder, token)
    return Array.isArray(keys) && keys.length === 0 ? keys : withFetched(keys, finder, token)
  }
}

/** Returns the keys, and then those of another fetch: one without a key id, or under the same one, may be new. */
async function* withFetched(keys: Keys, finder: KeyFinder, token: string): AsyncGenerator<CryptoKey> {
  yield* keys
  if (await finder.refetch?.() !== true) return
  yield* await keysOf(finder, token)
  // The consumer has taken none of them.
  finder.missed?.()
}

async function keysOf({ find }: KeyFinder, token: string): Promise<Keys> {
  const { decodeProtectedHeader, errors } = await jose()
  try {
    return [await find(decodeProtectedHeader(token))]
  } catch (cause) {
    if (cause instanceof errors.JWKSNoMatchingKey) return []
    // A token without a key id, where several keys fit.
    if (cause instanceof errors.JWKSMultipleMatchingKeys) return cause
    throw new UnavailableError('The keys of the identity provider are not available', { cause })
  }
}

/** Checks and copies the keys now: the library would report an invalid set only once it is loaded. */
function localKeys(jwks: unknown): MakeKeyFinder {
  const copy = copyOf(jwks)
  if (!isKeySet(copy)) throw jwksInvalid('it is not a JSON Web Key Set')
  return ({ createLocalJWKSet }) => ({ find: createLocalJWKSet(copy) })
}

function copyOf(jwks: unknown): unknown {
  try {
    return structuredClone(jwks)
  } catch (cause) {
    throw jwksInvalid('it is not a JSON Web Key Set', cause)
  }
}

/** Checks for an object whose `keys` are a list of objects (RFC 7517 §5). */
function isKeySet(value: unknown): value is JSONWebKeySet {
  return isObject(value) && 'keys' in value && isList(value.keys) && value.keys.every(isObject)
}

function urlOf(jwks: URL | string): URL {
  let url: URL
  try {
    url = new URL(jwks)
  } catch (cause) {
    throw jwksInvalid('it is not a URL', cause)
  }
  // `fetch` refuses such a URL, and its error has the password.
  if (url.username !== '' || url.password !== '') throw jwksInvalid('it has a user name or a password')
  const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
  if (url.protocol === 'https:' || (url.protocol === 'http:' && loopback)) return url
  throw jwksInvalid('keys are fetched over https, and over http from this machine only')
}

function jwksInvalid(why: string, cause?: unknown): MisuseError {
  const detail = cause instanceof Error ? ` (${cause.message})` : ''
  return new MisuseError('option_jwks', `\`jwks\` must be a URL or a JSON Web Key Set: ${why}.${detail}`)
}

import type { CryptoKey, JSONWebKeySet, JWSHeaderParameters } from 'jose'
import { MisuseError, UnavailableError } from '../errors.js'
import { jose, type Jose } from './jose.js'

/** The keys that may have signed a token, most often one; none for a token of a key that was never published. */
export type KeySource = (token: string) => Promise<AsyncIterable<CryptoKey> | readonly CryptoKey[]>

type Resolve = (header: JWSHeaderParameters) => Promise<CryptoKey>

type MakeResolve = (library: Jose) => Resolve

/**
 * Where the keys of an identity provider come from: fetched once and kept for ten minutes, or given.
 *
 * @throws MisuseError `option_jwks` for anything that is no key set and no trustworthy address of one.
 */
export function keySource(jwks: unknown, timeout: number): KeySource {
  const makeResolve = jwks instanceof URL || typeof jwks === 'string' ? remote(addressOf(jwks), timeout) : local(jwks)
  const resolving = jose().then(makeResolve)
  resolving.catch(() => undefined) // whoever asks for a key is told
  return async (token) => {
    const { decodeProtectedHeader, errors } = await jose()
    const resolve = await resolving
    try {
      return [await resolve(decodeProtectedHeader(token))]
    } catch (cause) {
      if (cause instanceof errors.JWKSNoMatchingKey) return []
      // A token that names no key, and a set with several that would fit.
      if (cause instanceof errors.JWKSMultipleMatchingKeys) return cause
      throw new UnavailableError('The keys of the identity provider cannot be had', { cause })
    }
  }
}

/** Seconds in which an unknown key id is believed to be unknown, so that made-up ones do not become requests to the provider. */
const DISAPPOINTMENT = 30

function remote(address: URL, timeout: number): MakeResolve {
  return ({ createRemoteJWKSet, errors }) => {
    const published = createRemoteJWKSet(address, { timeoutDuration: Math.ceil(timeout * 1000), cooldownDuration: Infinity })
    let believedUntil = 0
    return async (header) => {
      try {
        return await published(header)
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey) || Date.now() < believedUntil) throw error
      }
      // Keys rotate: one that is unknown may have been published since.
      await published.reload()
      return published(header).catch((error: unknown) => {
        believedUntil = Date.now() + DISAPPOINTMENT * 1000
        throw error
      })
    }
  }
}

/** Looked through and copied now: the library would find a set that is none only when it is loaded. */
function local(jwks: unknown): MakeResolve {
  const copy = copyOf(jwks)
  if (!isKeySet(copy)) throw misplaced('it is no JSON Web Key Set')
  return ({ createLocalJWKSet }) => createLocalJWKSet(copy)
}

function copyOf(jwks: unknown): unknown {
  try {
    return structuredClone(jwks)
  } catch (cause) {
    throw misplaced('it is no JSON Web Key Set', cause)
  }
}

/** RFC 7517 §5: an object, whose `keys` are a list of objects. */
function isKeySet(value: unknown): value is JSONWebKeySet {
  return isObject(value) && 'keys' in value && Array.isArray(value.keys) && value.keys.every(isObject)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function addressOf(jwks: URL | string): URL {
  let address: URL
  try {
    address = new URL(jwks)
  } catch (cause) {
    throw misplaced('it is no URL', cause)
  }
  const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(address.hostname)
  if (address.protocol === 'https:' || (address.protocol === 'http:' && loopback)) return address
  throw misplaced('keys are read over https only, or over http from this machine')
}

function misplaced(why: string, cause?: unknown): MisuseError {
  const detail = cause instanceof Error ? ` (${cause.message})` : ''
  return new MisuseError('option_jwks', `\`jwks\` is a URL or a JSON Web Key Set: ${why}.${detail}`)
}

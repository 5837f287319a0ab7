import {
  createLocalJWKSet, createRemoteJWKSet, decodeProtectedHeader, errors, type CryptoKey, type JSONWebKeySet, type JWSHeaderParameters,
} from 'jose'
import { MisuseError, UnavailableError } from '../errors.js'

/** The keys that may have signed a token, most often one; none for a token of a key that was never published. */
export type KeySource = (token: string) => Promise<AsyncIterable<CryptoKey> | readonly CryptoKey[]>

type Resolve = (header: JWSHeaderParameters) => Promise<CryptoKey>

/**
 * Where the keys of an identity provider come from: fetched once and kept for ten minutes, or given.
 *
 * @throws MisuseError `option_jwks` for anything that is no key set and no trustworthy address of one.
 */
export function keySource(jwks: unknown, timeout: number): KeySource {
  const resolve: Resolve = jwks instanceof URL || typeof jwks === 'string' ? remote(addressOf(jwks), timeout) : local(jwks)
  return async (token) => {
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

function remote(address: URL, timeout: number): Resolve {
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

function local(jwks: unknown): Resolve {
  try {
    return createLocalJWKSet(jwks as JSONWebKeySet)
  } catch (cause) {
    throw misplaced('it is no JSON Web Key Set', cause)
  }
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

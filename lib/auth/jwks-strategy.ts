import type { JSONWebKeySet } from 'jose'
import { MisuseError } from '../errors.js'
import { checkOptionNames } from '../options.js'
import type { Auth } from '../types.js'
import type { Claims } from './claims.js'
import { keySource } from './key-source.js'
import { secondsOf, timeoutOf } from './options.js'
import type { Strategy } from './strategy.js'
import { tokenVerifier } from './verify-token.js'

const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const

/** Bearer tokens of an identity provider, signed with its private key and verified with its published ones. */
export interface JwksOptions {
  /** Where the provider publishes its keys (https, or http on this machine), or the keys themselves. */
  readonly jwks: URL | string | JSONWebKeySet
  /** The `iss` of its tokens, exactly. */
  readonly issuer: string
  /** The `aud` by which its tokens are meant for this application. */
  readonly audience: string
  /**
   * The signatures that are accepted.
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
}

/** @throws MisuseError for a missing or empty option, an insecure URL, an algorithm that is none of the three. */
export function jwksStrategy(app: string, options: JwksOptions): Strategy {
  checkOptionNames(`auth('${app}')`, options, ['jwks', 'issuer', 'audience', 'algorithms', 'clockTolerance', 'timeout'])
  const issuer = textOf('issuer', options.issuer)
  const audience = textOf('audience', options.audience)
  const algorithms = algorithmsOf(options.algorithms)
  const clockTolerance = secondsOf('clockTolerance', options.clockTolerance, 0)
  const keysOf = keySource(options.jwks, timeoutOf(options.timeout))
  const rules = { algorithms, issuer, audience, clockTolerance }
  const tokens = tokenVerifier({ app, keysOf, rules, toAuth: subjectOf, believed: BELIEVED })
  return (_req, bearer) => {
    if (bearer === undefined) return null
    const known = tokens.known(bearer.text)
    if (known !== undefined) return { auth: known }
    const { alg, iss } = bearer.marks
    if (iss !== issuer || !algorithms.includes(String(alg))) return null
    return tokens.verify(bearer.text).then((auth) => ({ auth }))
  }
}

/** Seconds in which a key that the provider has withdrawn may still vouch for a token that was verified with it. */
const BELIEVED = 60

/** The provider's own word for who it is; a claim `id` of its own is another matter. */
function subjectOf(claims: Claims): Auth | undefined {
  const { sub } = claims
  return typeof sub === 'string' && sub !== '' ? { ...claims, id: sub } : undefined
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw new MisuseError('option_text', `\`${name}\` is a text that is not empty: without it any token of the provider would do.`)
}

function algorithmsOf(wanted: unknown = ALGORITHMS): string[] {
  const known: readonly unknown[] = ALGORITHMS
  if (Array.isArray(wanted) && wanted.length > 0 && wanted.every((name) => known.includes(name))) return [...(wanted as string[])]
  throw new MisuseError('option_algorithms', `\`algorithms\` is a list of some of ${ALGORITHMS.join(', ')}.`)
}

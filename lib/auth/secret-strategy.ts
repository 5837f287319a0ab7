import { checkOptionNames } from '../options.js'
import { secondsOf } from './options.js'
import { authOf } from './claims.js'
import { renewal, type RenewOptions } from './renewal.js'
import { secretKeys, type Secret } from './secret-keys.js'
import type { Strategy } from './strategy.js'
import { tokenVerifier } from './verify-token.js'

/** Bearer tokens signed with a secret of your own, such as `issueToken` makes: HS256, `aud` is the application. */
export interface SecretOptions {
  /** At least 32 bytes, a text or a Uint8Array; of a list the first signs and all verify. */
  readonly secret: Secret | readonly Secret[]
  /**
   * Seconds by which the clocks of issuer and verifier may differ.
   *
   * @default 0
   */
  readonly clockTolerance?: number | undefined
  /**
   * Sliding renewal: a fresh token on the way; `true` for its defaults.
   *
   * @default false
   */
  readonly renew?: boolean | RenewOptions | undefined
}

/** @throws MisuseError for a missing or weak secret, seconds given as text, an unknown option. */
export function secretStrategy(app: string, options: SecretOptions): Strategy {
  checkOptionNames(`auth('${app}')`, options, ['secret', 'clockTolerance', 'renew'])
  const keys = secretKeys(options.secret)
  const clockTolerance = secondsOf('clockTolerance', options.clockTolerance, 0)
  const renew = renewal(app, options.renew, keys)
  const rules = { algorithms: ['HS256'], audience: app, clockTolerance }
  const tokens = tokenVerifier({ app, keysOf: () => keys.verifying, rules, toAuth: authOf })
  return (_req, bearer) => {
    if (bearer === undefined) return null
    const known = tokens.known(bearer.text)
    if (known !== undefined) return renew(known)
    return bearer.marks.alg === 'HS256' ? tokens.verify(bearer.text).then(renew) : null
  }
}

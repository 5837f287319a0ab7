import type { Request } from 'express'
import { checkFunction, checkOptionNames } from '../options.js'
import type { Auth } from '../types.js'
import { ask } from './ask.js'
import { tokenInvalid } from './challenge.js'
import { isAuth } from './claims.js'
import { timeoutOf } from './options.js'
import type { Strategy } from './strategy.js'

/** A check of your own: a session cookie, an API key, a service that knows. */
export interface VerifyOptions {
  /** Who is calling; `null` when these are no credentials for it. A thrown 4xx is sent, anything else thrown is a 503. */
  readonly verify: (req: Request) => Auth | null | undefined | Promise<Auth | null | undefined>
  /**
   * Seconds to wait for `verify`; after them the reply is 503.
   *
   * @default 5
   */
  readonly timeout?: number | undefined
}

/** @throws MisuseError when `verify` is no function, for an unknown option, for a time given as text. */
export function verifyStrategy(app: string, options: VerifyOptions): Strategy {
  checkOptionNames(`auth('${app}')`, options, ['verify', 'timeout'])
  const { verify } = options
  checkFunction('`verify`', verify)
  const timeout = timeoutOf(options.timeout)
  return async (req) => {
    const auth: unknown = await ask('`verify`', timeout, () => verify(req))
    if (auth === null || auth === undefined) return null
    if (!isAuth(auth)) throw tokenInvalid(app)
    return { auth }
  }
}

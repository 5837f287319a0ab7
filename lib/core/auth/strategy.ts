import type { Request } from 'express'
import { isHttpError, MisuseError, UnavailableError } from '../base/errors.js'
import { hasProperties } from '../base/guards.js'
import { libraryStatusOf } from '../base/library-errors.js'
import { checkFunction, checkOptionNames, show } from '../base/options.js'
import { within } from '../base/promises.js'
import { contextOf } from './route-of.js'
import type { Auth, Callers } from '../base/types.js'
import type { RouteInfo } from '../routing/route-info.js'
import { tokenInvalid } from './challenge.js'
import { isAuth, type BearerToken } from './token.js'

/** An authenticated caller. */
export interface Identity {
  readonly auth: Auth
  /** The token that replaces the one that was presented. */
  readonly renewed?: string | undefined
  /** The name of the strategy that recognised the credentials, set by `auth`. */
  strategy?: string | undefined
}

/**
 * Identifies the caller by one kind of credentials; returns `null` for credentials of another kind. It returns a value
 * and not a promise where a token was verified before.
 *
 * @throws UnauthorizedError for credentials of its kind that are not valid.
 */
export type Strategy = (req: Request, bearer: BearerToken | undefined) => Identity | null | PromiseLike<Identity | null>

/** A caller as the application knows it: an object of any type with an `id` and the declared claims. */
export type Verified<App extends string> =
  & Pick<Auth, 'id' | 'permissions'>
  & { readonly role?: string | undefined }
  & (App extends keyof Callers ? Callers[App] : unknown)

/** Authentication by a function of the application's: a session cookie, an API key, another service. */
export interface VerifyOptions<App extends string = string> {
  /**
   * Returns the caller, `null` for no credentials of this kind. A thrown 4xx is sent to the client, that of a guard of
   * NestJS or of passport too, an error of jose or jsonwebtoken about the token is a 401, and any other error is a 503.
   * `route` is the resource route that the request will reach, `undefined` for an undeclared handler.
   */
  readonly verify: (
    req: Request,
    context: { readonly route: RouteInfo | undefined },
  ) => Verified<App> | null | undefined | Promise<Verified<App> | null | undefined>
  /**
   * Seconds to wait for `verify`; after them the reply is 503.
   *
   * @default 5
   */
  readonly timeout?: number | undefined
}

/** @throws MisuseError when `verify` is not a function, for an unknown option, for a timeout that is not a number. */
export function verifyStrategy(app: string, options: VerifyOptions): Strategy {
  checkOptionNames(`auth('${app}')`, options, ['verify', 'timeout'])
  const { verify } = options
  checkFunction('`verify`', verify)
  const timeout = timeoutOf(options.timeout)
  return async (req) => {
    const auth: unknown = await callWithin(timeout, '`verify`', () => verifyCaller(app, verify, req))
    if (auth === null || auth === undefined) return null
    if (!isAuth(auth)) throw tokenInvalid(app)
    return { auth }
  }
}

/** The codes of jose for errors about a token; those about keys, such as `ERR_JWKS_TIMEOUT`, are not among them. */
const JOSE = /^ERR_(?:JW[EST]_|JOSE_ALG_NOT_ALLOWED$|JOSE_NOT_SUPPORTED$|JWKS_NO_MATCHING_KEY$)/

/** The names of jsonwebtoken's errors. */
const JSONWEBTOKEN: readonly unknown[] = ['JsonWebTokenError', 'NotBeforeError', 'TokenExpiredError']

/** Errors of jsonwebtoken about its arguments, and those that a function gave in place of the key. */
const NO_TOKEN = /^(?:secret|error in secret|verify must|clockTimestamp|nonce must|allowInvalid|"maxAge" should)/

/**
 * Returns the reason for a 401 if an error of jose or jsonwebtoken means that the token is not valid, `undefined` for
 * any other error. The libraries are recognised by the codes and names that they document, in any version and copy.
 */
function tokenFault(error: unknown): 'token_invalid' | 'token_expired' | undefined {
  if (!hasProperties(error)) return undefined
  const { code, name, message } = error
  if (typeof code === 'string' && JOSE.test(code)) return code === 'ERR_JWT_EXPIRED' ? 'token_expired' : 'token_invalid'
  if (!JSONWEBTOKEN.includes(name) || NO_TOKEN.test(String(message))) return undefined
  return name === 'TokenExpiredError' ? 'token_expired' : 'token_invalid'
}

/** @throws UnauthorizedError where `verify` throws that the token is not valid. */
async function verifyCaller(app: string, verify: VerifyOptions['verify'], req: Request): Promise<unknown> {
  try {
    return await verify(req, contextOf(req))
  } catch (error) {
    const reason = tokenFault(error) ?? (libraryStatusOf(error) === 401 ? 'token_invalid' : undefined)
    throw reason === undefined ? error : tokenInvalid(app, reason)
  }
}

/**
 * Calls a function of the application's that identifies the caller. A 4xx that it throws is passed on.
 *
 * @throws UnavailableError for any other error, and when it does not answer in time.
 */
export async function callWithin<T>(seconds: number, name: string, call: () => T | PromiseLike<T>): Promise<T> {
  try {
    return await within(seconds, Promise.resolve(call()))
  } catch (cause) {
    throw isClientError(cause) ? cause : new UnavailableError(`${name} failed or did not answer`, { cause })
  }
}

function isClientError(error: unknown): boolean {
  if (!isHttpError(error)) return libraryStatusOf(error) !== undefined
  return error.status >= 400 && error.status < 500
}

/** Checks the name of an application, which becomes a part of permission ids, realms and audiences. */
export function checkAppName(app: unknown): asserts app is string {
  if (typeof app === 'string' && /^[A-Za-z][\w-]*$/.test(app)) return
  throw new MisuseError(
    'app_name',
    `The name of an application must be letters, digits, "_" and "-", beginning with a letter, not ${show(app)}.`,
  )
}

/** The longest delay of a timer in Node.js. */
const LONGEST_TIMER = 2_147_483

/** Returns a number of seconds; a string, as from the environment, is refused, since its unit is unknown. */
export function secondsOf(name: string, value: unknown, preset: number): number {
  if (value === undefined) return preset
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
  throw new MisuseError('option_seconds', `\`${name}\` must be a number of seconds, zero or more, not ${show(value)}.`)
}

/** Returns the seconds to wait for a function or a service. */
export function timeoutOf(value: unknown): number {
  const seconds = secondsOf('timeout', value, 5)
  if (seconds > 0 && seconds <= LONGEST_TIMER) return seconds
  throw new MisuseError(
    'option_seconds',
    `\`timeout\` must be more than 0 and at most ${LONGEST_TIMER} seconds, not ${seconds}.`,
  )
}

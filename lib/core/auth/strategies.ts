import type { Request } from 'express'
import { MisuseError, UnauthorizedError } from '../base/errors.js'
import { propertyOf } from '../base/guards.js'
import { show } from '../base/options.js'
import { chain } from '../base/promises.js'
import { CallerLoader } from './caller-loader.js'
import { tokenInvalid } from './challenge.js'
import { jwksStrategy, type JwksOptions } from './jwks.js'
import { loadSettings } from './load.js'
import { secretStrategy, type SecretOptions } from './secret.js'
import { verifyStrategy, type Identity, type Strategy, type VerifyOptions } from './strategy.js'
import { authorizationOf, bareTokenOf, bearerOf } from './token.js'

/** One way to authenticate: a secret, an identity provider, or a function of the application. */
export type AuthOptions<App extends string = string> = SecretOptions<App> | JwksOptions<App> | VerifyOptions<App>

/** One of the ways to authenticate of an application. */
export interface NamedStrategy {
  /** Distinguishes the strategies of an application; `undefined` for the first one with a secret. */
  readonly name: string | undefined
  /** The index of the next one of the same kind, -1 without one. */
  readonly next: number
  readonly identify: Strategy
  readonly loader: CallerLoader | undefined
  readonly takesBareToken: boolean
}

/** @throws MisuseError for options that are none of the ways to authenticate, and for none at all. */
export function namedStrategies(app: string, options: readonly AuthOptions[]): NamedStrategy[] {
  if (options.length === 0) throw noStrategy(app)
  const kinds = options.map(kindOf)
  return kinds.map((kind, index) => {
    const option = options[index]
    const earlier = kinds.slice(0, index).filter((other) => other === kind).length
    return {
      name: kind === 'secret' && earlier === 0 ? undefined : `${kind}#${earlier}`,
      next: kind === 'verify' ? -1 : kinds.indexOf(kind, index + 1),
      ...strategyOf(app, option),
      takesBareToken: takesBareToken(app, option),
    }
  })
}

function kindOf(options: unknown): string {
  if (propertyOf(options, 'secret') !== undefined) return 'secret'
  const issuer = propertyOf(options, 'issuer')
  return typeof issuer === 'string' ? `jwks ${issuer}` : 'verify'
}

function strategyOf(app: string, options: AuthOptions | null | undefined): Pick<NamedStrategy, 'identify' | 'loader'> {
  if (typeof options !== 'object' || options === null) throw noStrategy(app)
  if ('verify' in options) return { identify: verifyStrategy(app, options), loader: undefined }
  const settings = loadSettings(app, options.load)
  const loader = settings && new CallerLoader(app, settings)
  if ('secret' in options) return { identify: secretStrategy(app, options, loader), loader }
  if ('jwks' in options) return { identify: jwksStrategy(app, options, loader), loader }
  throw noStrategy(app)
}

/** @throws MisuseError for a value that is not a boolean: `'false'` from the environment would accept bare tokens. */
function takesBareToken(app: string, options: unknown): boolean {
  const bareToken = propertyOf(options, 'bareToken')
  if (bareToken === undefined) return false
  if (typeof bareToken === 'boolean') return bareToken
  throw new MisuseError(
    'auth_options',
    `\`bareToken\` of auth('${app}') must be true or false, not ${show(bareToken)}.`,
  )
}

function noStrategy(app: string): MisuseError {
  return new MisuseError(
    'auth_options',
    `auth('${app}') needs options: { secret }, { jwks, issuer, audience } or { verify }.`,
  )
}

/** Returns the caller, `null` without credentials: the first strategy that recognises them decides. */
export function identify(
  app: string,
  strategies: readonly NamedStrategy[],
  req: Request,
): Identity | null | PromiseLike<Identity | null> {
  const authorization = authorizationOf(req)
  const bearer = bearerOf(authorization)
  const bare = bearer ?? bareTokenOf(authorization)
  const from = (index: number): Identity | null | PromiseLike<Identity | null> => {
    const strategy = strategies[index]
    if (strategy === undefined) {
      if (authorization !== '') throw tokenInvalid(app)
      return null
    }
    const recognise = (): ReturnType<Strategy> => strategy.identify(req, strategy.takesBareToken ? bare : bearer)
    const { next } = strategy
    return chain(next === -1 ? recognise() : recogniseOr(() => from(next), recognise), (identity) => {
      if (identity === null) return from(index + 1)
      identity.strategy ??= strategy.name
      return identity
    })
  }
  return from(0)
}

/** Passes a token on that is not valid for one of several secrets, or for one of several audiences of an issuer. */
async function recogniseOr(
  next: () => ReturnType<Strategy>,
  recognise: () => ReturnType<Strategy>,
): Promise<Identity | null> {
  try {
    return await recognise()
  } catch (error) {
    if (!(error instanceof UnauthorizedError) || error.reason !== 'token_invalid') throw error
    return next()
  }
}

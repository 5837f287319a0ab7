import type { Request, RequestHandler, Response } from 'express'
import type { AuthScheme, Challenges } from '../base/auth-scheme.js'
import { UnavailableError } from '../base/errors.js'
import { METHODS } from '../base/node-http.js'
import { isThenable } from '../base/promises.js'
import { answersProbe, registerGuard, type Guard } from '../routing/guards.js'
import { allowedMethods, lookAhead } from '../routing/look-ahead.js'
import { callerIn, markRefused, markUnchecked, stateOf, type GuardState } from '../routing/request-state.js'
import type { AuthMarker } from '../base/types.js'
import { checkCalled } from '../base/options.js'
import { forgetting } from './caller-loader.js'
import { challengeAs, challengesOf, tokenMissing } from './challenge.js'
import type { JwksOptions } from './jwks.js'
import type { LoadingAuth, LoadOptions } from './load.js'
import { schemesOf, type DescribeOptions } from './scheme.js'
import type { SecretOptions } from './secret.js'
import { sendToken } from './send-token.js'
import { signedIn } from './signed-in.js'
import { identify, namedStrategies, type AuthOptions, type NamedStrategy } from './strategies.js'
import { checkAppName, type Identity, type VerifyOptions } from './strategy.js'

export type { AuthOptions }

type Unloaded<App extends string> = Omit<SecretOptions<App>, 'load'> | Omit<JwksOptions<App>, 'load'>
/** `load` excludes undefined, by which the compiler could not infer the parameters of its `run`. */
type LoadingOptions<App extends string> = Unloaded<App> & { readonly load: LoadOptions<App> }

/**
 * Authenticates the callers of the application `app`, in `app.use`, `router.use` or `guards`, and sets `req.auth`.
 *
 * A request for a public route passes, and its credentials are not read. For every other request, undeclared handlers
 * included, missing or invalid credentials are a 401 (RFC 6750 §3). Of several options the first that recognises the
 * credentials decides; of several with a secret, or of one issuer, the first that accepts the token. Mount
 * `permission(app)` after it.
 *
 * With `load` the caller is read from the database, for every request or for some seconds; `forget(id)` of the result
 * drops a caller at once.
 *
 * `scheme` describes the credentials in documents, and in the challenge of a 401.
 *
 * @throws MisuseError for a missing or short secret, seconds given as a string, an unknown option.
 * @example
 * admin.use(auth('admin', { secret }), permission('admin'))
 */
export function auth<App extends string>(
  app: App,
  options: LoadingOptions<App> | readonly (LoadingOptions<App> | VerifyOptions<App>)[],
  described?: DescribeOptions,
): LoadingAuth
export function auth<App extends string>(
  app: App,
  // eslint-disable-next-line @typescript-eslint/unified-signatures -- with both lists in one, nothing is inferred
  options: readonly AuthOptions<App>[],
  described?: DescribeOptions,
): LoadingAuth
export function auth<App extends string>(
  app: App,
  options: AuthOptions<App> | readonly AuthOptions<App>[],
  described?: DescribeOptions,
): RequestHandler
export function auth(
  app: string,
  options: AuthOptions | readonly AuthOptions[],
  described: DescribeOptions = {},
): LoadingAuth {
  checkCalled("app.use(auth('admin', { secret }))", app)
  checkAppName(app)
  const sources = [options].flat()
  const strategies = namedStrategies(app, sources)
  const schemes = schemesOf(app, sources, described)
  const loaders = strategies.flatMap(({ loader }) => loader ?? [])
  for (const loader of loaders) loader.listen()
  const isPlaceholder = sources.some((source) => 'secret' in source && isGuessable(source.secret))
  const guard: Guard = { kind: 'auth', app, schemes, isGuessable: isPlaceholder }
  const middleware = authentication(app, strategies, challengesOf(schemes), guard)
  return Object.assign(middleware, { forget: forgetting(app, loaders) })
}

function authentication(
  app: string,
  strategies: readonly NamedStrategy[],
  challenges: Challenges,
  guard: Guard,
): RequestHandler {
  const credentials = credentialsInQuery(guard.schemes ?? [])
  return registerGuard(guard, function resourceryAuth(req, res, next) {
    if (answersProbe(resourceryAuth)) {
      next()
      return
    }
    if (credentials.length > 0) {
      stateOf(req).credentialsInQuery = [...stateOf(req).credentialsInQuery, ...credentials]
    }
    const caller = signedIn(req, app)
    const marker = markerOf(req, resourceryAuth)
    if (marker === false) {
      markUnchecked(req, app)
      next()
      return
    }
    const proceed = (outcome: boolean | Error): void => {
      if (outcome === true) next()
      if (typeof outcome === 'boolean') return
      markRefused(req, app)
      next(challengeAs(outcome, app, challenges))
    }
    // Returns true if the request continues, false if the reply was sent, and the error of a request without
    // credentials: to throw it would take a tenth of the time of its reply.
    const admit = (identity: Identity | null): boolean | Error => {
      try {
        if (identity === null && marker !== 'optional') {
          return answersOptions(req, res) ? false : tokenMissing(app, challenges)
        }
        if (identity?.renewed !== undefined) sendToken(res, identity.renewed)
        setCaller(req, app, identity, challenges)
        return true
      } catch (error) {
        return toError(error)
      }
    }
    let identity: Identity | null | PromiseLike<Identity | null>
    try {
      identity = caller === undefined ? identify(app, strategies, req) : caller && { auth: caller }
    } catch (error) {
      proceed(toError(error))
      return
    }
    if (isThenable(identity)) void identity.then(admit, toError).then(proceed)
    else proceed(admit(identity))
  })
}

/** Returns the names of the query parameters that have credentials. */
function credentialsInQuery(schemes: readonly AuthScheme[]): string[] {
  return schemes.flatMap((scheme) => (scheme.type === 'apiKey' && scheme.in === 'query' ? [scheme.name] : []))
}

/**
 * Returns the `auth` marker of the route that matched, or will match; anything but a resource route needs
 * authentication.
 */
function markerOf(req: Request, middleware: RequestHandler): AuthMarker {
  const { route } = stateOf(req)
  if (route !== undefined) return route.auth
  const ahead = lookAhead(req, middleware)
  return ahead.kind === 'resource' ? ahead.route.auth : true
}

/** Answers a CORS preflight, which never carries credentials (Fetch Standard), with the allowed methods. */
function answersOptions(req: Request, res: Response): boolean {
  if (req.method !== 'OPTIONS') return false
  const allowed = allowedMethods(req)
  if (allowed.length === 0) return false
  res.statusCode = 204
  res.setHeader('Allow', (allowed.includes('*') ? METHODS : allowed).join(', '))
  res.end()
  return true
}

function setCaller(req: Request, app: string, identity: Identity | null, challenges: Challenges): void {
  const auth = identity?.auth
  const state = stateOf(req)
  // A new caller has been granted nothing yet; the check of `permission` stays.
  const guard = {
    auth,
    strategy: identity?.strategy,
    granted: new Set<string>(),
    challenges,
    isGranted: state.guards.get(app)?.isGranted,
  }
  // To copy an empty Map takes twice as long as to make one.
  const guards = state.guards.size === 0 ? new Map<string, GuardState>() : new Map(state.guards)
  guards.delete(app) // so that it becomes the last one, for `authOf`
  state.guards = guards.set(app, guard)
  req.auth = callerIn(guard)
}

/** Wraps a value other than an Error: `undefined`, `'route'` and `'router'` would make Express skip this middleware. */
function toError(thrown: unknown): Error {
  return thrown instanceof Error
    ? thrown
    : new UnavailableError('The credentials could not be checked', { cause: thrown })
}

/** Words of secrets that are placeholders. */
const PLACEHOLDER = /secret|change.?me|password|example|default|your.?key|0123456789|abcdef/i

/** Fewer distinct bytes than this are no 32 random bytes, in whatever spelling. */
const FEWEST_DISTINCT = 10

/** Returns true if a secret reads like a placeholder, or repeats few characters; it may be long enough all the same. */
function isGuessable(secret: unknown): boolean {
  return [secret].flat().some((text) => {
    if (typeof text !== 'string' && !(text instanceof Uint8Array)) return false
    const bytes = Buffer.from(text)
    return new Set(bytes).size < FEWEST_DISTINCT || PLACEHOLDER.test(bytes.toString())
  })
}

import type { Request, RequestHandler } from 'express'
import { MisuseError } from '../base/errors.js'
import { checkFunction, checkOptionNames, show } from '../base/options.js'
import type { Auth } from '../base/types.js'
import { secondsOf, timeoutOf, type Verified } from './strategy.js'

/** The result of `load`: the caller, or `null` for a caller whose token is no longer accepted. */
type Loaded<App extends string> = Verified<App> | null | undefined

type Result<App extends string> = Loaded<App> | PromiseLike<Loaded<App>>

/**
 * Returns the caller as the database has it now, from the claims of a verified token. Its absent properties let the
 * compiler tell it from the objects, and so infer the parameters of their `run`.
 */
interface LoadFunction<App extends string = string> {
  (claims: Auth, req: Request): Result<App>
  readonly run?: undefined
  readonly seconds?: undefined
  readonly key?: undefined
}

interface LoadTimeout {
  /**
   * Seconds to wait for the caller; after them the reply is 503.
   *
   * @default 5
   */
  readonly timeout?: number | undefined
}

/** Loads the caller for every request. */
export interface FreshLoad<App extends string = string> extends LoadTimeout {
  readonly run: LoadFunction<App>
  readonly seconds?: undefined
  readonly key?: undefined
  readonly broadcast?: undefined
}

interface Remembered extends LoadTimeout {
  /** Seconds for which a loaded caller is used again for the same token. @default nothing is remembered */
  readonly seconds: number
  /** Shares `forget` with other processes. @default `forget` reaches this process only */
  readonly broadcast?: Broadcast | undefined
}

/** Loads the caller once for several requests with the same token. */
export interface RememberedLoad<App extends string = string> extends Remembered {
  /** Returns the caller; without `key` it gets no request, since its result is used for other requests too. */
  readonly run: (claims: Auth) => Result<App>
  readonly key?: undefined
}

/** Loads the caller once for several requests with the same token and key. */
export interface KeyedLoad<App extends string = string> extends Remembered {
  readonly run: LoadFunction<App>
  /** Returns all of the request that `run` reads, as a string: requests with the same token and key share a caller. */
  readonly key: (claims: Auth, req: Request) => string
}

/**
 * A function that loads the caller for every request, or one whose result is remembered for some seconds.
 *
 * @example
 * const load: LoadOptions = { run: async ({ id }) => accounts.get(Number(id)), seconds: 30 }
 */
export type LoadOptions<App extends string = string> = LoadFunction<App> | FreshLoad<App> | RememberedLoad<App>
  | KeyedLoad<App>

/**
 * Sends the ids of `forget` to all processes, for example by a channel of Redis.
 *
 * @example
 * const broadcast: Broadcast = {
 *   publish: (id) => redis.publish('callers', id),
 *   subscribe: (listener) => subscriber.subscribe('callers', listener),
 * }
 */
export interface Broadcast {
  /** Sends an id to all processes; whether this process receives it too does not matter. */
  readonly publish: (id: string) => unknown
  /**
   * Calls the listener with each id that a process sends. If it returns a promise, nothing is remembered until that is
   * fulfilled.
   */
  readonly subscribe: (listener: (id: string) => void) => unknown
}

/** The middleware of `auth` with `load`. */
export interface LoadingAuth extends RequestHandler {
  /**
   * Drops what `load` has returned for the caller with this id, also for requests whose load has begun: they load once
   * more. Call it when the change in the database is committed.
   *
   * The promise is fulfilled once the other processes are told, and rejected if `publish` of `broadcast` fails.
   *
   * @throws MisuseError for an id that identifies no caller, or if no option has a `load`.
   * @example
   * await authenticate.forget(user.id)
   */
  readonly forget: (id: string | number) => Promise<void>
}

/** Options of `load` after the check. */
export interface LoadSettings {
  /** Calls `run`, with the request where it may read it. */
  readonly run: (claims: Auth, req: Request) => unknown
  readonly timeout: number
  /** Seconds for which a caller is remembered, `undefined` if none is. */
  readonly seconds: number | undefined
  readonly key: ((claims: Auth, req: Request) => unknown) | undefined
  readonly broadcast: Broadcast | undefined
}

/**
 * Checks the option `load` of the application `app`; returns `undefined` if it is absent.
 *
 * @throws MisuseError `load_invalid` for options that contradict each other, or as other options are refused.
 */
export function loadSettings(app: string, load: LoadOptions | undefined): LoadSettings | undefined {
  if (load === undefined) return undefined
  if (typeof load === 'function') return loadSettings(app, { run: load })
  const where = `\`load\` of auth('${app}')`
  checkOptionNames(where, load, ['run', 'seconds', 'key', 'broadcast', 'timeout'])
  const { run, key, broadcast, timeout, seconds } = load
  checkFunction(`\`run\` of ${where}`, run)
  if (key !== undefined) checkFunction(`\`key\` of ${where}`, key)
  checkBroadcast(where, broadcast)
  const readsRequest = seconds === undefined || key !== undefined
  return {
    // Without `key` a caller is loaded for other requests too, so the function must not read this one.
    run: readsRequest ? run : (claims) => (run as (claims: Auth) => unknown)(claims),
    timeout: timeoutOf(timeout),
    seconds: rememberedSeconds(where, seconds, { key, broadcast }),
    key,
    broadcast,
  }
}

function rememberedSeconds(
  where: string,
  value: unknown,
  others: Readonly<Record<string, unknown>>,
): number | undefined {
  const other = Object.keys(others).find((name) => others[name] !== undefined)
  if (value === undefined && other === undefined) return undefined
  if (value === undefined) {
    throw new MisuseError('load_invalid', `${where}: \`${other}\` needs \`seconds\`: without it nothing is remembered.`)
  }
  const seconds = secondsOf('seconds', value, 0)
  if (seconds > 0) return seconds
  throw new MisuseError('load_invalid', `${where}: \`seconds\` must be more than 0: without it nothing is remembered.`)
}

function checkBroadcast(where: string, broadcast: unknown): void {
  if (broadcast === undefined) return
  if (typeof broadcast !== 'object' || broadcast === null) {
    throw new MisuseError(
      'load_invalid',
      `${where}: \`broadcast\` must be an object with \`publish\` and \`subscribe\`, not ${show(broadcast)}.`,
    )
  }
  const { publish, subscribe }: Partial<Broadcast> = broadcast
  checkFunction(`\`publish\` of \`broadcast\` of ${where}`, publish)
  checkFunction(`\`subscribe\` of \`broadcast\` of ${where}`, subscribe)
}

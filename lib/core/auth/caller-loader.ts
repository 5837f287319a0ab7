import { createHash } from 'node:crypto'
import type { Request } from 'express'
import { MisuseError, UnavailableError } from '../base/errors.js'
import { show } from '../base/options.js'
import { ignoreFailure, isThenable, within } from '../base/promises.js'
import { textOfThrown } from '../base/warn-once.js'
import type { Auth } from '../base/types.js'
import { tokenInvalid } from './challenge.js'
import { copyClaims } from './copy-claims.js'
import type { LoadSettings } from './load.js'
import { RememberedCallers } from './remembered-callers.js'
import { isAuth, isId } from './token.js'

/** Loads the callers of one application and strategy by the option `load`. */
export class CallerLoader {
  readonly #app: string
  readonly #settings: LoadSettings
  readonly #remembered: RememberedCallers | undefined
  /** The loads that other requests with the same key wait for too. */
  readonly #shared = new Map<string, Promise<Auth>>()
  /** For each load under way, the ids that were forgotten since it began. */
  readonly #underWay = new Set<Set<string>>()
  /** True while the ids that other processes forget arrive here. */
  #hearsOthers = true

  constructor(app: string, settings: LoadSettings) {
    this.#app = app
    this.#settings = settings
    this.#remembered = settings.seconds === undefined ? undefined : new RememberedCallers(settings.seconds)
  }

  /** Begins to receive the ids that other processes forget. */
  listen(): void {
    try {
      const subscribed = this.#settings.broadcast?.subscribe((id: unknown) => this.drop(String(id)))
      if (!isThenable(subscribed)) return
      this.#hearsOthers = false
      subscribed.then(() => {
        this.#hearsOthers = true
      }, (cause: unknown) => this.#hearNothing(cause))
    } catch (cause) {
      this.#hearNothing(cause)
    }
  }

  #hearNothing(cause: unknown): void {
    this.#hearsOthers = false
    process.emitWarning(
      `\`subscribe\` of auth('${this.#app}') failed, so \`load\` remembers no caller: ${textOfThrown(cause)}`,
      { code: 'RESOURCERY_SUBSCRIBE' },
    )
  }

  /**
   * Returns the caller of a verified token; a promise unless the caller was remembered.
   *
   * @throws UnauthorizedError `token_revoked` for `null`, UnavailableError if the caller could not be loaded.
   */
  load(token: string, claims: Auth, req: Request): Auth | Promise<Auth> {
    const remembered = this.#remembered
    if (remembered === undefined) return this.#fresh(claims, req)
    const key = this.#keyOf(token, claims, req)
    const cached = remembered.find(key)
    if (cached !== undefined) return copyClaims(cached)
    const shared = this.#shared.get(key) ?? this.#share(key, claims, req, remembered)
    return shared.then(copyClaims)
  }

  /** Drops the caller with this id: no load that has begun is remembered or used. */
  drop(id: string): void {
    this.#remembered?.drop(id)
    for (const forgotten of this.#underWay) forgotten.add(id)
  }

  /** Tells other processes to drop the caller. */
  async publish(id: string): Promise<void> {
    const { broadcast, timeout } = this.#settings
    if (broadcast !== undefined) await within(timeout, Promise.resolve(broadcast.publish(id)))
  }

  #keyOf(token: string, claims: Auth, req: Request): string {
    const { key } = this.#settings
    let own: unknown = ''
    try {
      if (key !== undefined) own = key({ ...claims }, req)
    } catch (cause) {
      throw unavailable(cause)
    }
    if (typeof own !== 'string') {
      ignoreFailure(own)
      throw unavailable(new TypeError(`\`key\` must return a string, not ${show(own)}.`))
    }
    return createHash('sha256').update(JSON.stringify([token, own])).digest('base64')
  }

  #share(key: string, claims: Auth, req: Request, remembered: RememberedCallers): Promise<Auth> {
    const began = performance.now()
    const hearsOthers = this.#hearsOthers
    const loading = this.#fresh(claims, req, (caller) => {
      this.#shared.delete(key)
      if (caller !== undefined && hearsOthers) remembered.keep(key, caller, began)
    })
    this.#shared.set(key, loading)
    return loading
  }

  /**
   * Loads a caller, and again while it is forgotten meanwhile. Calls `settled` with a copy of the caller, `undefined`
   * without one, before any `forget` can follow.
   *
   * @throws UnavailableError also where each load led to a `forget`.
   */
  async #fresh(claims: Auth, req: Request, settled?: (caller: Auth | undefined) => void): Promise<Auth> {
    const end = performance.now() + this.#settings.timeout * 1000
    const forgotten = new Set<string>()
    let caller: Auth | null | undefined
    let loads = 0
    this.#underWay.add(forgotten)
    try {
      do {
        if (loads++ === MOST_LOADS) throw new Error(`The caller was forgotten during each of ${MOST_LOADS} loads.`)
        forgotten.clear()
        caller = await this.#call(claims, req, end)
        if (settled !== undefined) caller = copyClaims(caller)
      } while (isForgotten(forgotten, caller, claims))
    } catch (cause) {
      caller = undefined
      throw unavailable(cause)
    } finally {
      this.#underWay.delete(forgotten)
      settled?.(caller ?? undefined)
    }
    if (caller === null) throw tokenInvalid(this.#app, 'token_revoked')
    return caller
  }

  /** Calls the function of the application, which must end at a time of `performance.now()`. */
  async #call(claims: Auth, req: Request, end: number): Promise<Auth | null> {
    const loading = new Promise((resolve) => resolve(this.#settings.run({ ...claims }, req)))
    const loaded = await within(Math.max(end - performance.now(), 0) / 1000, loading) ?? null
    if (loaded === null || isAuth(loaded)) return loaded
    throw new TypeError('`load` must return a caller with an `id`, or null.')
  }
}

/** The most loads for one request. */
const MOST_LOADS = 10

function isForgotten(forgotten: ReadonlySet<string>, caller: Auth | null, claims: Auth): boolean {
  // The id that `null` belongs to is not known.
  if (caller === null) return forgotten.size > 0
  return forgotten.has(String(caller.id)) || forgotten.has(String(claims.id))
}

/**
 * Returns the function `forget` of an application: it drops a caller at once, and then tells the other processes.
 *
 * It throws a MisuseError `load_invalid` if there is no loader, or for an id that identifies no caller.
 */
export function forgetting(app: string, loaders: readonly CallerLoader[]): (id: string | number) => Promise<void> {
  return (id) => {
    if (loaders.length === 0) throw forgetMisuse(app, 'has no `load`, so it remembers no caller')
    if (!isId(id)) throw forgetMisuse(app, `needs the \`id\` of a caller, not ${show(id)}`)
    for (const loader of loaders) loader.drop(String(id))
    const told = Promise.all(loaders.map((loader) => loader.publish(String(id)))).then(() => undefined)
    // A failure that no one awaits must not end the process.
    told.catch(() => undefined)
    return told
  }
}

function forgetMisuse(app: string, why: string): MisuseError {
  return new MisuseError('load_invalid', `\`forget\` of auth('${app}') ${why}.`)
}

function unavailable(cause: unknown): UnavailableError {
  return new UnavailableError('`load` failed or did not answer', { cause })
}

import type { Auth } from '../base/types.js'

interface Entry {
  readonly caller: Auth
  /** The time at which the load began, by the clock of timers, which is never set back. */
  readonly began: number
}

/** The callers that `load` has returned, by token; the one that was not used for the longest time is dropped first. */
export class RememberedCallers {
  readonly #milliseconds: number
  readonly #limit: number
  readonly #entries = new Map<string, Entry>()

  /** @param limit the largest number of entries */
  constructor(seconds: number, limit = 10_000) {
    this.#milliseconds = seconds * 1000
    this.#limit = limit
  }

  /** Returns a caller whose time has not passed, counted from the begin of the load. */
  find(key: string): Auth | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    if (performance.now() - entry.began >= this.#milliseconds) return undefined
    this.#entries.set(key, entry)
    return entry.caller
  }

  /** Keeps a caller whose load began at a time of `performance.now()`. */
  keep(key: string, caller: Auth, began: number): void {
    this.#entries.delete(key)
    this.#entries.set(key, { caller, began })
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > this.#limit && oldest !== undefined) this.#entries.delete(oldest)
  }

  /** Drops the callers with this id. */
  drop(id: string): void {
    for (const [key, { caller }] of this.#entries) if (String(caller.id) === id) this.#entries.delete(key)
  }
}

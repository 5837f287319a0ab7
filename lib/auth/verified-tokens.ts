import type { Claims } from './claims.js'

interface Entry {
  readonly claims: Claims
  /** The same as JSON. */
  readonly text: string
  /** Whether one claim is a list or an object, which a copy of the claims would share. */
  readonly deep: boolean
  /** Milliseconds since 1970 after which the token is verified again, `Infinity` for never. */
  readonly until: number
}

export interface VerifiedTokensOptions {
  /** Seconds for which a verification holds. @default for ever: the time of the token itself is judged by every request */
  readonly seconds?: number
  /** @default 10_000 */
  readonly entries?: number
  /** Of tokens and claims, in characters. @default 8_000_000 */
  readonly size?: number
}

/**
 * Tokens whose signatures have been verified, so that it need not be done for every request.
 *
 * Bounded, and forgetful of what is not used: when the younger half is full it becomes the older one, and what was the older is gone.
 */
export class VerifiedTokens {
  readonly #seconds: number
  readonly #entries: number
  readonly #size: number
  #young = new Map<string, Entry>()
  #old = new Map<string, Entry>()
  #youngSize = 0

  constructor({ seconds = Infinity, entries = 10_000, size = 8_000_000 }: VerifiedTokensOptions = {}) {
    this.#seconds = seconds
    this.#entries = entries / 2
    this.#size = size / 2
  }

  /** The claims of a verified token, `undefined` where it is not known. Whoever hands them on copies them, and need not look deeper. */
  find(token: string): Claims | undefined {
    const entry = this.#young.get(token) ?? this.#fromOld(token)
    if (entry === undefined || entry.until < Date.now()) return undefined
    return entry.deep ? JSON.parse(entry.text) as Claims : entry.claims
  }

  keep(token: string, claims: Claims): void {
    // The last character of a signature has bits that say nothing: one token, written in several ways, is one entry.
    if (canonical(token) !== token) return
    const deep = Object.values(claims).some((claim) => typeof claim === 'object' && claim !== null)
    this.#put(token, { claims, text: JSON.stringify(claims), deep, until: Date.now() + this.#seconds * 1000 })
  }

  #fromOld(token: string): Entry | undefined {
    const entry = this.#old.get(token)
    if (entry !== undefined) this.#put(token, entry)
    return entry
  }

  #put(token: string, entry: Entry): void {
    const size = token.length + entry.text.length
    if (size > this.#size) return
    if (this.#young.size >= this.#entries || this.#youngSize + size > this.#size) {
      this.#old = this.#young
      this.#young = new Map()
      this.#youngSize = 0
    }
    this.#young.set(token, entry)
    this.#youngSize += size
  }
}

function canonical(token: string): string {
  return token.split('.').map((part) => Buffer.from(part, 'base64url').toString('base64url')).join('.')
}

import { Buffer } from 'node:buffer'

/** Words of secrets that are placeholders. */
const PLACEHOLDER = /secret|change.?me|password|example|default|your.?key|0123456789|abcdef/i

/** Fewer distinct bytes than this are no 32 random bytes, in whatever spelling. */
const FEWEST_DISTINCT = 10

/** Returns true if a secret reads like a placeholder, or repeats few characters; it may be long enough all the same. */
export function isGuessable(secret: unknown): boolean {
  return [secret].flat().some((text) => {
    if (typeof text !== 'string' && !(text instanceof Uint8Array)) return false
    const bytes = Buffer.from(text)
    return new Set(bytes).size < FEWEST_DISTINCT || PLACEHOLDER.test(bytes.toString())
  })
}

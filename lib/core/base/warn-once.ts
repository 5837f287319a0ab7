import { memoize } from './memoize.js'
import { attempt } from './promises.js'

interface Warning {
  readonly code: string
  readonly detail?: string | undefined
  /** Warnings about an object with the same key are the same. @default the text */
  readonly key?: string | undefined
}

const reportedKeysOf = memoize((_about: object) => new Set<string>())

/** Emits a process warning once about an object: what a request causes would otherwise fill the log. */
export function warnOnce(about: object, text: string, { code, detail, key = text }: Warning): void {
  const reported = reportedKeysOf(about)
  if (reported.has(key)) return
  reported.add(key)
  process.emitWarning(text, { code, ...(detail !== undefined && { detail }) })
}

/** Returns the text of a thrown value for a warning; not every value has one. */
export function textOfThrown(thrown: unknown): string {
  return attempt(() => String(thrown)) ?? 'an error without a text'
}

import { propertiesOf } from '../base/guards.js'
import { useImplementation } from '../express/implementation.js'
import { FieldMap, toPlainData } from '../validate/plain-data.js'
import { copyWithCheck } from './compile-output.js'
import { layersFor } from './router-view.js'
import { routeAfter } from './walk.js'
import { setLocation, writeAtOnce } from './write-at-once.js'

/** False if the environment had `RESOURCERY_FAST=off` when the package was imported. */
export const IS_FAST = process.env.RESOURCERY_FAST !== 'off'

/** Selects the fast path for the requests of this process, apart from those that `usePlainPath` has marked. */
export function enableFastPath(): void {
  useImplementation({
    layersFor,
    routeAfter,
    setLocation,
    writeReply: writeAtOnce,
    copyIfValid: copyWithCheck,
    plainJson,
  })
}

/**
 * Converts a body that was parsed from a JSON text to plain data; a flat object is copied without a check of each
 * string.
 */
function plainJson(body: object, text: string): unknown {
  return (needsCheck(text) ? undefined : flatCopyOf(body)) ?? toPlainData(body)
}

/**
 * Returns true if a JSON text may contain NUL, half a surrogate pair, or `__proto__` in other letters: all need an
 * escape.
 */
function needsCheck(text: string): boolean {
  return text.includes('\\u') || text.includes('__proto__')
}

/** Copies an object that contains neither an object nor a list; the copy is as fast to read as an object of a class. */
function flatCopyOf(body: object): FieldMap | undefined {
  if (Array.isArray(body)) return undefined
  const fields = new FieldMap()
  const sent = propertiesOf(body)
  for (const name of Object.keys(sent)) {
    const value = sent[name]
    if (typeof value === 'object' && value !== null) return undefined
    fields[name] = value
  }
  return fields
}

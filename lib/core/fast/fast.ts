import { propertiesOf } from '../base/guards.js'
import type { Implementation } from '../express/implementation.js'
import { FieldMap, isInfinite, toPlainData } from '../validate/plain-data.js'
import { copyWithCheck } from './compile-output.js'
import { useImplementation } from '../routing/request-state.js'
import { layersFor } from './router-view.js'
import { routeAfter } from './walk.js'
import { setLocation, writeAtOnce } from './write-at-once.js'

/** False if the environment had `RESOURCERY_FAST=off` when the package was imported. */
export const IS_FAST = process.env.RESOURCERY_FAST !== 'off'

const FAST: Implementation = {
  layersFor,
  routeAfter,
  setLocation,
  writeReply: writeAtOnce,
  copyIfValid: copyWithCheck,
  plainJson,
}

/** Selects the fast path for a request. */
export function useFastPath(req: object): void {
  useImplementation(req, FAST)
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

/**
 * Copies an object that contains neither an object, a list nor an infinite number; the copy is as fast to read as an
 * object of a class.
 */
function flatCopyOf(body: object): FieldMap | undefined {
  if (Array.isArray(body)) return undefined
  const fields = new FieldMap()
  const sent = propertiesOf(body)
  for (const name of Object.keys(sent)) {
    const value = sent[name]
    if ((typeof value === 'object' && value !== null) || isInfinite(value)) return undefined
    fields[name] = value
  }
  return fields
}

import { FieldMap, toPlainData, type PlainMap } from '../validate/plain-data.js'

/**
 * Converts a body that was parsed from a JSON text to plain data; a flat object is copied without a check of each
 * string.
 */
export function plainJson(body: object, text: string): unknown {
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
  for (const name of Object.keys(body)) {
    const value = (body as PlainMap)[name]
    if (typeof value === 'object' && value !== null) return undefined
    fields[name] = value
  }
  return fields
}

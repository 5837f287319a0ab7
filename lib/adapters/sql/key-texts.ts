import { isDecimalText, type ComparedColumn } from './comparable.js'

/**
 * Returns a function that gives each key a text, the same one for all values that the database takes for that key: a
 * driver may return a number as a string, some clients send a uuid in capitals, and a decimal and a `char` of
 * PostgreSQL are stored with zeros and spaces at the end.
 */
export function keyTexts({ kind, isPadded = false }: ComparedColumn): (value: unknown) => string {
  return (value) => {
    if (value instanceof Date) return String(value.getTime())
    if (isDecimalText(value, kind)) return digitsOf(value)
    const text = String(value)
    if (kind === 'uuid') return text.toLowerCase()
    return isPadded ? withoutSpaces(text) : text
  }
}

/** True for two texts that differ in case and in spaces at the end alone, which MySQL may change in what it stores. */
export function isSpelledLike(text: string, other: string): boolean {
  return withoutSpaces(text).toLowerCase() === withoutSpaces(other).toLowerCase()
}

function digitsOf(decimal: string): string {
  const [whole = ''] = decimal.split('.')
  const [, fraction] = /\.(\d*[1-9])0*$/.exec(decimal) ?? []
  const digits = whole.replace(/^(-?)0+(?=\d)/, '$1')
  if (fraction !== undefined) return `${digits}.${fraction}`
  return digits === '-0' ? '0' : digits
}

/** Drops spaces at the end; a regular expression would look at each run of spaces in the text. */
function withoutSpaces(text: string): string {
  let end = text.length
  while (text[end - 1] === ' ') end -= 1
  return text.slice(0, end)
}

/*
 * A spreadsheet takes a cell for a formula by its first character, whatever quotes stand around it (OWASP, "CSV Injection"): `=`, `+`,
 * `-`, `@`, their full-width twins, a tab, and a line break. An apostrophe in front makes it text. One more is put before those that
 * are there already, so that what was marked can be told from what was written so.
 */
const FORMULA = /^'*[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/
const MARKED = /^'+[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/

/** What drivers write of a decimal: a number is no formula, and must not become a text. */
const NUMBER = /^-\d+(\.\d+)?$/

/**
 * A value as the text of its cell: nothing for `null` and `undefined`, ISO 8601 for a Date, JSON for an object or a list.
 *
 * A number by `JSON.stringify`, because engines keep the texts that `String` makes of numbers for a while: of a million rows, 40 MB.
 */
export function toCell(value: unknown): string {
  if (typeof value === 'string') return harmless(value)
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : ''
  if (typeof value === 'bigint') return String(value)
  if (value === null || value === undefined) return ''
  return value instanceof Date ? ofDate(value) : JSON.stringify(value)
}

function harmless(text: string): string {
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
}

function ofDate(date: Date): string {
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}

/** What was written of a cell: without the apostrophe that {@link toCell} puts in front. */
export function fromCell(text: string): string {
  return MARKED.test(text) ? text.slice(1) : text
}

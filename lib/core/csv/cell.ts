import { toJson } from '../base/json.js'

/*
 * A spreadsheet runs a cell as a formula because of its first character, quoted or not (OWASP, "CSV Injection"): `=`,
 * `+`, `-`, `@`, their full-width forms, a tab, and a line break. An apostrophe in front makes it text. A cell that
 * already begins with apostrophes gets one more, so that the original can be restored.
 */
const FORMULA = /^'*[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/
const MARKED = /^'+[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/

/** A decimal as drivers write it: a number is no formula, and must not become text. */
const NUMBER = /^-\d+(\.\d+)?$/

/**
 * Converts a value to the text of its cell: nothing for `null` and `undefined`, ISO 8601 for a Date, JSON for an object
 * or a list.
 *
 * A number is converted by `JSON.stringify`, because engines cache the strings that `String` makes of numbers: 40 MB
 * for a million rows.
 */
export function toCell(value: unknown): string {
  if (typeof value === 'string') return harmless(value)
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : ''
  if (typeof value === 'bigint') return String(value)
  if (value === null || value === undefined) return ''
  return value instanceof Date ? ofDate(value) : toJson(value)
}

function harmless(text: string): string {
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
}

function ofDate(date: Date): string {
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}

/** Returns the original text of a cell, without the apostrophe that {@link toCell} adds. */
export function fromCell(text: string): string {
  return MARKED.test(text) ? text.slice(1) : text
}

import { HttpError, ValidationError } from '../base/errors.js'
import { messageOf } from '../base/messages/messages.js'
import type { FieldRule, FormRules } from './rules.js'

/*
 * The checks of one file by the rule of its field, the same for a file that `upload` receives and for one of the
 * application's own multer.
 */

/** Returns the rule of a field. @throws ValidationError for a name that is not declared. */
export function ruleOf({ fields }: FormRules, name: string): FieldRule {
  const rule = fields.get(name)
  if (rule === undefined) throw new ValidationError({ [name]: [messageOf('field.file_unexpected')] })
  return rule
}

/** @throws ValidationError where the field has as many files as it may have. */
export function checkCount(field: string, { maxCount }: FieldRule, count: number): void {
  if (count < maxCount) return
  throw new ValidationError({ [field]: [messageOf('field.files_too_many', { max: maxCount })] })
}

/** @throws HttpError 413 `too_large` */
export function checkSize(field: string, { maxBytes }: FieldRule, size: number): void {
  if (size > maxBytes) throw new HttpError(413, messageOf('too_large.file_bytes', { field, max: maxBytes }))
}

/** @throws ValidationError for an empty file. */
export function checkFilled(field: string, size: number): void {
  if (size === 0) throw new ValidationError({ [field]: [messageOf('field.file_empty')] })
}

export function acceptsType({ types }: FieldRule, type: string): boolean {
  return types.length === 0 || types.includes(type)
}

/** @throws HttpError 415 `media_type` */
export function checkType(field: string, rule: FieldRule, type: string): void {
  if (acceptsType(rule, type)) return
  throw new HttpError(415, messageOf('media_type.file', { field, types: rule.types.join(' or '), type }))
}

/** @throws ValidationError for a field of text under the name of a file. */
export function checkNoText({ fields }: FormRules, name: string): void {
  if (fields.has(name)) throw new ValidationError({ [name]: [messageOf('field.type.file')] })
}

/** @throws ValidationError for required files that are missing. */
export function checkRequired(received: ReadonlyMap<string, readonly unknown[]>, { fields }: FormRules): void {
  const missing = [...fields].filter(([name, { required }]) => required && !received.has(name))
  if (missing.length > 0) {
    throw new ValidationError(Object.fromEntries(missing.map(([name]) => [name, [messageOf('field.file_missing')]])))
  }
}

import type { Values } from '../request.js'
import { fieldOf } from './date-times.js'
import type { FormAction, Resource } from './resources.js'
import { toJson } from './values.js'

/** The fields of a request, and whether it is a form. */
export interface Body {
  readonly fields: Values
  readonly multipart: boolean
}

/**
 * Returns the format of fields: a form if one of them is a file, or if the action reads forms only.
 *
 * A form cannot contain null: a creation leaves it out, so that the field gets its default, and an update sends the
 * empty string.
 *
 * @throws TypeError for an object in a form, which would be sent as the string `[object Object]`.
 */
export function toBody({ name, forms }: Resource, action: FormAction, fields: Values): Body {
  const values = Object.values(fields).flat()
  if (!forms.includes(action) && !values.some((value) => value instanceof Blob)) return { fields, multipart: false }
  for (const [field, value] of Object.entries(fields)) {
    if (![value].flat().some(isObject)) continue
    throw new TypeError(`A form cannot contain the object in \`${field}\` of \`${name}\``)
  }
  const sent = Object.entries(fields).filter(([, value]) => action === 'update' || value !== null)
  return { fields: Object.fromEntries(sent), multipart: true }
}

/** Returns true if a value is neither a string nor a file in a form; React Native describes a file by its `uri`. */
function isObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Blob) return false
  // The dates of Day.js, as pickers have them, are strings in JSON too.
  return typeof fieldOf(value, 'uri') !== 'string' && typeof toJson(value) !== 'string'
}

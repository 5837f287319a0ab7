import { isList, isObject } from '../../../core/index.js'
import type { JsonSchema } from '../../openapi/types.js'
import type { Resolve } from '../../openapi/fields.js'
import type { KnownRecord } from './collections.js'

/** The strictness of comparing a value with its schema. */
interface Fitting {
  readonly resolve: Resolve
  /** True if an object may have the declared properties only, as an `output` has. */
  readonly isClosed: boolean
}

/** Returns the first place at which a value does not fit its schema, as a sentence; `undefined` if it fits. */
export function misfitOf(schema: JsonSchema, value: unknown, fitting: Fitting, at = ''): string | undefined {
  const json = fitting.resolve(schema)
  return constantMisfit(json, value, at)
    ?? variantMisfit(json, value, fitting, at)
    ?? typeMisfit(json, value, at)
    ?? insideMisfit(json, value, fitting, at)
}

function constantMisfit(json: JsonSchema, value: unknown, at: string): string | undefined {
  if ('const' in json && json.const !== value) return `${nameOf(at)} is not ${JSON.stringify(json.const)}`
  const values = json.enum
  return values === undefined || values.includes(value) ? undefined : `${nameOf(at)} is none of the declared values`
}

function variantMisfit(json: JsonSchema, value: unknown, fitting: Fitting, at: string): string | undefined {
  const variants = json.anyOf ?? json.oneOf
  if (variants !== undefined) {
    const faults = variants.map((one) => misfitOf(one, value, fitting, at))
    if (!faults.includes(undefined))
      return faults.findLast((fault) => fault?.endsWith('declared') === true) ?? faults[0]
  }
  const parts = json.allOf
  // The properties of the other parts are declared too.
  return parts?.map((one) => misfitOf(one, value, { ...fitting, isClosed: false }, at)).find(Boolean)
}

function typeMisfit(json: JsonSchema, value: unknown, at: string): string | undefined {
  const types = [json.type ?? []].flat()
  if (types.length === 0 || types.some((type) => isOfType(value, type))) return boundMisfit(json, value, at)
  return `${nameOf(at)} is ${typeOf(value)}, not ${types.join(' or ')}`
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'number') return typeof value === 'number'
  return type === 'integer' ? Number.isInteger(value) : typeOf(value) === type
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function boundMisfit(json: JsonSchema, value: unknown, at: string): string | undefined {
  const { minimum, maximum, minLength, maxLength } = json
  if (typeof value === 'number') return outside(value, minimum, maximum) ? `${nameOf(at)} is out of range` : undefined
  if (typeof value !== 'string') return undefined
  return outside(Array.from(value).length, minLength, maxLength) ? `${nameOf(at)} is too long or too short` : undefined
}

function outside(value: number, least: unknown, most: unknown): boolean {
  return (typeof least === 'number' && value < least) || (typeof most === 'number' && value > most)
}

function insideMisfit(json: JsonSchema, value: unknown, fitting: Fitting, at: string): string | undefined {
  if (isList(value)) {
    const { items } = json
    if (items === undefined || 'prefixItems' in json) return undefined
    return value.map((one, index) => misfitOf(items, one, fitting, `${at}.${index}`)).find(Boolean)
  }
  return isObject(value) ? objectMisfit(json, value, fitting, at) : undefined
}

function objectMisfit(json: JsonSchema, value: KnownRecord, fitting: Fitting, at: string): string | undefined {
  const { properties, required = [] } = json
  const missing = required.find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) return `${nameOf(`${at}.${missing}`)} is missing`
  for (const [name, one] of Object.entries(value)) {
    const place = `${at}.${name}`
    const declared = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined
    const fault = declared === undefined
      ? undeclaredMisfit(json, one, fitting, place)
      : misfitOf(declared, one, fitting, place)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** A document of this package omits `additionalProperties` where none are sent, and names them where some are. */
function undeclaredMisfit(json: JsonSchema, value: unknown, fitting: Fitting, at: string): string | undefined {
  const { properties, additionalProperties, patternProperties, allOf, anyOf, oneOf } = json
  if (isObject(additionalProperties)) return misfitOf(additionalProperties, value, fitting, at)
  const isOpen = !fitting.isClosed || properties === undefined || additionalProperties === true
    || [patternProperties, allOf, anyOf, oneOf].some((one) => one !== undefined)
  return isOpen ? undefined : `${nameOf(at)} is not declared`
}

/** Returns a place without the indexes of lists, so that the same fault has the same name in each row. */
function nameOf(at: string): string {
  const place = at.replace(/\.\d+(?=\.|$)/g, '[]').replace(/^\./, '')
  return place === '' ? 'the body' : `\`${place}\``
}

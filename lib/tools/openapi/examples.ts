import { isList, isObject } from '../../core/index.js'
import { fieldsOf, type Field, type Resolve } from './fields.js'
import { WHOLE } from './refusals.js'
import type { JsonSchema } from './types.js'

/** For whom an example is made. */
interface ExampleOptions {
  readonly resolve: Resolve
  /** Of the field or parameter. */
  readonly name: string
  /**
   * Tells the strings and numbers of one operation from those of another, since values may have to be unique: 1, 2, …
   */
  readonly number: number
}

interface BodyOptions extends Omit<ExampleOptions, 'name'> {
  /** Values by name, which go before all others. */
  readonly declared: Readonly<Record<string, unknown>>
  /** False if a function of the application validates: then only given values are shown. */
  readonly isPredictable: boolean
  /** Returns the names of the fields that the server refuses. */
  readonly refused: (body: Readonly<Record<string, unknown>>) => ReadonlySet<string>
}

export function givenExample({ example, examples }: JsonSchema): unknown {
  return example ?? (isList(examples) ? examples[0] : undefined)
}

/** Returns the example in a schema, or in the definition that it refers to. */
function statedExample(schema: JsonSchema, { resolve }: Pick<ExampleOptions, 'resolve'>): unknown {
  return givenExample(schema) ?? givenExample(resolve(schema))
}

/**
 * Returns an object that the server accepts as a body: its required fields, and the optional ones that may not be null.
 *
 * An optional field that may be null is left out, since it is often the key of another record.
 */
export function bodyExample(schema: JsonSchema, options: BodyOptions): unknown {
  const stated = statedExample(schema, options)
  if (stated !== undefined) return stated
  const example: Record<string, unknown> = {}
  const fields = fieldsOf(variantOf(schema, options.resolve), options.resolve)
  for (const [name, field] of fields) {
    const value = Object.hasOwn(options.declared, name)
      ? options.declared[name]
      : fieldExample(field, { ...options, name })
    if (value !== undefined) example[name] = value
    else if (field.required) return undefined
  }
  return options.isPredictable ? acceptedPart(example, fields, options) : someOf(example)
}

/** Returns the fields without optional ones that the server refuses; `undefined` if it refuses others too. */
function acceptedPart(
  example: Readonly<Record<string, unknown>>,
  fields: ReadonlyMap<string, Field>,
  options: BodyOptions,
): unknown {
  const isGiven = (name: string): boolean => {
    const { schema = {} } = fields.get(name) ?? {}
    return Object.hasOwn(options.declared, name) || statedExample(schema, options) !== undefined
  }
  const made = Object.keys(example).filter((name) => !isGiven(name))
  if (made.length === 0) return someOf(example)
  const refused = options.refused(example)
  const dropped = made.filter((name) => refused.has(name))
  if (refused.has(WHOLE) || dropped.some((name) => fields.get(name)?.required === true)) return undefined
  if (dropped.length === 0) return example
  const rest = Object.entries(example).filter(([name]) => !dropped.includes(name))
  return acceptedPart(Object.fromEntries(rest), fields, options)
}

function someOf(example: object): object | undefined {
  return Object.keys(example).length === 0 ? undefined : example
}

function fieldExample({ schema, required }: Field, options: BodyOptions & ExampleOptions): unknown {
  const isMade = options.isPredictable && (required || !isNullable(options.resolve(schema)))
  return isMade ? exampleOf(schema, options) : givenExample(schema)
}

/** Returns true for a schema that accepts null by its own type or by that of a variant. */
export function isNullable({ type, anyOf = [] }: JsonSchema): boolean {
  return [type].flat().includes('null') || anyOf.some((variant) => variant.type === 'null')
}

/** Of a union one variant is shown. */
function variantOf(schema: JsonSchema, resolve: Resolve): JsonSchema {
  const { oneOf, anyOf } = resolve(schema)
  const [first] = oneOf ?? anyOf ?? []
  return first === undefined ? schema : variantOf(first, resolve)
}

/** A schema that contains itself has examples without end. */
const DEEPEST = 5

/** Returns a value that a schema accepts, `undefined` where that cannot be told. */
export function exampleOf(schema: JsonSchema, options: ExampleOptions, depth = 0): unknown {
  const json = options.resolve(schema)
  const declared = givenExample(schema) ?? declaredValue(json)
  if (declared !== undefined) return declared
  if (depth > DEEPEST || ('allOf' in json && json.type !== 'string')) return undefined
  const variants = json.oneOf ?? json.anyOf
  if (variants === undefined) return ofType([json.type].flat()[0], json, { ...options, depth })
  return variants.map((variant) => exampleOf(variant, options, depth)).find((value) => value !== undefined)
}

/** An empty default is no good example. */
function declaredValue(json: JsonSchema): unknown {
  return givenExample(json) ?? json.const ?? json.enum?.[0] ?? (json.default === '' ? undefined : json.default)
}

interface Place extends ExampleOptions {
  readonly depth: number
}

function ofType(type: string | undefined, json: JsonSchema, place: Place): unknown {
  switch (type) {
    case 'string':
      return stringExample(json, place)
    case 'integer':
    case 'number':
      return numberExample(json, place.number)
    case 'boolean':
      return true
    case 'null':
      return null
    case 'array':
      return arrayExample(json, place)
    case 'object':
      return objectExample(json, place)
    default:
      return undefined
  }
}

function objectExample(json: JsonSchema, place: Place): unknown {
  const { properties = {}, required = [], additionalProperties } = json
  // A record of an enum requires its keys, and describes all values at once.
  const others = isObject(additionalProperties) ? additionalProperties : {}
  const entries = required.map((name) =>
    [name, exampleOf(properties[name] ?? others, { ...place, name }, place.depth + 1)] as const
  )
  return entries.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(entries)
}

function arrayExample(
  { items, minItems = 0, maxItems = Infinity, prefixItems = [], uniqueItems }: JsonSchema,
  place: Place,
): unknown {
  if (Number(minItems) > 5) return undefined
  const length = Math.min(Math.max(Number(minItems), 1), Number(maxItems))
  const numbers = Array.from(
    { length },
    (_, index) => (uniqueItems === true || length > 1 ? place.number * 10 + index : place.number),
  )
  const values = numbers.map((number, index) =>
    exampleOf(prefixItems[index] ?? items ?? {}, { ...place, number }, place.depth + 1)
  )
  return values.includes(undefined) ? undefined : values
}

/** Returns a number that the schema accepts, if possible the given one; `undefined` for another type. */
export function numberExample(
  { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, type }: JsonSchema,
  number: number,
): number | undefined {
  const types = [type].flat()
  const isInteger = types.includes('integer')
  if (!isInteger && !types.includes('number')) return undefined
  const step = typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : isInteger ? 1 : 1e-6
  const least = Math.max(bound(minimum, -Infinity), bound(exclusiveMinimum, -Infinity))
  const most = Math.min(bound(maximum, Infinity), bound(exclusiveMaximum, Infinity))
  const fits = (value: number): boolean =>
    value >= least && value <= most && value !== exclusiveMinimum && value !== exclusiveMaximum
    && Number.isInteger(Number((value / step).toFixed(6))) && (!isInteger || Number.isInteger(value))
  const candidates = [number, least, least + step, Math.ceil(least / step) * step, most, (least + most) / 2, 0,
    most - step]
  return candidates.find((value) => Number.isFinite(value) && fits(value))
}

function bound(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}

/** A value of each format; `{n}` is the number of the operation. */
const FORMATS: Readonly<Record<string, string>> = {
  'email': 'name{n}@example.com',
  'uuid': '1c1c5b0e-6f1e-4b8c-9a56-3f0f6a1f7c0{n}',
  'date-time': '2026-01-0{n}T12:00:00.000Z',
  'date': '2026-01-0{n}',
  'time': '12:00:0{n}',
  'uri': 'https://example.com/{n}',
  'ipv4': '192.0.2.{n}',
  'ipv6': '2001:db8::{n}',
  'hostname': 'host{n}.example.com',
  'duration': 'P{n}D',
  'cidrv4': '192.0.2.0/24',
  'cidrv6': '2001:db8::/32',
  'base64': 'ZXhhbXBsZQ==',
  'ulid': '01ARZ3NDEKTSV4RRFFQ69G5FA{n}',
  'nanoid': 'V1StGXR8_Z5jdHi6B-my{n}',
  'e164': '+1415555010{n}',
  'mac': '00:00:5e:00:53:0{n}',
}

/**
 * A pattern is tried on all values, since a format may be known by its pattern alone; a format without a pattern has to
 * be known.
 */
function stringExample(json: JsonSchema, { name, number }: Place): string | undefined {
  const { format, pattern } = json
  const formatValue = (kind: string): string => FORMATS[kind]?.replaceAll('{n}', String(number % 10)) ?? ''
  const own = typeof format === 'string' && Object.hasOwn(FORMATS, format) ? [formatValue(format)] : []
  const others = format === undefined || pattern !== undefined
    ? [wordsFor(name, number, json), String(number), 'a', ...Object.keys(FORMATS).map(formatValue)]
    : []
  return [...own, ...others].find((text) => accepts(json, text))
}

/** Returns the words of a field's name with a number, as long as the schema asks for. */
function wordsFor(name: string, number: number, { minLength = 0, maxLength = 100 }: JsonSchema): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[^A-Za-z0-9]+/g, ' ').trim().toLowerCase()
  const text = `${words.charAt(0).toUpperCase()}${words.slice(1)} ${number}`
  return (text.length > Number(maxLength) ? text.slice(-Number(maxLength)).trim() : text).padEnd(Number(minLength), 'x')
}

/** Returns true if a string keeps the lengths and the pattern of a schema. */
export function accepts({ minLength = 0, maxLength = Infinity, pattern, allOf }: JsonSchema, text: string): boolean {
  if (text.length < Number(minLength) || text.length > Number(maxLength)) return false
  if (allOf?.every((part) => accepts(part, text)) === false) return false
  try {
    return typeof pattern !== 'string' || new RegExp(pattern, 'u').test(text)
  } catch {
    return false
  }
}

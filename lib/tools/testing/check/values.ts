import { hasProperties, singularOf } from '../../../core/index.js'
import { accepts, exampleOf, isNullable } from '../../openapi/examples.js'
import { fieldsOf, type Field, type Resolve } from '../../openapi/fields.js'
import type { JsonSchema } from '../../openapi/types.js'
import type { FormPart, Target } from './model.js'

/** The body that a document describes. */
export interface BodyPlan {
  readonly isForm: boolean
  readonly schema: JsonSchema
  readonly fields: ReadonlyMap<string, Field>
  readonly example: unknown
}

/** Returns the body of a route by its document, `undefined` if it has none. */
export function bodyPlanOf({ operation }: Target, resolve: Resolve): BodyPlan | undefined {
  const { content = {} } = operation?.requestBody ?? {}
  const json = content['application/json']
  const form = content['multipart/form-data']
  const media = json ?? form
  if (media === undefined) return undefined
  const schema = objectIn(media.schema, resolve)
  return { isForm: json === undefined, schema, fields: fieldsOf(schema, resolve), example: media.example }
}

/** Of a body that may be an object or a list of them, the object is sent. */
function objectIn(schema: JsonSchema, resolve: Resolve): JsonSchema {
  const { anyOf } = resolve(schema)
  const isEither = anyOf?.length === 2 && resolve(anyOf[1] ?? {}).type === 'array'
  return isEither ? anyOf[0] ?? schema : schema
}

/** The values of fields. */
export interface Filling {
  readonly resolve: Resolve
  /** A number that no other request has. */
  readonly number: number
  /** Returns the id of a record of the resource that a field, such as `customerId`, refers to. */
  readonly reference: (resource: string, field: string) => unknown
  /** Values that are known to be accepted, by field. */
  readonly known: Readonly<Record<string, unknown>>
}

/** Returns values for the fields of a body: all required ones, and optional ones that are no references. */
export function validBody(plan: BodyPlan, filling: Filling): Record<string, unknown> {
  const { example } = plan
  const shown = hasProperties(example) ? example : {}
  const body: Record<string, unknown> = {}
  for (const [name, field] of plan.fields) {
    const value = fieldValue(name, field, shown[name], filling)
    if (value !== undefined) body[name] = value
  }
  return body
}

function fieldValue(name: string, { schema, required }: Field, shown: unknown, filling: Filling): unknown {
  if (Object.hasOwn(filling.known, name)) return filling.known[name]
  const referred = referenceIn(name, filling)
  if (referred !== undefined) return referred
  if (!required && shown === undefined && isNullable(filling.resolve(schema))) return undefined
  return unique(name, schema, shown, filling) ?? shown ?? validValue(name, schema, filling)
}

/** Returns a string that no other request has, where the schema accepts one; values may have to be unique. */
function unique(name: string, schema: JsonSchema, shown: unknown, { resolve, number }: Filling): unknown {
  const json = resolve(schema)
  const { type, format } = json
  if (type !== 'string' || 'enum' in json || 'const' in json) return undefined
  if (format !== undefined) return uniqueIn(name, format, number)
  const least = Number(json.minLength ?? 0)
  const base = typeof shown === 'string' ? shown.replace(/ ?\d+$/, '') : name
  const texts = [`${base} ${number}`.padEnd(least, 'x'), String(number).padEnd(least, 'x')]
  return texts.find((text) => accepts({ maxLength: 100, ...json }, text))
}

/** Returns a value of a format that no other request has; two things may not be possible at one time. */
function uniqueIn(name: string, format: unknown, number: number): string | undefined {
  if (format === 'email') return `check${number}@example.com`
  const isEnd = END.test(name)
  if (format === 'date-time') return momentOf((3 * number + Number(isEnd)) * HOUR)
  return format === 'date' && (isEnd || START.test(name))
    ? momentOf((2 * number + Number(isEnd)) * 24 * HOUR).slice(0, 10)
    : undefined
}

/** Fields with the beginning of a period, such as `from`, `startsAt` and `check_in`. */
const START = /^(?:from|since|starts?|begins?|check_?in|arrival)(?![a-z])|(?:From|Start|_from|_start)$/
/** Fields with the end of a period, which is after its beginning. */
const END = /^(?:to|until|till|ends?|check_?out|departure)(?![a-z])|(?:To|Until|End|_to|_until|_end)$/

const HOUR = 3_600_000
/** The first of the moments that requests name. */
const FIRST_MOMENT = Date.parse('2027-01-04T08:00:00Z')

function momentOf(later: number): string {
  return new Date(FIRST_MOMENT + later).toISOString()
}

/** Returns a value that a schema accepts, `undefined` where none can be made. */
export function validValue(name: string, schema: JsonSchema, { resolve, number }: Filling): unknown {
  return exampleOf(schema, { resolve, name, number: (number % 9) + 1 })
}

/** Returns the record that a field names: `customer` for `customerId` and `customer_id`. */
export function referredTo(name: string): string | undefined {
  return /^(.+?)(?:Id|_id)$/.exec(name)?.[1]
}

function referenceIn(name: string, { reference }: Filling): unknown {
  const resource = referredTo(name)
  return resource === undefined ? undefined : reference(resource, name)
}

/** Returns true if a resource is the one that a field refers to by its singular. */
export function isReferredTo(resource: string, word: string): boolean {
  const last = resource.split(/[./]/).pop() ?? ''
  const plain = (text: string): string => text.replace(/[-_]/g, '').toLowerCase()
  return plain(singularOf(last)) === plain(word) || plain(last) === plain(word)
}

/** The smallest PNG image. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
).toString('latin1')

/** The beginning of a JPEG image, by which its type is known. */
const JPEG = '\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xd9'

/** Returns the parts of a form: the fields as strings, and a file for each field of files. */
export function formOf({ entry }: Target, fields: Readonly<Record<string, unknown>>): FormPart[] {
  const files = entry?.files ?? {}
  const parts = Object.entries(fields).filter(([name]) => !Object.hasOwn(files, name)).flatMap(([name, value]) =>
    [value].flat().map((one): FormPart => ({ name, value: typeof one === 'string' ? one : JSON.stringify(one) }))
  )
  const sent = Object.entries(files).map(([name, { types }]): FormPart => ({ name, ...fileOf(types) }))
  return [...parts, ...sent]
}

function fileOf(types: readonly string[] | undefined): Omit<FormPart, 'name'> {
  const accepts = (type: string): boolean => types === undefined || types.includes(type)
  if (accepts('text/plain')) return { value: 'text', file: { name: 'a.txt', type: 'text/plain' } }
  if (accepts('text/csv')) return { value: 'a,b\n1,2\n', file: { name: 'a.csv', type: 'text/csv' } }
  if (accepts('image/png')) return { value: PNG, file: { name: 'a.png', type: 'image/png' } }
  return { value: JPEG, file: { name: 'a.jpg', type: 'image/jpeg' } }
}

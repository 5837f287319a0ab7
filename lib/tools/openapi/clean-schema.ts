import { capital, isList, isObject, mapValues } from '../../core/index.js'
import type { JsonSchema } from './types.js'

/** Marks a schema that JSON Schema cannot express; the value is zod's name of the type. */
export const OMITTED = 'x-omitted'

/** Marks a union whose variants a property distinguishes. */
export const DISCRIMINATOR = 'x-discriminator'

/** The form of zod's references to definitions. */
const ZOD_REFERENCE = '#/$defs/'

/** Keywords that hold data, and those that hold schemas by name. */
const DATA: ReadonlySet<string> = new Set([
  'type',
  'default',
  'const',
  'enum',
  'example',
  'examples',
  'required',
  'discriminator',
  DISCRIMINATOR,
])
const NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties'])

/** Keywords that do not restrict a value. */
const ANNOTATIONS = new Set([
  OMITTED,
  'title',
  'description',
  'default',
  'deprecated',
  'readOnly',
  'example',
  'examples',
])

/**
 * Returns a function that copies a schema without zod's own keys, renames references, and reports omitted parts; a
 * reference without a name is left out.
 */
export function cleaner(
  reference: (key: string) => string | undefined,
  omissions: string[],
): (schema: JsonSchema, place: string) => JsonSchema {
  const clean = (json: JsonSchema, at: string): JsonSchema => {
    if (isOmitted(json)) omissions.push(`${at === '' ? 'the whole' : `\`${at}\``} is a ${String(json[OMITTED])}`)
    return Object.fromEntries(
      Object.entries(json).filter(isKept).map(([keyword, value]) => [keyword, cleanValue(keyword, value, at)] as const)
        .filter(([, value]) => value !== undefined),
    )
  }
  const cleanValue = (keyword: string, value: unknown, at: string): unknown => {
    if (typeof value === 'string' && value.startsWith(ZOD_REFERENCE)) {
      return reference(decodePointer(value.slice(ZOD_REFERENCE.length)))
    }
    const inside = keyword === 'items' || keyword === 'prefixItems' ? `${at}[]` : at
    return mapSchemas(keyword, value,
      (json, name) => clean(json, name === undefined ? inside : [at, name].filter(Boolean).join('.')))
  }
  return clean
}

/** RFC 6901 §4. */
function decodePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~')
}

function isOmitted(json: JsonSchema): boolean {
  return Object.hasOwn(json, OMITTED) && Object.keys(json).every((keyword) => ANNOTATIONS.has(keyword))
}

/** Returns true for a bound that zod adds to a safe integer: it adds nothing to `integer`. */
export function isSafeBound([keyword, value]: [string, unknown]): boolean {
  return (keyword === 'minimum' || keyword === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER
}

function isKept([keyword, value]: [string, unknown]): boolean {
  return !isSafeBound([keyword, value]) && keyword !== OMITTED && keyword !== '$id' && keyword !== 'id'
}

/** Returns the value of a keyword with each schema in it replaced; a schema with a name is a property. */
export function mapSchemas(
  keyword: string,
  value: unknown,
  map: (schema: JsonSchema, name?: string) => JsonSchema,
): unknown {
  if (DATA.has(keyword)) return value
  if (areNamed(keyword, value)) return mapValues(value, map)
  if (isList(value)) return value.map((item) => (isObject(item) ? map(item) : item))
  return isObject(value) ? map(value) : value
}

function areNamed(keyword: string, value: unknown): value is Readonly<Record<string, JsonSchema>> {
  return NAMED.has(keyword) && isObject(value)
}

export function withNote(description: string | undefined, note: string): string {
  return description === undefined ? capital(note) : `${description}, ${note}`
}

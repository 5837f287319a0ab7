import { z } from 'zod'
import { param, type NumberParam } from '../param.js'
import { charactersIn, hasAtMost } from './characters.js'
import { kindOf } from './check-rules.js'
import type { Rule } from './rules.js'
import { synchronous } from './user-functions.js'

/** A field that rules describe, for a document. */
export interface RuledField {
  readonly required: boolean
  readonly jsonSchema: Readonly<Record<string, unknown>>
}

const ruledFields = new WeakMap<z.core.$ZodType, RuledField>()

/** Returns what a document says of a field that rules describe, `undefined` for any other schema. */
export function ruledField(schema: z.core.$ZodType): RuledField | undefined {
  return ruledFields.get(schema)
}

/** Returns the schema of one field: it asks whether the value is there, then for its type, then for every other rule in order. */
export function toFieldSchema(rules: readonly Rule[]): z.ZodType {
  const schema = makeFieldSchema(rules)
  const required = rules.some(([name]) => name === 'required')
  ruledFields.set(schema, { required, jsonSchema: jsonSchemaOf(rules, required) })
  return schema
}

/** A required string is not blank; one that is not required may be null. */
function jsonSchemaOf(rules: readonly Rule[], required: boolean): RuledField['jsonSchema'] {
  const typed = rules.filter((rule) => kindOf(rule[0]) !== undefined)
  if (typed.length === 0) return {}
  const isString = typed.some((rule) => kindOf(rule[0]) === 'text')
  const type = isString ? 'string' : typed.some(([name]) => name === 'integer') ? 'integer' : 'number'
  return Object.assign(
    { type: required ? type : [type, 'null'], ...(required && isString && { minLength: 1, pattern: '\\S' }) },
    ...typed.map(keywordOf),
  ) as Record<string, unknown>
}

function keywordOf(rule: Rule): Readonly<Record<string, unknown>> {
  switch (rule[0]) {
    case 'lengthMin':
      return { minLength: Math.max(rule[1], 1) }
    case 'lengthMax':
      return { maxLength: rule[1] }
    case 'email':
      return { format: 'email' }
    case 'min':
      return { minimum: rule[1] }
    case 'max':
      return { maximum: rule[1] }
    default:
      return {}
  }
}

function makeFieldSchema(rules: readonly Rule[]): z.ZodType {
  const required = rules.find((rule) => rule[0] === 'required')?.[1]
  const value = valueSchema(rules)
  if (required === undefined) return z.preprocess(synchronous(omittedAsNull), z.nullable(value))
  return z.unknown().refine(synchronous(isPresent), { error: required, abort: true }).pipe(value)
}

function omittedAsNull(value: unknown): unknown {
  return value === undefined || value === '' ? null : value
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && (typeof value !== 'string' || value.trim() !== '')
}

function valueSchema(rules: readonly Rule[]): z.ZodType {
  const typed = rules.filter((rule) => kindOf(rule[0]) !== undefined)
  const [first] = typed
  if (first === undefined) return z.unknown()
  return kindOf(first[0]) === 'text' ? typed.reduce(withTextRule, z.string({ error: messageOf(first) })) : numberSchema(typed, first)
}

function messageOf(rule: Rule): string {
  return String(rule.at(-1))
}

function withTextRule(schema: z.ZodString, rule: Rule): z.ZodString {
  switch (rule[0]) {
    case 'lengthMin':
      return schema.refine(synchronous((text: string) => charactersIn(text) >= rule[1]), { error: rule[2] })
    case 'lengthMax':
      return schema.refine(synchronous((text: string) => hasAtMost(rule[1], text)), { error: rule[2] })
    default:
      return schema.refine(synchronous((text: string) => z.regexes.email.test(text)), { error: messageOf(rule) })
  }
}

function numberSchema(rules: readonly Rule[], first: Rule): z.ZodType {
  const integer = rules.find((rule) => rule[0] === 'integer')
  return rules.reduce(withBound, integer === undefined ? param.number(messageOf(first)) : param.int(messageOf(integer)))
}

function withBound(schema: NumberParam, rule: Rule): NumberParam {
  if (rule[0] === 'min') return schema.min(rule[1], rule[2])
  return rule[0] === 'max' ? schema.max(rule[1], rule[2]) : schema
}

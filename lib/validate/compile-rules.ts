import { z } from 'zod'
import { messageOf } from '../messages.js'
import { param, type NumberParam } from '../param.js'
import { errorWith } from './issue-messages.js'
import { checkRules, kindOf, type Rule, type Rules } from './rules.js'
import { charactersIn, hasAtMost } from './strings.js'
import { synchronous } from './zod-schemas.js'

const compiled = new WeakMap<Rules, z.ZodObject>()

/** Rules written inside a call are a new object each time: they are found by their JSON. */
const compiledTexts = new Map<string, z.ZodObject>()
const MOST_TEXTS = 500

/**
 * Returns the zod schema of rules; each is made once.
 *
 * @throws MisuseError for rules that are malformed or contradict each other.
 */
export function compileRules(rules: Rules): z.ZodObject {
  const known = compiled.get(rules)
  if (known !== undefined) return known
  const schema = compileText(rules)
  compiled.set(rules, schema)
  return schema
}

function compileText(rules: Rules): z.ZodObject {
  const text = JSON.stringify(rules)
  const known = compiledTexts.get(text)
  if (known !== undefined) return known
  checkRules(rules)
  const shape = Object.fromEntries(Object.entries(rules).map(([field, list]) => [field, toFieldSchema(list)]))
  const schema = z.object(shape, { error: errorWith(messageOf('field.type.object')) })
  if (compiledTexts.size === MOST_TEXTS) compiledTexts.clear()
  compiledTexts.set(text, schema)
  return schema
}

/** A field with rules, as a document describes it. */
interface RuledField {
  readonly required: boolean
  readonly jsonSchema: Readonly<Record<string, unknown>>
}

const ruledFields = new WeakMap<z.core.$ZodType, RuledField>()

/** Returns the description of a field whose schema was made from rules, `undefined` for any other schema. */
export function ruledField(schema: z.core.$ZodType): RuledField | undefined {
  return ruledFields.get(schema)
}

/** Makes the schema of one field: it checks that a value was sent, then its type, then every other rule in order. */
function toFieldSchema(rules: readonly Rule[]): z.ZodType {
  const schema = makeFieldSchema(rules)
  const required = rules.some(([name]) => name === 'required')
  ruledFields.set(schema, { required, jsonSchema: jsonSchemaOf(rules, required) })
  return schema
}

/** Returns the JSON Schema of a field. A required string is not blank; an optional value may be null. */
function jsonSchemaOf(rules: readonly Rule[], required: boolean): RuledField['jsonSchema'] {
  const typed = rules.filter((rule) => kindOf(rule[0]) !== undefined)
  if (typed.length === 0) return {}
  const isString = typed.some((rule) => kindOf(rule[0]) === 'string')
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
  return kindOf(first[0]) === 'string'
    ? typed.reduce(withStringRule, z.string({ error: messageIn(first) }))
    : numberSchema(typed, first)
}

function messageIn(rule: Rule): string {
  return String(rule.at(-1))
}

function withStringRule(schema: z.ZodString, rule: Rule): z.ZodString {
  switch (rule[0]) {
    case 'lengthMin':
      return schema.refine(synchronous((text: string) => charactersIn(text) >= rule[1]), { error: rule[2] })
    case 'lengthMax':
      return schema.refine(synchronous((text: string) => hasAtMost(rule[1], text)), { error: rule[2] })
    default:
      return schema.refine(synchronous((text: string) => z.regexes.email.test(text)), { error: messageIn(rule) })
  }
}

function numberSchema(rules: readonly Rule[], first: Rule): z.ZodType {
  const integer = rules.find((rule) => rule[0] === 'integer')
  return rules.reduce(withBound, integer === undefined ? param.number(messageIn(first)) : param.int(messageIn(integer)))
}

function withBound(schema: NumberParam, rule: Rule): NumberParam {
  if (rule[0] === 'min') return schema.min(rule[1], rule[2])
  return rule[0] === 'max' ? schema.max(rule[1], rule[2]) : schema
}

import { z } from 'zod'
import { memoize } from '../base/memoize.js'
import { messageOf } from '../base/messages/messages.js'
import { param, type NumberParam } from './param.js'
import { errorWith } from './issue-messages.js'
import { objectOfRules, type Equality } from './ruled-object.js'
import { checkRules, kindOf, listOf, type Kind } from './rule-checks.js'
import type { Rule, Rules } from './rules.js'
import { charactersIn, hasAtMost, isWebAddress } from './strings.js'
import { synchronous } from './user-functions.js'

/** Rules written inside a call are a new object each time: they are found by their JSON. */
const schemaByText = new Map<string, z.ZodObject>()
const MOST_TEXTS = 500

/**
 * Returns the zod schema of rules; each is made once.
 *
 * @throws MisuseError for rules that are malformed or contradict each other.
 */
export const compileRules = memoize(compileText)

function compileText(rules: Rules): z.ZodObject {
  const text = JSON.stringify(rules, textOfValue)
  const cached = schemaByText.get(text)
  if (cached !== undefined) return cached
  checkRules(rules)
  const fields = Object.entries(rules).map(([field, list]) => [field, listOf(list)] as const)
  const shape = Object.fromEntries(fields.map(([field, list]) => [field, toFieldSchema(list)]))
  const equalities = fields.flatMap(([field, list]) => list.flatMap((rule) => equalityOf(field, rule)))
  const error = errorWith(messageOf('field.type.object'))
  const schema = equalities.length === 0 ? z.object(shape, { error }) : objectOfRules(shape, error, equalities)
  if (schemaByText.size === MOST_TEXTS) schemaByText.clear()
  schemaByText.set(text, schema)
  return schema
}

/** JSON has neither patterns nor bigints, and one rule must not be found by the text of another. */
function textOfValue(_key: string, value: unknown): unknown {
  return value instanceof RegExp || typeof value === 'bigint' ? { [typeof value]: String(value) } : value
}

/** Returns the other field that a rule names, with which the value must be equal. */
function equalityOf(field: string, rule: Rule): Equality[] {
  if (rule[0] === 'confirmed') return [{ field, other: `${field}_confirmation`, message: rule[1] }]
  return rule[0] === 'equals' ? [{ field, other: rule[1], message: rule[2] }] : []
}

/** A field with rules, as a document describes it. */
interface RuledField {
  readonly required: boolean
  readonly jsonSchema: Readonly<Record<string, unknown>>
}

const ruledFieldBySchema = new WeakMap<z.core.$ZodType, RuledField>()

/** Returns the description of a field whose schema was made from rules, `undefined` for any other schema. */
export function ruleOf(schema: z.core.$ZodType): RuledField | undefined {
  return ruledFieldBySchema.get(schema)
}

/** Makes the schema of one field: it checks that a value was sent, then its type, then every other rule in order. */
function toFieldSchema(rules: readonly Rule[]): z.ZodType {
  const required = rules.find(([name]) => name === 'required')
  const value = valueSchema(rules)
  const schema = required === undefined
    ? z.preprocess(synchronous(acceptOmitted), z.nullable(value))
    : z.unknown().refine(synchronous(isPresent), { error: messageIn(required), abort: true }).pipe(value)
  const isRequired = required !== undefined
  ruledFieldBySchema.set(schema, { required: isRequired, jsonSchema: jsonSchemaOf(rules, isRequired) })
  return schema
}

const JSON_TYPES: Readonly<Record<Kind, Readonly<Record<string, unknown>>>> = {
  string: { type: 'string' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date-time' },
  array: { type: 'array', items: {} },
}

/** Returns the JSON Schema of a field. A required string is not blank; an optional value may be null. */
function jsonSchemaOf(rules: readonly Rule[], required: boolean): RuledField['jsonSchema'] {
  const kind = rules.map(kindOf).find((candidate) => candidate !== undefined)
  if (kind === undefined) return {}
  const base = JSON_TYPES[kind]
  const type = rules.some(([name]) => name === 'integer') ? 'integer' : base.type
  const keywords = rules.map((rule) => keywordOf(rule, required))
  const isText = required && kind === 'string' && !rules.some(([name]) => name === 'in')
  const schema = { ...base, type: required ? type : [type, 'null'], ...(isText && { minLength: 1 }) }
  Object.assign(schema, patternsOf(rules, isText), ...keywords)
  return schema
}

function patternsOf(rules: readonly Rule[], isText: boolean): object {
  // A pattern with flags that change its meaning cannot be documented.
  const patterns = rules.flatMap((rule) => rule[0] === 'regex' && !/[imsvy]/.test(rule[1].flags) ? rule[1].source : [])
  const [pattern = isText ? '\\S' : undefined, ...more] = patterns
  return {
    ...(pattern !== undefined && { pattern }),
    ...(more.length > 0 && { allOf: more.map((further) => ({ pattern: further })) }),
  }
}

function keywordOf(rule: Rule, required: boolean): Readonly<Record<string, unknown>> {
  switch (rule[0]) {
    case 'lengthMin':
      return { minLength: Math.max(rule[1], 1) }
    case 'lengthMax':
      return { maxLength: rule[1] }
    case 'email':
      return { format: 'email' }
    case 'url':
      return { format: 'uri' }
    case 'in':
      return { enum: required ? rule[1] : [...rule[1], null] }
    case 'min':
      return { minimum: rule[1] }
    case 'max':
      return { maximum: rule[1] }
    default:
      return {}
  }
}

function acceptOmitted(value: unknown): unknown {
  return value === undefined || value === '' ? null : value
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && (typeof value !== 'string' || value.trim() !== '')
}

function valueSchema(rules: readonly Rule[]): z.ZodType {
  const typed = rules.filter((rule) => kindOf(rule) !== undefined)
  const [first] = typed
  if (first === undefined) return z.unknown()
  const message = messageIn(first)
  switch (kindOf(first)) {
    case 'string':
      return typed.reduce(
        (schema, rule) => schema.refine(synchronous(textCheckOf(rule)), { error: messageIn(rule) }),
        z.string({ error: message }),
      )
    case 'boolean':
      return param.bool(message)
    case 'date':
      return param.date(message)
    case 'array':
      return z.array(z.unknown(), { error: message })
    default: {
      const integer = typed.find((rule) => rule[0] === 'integer')
      return typed.reduce(withNumberRule, integer === undefined ? param.number(message) : param.int(messageIn(integer)))
    }
  }
}

function messageIn(rule: Rule): string {
  return String(rule.at(-1))
}

function textCheckOf(rule: Rule): (text: string) => boolean {
  switch (rule[0]) {
    case 'lengthMin':
      return (text) => charactersIn(text) >= rule[1]
    case 'lengthMax':
      return (text) => hasAtMost(rule[1], text)
    case 'in':
      return (text) => rule[1].includes(text)
    case 'regex':
      return matcherOf(rule[1])
    case 'url':
      return isWebAddress
    default:
      return (text) => z.regexes.email.test(text)
  }
}

/** The flags `g` and `y` make a pattern continue after its last match: here it begins anew, on a copy. */
function matcherOf({ source, flags }: RegExp): (text: string) => boolean {
  const pattern = new RegExp(source, flags)
  return (text) => {
    pattern.lastIndex = 0
    return pattern.test(text)
  }
}

function withNumberRule(schema: NumberParam, rule: Rule): NumberParam {
  if (rule[0] === 'min') return schema.min(rule[1], rule[2])
  if (rule[0] === 'max') return schema.max(rule[1], rule[2])
  if (rule[0] !== 'in') return schema
  return schema.refine(synchronous((value: number) => rule[1].includes(value)), { error: messageIn(rule) })
}

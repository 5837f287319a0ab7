import { z } from 'zod'
import { param, type NumberParam } from '../param.js'
import { charactersIn, hasAtMost } from './characters.js'
import { kindOf } from './check-rules.js'
import type { Rule } from './rules.js'
import { synchronous } from './user-functions.js'

/** The schema of one field: whether it is there, then its type, then every other rule in order. */
export function toFieldSchema(rules: readonly Rule[]): z.ZodType {
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

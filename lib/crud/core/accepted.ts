import { z } from 'zod'
import { isExact, param } from '../../core/index.js'
import type { Accepted, AcceptedColumns, Limit } from '../contract/single-writes.js'
import { shapeOf } from './schemas.js'

/**
 * Returns the values that an output certainly accepts, by field, if each is of a kind that a database can check; `null`
 * for an output that holds anything else, such as a list or a check of the application's.
 */
export function acceptedValues(output: z.ZodObject): AcceptedColumns | null {
  const { checks, catchall } = output._zod.def
  if (output.constructor !== z.ZodObject || (checks ?? []).length > 0 || catchall !== undefined) return null
  const fields: Record<string, Accepted> = {}
  for (const [name, schema] of Object.entries(shapeOf(output))) {
    const accepted = acceptedValuesByField(schema)
    if (accepted === null) return null
    fields[name] = accepted
  }
  return fields
}

function acceptedValuesByField(schema: z.core.$ZodType): Accepted | null {
  if (schema instanceof z.ZodNullable && schema.constructor === z.ZodNullable) {
    const inner = hasChecks(schema) ? null : acceptedValuesByField(schema._zod.def.innerType)
    return inner && { ...inner, isNullable: true }
  }
  if (schema instanceof z.ZodOptional && schema.constructor === z.ZodOptional) {
    return hasChecks(schema) ? null : acceptedValuesByField(schema._zod.def.innerType)
  }
  const type = TYPES.get(schema.constructor)
  if (type === undefined) return null
  const limits = limitsOf(schema, type)
  const accepts = (value: unknown): boolean => z.core.safeParse(schema, value).success
  return limits && { type, isNullable: type === 'any', limits, accepts }
}

/** The types of schemas, by their classes: a class of the application's may check more. */
const TYPES: ReadonlyMap<unknown, Accepted['type']> = new Map<unknown, Accepted['type']>([
  [z.ZodAny, 'any'],
  [z.ZodUnknown, 'any'],
  [z.ZodString, 'string'],
  [z.ZodEmail, 'string'],
  [z.ZodUUID, 'string'],
  [z.ZodGUID, 'string'],
  [z.ZodISODate, 'calendarDate'],
  [z.ZodEnum, 'string'],
  [z.ZodLiteral, 'string'],
  [z.ZodNumber, 'number'],
  [z.ZodNumberFormat, 'number'],
  [z.ZodBoolean, 'boolean'],
  [z.ZodDate, 'date'],
  [param.int().constructor, 'number'],
  [param.number().constructor, 'number'],
  [param.bool().constructor, 'boolean'],
  [param.date().constructor, 'date'],
  [param.calendarDate().constructor, 'calendarDate'],
])

function limitsOf(schema: z.core.$ZodType, type: Accepted['type']): readonly Limit[] | null {
  const own = schema._zod.def
  const definitions = [...'check' in own ? [own] : [], ...(own.checks ?? []).map(({ _zod: { def } }) => def)]
  const limits: Limit[] = []
  if (schema instanceof z.ZodEnum || schema instanceof z.ZodLiteral) {
    const values: unknown[] = schema instanceof z.ZodEnum ? schema.options : [...schema.values]
    if (!values.every((value) => typeof value === 'string')) return null
    limits.push({ is: 'oneOf', values })
  }
  for (const def of definitions) {
    const limit = limitOf(def as CheckDef, type)
    if (limit === null) return null
    limits.push(...limit)
  }
  return limits
}

/** The parts of zod's checks that are read here. */
interface CheckDef {
  readonly check: string
  readonly format?: string
  readonly pattern?: RegExp
  readonly fn?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly length?: number
  readonly value?: unknown
  readonly inclusive?: boolean
}

type ReadCheck = (def: CheckDef) => readonly Limit[] | null

const STRING_CHECKS: Readonly<Record<string, ReadCheck>> = {
  min_length: ({ minimum: value = NaN }) => [{ is: 'minLength', value }],
  max_length: ({ maximum: value = NaN }) => [{ is: 'maxLength', value }],
  length_equals: ({ length: value = NaN }) => [{ is: 'minLength', value }, { is: 'maxLength', value }],
  string_format: ({ format = '', pattern }) => {
    const entry = Object.hasOwn(PATTERNS, format) ? PATTERNS[format] : undefined
    return entry !== undefined && pattern?.source === entry.pattern.source ? [{ is: entry.is }] : null
  },
}

const PATTERNS: Readonly<Record<string, { readonly pattern: RegExp; readonly is: 'email' | 'uuid' }>> = {
  email: { pattern: z.regexes.email, is: 'email' },
  uuid: { pattern: z.regexes.uuid(), is: 'uuid' },
  guid: { pattern: z.regexes.guid, is: 'uuid' },
}

const NUMBER_CHECKS: Readonly<Record<string, ReadCheck>> = {
  number_format: ({ format }) => (format === 'safeint' ? [{ is: 'integer' }] : null),
  greater_than: ({ value, inclusive }) => bound(inclusive === true ? '>=' : '>', value),
  less_than: ({ value, inclusive }) => bound(inclusive === true ? '<=' : '<', value),
  custom: ({ fn }) =>
    fn === isExact
      ? [{ is: '>=', value: Number.MIN_SAFE_INTEGER }, { is: '<=', value: Number.MAX_SAFE_INTEGER }]
      : null,
}

function bound(is: '>=' | '>' | '<=' | '<', value: unknown): readonly Limit[] | null {
  return typeof value === 'number' && Number.isFinite(value) ? [{ is, value }] : null
}

const CHECKS: Readonly<Partial<Record<Accepted['type'], Readonly<Record<string, ReadCheck>>>>> = {
  string: STRING_CHECKS,
  number: NUMBER_CHECKS,
  // The class of a calendar date checks the day, as the column does.
  calendarDate: { string_format: ({ format }) => (format === 'date' ? [] : null) },
}

function limitOf(def: CheckDef, type: Accepted['type']): readonly Limit[] | null {
  const readers = CHECKS[type] ?? {}
  return Object.hasOwn(readers, def.check) ? readers[def.check]?.(def) ?? null : null
}

function hasChecks(schema: z.core.$ZodType): boolean {
  return (schema._zod.def.checks ?? []).length > 0
}

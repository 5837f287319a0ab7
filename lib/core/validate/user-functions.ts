import type { z } from 'zod'
import { memoize } from '../base/memoize.js'
import { checkDefinitionOf, definitionOf, innerKeys, reaches, type CheckDefinition } from './zod-schemas.js'

/*
 * Tells the functions of the application in a schema from those of zod and of this package: only the former may return
 * promises, throw, or run for long.
 */

type Schema = z.core.$ZodType

/** zod's checks that are data alone, and `overwrite` (`trim` is one), whose function zod never waits for. */
// dprint-ignore
const DECLARED_CHECKS = new Set([
  'less_than', 'greater_than', 'multiple_of', 'number_format', 'bigint_format', 'max_size', 'min_size', 'size_equals',
  'max_length', 'min_length', 'length_equals', 'mime_type', 'overwrite', 'describe', 'metadata',
])

const synchronousFunctions = new WeakSet<object>()

/** Marks a function of this package that returns no promise, so that a schema with it is parsed synchronously. */
export function synchronous<F extends (...args: never[]) => unknown>(fn: F): F {
  synchronousFunctions.add(fn)
  return fn
}

/**
 * Returns true if the schema itself, apart from those inside it, may call a function of the application when it parses.
 */
export function hasUserFunction(schema: Schema): boolean {
  const definition = definitionOf(schema)
  const { type, transform, checks = [] } = definition
  if (innerKeys(schema) === undefined || type === 'lazy' || type === 'promise') return true
  if (type === 'custom' && isForeign(definition.fn)) return true
  if (transform !== undefined && isForeign(transform)) return true
  return isUserFormat(definition) || checks.some(isUserCheck)
}

/** The types of schemas that accept or make values of any form. */
const ANY_FORM = new Set(['any', 'unknown', 'custom', 'transform', 'lazy', 'promise'])

/** Returns true if a value that fits a schema may have no JSON: a circle, or an object whose `toJSON` throws. */
export const mayHaveNoJson = memoize((schema: Schema) =>
  reaches(schema, (inner) => innerKeys(inner) === undefined || ANY_FORM.has(definitionOf(inner).type))
)

/** Returns true if a check may call a function of the application. */
export function isUserCheck(check: z.core.$ZodCheck): boolean {
  const definition = checkDefinitionOf(check)
  if (definition.check === 'string_format') return isUserFormat(definition)
  return !DECLARED_CHECKS.has(String(definition.check)) && isForeign(definition.fn)
}

/**
 * Returns true for a format that the application has a function for; zod makes a function of a pattern too, and keeps
 * the pattern.
 */
function isUserFormat({ check, fn, pattern }: CheckDefinition): boolean {
  return check === 'string_format' && fn !== undefined && pattern === undefined && isForeign(fn)
}

function isForeign(fn: unknown): boolean {
  return typeof fn !== 'function' || !synchronousFunctions.has(fn)
}

import { z } from 'zod'
import { isDeclarative, safeParse } from '../../core/index.js'
import { withNote } from './clean-schema.js'

/** The bounds of an instant or of a bigint, which JSON Schema has no keywords for. */
interface Bound {
  readonly check: string
  readonly value: Date | bigint
  readonly inclusive?: boolean
}

/** Returns a description with the bounds of dates and bigints, and an example within them that is sent as a string. */
export function boundsOf(schema: z.core.$ZodTypes): object {
  const bounds = boundsIn(schema)
  if (bounds.length === 0) return {}
  const { description, example, examples } = z.globalRegistry.get(schema) ?? {}
  const text = bounds.map(textOf).join(', ')
  const found = (example ?? examples) === undefined ? exampleWithin(schema, bounds) : undefined
  return {
    description: withNote(description, text),
    ...(found !== undefined && { examples: [found] }),
  }
}

function boundsIn({ _zod: { def } }: z.core.$ZodTypes): readonly Bound[] {
  if (def.type !== 'date' && def.type !== 'bigint') return []
  return (def.checks ?? []).map((check) => check._zod.def).filter(isBound)
}

function isBound(def: z.core.$ZodCheckDef): def is z.core.$ZodCheckDef & Bound {
  return ['greater_than', 'less_than', 'multiple_of'].includes(def.check)
}

function textOf({ check, value, inclusive = false }: Bound): string {
  if (value instanceof Date) return `not ${check === 'greater_than' ? 'before' : 'after'} ${value.toISOString()}`
  if (check === 'multiple_of') return `a multiple of ${value}`
  if (check === 'greater_than') return `${inclusive ? 'at least' : 'more than'} ${value}`
  return `${inclusive ? 'at most' : 'less than'} ${value}`
}

/**
 * Returns a bound, or a neighbour of one, that the schema reads; `undefined` if it reads no strings, or has a function
 * of the application.
 */
function exampleWithin(schema: z.core.$ZodType, bounds: readonly Bound[]): string | undefined {
  if (!isDeclarative(schema)) return undefined
  const textsOf = ({ value }: Bound): string[] =>
    value instanceof Date ? [value.toISOString()] : [value, value + 1n, value - 1n].map(String)
  return bounds.flatMap(textsOf).find((text) => safeParse(schema, text).success)
}

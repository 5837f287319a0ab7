import type { z } from 'zod'

/** The digits of a bigint in a reply; `param.bigint()` reads the same. */
const DIGITS = { type: 'string', pattern: '^(?:0|-?[1-9]\\d*)$' }

/** Returns the keywords of a schema whose values, or declared values, are bigints; none for any other schema. */
export function digitsSchema({ _zod: { def } }: z.core.$ZodTypes): object {
  switch (def.type) {
    case 'bigint':
      return DIGITS
    case 'literal':
      return def.values.some(isBigint) ? literalSchema(def.values) : {}
    case 'default':
    case 'prefault':
      return isBigint(def.defaultValue) ? { default: String(def.defaultValue) } : {}
    default:
      return {}
  }
}

function isBigint(value: unknown): boolean {
  return typeof value === 'bigint'
}

/** Returns the keywords of a literal with bigints, which zod converts to numbers. */
function literalSchema(literals: readonly unknown[]): object {
  const values = literals.map((value) => (isBigint(value) ? String(value) : value))
  const type = values.every((value) => typeof value === 'string') ? { type: 'string' } : { type: undefined }
  return values.length === 1 ? { ...type, const: values[0] } : { ...type, enum: values }
}

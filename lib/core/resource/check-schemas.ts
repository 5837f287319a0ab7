import { z } from 'zod'
import { MisuseError } from '../base/errors.js'
import { show } from '../base/options.js'
import { isPlainObject } from '../validate/plain-data.js'
import { checkRules } from '../validate/rule-checks.js'

/** Checks that an `input` or a `query` reads an object: by a schema, or by rules for each field. */
export function checkInput(where: string, what: 'input' | 'query', input: unknown): void {
  if (input === undefined) return
  if (isPlainObject(input) && Object.keys(input).length > 0) checkRules(input, `The \`${what}\` of ${where}: `)
  else checkSchema(where, what, input, isObjectSchema)
}

/** Checks that an `output` is a schema, of any value. */
export function checkOutput(where: string, output: unknown): void {
  checkSchema(where, 'output', output, () => true)
}

type SchemaOption = 'input' | 'query' | 'output'

function checkSchema(where: string, what: SchemaOption, schema: unknown, fits: (schema: z.ZodType) => boolean): void {
  if (schema === undefined || (schema instanceof z.ZodType && fits(schema))) return
  const kind = what === 'output'
    ? 'a schema of zod 4'
    : 'a `z.object`, a union of such, or an object with a list of rules for each field'
  throw new MisuseError(`${what}_invalid`, `The \`${what}\` of ${where} must be ${kind}, not ${show(schema)}.`)
}

function isObjectSchema(schema: unknown): boolean {
  if (schema instanceof z.ZodObject) return true
  if (schema instanceof z.ZodUnion) return schema.options.every(isObjectSchema)
  if (schema instanceof z.ZodPipe) return isObjectSchema(schema.in)
  if (schema instanceof z.ZodIntersection) return isObjectSchema(schema.def.left) && isObjectSchema(schema.def.right)
  return schema instanceof z.ZodLazy && isObjectSchema(schema.unwrap())
}

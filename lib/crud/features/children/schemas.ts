import { z } from 'zod'
import { elementOf } from '../../../core/index.js'
import type { AnyOptions } from '../../core/index.js'
import type { Children } from './options.js'

/** The schemas of a field that is added to `input` and to `output`. */
interface AddedField {
  readonly name: string
  readonly sent: z.ZodType
  readonly shown: z.ZodType
}

/** Returns the options of a resource with more fields; an output that declares one keeps its own schema. */
export function withFields(options: AnyOptions, fields: readonly AddedField[]): AnyOptions {
  const { input, changes, output } = options
  const sent = fields.map(({ name, sent: schema }) => [name, schema] as const)
  const shown = fields.filter(({ name }) => !Object.hasOwn(output.shape, name))
  return {
    ...options,
    input: input.safeExtend(Object.fromEntries(sent)),
    ...(changes !== undefined && {
      changes: changes.safeExtend(Object.fromEntries(sent.map(([name, schema]) => [name, schema.optional()]))),
    }),
    output: output.safeExtend(Object.fromEntries(shown.map(({ name, shown: schema }) => [name, schema]))),
  }
}

/** Returns the field of children; an input that declares it has the schema of an element that creates a child. */
export function childrenField(child: Children, { input }: AnyOptions): AddedField {
  const { name, plan } = child
  return { name, sent: listOf(child, input.shape[name]), shown: z.array(plan.schemas.output) }
}

/** Returns the schema of a list that is sent; `declared` is that of the input, if it declares the field. */
function listOf(child: Children, declared: unknown): z.ZodType {
  const { min, max } = child
  const list = z.array(elementOf(...elementsOf(child, declared))).min(min).max(max)
    .describe('An element with an `id` changes that record, one without creates a record, and the others are deleted')
  return min === 0 ? list.optional() : list
}

/** Returns the schemas of an element that creates a child, and of one that changes a child. */
function elementsOf({ plan, column }: Children, declared: unknown): [created: z.ZodObject, change: z.ZodObject] {
  const { id, create, request, strictness } = plan.schemas
  const element = declaredElement(declared)
  if (element !== undefined) {
    return [without(element, column), without(z.object({ ...element.partial().shape, id }), column)]
  }
  // Where unknown fields are refused, the column may be sent as it was received.
  const change = strictness.store ? optionalIn(request.store, column) : without(request.store, column)
  return [without(create, column), change]
}

function declaredElement(schema: unknown): z.ZodObject | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return declaredElement(schema.unwrap())
  }
  return schema instanceof z.ZodArray && schema.element instanceof z.ZodObject ? schema.element : undefined
}

/** Returns the schema without the column of the record; zod cannot remove a field from one with refinements. */
function without(schema: z.ZodObject, column: string): z.ZodObject {
  if (!Object.hasOwn(schema.shape, column)) return schema
  const hasChecks = (schema._zod.def.checks ?? []).length > 0
  return hasChecks ? optionalIn(schema, column) : schema.omit({ [column]: true } as never)
}

function optionalIn(schema: z.ZodObject, column: string): z.ZodObject {
  return schema.safeExtend({ [column]: z.unknown().optional() })
}

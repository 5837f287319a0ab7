import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { param, type ValidationError } from 'resourcery'
import { fromZodError, parseNow } from '../../lib/core/validate/parse.js'

const Size = { Small: 0, Large: 1 } as const

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  'a string': z.string().min(3),
  'an e-mail address': z.email(),
  'a number': z.number(),
  'a whole number': z.int().min(1),
  'a bigint': z.bigint(),
  'a boolean': z.boolean(),
  'a boolean as a string': z.stringbool(),
  'a date': z.date(),
  'a day': z.iso.date(),
  'a list': z.array(z.int()).min(1),
  'a tuple': z.tuple([z.int()]),
  'a set': z.set(z.int()),
  'a map': z.map(z.string(), z.int()),
  'an object': z.object({ a: z.int() }),
  'a record': z.record(z.string(), z.int()),
  'a file': z.file(),
  'a literal': z.literal('x'),
  'several literals': z.literal(['x', 'y']),
  'an enum': z.enum(['x', 'y']),
  'an enum of TypeScript': z.enum(Size),
  'a union': z.union([z.int(), z.enum(['x'])]),
  'a discriminated union': z.discriminatedUnion('kind', [z.object({ kind: z.literal('x') })]),
  'an exclusive union': z.xor([z.int(), z.string()]),
  'an intersection': z.intersection(z.object({ a: z.int() }), z.object({ b: z.int() })),
  'a template': z.templateLiteral(['x', z.int()]),
  'null': z.null(),
  'a nullable value': z.nullable(z.string()),
  'a type of the application': z.custom<Date>((value) => value instanceof Date),
  'an instance': z.instanceof(URL),
  'a value that may not be missing': z.string().optional().nonoptional(),
  'a refined value': z.unknown().refine((value) => value !== undefined),
  'a codec': z.codec(z.string(), z.int(), { decode: Number, encode: String }),
  'a pipe': z.string().pipe(z.transform(Number)),
  'a readonly value': z.string().readonly(),
  'a lazy schema': z.lazy(() => z.enum(['x'])),
  'a number that is converted': z.coerce.number(),
  'a bigint that is converted': z.coerce.bigint(),
  'a date that is converted': z.coerce.date(),
  'param.int': param.int(),
  'param.number': param.number(),
  'param.bigint': param.bigint(),
  'param.decimal': param.decimal({ scale: 2 }),
  'param.bool': param.bool(),
  'param.date': param.date(),
  'param.calendarDate': param.calendarDate(),
  'param.list': param.list(z.int()),
}

function messagesOf(parse: () => unknown): unknown {
  try {
    return parse()
  } catch (error) {
    return { ...(error as ValidationError).fields }
  }
}

describe('a missing value', () => {
  it.each(Object.entries(SCHEMAS))('is required if it is %s', (_name, value) => {
    const schema = z.object({ outer: z.object({ value }) })
    const expected = { 'outer.value': ['Required'] }
    expect(messagesOf(() => parseNow(schema, { outer: {} }))).toEqual(expected)
    expect(messagesOf(() => parseNow(z.array(schema), [{ outer: {} }]))).toEqual({ '0.outer.value': ['Required'] })
  })

  it('is required if it is the discriminator of a union', () => {
    const schema = z.discriminatedUnion('kind', [z.object({ kind: z.literal('x') }),
      z.object({ kind: z.literal('y') })])
    expect(messagesOf(() => parseNow(schema, {}))).toEqual({ kind: ['Required'] })
    expect(messagesOf(() => parseNow(schema, { kind: 'z' }))).toEqual({ kind: ['Must be one of x, y'] })
  })

  it('is required if the handler calls the parser', () => {
    const { error } = z.object({ many: z.array(z.int()), at: z.date() }).safeParse({})
    expect({ ...fromZodError(error as z.ZodError).fields }).toEqual({ many: ['Required'], at: ['Required'] })
  })

  it('is another one than a value of another type, such as NaN', () => {
    const schema = z.object({ a: z.coerce.number(), b: z.coerce.date(), c: z.enum(['x', 'y']), d: z.number() })
    const sent = { a: 'x', b: 'x', c: null, d: null }
    expect(messagesOf(() => parseNow(schema, sent))).toEqual({
      a: ['Must be a number'],
      b: ['Must be a date'],
      c: ['Must be one of x, y'],
      d: ['Must be a number'],
    })
  })
})

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { acceptedValues } from '../../lib/crud/core/accepted.js'
import { param } from 'resourcery'

describe('the values that an output accepts', () => {
  it.each<[what: string, schema: z.ZodType, accepted: object]>([
    ['a string', z.string(), { type: 'string', isNullable: false, limits: [] }],
    ['a described string', z.string().describe('A title'), { type: 'string', isNullable: false, limits: [] }],
    ['a nullable string', z.string().nullable().optional(), { type: 'string', isNullable: true, limits: [] }],
    ['a length', z.string().min(1).max(9), {
      type: 'string',
      isNullable: false,
      limits: [{ is: 'minLength', value: 1 }, { is: 'maxLength', value: 9 }],
    }],
    ['an address', z.email(), { type: 'string', isNullable: false, limits: [{ is: 'email' }] }],
    ['a uuid', z.uuid(), { type: 'string', isNullable: false, limits: [{ is: 'uuid' }] }],
    ['an enum', z.enum(['a', 'b']), {
      type: 'string',
      isNullable: false,
      limits: [{ is: 'oneOf', values: ['a', 'b'] }],
    }],
    ['an integer', z.int().positive(), {
      type: 'number',
      isNullable: false,
      limits: [{ is: 'integer' }, { is: '>', value: 0 }],
    }],
    ['an integer of a form', param.int(), { type: 'number', isNullable: false, limits: [{ is: 'integer' }] }],
    ['an instant', param.date(), { type: 'date', isNullable: false, limits: [] }],
    ['a day', param.calendarDate(), { type: 'calendarDate', isNullable: false, limits: [] }],
    ['anything', z.unknown(), { type: 'any', isNullable: true, limits: [] }],
  ])('are read of %s', (_what, schema, accepted) => {
    expect(acceptedValues(z.object({ field: schema }))).toEqual({
      field: { ...accepted, accepts: expect.any(Function) as unknown },
    })
  })

  it.each<[what: string, schema: z.ZodType]>([
    ['a check of the application', z.string().refine(() => true)],
    ['a check of a nullable field', z.string().nullable().refine(() => true)],
    ['a transform', z.string().transform((text) => text)],
    ['a change of the string', z.string().trim()],
    ['another pattern', z.string().regex(/a/)],
    ["a pattern of one's own for addresses", z.email({ pattern: z.regexes.html5Email })],
    ['a day with a pattern', param.calendarDate().regex(/^2/)],
    ['a date with a minimum', z.date().min(new Date(0))],
    ['a format of numbers', z.int32()],
    ['a multiple', z.number().multipleOf(2)],
    ['an enum of numbers', z.literal([1, 2])],
    ['a list', z.array(z.string())],
    ['an object', z.object({})],
    ['a union', z.union([z.string(), z.number()])],
    ['a default', z.string().default('a')],
    ['a lazy schema', z.lazy(() => z.string())],
  ])('are not known for %s', (_what, schema) => {
    expect(acceptedValues(z.object({ field: schema }))).toBeNull()
  })

  it('are not known for an object that checks or refuses more than its fields', () => {
    const shape = { field: z.string() }
    for (const output of [z.strictObject(shape), z.looseObject(shape), z.object(shape).refine(() => true)]) {
      expect(acceptedValues(output)).toBeNull()
    }
  })
})

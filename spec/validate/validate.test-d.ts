import { expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { param } from 'resourcery'
import type { Rules } from 'resourcery'
import { validate } from 'resourcery'

const data: unknown = {}

it('validate types the result by the rules', () => {
  expectTypeOf(validate(data, {
    name: [['required', 'Name is required'], ['lengthMin', 2, 'Too short']],
    age: [['optional'], ['integer', 'A whole number']],
  })).toEqualTypeOf<{ name: string; age: number | null }>()
  expectTypeOf(validate(data, {
    mail: [['required', 'x'], ['email', 'x']],
    price: [['required', 'x'], ['min', 0, 'x'], ['max', 9, 'x']],
    nick: [['lengthMax', 9, 'x']],
    any: [['required', 'x']],
    none: [],
  })).toEqualTypeOf<{ mail: string; price: number; nick: string | null; any: unknown; none: unknown }>()
})

it('validate types the result by single rules, and by every rule', () => {
  expectTypeOf(validate(data, {
    name: ['required', 'Name is required'], nick: ['lengthMin', 2, 'Too short'], none: ['optional'],
    tag: [['required', 'x'], ['in', ['news', 'guide'], 'x']], size: ['in', [1, 2], 'Not one of them'],
    code: [['required', 'x'], ['regex', /a/, 'x']], site: ['url', 'No address'], on: ['boolean', 'True or false'],
    day: [['required', 'x'], ['date', 'x']], list: [['required', 'x'], ['array', 'x']],
    word: [['required', 'x'], ['lengthMin', 2, 'x'], ['confirmed', 'x'], ['equals', 'name', 'x']],
  })).toEqualTypeOf<{
    name: unknown; nick: string | null; none: unknown; tag: 'news' | 'guide'; size: 1 | 2 | null; code: string
    site: string | null; on: boolean | null; day: Date; list: unknown[]; word: string
  }>()
  // @ts-expect-error a message of one word
  validate(data, { name: ['required', 'email'] })
  // @ts-expect-error a message of one word
  validate(data, { name: ['lengthMin', 2, 'Short'] })
  // @ts-expect-error rules for different types
  validate(data, { name: [['date', 'x'], ['boolean', 'x']] })
  // @ts-expect-error values and a rule for different types
  validate(data, { name: [['in', ['a'], 'x'], ['integer', 'x']] })
  // @ts-expect-error a string is no pattern
  validate(data, { name: [['regex', 'a', 'x']] })
  // @ts-expect-error no values
  validate(data, { name: [['in', 'x']] })
})

it('validate types the result by rules defined elsewhere', () => {
  const constant = { name: [['required', 'x'], ['lengthMin', 2, 'x']] } as const
  expectTypeOf(validate(data, constant)).toEqualTypeOf<{ name: string }>()
  const checked = { name: [['required', 'x'], ['lengthMin', 2, 'x']] } satisfies Rules
  expectTypeOf(validate(data, checked)).toEqualTypeOf<{ name: string }>()
  const wide: Rules = constant
  expectTypeOf(validate(data, wide)).toEqualTypeOf<Record<string, unknown>>()
})

it('validate types the result by a schema', () => {
  const schema = z.object({ id: param.int(), name: z.string().default('') })
  expectTypeOf(validate(data, schema)).toEqualTypeOf<{ id: number; name: string }>()
  expectTypeOf(validate(data, schema, {})).toEqualTypeOf<{ id: number; name: string }>()
})

it('validate types the result in a function for any schema', () => {
  const read = <T>(schema: z.ZodType<T>): T => validate(data, schema)
  expectTypeOf(read(z.object({ id: z.string().transform(Number) }))).toEqualTypeOf<{ id: number }>()
})

it('validate makes every field of a partial result optional', () => {
  expectTypeOf(validate(data, z.object({ id: z.number() }), { partial: true })).toEqualTypeOf<{ id?: number }>()
  expectTypeOf(validate(data, { age: [['integer', 'x']] }, { partial: true })).toEqualTypeOf<{ age?: number | null }>()
  expectTypeOf(validate(data, { age: [['integer', 'x']] }, { partial: false })).toEqualTypeOf<{ age: number | null }>()
})

it('validate refuses invalid rules and options', () => {
  // @ts-expect-error a misspelt rule
  validate(data, { name: [['requird', 'x']] })
  // @ts-expect-error a missing message
  validate(data, { name: [['required']] })
  // @ts-expect-error a missing message behind a parameter
  validate(data, { name: [['lengthMin', 2]] })
  // @ts-expect-error a missing parameter
  validate(data, { name: [['lengthMin', 'x']] })
  // @ts-expect-error a parameter of the wrong type
  validate(data, { age: [['min', '3', 'x']] })
  // @ts-expect-error required and optional
  validate(data, { name: [['required', 'x'], ['optional']] })
  // @ts-expect-error rules for a string and a number
  validate(data, { name: [['lengthMin', 2, 'x'], ['integer', 'x']] })
  // @ts-expect-error an unknown option
  validate(data, { name: [['required', 'x']] }, { partially: true })
  // @ts-expect-error no rules at all
  validate(data, 'name')
})

it('validate returns no undeclared fields', () => {
  expectTypeOf(validate(data, { name: [['required', 'x']] })).not.toHaveProperty('role')
})

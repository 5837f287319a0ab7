import { expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { param } from 'resourcery'

it('params have the converted type, whatever is chained', () => {
  const page = param.int().min(1).max(9).default(1).optional()
  expectTypeOf(page.parse('1')).toEqualTypeOf<number | undefined>()
  expectTypeOf(page._zod.input).toEqualTypeOf<number | string | undefined>()
  expectTypeOf(param.number().min(1)._zod.input).toEqualTypeOf<number | string>()
})

it('params type the fields of an object', () => {
  const schema = z.object({ n: param.number(), b: param.bool(), d: param.date(), l: param.list(param.int()).min(1).max(5) })
  expectTypeOf(schema.parse({})).toEqualTypeOf<{ n: number; b: boolean; d: Date; l: number[] }>()
  expectTypeOf(schema._zod.input).toEqualTypeOf<{
    n: number | string; b: boolean | string; d: Date | string; l: (number | string)[] | string
  }>()
})

it('params have only the methods of their type', () => {
  expectTypeOf(param.bool()).not.toHaveProperty('min')
  // @ts-expect-error a list is a list of some schema
  param.list()
})

import type { Request } from 'express'
import { expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { param } from 'resourcery'
import { RequestParam } from 'resourcery'

const req = undefined as unknown as Request

it('RequestParam types ids by their schema', () => {
  expectTypeOf(RequestParam.ids(req)).toEqualTypeOf<string[]>()
  expectTypeOf(RequestParam.ids(req, { max: 5 })).toEqualTypeOf<string[]>()
  expectTypeOf(RequestParam.ids(req, { of: param.int() })).toEqualTypeOf<number[]>()
  expectTypeOf(RequestParam.ids(req, { of: z.object({ a: z.string() }) })).toEqualTypeOf<{ a: string }[]>()
})

it('RequestParam types what it reads, and leaves values unknown', () => {
  expectTypeOf(RequestParam.page(req)).toEqualTypeOf<{ page: number; limit: number; offset: number; search: string }>()
  expectTypeOf(RequestParam.query(req).any).toEqualTypeOf<unknown>()
  expectTypeOf(RequestParam.body(req).any).toEqualTypeOf<unknown>()
  expectTypeOf(RequestParam.params(req).id).toEqualTypeOf<unknown>()
  expectTypeOf(RequestParam.header(req, 'accept')).toEqualTypeOf<string>()
})

it('RequestParam accepts only known options', () => {
  // @ts-expect-error a misspelt option
  RequestParam.page(req, { maximum: 5 })
  // @ts-expect-error a schema, not a type
  RequestParam.ids(req, { of: Number })
})

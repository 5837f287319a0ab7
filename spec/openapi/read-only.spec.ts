import { Router } from 'express'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { mountResource } from 'resourcery'
import { openapi } from 'resourcery/openapi'

const Tags = z.array(z.string()).readonly()

it('documents fields of `.readonly()` without `readOnly`, which would keep clients from sending them', () => {
  const input = z.object({
    tags: Tags,
    more: Tags.optional(),
    rest: Tags.meta({ description: 'The rest' }).default([]),
    named: z.object({ a: z.int() }).readonly().meta({ id: 'Frozen' }),
    created: z.string().meta({ readOnly: true }).optional(),
    stated: Tags.meta({ readOnly: true }).optional(),
  })
  const router = Router()
  mountResource(router, {
    route: '/items',
    name: 'items',
    handlers: { create: { input, output: input.readonly(), handler: (_req, _res, args) => args } },
  })
  const { components: { schemas } } = openapi(router, { title: 'Test', version: '1' })
  const { properties = {}, ...rest } = schemas.ItemCreate ?? {}
  expect(rest).toEqual({ type: 'object', required: ['tags', 'named'] })
  expect(Object.keys(properties).filter((name) => properties[name]?.readOnly === true)).toEqual(['created', 'stated'])
  expect([schemas.Frozen, schemas.Item].map((schema) => schema?.readOnly)).toEqual([undefined, undefined])
})

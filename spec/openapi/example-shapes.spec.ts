import { Router } from 'express'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { mountResource } from 'resourcery'
import { openapi } from 'resourcery/openapi'

it.each([
  ['a tuple', z.tuple([z.string(), z.int(), z.boolean().optional()]), ['Field 10', 11]],
  ['a tuple with more items', z.tuple([z.string()], z.int()), ['Field 1']],
  ['a record of an enum', z.record(z.enum(['a', 'b']), z.int()), { a: 1, b: 1 }],
])('a body with %s has an example', (_kind, field, example) => {
  const router = Router()
  mountResource(router, { route: '/items', name: 'items', handlers: {
    create: { input: z.object({ field }), handler: (_req, _res, args) => args },
  } })
  const { paths } = openapi(router, { title: 'Test', version: '1' })
  expect(paths['/items']?.post?.requestBody?.content['application/json']).toMatchObject({ example: { field: example } })
})

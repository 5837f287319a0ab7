import { Router } from 'express'
import { expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { param } from 'resourcery'
import type { ActionsOf, Mounted } from '../../lib/core/resource/mounted.js'
import { resource, type ResourceBuilder } from 'resourcery'

const User = z.object({ id: z.int(), name: z.string() })
const users = resource(Router(), '/users')

it('a builder infers path arguments, input, query and output of every action', () => {
  const chained = users.app('admin').tags('a')
    .list(() => [])
    .show((_req, _res, { id }) => expectTypeOf(id).toEqualTypeOf<string>())
    .edit({
      input: User.omit({ id: true }).extend({ id: param.int() }), query: z.object({ dry: param.bool() }), output: User,
      handler: (_req, _res, args) => {
        expectTypeOf(args).toEqualTypeOf<{ id: number; name: string; dry: boolean }>()
        return { id: args.id, name: args.name }
      },
    })
    .delete({ requestHeaders: { 'If-Match': { description: 'Which', required: true } }, statuses: [412], handler: () => null })
    .post('rank', '/:id/rank/:place', (_req, _res, args) => expectTypeOf(args).toEqualTypeOf<{ id: string; place: string }>())
  expectTypeOf(chained).toExtend<ResourceBuilder<'/users'>>()
  expectTypeOf<keyof ActionsOf<typeof chained>>().toEqualTypeOf<'list' | 'show' | 'edit' | 'delete' | 'rank'>()
  expectTypeOf(chained.name('people')).toExtend<Mounted<'people'>>()
  expectTypeOf(chained).not.toExtend<Mounted<'people'>>()
  expectTypeOf(resource(Router(), '/shops/:shop/daily/reports')).toExtend<Mounted<'shops.daily.reports'>>()
})

it('a builder refuses wrong arguments, outputs and options', () => {
  // @ts-expect-error -- no such path argument
  users.show((_req, _res, { key }) => key)
  // @ts-expect-error -- the output has a name
  users.show({ output: User, handler: () => ({ id: 1 }) })
  // @ts-expect-error -- the third parameter is not Express's `next`
  users.list((_req: unknown, _res: unknown, next: () => void) => next())
  // @ts-expect-error -- no such option
  users.create({ inptu: User, handler: () => null })
  // @ts-expect-error -- no such action
  users.remove(() => null)
  // @ts-expect-error -- a tag is a string
  users.tags(1)
})

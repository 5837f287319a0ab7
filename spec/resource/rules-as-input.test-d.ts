import { Router } from 'express'
import { expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { mountResource, mountRoutes, resource } from 'resourcery'

const router = Router()

it('rules infer the arguments of a handler', () => {
  mountResource(router, {
    route: '/notes', name: 'notes',
    handlers: {
      create: {
        input: { title: [['required', 'x'], ['lengthMax', 80, 'y']], stars: [['optional'], ['integer', 'z']], any: [['required', 'x']] },
        query: { q: [['optional'], ['email', 'x']] },
        handler: (_req, _res, args) => expectTypeOf(args).toEqualTypeOf<{ title: string; stars: number | null; any: unknown; q: string | null }>(),
      },
      store: {
        input: { id: [['required', 'x'], ['integer', 'y']], title: [['required', 'x'], ['lengthMax', 80, 'y']] },
        handler: (_req, _res, args) => expectTypeOf(args).toEqualTypeOf<{ id: number; title?: string }>(),
      },
      edit: { input: { title: [['required', 'x'], ['email', 'y']] }, handler: (_req, _res, args) => expectTypeOf(args).toEqualTypeOf<{ id: string; title: string }>() },
    },
    custom: {
      rate: {
        methods: ['POST'], route: '/:id/rate', input: { stars: [['required', 'x'], ['integer', 'y']] }, query: z.object({ now: z.boolean() }),
        handler: (_req, _res, args) => expectTypeOf(args).toEqualTypeOf<{ id: string; stars: number; now: boolean }>(),
      },
    },
  })
  mountRoutes(router, { route: '/r', routes: { one: { route: '', input: { q: [['required', 'x'], ['min', 1, 'y']] }, handler: (_req, _res, args) => expectTypeOf(args).toEqualTypeOf<{ q: number }>() } } })
  resource(router, '/books').create({ input: { title: [['required', 'x'], ['email', 'y']] }, handler: (_req, _res, args) => expectTypeOf(args).toEqualTypeOf<{ title: string }>() })
    .post('find', '/:id/find', { input: { title: [['optional'], ['email', 'y']] }, handler: (_req, _res, args) => expectTypeOf(args).toEqualTypeOf<{ id: string; title: string | null }>() })
    .store({ input: { title: [['required', 'x'], ['email', 'y']] }, handler: (_req, _res, args) => expectTypeOf(args).toEqualTypeOf<{ id: string; title?: string }>() })
})

it('rules that do not exist are refused', () => {
  // @ts-expect-error `requird` is not a rule
  mountResource(router, { route: '/notes', name: 'notes', handlers: { create: { input: { title: [['requird', 'x']] }, handler: () => null } } })
  // @ts-expect-error a message is missing
  mountResource(router, { route: '/notes', name: 'notes', handlers: { list: { input: { title: [['lengthMax', 80]] }, handler: () => null } } })
  // @ts-expect-error `requird` is not a rule
  mountRoutes(router, { route: '/r', routes: { one: { route: '', input: { q: [['requird', 'x']] }, handler: () => null } } })
  // @ts-expect-error `requird` is not a rule
  resource(router, '/books').create({ input: { title: [['requird', 'x']] }, handler: () => null })
})

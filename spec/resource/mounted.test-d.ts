import { Router } from 'express'
import { expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore } from 'resourcery/crud'
import { param } from 'resourcery'
import { resource } from 'resourcery'
import { mountResource } from 'resourcery'
import { mountRoutes } from 'resourcery'
import type { ActionsOf, Mounted, NameFromRoute } from '../../lib/core/resource/mounted.js'

const router = Router()
declare function actionsOf<M extends Mounted>(mounted: M): keyof ActionsOf<M>
const User = z.object({ id: z.int(), name: z.string() })
const Id = z.object({ id: param.int() })

it('Mounted has name, path, input, query, output and files of each mounted action', () => {
  const users = mountResource(router, {
    route: '/users', name: 'users',
    handlers: {
      list: () => [],
      show: { input: Id, output: User, handler: (_req, _res, { id }) => ({ id, name: 'Ann' }) },
      edit: { input: User, query: z.object({ dry: param.bool() }), files: { photo: {} }, handler: () => null },
    },
    custom: { avatar: { methods: ['POST'], route: '/:id/avatar', files: { avatar: { maxBytes: 5 } }, handler: () => null } },
  })
  type Actions = ActionsOf<typeof users>
  expectTypeOf(users).toExtend<Mounted<'users'>>()
  expectTypeOf<keyof Actions>().toEqualTypeOf<'list' | 'show' | 'edit' | 'avatar'>()
  expectTypeOf<Actions['show']['path']>().toEqualTypeOf<'/users/:id'>()
  expectTypeOf<Actions['show']['input']>().toEqualTypeOf<typeof Id>()
  expectTypeOf<Actions['show']['output']>().toEqualTypeOf<typeof User>()
  expectTypeOf<keyof Actions['edit']['files']>().toEqualTypeOf<'photo'>()
  expectTypeOf<keyof Actions['avatar']['files']>().toEqualTypeOf<'avatar'>()
  expectTypeOf<Actions['avatar']['path']>().toEqualTypeOf<'/users/:id/avatar'>()
})

it('Mounted has only the actions listed in `actions`', () => {
  const made = crud(memoryStore<{ id: number; name: string }>({ key: 'id' }), { input: User.pick({ name: true }), output: User, bulk: true })
  const some = mountResource(router, { route: '/users', name: 'users', ...made, actions: ['list', 'show'] })
  expectTypeOf(actionsOf(some)).toEqualTypeOf<'list' | 'show' | 'createMany' | 'updateMany'>()
  const none = mountResource(router, { route: '/users', name: 'users', ...made, actions: false })
  expectTypeOf(actionsOf(none)).toEqualTypeOf<'createMany' | 'updateMany'>()
})

it('Mounted has no custom actions if none are given', () => {
  const made = crud(memoryStore<{ id: number; name: string }>({ key: 'id' }), { input: User.pick({ name: true }), output: User })
  const spread = mountResource(router, { route: '/users', name: 'users', ...made, actions: ['show'] })
  expectTypeOf(actionsOf(spread)).toEqualTypeOf<'show'>()
  const handled = mountResource(router, { route: '/users', name: 'users', handlers: { list: () => [] } })
  expectTypeOf(actionsOf(handled)).toEqualTypeOf<'list'>()
  expectTypeOf(actionsOf(mountResource(router, { route: '/users', name: 'users' }))).toBeNever()
  expectTypeOf(actionsOf(mountRoutes(router, { route: '/users', routes: {} }))).toBeNever()
})

it('Mounted has the routes of a group under the name of its route', () => {
  const reports = mountRoutes(router, { route: '/reports/:year/daily', routes: { sales: { route: '/sales', handler: () => 5 } } })
  expectTypeOf(reports).toExtend<Mounted<'reports.daily'>>()
  expectTypeOf<keyof ActionsOf<typeof reports>>().toEqualTypeOf<'sales'>()
  expectTypeOf(mountRoutes(router, { route: '/reports', name: 'figures', routes: {} })).toExtend<Mounted<'figures'>>()
  expectTypeOf<NameFromRoute<'/'>>().toEqualTypeOf<''>()
})

it('Mounted has the actions of a builder', () => {
  const users = resource(router, '/users').name('people').show({ output: User, handler: () => ({ id: 1, name: 'Ann' }) }).post('ban', '/:id/ban', () => null)
  expectTypeOf(users).toExtend<Mounted<'people'>>()
  expectTypeOf<keyof ActionsOf<typeof users>>().toEqualTypeOf<'show' | 'ban'>()
  expectTypeOf<ActionsOf<typeof users>['ban']['path']>().toEqualTypeOf<'/users/:id/ban'>()
})

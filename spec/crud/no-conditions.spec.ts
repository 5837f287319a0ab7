import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mountResource, mountRoutes, param } from 'resourcery'
import { crud, filter, idempotent, memoryStore, type IdempotencyKey } from 'resourcery/crud'
import { people, PersonIn, PersonOut } from './people.js'
import { servingRoutes } from './serving.js'
import { servingPeople } from './serving-people.js'

/** Each in a list, which `it.each` spreads. */
const RESULTS: [unknown][] = [[undefined], [null], [false], [''], ['team'], [0], [{}], [{ team: 1 }], [[undefined]], [[
  null,
]], [['team', '=', 1]], [[{ team: 1 }]], [[{ any: undefined }]], [[{ any: [undefined] }]]]
const INTERNAL = { code: 500, data: null, meta: { reason: 'internal' } }
const NEW = { email: 'n@example.test', name: 'New' }

const serving = (options: object) => servingPeople({ bulk: true, export: true, ...options })

const LISTS = [['GET', '/people'], ['GET', '/people?ids=1,2'], ['GET', '/people?cursor='], ['GET',
  '/people/export']] as const
const ACTIONS = [
  ...LISTS,
  ['GET', '/people/1'],
  ['POST', '/people', NEW],
  ['PUT', '/people/1', NEW],
  ['PATCH', '/people/1', { name: 'New' }],
  ['DELETE', '/people/1'],
  ['DELETE', '/people?ids=1,2'],
  ['POST', '/people/bulk', { items: [NEW] }],
] as const

describe('a function that returns no list of conditions', () => {
  it.each(RESULTS)('is a logged error on every action if it is the scope: %j', async (result) => {
    const { send, logged, rows } = await serving({ scope: () => result })
    const before = await rows()
    for (const [method, path, body] of ACTIONS) {
      const { body: reply } = await send(method, path, { body })
      expect(reply).toEqual({ ...INTERNAL, message: 'Something went wrong' })
      expect(logged.pop()).toMatch(/^`scope` of crud must return a list of conditions, .* but it returned /)
    }
    expect(await rows()).toEqual(before)
  })

  it.each(RESULTS)('is a logged error in every list if it is the scope of lists: %j', async (result) => {
    const { send, logged } = await serving({ scope: { list: () => Promise.resolve(result) } })
    for (const [method, path] of LISTS) {
      expect((await send(method, path)).body).toMatchObject(INTERNAL)
      expect(logged.pop()).toMatch(/^`scope.list` of crud must return a list of conditions/)
    }
    expect((await send('GET', '/people/1')).status).toBe(200)
  })

  it.each(RESULTS)('is a logged error if it is a filter: %j', async (result) => {
    const { get, logged } = await serving({ customFilters: { mine: filter(param.bool(), () => result as never) } })
    expect((await get('/people?mine=true')).body).toMatchObject(INTERNAL)
    expect(logged).toEqual([
      expect.stringMatching(/^`customFilters.mine` of crud must return a list of conditions/),
    ])
    expect((await get('/people')).status).toBe(200)
  })

  it.each(RESULTS)('is a logged error if it is the scope of parents in a store: %j', async (result) => {
    const teams = memoryStore({ key: 'id', rows: [{ id: 1, name: 'One' }] })
    const logged: string[] = []
    const store = people()
    const { send } = await servingRoutes((app) => {
      mountResource(app, {
        route: '/teams/:teamId/people',
        name: 'people',
        ...crud(store, {
          input: PersonIn,
          output: PersonOut,
          parent: { arg: 'teamId', column: 'team', of: teams, scope: () => result as never },
        }),
      })
    }, (error) => void logged.push((error as Error).message))
    for (const [method, path, body] of ACTIONS.filter(([, path]) => !/export|bulk/.test(path))) {
      expect((await send(method, `/teams/1${path}`, { body })).body).toMatchObject(INTERNAL)
      expect(logged.pop()).toMatch(/^`parent.scope` of crud must return a list of conditions/)
    }
    expect(await store.list({ where: [], order: ['id'] }).count?.()).toBe(5)
  })

  it.each(RESULTS)('is a logged error if it is the scope of an `idempotent` action: %j', async (result) => {
    const keys = memoryStore<IdempotencyKey>({ key: 'id' })
    const logged: string[] = []
    const store = people()
    const { post } = await servingRoutes((app) => {
      mountRoutes(app, {
        route: '/pay',
        routes: {
          pay: {
            methods: ['POST'],
            route: '/',
            ...idempotent({ store, keys: () => keys, identity: () => 'all', scope: () => result as never }, {
              input: z.object({}),
              handler: (_req, _res, _args, inside) => inside.create(NEW),
            }),
          },
        },
      })
    }, (error) => void logged.push((error as Error).message))
    expect((await post('/pay', {}, { headers: { 'idempotency-key': 'one' } })).body).toMatchObject(INTERNAL)
    expect(logged).toEqual([expect.stringMatching(/^`scope` of `idempotent` must return a list of conditions/)])
    expect(await store.list({ where: [], order: ['id'] }).count?.()).toBe(5)
  })
})

import { ForbiddenError } from 'resourcery'
import { describe, expect, it } from 'vitest'
import { servingPeople } from './serving-people.js'

const INTERNAL = { code: 500, message: 'Something went wrong', data: null, meta: { reason: 'internal' } }
const NEW = { email: 'n@example.test', name: 'New' }
const ACTIONS = [
  ['GET', '/people/1', undefined],
  ['PUT', '/people/1', NEW],
  ['PATCH', '/people/1', { name: 'New' }],
  ['DELETE', '/people/1', undefined],
  ['DELETE', '/people?ids=1,2', undefined],
  ['PUT', '/people', { ids: [1], data: { name: 'New' } }],
  ['POST', '/people/1/rename', {}],
  ['GET', '/people/1/card', undefined],
] as const

const serving = (check: () => unknown) =>
  servingPeople({
    bulk: true,
    check,
    members: { rename: { change: () => ({ name: 'New' }) } },
    custom: { card: { route: '/:id/card', load: true, handler: () => 'a card' } },
  })

describe('a `check` that returns false', () => {
  it.each([['at once', () => false], ['in a promise', () => Promise.resolve(false)]])(
    'is a logged error on every action, and changes nothing: %s',
    async (_when, check) => {
      const { send, logged, rows } = await serving(check)
      const before = await rows()
      for (const [method, path, body] of ACTIONS) {
        expect((await send(method, path, { body })).body).toEqual(INTERNAL)
        expect(logged.pop()).toMatch(/^`check` of crud returned false\. To refuse, throw an error/)
      }
      expect(await rows()).toEqual(before)
    },
  )

  it.each([[undefined], [true], [null]])('passes a row if it returns %j instead', async (returned) => {
    const { send } = await serving(() => returned)
    expect((await send('GET', '/people/1')).status).toBe(200)
  })
})

describe('a `before` hook that returns false', () => {
  it.each([['at once', () => false], ['in a promise', () => Promise.resolve(false)]])(
    'is a logged error on every action, and changes nothing: %s',
    async (_when, hook) => {
      const before = { list: hook, show: hook, create: hook, edit: hook, store: hook, delete: hook, rename: hook }
      const members = { rename: { change: () => ({ name: 'New' }) } }
      const { send, logged, rows } = await servingPeople({ bulk: true, before, members })
      const stored = await rows()
      const actions = [['GET', '/people', undefined], ['POST', '/people', NEW], ...ACTIONS.slice(0, -1)] as const
      for (const [method, path, body] of actions) {
        expect((await send(method, path, { body })).body).toEqual(INTERNAL)
        const message = logged.pop()
        const told = /^`before\.(?:create|edit|store)`/.test(message ?? '')
          ? 'must return an object of columns, but it returned false'
          : 'returned false. To refuse, throw an error: `throw new ForbiddenError()`.'
        expect(message).toContain(`of crud ${told}`)
      }
      expect(await rows()).toEqual(stored)
    },
  )

  it('may be the result of `after`, which refuses nothing', async () => {
    const { send } = await servingPeople({ after: { delete: () => false } })
    expect((await send('DELETE', '/people/1')).status).toBe(200)
  })
})

describe('an error that is returned in place of thrown', () => {
  const refuse = () => new ForbiddenError()
  const late = () => Promise.resolve(new ForbiddenError())

  it.each([['at once', refuse], ['in a promise', late]])('by `check` lets no action pass: %s', async (_when, check) => {
    const { send, logged, rows } = await serving(check)
    const before = await rows()
    for (const [method, path, body] of ACTIONS) {
      expect((await send(method, path, { body })).body).toEqual(INTERNAL)
      expect(logged.pop()).toBe('`check` of crud returned an error. Throw it: `throw new ForbiddenError()`.')
    }
    expect(await rows()).toEqual(before)
  })

  it.each([['at once', refuse], ['in a promise', late]])('by a hook changes nothing: %s', async (_when, hook) => {
    const hooks = { list: hook, show: hook, create: hook, edit: hook, store: hook, delete: hook, rename: hook }
    for (const when of ['before', 'after']) {
      const members = { rename: { change: () => ({ name: 'New' }) } }
      const { send, logged, rows } = await servingPeople({ bulk: true, members, [when]: hooks })
      const before = await rows()
      const actions = [['GET', '/people', undefined], ['POST', '/people', NEW], ...ACTIONS.slice(0, -1)] as const
      for (const [method, path, body] of actions) {
        expect((await send(method, path, { body })).body).toEqual(INTERNAL)
        expect(logged.pop()).toMatch(new RegExp(`^\`${when}\\.\\w+\` of crud returned an error\\. Throw it`))
      }
      expect(await rows()).toEqual(before)
    }
  })

  it.each([['change', { change: refuse }], ['run', { run: refuse }]])(
    'by `%s` of a member changes nothing',
    async (_way, rename) => {
      const { send, logged, rows } = await servingPeople({ members: { rename } })
      const before = await rows()
      expect((await send('POST', '/people/1/rename', { body: {} })).body).toEqual(INTERNAL)
      expect(logged.pop()).toMatch(/error.*[Tt]hrow it/)
      expect(await rows()).toEqual(before)
    },
  )
})

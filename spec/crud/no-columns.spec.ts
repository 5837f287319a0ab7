import { describe, expect, it } from 'vitest'
import { servingPeople } from './serving-people.js'

const INTERNAL = { code: 500, message: 'Something went wrong', data: null, meta: { reason: 'internal' } }
const NEW = { email: 'n@example.test', name: 'New' }
const NEITHER: readonly unknown[] = [5, 'x', '', false, true, [], [{ name: 'Listed' }], () => ({ name: 'Made' })]

const serving = (options: object) => servingPeople({ bulk: true, ...options })

const WRITES = [
  ['create', 'POST', '/people', NEW],
  ['create', 'POST', '/people/bulk', { items: [NEW] }],
  ['edit', 'PUT', '/people/1', NEW],
  ['store', 'PATCH', '/people/1', { name: 'New' }],
  ['store', 'PUT', '/people', { ids: [1], data: { name: 'New' } }],
] as const

describe('a function that returns no object of columns', () => {
  it.each(WRITES)('is a logged error that names the hook, and writes nothing: %s, %s %s', async (hook, ...request) => {
    const [method, path, body] = request
    for (const returned of NEITHER) {
      const { send, logged, rows } = await serving({ before: { [hook]: async () => returned } })
      const before = await rows()
      expect((await send(method, path, { body })).body).toEqual(INTERNAL)
      expect(logged).toEqual([
        expect.stringMatching(`^\`before.${hook}\` of crud must return an object of columns, but it returned `),
      ])
      expect(await rows()).toEqual(before)
    }
  })

  it.each(WRITES)('leaves the fields as they are if it returns nothing: %s, %s %s', async (hook, ...request) => {
    const [method, path, body] = request
    for (const returned of [undefined, null]) {
      const { send, rows } = await serving({ before: { [hook]: () => returned } })
      expect((await send(method, path, { body })).status).toBeLessThan(300)
      expect((await rows()).some(({ name }) => name === 'New')).toBe(true)
    }
  })

  it('is a logged error if it is a row of a batch', async () => {
    for (const returned of [...NEITHER, undefined, null]) {
      const { send, logged, rows } = await serving({ before: { createMany: () => [NEW, returned] } })
      const items = [NEW, { ...NEW, email: 'o@example.test' }]
      expect((await send('POST', '/people/bulk', { body: { items } })).body).toEqual(INTERNAL)
      expect(logged).toEqual([expect.stringMatching(/^`before.createMany` of crud must return an object of columns/)])
      expect(await rows()).toHaveLength(5)
    }
  })

  it('is a logged error if it is the change of a member', async () => {
    for (const returned of [...NEITHER, undefined, null]) {
      const { post, logged, rows } = await serving({ members: { rename: { change: async () => returned } } })
      const before = await rows()
      expect((await post('/people/1/rename', {})).body).toEqual(INTERNAL)
      expect(logged).toEqual([
        expect.stringMatching(/^`members.rename.change` of crud must return an object of columns, but it returned /),
      ])
      expect(await rows()).toEqual(before)
    }
  })
})

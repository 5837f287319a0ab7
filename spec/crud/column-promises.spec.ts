import { describe, expect, it } from 'vitest'
import { servingPeople } from './serving-people.js'

const INTERNAL = { code: 500, message: 'Something went wrong', data: null, meta: { reason: 'internal' } }
const NEW = { email: 'n@example.test', name: 'New' }

describe('a column that was not awaited', () => {
  const name = () => Promise.reject(new Error('no hash'))
  const writes = (columns: () => object) => ({
    bulk: true,
    before: { create: columns, edit: columns, store: columns },
    members: { rename: { change: columns } },
  })

  it('is a logged error, whichever function returns it', async () => {
    const { send, logged, rows } = await servingPeople(writes(() => ({ ...NEW, name: name() })))
    const before = await rows()
    const actions = [
      ['POST', '/people', NEW],
      ['POST', '/people/bulk', { items: [NEW] }],
      ['PUT', '/people/1', NEW],
      ['PATCH', '/people/1', { name: 'New' }],
      ['PUT', '/people', { ids: [1], data: { name: 'New' } }],
      ['POST', '/people/1/rename', {}],
    ] as const
    for (const [method, path, body] of actions) {
      expect((await send(method, path, { body })).body).toEqual(INTERNAL)
      expect(logged.pop()).toBe('The value of `name` is a promise: await it before you write it.')
    }
    expect(await rows()).toEqual(before)
  })
})

import { describe, expect, it } from 'vitest'
import { mountResource } from 'resourcery'
import { crud, type Where } from 'resourcery/crud'
import { PersonIn, PersonOut, people, type Person } from './people.js'
import { servingRoutes } from './serving.js'

/** Serves people in a scope. */
function scoped(scope: Where<Person>, store: ReturnType<typeof people>) {
  return servingRoutes((app) =>
    mountResource(app, {
      route: '/people',
      name: 'people',
      ...crud(store, { input: PersonIn, output: PersonOut, scope: () => scope, bulk: true }),
    })
  )
}

describe('rows that a trigger changes', () => {
  /** Returns a store of people that changes some rows as it creates them. */
  function triggered(store: ReturnType<typeof people>, change: (name: string) => Partial<Person>): typeof store {
    const create = (row: Partial<Person>): Promise<Person> => store.create({ ...row, ...change(row.name ?? '') })
    return {
      ...store,
      create,
      createMany: (rows) => Promise.all(rows.map(create)),
      transaction: (work, options) => store.transaction((inside) => work(triggered(inside, change)), options),
    }
  }

  const batch = {
    items: [{ email: 'a@example.test', name: 'Ada' }, { email: 'b@example.test', name: 'Bob' }],
  }

  it('are refused if one of them leaves a scope of rows without a value', async () => {
    const store = triggered(people(0), (name) => (name === 'Bob' ? { age: 3 } : {}))
    const { send } = await scoped([['age', '=', null]], store)
    expect((await send('POST', '/people/bulk', { body: batch })).status).toBe(403)
    expect((await send('POST', '/people/bulk', { body: { items: batch.items.slice(0, 1) } })).status).toBe(201)
  })

  it('are refused if they lose the value that the scope demands', async () => {
    const store = triggered(people(0), (name) => (name === 'Bob' ? { age: null } : {}))
    const { send } = await scoped([['age', '=', 30]], store)
    expect((await send('POST', '/people', { body: batch.items[1] })).status).toBe(403)
    expect((await send('POST', '/people', { body: batch.items[0] })).status).toBe(201)
  })
})

import { describe, expect, it } from 'vitest'
import { mountResource } from 'resourcery'
import { crud, type Store } from 'resourcery/crud'
import { people, PersonIn, PersonOut, type Person } from './people.js'
import { servingRoutes } from './serving.js'

const NEW = { email: 'n@example.test', name: 'New' }

describe('hooks `after`', () => {
  it('write the row of the reply, of its ETag and of `afterCommit`', async () => {
    const committed: string[] = []
    const mark = async (row: Person, { store }: { readonly store: Store<Person> }): Promise<void> => {
      await store.update(row.id, { name: `${row.name.trim()}!` })
    }
    const note = ({ name }: Person): void => void committed.push(name)
    const { send, get } = await servingRoutes((app) =>
      mountResource(app, {
        route: '/people',
        name: 'people',
        ...crud(people(), {
          input: PersonIn,
          output: PersonOut,
          ifMatch: 'required',
          bulk: true,
          after: { create: mark, edit: mark, store: mark },
          afterCommit: { create: note, store: note },
        }),
      })
    )
    const created = await send('POST', '/people', { body: { ...NEW, name: ' Ann ' } })
    const { id, name } = created.body.data as Person
    expect(name).toBe('Ann!')
    const ofTag = { 'if-match': String(created.headers.get('etag')) }
    const changed = await send('PATCH', `/people/${id}`, { body: { name: 'Bob' }, headers: ofTag })
    expect([changed.status, changed.body.data]).toMatchObject([200, { name: 'Bob!' }])
    expect((await get(`/people/${id}`)).headers.get('etag')).toBe(changed.headers.get('etag'))
    const replaced = await send('PUT', `/people/${id}`, { body: NEW, headers: { 'if-match': '*' } })
    expect(replaced.body.data).toMatchObject({ name: 'New!' })
    const items = [{ email: 'x@example.test', name: 'xx' }, { email: 'y@example.test', name: 'yy' }]
    const several = await send('POST', '/people/bulk', { body: { items } })
    expect(several.body.data).toMatchObject([{ name: 'xx!' }, { name: 'yy!' }])
    const patched = await send('PUT', '/people', { body: { ids: [id], data: { name: 'zz' } },
      headers: { 'if-match': '*' } })
    expect(patched.body.data).toMatchObject([{ name: 'zz!' }])
    expect(committed).toEqual(['Ann!', 'Bob!', 'xx!', 'yy!', 'zz!'])
  })
})

import { describe, expect, it, vi } from 'vitest'
import { crud, type CrudOptions } from 'resourcery/crud'
import { BusinessError } from 'resourcery'
import { UniqueViolation } from 'resourcery/crud'
import type { NumberParam } from 'resourcery'
import { mountResource } from 'resourcery'
import { people, PersonIn, PersonOut, type Person } from './people.js'
import { servingRoutes } from './serving.js'

type Options = Partial<CrudOptions<Person, undefined, typeof PersonIn, typeof PersonOut, NumberParam>>

async function hooked(options: Options, store = people(), log?: (error: unknown) => void) {
  const client = await servingRoutes((app) =>
    mountResource(app, {
      route: '/people',
      name: 'people',
      ...crud(store, { input: PersonIn, output: PersonOut, ...options }),
    }), log)
  return { ...client, store, count: async () => store.list({ where: [], order: ['id'] }).count?.() }
}

const NEW = { email: 'n@example.test', name: 'New' }

describe('hooks of crud', () => {
  it('cause a logged 500 where their stores refuse a row, and leave no row', async () => {
    const others = people()
    const taken = { email: 'p1@example.test', name: 'Ann', status: 1 }
    const fault = { code: 500, message: 'Something went wrong', data: null, meta: { reason: 'internal' } }
    const add = async (): Promise<void> => {
      await others.create(taken)
    }
    const now = (): never => {
      throw new UniqueViolation({ columns: ['email'] })
    }
    const cases: readonly Options[] = [
      { before: { create: add } },
      { after: { create: add } },
      { after: { create: now } },
      { transform: async (row) => add().then(() => row) },
    ]
    for (const options of cases) {
      const { send, count } = await hooked(options)
      expect((await send('POST', '/people', { body: NEW })).body).toEqual(fault)
      expect(await count()).toBe(5)
    }
    const { send } = await hooked({ after: { create: add } })
    expect((await send('POST', '/people', { body: taken })).body).toMatchObject({
      code: 409,
      data: { email: ['Already taken'] },
    })
  })

  it('run in order around each action, and after the commit', async () => {
    const seen: string[] = []
    const note = (name: string) => (): void => void seen.push(name)
    const around = (name: string) => ({
      create: note(`${name} create`),
      edit: note(`${name} edit`),
      store: note(`${name} store`),
      delete: note(`${name} delete`),
    })
    const { send } = await hooked({
      check: (row, { action }) => void seen.push(`check ${action} ${row.id}`),
      before: { ...around('before'), list: note('before list'), show: note('before show') },
      after: { ...around('after'), list: note('after list'), show: note('after show') },
      afterCommit: around('committed'),
    })
    await send('GET', '/people')
    await send('GET', '/people/1')
    await send('POST', '/people', { body: NEW })
    await send('PUT', '/people/1', { body: { ...NEW, email: 'm@example.test' } })
    await send('PATCH', '/people/1', { body: {} })
    await send('DELETE', '/people/1')
    await send('DELETE', '/people?ids=2,3')
    expect(seen).toEqual([
      'before list',
      'after list',
      'before show',
      'check show 1',
      'after show',
      'before create',
      'after create',
      'committed create',
      'check edit 1',
      'before edit',
      'after edit',
      'committed edit',
      'check store 1',
      'before store',
      'after store',
      'committed store',
      'check delete 1',
      'before delete',
      'after delete',
      'committed delete',
      'check delete 2',
      'check delete 3',
      'before delete',
      'before delete',
      'after delete',
      'after delete',
      'committed delete',
      'committed delete',
    ])
  })

  it('can write columns that callers cannot write', async () => {
    const { send, store } = await hooked({
      before: {
        create: (fields) => ({ ...fields, age: fields.age ?? null, team: 3, secret: 'kept' }),
        store: (changes, { row }) => ({ ...changes, age: row.id * 10 }),
      },
    })
    expect((await send('POST', '/people', { body: NEW })).body.data).toMatchObject({ id: 6, team: 3 })
    expect(await store.find([6])).toMatchObject([{ secret: 'kept' }])
    expect((await send('PATCH', '/people/2', { body: {} })).body.data).toMatchObject({ age: 20 })
  })

  it('get a replacement as the input declares it: a field that was not sent is undefined, and stored as null', async () => {
    const seen: unknown[] = []
    const { send, store } = await hooked({ before: { edit: (fields, { row }) => {
      seen.push({ ...fields })
      return row.id === 3 ? { ...fields, age: 33 } : row.id === 4 ? { name: fields.name, age: fields.age } : fields
    } } })
    for (const id of [2, 3, 4]) {
      const body = { email: `q${id}@example.test`, name: 'New' }
      expect((await send('PUT', `/people/${id}`, { body })).status).toBe(200)
    }
    expect(seen).toEqual([2, 3, 4].map((id) => ({ email: `q${id}@example.test`, name: 'New', status: 1 })))
    expect(await store.find([2, 3, 4])).toMatchObject([
      { age: null },
      { age: 33 },
      { age: null, email: 'p4@example.test', name: 'New' },
    ])
    expect((await send('PUT', '/people/5', { body: { email: 'r@example.test', name: 'New', age: null } })).status).toBe(
      200,
    )
    expect(seen.at(-1)).toHaveProperty('age', null)
  })

  it('run for an empty partial update, which writes nothing unless they give columns', async () => {
    const updates: unknown[] = []
    const store = people()
    const counting = (inner: typeof store): typeof store => ({
      ...inner,
      update: (key, changes) => {
        updates.push(changes)
        return inner.update(key, changes)
      },
      transaction: (work) => inner.transaction((inside) => work(counting(inside))),
    })
    for (const options of [{}, { before: { store: () => undefined } }]) {
      const { send } = await hooked(options, counting(store))
      const { status, body } = await send('PATCH', '/people/2', { body: {} })
      expect([status, body.data]).toMatchObject([200, { id: 2, name: 'Ben' }])
      expect((await send('PATCH', '/people/99', { body: {} })).status).toBe(404)
    }
    expect(updates).toEqual([])
  })

  it('undo the write if they throw', async () => {
    const refuse = (): never => {
      throw new BusinessError('No', 409, { reason: 'no' })
    }
    const { send, store, count } = await hooked({
      after: { create: refuse, edit: refuse, store: refuse, delete: (row) => (row.id === 3 ? refuse() : undefined) },
    })
    expect((await send('POST', '/people', { body: NEW })).body.meta).toEqual({ reason: 'no' })
    expect((await send('PUT', '/people/1', { body: NEW })).status).toBe(409)
    expect((await send('PATCH', '/people/1', { body: { name: 'New' } })).status).toBe(409)
    expect((await send('DELETE', '/people?ids=1,2,3')).status).toBe(409)
    expect(await count()).toBe(5)
    expect(await store.find([1])).toMatchObject([{ name: 'Ann' }])
    expect((await send('DELETE', '/people?ids=1,2')).status).toBe(200)
  })

  it('run in the transaction of the write', async () => {
    const { send, count } = await hooked({ after: { create: async (row, { store }) => {
      await store.create({ ...row, id: row.id + 100, email: 'copy@example.test' })
      throw new BusinessError('No', 409)
    } } })
    expect((await send('POST', '/people', { body: NEW })).status).toBe(409)
    expect(await count()).toBe(5)
  })

  it('may delete the row that was written, which is in the reply all the same', async () => {
    const { send, count } = await hooked({
      after: { create: async ({ id }, { store }) => void await store.delete([id]) },
    })
    expect((await send('POST', '/people', { body: NEW })).body).toMatchObject({ code: 201, data: { name: 'New' } })
    expect(await count()).toBe(5)
  })

  it('are logged if they throw after the commit, without changing the reply', async () => {
    const log = vi.fn()
    const { send, count } = await hooked({
      afterCommit: { create: () => Promise.reject(new Error('Mail server down')) },
    }, people(), log)
    expect((await send('POST', '/people', { body: NEW })).status).toBe(201)
    expect(await count()).toBe(6)
    expect(log).toHaveBeenCalledWith(
      expect.objectContaining({ message: 'Mail server down' }),
      expect.objectContaining({ method: 'POST' }),
    )
  })

  it('run before `transform`, whose result is checked against `output`', async () => {
    const { get } = await hooked({ transform: (row, req) => ({ ...row, name: `${row.name}@${req.method}` }) })
    expect((await get('/people/1')).body.data).toEqual({
      id: 1,
      email: 'p1@example.test',
      name: 'Ann@GET',
      status: 0,
      age: null,
      team: 0,
    })
    expect((await get('/people?limit=1')).body.data).toEqual([expect.objectContaining({ name: 'Ann@GET' })])
  })
})

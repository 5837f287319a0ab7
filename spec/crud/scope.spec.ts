import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore, type Store, type Where } from 'resourcery/crud'
import { BusinessError } from 'resourcery'
import { param } from 'resourcery'
import { mountResource } from 'resourcery'
import { PersonIn, PersonOut, people, type Person } from './people.js'
import { inUser, projects, type Project } from './projects.js'
import { servingRoutes } from './serving.js'

const teamOf = (req: Request): number => Number(req.get('x-team'))
const inTeam = { headers: { 'x-team': '1' } } // the people 2 and 4

async function scoped(options: object = {}, store = people()) {
  const client = await servingRoutes((app) =>
    mountResource(app, {
      route: '/people',
      name: 'people',
      ...crud(store, {
        input: PersonIn.extend({ team: param.int().optional() }),
        output: PersonOut,
        sort: ['name'],
        search: ['name'],
        scope: (req) => [['team', '=', teamOf(req)]],
        ...options,
      }),
    })
  )
  return { ...client, store }
}

describe('a scope', () => {
  it('limits lists, totals, searches and ids', async () => {
    const { get } = await scoped()
    const reply = await get('/people', inTeam)
    expect([(reply.body.data as Person[]).map(({ id }) => id), reply.body.meta.total]).toEqual([[2, 4], 2])
    expect((await get('/people?ids=1,2,3,4', inTeam)).body.meta.total).toBe(2)
    expect((await get('/people?search=n', inTeam)).body.meta.total).toBe(2)
    expect((await get('/people?cursor=&limit=1', inTeam)).body.data).toHaveLength(1)
  })

  it('replies to a row outside the scope as if it did not exist', async () => {
    const { send, store } = await scoped()
    const body = { email: 'n@example.test', name: 'New' }
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const options = { ...inTeam, ...(method !== 'GET' && method !== 'DELETE' && { body }) }
      const [foreign, missing] = [await send(method, '/people/1', options), await send(method, '/people/999', options)]
      expect(foreign.status).toBe(404)
      expect(foreign.text).toBe(missing.text)
    }
    const [foreign, missing] = [
      await send('DELETE', '/people?ids=2,1', inTeam),
      await send('DELETE', '/people?ids=2,999', inTeam),
    ]
    expect([foreign.status, foreign.text]).toEqual([404, missing.text])
    expect(await store.list({ where: [], order: ['id'] }).count?.()).toBe(5)
    expect((await send('DELETE', '/people?ids=2,4', inTeam)).body.meta).toEqual({ deleted: 2 })
  })

  it('sets its columns in new rows, and refuses changes that leave it', async () => {
    const { send, store } = await scoped()
    const created = await send('POST', '/people', {
      ...inTeam,
      body: { email: 'n@example.test', name: 'New', team: 0 },
    })
    expect(created.body.data).toMatchObject({ id: 6, team: 1 })
    const moved = await send('PATCH', '/people/2', { ...inTeam, body: { team: 0, name: 'Moved' } })
    expect(moved.body).toMatchObject({ code: 403, meta: { reason: 'forbidden' } })
    expect(await store.find([2])).toMatchObject([{ team: 1, name: 'Ben' }])
  })

  it('refuses a change that removes a value which every row of it has', async () => {
    const { send, store } = await scoped({ scope: () => [['age', '!=', null]] })
    expect((await send('PATCH', '/people/2', { body: { age: null } })).status).toBe(403)
    expect((await send('PATCH', '/people/2', { body: { age: 50 } })).status).toBe(200)
    expect(await store.find([2])).toMatchObject([{ age: 50 }])
  })

  it('accepts a cursor whatever the order of its conditions', async () => {
    const conditions: Where<Person> = [['team', '=', 1], ['status', '=', 1]]
    const isTurned = (req: Request): boolean => req.get('x-turned') === 'yes'
    const { get } = await scoped({ scope: (req: Request) => (isTurned(req) ? conditions.toReversed() : conditions) })
    for (const [first, second] of [['no', 'yes'], ['yes', 'no']] as const) {
      const { body } = await get('/people?cursor=&limit=1', { headers: { 'x-turned': first } })
      const next = await get(`/people?limit=1&cursor=${String(body.meta.next)}`, { headers: { 'x-turned': second } })
      expect([next.status, (next.body.data as Person[]).map(({ id }) => id)]).toEqual([200, [4]])
    }
  })

  it('replies 500 if a condition has no value', async () => {
    const { get } = await scoped({ scope: () => [['team', '=', undefined as unknown as number]] })
    expect((await get('/people')).status).toBe(500)
    expect((await get('/people/1')).status).toBe(500)
  })

  it('limits lists only, if given for `list`, while `check` guards the other actions', async () => {
    const check = (row: Person, { req }: { req: Request }): void => {
      if (row.team !== teamOf(req)) throw new BusinessError('Not yours', 403, { reason: 'person.not_yours' })
    }
    const { get, send, store } = await scoped({
      scope: { list: (req: Request) => [['team', '=', teamOf(req)]] },
      check,
    })
    expect((await get('/people', inTeam)).body.meta.total).toBe(2)
    expect((await get('/people/2', inTeam)).status).toBe(200)
    const foreign = await send('GET', '/people/1', inTeam)
    expect(foreign.body).toEqual({ code: 403, message: 'Not yours', data: null, meta: { reason: 'person.not_yours' } })
    expect((await send('PATCH', '/people/1', { ...inTeam, body: { name: 'Mine' } })).status).toBe(403)
    expect((await send('DELETE', '/people?ids=2,1', inTeam)).status).toBe(403)
    expect((await get('/people/99', inTeam)).status).toBe(404)
    expect(await store.list({ where: [], order: ['id'] }).count?.()).toBe(5)
  })
})

/** Returns a store that records the conditions of every `find`. */
function recording<S extends Pick<Store<Person>, 'find' | 'transaction'>>(store: S, asked: Where<Person>[]): S {
  return {
    ...store,
    find: (keys, where = []) => {
      asked.push(where)
      return store.find(keys, where)
    },
    transaction: (work, options) => store.transaction((inside) => work(recording(inside, asked)), options),
  }
}

describe('the check of a written row', () => {
  /** Sends one change under a scope, and returns its status and the conditions of the queries after the first. */
  async function changed(scope: Where<Person>, body: object): Promise<readonly [number, ...Where<Person>[]]> {
    const asked: Where<Person>[] = []
    const { send } = await scoped({ scope: () => scope }, recording(people(), asked))
    const { status } = await send('PATCH', '/people/2', { body })
    return [status, ...asked.slice(1)]
  }

  it('asks the store for conditions that the row alone does not answer', async () => {
    expect(await changed([['team', '=', 1]], { name: 'New' })).toEqual([200, [['team', '=', 1]]])
    expect(await changed([['age', '!=', null]], { name: 'New' })).toEqual([200, [['age', '!=', null]]])
    const either: Where<Person> = [{ any: [[['team', '=', 1]], [['age', '=', null]]] }]
    expect(await changed(either, { name: 'New' })).toEqual([200, either])
  })

  it('answers that a column is null by the row, without a query', async () => {
    const store = people()
    await store.update(2, { age: null })
    const asked: Where<Person>[] = []
    const { send } = await scoped({ scope: () => [['age', '=', null]] }, recording(store, asked))
    expect((await send('PATCH', '/people/2', { body: { name: 'New' } })).status).toBe(200)
    expect(asked).toEqual([[['age', '=', null]]])
  })

  it('asks the store about a column that is null no more, and refuses the change', async () => {
    const store = people()
    await store.update(2, { age: null })
    const asked: Where<Person>[] = []
    const { send } = await scoped({ scope: () => [['age', '=', null]] }, recording(store, asked))
    expect((await send('PATCH', '/people/2', { body: { age: 3 } })).status).toBe(403)
    expect(asked).toEqual([[['age', '=', null]], [['age', '=', null]]])
    expect(await store.find([2])).toMatchObject([{ age: null }])
  })
})

describe('a new row', () => {
  it('is judged by the whole scope after its hooks', async () => {
    const { send, names } = await projects()
    const created = await send('POST', '/projects', { headers: inUser, body: { name: 'a' } })
    expect([created.status, created.body.data, await names()]).toEqual([201, { id: 1, name: 'a' }, ['a']])
    expect((await send('GET', '/projects', { headers: inUser })).body.meta.total).toBe(1)
    expect((await send('GET', '/projects', { headers: { 'x-user': '8' } })).body.meta.total).toBe(0)
  })

  it.each([true, false])('is refused and undone outside the scope, whether or not there is a hook: %s',
    async (joins) => {
      const { send, names } = await projects({}, joins)
      const refused = await send('POST', '/projects', { headers: inUser, body: { name: 'x' } })
      expect([refused.body, await names()]).toMatchObject([{ code: 403, meta: { reason: 'forbidden' } }, []])
    })

  it('is judged as it is stored, whatever its hooks make of it', async () => {
    const moves = (team: number) => ({
      scope: (): Where<Project> => [['team', 'in', [1]]],
      after: {
        create: async (project: Project, { store }: { store: ReturnType<typeof memoryStore<Project>> }) => {
          await store.update(project.id, { team })
        },
      },
    })
    const [stays, leaves] = [await projects(moves(1)), await projects(moves(2))]
    expect((await stays.post('/projects', { name: 'a' })).status).toBe(201)
    expect((await leaves.post('/projects', { name: 'a' })).status).toBe(403)
    expect([await stays.names(), await leaves.names()]).toEqual([['a'], []])
    const brings = await projects({ ...moves(1), before: { create: (fields: object) => ({ ...fields, team: 2 }) } })
    expect((await brings.post('/projects', { name: 'a' })).status).toBe(201)
  })

  it('is not judged by a column that was null before its hook', async () => {
    const store = memoryStore<Project & { closedAt: Date | null }>({ key: 'id', defaults: { closedAt: null } })
    const { post } = await servingRoutes((app) =>
      mountResource(app, {
        route: '/projects',
        name: 'projects',
        ...crud(store, {
          input: z.object({ name: z.string() }),
          output: z.object({ id: z.int() }),
          scope: () => [['closedAt', '=', null]],
          after: {
            create: async (project, { store: inside }) => {
              await inside.update(project.id, { closedAt: new Date() })
            },
          },
        }),
      })
    )
    expect((await post('/projects', { name: 'a' })).status).toBe(403)
  })

  it('is judged by keys that the scope reads again', async () => {
    const joined: number[] = []
    const { post, get } = await projects({
      scope: (): Promise<Where<Project>> => Promise.resolve([['id', 'in', [...joined]]]),
      after: {
        create: ({ id, name }: Project) => {
          if (name === 'a') joined.push(id)
        },
      },
    })
    expect([(await post('/projects', { name: 'a' })).status, (await post('/projects', { name: 'b' })).status])
      .toEqual([201, 403])
    expect((await get('/projects')).body.meta.total).toBe(1)
  })
})

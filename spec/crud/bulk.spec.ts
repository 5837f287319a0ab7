import { Router } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud } from 'resourcery/crud'
import { BusinessError, ConflictError, ValidationError } from 'resourcery'
import { openapi } from 'resourcery/openapi'
import { mountResource } from 'resourcery'
import { routesOf } from 'resourcery'
import { people, PersonIn, PersonOut, type Person } from './people.js'
import { servingRoutes, type Asking } from './serving.js'

const person = (name: string, fields: object = {}): object => ({
  email: `${name.toLowerCase()}@example.test`,
  name,
  ...fields,
})

async function directory(options = {}, store = people()): Promise<Asking & { readonly rows: () => Promise<Person[]> }> {
  const asking = await servingRoutes((app) =>
    mountResource(app, {
      route: '/people',
      name: 'people',
      ...crud(store, { input: PersonIn, output: PersonOut, bulk: true, ...options }),
    })
  )
  return { ...asking, rows: async () => [...await store.list({ where: [], order: ['id'] }).slice(0, 1000)] }
}

it('bulk actions reply with the messages of `perAction`', async () => {
  const perAction = { createMany: { message: 'All hired' }, updateMany: { message: 'All changed' } }
  const { post, send } = await directory({ perAction })
  expect((await post('/people/bulk', { items: [person('Zoe')] })).body).toMatchObject({
    message: 'All hired',
    meta: { created: 1 },
  })
  expect((await send('PUT', '/people', { body: { ids: [1], data: { name: 'Al' } } })).body).toMatchObject({
    message: 'All changed',
    meta: { updated: 1 },
  })
})

describe('createMany', () => {
  it('creates all items from declared fields only', async () => {
    const { post, rows } = await directory({}, people(1))
    const reply = await post('/people/bulk', {
      items: [person('Zoe', { id: 77, secret: 'mine', team: 9 }), person('Yan', { status: '0' })],
    })
    expect(reply.body).toEqual({
      code: 201,
      message: 'Created',
      meta: { created: 2 },
      data: [{ id: 2, email: 'zoe@example.test', name: 'Zoe', status: 1, age: null, team: 0 }, {
        id: 3,
        email: 'yan@example.test',
        name: 'Yan',
        status: 0,
        age: null,
        team: 0,
      }],
    })
    expect(await rows()).toHaveLength(3)
  })

  it.each([
    ['no body', undefined, ['items']],
    ['an object instead of a list', { items: person('Zoe') }, ['items']],
    ['an empty list', { items: [] }, ['items']],
    ['more than a hundred', { items: Array.from({ length: 101 }, (_, index) => person(`P${index}x`)) }, ['items']],
    ['an item that is not an object', { items: [person('Zoe'), 'Yan'] }, ['items.1']],
    ['items that break their rules', {
      items: [person('Zoe'), { name: 'Y' }, person('Xi'), person('Wu', { status: 'x' })],
    }, ['items.1.email', 'items.1.name', 'items.3.status']],
  ])('refuses %s with 422, and writes nothing', async (_, body, fields) => {
    const { post, rows } = await directory()
    const reply = await post('/people/bulk', body)
    expect([reply.status, Object.keys(reply.body.data)]).toEqual([422, fields])
    expect(await rows()).toHaveLength(5)
  })

  it('accepts a hundred items', async () => {
    const { post } = await directory({}, people(0))
    expect(
      (await post('/people/bulk', { items: Array.from({ length: 100 }, (_, index) => person(`P${index}x`)) })).body
        .meta,
    )
      .toEqual({ created: 100 })
  })

  it('names the item with a unique value in use, and creates none', async () => {
    const { post, rows } = await directory()
    const taken = await post('/people/bulk', { items: [person('Zoe'), person('Yan', { email: 'p1@example.test' })] })
    expect(taken.body).toEqual({
      code: 409,
      message: 'items.1: Already taken',
      data: { 'items.1.email': ['Already taken'] },
      meta: { reason: 'conflict' },
    })
    expect((await post('/people/bulk', { items: [person('Zoe'), person('Yan'), person('Zoe')] })).body.message).toMatch(
      /^items\.2: /,
    )
    expect(await rows()).toHaveLength(5)
  })

  it('names the item that a hook or the store refuses, but keeps the message of a business error', async () => {
    const refusals: Readonly<Record<string, Error>> = {
      Field: new ValidationError({ name: ['Not this one'] }),
      Whole: new ValidationError({ _: ['Not at all'] }),
      Taken: new ConflictError('Somebody has it', { reason: 'person.taken' }),
      Rule: new BusinessError('Not today', 403, { reason: 'person.today' }),
    }
    const { post } = await directory({
      before: {
        create: ({ name }: { name: string }) => {
          if (refusals[name] !== undefined) throw refusals[name]
        },
      },
    })
    const errorOf = async (name: string): Promise<unknown> =>
      (await post('/people/bulk', { items: [person('Zoe'), person(name)] })).body
    expect(await errorOf('Field')).toEqual({
      code: 422,
      message: 'Not this one',
      data: { 'items.1.name': ['Not this one'] },
      meta: { reason: 'validation' },
    })
    expect(await errorOf('Whole')).toMatchObject({ data: { 'items.1': ['Not at all'] } })
    expect(await errorOf('Taken')).toEqual({
      code: 409,
      message: 'items.1: Somebody has it',
      data: null,
      meta: { reason: 'person.taken' },
    })
    expect(await errorOf('Rule')).toEqual({
      code: 403,
      message: 'Not today',
      data: null,
      meta: { reason: 'person.today' },
    })
    expect(
      (await post('/people/bulk', { items: [person('Zoe'), person('A\0B', { email: 'nul@example.test' })] })).body.data,
    )
      .toHaveProperty(['items.1.name'])
  })

  it('runs the hooks of create for each item, and `afterCommit` after all are written', async () => {
    const seen: string[] = []
    const note = (what: string) => (row: { name: string }, { action }: { action?: string }) =>
      void seen.push(`${what} ${row.name} ${action ?? ''}`)
    const { post } = await directory({
      before: { create: note('before') },
      after: { create: note('after') },
      afterCommit: { create: note('committed') },
    })
    await post('/people/bulk', { items: [person('Zoe'), person('Yan')] })
    expect(seen).toEqual([
      'before Zoe create',
      'after Zoe create',
      'before Yan create',
      'after Yan create',
      'committed Zoe ',
      'committed Yan ',
    ])
    seen.length = 0
    await post('/people/bulk', { items: [person('Xia'), person('Yan')] })
    expect(seen.filter((line) => line.startsWith('committed'))).toEqual([])
  })

  it('applies the scope and the field rules, and evaluates each once', async () => {
    let asked = 0
    const { post, rows } = await directory({
      scope: () => [['team', '=', 4]],
      fields: { status: { write: () => ++asked < 0 }, age: { read: () => false } },
    })
    const reply = await post('/people/bulk', {
      items: [person('Zoe', { status: 7, age: 3 }), person('Yan', { status: 8 })],
    })
    expect(reply.body.data).toEqual([{ id: 6, email: 'zoe@example.test', name: 'Zoe', status: 1, team: 4 }, {
      id: 7,
      email: 'yan@example.test',
      name: 'Yan',
      status: 1,
      team: 4,
    }])
    expect(asked).toBe(1)
    expect((await rows()).slice(-2)).toMatchObject([{ team: 4, age: 3 }, { team: 4 }])
  })
})

describe('updateMany', () => {
  it('changes only the sent fields of the rows, without defaults, in the order of the ids', async () => {
    const { send, rows } = await directory()
    const reply = await send('PUT', '/people', {
      body: { ids: [5, '2', 5], data: { age: 50, id: 9, secret: 'x', team: 9 } },
    })
    expect(reply.body).toEqual({
      code: 200,
      message: 'Saved',
      meta: { updated: 2 },
      data: [{ id: 5, email: 'p5@example.test', name: 'Ben', status: 0, age: 50, team: 0 }, {
        id: 2,
        email: 'p2@example.test',
        name: 'Ben',
        status: 1,
        age: 50,
        team: 1,
      }],
    })
    expect((await rows()).map(({ age, secret }) => [age, secret])).toEqual([[null, 's0'], [50, 's1'], [22, 's2'], [
      23,
      's3',
    ], [50, 's4']])
    expect((await send('PUT', '/people', { body: { ids: [1], data: {} } })).body.data).toMatchObject([{
      id: 1,
      status: 0,
    }])
  })

  it('changes no row if one id is unknown or one row is refused', async () => {
    const { send, rows } = await directory({
      check: ({ id }: Person) => {
        if (id === 4) throw new BusinessError('Not this one', 403, { reason: 'person.four' })
      },
    })
    const before = await rows()
    expect((await send('PUT', '/people', { body: { ids: [1, 99], data: { age: 1 } } })).body).toMatchObject({
      code: 404,
      message: 'One of these records was not found',
    })
    expect((await send('PUT', '/people', { body: { ids: [99], data: { age: 1 } } })).status).toBe(404)
    expect((await send('PUT', '/people', { body: { ids: [1, 4], data: { age: 1 } } })).body).toMatchObject({
      code: 403,
      meta: { reason: 'person.four' },
    })
    const taken = await send('PUT', '/people', { body: { ids: [1, 2], data: { email: 'n@example.test' } } })
    expect(taken.body).toMatchObject({
      code: 409,
      message: 'ids.1: Already taken',
      meta: { reason: 'conflict' },
    })
    expect(await rows()).toEqual(before)
  })

  it('runs the hooks of store with each row', async () => {
    const seen: string[] = []
    const { send } = await directory({
      before: {
        store: ({ age }: Person, { row, action }: { row: Person; action: string }) => {
          seen.push(`${action} ${row.id}`)
          return { age: Number(age) + row.id }
        },
      },
      afterCommit: { store: ({ id }: Person) => void seen.push(`committed ${id}`) },
    })
    const reply = await send('PUT', '/people', { body: { ids: [1, 2], data: { age: 50 } } })
    expect([seen, reply.body.data]).toEqual([['store 1', 'store 2', 'committed 1', 'committed 2'], [
      expect.objectContaining({ age: 51 }),
      expect.objectContaining({ age: 52 }),
    ]])
  })

  it('refuses rows outside the scope, and changes that leave the scope', async () => {
    const { send, rows } = await directory({ scope: () => [['status', '=', 1]] })
    const before = await rows()
    expect((await send('PUT', '/people', { body: { ids: [2, 3], data: { age: 1 } } })).status).toBe(404)
    expect((await send('PUT', '/people', { body: { ids: [2, 4], data: { status: 0 } } })).status).toBe(403)
    expect(await rows()).toEqual(before)
  })

  it.each([
    ['no ids', { data: {} }, 'ids'],
    ['ids in a string', { ids: '12', data: {} }, 'ids'],
    ['an empty list of ids', { ids: [], data: {} }, 'ids'],
    ['too many', { ids: Array.from({ length: 101 }, (_, index) => index), data: {} }, 'ids'],
    ['a wrong id', { ids: [1, 'x'], data: {} }, 'ids.1'],
    ['no data', { ids: [1] }, 'data'],
    ['data that is not an object', { ids: [1], data: [] }, 'data'],
    ['a wrong value', { ids: [1], data: { name: 'A' } }, 'data.name'],
  ])('refuses %s with 422', async (_, body, field) => {
    const { send } = await directory()
    const reply = await send('PUT', '/people', { body })
    expect([reply.status, Object.keys(reply.body.data)]).toEqual([422, [field]])
  })
})

describe('the bulk actions', () => {
  const mounted = (bulk: true | readonly ('createMany' | 'updateMany')[]): Router => {
    const router = Router()
    mountResource(router, {
      app: 'hr',
      route: '/people',
      name: 'people',
      ...crud(people(), { input: PersonIn, output: PersonOut, bulk }),
    })
    return router
  }

  it('are added by `bulk`, each with its own permission', () => {
    const custom = (router: Router): string[] =>
      routesOf(router)
        .slice(-9)
        .map(({ method, path, permission }) => `${method} ${path} ${String(permission)}`)
        .filter((line) => line.endsWith('Many'))
    expect(custom(mounted(true))).toEqual(
      expect.arrayContaining(['POST /people/bulk hr.people.createMany', 'PUT /people hr.people.updateMany']),
    )
    expect(custom(mounted(['createMany'])).join()).not.toContain('updateMany')
  })

  it('are documented with their input, reply and counts', () => {
    const { paths, components } = openapi(mounted(true), { title: 'People', version: '1' })
    const [create, update] = [paths['/people/bulk']?.post, paths['/people']?.put]
    expect(Object.keys(create?.responses ?? {})).toEqual(expect.arrayContaining(['201', '409', '422']))
    expect(JSON.stringify(components.schemas.PersonCreateMany)).toContain('"maxItems":100')
    expect(create?.responses['201']).toMatchObject({
      content: {
        'application/json': {
          schema: { properties: { data: { type: 'array' }, meta: { $ref: '#/components/schemas/CreatedMeta' } } },
        },
      },
    })
    expect(components.schemas.CreatedMeta).toMatchObject({ properties: { created: { type: 'integer' } } })
    expect(Object.keys(update?.responses ?? {})).toEqual(expect.arrayContaining(['200', '404', '409', '422']))
    expect(update?.responses['200']).toMatchObject({
      content: {
        'application/json': { schema: { properties: { meta: { $ref: '#/components/schemas/UpdatedMeta' } } } },
      },
    })
    expect(components.schemas.UpdatedMeta).toMatchObject({ properties: { updated: { type: 'integer' } } })
    const body = JSON.stringify(components.schemas.PersonUpdateMany)
    expect(body).toContain('"data"')
    expect(body).not.toContain('"default"')
  })

  it('can be extended after spreading', async () => {
    const made = crud(people(), { input: PersonIn, output: PersonOut, bulk: true })
    const { post } = await servingRoutes((app) =>
      mountResource(app, {
        route: '/people',
        name: 'people',
        ...made,
        custom: {
          ...made.custom,
          createMany: {
            ...made
              .custom
              .createMany,
            output: z.array(PersonOut.pick({ id: true })),
          },
        },
      })
    )
    expect((await post('/people/bulk', { items: [person('Zoe')] })).body.data).toEqual([{ id: 6 }])
  })
})

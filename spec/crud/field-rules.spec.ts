import { Router } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { auth } from 'resourcery'
import { issueToken } from 'resourcery'
import { crud } from 'resourcery/crud'
import { param } from 'resourcery'
import { permission } from 'resourcery'
import { mountResource } from 'resourcery'
import { people, PersonIn, PersonOut, type Person } from './people.js'
import { servingRoutes } from './serving.js'

const SECRET = 'a secret of this spec that is long enough'
const ROLES = { boss: ['*'], clerk: ['hr.people.*'] }

async function company(options: object = {}) {
  const store = people()
  const client = await servingRoutes((app) => {
    const hr = Router()
    hr.use(auth('hr', { secret: SECRET }), permission('hr', { roles: ROLES }))
    mountResource(hr, {
      app: 'hr',
      route: '/people',
      name: 'people',
      ...crud(store, {
        input: PersonIn.extend({ status: param.int().default(1), age: param.int().nullable().default(18) }),
        output: PersonOut,
        sort: ['name', 'team'],
        search: ['name', 'email'],
        filters: { team: { eq: param.int() }, age: { range: param.int() } },
        fields: {
          team: { read: 'hr.salaries' },
          age: { read: 'hr.salaries', write: 'hr.salaries' },
          email: { read: (req) => req.auth?.role === 'boss' },
        },
        ...options,
      }),
    })
    app.use('/hr', hr)
  })
  const tokenOf = async (role: string): Promise<{ token: string }> => ({
    token: await issueToken('hr', { id: 1, role }, { secret: SECRET }),
  })
  return { ...client, store, boss: await tokenOf('boss'), clerk: await tokenOf('clerk') }
}

describe('rules of single fields', () => {
  it('show a field only to callers who may read it', async () => {
    const { get, boss, clerk } = await company()
    expect((await get('/hr/people/2', boss)).body.data).toEqual({
      id: 2,
      email: 'p2@example.test',
      name: 'Ben',
      status: 1,
      age: 21,
      team: 1,
    })
    expect((await get('/hr/people/2', clerk)).body.data).toEqual({ id: 2, name: 'Ben', status: 1 })
    expect((await get('/hr/people?limit=1', clerk)).body.data).toEqual([{ id: 1, name: 'Ann', status: 0 }])
  })

  it('refuse to sort, filter or search by fields that the caller may not read', async () => {
    const { get, boss, clerk } = await company()
    for (const query of ['sort=team', 'sort=-name,-team', 'team=1', 'age_gte=22']) {
      expect((await get(`/hr/people?${query}`, boss)).status).toBe(200)
      expect((await get(`/hr/people?${query}`, clerk)).status).toBe(422)
    }
    expect((await get('/hr/people?search=p2%40', boss)).body.meta.total).toBe(1)
    expect((await get('/hr/people?search=p2%40', clerk)).body.meta.total).toBe(0)
    expect((await get('/hr/people?search=ben', clerk)).body.meta.total).toBe(2)
  })

  it('write a field for permitted callers, and drop it for others', async () => {
    const { send, store, boss, clerk } = await company()
    const body = { email: 'n@example.test', name: 'New', age: 50 }
    expect((await send('PATCH', '/hr/people/2', { ...boss, body: { age: 50 } })).body.data).toMatchObject({ age: 50 })
    await send('PATCH', '/hr/people/2', { ...clerk, body: { age: 60, name: 'Bob' } })
    await send('PUT', '/hr/people/3', { ...clerk, body })
    await send('POST', '/hr/people', { ...clerk, body: { ...body, email: 'm@example.test' } })
    expect(await store.find([2, 3, 6])).toMatchObject([{ age: 50, name: 'Bob' }, { age: 22, name: 'New' }, {
      age: 18,
      name: 'New',
    }])
  })

  it('reply 503 if they fail', async () => {
    const { get, boss } = await company({ fields: { team: { read: () => Promise.reject(new Error('down')) } } })
    expect((await get('/hr/people/2', boss)).status).toBe(503)
  })

  it('grant nothing by a permission if the resource has no application', async () => {
    const store = people()
    const { get } = await servingRoutes((app) =>
      mountResource(app, {
        route: '/people',
        name: 'people',
        ...crud(store, { input: z.object({}), output: PersonOut, fields: { team: { read: 'hr.salaries' } } }),
      })
    )
    expect(Object.keys((await get('/people/1')).body.data as Person)).not.toContain('team')
  })
})

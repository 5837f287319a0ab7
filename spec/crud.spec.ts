import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, filter, memoryStore } from 'resourcery/crud'
import { param } from 'resourcery'
import { mountResource } from 'resourcery'
import type { Reply } from './support/http.js'
import { people, PersonIn, PersonOut, type Person } from './crud/people.js'
import { servingRoutes, type Asking } from './crud/serving.js'

const idsOf = (reply: Reply): number[] => (reply.body.data as Person[]).map(({ id }) => id)

async function directory(store = people(), options = {}): Promise<Asking> {
  return servingRoutes((app) =>
    mountResource(app, {
      route: '/people',
      name: 'people',
      ...crud(store, {
        input: PersonIn,
        output: PersonOut,
        sort: ['name', 'status'],
        search: ['name'],
        filters: {
          status: { eq: param.int() },
          team: { oneOf: param.int() },
          email: { contains: true },
          age: { range: param.int() },
        },
        customFilters: { grown: filter(param.bool(), (grown) => (grown ? [['age', '>=', 23]] : [])) },
        ...options,
      }),
    })
  )
}

describe('the list of a crud resource', () => {
  it('is paged, and sorted by the key by default', async () => {
    const { get } = await directory()
    const reply = await get('/people?page=2&limit=2')
    expect(idsOf(reply)).toEqual([3, 4])
    expect(reply.body.meta).toEqual({ total: 5, page: 2, limit: 2 })
    expect((reply.body.data as Person[])[0]).toEqual({
      id: 3,
      email: 'p3@example.test',
      name: 'Cid',
      status: 0,
      age: 22,
      team: 0,
    })
    expect(idsOf(await get('/people?page=9'))).toEqual([])
  })

  it('sorts by declared fields, and by the key among equal values in the direction of the last field', async () => {
    const { get } = await directory()
    expect(idsOf(await get('/people?sort=name'))).toEqual([1, 4, 2, 5, 3])
    expect(idsOf(await get('/people?sort=-name'))).toEqual([3, 5, 2, 4, 1])
    expect(idsOf(await get('/people?sort=status,-name'))).toEqual([3, 5, 1, 2, 4])
    expect(idsOf(await get('/people?sort=-name,id'))).toEqual([3, 2, 5, 1, 4])
    expect(idsOf(await get('/people?sort=-id,name'))).toEqual([5, 4, 3, 2, 1])
  })

  it('filters by equality, lists, substrings, ranges and custom filters', async () => {
    const { get } = await directory()
    expect(idsOf(await get('/people?status=1'))).toEqual([2, 4])
    expect(idsOf(await get('/people?team=0&team=1'))).toEqual([1, 2, 3, 4, 5])
    expect(idsOf(await get('/people?team[]=1'))).toEqual([2, 4])
    expect(idsOf(await get('/people?email=P3@'))).toEqual([3])
    expect(idsOf(await get('/people?email=%25'))).toEqual([])
    expect(idsOf(await get('/people?age_gte=22&age_lte=23'))).toEqual([3, 4])
    expect(idsOf(await get('/people?grown=true'))).toEqual([4, 5])
    expect(idsOf(await get('/people?grown=false&status=0'))).toEqual([1, 3, 5])
    expect(idsOf(await get('/people?search=an'))).toEqual([1, 4])
    expect((await get('/people?search=an&status=1')).body.meta.total).toBe(1)
  })

  it('returns rows in the order of `ids` unless `sort` is given', async () => {
    const { get } = await directory()
    expect(idsOf(await get('/people?ids=5,2,5,99'))).toEqual([5, 2])
    expect(idsOf(await get('/people?ids[]=4&ids[]=1'))).toEqual([4, 1])
    expect(idsOf(await get('/people?ids=5,2&sort=id'))).toEqual([2, 5])
    expect(idsOf(await get('/people?ids=5,2,4&status=1'))).toEqual([2, 4])
    const second = await get('/people?ids=5,2,4&page=2&limit=2')
    expect([idsOf(second), second.body.meta]).toEqual([[4], { total: 3, page: 2, limit: 2 }])
  })

  it.each([
    'page=0',
    'page=x',
    'page=9007199254740991',
    'page=1&page=2',
    'limit=101',
    'limit=-1',
    'sort=secret',
    'sort=age',
    'sort=',
    'sort=name,name',
    'sort=--name',
    'sort[]=name',
    'status=x',
    'status=',
    'team=x',
    'age_gte=1e1',
    'age_lte=',
    'ids=',
    'ids=1,x',
    `ids=${Array.from({ length: 101 }, (_, i) => i).join()}`,
    'search=%00',
    'email=%00',
    `search=${'a'.repeat(201)}`,
    'cursor=nonsense',
    'cursor=&cursor=',
    'grown=yes',
  ])('refuses ?%s with 422 that names the parameter', async (query) => {
    const { get } = await directory()
    const reply = await get(`/people?${query}`)
    expect(reply.status).toBe(422)
    expect(Object.keys(reply.body.data)[0]?.split('.')[0]).toBe(/^\w+/.exec(query)?.[0])
  })

  it('refuses filters by a hidden column, and does not search in one', async () => {
    const { get } = await directory()
    for (const query of ['secret=s1', 'secret_gte=a', 'name=Ann', 'id=3', 'sort=secret']) {
      expect((await get(`/people?${query}`)).status)
        .toBe(422)
    }
    expect(idsOf(await get('/people?search=s1'))).toEqual([])
  })

  it('pages by cursor without being affected by added or deleted rows', async () => {
    const store = people()
    const { get } = await directory(store)
    const first = await get('/people?cursor=&limit=2&sort=-name')
    expect([idsOf(first), Object.keys(first.body.meta)]).toEqual([[3, 5], ['limit', 'next']])
    await store.delete([3])
    const second = await get(`/people?cursor=${String(first.body.meta.next)}&limit=2&sort=-name`)
    expect(idsOf(second)).toEqual([2, 4])
    expect((await get(`/people?cursor=${String(first.body.meta.next)}&sort=name`)).status).toBe(422)
    const last = await get(`/people?cursor=${String(second.body.meta.next)}&limit=2&sort=-name`)
    expect([idsOf(last), last.body.meta.next]).toEqual([[1], null])
  })

  it('omits the total and refuses cursors if they are disabled', async () => {
    const { get } = await directory(people(), { total: false, cursor: false })
    expect((await get('/people?limit=2')).body.meta).toEqual({ page: 1, limit: 2 })
    expect((await get('/people?cursor=')).status).toBe(422)
  })

  it('reads renamed parameters, and refuses the original names', async () => {
    const { get } = await directory(people(), {
      paramNames: { limit: 'pageSize', page: 'current', sort: 'order', ids: 'only', search: 'q', cursor: 'after' },
      headers: true,
    })
    const reply = await get('/people?pageSize=2&current=2&order=-id&q=n')
    expect(reply.body.meta).toEqual({ total: 4, page: 2, limit: 2 })
    expect(idsOf(reply)).toEqual([2, 1])
    expect(idsOf(await get('/people?only=3,1'))).toEqual([3, 1])
    expect(Object.keys((await get('/people?pageSize=x')).body.data)).toEqual(['pageSize'])
    expect(Object.keys((await get('/people?limit=1')).body.data)).toEqual(['limit'])
    expect(Object.keys((await get('/people?after=nonsense')).body.data)).toEqual(['after'])
    expect((await get('/people?after=&pageSize=2')).headers.get('link')).toMatch(
      /^<\?after=&pageSize=2>; rel="first", <\?after=[\w-]+&pageSize=2>; rel="next"$/,
    )
  })

  it('replies total and links in headers if enabled', async () => {
    const { get } = await directory(people(), { headers: true, unknownParams: ['x'] })
    const { headers } = await get('/people?limit=2&page=2&status=0&x=%22%3E')
    expect(headers.get('x-total-count')).toBe('3')
    expect(headers.get('access-control-expose-headers')).toBe('Link, X-Total-Count')
    expect(headers.get('link')).toBe(
      ['first', 'prev', 'last']
        .map((rel) => `<?limit=2&page=${rel === 'last' ? 2 : 1}&status=0&x=%22%3E>; rel="${rel}"`)
        .join(', '),
    )
    expect((await get('/people?limit=2')).headers.get('link')).toContain('<?limit=2&page=2>; rel="next"')
    expect((await get('/people?page=90')).headers.get('link')).toContain('<?page=1>; rel="prev"')
    expect((await get('/people?limit=1&search=n?&x=a?b')).headers.get('link')).toContain(
      '<?limit=1&search=n%3F&x=a%3Fb&page=1>; rel="first"',
    )
    expect((await (await directory()).get('/people')).headers.has('link')).toBe(false)
  })
})

describe('the writing actions of a crud resource', () => {
  it('create a row from declared fields only', async () => {
    const store = people(1)
    const { post } = await directory(store)
    const reply = await post('/people', {
      email: 'x@example.test',
      name: 'Zoe',
      id: 77,
      team: 9,
      secret: 'mine',
      __proto__: { team: 3 },
    })
    expect(reply.body).toEqual({
      code: 201,
      message: 'Created',
      data: { id: 2, email: 'x@example.test', name: 'Zoe', status: 1, age: null, team: 0 },
      meta: {},
    })
    expect(await store.find([2])).toEqual([{
      id: 2,
      email: 'x@example.test',
      name: 'Zoe',
      status: 1,
      age: null,
      team: 0,
      secret: '',
    }])
  })

  it('replace a row by a record that the rules about several fields accept, where callers choose the key too', async () => {
    const Span = z.object({ id: z.string(), from: z.int(), to: z.int() })
    const input = Span.refine(({ id, from, to }) => from <= to && id !== 'closed', { error: 'Not a span',
      path: ['to'] })
    const spans = memoryStore<z.output<typeof Span>>({ key: 'id',
      rows: [{ id: 'a', from: 1, to: 2 }, { id: 'closed', from: 1, to: 2 }] })
    const { send } = await servingRoutes((app) =>
      mountResource(app, { route: '/spans', name: 'spans', ...crud(spans, { id: z.string(), input, output: Span }) })
    )
    const replace = async (id: string, from: number, to: number): Promise<unknown> =>
      (await send('PUT', `/spans/${id}`, { body: { id: 'b', from, to } })).body.data
    expect(await replace('a', 3, 1)).toEqual({ to: ['Not a span'] })
    expect(await replace('closed', 1, 3)).toEqual({ to: ['Not a span'] })
    expect(await replace('a', 1, 3)).toEqual({ id: 'a', from: 1, to: 3 })
  })

  it('replace a row, with defaults or null for omitted fields', async () => {
    const { send } = await directory()
    const reply = await send('PUT', '/people/2', { body: { email: 'b@example.test', name: 'Bob', id: 1, team: 7 } })
    expect(reply.body).toEqual({
      code: 200,
      message: 'Saved',
      data: { id: 2, email: 'b@example.test', name: 'Bob', status: 1, age: null, team: 1 },
      meta: {},
    })
    expect((await send('PUT', '/people/2', { body: { name: 'Bob' } })).status).toBe(422)
  })

  it('change only the fields that were sent, without defaults', async () => {
    const { send } = await directory()
    expect((await send('PATCH', '/people/3', { body: { name: 'Cyd' } })).body.data).toEqual({
      id: 3,
      email: 'p3@example.test',
      name: 'Cyd',
      status: 0,
      age: 22,
      team: 0,
    })
    expect((await send('PATCH', '/people/3', { body: { age: null, team: 5 } })).body.data).toMatchObject({
      age: null,
      team: 0,
      status: 0,
    })
    expect((await send('PATCH', '/people/3', { body: {} })).body.data).toMatchObject({ name: 'Cyd' })
    expect((await send('PATCH', '/people/3', { body: { name: 'C' } })).status).toBe(422)
  })

  it('delete one row, or all or none of several', async () => {
    const store = people()
    const { send } = await directory(store)
    expect((await send('DELETE', '/people/1')).body).toEqual({ code: 200, message: 'Deleted', data: null, meta: {} })
    expect((await send('DELETE', '/people/1')).status).toBe(404)
    expect((await send('DELETE', '/people?ids=2,3,99')).status).toBe(404)
    expect((await send('DELETE', '/people', { body: { ids: '23' } })).status).toBe(422)
    expect(
      (await send('DELETE', '/people', { body: { ids: Array.from({ length: 101 }, (_, index) => index) } })).status,
    )
      .toBe(422)
    expect(await store.list({ where: [], order: ['id'] }).count?.()).toBe(4)
    expect((await send('DELETE', '/people', { body: { ids: [2, 3, 2] } })).body).toEqual({
      code: 200,
      message: 'Deleted',
      data: null,
      meta: { deleted: 2 },
    })
    expect(await store.list({ where: [], order: ['id'] }).count?.()).toBe(2)
  })

  it('reply 409 for a unique value in use, 404 for an unknown id and 422 for an invalid one', async () => {
    const { post, get, send } = await directory()
    expect((await post('/people', { email: 'p1@example.test', name: 'Two' })).body).toMatchObject({
      code: 409,
      meta: { reason: 'conflict' },
    })
    expect((await send('PATCH', '/people/2', { body: { email: 'p1@example.test' } })).status).toBe(409)
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const body = method === 'GET' || method === 'DELETE' ? undefined : { email: 'n@example.test', name: 'New' }
      expect((await send(method, '/people/99', { body })).status).toBe(404)
      for (const id of ['1.0', '1e0', '%201', 'x']) {
        expect((await send(method, `/people/${id}`, { body })).status).toBe(422)
      }
    }
    expect((await get('/people/2')).status).toBe(200)
  })

  it('create one row if 100 concurrent requests use the same unique value', async () => {
    const { post } = await directory(people(0))
    const replies = await Promise.all(
      Array.from({ length: 100 }, () => post('/people', { email: 'one@example.test', name: 'One' })),
    )
    const statuses = replies.map(({ status }) => status).sort()
    expect(statuses).toEqual([201, ...Array.from({ length: 99 }, () => 409)])
  })
})

describe('conflicting options of crud', () => {
  const make = (options: object) => () => crud(people(), { input: PersonIn, output: PersonOut, ...options })

  it.each([
    ['a sort by a hidden column', { sort: ['secret'] }, 'crud_hidden'],
    ['an order by a hidden column', { order: ['-secret'] }, 'crud_hidden'],
    ['a search in a hidden column', { search: ['secret'] }, 'crud_hidden'],
    ['a filter by a hidden column', { filters: { secret: { eq: z.string() } } }, 'crud_hidden'],
    ['two filters of one name', { filters: { status: { eq: param.int(), oneOf: param.int() } } }, 'crud_filter'],
    ['a filter of nothing', { filters: { status: {} } }, 'crud_filter'],
    [
      'a filter of your own with a taken name',
      { customFilters: { page: filter(param.int(), () => []) } },
      'crud_names',
    ],
    ['two parameters of one name', { paramNames: { limit: 'page' } }, 'crud_names'],
    ['a limit above the maximum', { limit: 50, maxLimit: 10 }, 'crud_limit'],
    ['a conflict with neither field nor message', { conflicts: { users_email_key: {} } }, 'crud_conflicts'],
    ['a conflict of a field that is not writable', { conflicts: { users_email_key: { field: 'secret2' } } },
      'crud_conflicts'],
    ['a deadline in text', { deadline: '5' }, 'crud_deadline'],
  ])('throw a MisuseError: %s', (_, options, code) => {
    expect(make(options)).toThrow(expect.objectContaining({ code }))
  })
})

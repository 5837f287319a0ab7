import type { Express, Request } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, filter, memoryStore, type Where } from 'resourcery/crud'
import { param } from 'resourcery'
import { mountResource } from 'resourcery'
import { people, PersonIn, PersonOut, type Person } from './people.js'
import { servingRoutes, type Asking } from './serving.js'

function made(options: object = {}) {
  return crud(people(), {
    input: PersonIn,
    output: PersonOut,
    sort: ['name'],
    search: ['name'],
    filters: { status: { eq: param.int() }, team: { oneOf: param.int() }, age: { range: param.int() } },
    customFilters: { grown: filter(param.bool(), (grown) => (grown ? [['age', '>=', 23]] : [])) },
    ...options,
  })
}

function client(options: object = {}, configure: (app: Express) => void = () => undefined): Promise<Asking> {
  return servingRoutes((app) => {
    configure(app)
    mountResource(app, { route: '/people', name: 'people', ...made(options) })
  })
}

const extended = (app: Express): void => void app.set('query parser', 'extended')
const NAMES = 'age_gte, age_lte, cursor, grown, ids, limit, page, search, sort, status, team'

describe('an unknown query name of a list', () => {
  it.each([
    'statuss=1',
    'Status=1',
    'age=5',
    'age_gt=5',
    'status_gte=1',
    'secret=s1',
    'name=Ann',
    'bom=true',
    'tree=true',
    'deleted=with',
    'q=x',
    '_=1',
    'constructor=1',
    'toString=',
    'hasOwnProperty=1',
    'search%5B$ne%5D=x',
    'status%5Bgte%5D=1',
    'page%5Bx%5D=1',
    '__proto__%5Bx%5D=1',
    ' page=1',
    'page%20=1',
    'pa%00ge=1',
    '%E2%82%AC=1',
  ])('is refused with 422: ?%s with either query parser', async (query) => {
    for (const configure of [() => undefined, extended]) {
      const reply = await (await client({}, configure)).get(`/people?${query}`)
      // qs drops these names, so that the query is empty.
      if (reply.status === 200) expect(query).toContain('__proto__')
      else expect(reply.status).toBe(422)
    }
  })

  it('is refused with the list of known names', async () => {
    const { body } = await (await client()).get('/people?statuss=1&limit=2')
    expect(body).toEqual({
      code: 422,
      message: `Unknown parameter. Use ${NAMES}`,
      data: { statuss: [`Unknown parameter. Use ${NAMES}`] },
      meta: { reason: 'validation' },
    })
  })

  it('is reported together with all others, before the store is read', async () => {
    let asked = 0
    const { body } = await (await client({ before: { list: () => {
      asked++
    } } })).get('/people?a=1&b=2&limit=2')
    expect([Object.keys(body.data), asked]).toEqual([['a', 'b'], 0])
  })
})

describe('a known query name of a list', () => {
  it.each([
    'page=1',
    'limit=2',
    'search=n',
    'sort=-name',
    'cursor=',
    'ids=1',
    'ids[]=1&ids[]=2',
    'ids[0]=1&ids[1]=2',
    'status=1',
    'team=1&team=0',
    'team[]=1',
    'team[3]=1',
    'age_gte=1&age_lte=90',
    'grown=true',
    '',
  ])(
    'is accepted in each notation: ?%s with either query parser',
    async (query) => {
      for (const configure of [() => undefined, extended]) {
        expect((await (await client({}, configure)).get(`/people?${query}`)).status).toBe(200)
      }
    },
  )

  const Expand = z.object({ expand: z.string().optional() })

  it.each([['an object', Expand], ['a lazy schema', z.lazy(() => Expand)]])('can be added by %s', async (_, added) => {
    const { handlers } = made()
    const list = { ...handlers.list, input: handlers.list.input.and(added) }
    const { get } = await servingRoutes((app) =>
      mountResource(app, { route: '/people', name: 'people', handlers: { ...handlers, list } })
    )
    expect((await get('/people?expand=team&limit=1')).status).toBe(200)
    expect((await get('/people?expandd=team')).body.message).toContain(', expand, ')
  })

  it('can be renamed by the resource', async () => {
    const { get } = await client({ paramNames: { limit: 'pageSize' } })
    expect((await get('/people?pageSize=1')).status).toBe(200)
    expect((await get('/people?limit=1')).body.message).toContain('pageSize')
  })
})

describe('a filter with the name of another parameter', () => {
  const Tap = z.object({ id: z.int(), limit: z.int(), search: z.string(), sort: z.string().nullable() })
  const rows = [{ id: 1, limit: 5, search: 'red', sort: 'a' }, { id: 2, limit: 5, search: 'blue', sort: null }, {
    id: 3,
    limit: 7,
    search: 'red',
    sort: 'b',
  }]

  it('is possible where `paramNames` gives that parameter another name', async () => {
    const taps = crud(memoryStore({ key: 'id', rows }), {
      input: Tap.omit({ id: true }),
      output: Tap,
      search: ['search'],
      filters: { limit: { eq: param.int() }, search: { contains: true }, sort: { isNull: true, eq: z.string() } },
      customFilters: { page: filter(param.int(), (id) => [['id', '>=', id]]) },
      paramNames: { limit: 'size', search: 'q', sort: 'order', page: 'number' },
      headers: true,
    })
    const { get } = await servingRoutes((app) => mountResource(app, { route: '/taps', name: 'taps', ...taps }))
    const ids = async (query: string): Promise<unknown> =>
      ((await get(`/taps?${query}`)).body.data as { id: number }[]).map(({ id }) => id)
    expect(await ids('limit=5')).toEqual([1, 2])
    expect(await ids('limit=5&size=1&order=-id')).toEqual([2])
    expect(await ids('search=red&q=ed&size=1&number=2')).toEqual([3])
    expect(await ids('page=2&sort_isNull=true')).toEqual([2])
    expect((await get('/taps?size=1&page=2')).headers.get('link')).toContain('<?size=1&page=2&number=2>; rel="next"')
  })

  it('is refused without another name for that parameter', () => {
    expect(() =>
      crud(memoryStore({ key: 'id', rows }), {
        input: Tap.omit({ id: true }),
        output: Tap,
        filters: { limit: { eq: param.int() } },
      })
    ).toThrow(expect.objectContaining({ code: 'crud_names' }))
  })
})

it('a list can be filtered by a column with the name of a property that every object has', async () => {
  const input = z.object({ constructor: z.string(), valueOf: z.int() })
  const Car = z.object({ id: z.int(), ...input.shape })
  const rows: z.output<typeof Car>[] = [{ id: 1, constructor: 'Lotus', valueOf: 3 }, {
    id: 2,
    constructor: 'Brabham',
    valueOf: 4,
  }]
  const cars = crud(memoryStore({ key: 'id', rows }), {
    input,
    output: Car,
    sort: ['constructor'],
    filters: { constructor: { eq: z.string() }, valueOf: { ne: param.int() } },
    customFilters: { toString: filter(z.string(), (name) => [['constructor', 'startsWith', name]]) },
  })
  const { get } = await servingRoutes((app) => mountResource(app, { route: '/cars', name: 'cars', ...cars }))
  const ids = async (query: string): Promise<unknown> =>
    ((await get(`/cars?${query}`)).body.data as { id: number }[]).map(({ id }) => id)
  expect(await ids('sort=constructor')).toEqual([2, 1])
  expect(await ids('constructor=Lotus')).toEqual([1])
  expect(await ids('valueOf_ne=3&toString=B')).toEqual([2])
})

describe('a parameter of a field that the caller may not read', () => {
  const options = {
    fields: { age: { read: (req: Request) => req.get('x-boss') === 'yes' }, status: { read: () => false } },
  }

  it('is refused like an unknown name, and not listed', async () => {
    const { get } = await client(options)
    const names = 'cursor, grown, ids, limit, page, search, sort, team'
    for (const name of ['age_gte', 'status', 'nonsense']) {
      expect((await get(`/people?${name}=1`)).body).toMatchObject({
        code: 422,
        data: { [name]: [`Unknown parameter. Use ${names}`] },
      })
    }
    const boss = { headers: { 'x-boss': 'yes' } }
    expect((await get('/people?age_gte=22', boss)).body.data).toHaveLength(3)
    expect((await get('/people?nonsense=1', boss)).body.message).toBe(
      `Unknown parameter. Use age_gte, age_lte, ${names}`,
    )
  })

  it('is refused even if unknown names are ignored', async () => {
    const { get } = await client({ ...options, unknownParams: 'ignore' })
    expect((await get('/people?age_gte=22')).status).toBe(422)
    expect((await get('/people?nonsense=22')).status).toBe(200)
  })

  it('is not named in the message about an unknown order', async () => {
    const { get } = await client({ sort: ['name', 'age', 'status'], fields: options.fields, unknownParams: 'refuse' })
    for (const sort of ['age', '-status', 'secret', 'nonsense']) {
      expect((await get(`/people?sort=${sort}`)).body).toMatchObject({
        code: 422,
        data: { sort: ['Cannot sort by this field'] },
      })
    }
  })
})

describe('`unknownParams`', () => {
  it('ignores the listed names, and refuses all others', async () => {
    const { get } = await client({ unknownParams: ['_', 'lang'] })
    expect((await get('/people?_=171&lang=de')).status).toBe(200)
    expect((await get('/people?_=171&long=de')).status).toBe(422)
  })

  it.each(['drop', true, 1, {}, [1], [''], null])('is refused as %j when the resource is created', (unknownParams) => {
    expect(() => made({ unknownParams })).toThrow(expect.objectContaining({ code: 'crud_unknown_params' }) as Error)
  })
})

describe('filters by `ne` and `isNull`', () => {
  const filters = {
    age: { isNull: true, ne: param.int(), range: param.int() },
    status: { eq: param.int(), ne: param.int() },
  }

  it.each([
    ['age_isNull=true', [1]],
    ['age_isNull=false', [2, 3, 4, 5]],
    ['age_ne=22', [1, 2, 4, 5]],
    ['age_ne=22&age_isNull=false', [2, 4, 5]],
    ['status_ne=1', [1, 3, 5]],
    ['status_ne=1&age_gte=22', [3, 5]],
  ])(
    'select the rows of ?%s',
    async (query, ids) => {
      const { get } = await client({ filters })
      expect(((await get(`/people?${query}`)).body.data as Person[]).map(({ id }) => id)).toEqual(ids)
    },
  )

  it('refuse other values, and fields that the caller may not read', async () => {
    const { get } = await client({ filters, fields: { status: { read: () => false } } })
    for (const query of ['age_isNull=', 'age_isNull=1', 'age_ne=x', 'age_ne=1&age_ne=2', 'age=5', 'status_ne=1']) {
      expect((await get(`/people?${query}`)).status).toBe(422)
    }
  })
})

describe('an asynchronous custom filter', () => {
  it('returns its conditions in a promise', async () => {
    const { get } = await client({
      customFilters: {
        mates: filter(param.int(), async (id: number): Promise<Where<Person>> => [[
          'team',
          '=',
          await Promise.resolve(id % 2),
        ]]),
      },
    })
    expect((await get('/people?mates=1')).body.meta.total).toBe(2)
  })
})

import { request, type IncomingMessage } from 'node:http'
import express, { type RequestHandler, type Response } from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, filter, memoryStore, type Store } from 'resourcery/crud'
import { errorHandler } from 'resourcery'
import { ForbiddenError } from 'resourcery'
import { openapi } from 'resourcery/openapi'
import { param } from 'resourcery'
import { mountResource } from 'resourcery'
import { routeManifest, routesOf } from 'resourcery'
import { kyselyStore } from 'resourcery/kysely'
import { openEmbedded, type TestDatabase } from '../support/databases.js'
import { raw, serving } from '../support/http.js'
import { people, PersonIn, PersonOut, type Person } from './people.js'
import { servingRoutes, type Asking } from './serving.js'

const base = { input: PersonIn, output: PersonOut, export: true } as const

function directory(options: object = {}, store: Store<Person> = people()): Promise<Asking> {
  return servingRoutes((app) =>
    mountResource(app, { route: '/people', name: 'people', ...crud(store, { ...base, ...options }) })
  )
}

/** Returns the lines of an exported file. */
async function lines({ send }: Asking, query = ''): Promise<string[]> {
  const { text } = await send('POST', `/people/export${query}`)
  expect(text.endsWith('\r\n')).toBe(true)
  return text.split('\r\n').slice(0, -1)
}

describe('the export of a resource', () => {
  it('sends all rows of the list as a file, without paging', async () => {
    const asking = await directory({}, people(1203))
    const { status, headers } = await asking.send('POST', '/people/export')
    expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
      'attachment; filename=people.csv',
    ])
    const [heading, first, ...rest] = await lines(asking)
    expect([heading, first]).toEqual(['id,email,name,status,age,team', '1,p1@example.test,Ann,0,,0'])
    expect(rest.map((line) => Number(line.split(',')[0]))).toEqual(
      Array.from({ length: 1202 }, (_, index) => index + 2),
    )
  })

  it('is available by GET and POST, and takes precedence over /:id', async () => {
    const asking = await directory({ sort: ['name'], id: z.string() })
    const [got, posted] = [
      await asking.get('/people/export?sort=-name,id'),
      await asking.send('POST', '/people/export?sort=-name,id'),
    ]
    expect([got.status, got.headers.get('content-type'), got.text]).toEqual([
      200,
      posted.headers.get('content-type'),
      posted.text,
    ])
    expect(got.text.split('\r\n')).toHaveLength(7)
    expect((await asking.get('/people/export?pgae=2')).status).toBe(422)
    expect((await asking.send('HEAD', '/people/export')).headers.get('content-type')).toBe(
      got.headers.get('content-type'),
    )
  })

  it('has an operation for each method, and one route in the manifest', () => {
    const router = express.Router()
    mountResource(router, { app: 'shop', route: '/posts', name: 'posts', ...crud(people(), base) })
    const { paths } = openapi(router, { title: 'Shop', version: '1' }) as unknown as {
      paths: Record<string, Record<string, { operationId: string }>>
    }
    expect([paths['/posts/export']?.get?.operationId, paths['/posts/export']?.post?.operationId]).toEqual([
      'exportPosts',
      'exportPostsPost',
    ])
    expect(routeManifest(router).find(({ name }) => name === 'posts.export')).toEqual({
      name: 'posts.export',
      method: 'GET',
      path: '/posts/export',
    })
  })

  it('filters, searches, sorts and scopes like the list, with the same parameter names', async () => {
    const asking = await directory({
      sort: ['name'],
      search: ['name'],
      filters: { status: { eq: param.int() } },
      customFilters: { old: filter(param.bool(), () => [['age', '>=', 22]]) },
      scope: () => [['team', '=', 0]],
      paramNames: { sort: 'order' },
    }, people(10))
    expect((await lines(asking, '?order=-name,id')).map((line) => line.split(',')[0])).toEqual([
      'id',
      '3',
      '9',
      '5',
      '1',
      '7',
    ])
    expect((await lines(asking, '?search=ann&old=true')).map((line) => line.split(',')[0])).toEqual(['id', '7'])
    expect(await lines(asking, '?status=1')).toEqual(['id,email,name,status,age,team'])
    expect((await asking.send('POST', '/people/export?order=secret')).status).toBe(422)
    expect((await asking.send('POST', '/people/export?old=perhaps')).status).toBe(422)
  })

  it('sends the rows named by `ids` in their order', async () => {
    const asking = await directory({ sort: ['name'] })
    expect((await lines(asking, '?ids=4,2,99')).map((line) => line.split(',')[0])).toEqual(['id', '4', '2'])
    expect((await lines(asking, '?ids=4,2&sort=id')).map((line) => line.split(',')[0])).toEqual(['id', '2', '4'])
  })

  it('omits columns that the caller may not read, and refuses to filter by them', async () => {
    const asking = await directory({
      fields: { email: { read: (req: express.Request) => req.get('x-role') === 'hr' } },
      filters: { email: { eq: z.string() } },
    })
    expect(await lines(asking, '?ids=1')).toEqual(['id,name,status,age,team', '1,Ann,0,,0'])
    expect((await asking.send('POST', '/people/export?email=p1@example.test')).status).toBe(422)
    const { text } = await asking.send('POST', '/people/export?email=p1@example.test', { headers: { 'x-role': 'hr' } })
    expect(text).toBe('id,email,name,status,age,team\r\n1,p1@example.test,Ann,0,,0\r\n')
  })

  it('replies 403 to a caller who may read none of its columns', async () => {
    const { send } = await directory({ export: { columns: ['email'] }, fields: { email: { read: () => false } } })
    expect((await send('POST', '/people/export')).status).toBe(403)
  })

  it('applies transform and output', async () => {
    const output = z.object({
      id: z.int(),
      name: z.string().transform((name) => name.toUpperCase()),
      label: z.string(),
    })
    const asking = await directory({ output, transform: (row: Person) => ({ ...row, label: `=${row.name}` }) })
    expect(await lines(asking, '?ids=1')).toEqual(['id,name,label', "1,ANN,'=Ann"])
  })

  it('has the configured columns, headings, delimiter, file name and byte order mark', async () => {
    const { send } = await directory({
      export: { columns: { name: 'First name', id: 'No' }, delimiter: ';', fileName: 'staff list.csv' },
    })
    const reply = await send('POST', '/people/export?ids=2&bom=true')
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename="staff list.csv"')
    expect(reply.headers.get('content-type')).toContain('text/csv')
    expect(reply.text).toBe('First name;No\r\nBen;2\r\n')
    const { url } = await serving(express().use(await routerOf({ export: { columns: ['id'] } })))
    expect(
      [...new Uint8Array(await (await fetch(`${url}/people/export?bom=true`, { method: 'POST' })).arrayBuffer())].slice(
        0,
        3,
      ),
    )
      .toEqual([0xEF, 0xBB, 0xBF])
  })

  it('refuses to send more rows than `maxRows` allows', async () => {
    const { send } = await directory({ export: { maxRows: 4 }, filters: { status: { eq: param.int() } } })
    const reply = await send('POST', '/people/export')
    expect([reply.status, reply.body.data]).toEqual([422, {
      _: ['The list has 5 rows, a file at most 4: narrow the list'],
    }])
    expect((await send('POST', '/people/export?status=1')).status).toBe(200)
    expect((await send('POST', '/people/export?ids=1')).status).toBe(200)
  })

  it('runs in a route of the application, and needs a count only for `maxRows`', async () => {
    const store = people()
    const uncounted: Store<Person> = {
      ...store,
      list: (query) => ({ ...store.list(query), count: undefined }) as never,
    }
    const { export: action } = crud(uncounted, base).custom
    const { url } = await serving(express().get('/', (req, res) => action.handler(req, res, {})))
    const reply = await fetch(url)
    expect([reply.headers.get('content-disposition'), (await reply.text()).split('\r\n').length]).toEqual([
      'attachment; filename=export.csv',
      7,
    ])
    const bounded = await directory({ export: { maxRows: 10 } }, uncounted)
    expect((await bounded.send('POST', '/people/export')).status).toBe(500)
  })

  it('runs the hooks of the list, `before` once and `after` for each page', async () => {
    const seen: unknown[] = []
    const hooks = {
      before: { list: () => void seen.push('before') },
      after: { list: (rows: readonly Person[]) => void seen.push(rows.length) },
    }
    await lines(await directory(hooks, people(1001)))
    expect(seen).toEqual(['before', 500, 500, 1])
    const refusing = await directory({ before: { list: () => {
      throw new ForbiddenError('Not today')
    } } })
    const reply = await refusing.send('POST', '/people/export')
    expect([reply.status, reply.body.message, reply.headers.has('content-disposition')]).toEqual([
      403,
      'Not today',
      false,
    ])
  })

  it('is the action `export` with its own permission', () => {
    const app = express()
    mountResource(app, { app: 'admin', route: '/people', name: 'people', ...crud(people(), base) })
    const route = { action: 'export', permission: 'admin.people.export', produces: 'text/csv' }
    expect(routesOf(app).filter(({ action }) => action === 'export')).toEqual(
      ['GET', 'POST'].map((method): unknown => expect.objectContaining({ ...route, method, path: '/people/export' })),
    )
  })

  it('is documented with its parameters and media type', () => {
    const app = express()
    mountResource(app, {
      route: '/people',
      name: 'people',
      ...crud(people(), { ...base, sort: ['name'], filters: { status: { eq: param.int() } } }),
    })
    const { post } = openapi(app, { title: 'People', version: '1' }).paths['/people/export'] as unknown as {
      post: { parameters: { name: string; in: string }[]; responses: Record<string, object>; requestBody?: object }
    }
    expect(post.parameters.map((parameter) => `${parameter.in} ${parameter.name}`)).toEqual([
      'query status',
      'query sort',
      'query ids',
      'query bom',
    ])
    expect(post.responses['200']).toEqual({
      description: 'OK',
      content: { 'text/csv': { schema: { type: 'string' } } },
    })
    expect(post.requestBody).toBeUndefined()
  })

  it.each<[string, object]>([
    ['crud_export', { export: { columns: ['secret'] } }],
    ['crud_export', { export: { columns: ['secret.name'] } }],
    ['crud_export', { export: { columns: ['name.first'] } }],
    ['crud_export', { export: { maxRows: 0 } }],
    ['crud_export', { export: { maxRows: Number.NaN } }],
    ['csv_columns', { export: { columns: [] } }],
    ['csv_columns', { export: { columns: { id: 'No', name: 'No' } } }],
    ['crud_names', { customFilters: { bom: filter(param.bool(), () => []) } }],
  ])('throws %s for %j', (code, options) => {
    expect(() => crud(people(), { ...base, ...options })).toThrow(expect.objectContaining({ code }))
  })
})

describe('relations in an export', () => {
  const Boss = z.object({ id: z.int(), name: z.string() })
  const output = PersonOut.extend({
    boss: Boss.nullable().optional(),
    friends: z.array(Boss).optional(),
    home: z.object({ city: z.string() }),
  })
  const bosses: (readonly number[])[] = []
  const options = {
    output,
    transformMany: (rows: readonly Person[]) => rows.map((row) => ({ ...row, home: { city: `City ${row.id}` } })),
    include: {
      boss: (rows: readonly Person[]) => {
        bosses.push(rows.map(({ id }) => id))
        return new Map(rows.map(({ id }) => [id, id === 1 ? null : { id: 1, name: 'Ann' }]))
      },
      friends: () => {
        throw new Error('not asked for')
      },
    },
  }

  it('are columns by names with a dot, read in one call for each page', async () => {
    const columns = { id: 'No', 'boss.name': 'Boss', 'home.city': 'City' }
    const asking = await directory({ ...options, export: { columns } })
    bosses.length = 0
    expect(await lines(asking, '?ids=1,2,3')).toEqual(['No,Boss,City', '1,,City 1', '2,Ann,City 2', '3,Ann,City 3'])
    expect(bosses).toEqual([[1, 2, 3]])
  })

  it('are left out by default, where features add them', async () => {
    const [heading] = await lines(await directory({ ...options, export: true }))
    expect(heading).toBe('id,email,name,status,age,team,home')
  })

  it('are left out for callers who may not read them', async () => {
    const asking = await directory({
      ...options,
      fields: { boss: { read: () => false } },
      export: { columns: ['id', 'boss.name'] },
    })
    bosses.length = 0
    expect(await lines(asking, '?ids=1')).toEqual(['id', '1'])
    expect(bosses).toEqual([])
  })

  it('are no columns where they are lists', () => {
    expect(() => crud(people(), { ...base, ...options, export: { columns: ['friends.name' as never] } })).toThrow(
      expect.objectContaining({ code: 'crud_export' }),
    )
  })

  it('are checked by type', () => {
    crud(people(), { ...base, ...options, export: { columns: ['id', 'boss.name', 'home.city'] } })
    // @ts-expect-error there is no such field
    expect(() => crud(people(), { ...base, ...options, export: { columns: ['boss.nmae'] } })).toThrow('boss.nmae')
  })
})

describe('a failing export', () => {
  it('replies in the envelope if nothing was sent yet', async () => {
    const broken = await directory({ output: PersonOut.extend({ name: z.string().max(2) }) })
    const reply = await broken.send('POST', '/people/export')
    expect([reply.status, reply.body.meta, reply.headers.has('content-disposition')]).toEqual([500, {
      reason: 'internal',
    }, false])
    const store = people()
    const hanging = await directory({ deadline: 0.05 }, {
      ...store,
      list: (query) => ({ ...store.list(query), sliceAfter: () => new Promise(() => undefined) }),
    })
    expect((await hanging.send('POST', '/people/export')).status).toBe(503)
    const paged = await directory({}, {
      ...store,
      list: (query) => ({ slice: (offset, limit) => store.list(query).slice(offset, limit) }),
    })
    expect((await paged.send('POST', '/people/export')).status).toBe(500)
  })

  it('breaks off a chunked body if a later page fails, and logs the error', async () => {
    const failures: unknown[] = []
    const { store, heard } = counting(people(2000), 3)
    const { url } = await serving(await routerOf({}, store, failures))
    const seen = await raw(url, 'POST /people/export HTTP/1.1\r\nHost: specs\r\nContent-Length: 0\r\n\r\n', (text) => {
      if (text.includes('\n1000,p1000@')) heard()
      return false
    })
    expect(seen).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(seen).not.toContain('\n1501,')
    expect(seen.endsWith('\r\n0\r\n\r\n')).toBe(false)
    expect(failures).toEqual([new Error('Page 4 is lost')])
  })
})

describe('an export to a slow client', () => {
  it('stops reading pages while the client does not read, and once it disconnects', async () => {
    const failures: unknown[] = []
    const { store, pages } = counting(wide(4000))
    const { url, server } = await serving(await routerOf({}, store, failures))
    const answering = new Promise<Response>((resolve) => server.once('request', (_req, res: Response) => resolve(res)))
    const response = await posted(`${url}/people/export`)
    const res = await answering
    await standstill(res, pages)
    const read = pages()
    expect(read).toBeGreaterThan(0)
    expect(read).toBeLessThan(8)
    const closed = new Promise((resolve) => res.once('close', resolve))
    response.destroy()
    await closed
    await settled()
    expect(pages()).toBe(read)
    expect(failures).toEqual([])
  })

  it('sends the rest once the client reads on', async () => {
    const { store, pages } = counting(wide(4000))
    const { url, server } = await serving(await routerOf({}, store))
    const answering = new Promise<Response>((resolve) => server.once('request', (_req, res: Response) => resolve(res)))
    const response = await posted(`${url}/people/export`)
    await standstill(await answering, pages)
    expect(pages()).toBeLessThan(8)
    let bytes = 0
    for await (const chunk of response) bytes += (chunk as Buffer).length
    expect(bytes).toBeGreaterThan(4000 * 10_000)
    expect(pages()).toBe(8)
  })
})

describe('an export from a database', () => {
  interface Tables {
    notes: { id: number; title: string; at: Date; amount: string }
  }
  let database: TestDatabase<Tables>
  beforeAll(async () => {
    database = await openEmbedded<Tables>()
    await database
      .db
      .schema
      .createTable('notes')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('title', 'text')
      .addColumn('at', 'timestamptz')
      .addColumn('amount', 'numeric')
      .execute()
    const rows = Array.from(
      { length: 1100 },
      (_, index) => ({ id: index + 1, title: `n${index % 7}`, at: new Date(index * 1000), amount: '-1.50' }),
    )
    await database.db.insertInto('notes').values(rows).execute()
  })
  afterAll(() => database.close())

  it('contains every row once among equal values, and releases the connection', async () => {
    const output = z.object({ id: z.int(), title: z.string(), at: z.date(), amount: z.string() })
    const { send } = await servingRoutes((app) =>
      mountResource(app, {
        route: '/notes',
        name: 'notes',
        ...crud(kyselyStore(database.db, 'notes'), { input: z.object({}), output, sort: ['title'], export: true }),
      })
    )
    const { text } = await send('POST', '/notes/export?sort=-title')
    const rows = text.split('\r\n').slice(1, -1)
    expect(rows[0]).toMatch(/^\d+,n6,1970-01-01T00:\d\d:\d\d\.000Z,-1\.50$/)
    expect(new Set(rows.map((row) => row.split(',')[0])).size).toBe(1100)
    expect(rows.map((row) => row.split(',')[1])).toEqual(rows.map((row) => row.split(',')[1]).sort().reverse())
    expect((await database.db.selectFrom('notes').select('id').execute()).length).toBe(1100)
  })
})

describe('an unknown query name of an export', () => {
  const options = { sort: ['name'], search: ['name'], filters: { status: { eq: param.int() } } }

  it('is refused with the list of names, without paging', async () => {
    const { post } = await directory(options)
    for (const name of ['statuss', 'page', 'cursor', 'limit']) {
      expect((await post(`/people/export?${name}=1`, undefined)).body.data).toEqual({
        [name]: ['Unknown parameter. Use bom, ids, search, sort, status'],
      })
    }
    expect((await post('/people/export?status=1&bom=true', undefined)).status).toBe(200)
  })

  it('is refused in the body, as is a parameter that belongs in the query', async () => {
    const { post } = await directory(options)
    expect((await post('/people/export', { statuss: 1 })).status).toBe(422)
    expect((await post('/people/export', { status: 1 })).body.data).toEqual({
      status: ['Send this parameter in the query'],
    })
    expect((await post('/people/export', {})).status).toBe(200)
  })
})

it('reads the body of an export up to the limit of the resource', async () => {
  const app = express()
  mountResource(app, {
    route: '/people',
    name: 'people',
    body: { limit: 200_000 },
    ...crud(people(), { input: PersonIn, output: PersonOut, export: true }),
  })
  mountResource(app, {
    route: '/few',
    name: 'few',
    body: { limit: 20 },
    ...crud(people(), { input: PersonIn, output: PersonOut, export: true }),
  })
  const { post } = await serving(app.use(errorHandler({ log: () => undefined })))
  const long = { other: 'x'.repeat(150_000) }
  expect([(await post('/people/export', long)).status, (await post('/few/export', long)).status]).toEqual([422, 413])
  expect([(await post('/people/export', {})).status, (await post('/few/export', {})).status]).toEqual([200, 200])
  expect((await post('/few/export', { other: 'x'.repeat(20) })).status).toBe(413)
})

describe('an export with `transformMany`', () => {
  it('converts the rows of a page in one call', async () => {
    const calls: number[] = []
    const transformMany = (rows: readonly Person[]): Person[] => {
      calls.push(rows.length)
      return rows.map((row) => ({ ...row, name: `${row.name}!` }))
    }
    expect((await lines(await directory({ transformMany })))[1]).toBe('1,p1@example.test,Ann!,0,,0')
    expect(calls).toEqual([5])
  })
})

async function routerOf(
  options: object,
  store: Store<Person> = people(),
  failures: unknown[] = [],
): Promise<express.Express> {
  const app = express()
  mountResource(app, { route: '/people', name: 'people', ...crud(store, { ...base, ...options }) })
  return app.use(errorHandler({ log: (error) => failures.push(error) }) as unknown as RequestHandler)
}

function wide(count: number): Store<Person> {
  const name = 'x'.repeat(10_000)
  return memoryStore<Person>({
    key: 'id',
    rows: Array.from(
      { length: count },
      (_, index) => ({ id: index + 1, email: '', name, status: 1, age: null, team: 0, secret: '' }),
    ),
  })
}

/**
 * Counts the pages that are read from a fast store; after `last` pages that the client received, the next page fails.
 */
function counting(store: Store<Person>, last = Infinity) {
  let pages = 0
  let heard = (): void => undefined
  const arrived = new Promise<void>((resolve) => (heard = resolve))
  const counted: Store<Person> = {
    ...store,
    list: () => ({
      slice: () => [],
      sliceAfter: async (position, limit) => {
        if (++pages > last) {
          await arrived
          throw new Error(`Page ${pages} is lost`)
        }
        const start = Number(position?.[0] ?? 0)
        const items = await store.find(Array.from({ length: limit }, (_, index) => start + index + 1))
        const more = await store.find([start + limit + 1])
        return { items, next: more.length === 0 ? null : [start + limit] }
      },
    }),
  }
  return { store: counted, pages: () => pages, heard: () => heard() }
}

/** Waits until the buffers are full and no more pages are read. */
async function standstill(res: Response, pages: () => number): Promise<void> {
  let seen: number
  do {
    seen = pages()
    await settled()
  } while (pages() !== seen || res.socket?.writableNeedDrain !== true)
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
}

function posted(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) =>
    request(url, { method: 'POST', agent: false }).on('response', resolve).on('error', reject).end()
  )
}

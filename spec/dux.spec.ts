import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, filter, memoryStore, type Dialect, type IdempotencyKey } from 'resourcery/crud'
import { dux } from 'resourcery/dux'
import { openapi, type OpenApiDocument } from 'resourcery/openapi'
import { param } from 'resourcery'
import { mountResource } from 'resourcery'
import { people, PersonIn, PersonOut } from './crud/people.js'
import { servingRoutes, type Asking } from './crud/serving.js'

interface Row {
  readonly id: number
  readonly name: string
  readonly age: number | null
  readonly status: number
}

const ann = { email: 'ann@example.test', name: 'Ann' }

function made(options: object = {}) {
  return crud(people(30), {
    input: PersonIn,
    output: PersonOut,
    sort: ['name', 'age'],
    search: ['name'],
    bulk: true,
    dialect: dux,
    filters: { status: { eq: param.int() }, age: { range: param.int() }, email: { contains: true } },
    customFilters: { grown: filter(param.bool(), (grown) => (grown ? [['age', '>=', 40]] : [])) },
    ...options,
  })
}

function client(options: object = {}): Promise<Asking> {
  return servingRoutes((app) => mountResource(app, { route: '/people', name: 'people', ...made(options) }))
}

async function list(query: string, options: object = {}): Promise<{ ids: number[]; meta: object }> {
  const { status, body } = await (await client(options)).get(`/people?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return { ids: (body.data as Row[]).map(({ id }) => id), meta: body.meta }
}

const refused = async (query: string, options: object = {}) => {
  const { status, body } = await (await client(options)).get(`/people?${query}`)
  return [status, Object.keys(body.data)]
}

describe('a list in the dialect `dux`', () => {
  it('reads pageSize and keyword', async () => {
    expect(await list('page=2&pageSize=3')).toEqual({ ids: [4, 5, 6], meta: { total: 30, page: 2, limit: 3 } })
    expect((await list('keyword=cid&pageSize=2')).ids).toEqual([3, 6])
  })

  it('sorts by sorters in the order of the query', async () => {
    expect((await list('age_sort=desc&pageSize=2')).ids).toEqual([30, 29])
    expect((await list('name_sort=desc&age_sort=asc&pageSize=2')).ids).toEqual([3, 6])
    expect((await list('age_sort=asc&name_sort=desc&pageSize=2')).ids).toEqual([2, 3])
    expect((await list('id_sort=desc&pageSize=2')).ids).toEqual([30, 29])
  })

  it('treats an empty string as an unset value', async () => {
    const everything = 'keyword=&status=&age_gte=&email=&grown=&name_sort=&page=&pageSize='
    expect(await list(everything)).toEqual({
      ids: Array.from({ length: 20 }, (_, index) => index + 1),
      meta: { total: 30, page: 1, limit: 20 },
    })
  })

  it('begins pages by cursor with an empty cursor', async () => {
    const first = await list('cursor=&pageSize=2&age_sort=desc')
    const { next } = first.meta as { readonly next: string }
    expect(first.ids).toEqual([30, 29])
    expect((await list(`cursor=${next}&pageSize=2&age_sort=desc`)).ids).toEqual([28, 27])
  })

  it('lists all rows named by ids, and pages them only if requested', async () => {
    const ids = Array.from({ length: 25 }, (_, index) => 25 - index)
    const query = ids.map((id) => `ids[]=${id}`).join('&')
    expect(await list(query)).toEqual({ ids, meta: { total: 25, page: 1, limit: 25 } })
    expect((await list(`${query}&pageSize=2`)).ids).toEqual([25, 24])
    expect((await list('ids=3,1')).ids).toEqual([3, 1])
    expect((await list('ids[]=3&ids[]=1&id_sort=asc')).ids).toEqual([1, 3])
  })

  it.each([
    'limit=5',
    'search=x',
    'sort=name',
    'sort=-name',
    'pagesize=1',
    'statuss=1',
    'statuss=',
    'email_sort=asc',
    'name_sort[]=asc',
    'limit=',
    'secret_sort=',
  ])(
    'refuses an unknown name: %s',
    async (query) => {
      const [name = ''] = query.split('=')
      const { status, body } = await (await client()).get(`/people?${query}`)
      expect([status, Object.keys(body.data)]).toEqual([422, [name.replace('[]', '')]])
      if (!name.endsWith('[]')) {
        expect(body.message).toBe(
          'Unknown parameter. Use age_gte, age_lte, age_sort, cursor, email, grown, id_sort, ids, keyword, name_sort, '
            + 'page, pageSize, status',
        )
      }
    },
  )

  it.each([
    ['pageSize=101', 'pageSize'],
    ['pageSize=0', 'pageSize'],
    ['pageSize=x', 'pageSize'],
    ['name_sort=up', 'name_sort'],
    ['name_sort=ASC', 'name_sort'],
    ['name_sort=asc&name_sort=desc', 'name_sort'],
    ['ids=', 'ids'],
    ['ids[]=', 'ids.0'],
    ['status=x', 'status'],
    [`keyword=${'x'.repeat(201)}`, 'keyword'],
  ])('refuses an invalid value under its parameter name: %s', async (query, name) => {
    expect(await refused(query)).toEqual([422, [name]])
  })

  it('neither sorts by nor names a field that the caller may not read', async () => {
    const { status, body } = await (await client({ fields: { age: { read: () => false } } })).get(
      '/people?age_sort=asc',
    )
    expect([status, body.message]).toEqual([
      422,
      'Unknown parameter. Use cursor, email, grown, id_sort, ids, keyword, name_sort, page, pageSize, status',
    ])
  })

  it('prefers paramNames of the resource to those of the dialect', async () => {
    expect((await list('size=1&keyword=ann', { paramNames: { limit: 'size' } })).ids).toEqual([1])
    expect(await refused('pageSize=1', { paramNames: { limit: 'size' } })).toEqual([422, ['pageSize']])
  })

  it('links pages with these names', async () => {
    const { headers } = await (await client({ headers: true })).get('/people?pageSize=10&age_sort=desc')
    expect(headers.get('link')).toContain('pageSize=10&age_sort=desc&page=2')
  })

  it('exports the rows of the list', async () => {
    const { text } = await (await client({ export: { columns: ['id'] } })).get(
      '/people/export?keyword=ann&age_sort=desc&status=',
    )
    expect(text.trim().split('\r\n')).toEqual(['id', '28', '25', '22', '19', '16', '13', '10', '7', '4', '1'])
  })
})

describe('a list in the body of a POST', () => {
  it('creates all of its records', async () => {
    const { send, get } = await client()
    const { status, body } = await send('POST', '/people', {
      body: [ann, { ...ann, email: 'b@example.test', age: '', status: '' }],
    })
    expect([status, body.meta]).toEqual([201, { created: 2 }])
    expect(body.data).toMatchObject([{ id: 31, status: 1, age: null }, { id: 32, status: 1, age: null }])
    expect((await get('/people?page=1')).body.meta).toMatchObject({ total: 32 })
  })

  it.each<[string, unknown, object]>([
    ['an item that is not valid', [ann, { ...ann, name: 'x' }], { status: 422, names: ['items.1.name'] }],
    ['an item that is taken', [ann, { ...ann, email: 'p1@example.test' }], { status: 409, names: ['items.1.email'] }],
    ['two items with one e-mail address', [ann, ann], { status: 409, names: ['items.1.email'] }],
    ['no item', [], { status: 422, names: ['items'] }],
    ['items that are no objects', [1, 'x', null], { status: 422, names: ['items.0', 'items.1', 'items.2'] }],
    ['101 items', Array.from({ length: 101 }, (_, index) => ({ ...ann, email: `n${index}@example.test` })), {
      status: 422,
      names: ['items'],
    }],
    ['items in an object', { items: [ann] }, { status: 422, names: ['email', 'name'] }],
  ])('creates no record of %s', async (_case, body, expected) => {
    const { send, get } = await client()
    const reply = await send('POST', '/people', { body })
    expect({ status: reply.status, names: Object.keys(reply.body.data) }).toEqual(expected)
    expect((await get('/people?page=1')).body.meta).toMatchObject({ total: 30 })
  })

  it.each([['without bulk', { bulk: undefined }], ['without createMany', { bulk: ['updateMany'] }], [
    'in a dialect that does not know it',
    { dialect: { ...dux, listCreates: false } },
  ]])(
    'is refused %s',
    async (_case, options) => {
      const { status } = await (await client(options)).send('POST', '/people', { body: [ann] })
      expect(status).toBe(422)
    },
  )

  it('does not affect the creation of one record', async () => {
    const { status, body } = await (await client()).send('POST', '/people', { body: ann })
    expect([status, body.message, body.data]).toEqual([201, 'Created', {
      ...ann,
      id: 31,
      status: 1,
      age: null,
      team: 0,
    }])
  })

  it('runs once for one Idempotency-Key', async () => {
    const keys = memoryStore<IdempotencyKey>({ key: 'id' })
    const { send, get } = await client({ idempotency: { keys: () => keys, identity: () => 'all' } })
    const options = { body: [ann], headers: { 'idempotency-key': 'k' } }
    const [first, second] = [await send('POST', '/people', options), await send('POST', '/people', options)]
    expect([first.status, second.status, second.text === first.text, second.headers.get('idempotency-replayed')])
      .toEqual([201, 201, true, 'true'])
    expect((await send('POST', '/people', { ...options, body: ann })).status).toBe(422)
    expect((await get('/people?page=1')).body.meta).toMatchObject({ total: 31 })
  })

  it('gets 413 and 400 like any body', async () => {
    const { send } = await client()
    const json = { 'content-type': 'application/json' }
    expect((await send('POST', '/people', { body: `[${'1,'.repeat(60_000)}1]`, headers: json })).status).toBe(413)
    expect((await send('POST', '/people', { body: '[{', headers: json })).status).toBe(400)
    expect((await send('POST', '/people', { body: `${'['.repeat(40)}${']'.repeat(40)}`, headers: json })).status).toBe(
      400,
    )
  })

  it('creates children below the parent of the path', async () => {
    const teams = memoryStore({ key: 'id', rows: [{ id: 1, name: 'Red' }] })
    const Team = z.object({ id: z.int(), name: z.string() })
    const players = memoryStore<{ id: number; teamId: number; name: string }>({ key: 'id' })
    const ofTeams = crud(teams, { input: Team.pick({ name: true }), output: Team })
    const ofPlayers = crud(players, {
      input: Team.pick({ name: true }),
      output: Team.extend({ teamId: z.int() }),
      bulk: true,
      dialect: dux,
      parent: { arg: 'teamId', column: 'teamId', of: ofTeams },
    })
    const { send } = await servingRoutes((app) =>
      mountResource(app, { route: '/teams/:teamId/players', name: 'players', ...ofPlayers })
    )
    expect((await send('POST', '/teams/1/players', { body: [{ name: 'Ann', teamId: 7 }] })).body.data).toEqual([{
      id: 1,
      name: 'Ann',
      teamId: 1,
    }])
    expect((await send('POST', '/teams/2/players', { body: [{ name: 'Ann' }] })).status).toBe(404)
    expect((await send('POST', '/teams/x/players', { body: [{ name: 'Ann' }] })).status).toBe(422)
  })
})

describe('an empty string in a body', () => {
  const Note = z.object({
    id: z.int(),
    title: z.string(),
    text: z.string(),
    kind: z.string(),
    size: z.int().nullable(),
    due: z.string().nullable(),
  })
  const input = z.object({
    title: z.string().min(1, 'A title is needed'),
    text: z.string(),
    kind: z.enum(['a', 'b']).default('a'),
    size: z.coerce.number().nullable(),
    due: z.iso.date().nullable().optional(),
  })
  const notes = (options: object = {}) => {
    const store = memoryStore<z.infer<typeof Note>>({
      key: 'id',
      rows: [{ id: 1, title: 'Milk', text: 'x', kind: 'b', size: 5, due: '2026-01-01' }],
    })
    const rename = {
      input: z.object({ title: z.string(), due: z.iso.date().nullable().optional() }),
      change: (_row: object, { title, due }: { title: string; due?: string | null | undefined }) => ({
        title,
        due: due ?? null,
      }),
    }
    return servingRoutes((app) =>
      mountResource(app, {
        route: '/notes',
        name: 'notes',
        ...crud(store, { input, output: Note, bulk: true, dialect: dux, members: { rename }, ...options }),
      })
    )
  }

  it('becomes null, a default, or is passed to the field, depending on the schema', async () => {
    const { body } = await (await notes()).send('POST', '/notes', {
      body: { title: 'Tea', text: '', kind: '', size: '', due: '' },
    })
    expect(body.data).toEqual({ id: 2, title: 'Tea', text: '', kind: 'a', size: null, due: null })
  })

  it('is treated the same in children, and in their children', async () => {
    const size = z.coerce.number().nullable()
    const parts = crud(memoryStore<{ id: number; lineId: number; size: number | null; kind: string }>({ key: 'id' }), {
      input: z.object({ lineId: z.int(), size, kind: z.string().min(1).default('a') }),
      output: z.object({ id: z.int(), size: z.int().nullable(), kind: z.string() }),
    })
    const lines = crud(memoryStore<{ id: number; noteId: number; text: string; size: number | null }>({ key: 'id' }), {
      input: z.object({ noteId: z.int(), text: z.string(), size }),
      output: z.object({ id: z.int(), text: z.string(), size: z.int().nullable() }),
      children: { parts: { of: parts, column: 'lineId' } },
    })
    const { send } = await notes({ children: { lines: { of: lines, column: 'noteId' } } })
    const body = { title: 'Tea', text: '', size: '', lines: [{ text: '', size: '', parts: [{ size: '', kind: '' }] }] }
    const shown = { lines: [{ id: 1, text: '', size: null, parts: [{ id: 1, size: null, kind: 'a' }] }] }
    expect((await send('POST', '/notes', { body })).body.data).toMatchObject(shown)
    expect((await send('PATCH', '/notes/2', { body: { lines: [{ id: 1, parts: [{ id: 1, size: '' }] }] } })).body.data)
      .toMatchObject(shown)
    expect((await send('PATCH', '/notes/2', { body: { lines: [{ id: 1, parts: [{ id: 1, kind: '' }] }] } })).status)
      .toBe(422)
    expect((await send('PATCH', '/notes/2', { body: { lines: ['', 5] } })).status).toBe(422)
    expect((await send('PATCH', '/notes/2', { body: { lines: '' } })).status).toBe(422)
  })

  it('is treated the same in a replacement', async () => {
    const { body } = await (await notes()).send('PUT', '/notes/1', {
      body: { title: 'Tea', text: '', kind: '', size: '', due: '' },
    })
    expect(body.data).toEqual({ id: 1, title: 'Tea', text: '', kind: 'a', size: null, due: null })
  })

  it('is treated the same in a form', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const { body } = await (await notes()).send('PUT', '/notes/1', {
      body: 'title=Tea&text=&kind=&size=&due=',
      headers,
    })
    expect(body.data).toEqual({ id: 1, title: 'Tea', text: '', kind: 'a', size: null, due: null })
  })

  it('gets 422 for a field with further constraints', async () => {
    const { status, body } = await (await notes()).send('PUT', '/notes/1', { body: { title: '', text: '', size: '' } })
    expect([status, body.data]).toEqual([422, { title: ['A title is needed'] }])
  })

  it('becomes null in a partial update, or is refused', async () => {
    const { send } = await notes()
    expect((await send('PATCH', '/notes/1', { body: { size: '', due: '' } })).body.data).toMatchObject({
      title: 'Milk',
      kind: 'b',
      size: null,
      due: null,
    })
    expect((await send('PATCH', '/notes/1', { body: { text: '' } })).body.data).toMatchObject({ text: '' })
    expect((await send('PATCH', '/notes/1', { body: { kind: '' } })).status).toBe(422)
    expect((await send('PUT', '/notes', { body: { ids: [1], data: { due: '', text: 'y' } } })).body.data).toMatchObject(
      [{ due: null, text: 'y', title: 'Milk' }],
    )
    expect((await send('PUT', '/notes', { body: { ids: [1], data: { kind: '' } } })).status).toBe(422)
  })

  it('becomes null for a member', async () => {
    expect((await (await notes()).post('/notes/1/rename', { title: 'Tea', due: '' })).body.data).toMatchObject({
      title: 'Tea',
      due: null,
    })
  })

  it('is replaced in the items of `createMany`, whatever else they contain', async () => {
    const { send } = await notes()
    expect(
      (await send('POST', '/notes/bulk', { body: { items: [{ title: 'Tea', text: '', size: '', due: '' }] } })).body
        .data,
    )
      .toMatchObject([{ size: null }])
    for (const body of [{ items: 5 }, { items: null }, {}, { items: [5] }]) {
      expect((await send('POST', '/notes/bulk', { body })).status)
        .toBe(422)
    }
    for (const data of [5, null, [], 'x']) {
      expect((await send('PUT', '/notes', { body: { ids: [1], data } })).status).toBe(422)
    }
  })

  it('is unchanged without the dialect', async () => {
    const { send, get } = await notes({ dialect: undefined })
    expect((await send('POST', '/notes', { body: { title: 'Tea', text: '', kind: '', size: null } })).status).toBe(422)
    expect((await get('/notes?page=')).status).toBe(422)
  })
})

describe('several rows by their ids', () => {
  it('are deleted and changed by `ids[]` and `ids`', async () => {
    const { send, get } = await client()
    expect((await send('DELETE', '/people?ids[]=1&ids[]=2')).body.data).toEqual(null)
    expect((await send('DELETE', '/people?ids=3,4')).body.meta).toEqual({ deleted: 2 })
    expect((await send('PUT', '/people', { body: { ids: ['5', 6], data: { status: 9 } } })).body.meta).toEqual({
      updated: 2,
    })
    expect((await get('/people?status=9')).body.data).toMatchObject([{ id: 5 }, { id: 6 }])
    expect((await send('DELETE', '/people')).status).toBe(422)
    expect((await send('DELETE', '/people?ids[]=5&ids[]=99')).status).toBe(404)
  })
})

describe('the document of a resource with a dialect', () => {
  const documentOf = async (options: object = {}) => {
    const documents: OpenApiDocument[] = []
    await servingRoutes((app) => {
      mountResource(app, { route: '/people', name: 'people', ...made(options) })
      documents.push(openapi(app, { title: 'x', version: '1' }))
    })
    const [document] = documents
    if (document === undefined) throw new Error('No document was made')
    return document
  }

  it('lists the parameters, each of which may be empty', async () => {
    const parameters = (await documentOf()).paths['/people']?.get?.parameters ?? []
    expect(parameters.map(({ name, allowEmptyValue = false }) => (allowEmptyValue ? `${name}=` : name)).sort())
      .toEqual([
        'age_gte=',
        'age_lte=',
        'age_sort=',
        'cursor=',
        'email=',
        'grown=',
        'id_sort=',
        'ids',
        'keyword=',
        'name_sort=',
        'page=',
        'pageSize=',
        'status=',
      ])
    expect(parameters.find(({ name }) => name === 'age_sort')?.schema).toEqual({
      type: 'string',
      enum: ['asc', 'desc'],
    })
  })

  it('contains the list in the bodies and replies of a creation', async () => {
    const { paths, components } = await documentOf()
    const { requestBody, responses } = paths['/people']?.post ?? {}
    const one = { $ref: '#/components/schemas/PersonCreate' }
    expect(requestBody?.content['application/json']?.schema).toEqual({
      anyOf: [one, { type: 'array', items: one, minItems: 1, maxItems: 100 }],
    })
    expect(JSON.stringify(responses?.['201'])).toContain(
      '{"anyOf":[{"$ref":"#/components/schemas/Person"},{"type":"array","items":{"$ref":"#/components/schemas/Person"}}]}',
    )
    expect(components.schemas.PersonCreate).toMatchObject({
      required: ['email', 'name'],
      properties: {
        email: { type: 'string' },
        status: { default: 1, anyOf: [{ type: 'integer' }, { const: '' }] },
        age: { anyOf: [{ type: 'integer' }, { type: 'null' }, { const: '' }] },
      },
    })
  })

  it('contains the empty strings that bulk changes accept', async () => {
    const { components } = await documentOf()
    expect(components.schemas.PersonUpdate).toMatchObject({
      properties: { status: { type: 'integer' }, age: { anyOf: [{}, {}, { const: '' }] } },
    })
    expect(JSON.stringify(components.schemas.PersonUpdateMany)).toContain(
      '{"type":"null"},{"type":"string","const":""}',
    )
  })

  it('is unchanged without a dialect', async () => {
    const text = JSON.stringify(await documentOf({ dialect: undefined }))
    expect(text).toContain('"name":"limit"')
    expect(text).not.toMatch(/pageSize|_sort|"const":""/)
  })
})

describe('a custom dialect', () => {
  it('may only rename parameters', async () => {
    const kendo: Dialect = { paramNames: { page: 'p', sort: 'orderBy' } }
    expect((await list('p=2&limit=2&orderBy=-id', { dialect: kendo })).ids).toEqual([28, 27])
    expect(await refused('p=', { dialect: kendo })).toEqual([422, ['p']])
    expect(await refused('page=1', { dialect: kendo })).toEqual([422, ['page']])
  })

  it('may name sorters differently', async () => {
    expect((await list('order.id=desc&limit=1', { dialect: { sorter: (field: string) => `order.${field}` } })).ids)
      .toEqual([30])
  })

  it.each<[object, string]>([
    [{ dialect: { paramName: {} } }, 'crud_option_unknown'],
    [{ dialect: { paramNames: { size: 'x' } } }, 'crud_option_unknown'],
    [{ dialect: 'dux' }, 'options_shape'],
    [{ dialect: { sorter: '_sort' } }, 'crud_dialect'],
    [{ dialect: dux, paramNames: { sort: 'order' } }, 'crud_dialect'],
    [{ dialect: dux, paramNames: { page: 'pageSize' } }, 'crud_names'],
    [{ dialect: dux, customFilters: { name_sort: filter(z.string(), () => []) } }, 'crud_names'],
  ])('is refused if it is invalid: %j', (options, code) => {
    expect(() => made(options)).toThrow(expect.objectContaining({ code }))
  })
})

import { Router, type Request } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore, type IdempotencyKey } from 'resourcery/crud'
import { BusinessError } from 'resourcery'
import { openapi } from 'resourcery/openapi'
import { param } from 'resourcery'
import { mountResource } from 'resourcery'
import type { Reply } from '../../support/http.js'
import { people, PersonIn, PersonOut, type Person } from '../people.js'
import { servingRoutes, type Asking } from '../serving.js'

interface Served extends Asking {
  /** Sends a request with these `If-Match` lines, other headers and a body. */
  readonly change: (
    method: string,
    path: string,
    ifMatch?: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Reply>
  readonly tagOf: (path: string, headers?: Record<string, string>) => Promise<string>
  readonly rows: () => Promise<readonly Person[]>
}

async function directory(options: object = { ifMatch: 'optional' }, store = people()): Promise<Served> {
  const asking = await servingRoutes((app) =>
    mountResource(app, {
      route: '/people',
      name: 'people',
      ...crud(store, { input: PersonIn, output: PersonOut, bulk: true, ...options }),
    })
  )
  return {
    ...asking,
    change: (method, path, ifMatch, body, headers) =>
      asking.send(method, `/people${path}`, {
        headers: { ...headers, ...(ifMatch !== undefined && { 'if-match': ifMatch }) },
        body,
      }),
    tagOf: async (path, headers = {}) => String((await asking.get(`/people${path}`, { headers })).headers.get('etag')),
    rows: async () => store.list({ where: [], order: ['id'] }).slice(0, 1000),
  }
}

const whole = { email: 'new@example.test', name: 'New' }
/** Headers of a browser that revalidates; Node's `fetch` would bypass caches. */
const holding = (tag: string) => ({ headers: { 'if-none-match': tag, 'cache-control': 'max-age=0' } })
const STRONG = /^"[\x21\x23-\x7e]+"$/

describe('the ETag of a record', () => {
  it('is strong on show and after writes, and exposed to other origins', async () => {
    const { get, post, change, tagOf } = await directory()
    const shown = await get('/people/1')
    expect(shown.headers.get('etag')).toMatch(STRONG)
    expect(shown.headers.get('access-control-expose-headers')).toBe('ETag')
    const created = await post('/people', whole)
    expect(created.headers.get('etag')).toBe(await tagOf('/6'))
    const edited = await change('PUT', '/6', undefined, { ...whole, name: 'Newer' })
    const stored = await change('PATCH', '/6', undefined, { name: 'Newest' })
    const tags = [created, edited, stored].map(({ headers }) => headers.get('etag'))
    expect(new Set(tags).size).toBe(3)
    expect(tags[2]).toBe(await tagOf('/6'))
    expect((await change('DELETE', '/6')).headers.has('etag')).toBe(false)
    expect(await (await directory({})).tagOf('/1')).toMatch(/^W\//)
  })

  it('causes a 304 for a client with a current copy, on show and list', async () => {
    const { get, change, tagOf } = await directory()
    const tag = await tagOf('/1')
    for (const ifNoneMatch of [tag, `"other", ${tag}`, `W/${tag}`, '*']) {
      const reply = await get('/people/1', holding(ifNoneMatch))
      expect([reply.status, reply.text, reply.headers.get('etag')]).toEqual([304, '', tag])
    }
    const list = String((await get('/people')).headers.get('etag'))
    expect((await get('/people', holding(list))).status).toBe(304)
    await change('PATCH', '/1', tag, { name: 'Anna' })
    expect((await get('/people/1', holding(tag))).status).toBe(200)
    expect((await get('/people', holding(list))).status).toBe(200)
  })

  it('depends only on the fields that the caller may read', async () => {
    const store = people()
    const isChief = (req: Request): boolean => req.get('x-chief') === 'yes'
    const { tagOf, change } = await directory({ ifMatch: 'required', fields: { age: { read: isChief } } }, store)
    const chief = { 'x-chief': 'yes' }
    const [mine, chiefs] = [await tagOf('/2'), await tagOf('/2', chief)]
    expect(mine).not.toBe(chiefs)
    await store.update(2, { secret: 'another', age: 99 })
    expect([await tagOf('/2') === mine, await tagOf('/2', chief) === chiefs]).toEqual([true, false])
    expect((await change('PATCH', '/2', chiefs, { name: 'Bob' }, chief)).status).toBe(412)
    expect((await change('PATCH', '/2', mine, { name: 'Bob' })).status).toBe(200)
  })

  it('depends on the transformed record, which is computed in the transaction', async () => {
    const store = people()
    const seen: string[] = []
    let place = 'outside'
    const run = async <T>(work: () => Promise<T>): Promise<T> => {
      place = 'inside'
      return work().finally(() => (place = 'outside'))
    }
    const watched: typeof store = { ...store, transaction: (work) => run(() => store.transaction(work)) }
    const transform = (row: Person): Person => {
      seen.push(`${place} ${row.name}`)
      return { ...row, name: row.name.toUpperCase() }
    }
    const { tagOf, change } = await directory({ ifMatch: 'required', transform }, watched)
    const tag = await tagOf('/1')
    expect((await change('PATCH', '/1', tag, { name: 'ann' })).status).toBe(200)
    expect(seen).toEqual(['outside Ann', 'outside Ann', 'inside ann'])
    expect((await change('PATCH', '/1', tag, { name: 'Bob' })).status).toBe(200)
    expect((await change('PATCH', '/1', tag, { name: 'Cid' })).status).toBe(412)
  })

  it('is included in a replayed creation', async () => {
    const keys = memoryStore<IdempotencyKey>({ key: 'id' })
    const { post, tagOf } = await directory({
      ifMatch: 'required',
      idempotency: { keys: () => keys, identity: () => 'all' },
    })
    const [first, again] = [
      await post('/people', whole, { headers: { 'idempotency-key': 'k' } }),
      await post('/people', whole, { headers: { 'idempotency-key': 'k' } }),
    ]
    expect([again.headers.get('idempotency-replayed'), first.headers.get('etag'), again.headers.get('etag')]).toEqual([
      'true',
      await tagOf('/6'),
      await tagOf('/6'),
    ])
  })

  it('supports bigint, and is absent if the record does not fit its output', async () => {
    const store = memoryStore({ key: 'id', rows: [{ id: 1, big: 5n, name: 'a' }, { id: 2, big: 6n, name: '' }] })
    const { get } = await servingRoutes((app) => {
      mountResource(app, {
        route: '/a',
        name: 'a',
        ...crud(store, {
          ifMatch: 'optional',
          input: z.object({}),
          output: z.object({ id: z.int(), big: z.bigint().transform(Number), name: z.string().min(1) }),
        }),
      })
      mountResource(app, {
        route: '/b',
        name: 'b',
        ...crud(store, {
          ifMatch: 'optional',
          input: z.object({}),
          output: z.object({ id: z.int(), big: z.bigint() }),
        }),
      })
    })
    expect((await get('/a/1')).headers.get('etag')).toMatch(STRONG)
    const broken = await get('/a/2')
    expect([broken.status, broken.headers.has('etag')]).toEqual([500, false])
    const exact = await get('/b/1')
    expect([exact.body.data, exact.headers.get('etag')]).toEqual([{ id: 1, big: '5' }, expect.stringMatching(STRONG)])
  })
})

describe('If-Match', () => {
  const requests = [
    ['PUT', '/2', whole],
    ['PATCH', '/2', { name: 'Bob' }],
    ['DELETE', '/2', undefined],
    ['DELETE', '?ids=2', undefined],
    ['PUT', '', { ids: [2], data: { name: 'Bob' } }],
  ] as const

  it.each(requests)('accepts a matching tag, a list with it and * on %s %s', async (method, path, body) => {
    const all = await Promise.all(
      [(tag: string) => tag, (tag: string) => `"x" ,, ${tag},W/"y"`, () => '*', () => ' * '].map(async (line) => {
        const { change, tagOf } = await directory({ ifMatch: 'required' })
        return (await change(method, path, line(await tagOf('/2')), body)).status
      }),
    )
    expect(all).toEqual([200, 200, 200, 200])
  })

  it.each(requests)(
    'replies 412 to a stale or weak tag, and 428 if required and missing, on %s %s',
    async (method, path, body) => {
      const { change, tagOf, rows } = await directory({ ifMatch: 'required' })
      const stale = await tagOf('/2')
      await change('PATCH', '/2', stale, { name: 'Changed' })
      const before = await rows()
      const weak = `W/${await tagOf('/2')}`
      for (const line of [stale, weak, '"x"', '""', `${stale}, "x"`]) {
        expect((await change(method, path, line, body)).body).toEqual({
          code: 412,
          message: 'The record was changed since you read it',
          data: null,
          meta: { reason: 'stale' },
        })
      }
      expect((await change(method, path, undefined, body)).body).toEqual(
        { code: 428, message: 'The If-Match header is required', data: null, meta: { reason: 'precondition_missing' } },
      )
      expect(await rows()).toEqual(before)
    },
  )

  it.each(requests)('may be omitted if it is optional, on %s %s', async (method, path, body) => {
    const { change } = await directory()
    expect((await change(method, path, '"x"', body)).status).toBe(412)
    expect((await change(method, path, undefined, body)).status).toBe(200)
  })

  it('is checked after access and existence, and before hooks and writes', async () => {
    const hooked: string[] = []
    const { change } = await directory({
      ifMatch: 'required',
      scope: () => [['status', '=', 1]],
      before: { store: () => void hooked.push('store'), delete: () => void hooked.push('delete') },
      check: ({ id }: Person) => {
        if (id === 4) throw new BusinessError('Not yours', 403, { reason: 'person.not_yours' })
      },
    })
    for (const line of [undefined, '"x"', '*']) {
      expect((await change('PATCH', '/99', line, { name: 'Bob' })).status).toBe(404)
      expect((await change('DELETE', '/1', line)).status).toBe(404)
      expect((await change('PATCH', '/4', line, { name: 'Bob' })).body.meta).toEqual({ reason: 'person.not_yours' })
      expect((await change('DELETE', '?ids=2,4', line)).status).toBe(403)
    }
    expect((await change('PATCH', '/2', '"x"', { name: 'B' })).status).toBe(422)
    expect((await change('PATCH', '/2', '"x"', { name: 'Bob' })).status).toBe(412)
    expect(hooked).toEqual([])
  })

  it('needs the tags of all rows of a bulk request', async () => {
    const { change, tagOf, rows } = await directory({ ifMatch: 'required' })
    const [two, three] = [await tagOf('/2'), await tagOf('/3')]
    expect((await change('DELETE', '?ids=2,3', two)).status).toBe(412)
    expect((await change('PUT', '', `${two}, "x"`, { ids: [2, 3], data: { age: 1 } })).status).toBe(412)
    expect(await rows()).toHaveLength(5)
    expect((await change('PUT', '', `${three}, ${two}`, { ids: [2, 3], data: { age: 1 } })).status).toBe(200)
    expect((await change('DELETE', '?ids=2,3', `${three}, ${two}`)).status).toBe(412)
    expect((await change('DELETE', '?ids=2,3', `${await tagOf('/3')}, ${await tagOf('/2')}`)).body.meta).toEqual({
      deleted: 2,
    })
  })

  it.each(['x', '"x', 'x"', '"a" "b"', '*, "a"', 'W/', '"a";q=1', ',', 'w/"a"', `"a",${' '.repeat(8000)}x`])(
    'is refused with 400 before the body is read, if malformed: %.20s',
    async (line) => {
      const { change } = await directory()
      for (const body of [{ name: 'Bob' }, { name: 'B' }]) {
        const reply = await change('PATCH', '/2', line, body)
        expect([reply.status, reply.body.meta]).toEqual([400, { reason: 'unreadable' }])
      }
    },
  )

  it('replies 412 if the row changed between the check and the transaction', async () => {
    const store = people()
    for (
      const before of [[], [{
        id: 2,
        email: 'p2@example.test',
        name: 'Ben',
        status: 1,
        age: 21,
        team: 1,
        secret: 'old',
      }]] as const
    ) {
      const { change, tagOf } = await directory({ ifMatch: 'optional' }, {
        ...store,
        find: (keys, where) => (keys.includes(2) ? Promise.resolve([...before]) : store.find(keys, where)),
      })
      const tag = before.length === 0 ? '"x"' : await tagOf('/2')
      expect((await change('PATCH', '/2', tag, { name: 'Bob' })).status).toBe(412)
    }
  })

  it('is ignored by a resource without `ifMatch`', async () => {
    const { change } = await directory({})
    expect((await change('PATCH', '/2', '"x"', { name: 'Bob' })).status).toBe(200)
    expect((await change('PATCH', '/2', 'x', { name: 'Bob' })).status).toBe(200)
  })
})

describe('a version column', () => {
  const Doc = z.object({ id: z.string(), title: z.string() })
  const docs = () =>
    memoryStore<{ id: string; title: string; version: number }>({
      key: 'id',
      newKey: () => 'new',
      rows: [{ id: 'a b/"ä', title: 'A', version: 4 }, { id: 'b', title: 'B', version: 4 }],
    })
  const served = async (store = docs(), options: object = {}) => {
    const asking = await servingRoutes((app) =>
      mountResource(app, {
        route: '/docs',
        name: 'docs',
        ...crud(store, {
          id: z.string(),
          input: z.object({ title: z.string() }),
          output: Doc,
          ifMatch: 'required',
          version: 'version',
          bulk: true,
          ...options,
        }),
      })
    )
    return {
      ...asking,
      versions: async () => (await store.list({ where: [], order: ['id'] }).slice(0, 9)).map(({ version }) => version),
    }
  }
  const PATH = `/docs/${encodeURIComponent('a b/"ä')}`

  it('starts at one, and changes the tag even if the content is equal', async () => {
    const { get, send, post, versions } = await served()
    const tag = String((await get(PATH)).headers.get('etag'))
    expect(tag).toMatch(STRONG)
    const same = await send('PUT', PATH, { headers: { 'if-match': tag }, body: { title: 'A', version: 77 } })
    expect([same.status, same.body.data]).toEqual([200, { id: 'a b/"ä', title: 'A' }])
    expect((await send('PUT', PATH, { headers: { 'if-match': tag }, body: { title: 'A' } })).status).toBe(412)
    expect((await send('PATCH', PATH, { headers: { 'if-match': String(same.headers.get('etag')) }, body: {} })).status)
      .toBe(200)
    expect((await post('/docs', { title: 'C', version: 9 })).status).toBe(201)
    expect(await versions()).toEqual([5, 4, 1])
    expect(
      (await send('PUT', '/docs', { headers: { 'if-match': '*' }, body: { ids: ['b', 'new'], data: { title: 'D' } } }))
        .status,
    )
      .toBe(200)
    expect(await versions()).toEqual([5, 5, 2])
  })

  it('makes the tags of different rows differ', async () => {
    const { get, send } = await served()
    const tag = String((await get(PATH)).headers.get('etag'))
    expect((await send('DELETE', '/docs/b', { headers: { 'if-match': tag } })).status).toBe(412)
  })

  it('determines the tag regardless of `transform`', async () => {
    let asked = 0
    const { get, send } = await served(docs(), {
      transform: (row: { title: string }) => ({ ...row, title: `${row.title} ${String(++asked)}` }),
    })
    const first = await get(PATH)
    const again = await get(PATH, holding(String(first.headers.get('etag'))))
    expect(again.status).toBe(200)
    expect(
      (await send('PATCH', PATH, { headers: { 'if-match': String(first.headers.get('etag')) }, body: { title: 'X' } }))
        .status,
    )
      .toBe(200)
  })

  it('treats null as version zero', async () => {
    const store = memoryStore<{ id: string; title: string; version: number | null }>({
      key: 'id',
      rows: [{ id: 'a', title: 'A', version: null }],
    })
    const { get, send, versions } = await served(store as never)
    const tag = String((await get('/docs/a')).headers.get('etag'))
    expect((await send('PATCH', '/docs/a', { headers: { 'if-match': tag }, body: { title: 'B' } })).status).toBe(200)
    expect(await versions()).toEqual([1])
  })
})

describe('the options ifMatch and version', () => {
  const make = (options: object) => () => crud(people(), { input: PersonIn, output: PersonOut, ...options })

  it.each([
    ['another mode', { ifMatch: true }, 'crud_if_match'],
    ['a version without tags', { version: 'team' }, 'crud_version'],
    ['a version that a caller writes', { ifMatch: 'required', version: 'status' }, 'crud_version'],
    ['a version that a change writes', {
      ifMatch: 'required',
      version: 'team',
      changes: z.object({ team: param.int() }),
    }, 'crud_version'],
  ])('throw a MisuseError: %s', (_, options, code) => {
    expect(make(options)).toThrow(expect.objectContaining({ code }))
  })

  it('document the headers and statuses', () => {
    const document = (ifMatch: 'required' | 'optional') => {
      const router = Router()
      mountResource(router, {
        route: '/people',
        name: 'people',
        ...crud(people(), { input: PersonIn, output: PersonOut, ifMatch, bulk: true }),
      })
      return openapi(router, { title: 'People', version: '1' }).paths
    }
    const [strict, kind] = [document('required'), document('optional')]
    for (
      const operation of [
        strict['/people/{id}']?.put,
        strict['/people/{id}']?.patch,
        strict['/people/{id}']?.delete,
        strict['/people']?.delete,
        strict['/people']?.put,
      ]
    ) {
      expect(operation?.parameters).toContainEqual(
        expect.objectContaining({ name: 'If-Match', in: 'header', required: true }),
      )
      expect(Object.keys(operation?.responses ?? {})).toEqual(expect.arrayContaining(['412', '428']))
    }
    for (const operation of [strict['/people/{id}']?.get, strict['/people/{id}']?.put, strict['/people/{id}']?.patch]) {
      expect(operation?.responses['200']).toMatchObject({ headers: { ETag: {} } })
    }
    expect(strict['/people']?.post?.responses['201']).toMatchObject({ headers: { ETag: {} } })
    expect(strict['/people/{id}']?.get?.parameters).toContainEqual(
      expect.objectContaining({ name: 'If-None-Match', required: false }),
    )
    expect(kind['/people/{id}']?.put?.parameters).toContainEqual(
      expect.objectContaining({ name: 'If-Match', required: false }),
    )
    expect(Object.keys(kind['/people/{id}']?.put?.responses ?? {})).not.toContain('428')
  })
})

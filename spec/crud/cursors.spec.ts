import { Buffer } from 'node:buffer'
import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore, raw, type Store, type Where } from 'resourcery/crud'
import { encodeCursor } from '../../lib/core/paging/cursor.js'
import { param } from 'resourcery'
import { mountResource } from 'resourcery'
import { servingRoutes, type Asking } from './serving.js'

interface Employee {
  id: number
  name: string
  salary: number
  hiredAt: Date
  team: number
  leftAt: Date | null
}

const Out = z.object({
  id: z.int(),
  name: z.string(),
  salary: z.number(),
  hiredAt: z.date(),
  team: z.int(),
  leftAt: z.date().nullable(),
})
const SECRET = 'a secret of cursors, at least 32 bytes long'
const BOSS = { headers: { 'x-boss': 'yes' } }
const teamOf = (req: Request): number => Number(req.get('x-team'))
const isBoss = (req: Request): boolean => req.get('x-boss') === 'yes'

function employees(): Store<Employee> {
  return memoryStore<Employee>({
    key: 'id',
    rows: Array.from(
      { length: 7 },
      (_, at) => ({
        id: at + 1,
        name: `n${at % 3}`,
        salary: [5100, 4200, 6300, 4200, 7400, 3100, 5100][at] ?? 0,
        hiredAt: new Date(at * 1000),
        team: at % 2,
        leftAt: at % 3 === 0 ? null : new Date((9 - at) * 1000),
      }),
    ),
  })
}

/** Serves the resources `employees` and `others` on one store. */
function serving(options: object = {}, store = employees()): Promise<Asking> {
  const made = () =>
    crud(store, {
      input: Out.omit({ id: true }),
      output: Out,
      sort: ['name', 'salary', 'hiredAt', 'leftAt'],
      filters: { team: { eq: param.int() } },
      ...options,
    })
  return servingRoutes((app) => {
    for (const name of ['employees', 'others']) mountResource(app, { route: `/${name}`, name, ...made() })
  })
}

/** Reads all pages, one row per page. */
async function walk({ get }: Asking, query = '', options = {}): Promise<number[]> {
  const ids: number[] = []
  for (let cursor: unknown = ''; typeof cursor === 'string';) {
    const { status, body }: Awaited<ReturnType<Asking['get']>> = await get(
      `/employees?limit=2&cursor=${cursor}${query}`,
      options,
    )
    expect(status).toBe(200)
    ids.push(...(body.data as Employee[]).map(({ id }) => id))
    cursor = body.meta.next
  }
  return ids
}

const firstCursor = async ({ get }: Asking, query = '', options = {}): Promise<string> =>
  String((await get(`/employees?limit=2&cursor=${query}`, options)).body.meta.next)
const invalid = { code: 422, data: { cursor: ['This cursor is not valid here'] } }
const unavailable = { code: 422, data: { cursor: ['Cursor paging is not available in this order'] } }

describe.each([['readable cursors', {}], ['encrypted cursors', { cursorSecret: SECRET }]])('%s', (_kind, secret) => {
  it.each([
    ['', [1, 2, 3, 4, 5, 6, 7]],
    ['&sort=-salary', [5, 3, 7, 1, 4, 2, 6]],
    ['&sort=hiredAt,-name', [1, 2, 3, 4, 5, 6, 7]],
    ['&sort=name&team=1', [4, 2, 6]],
    ['&sort=leftAt', [6, 5, 3, 2, 1, 4, 7]],
    ['&sort=-leftAt,-id', [2, 3, 5, 6, 7, 4, 1]],
    ['&sort=name,-leftAt', [7, 4, 1, 2, 5, 3, 6]],
  ])('page through the whole list: %s', async (query, ids) => {
    expect(await walk(await serving(secret), query)).toEqual(ids)
  })

  it('do not work beside a page, and both are named by the names of the caller', async () => {
    const both = ['Send a page or a cursor, not both']
    const { get } = await serving()
    expect(await get('/employees?page=2&cursor=')).toMatchObject({
      status: 422,
      body: { data: { page: both, cursor: both } },
    })
    const renamed = await serving({ paramNames: { page: 'p', cursor: 'after' } })
    expect(await renamed.get('/employees?p=2&after=')).toMatchObject({
      status: 422,
      body: { data: { p: both, after: both } },
    })
  })

  it('work beside page 1, its default, which some clients send', async () => {
    const { get } = await serving()
    const { body } = await get('/employees?page=1&limit=2&cursor=')
    expect(body).toMatchObject({ data: [{ id: 1 }, { id: 2 }], meta: { limit: 2 } })
  })

  it('are refused by another resource, order or direction', async () => {
    const client = await serving(secret)
    const cursor = await firstCursor(client, '&sort=name')
    expect((await client.get(`/employees?cursor=${cursor}&sort=name`)).status).toBe(200)
    for (
      const path of [
        '/others?sort=name&',
        '/employees?',
        '/employees?sort=-name&',
        '/employees?sort=name,salary&',
        '/employees?sort=salary&',
        '/employees?sort=id&',
      ]
    ) {
      expect((await client.get(`${path}cursor=${cursor}`)).body).toMatchObject(invalid)
    }
  })

  it.each<[what: string, scope: (req: Request) => Where<Employee>, isList: boolean]>([
    ['its tenant', (req) => [['team', '=', teamOf(req)]], false],
    ['its tenant in lists alone', (req) => [['team', '=', teamOf(req)]], true],
    ['one of its values', (req) => [['salary', '>', 0], ['name', '!=', 'x'], ['team', '=', teamOf(req)]], false],
    ['a time or null', (req) => [['leftAt', '=', teamOf(req) === 0 ? null : new Date(4000)]], false],
  ])('are bound to the values of the scope: %s', async (_what, scope, isList) => {
    const client = await serving({ ...secret, scope: isList ? { list: scope } : scope })
    const [mine, theirs] = [{ headers: { 'x-team': '0' } }, { headers: { 'x-team': '1' } }]
    const cursor = String((await client.get('/employees?limit=1&cursor=', mine)).body.meta.next)
    expect((await client.get(`/employees?cursor=${cursor}`, mine)).status).toBe(200)
    expect((await client.get(`/employees?cursor=${cursor}`, theirs)).body).toMatchObject(invalid)
  })

  it('are not bound to bounds, lists and raw conditions of the scope, nor to filters', async () => {
    const scope = (req: Request): Where<Employee> => [
      ['id', '<', 90 + teamOf(req)],
      ['team', 'in', [0, 1, teamOf(req)]],
      raw(({ id }: Employee) => id !== 50 + teamOf(req)),
    ]
    const client = await serving({ ...secret, scope })
    const cursor = await firstCursor(client, '', { headers: { 'x-team': '0' } })
    for (const query of ['', '&team=1']) {
      expect((await client.get(`/employees?cursor=${cursor}${query}`, { headers: { 'x-team': '1' } })).status).toBe(200)
    }
  })

  it('are refused if forged, truncated or too long', async () => {
    const client = await serving(secret)
    const good = await firstCursor(client, '&sort=name')
    const flipped = Array.from(good, (_, at) => at).map((at) =>
      `${good.slice(0, at)}${good[at] === 'A' ? 'B' : 'A'}${good.slice(at + 1)}`
    )
    const forged = [
      good.slice(0, -1),
      good.slice(0, 20),
      `${good}A`,
      `${good}=`,
      'AAAA',
      'nonsense',
      '%F0%9F%A5%9A',
      'x'.repeat(2048),
      'x'.repeat(4096),
      'x'.repeat(5000),
      ...flipped,
      encodeCursor([]),
      encodeCursor(['id', 1]),
      encodeCursor(['name,id', 'n1', 1]),
      encodeCursor(['offset', 2]),
      encodeCursor([null]),
      encodeCursor([1n, new Date(0), true, null]),
      Buffer.from('[1]').toString('base64url'),
      Buffer.from([2, ...Array.from({ length: 40 }, () => 0)]).toString('base64url'),
    ]
    for (const cursor of forged) expect((await client.get(`/employees?sort=name&cursor=${cursor}`)).status).toBe(422)
  })

  it('apply the scope of the caller who sends them', async () => {
    const client = await serving({ ...secret, scope: (req: Request) => [['team', 'in', [teamOf(req)]]] })
    const cursor = await firstCursor(client, '&sort=-salary', { headers: { 'x-team': '0' } })
    const { body } = await client.get(`/employees?sort=-salary&cursor=${cursor}`, { headers: { 'x-team': '1' } })
    expect((body.data as Employee[]).map(({ id }) => id)).toEqual([4, 2, 6])
  })

  it('page through the rows named by `ids`, and are refused with other ids', async () => {
    const client = await serving(secret)
    const { body } = await client.get('/employees?ids=5,3,1&limit=2&cursor=')
    expect((await client.get(`/employees?ids=5,3,1&limit=2&cursor=${String(body.meta.next)}`)).body).toMatchObject({
      data: [{ id: 1 }],
      meta: { next: null },
    })
    expect((await client.get(`/others?ids=5,3,1&limit=2&cursor=${String(body.meta.next)}`)).body).toMatchObject(invalid)
  })
})

describe('a default order by a field that the caller may not read', () => {
  const ruled = { order: ['-salary', 'name'], fields: { salary: { read: isBoss } } }

  it('is reduced to its other fields for this caller', async () => {
    const client = await serving(ruled)
    const ids = async (options = {}): Promise<number[]> =>
      ((await client.get('/employees', options)).body.data as Employee[]).map(({ id }) => id)
    expect(await ids()).toEqual([1, 4, 7, 2, 5, 3, 6])
    expect(await ids(BOSS)).toEqual([5, 3, 1, 7, 4, 2, 6])
  })

  it('adds no hidden value to a cursor, and makes cursors invalid for other callers', async () => {
    const client = await serving(ruled)
    expect(await walk(client)).toEqual([1, 4, 7, 2, 5, 3, 6])
    expect(await walk(client, '', BOSS)).toEqual([5, 3, 1, 7, 4, 2, 6])
    const [cursor, bossCursor] = [await firstCursor(client), await firstCursor(client, '', BOSS)]
    expect(Buffer.from(cursor, 'base64url').toString()).not.toMatch(/salary|\d{4}/)
    expect((await client.get(`/employees?cursor=${bossCursor}`)).body).toMatchObject(invalid)
    expect((await client.get(`/employees?cursor=${cursor}`, BOSS)).body).toMatchObject(invalid)
  })

  it('is refused in `sort`, with or without a cursor', async () => {
    const client = await serving(ruled)
    for (const query of ['sort=salary', 'sort=-salary&cursor=', 'sort=name,salary']) {
      expect((await client.get(`/employees?${query}`)).body).toMatchObject({
        code: 422,
        data: { sort: ['Cannot sort by this field'] },
      })
    }
  })
})

describe('a cursor that contains values hidden in the rows', () => {
  const cases = {
    'a key that the caller may not read': { fields: { id: { read: () => false } } },
    'a key that is not in the output': { output: Out.omit({ id: true }), sort: ['salary'] },
    'a value that `transform` changes': { transform: (row: Employee) => ({ ...row, salary: 0 }), order: ['salary'] },
    'a value that `transform` leaves out': {
      output: Out.extend({ salary: z.number().optional() }),
      transform: ({ salary: _hidden, ...row }: Employee) => row,
      order: ['-salary'],
    },
    'a value that the output changes': {
      output: Out.extend({ salary: z.number().transform((salary) => Math.round(salary / 1e4)) }),
      order: ['salary'],
    },
    'a value that `after.list` changes': {
      after: {
        list: (rows: Employee[]) => {
          for (const row of rows) row.salary = 1
        },
      },
      order: ['salary'],
    },
    'a time of which the day is shown': {
      output: Out.extend({ hiredAt: z.string() }),
      transform: (row: Employee) => ({ ...row, hiredAt: row.hiredAt.toISOString().slice(0, 10) }),
      order: ['hiredAt'],
    },
  }

  it.each(Object.entries(cases))('is refused with 422 without a secret: %s', async (_name, options) => {
    const { get } = await serving(options)
    expect((await get('/employees?limit=2&cursor=')).body).toMatchObject(unavailable)
    expect((await get('/employees?limit=2')).status).toBe(200)
  })

  it.each(Object.entries(cases))('is encrypted if there is a secret: %s', async (_name, options) => {
    const client = await serving({ ...options, cursorSecret: SECRET })
    const { body, status } = await client.get('/employees?limit=2&cursor=')
    expect(status).toBe(200)
    expect(Buffer.from(String(body.meta.next), 'base64url').toString('latin1')).not.toMatch(
      /salary|hiredAt|[3-7][1-4]00/,
    )
    expect((await client.get(`/employees?limit=2&cursor=${String(body.meta.next)}`)).body.data).toHaveLength(2)
  })

  it('is refused if a caller makes it up for an unreadable key', async () => {
    const { get } = await serving({ fields: { id: { read: () => false } } })
    expect((await get(`/employees?cursor=${encodeCursor(['id', 'id', 4])}`)).status).toBe(422)
  })

  it('needs no secret if the output shows the same values in another format', async () => {
    const client = await serving({
      output: Out.extend({ hiredAt: z.string(), salary: z.string() }),
      transform: (row: Employee) => ({ ...row, hiredAt: row.hiredAt.toISOString(), salary: String(row.salary) }),
    })
    expect(await walk(client, '&sort=hiredAt,salary')).toEqual([1, 2, 3, 4, 5, 6, 7])
  })
})

describe('cursorSecret', () => {
  it('accepts cursors of processes with the same secret, and of older secrets in the list', async () => {
    const sealing = (cursorSecret: unknown): Promise<Asking> => serving({ order: ['-salary'], cursorSecret })
    const [old, twin, rotated, other] = [
      await sealing(SECRET),
      await sealing(Buffer.from(SECRET)),
      await sealing(['b'.repeat(32), SECRET]),
      await sealing('c'.repeat(32)),
    ]
    const cursor = await firstCursor(old)
    for (const client of [old, twin, rotated]) {
      expect((await client.get(`/employees?cursor=${cursor}`)).status).toBe(200)
    }
    expect((await other.get(`/employees?cursor=${cursor}`)).body).toMatchObject(invalid)
    expect((await old.get(`/employees?cursor=${await firstCursor(rotated)}`)).body).toMatchObject(invalid)
  })

  it('refuses readable cursors', async () => {
    const readable = await firstCursor(await serving())
    expect((await (await serving({ cursorSecret: SECRET })).get(`/employees?cursor=${readable}`)).body).toMatchObject(
      invalid,
    )
  })

  it('encrypts each cursor differently', async () => {
    const client = await serving({ cursorSecret: SECRET })
    expect(await firstCursor(client)).not.toBe(await firstCursor(client))
  })

  it.each(['short', '', 7, [], ['x'.repeat(32), 'short'], {}, null, new Uint8Array(31)])(
    'is refused as %j when the resource is created',
    async (cursorSecret) => {
      await expect(serving({ cursorSecret })).rejects.toMatchObject({ code: 'crud_cursor_secret' })
    },
  )
})

describe('an order by values that are too long for a cursor', () => {
  it('replies 422 for a cursor, and supports numbered pages', async () => {
    const store = employees()
    await store.update(1, { name: 'a'.repeat(3000) })
    const { get } = await serving({}, store)
    expect((await get('/employees?sort=name&limit=1&cursor=')).body).toMatchObject({
      code: 422,
      data: { cursor: ['The values of this order are too long for a cursor'] },
    })
    expect((await get('/employees?sort=name&limit=1')).status).toBe(200)
  })
})

import { Router, type Request } from 'express'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { auth } from 'resourcery'
import { issueToken } from 'resourcery'
import { crud, memoryStore, type IdempotencyKey, type Store, type Where } from 'resourcery/crud'
import { BusinessError, ConflictError } from 'resourcery'
import { openapi } from 'resourcery/openapi'
import { param } from 'resourcery'
import { permission } from 'resourcery'
import { mountResource } from 'resourcery'
import { permissionsOf } from 'resourcery'
import { servingRoutes } from './serving.js'

interface File {
  id: number
  name: string
  team: number
  deletedAt: Date | null
}

const FileOut = z.object({ id: z.int(), name: z.string(), team: z.int() })
const FileIn = z.object({ name: z.string().min(1), team: param.int().default(1) })
const base = { input: FileIn, output: FileOut, sort: ['name'], filters: { team: { eq: param.int() } } } as const

const SECRET = 'a secret of this spec that is long enough'

/** Returns five files, of which the last two are soft-deleted. */
function files() {
  const rows = ['a', 'b', 'c', 'd', 'e'].map((name, index): File => ({
    id: index + 1,
    name,
    team: index % 2,
    deletedAt: index < 3 ? null : new Date(index),
  }))
  return memoryStore<File>({ key: 'id', unique: ['name'], defaults: { deletedAt: null }, rows })
}

async function filed(options: object = {}, store = files()) {
  const softDelete = { field: 'deletedAt', unique: ['name'], allows: () => true } as const
  const client = await servingRoutes((app) =>
    mountResource(app, { route: '/files', name: 'files', ...crud(store, { ...base, softDelete, ...options }) })
  )
  const ids = async (query = ''): Promise<number[]> =>
    ((await client.get(`/files${query}`)).body.data as File[]).map(({ id }) => id)
  return { ...client, store, ids }
}

it('a resource whose column is called `deleted` gives the parameter of soft-deleted rows another name', async () => {
  const Doc = z.object({ id: z.int(), deleted: z.boolean() })
  const rows = [1, 2, 3].map((id) => ({ id, deleted: id === 2, deletedAt: id === 3 ? new Date(0) : null }))
  const docs = crud(memoryStore<typeof rows[number]>({ key: 'id', rows }), {
    input: Doc.pick({ deleted: true }),
    output: Doc,
    filters: { deleted: { eq: param.bool() } },
    softDelete: { field: 'deletedAt', allows: () => true },
    paramNames: { deleted: 'state' },
    export: true,
  })
  const { get } = await servingRoutes((app) => mountResource(app, { route: '/docs', name: 'docs', ...docs }))
  const ids = async (query: string): Promise<unknown> =>
    ((await get(`/docs?${query}`)).body.data as { id: number }[]).map(({ id }) => id)
  expect(await ids('deleted=true')).toEqual([2])
  expect(await ids('state=only')).toEqual([3])
  expect(await ids('state=with&deleted=false')).toEqual([1, 3])
  expect((await get('/docs/export?state=with&deleted=true')).text).toBe('id,deleted\r\n2,true\r\n')
})

describe('a soft-deleted record', () => {
  it('is marked, and no other action finds it', async () => {
    const { send, get, store, ids } = await filed()
    expect((await send('DELETE', '/files/1')).body).toEqual({ code: 200, message: 'Deleted', data: null, meta: {} })
    expect((await store.find([1]))[0]?.deletedAt).toBeInstanceOf(Date)
    expect(await ids()).toEqual([2, 3])
    expect((await get('/files')).body.meta.total).toBe(2)
    expect(await ids('?ids=1,2,4')).toEqual([2])
    expect(await ids('?ids=1,2,4&sort=name')).toEqual([2])
    expect(await ids('?cursor=&limit=1')).toEqual([2])
    const body = { name: 'x' }
    for (const [method, path] of [['GET', ''], ['PUT', ''], ['PATCH', ''], ['DELETE', '']] as const) {
      const reply = await send(method, `/files/1${path}`, method === 'PUT' || method === 'PATCH' ? { body } : {})
      expect([method, reply.status, reply.body.meta]).toEqual([method, 404, { reason: 'not_found' }])
    }
    expect((await send('DELETE', '/files?ids=2,1')).status).toBe(404)
    expect((await send('DELETE', '/files?ids=2,3')).body.meta).toEqual({ deleted: 2 })
    expect(await ids('?deleted=only')).toEqual([1, 2, 3, 4, 5])
  })

  it('is listed by `deleted`, with filters, sort and pages', async () => {
    const { get, ids } = await filed()
    expect(await ids('?deleted=only')).toEqual([4, 5])
    expect(await ids('?deleted=with&sort=-name&team=0')).toEqual([5, 3, 1])
    expect((await get('/files?deleted=with&limit=1')).body.meta).toEqual({ total: 5, page: 1, limit: 1 })
    expect(await ids('?deleted=only&ids=5,1,4')).toEqual([5, 4])
    expect((await get('/files?deleted=yes')).body).toMatchObject({
      code: 422,
      data: { deleted: ['Must be one of only, with'] },
    })
    expect((await get('/files?deleted=only')).body.data).toEqual([{ id: 4, name: 'd', team: 1 }, {
      id: 5,
      name: 'e',
      team: 0,
    }])
  })

  it.each([undefined, SECRET])('is listed by a cursor of the list without it, with the secret %s',
    async (cursorSecret) => {
      const { get } = await filed({ cursorSecret })
      const next = String((await get('/files?limit=1&cursor=')).body.meta.next)
      const pages = ['', '&deleted=with', '&deleted=only'].map(async (query) => {
        const { status, body } = await get(`/files?cursor=${next}${query}`)
        return [status, (body.data as File[]).map(({ id }) => id)]
      })
      expect(await Promise.all(pages)).toEqual([[200, [2, 3]], [200, [2, 3, 4, 5]], [200, [4, 5]]])
    })

  it('is restored unchanged, and only if it was deleted', async () => {
    const { send, get, store } = await filed()
    expect((await send('PUT', '/files/4/restore')).body).toEqual({
      code: 200,
      message: 'Restored',
      data: { id: 4, name: 'd', team: 1 },
      meta: {},
    })
    expect((await get('/files/4')).status).toBe(200)
    expect((await store.find([4]))[0]?.deletedAt).toBeNull()
    for (const id of ['4', '1', '9']) expect((await send('PUT', `/files/${id}/restore`)).status).toBe(404)
    expect((await send('PUT', '/files/x/restore')).status).toBe(422)
  })

  it('is purged, and only if it was deleted', async () => {
    const { send, store } = await filed()
    expect((await send('DELETE', '/files/4/purge')).body).toEqual({
      code: 200,
      message: 'Deleted for good',
      data: null,
      meta: {},
    })
    expect(await store.find([4])).toEqual([])
    for (const id of ['4', '1', '9']) expect((await send('DELETE', `/files/${id}/purge`)).status).toBe(404)
    expect(await store.find([1])).toHaveLength(1)
  })

  it('passes checks and hooks before it is marked, all rows or none', async () => {
    const seen: string[] = []
    const note = (name: string) => (row: File): void => void seen.push(`${name} ${row.id}`)
    const noted = (name: string) => ({
      delete: note(`${name} delete`),
      restore: note(`${name} restore`),
      purge: note(`${name} purge`),
    })
    const { send } = await filed({
      check: (row: File, { action }: { action: string }) => note(`check ${action}`)(row),
      before: noted('before'),
      after: noted('after'),
      afterCommit: noted('committed'),
    })
    await send('DELETE', '/files/1')
    await send('PUT', '/files/1/restore')
    await send('DELETE', '/files/4/purge')
    const around = (action: string, id: number): string[] =>
      ['check', 'before', 'after', 'committed'].map((name) => `${name} ${action} ${id}`)
    expect(seen).toEqual([...around('delete', 1), ...around('restore', 1), ...around('purge', 4)])
    const refuse = (row: File): void => {
      if (row.id === 3) throw new BusinessError('No', 409, { reason: 'no' })
    }
    const refusing = await filed({ after: { delete: refuse } })
    expect((await refusing.send('DELETE', '/files?ids=1,2,3')).body.meta).toEqual({ reason: 'no' })
    expect(await refusing.ids()).toEqual([1, 2, 3])
  })

  it('is restored or purged only within the scope', async () => {
    const { send, ids } = await filed({ scope: (): Where<File> => [['team', '=', 1]] })
    expect(await ids('?deleted=with')).toEqual([2, 4])
    expect((await send('PUT', '/files/5/restore')).status).toBe(404)
    expect((await send('DELETE', '/files/5/purge')).status).toBe(404)
    expect((await send('DELETE', '/files/1')).status).toBe(404)
    expect((await send('DELETE', '/files/2')).status).toBe(200)
    expect((await send('POST', '/files', { body: { name: 'n' } })).status).toBe(201)
    expect((await send('PUT', '/files/4/restore')).status).toBe(200)
    const lists = await filed({ scope: { list: (): Where<File> => [['team', '=', 1]] } })
    expect(await lists.ids('?deleted=only')).toEqual([4])
    expect((await lists.send('PUT', '/files/5/restore')).status).toBe(200)
  })

  it.each([
    ['the output', {}],
    ['a version', { version: 'team' }],
  ])('is restored and purged only by a current tag of %s, where one is sent', async (_of, version) => {
    for (const ifMatch of ['optional', 'required']) {
      const options = { ifMatch, ...version, input: FileIn.omit({ team: true }), filters: {} }
      const { send, get, store } = await filed(options)
      const tag = (await get('/files/1')).headers.get('etag') ?? ''
      await send('DELETE', '/files/1', { headers: { 'if-match': '*' } })
      for (const [method, path] of [['PUT', '/files/1/restore'], ['DELETE', '/files/1/purge']] as const) {
        const statusWith = async (header: string): Promise<number> =>
          (await send(method, path, { headers: { 'if-match': header } })).status
        expect(await statusWith('"stale"')).toBe(412)
        expect(await statusWith('no tag')).toBe(400)
        // The deletion counted the version up; without one the output is that of before.
        if ('version' in version) expect(await statusWith(tag)).toBe(412)
        expect((await store.find([1]))[0]?.deletedAt).toBeInstanceOf(Date)
      }
      const header = 'version' in version ? '*' : tag
      expect((await send('PUT', '/files/1/restore', { headers: { 'if-match': header } })).status).toBe(200)
      expect((await send('PUT', '/files/4/restore')).status).toBe(200)
      expect((await send('DELETE', '/files/5/purge')).status).toBe(200)
    }
  })

  it('has a new version after it is restored', async () => {
    const rows = [{ id: 1, name: 'a', team: 1, deletedAt: null, changes: 1 }]
    const store = memoryStore<File & { changes: number }>({ key: 'id', rows })
    const { send, get } = await servingRoutes((app) =>
      mountResource(app, {
        route: '/files',
        name: 'files',
        ...crud(store, { ...base, ifMatch: 'required', version: 'changes', softDelete: { field: 'deletedAt' } }),
      })
    )
    const tag = (await get('/files/1')).headers.get('etag') ?? ''
    expect((await send('DELETE', '/files/1')).status).toBe(428)
    expect((await send('DELETE', '/files/1', { headers: { 'if-match': tag } })).status).toBe(200)
    const restored = await send('PUT', '/files/1/restore')
    expect([restored.status, restored.headers.get('etag')]).toEqual([200, (await get('/files/1')).headers.get('etag')])
    expect((await send('DELETE', '/files/1', { headers: { 'if-match': tag } })).body.meta).toEqual({ reason: 'stale' })
  })

  it('is not found if a hook has deleted the row', async () => {
    const vanish = async (row: File, { store }: { store: Store<File> }): Promise<void> => {
      await store.delete([row.id])
    }
    const { send, store } = await filed({ before: { delete: vanish, restore: vanish, purge: vanish } })
    const replies = [
      await send('DELETE', '/files/1'),
      await send('PUT', '/files/4/restore'),
      await send('DELETE', '/files/4/purge'),
    ]
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404])
    expect(await store.find([1, 4])).toHaveLength(2)
  })

  it('cannot be marked by the hook of another action', async () => {
    const { send, store } = await filed({ before: { store: () => ({ deletedAt: new Date() }) } })
    expect((await send('PATCH', '/files/1', { body: {} })).status).toBe(403)
    expect(await store.find([1])).toMatchObject([{ deletedAt: null }])
  })
})

describe('a unique value of a soft-deleted row', () => {
  it('is a conflict, explained to callers who may list deleted rows', async () => {
    const { send, ids } = await filed()
    const told = {
      code: 409,
      message: 'A deleted record uses this value',
      data: { name: ['Already taken'] },
      meta: { reason: 'conflict_deleted' },
    }
    expect((await send('POST', '/files', { body: { name: 'd' } })).body).toEqual(told)
    expect((await send('PATCH', '/files/1', { body: { name: 'd' } })).body).toEqual(told)
    expect((await send('PUT', '/files/1', { body: { name: 'e' } })).body).toEqual(told)
    expect((await send('POST', '/files', { body: { name: 'a' } })).body.meta).toEqual({ reason: 'conflict' })
    await send('DELETE', '/files/4/purge')
    expect((await send('POST', '/files', { body: { name: 'd' } })).status).toBe(201)
    expect(await ids('?deleted=only')).toEqual([5])
  })

  it('is explained in bulk and with an Idempotency-Key', async () => {
    const keys = memoryStore<IdempotencyKey>({ key: 'id' })
    const { send, store } = await filed({ bulk: true, idempotency: { keys: () => keys, identity: () => 'all' } })
    expect((await send('POST', '/files/bulk', { body: { items: [{ name: 'n' }, { name: 'd' }] } })).body).toMatchObject(
      {
        code: 409,
        message: 'items.1: A deleted record uses this value',
        meta: { reason: 'conflict_deleted' },
      },
    )
    expect((await send('POST', '/files', { body: { name: 'd' }, headers: { 'idempotency-key': 'one' } })).body.meta)
      .toEqual({ reason: 'conflict_deleted' })
    expect((await send('PUT', '/files', { body: { ids: [1, 4], data: { team: 3 } } })).status).toBe(404)
    expect(await store.list({ where: [], order: ['id'] }).count?.()).toBe(5)
  })

  it('is an ordinary conflict for all other callers', async () => {
    const plain = {
      code: 409,
      message: 'Already taken',
      data: { name: ['Already taken'] },
      meta: { reason: 'conflict' },
    }
    const others = [
      { softDelete: { field: 'deletedAt', unique: ['name'], allows: () => false } },
      { softDelete: { field: 'deletedAt', unique: ['name'] } },
      { softDelete: { field: 'deletedAt', allows: () => true } },
      { scope: (): Where<File> => [['team', '=', 0]] },
    ]
    for (const options of others) {
      const { send } = await filed(options)
      expect((await send('POST', '/files', { body: { name: 'd' } })).body).toEqual(plain)
    }
    const own = await filed({ before: { create: () => {
      throw new ConflictError('Own', { reason: 'own' })
    } } })
    expect((await own.send('POST', '/files', { body: { name: 'd' } })).body.meta).toEqual({ reason: 'own' })
  })
})

const ROLES = {
  boss: ['*'],
  clerk: ['hr.files.list', 'hr.files.show', 'hr.files.delete'],
  keeper: ['hr.files.list', 'hr.files.restore'],
}

async function guarded(allows?: (req: Request) => boolean, marks: object = {}) {
  const store = files()
  let tree: unknown
  const client = await servingRoutes((app) => {
    const hr = Router()
    hr.use(auth('hr', { secret: SECRET }), permission('hr', { roles: ROLES }))
    mountResource(hr, {
      app: 'hr',
      route: '/files',
      name: 'files',
      ...marks,
      ...crud(store, { ...base, softDelete: { field: 'deletedAt', ...(allows && { allows }) } }),
    })
    app.use('/hr', hr)
    tree = permissionsOf(hr, 'hr')
  })
  const as = async (role: string): Promise<{ token: string }> => ({
    token: await issueToken('hr', { id: 1, role }, { secret: SECRET }),
  })
  const status = async (role: string, method: string, path: string): Promise<number> =>
    (await client.send(method, `/hr/files${path}`, await as(role))).status
  return { ...client, store, as, status, tree }
}

describe('soft deletion', () => {
  it('shows deleted rows to callers who may restore', async () => {
    const { get, as, status, tree } = await guarded()
    expect(JSON.stringify(tree)).toContain('"hr.files.restore"')
    expect(JSON.stringify(tree)).toContain('"hr.files.purge"')
    expect([await status('boss', 'GET', '?deleted=only'), await status('keeper', 'GET', '?deleted=with')]).toEqual([
      200,
      200,
    ])
    expect((await get('/hr/files?deleted=only', await as('clerk'))).body).toEqual({
      code: 403,
      message: 'You may not list deleted records',
      data: null,
      meta: { reason: 'forbidden' },
    })
    expect(await status('clerk', 'GET', '')).toBe(200)
    expect([
      await status('clerk', 'PUT', '/4/restore'),
      await status('clerk', 'DELETE', '/4/purge'),
      await status('keeper', 'DELETE', '/4/purge'),
    ])
      .toEqual([403, 403, 403])
    expect([await status('keeper', 'PUT', '/4/restore'), await status('boss', 'DELETE', '/5/purge')]).toEqual([
      200,
      200,
    ])
  })

  it('checks its own rule before a row is loaded', async () => {
    const { status, store } = await guarded((req) => req.auth?.role === 'boss')
    expect([
      await status('keeper', 'GET', '?deleted=only'),
      await status('keeper', 'PUT', '/4/restore'),
      await status('keeper', 'PUT', '/9/restore'),
    ])
      .toEqual([403, 403, 403])
    expect([
      await status('boss', 'GET', '?deleted=only'),
      await status('boss', 'PUT', '/4/restore'),
      await status('boss', 'DELETE', '/5/purge'),
    ])
      .toEqual([200, 200, 200])
    expect(await store.find([4, 5])).toHaveLength(1)
  })

  it('lists deleted rows to no caller if neither a permission nor a rule allows it', async () => {
    const { get, send } = await filed({ softDelete: { field: 'deletedAt' } })
    expect((await get('/files?deleted=only')).status).toBe(403)
    expect((await send('PUT', '/files/4/restore')).status).toBe(200)
    const open = await guarded(undefined, { can: false })
    expect(await open.status('boss', 'GET', '?deleted=only')).toBe(403)
    const down = await filed({ softDelete: { field: 'deletedAt', allows: () => Promise.reject(new Error('down')) } })
    expect((await down.get('/files?deleted=only')).status).toBe(503)
  })

  it('is documented', () => {
    const router = Router()
    mountResource(router, {
      route: '/files',
      name: 'files',
      ...crud(files(), { ...base, softDelete: { field: 'deletedAt' } }),
    })
    const { paths } = openapi(router, { title: 'Files', version: '1' })
    const list = paths['/files']?.get
    expect(list?.parameters?.find(({ name }) => name === 'deleted')).toMatchObject({
      in: 'query',
      required: false,
      schema: { enum: ['only', 'with'] },
    })
    expect(Object.keys(paths['/files/{id}/restore'] ?? {})).toEqual(['put'])
    expect(Object.keys(paths['/files/{id}/purge'] ?? {})).toEqual(['delete'])
    expect(paths['/files/{id}/restore']?.put).not.toHaveProperty('requestBody')
    expect(paths['/files/{id}/restore']?.put?.responses).toMatchObject({ 200: {}, 404: {}, 409: {} })
  })

  it('refuses a field that `input` or `changes` write', () => {
    const In = FileIn.extend({ deletedAt: param.date().nullable() })
    expect(() => crud(files(), { ...base, input: In, softDelete: { field: 'deletedAt' } })).toThrow(
      expect.objectContaining({ code: 'crud_soft_delete' }),
    )
    expect(() => crud(files(), { ...base, changes: In, softDelete: { field: 'deletedAt' } })).toThrow(
      expect.objectContaining({ code: 'crud_soft_delete' }),
    )
  })

  it('stores the current time', async () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 21), toFake: ['Date'] })
    const { send, store } = await filed()
    await send('DELETE', '/files?ids=1,2').finally(() => vi.useRealTimers())
    expect((await store.find([1, 2])).map(({ deletedAt }) => deletedAt)).toEqual([
      new Date('2026-11-21'),
      new Date('2026-11-21'),
    ])
  })
})

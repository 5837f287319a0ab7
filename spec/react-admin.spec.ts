import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { authProvider, dataProvider, HttpError, type DataProvider } from 'resourcery/react-admin'
import { tokenStoreOf } from '../lib/client/providers/tokens.js'
import { bookShop, type BookShop } from './providers/book-shop.js'
import { fileOf } from './support/multipart.js'

const PAGE = { pagination: { page: 1, perPage: 10 }, sort: { field: 'id', order: 'ASC' }, filter: {} } as const

async function open(books?: number): Promise<{ shop: BookShop; provider: DataProvider; paths: () => string[] }> {
  const shop = await bookShop(books)
  const provider = dataProvider(`${shop.url}/shop/`, {
    resources: {
      books: { filters: ['genre', 'pages'], bulk: true, uploads: { cover: '/:id/cover' } },
      byCursor: { path: '/books', cursor: true },
      unbulky: { path: '/books' },
      tight: { path: '/books', maxLimit: 4 },
      strict: { bulk: true },
      countries: { key: 'code' },
      reviews: { path: '/books/:bookId/reviews' },
      broken: { path: '/../page' },
    },
  })
  return {
    shop,
    provider,
    paths: () => shop.received.splice(0).map(({ method, path }) => `${method} ${path.replace('/shop', '')}`),
  }
}

/** Returns the error that a call throws. */
async function failureOf(call: Promise<unknown>): Promise<HttpError> {
  const error: unknown = await call.then(() => new Error('It did not fail.'), (reason: unknown) => reason)
  expect(error).toBeInstanceOf(HttpError)
  return error as HttpError
}

const idsOf = (rows: readonly { id: unknown }[]): unknown[] => rows.map(({ id }) => id)

describe('getList', () => {
  it('requests a page with its order, search and declared filters', async () => {
    const { provider, paths } = await open()
    const { data, total } = await provider.getList('books', {
      pagination: { page: 2, perPage: 3 },
      sort: { field: 'title', order: 'DESC' },
      filter: { q: 'Book', genre: 'novel', pages_gte: 105, pages_lte: undefined },
    })
    expect(paths()).toEqual(['GET /books?genre=novel&pages_gte=105&sort=-title&search=Book&page=2&limit=3'])
    expect(total).toBe(16)
    expect(data).toHaveLength(3)
    expect(data[0]).toEqual({ id: 25, title: 'Book 25', genre: 'novel', pages: 124 })
  })

  it('sends no empty or undeclared filter, and warns about the latter once', async () => {
    const { provider, paths } = await open()
    const told = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    onTestFinished(() => told.mockRestore())
    const filter = { q: '', genre: '', pages: null, pages_isNull: [], nothing: 1 }
    await provider.getList('books', { ...PAGE, filter })
    await provider.getList('books', { ...PAGE, filter })
    expect(paths()).toEqual(Array(2).fill('GET /books?sort=id&page=1&limit=10'))
    expect(told.mock.calls).toEqual([[
      'The filter `nothing` of `books` is not sent: add it to `resources.books.filters`.',
    ]])
  })

  it('sends all filters of a resource without declared ones, which the API may refuse by name', async () => {
    const { provider } = await open()
    expect((await provider.getList('unbulky', { ...PAGE, filter: { genre: ['poetry', 'drama'] } })).total).toBe(5)
    const { status, body } = await failureOf(
      provider.getList('unbulky', { ...PAGE, filter: { genree: 'poetry', author: { name: 'x' } } }),
    )
    expect(status).toBe(422)
    expect(Object.keys(body.errors ?? {})).toEqual(['genree', 'author.name'])
  })

  it('returns an empty list, and rows in any script', async () => {
    const { provider } = await open()
    expect(await provider.getList('books', { ...PAGE, filter: { genre: 'Поэзия 诗 🎉 & ?=#%' } })).toEqual({
      data: [],
      total: 0,
    })
    const { data } = await provider.create('books', { data: { title: 'Поэзия 诗 🎉 & ?=#%' } })
    expect(data).toMatchObject({ title: 'Поэзия 诗 🎉 & ?=#%' })
    expect((await provider.getList('books', { ...PAGE, filter: { q: '诗 🎉 & ?=#%' } })).data).toEqual([data])
  })

  it('reads a page longer than the limit of requests in several requests', async () => {
    const { provider, paths } = await open()
    const read = async (page: number, perPage: number) =>
      provider.getList('tight', { ...PAGE, pagination: { page, perPage } })
    expect(idsOf((await read(1, 10)).data)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(paths()).toHaveLength(3)
    expect(idsOf((await read(2, 10)).data)).toEqual([11, 12, 13, 14, 15, 16, 17, 18, 19, 20])
    expect(idsOf((await read(3, 10)).data)).toEqual([21, 22, 23, 24, 25])
    paths()
    expect((await read(1, 1000)).data).toHaveLength(25)
    expect(paths()).toHaveLength(7)
  })

  it('reads the total alone with a page of no rows', async () => {
    const { provider, paths } = await open()
    const nothing = { ...PAGE, pagination: { page: 1, perPage: 0 } }
    expect(await provider.getList('books', nothing)).toEqual({ data: [], total: 25 })
    expect(paths()).toEqual(['GET /books?sort=id&page=1&limit=1'])
    expect(await provider.getList('books', { ...nothing, filter: { q: 'no such book' } })).toEqual({ data: [],
      total: 0 })
  })

  it('returns if a next page exists for a list without a count', async () => {
    const { provider } = await open()
    const read = async (page: number) => provider.getList('countries', { ...PAGE, pagination: { page, perPage: 1 } })
    expect(await read(1)).toEqual({
      data: [{ id: 'de', code: 'de', name: 'Germany' }],
      pageInfo: { hasNextPage: true, hasPreviousPage: false },
    })
    expect(await read(3)).toEqual({ data: [], pageInfo: { hasNextPage: false, hasPreviousPage: true } })
  })

  it('sorts by the key, whatever its name', async () => {
    const { provider, paths } = await open()
    expect(idsOf((await provider.getList('countries', { sort: { field: 'id', order: 'DESC' } })).data)).toEqual([
      'fr',
      'de',
    ])
    expect(paths()).toEqual(['GET /countries?sort=-code&page=1&limit=25'])
  })

  it('pages by cursor, and walks from the nearest known page to an unvisited one', async () => {
    const { provider, paths } = await open()
    const read = async (page: number) => provider.getList('byCursor', { ...PAGE, pagination: { page, perPage: 10 } })
    expect(await read(1)).toMatchObject({ pageInfo: { hasNextPage: true, hasPreviousPage: false } })
    expect(idsOf((await read(2)).data)).toEqual([11, 12, 13, 14, 15, 16, 17, 18, 19, 20])
    expect(await read(3)).toMatchObject({
      data: { length: 5 },
      pageInfo: { hasNextPage: false, hasPreviousPage: true },
    })
    expect(await read(9)).toEqual({ data: [], pageInfo: { hasNextPage: false, hasPreviousPage: true } })
    expect(paths()).toHaveLength(4)
    expect(idsOf((await provider.getList('byCursor', { ...PAGE, pagination: { page: 3, perPage: 8 } })).data)).toEqual([
      17,
      18,
      19,
      20,
      21,
      22,
      23,
      24,
    ])
    expect(paths().map((path) => path.includes('cursor='))).toEqual([true, true, true])
  })

  it('forgets cursors that the API refuses', async () => {
    const { provider } = await open()
    const read = async (filter: object) =>
      provider.getList('byCursor', { ...PAGE, pagination: { page: 1, perPage: 10 }, filter })
    await failureOf(read({ pages_gte: 'x' }))
    expect((await read({ pages_gte: 1 })).data).toHaveLength(10)
  })

  it('can be aborted', async () => {
    const { provider } = await open()
    const error: unknown = await provider.getList('books', { ...PAGE, signal: AbortSignal.abort() }).catch((
      reason: unknown,
    ) => reason)
    expect((error as Error).name).toBe('AbortError')
  })
})

describe('getOne, getMany and getManyReference', () => {
  it('read a record by its key', async () => {
    const { provider } = await open()
    expect(await provider.getOne('countries', { id: 'fr' })).toEqual({ data: { id: 'fr', code: 'fr', name: 'France' } })
    expect((await failureOf(provider.getOne('books', { id: 99 }))).status).toBe(404)
  })

  it('read many records without duplicates, at most 100 per request', async () => {
    const { provider, paths } = await open(250)
    const ids = Array.from({ length: 240 }, (_, index) => index + 1)
    expect((await provider.getMany('books', { ids: [...ids, 1, '2', 9999] })).data).toHaveLength(240)
    expect(paths()).toHaveLength(3)
    expect((await provider.getMany('books', { ids: [] })).data).toEqual([])
  })

  it('read records one by one if the list does not select by ids', async () => {
    const { provider, paths } = await open()
    expect(idsOf((await provider.getMany('people', { ids: [3, 29, 77] })).data)).toEqual([3, 29])
    expect(paths()).toHaveLength(4)
  })

  it('read references by a declared filter', async () => {
    const { provider } = await open()
    const { data, total } = await provider.getManyReference('books', {
      ...PAGE,
      target: 'genre',
      id: 'poetry',
      filter: { q: 'Book 1' },
    })
    expect([idsOf(data), total]).toEqual([[1, 11, 16], 3])
    await expect(provider.getManyReference('books', { ...PAGE, target: 'author', id: 1 }))
      .rejects.toThrow('`books` cannot be listed by `author`: add it to `resources.books.filters`.')
  })

  it('take the arguments of a nested path from the reference, meta or the record', async () => {
    const { provider, paths } = await open()
    expect(
      (await provider.getManyReference('reviews', {
        ...PAGE,
        sort: { field: '', order: 'ASC' },
        target: 'bookId',
        id: 2,
      }))
        .data,
    )
      .toEqual([{ id: 2, bookId: 2, text: 'Bad' }])
    expect((await provider.getList('reviews', { filter: { bookId: 1 } })).total).toBe(1)
    expect((await provider.getOne('reviews', { id: 1, meta: { bookId: 1 } })).data).toMatchObject({ text: 'Good' })
    const { data } = await provider.create('reviews', { data: { bookId: 1, text: 'Long' } })
    await provider.update('reviews', { id: data.id, data: { ...data, text: 'Short' }, previousData: data })
    await provider.delete('reviews', { id: data.id, previousData: data })
    expect(paths().slice(-3)).toEqual([
      'POST /books/1/reviews',
      'PATCH /books/1/reviews/3',
      'DELETE /books/1/reviews/3',
    ])
    await expect(provider.getOne('reviews', { id: 1 })).rejects.toThrow('needs bookId')
  })
})

describe('create and update', () => {
  it('send the fields of a form, and only the changed ones in an update', async () => {
    const { shop, provider, paths } = await open()
    const { data: book } = await provider.getOne('books', { id: 3 })
    paths()
    const { data } = await provider.update('books', {
      id: 3,
      data: { ...book, title: 'Changed', pages: undefined },
      previousData: book,
    })
    expect(data).toEqual({ ...book, title: 'Changed' })
    expect(shop.received.at(-1)?.headers).toMatchObject({
      'if-match': expect.stringMatching(/^"1\./) as string,
      'content-length': '19',
    })
  })

  it('read the record if nothing was changed', async () => {
    const { provider, paths } = await open()
    const { data: book } = await provider.getOne('books', { id: 3 })
    expect((await provider.update('books', { id: 3, data: { ...book }, previousData: book })).data).toEqual(book)
    expect(paths()).toEqual(['GET /books/3', 'GET /books/3'])
  })

  it('reject with the messages of the API by field', async () => {
    const { provider } = await open()
    const { status, message, body } = await failureOf(provider.create('books', { data: { title: 'x', pages: 0 } }))
    expect([status, message]).toEqual([422, expect.any(String)])
    expect(body).toEqual({
      reason: 'validation',
      errors: { title: 'At least 2 characters', pages: expect.any(String) as string },
    })
    const taken = await failureOf(provider.update('books', { id: 1, data: { title: 'Book 2' }, previousData: {} }))
    expect([taken.status, taken.body.errors]).toEqual([409, { title: 'Already taken' }])
  })

  it('reject with 412 and the current record if it was changed meanwhile', async () => {
    const { provider } = await open()
    const { data: mine } = await provider.getOne('books', { id: 3 })
    await provider.update('books', { id: 3, data: { title: 'Theirs' }, previousData: mine })
    // The page reads the record again; the form still has the old one.
    await provider.getOne('books', { id: 3 })
    const change = { id: 3, data: { ...mine, pages: 7 } }
    const { status, message, body } = await failureOf(provider.update('books', { ...change, previousData: mine }))
    expect([status, message]).toEqual([412, 'The record was changed since you read it'])
    expect(body).toEqual({
      reason: 'stale',
      current: { ...mine, title: 'Theirs' },
      etag: expect.stringMatching(/^"2\./) as string,
    })
    expect((await failureOf(provider.update('books', { ...change, previousData: mine }))).status).toBe(412)
    const { data } = await provider.update('books', { ...change, previousData: body.current })
    expect(data).toEqual({ ...mine, pages: 7 })
  })

  it('accept a version in meta', async () => {
    const { provider } = await open()
    expect((await failureOf(provider.update('books', { id: 3, data: { pages: 7 }, meta: { ifMatch: '"9"' } }))).status)
      .toBe(412)
    expect(
      (await provider.update('books', {
        id: 3,
        data: { pages: 7 },
        meta: { ifMatch: '*', headers: { 'x-test': '1' } },
      }))
        .data,
    )
      .toMatchObject({ pages: 7 })
  })

  it('read a row of a list again if the API requires a version, and update it if unchanged', async () => {
    const { provider, paths } = await open()
    const { data: [one, two] } = await provider.getList('strict', PAGE)
    paths()
    expect((await provider.update('strict', { id: 1, data: { pages: 5 }, previousData: one })).data).toMatchObject({
      pages: 5,
    })
    expect(paths()).toEqual(['PATCH /strict/1', 'GET /strict/1', 'PATCH /strict/1'])
    await provider.update('strict', { id: 2, data: { pages: 5 }, meta: { ifMatch: '*' } })
    const { status, body } = await failureOf(
      provider.update('strict', { id: 2, data: { pages: 6 }, previousData: two }),
    )
    expect([status, body.current?.pages]).toEqual([412, 5])
    expect((await failureOf(provider.update('strict', { id: 2, data: { pages: 6 } }))).status).toBe(428)
    expect((await provider.delete('strict', { id: 3, previousData: { id: 3 } })).data).toEqual({ id: 3 })
  })

  it('send the value of a date-time input as an instant, in the time zone of the browser', async () => {
    const record = { id: 1, startsAt: '2026-11-24T08:00:00.000Z', opens: '2026-11-24T10:00', kept: '2026-01-01T10:00' }
    const sent: unknown[] = []
    const provider = dataProvider('http://127.0.0.1', {
      resources: { events: { localTimes: ['kept'] } },
      fetch: async (address, { body }) => {
        sent.push(body === null ? new URL(address).search : JSON.parse(body as string))
        const data = address.includes('?') ? [] : record
        return Promise.resolve(Response.json({ code: 200, message: 'ok', data, meta: {} }))
      },
    })
    const local = '2026-11-24T10:00'
    const instant = new Date(local).toISOString()
    await provider.create('events', {
      data: { startsAt: local, kept: local, slots: [{ at: `${local}:30`, title: 'A' }] },
    })
    const data = { ...record, startsAt: local }
    await provider.update('events', { id: 1, data, previousData: { ...record, startsAt: null } })
    await provider.updateMany('events', { ids: [1], data: { startsAt: '2026-13-24T10:00' } })
    await provider.getList('events', { filter: { startsAt_gte: local } })
    expect(sent).toEqual([
      { startsAt: instant, kept: local, slots: [{ at: new Date(`${local}:30`).toISOString(), title: 'A' }] },
      { startsAt: instant },
      { startsAt: '2026-13-24T10:00' },
      `?${new URLSearchParams({ startsAt_gte: instant, page: '1', limit: '25' }).toString()}`,
    ])
  })

  it('upload a file to the route of its field after the record is saved', async () => {
    const { shop, provider, paths } = await open()
    const cover = {
      rawFile: new File([fileOf('png', 500)], 'cover.png', { type: 'image/png' }),
      src: 'blob:1',
      title: 'cover.png',
    }
    const { data } = await provider.create('books', { data: { title: 'Illustrated', cover } })
    expect(shop.covers.get(Number(data.id))).toBe(500)
    await provider.update('books', { id: 1, data: { cover: cover.rawFile }, previousData: {} })
    expect(paths()).toEqual([
      'POST /books',
      'POST /books/26/cover',
      'GET /books/26',
      'POST /books/1/cover',
      'GET /books/1',
    ])
    await provider.update('books', { id: 1, data: { title: 'With cover', cover }, previousData: {} })
    expect(shop.covers.get(1)).toBe(500)
  })

  it('reject with the field of a refused file, and report the created record', async () => {
    const { provider } = await open()
    const send = async (title: string, bytes: Buffer) =>
      failureOf(provider.create('books', { data: { title, cover: new File([bytes], 'cover.png') } }))
    const { status, message, body } = await send('Small', Buffer.from('no image'))
    expect(body.errors).toEqual({ cover: expect.any(String) as string, root: { serverError: message } })
    expect([status, message]).toEqual([
      expect.any(Number),
      expect.stringMatching(/^The record was created without its file: /),
    ])
    expect((await provider.getOne('books', { id: body.created?.id ?? 0 })).data).toMatchObject({ title: 'Small' })
    const large = await send('Large', fileOf('png', 5000))
    expect([large.status, Object.keys(large.body.errors ?? {})]).toEqual([413, ['cover', 'root']])
  })
})

describe('updateMany, delete and deleteMany', () => {
  it('write many records in one request if the resource has bulk, whatever their versions', async () => {
    const { provider, paths } = await open()
    expect(await provider.updateMany('books', { ids: [1, 2, 2], data: { genre: 'drama' } })).toEqual({ data: [1, 2] })
    expect(await provider.updateMany('strict', { ids: [1, 2], data: { genre: 'drama' } })).toEqual({ data: [1, 2] })
    expect(paths()).toEqual(['PUT /books', 'PUT /strict', 'PUT /strict'])
    expect((await failureOf(provider.updateMany('books', { ids: [1, 99], data: { genre: 'x' } }))).status).toBe(404)
    expect((await provider.getOne('books', { id: 1 })).data.genre).toBe('drama')
  })

  it('write each record separately without bulk, and report those that failed', async () => {
    const { provider, paths } = await open()
    expect(await provider.updateMany('unbulky', { ids: [1, 2], data: { genre: 'drama' } })).toEqual({ data: [1, 2] })
    expect(paths()).toEqual(['PATCH /books/1', 'PATCH /books/2'])
    const { status, message, body } = await failureOf(
      provider.updateMany('unbulky', { ids: [1, 99, 2], data: { genre: 'verse' } }),
    )
    expect([status, message]).toEqual([404, '1 of 3 were not updated: Not found'])
    expect(body).toMatchObject({ updated: [1, 2], failed: [99] })
    expect((await failureOf(provider.updateMany('unbulky', { ids: [99], data: {} }))).message).toBe('Not found')
  })

  it('delete only the version that was read', async () => {
    const { provider } = await open()
    const { data: book } = await provider.getOne('books', { id: 3 })
    await provider.update('books', { id: 3, data: { pages: 7 } })
    expect((await failureOf(provider.delete('books', { id: 3, previousData: book }))).status).toBe(412)
    const { data: fresh } = await provider.getOne('books', { id: 3 })
    expect((await provider.delete('books', { id: 3, previousData: fresh })).data).toEqual(fresh)
    expect((await failureOf(provider.delete('books', { id: 3 }))).status).toBe(404)
  })

  it('delete many records, at most 100 per request', async () => {
    const { provider, paths } = await open(130)
    const ids = Array.from({ length: 120 }, (_, index) => index + 1)
    expect((await provider.deleteMany('strict', { ids })).data).toHaveLength(120)
    expect(paths()).toHaveLength(4)
    expect((await provider.getList('strict', PAGE)).total).toBe(10)
    expect((await failureOf(provider.deleteMany('books', { ids: [1, 9999] }))).status).toBe(404)
  })

  it('call any other route of a resource', async () => {
    const { provider } = await open()
    await provider.delete('books', { id: 3 })
    expect((await provider.call('books', 'PUT /:id/restore', { id: 3 })).data).toMatchObject({ id: 3, title: 'Book 3' })
    expect((await provider.call('books', 'GET', { deleted: 'only' })).meta).toMatchObject({ total: 0 })
    expect((await failureOf(provider.call('people', 'POST /faulty'))).message).not.toContain('driver')
  })
})

describe('a reply other than an envelope', () => {
  it('rejects with a message', async () => {
    const { provider, shop } = await open()
    expect(await failureOf(provider.getOne('broken', { id: '..' }).catch(() => provider.call('broken', 'GET'))))
      .toMatchObject({ status: 502, message: 'The server replied with status 502' })
    const away = dataProvider(shop.url, { fetch: () => Promise.reject(new TypeError('fetch failed')) })
    expect(await failureOf(away.getOne('books', { id: 1 }))).toMatchObject({
      status: 0,
      message: 'The server could not be reached',
    })
  })
})

describe('authProvider', () => {
  async function sessionOf(options: Partial<Parameters<typeof authProvider>[1]> = {}) {
    const shop = await bookShop()
    const url = `${shop.url}/staff`
    onTestFinished(() => tokenStoreOf(url).set(null))
    return { shop, url, auth: authProvider(url, { login: '/login', ...options }), provider: dataProvider(url) }
  }

  it('signs in for the data provider of the same URL, and signs out', async () => {
    const { auth, provider } = await sessionOf()
    expect((await failureOf(provider.getList('items', {}))).status).toBe(401)
    await expect(auth.checkAuth()).rejects.toMatchObject({ status: 401 })
    await auth.login({ username: 'boss@example.test', password: 'secret' })
    await auth.checkAuth()
    expect((await provider.getList('items', {})).data).toEqual([])
    await auth.logout()
    await expect(auth.checkAuth()).rejects.toMatchObject({ status: 401 })
    expect((await failureOf(provider.getList('items', {}))).status).toBe(401)
  })

  it('rejects with the message of the login route, and requires a token in its reply', async () => {
    const { auth, url } = await sessionOf()
    expect(await failureOf(auth.login({ email: 'boss@example.test', password: 'x' }))).toMatchObject({
      status: 401,
      message: 'Wrong e-mail or password',
    })
    expect((await failureOf(auth.login({ email: 'boss@example.test' }))).body.errors).toHaveProperty('password')
    await expect(authProvider(url, { login: '/tokenless' }).login({})).rejects.toThrow(
      '/staff/tokenless replied without a `token`',
    )
  })

  it('signs out on the server if a route is given', async () => {
    const { auth, shop } = await sessionOf({
      logout: '/logout',
      credentials: ({ name }) => ({ email: `${String(name)}@example.test`, password: 'secret' }),
    })
    await auth.login({ name: 'clerk' })
    await auth.logout()
    expect(shop.received.at(-1)).toMatchObject({
      method: 'POST',
      path: '/staff/logout',
      headers: { authorization: expect.stringMatching(/^Bearer /) as string },
    })
    await authProvider('/away', { login: '', logout: '/logout' }).logout()
  })

  it('keeps a renewed token of a reply', async () => {
    const { auth, provider, url } = await sessionOf()
    await auth.login({ email: 'boss@example.test', password: 'secret' })
    await provider.call('items', 'GET /../renewed').catch(() => undefined)
    expect(await tokenStoreOf(url).get()).toBe('renewed')
  })

  it('ends a session after 401 only', async () => {
    const { auth } = await sessionOf()
    await expect(auth.checkError(new HttpError('Token expired', 401, {}))).rejects.toThrow('Token expired')
    await auth.checkError(new HttpError('Permission denied', 403, {}))
    await auth.checkError(undefined)
  })

  it('returns the identity and the permissions of the caller', async () => {
    const { auth } = await sessionOf()
    await auth.login({ email: 'clerk@example.test', password: 'secret' })
    expect(await auth.getIdentity()).toEqual({
      id: 7,
      name: 'Ann',
      fullName: 'Ann',
      avatarUrl: '/ann.png',
      avatar: '/ann.png',
    })
    expect(await auth.getPermissions()).toEqual(['staff.items.list', 'staff.items.store', 'staff.notes.*'])
    const may = async (resource: string, action: string) => auth.canAccess({ resource, action })
    expect(
      await Promise.all(['list', 'edit', 'export', 'show', 'create', 'delete'].map((action) => may('items', action))),
    )
      .toEqual([true, true, true, false, false, false])
    expect([await may('notes', 'publish'), await may('note', 'list')]).toEqual([true, false])
    await auth.logout()
    await auth.login({ email: 'boss@example.test', password: 'secret' })
    expect(await may('items', 'delete')).toBe(true)
  })

  it('sends no request for the permissions of somebody who is not signed in', async () => {
    const sent: string[] = []
    const { auth } = await sessionOf({
      fetch: (address, init) => {
        sent.push(address)
        return fetch(address, init)
      },
    })
    await expect(auth.canAccess({ resource: 'items', action: 'list' })).rejects.toMatchObject({
      status: 401,
      message: 'Authentication required',
    })
    expect(sent).toEqual([])
    await auth.login({ email: 'boss@example.test', password: 'secret' })
    expect(await auth.canAccess({ resource: 'items', action: 'list' })).toBe(true)
    expect(sent).toHaveLength(2)
  })

  it('reads permissions as a list of ids, or from the tree of permissionsOf', async () => {
    const { auth, url } = await sessionOf()
    await auth.login({ email: 'boss@example.test', password: 'secret' })
    expect(await authProvider(url, { login: '/login', permissions: '/ids' }).getPermissions()).toEqual([
      'staff.items.show',
    ])
    const tree = authProvider(url, { login: '/login', permissions: '/tree', app: 'staff' })
    expect(await tree.getPermissions()).toEqual(['staff.items.list', 'staff.items.create'])
    expect(await tree.canAccess({ resource: 'items', action: 'create' })).toBe(true)
    expect(await authProvider(url, { login: '/login', permissions: '/me' }).getPermissions()).toEqual([])
  })

  it('reads the permissions again after a failure', async () => {
    let fails = true
    const { auth } = await sessionOf({
      fetch: (address, init) => (fails && address
          .endsWith('/permissions')
        ? Promise
          .reject(new Error())
        : fetch(address, init)),
    })
    await auth.login({ email: 'boss@example.test', password: 'secret' })
    expect((await failureOf(auth.getPermissions())).status).toBe(0)
    fails = false
    expect(await auth.getPermissions()).toEqual(['*'])
  })
})

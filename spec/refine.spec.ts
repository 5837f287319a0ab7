import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { tokenStoreOf } from '../lib/client/providers/tokens.js'
import { authProvider, dataProvider, HttpError, type DataProvider } from 'resourcery/refine'
import { bookShop, type BookShop } from './providers/book-shop.js'

async function open(books?: number): Promise<{ shop: BookShop; provider: DataProvider; paths: () => string[] }> {
  const shop = await bookShop(books)
  const provider = dataProvider(`${shop.url}/shop`, {
    resources: {
      books: { filters: ['genre', 'pages'], bulk: true },
      byCursor: { path: '/books', cursor: true },
      unbulky: { path: '/books' },
      tight: { path: '/books', maxLimit: 10 },
      strict: { bulk: true },
      countries: { key: 'code' },
      reviews: { path: '/books/:bookId/reviews' },
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

const idsOf = (rows: readonly object[]): unknown[] => rows.map((row) => (row as { id: unknown }).id)

describe('getList', () => {
  it('requests a page with its order, search and filters', async () => {
    const { provider, paths } = await open()
    const { data, total } = await provider.getList({
      resource: 'books',
      pagination: { currentPage: 2, pageSize: 3 },
      sorters: [{ field: 'title', order: 'desc' }, { field: 'id', order: 'asc' }],
      filters: [
        { field: 'q', operator: 'contains', value: 'Book' },
        { field: 'genre', operator: 'in', value: ['novel', 'drama'] },
        {
          operator: 'and',
          value: [{ field: 'pages', operator: 'between', value: [105, 900] }, {
            field: 'genre',
            operator: 'ne',
            value: 'verse',
          }],
        },
        { field: 'pages', operator: 'nnull', value: true },
      ],
    })
    expect(paths()).toEqual([
      'GET '
      + '/books?genre[]=novel&genre[]=drama&pages_gte=105&pages_lte=900&genre_ne=verse&pages_isNull=false&sort=-title,id&search=Book&page=2&limit=3',
    ])
    expect([data.length, total]).toEqual([3, 16])
  })

  it('sends no empty or undeclared filter', async () => {
    const { provider, paths } = await open()
    const filters = [
      { field: 'genre', operator: 'eq', value: '' },
      { field: 'nothing', operator: 'eq', value: 1 },
      { field: 'search', operator: 'eq', value: '' },
      { field: 'pages', operator: 'between', value: undefined },
    ]
    expect((await provider.getList({ resource: 'books', filters })).total).toBe(25)
    expect(paths()).toEqual(['GET /books?page=1&limit=10'])
  })

  it('sends a list of one, as tables filter by, as its value', async () => {
    const { provider, paths } = await open()
    const filters = [{ field: 'genre', operator: 'in', value: ['novel'] }, {
      field: 'pages',
      operator: 'gte',
      value: [110],
    }]
    expect((await provider.getList({ resource: 'books', filters })).total).toBe(12)
    expect(paths()).toEqual(['GET /books?genre=novel&pages_gte=110&page=1&limit=10'])
  })

  it('searches the list for a part of a field that has no filter, as useSelect does', async () => {
    const { provider, paths } = await open()
    const find = async (resource: string, field: string, value = 'Book 2') =>
      idsOf((await provider.getList({ resource, filters: [{ field, operator: 'contains', value }] })).data)
    expect(await find('books', 'title')).toEqual([2, 20, 21, 22, 23, 24, 25])
    expect(paths()).toEqual(['GET /books?search=Book+2&page=1&limit=10'])
    expect(await find('unbulky', 'title')).toEqual([2, 20, 21, 22, 23, 24, 25])
    expect(await find('unbulky', 'title', 'Book 25')).toEqual([25])
    expect(paths()).toEqual([
      'GET /books?title=Book+2&page=1&limit=10',
      'GET /books?search=Book+2&page=1&limit=10',
      'GET /books?search=Book+25&page=1&limit=10',
    ])
    const twice = [{ field: 'title', operator: 'contains', value: 'B' }, { field: 'q', operator: 'eq', value: 'C' }]
    expect((await failureOf(provider.getList({ resource: 'tight', filters: twice }))).errors).toHaveProperty('title')
    expect((await failureOf(provider.getList({ resource: 'countries', filters: twice.slice(0, 1) }))).statusCode).toBe(
      422,
    )
  })

  it('refuses two values of one filter, and takes the same one twice and a number to search for', async () => {
    const { provider, paths } = await open()
    interface Filter {
      field?: string
      operator: string
      value: unknown
    }
    const list = (filters: Filter[]): Promise<unknown> => provider.getList({ resource: 'books', filters })
    const pages = (operator: string, value: unknown): Filter => ({ field: 'pages', operator, value })
    const both = [pages('gte', 100), { operator: 'and', value: [pages('gte', 4)] }]
    await expect(list(both)).rejects.toThrow('There are two filters `pages_gte`, and a list has one value of each.')
    const search = [{ field: 'q', operator: 'eq', value: 'a' }, { field: 'search', operator: 'eq', value: 'b' }]
    await expect(list(search)).rejects.toThrow('There are two filters `search`')
    paths()
    await list([pages('gte', 4), pages('gte', 4), pages('gte', ''), { field: 'q', operator: 'eq', value: 5 }])
    expect(String(paths())).toMatch(/(?=.*search=5)(?=.*pages_gte=4)/)
  })

  it('refuses an operator that the API does not support', async () => {
    const { provider } = await open()
    await expect(provider.getList({ resource: 'books', filters: [{ operator: 'or', value: [] }] })).rejects.toThrow(
      'The operator `or` of the filter',
    )
    await expect(provider.getList({ resource: 'books', filters: [{ field: 'pages', operator: 'toString', value: 1 }] }))
      .rejects
      .toThrow('is not supported. Use eq, in,')
  })

  it('reads all rows if the client makes the pages', async () => {
    const { provider, paths } = await open()
    const { data, total } = await provider.getList({ resource: 'tight', pagination: { mode: 'off' } })
    expect([data.length, total, paths().length]).toEqual([25, 25, 3])
    expect((await provider.getList({ resource: 'countries', pagination: { mode: 'client' } })).total).toBe(2)
    expect(
      idsOf(
        (await provider.getList({
          resource: 'byCursor',
          pagination: { mode: 'client' },
          sorters: [{ field: 'id', order: 'asc' }],
        }))
          .data,
      ),
    )
      .toHaveLength(25)
  })

  it('pages by cursor, and returns the next cursor', async () => {
    const { provider } = await open()
    const read = async (currentPage: number | string) =>
      provider.getList({ resource: 'byCursor', pagination: { currentPage: currentPage as number, pageSize: 10 } })
    const first = await read(1)
    expect(first).toMatchObject({ total: 11, cursor: { next: expect.any(String) as string } })
    expect(idsOf((await read(first.cursor?.next ?? '')).data)).toEqual(idsOf((await read(2)).data))
    expect(await read(3)).toMatchObject({ data: { length: 5 }, total: 25, cursor: { next: null } })
  })

  it('returns a minimal total for a list without a count', async () => {
    const { provider } = await open()
    expect((await provider.getList({ resource: 'countries', pagination: { pageSize: 1 } })).total).toBe(2)
    expect((await provider.getList({ resource: 'countries', pagination: { pageSize: 1, currentPage: 3 } })).total).toBe(
      2,
    )
  })

  it('can be aborted by the context of a query', async () => {
    const { provider } = await open()
    const signal = AbortSignal.abort()
    for (const meta of [{ queryContext: { signal } }, { queryKey: [], signal }]) {
      await expect(provider.getList({ resource: 'books', meta })).rejects.toHaveProperty('name', 'AbortError')
    }
  })
})

describe('one record', () => {
  it('is read, created, updated and deleted', async () => {
    const { provider, paths } = await open()
    const { data } = await provider.create({ resource: 'countries', variables: { code: 'it', name: 'Italia' } })
    expect(data).toEqual({ id: 'it', code: 'it', name: 'Italia' })
    const { data: book } = await provider.create<{ id: number; title: string }>({
      resource: 'books',
      variables: { title: 'Поэзия 诗 🎉' },
    })
    expect((await provider.getOne({ resource: 'books', id: book.id })).data).toEqual(book)
    expect((await provider.update({ resource: 'books', id: book.id, variables: { ...book, title: 'Changed' } })).data)
      .toMatchObject({ title: 'Changed' })
    expect((await provider.deleteOne({ resource: 'books', id: book.id })).data).toEqual({ id: book.id })
    expect((await failureOf(provider.getOne({ resource: 'books', id: book.id }))).statusCode).toBe(404)
    expect(paths().slice(1)).toEqual([
      'POST /books',
      'GET /books/26',
      'PATCH /books/26',
      'DELETE /books/26',
      'GET /books/26',
    ])
  })

  it('is updated in the version read last, with 412 until it is read again', async () => {
    const { provider, shop } = await open()
    const other = dataProvider(`${shop.url}/shop`)
    await provider.getOne({ resource: 'books', id: 3 })
    await other.update({ resource: 'books', id: 3, variables: { title: 'Theirs' } })
    const change = { resource: 'books', id: 3, variables: { pages: 7 } }
    const { statusCode, message, reason, current, etag } = await failureOf(provider.update(change))
    expect([statusCode, message, reason]).toEqual([412, 'The record was changed since you read it', 'stale'])
    expect([current?.title, etag]).toEqual(['Theirs', expect.stringMatching(/^"2/)])
    expect((await failureOf(provider.update(change))).statusCode).toBe(412)
    expect((await provider.update({ ...change, meta: { ifMatch: etag } })).data).toMatchObject({
      title: 'Theirs',
      pages: 7,
    })
  })

  it('stays as the form has it where refine reads it again after a failed update', async () => {
    const { provider, shop, paths } = await open()
    const other = dataProvider(`${shop.url}/shop`)
    const read = async () =>
      (await provider.getOne({ resource: 'books', id: 3, meta: { queryKey: ['books', 3] } })).data.title
    await read()
    await other.update({ resource: 'books', id: 3, variables: { title: 'Theirs' } })
    paths()
    const save = async () =>
      (await failureOf(provider.update({ resource: 'books', id: 3, variables: { title: 'Mine' } }))).statusCode
    expect([await save(), await read(), await save(), await read()]).toEqual([412, 'Book 3', 412, 'Book 3'])
    expect(paths()).toEqual(['PATCH /books/3', 'GET /books/3', 'PATCH /books/3', 'GET /books/3'])
    expect(await read()).toBe('Theirs')
  })

  it('is read again by a program, by another page, and later, after a failed update', async () => {
    const { provider, shop } = await open()
    const other = dataProvider(`${shop.url}/shop`)
    const read = async (id: number, meta = {}) => (await provider.getOne({ resource: 'books', id, meta })).data.title
    await read(3)
    await read(4)
    for (const id of [3, 4]) await other.update({ resource: 'books', id, variables: { title: `Theirs ${id}` } })
    const change = { resource: 'books', id: 3, variables: { title: 'Mine' } }
    await failureOf(provider.update(change))
    expect([await read(4, { queryKey: [] }), await read(3)]).toEqual(['Theirs 4', 'Theirs 3'])
    await other.update({ resource: 'books', id: 3, variables: { title: 'Theirs again' } })
    await failureOf(provider.update(change))
    vi.useFakeTimers({ now: Date.now() + 3000, toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    expect(await read(3, { queryKey: [] })).toBe('Theirs again')
  })

  it('is rejected with the messages of the API by field', async () => {
    const { provider } = await open()
    const { statusCode, errors } = await failureOf(provider.create({ resource: 'books', variables: { title: 'x' } }))
    expect([statusCode, errors]).toEqual([422, { title: ['At least 2 characters'] }])
    expect((await failureOf(provider.update({ resource: 'books', id: 1, variables: { title: 'Book 2' } }))).errors)
      .toEqual({ title: ['Already taken'] })
  })

  it('is deleted in any version, unless meta has one', async () => {
    const { provider } = await open()
    expect((await failureOf(provider.deleteOne({ resource: 'strict', id: 1, meta: { ifMatch: '"9"' } }))).statusCode)
      .toBe(412)
    expect((await provider.deleteOne({ resource: 'strict', id: 1 })).data).toEqual({ id: 1 })
  })

  it('is found below its parent, given in meta', async () => {
    const { provider } = await open()
    expect((await provider.getOne({ resource: 'reviews', id: 1, meta: { bookId: 1 } as object })).data).toMatchObject({
      text: 'Good',
    })
    expect(
      (await provider.getList({ resource: 'reviews', filters: [{ field: 'bookId', operator: 'eq', value: 2 }] })).total,
    )
      .toBe(1)
  })
})

describe('many records', () => {
  it('are read by their ids', async () => {
    const { provider } = await open()
    expect(idsOf((await provider.getMany({ resource: 'books', ids: [5, 3, 3, '99'] })).data)).toEqual([5, 3])
    expect(idsOf((await provider.getMany({ resource: 'people', ids: [29] })).data)).toEqual([29])
  })

  it('are created and updated in one request if the resource has bulk', async () => {
    const { provider, paths } = await open()
    expect(
      idsOf((await provider.createMany({ resource: 'books', variables: [{ title: 'One' }, { title: 'Two' }] })).data),
    )
      .toEqual([26, 27])
    expect((await provider.updateMany({ resource: 'books', ids: [26, 27], variables: { genre: 'drama' } })).data)
      .toMatchObject([{ genre: 'drama' }, { genre: 'drama' }])
    expect(
      (await failureOf(provider.createMany({ resource: 'books', variables: [{ title: 'Three' }, { title: 'x' }] })))
        .errors,
    )
      .toHaveProperty(['items.1.title'])
    expect(paths()).toEqual(['POST /books/bulk', 'PUT /books', 'POST /books/bulk'])
  })

  it('are created and updated one by one without bulk', async () => {
    const { provider, paths } = await open()
    expect(
      idsOf((await provider.createMany({ resource: 'unbulky', variables: [{ title: 'One' }, { title: 'Two' }] })).data),
    )
      .toEqual([26, 27])
    expect(
      idsOf((await provider.updateMany({ resource: 'unbulky', ids: [26, 27], variables: { genre: 'drama' } })).data),
    )
      .toEqual([26, 27])
    expect(paths()).toEqual(['POST /books', 'POST /books', 'PATCH /books/26', 'PATCH /books/27'])
    const failure = await failureOf(
      provider.updateMany({ resource: 'unbulky', ids: [26, 99], variables: { genre: 'verse' } }),
    )
    expect([failure.statusCode, failure.message]).toEqual([404, '1 of 2 were not updated: Not found'])
    expect((await failureOf(provider.updateMany({ resource: 'unbulky', ids: [99], variables: {} }))).message).toBe(
      'Not found',
    )
    const away = dataProvider('http://127.0.0.1', {
      fetch: () => {
        throw new Error('away')
      },
    })
    expect((await failureOf(away.updateMany({ resource: 'x', ids: [1], variables: {} }))).statusCode).toBe(0)
  })

  it('are deleted in one request', async () => {
    const { provider, paths } = await open()
    expect((await provider.deleteMany({ resource: 'books', ids: [1, 2] })).data).toEqual([{ id: 1 }, { id: 2 }])
    expect(paths()).toEqual(['DELETE /books?ids[]=1&ids[]=2'])
  })
})

describe('custom', () => {
  it('calls any URL of the API', async () => {
    const { provider, paths } = await open()
    const url = provider.getApiUrl()
    await provider.deleteOne({ resource: 'books', id: 1 })
    expect((await provider.custom({ url: `${url}/books/1/restore`, method: 'put' })).data).toMatchObject({ id: 1 })
    await provider.custom({
      url: '/books?genre=novel',
      method: 'get',
      sorters: [{ field: 'title', order: 'asc' }],
      filters: [{ field: 'q', operator: 'eq', value: 'x' }],
      query: { ids: [1, 2] },
    })
    await provider.custom({
      url: 'books',
      method: 'post',
      payload: { title: 'By hand' },
      headers: { 'x-test': '1' },
      query: {},
    })
    await provider.custom({ url: 'books', method: 'delete', payload: { ids: ['1'] } })
    expect(paths()).toEqual([
      'DELETE /books/1',
      'PUT /books/1/restore',
      'GET /books?genre=novel&search=x&sort=title&ids[]=1&ids[]=2',
      'POST /books',
      'DELETE /books?ids[]=1',
    ])
    await expect(provider.custom({ url: '/books', method: 'post', payload: [1] })).rejects.toThrow(
      'must be an object or a form',
    )
  })

  it('sends a form, and rejects for an unknown route', async () => {
    const { provider, shop } = await open()
    const form = new FormData()
    form.append('title', 'From a form')
    form.append('tags', 'a')
    form.append('tags', 'b')
    const { statusCode } = await failureOf(provider.custom({ url: '/nowhere', method: 'post', payload: form }))
    expect([statusCode, shop.received.at(-1)?.headers['content-type']]).toEqual([
      404,
      expect.stringMatching('multipart/form-data'),
    ])
  })

  it('sends its token to this API only', async () => {
    const [ours, theirs] = [await bookShop(1), await bookShop(1)]
    const url = `${ours.url}/shop`
    const provider = dataProvider(url, { tokens: { get: () => 'secret-token', set: () => undefined } })
    await provider.custom({ url: `${url}/people`, method: 'get' })
    expect(ours.received.at(-1)?.headers.authorization).toBe('Bearer secret-token')
    for (const address of [`${theirs.url}/shop/people`, `${ours.url}/shopping`]) {
      await provider
        .custom({ url: address, method: 'get' })
        .catch(() => undefined)
    }
    expect([theirs.received.at(-1)?.headers.authorization, ours.received.at(-1)?.headers.authorization]).toEqual([
      undefined,
      undefined,
    ])
  })
})

describe('the token of custom', () => {
  /** Returns the token that is sent to an address, and the one that is kept after its reply. */
  async function tokensFor(url: string, address: string): Promise<{ sent: string | null; kept: string }> {
    let [sent, kept]: [string | null, string] = [null, 'secret']
    const tokens = { get: () => kept, set: (token: string | null) => void (kept = token ?? '') }
    const headers = { 'content-type': 'application/json', authorization: 'Bearer renewed' }
    const fetch = async (_url: string, init: RequestInit): Promise<Response> => {
      sent = new Headers(init.headers).get('authorization')
      return Promise.resolve(new Response('{"code":200,"message":"ok","data":null,"meta":{}}', { headers }))
    }
    await dataProvider(url, { tokens, fetch }).custom({ url: address, method: 'get' })
    return { sent, kept }
  }

  const ABSOLUTE = [
    'http://page.test@evil.test/',
    'http://page.test\t@evil.test/',
    'http://page.test.evil.test/',
    'https://page.test/x',
    'http://page.test:8080/',
    'http://evil.test\\@page.test/',
    'HTTPS://evil.test/x',
  ]
  const RELATIVE = ['/\\evil.test/x', '/\t/evil.test/x', '\\\\evil.test/x', '/\n\\evil.test', '\t//evil.test/x']

  it.each([...ABSOLUTE, ...RELATIVE])('is not sent to %j from a page, and not renewed', async (address) => {
    onTestFinished(() => void vi.unstubAllGlobals())
    vi.stubGlobal('location', { href: 'http://page.test/' })
    expect(await tokensFor('', address)).toEqual({ sent: null, kept: 'secret' })
    vi.stubGlobal('document', { baseURI: 'http://page.test/panel/' })
    expect(await tokensFor('', address)).toEqual({ sent: null, kept: 'secret' })
  })

  it.each(ABSOLUTE)('is not sent to %j from an API with an origin', async (address) => {
    expect(await tokensFor('http://page.test', address)).toEqual({ sent: null, kept: 'secret' })
  })

  it.each([
    '/books',
    'books',
    '//books',
    'http://page.test/books',
    'HTTP://PAGE.test:80/books',
    '/books?next=http://evil.test',
  ])(
    'is sent to %j of the same page, and renewed',
    async (address) => {
      vi.stubGlobal('document', { baseURI: 'http://page.test/panel/' })
      onTestFinished(() => void vi.unstubAllGlobals())
      expect(await tokensFor('', address)).toEqual({ sent: 'Bearer secret', kept: 'renewed' })
    },
  )

  it.each([...ABSOLUTE, ...RELATIVE])('is not sent to %j without a page', async (address) => {
    expect(await tokensFor('', address)).toEqual({ sent: null, kept: 'secret' })
    expect(await tokensFor('', '/books')).toEqual({ sent: 'Bearer secret', kept: 'renewed' })
  })

  it.each(['/api/../x', '/api/%2e%2e/x', '/apis', '/api/..', '/'])(
    'is not sent to %j beside the path of the API',
    async (path) => {
      expect(await tokensFor('https://api.test/api', `https://api.test${path}`)).toEqual({ sent: null, kept: 'secret' })
    },
  )
})

describe('authProvider', () => {
  async function sessionOf(options: Partial<Parameters<typeof authProvider>[1]> = {}) {
    const { url: origin } = await bookShop()
    const url = `${origin}/staff`
    onTestFinished(() => tokenStoreOf(url).set(null))
    return { auth: authProvider(url, { login: '/login', ...options }), provider: dataProvider(url) }
  }

  it('signs in for the data provider of the same URL, and signs out', async () => {
    const { auth, provider } = await sessionOf({ loginPage: '/sign-in', homePage: '/home' })
    expect(await auth.check()).toEqual({ authenticated: false, logout: true, redirectTo: '/sign-in' })
    expect(await auth.login({ email: 'boss@example.test', password: 'secret' })).toEqual({
      success: true,
      redirectTo: '/home',
    })
    expect(await auth.check()).toEqual({ authenticated: true })
    expect((await provider.getList({ resource: 'items' })).data).toEqual([])
    expect(await auth.logout()).toEqual({ success: true, redirectTo: '/sign-in' })
    expect(await auth.check()).toMatchObject({ authenticated: false })
  })

  it('returns the reason of a failed sign-in', async () => {
    const { auth } = await sessionOf()
    expect(await auth.login({ email: 'boss@example.test', password: 'x' })).toMatchObject({
      success: false,
      error: { statusCode: 401, message: 'Wrong e-mail or password' },
    })
  })

  it('returns the messages of fields of a failed sign-in, under a title for its notification', async () => {
    const { auth } = await sessionOf()
    expect(await auth.login({ email: 1 })).toMatchObject({
      success: false,
      error: { name: 'Login Error', statusCode: 422, message: 'email: Must be a string. password: Required' },
    })
  })

  it('sends no request for somebody who is not signed in', async () => {
    const sent: string[] = []
    const { auth } = await sessionOf({
      fetch: (address, init) => {
        sent.push(address)
        return fetch(address, init)
      },
    })
    expect((await failureOf(auth.getIdentity())).statusCode).toBe(401)
    expect([await auth.getPermissions(), await auth.can({ resource: 'items', action: 'list' })]).toEqual([[], {
      can: false,
      reason: 'Permission denied',
    }])
    expect(sent).toEqual([])
  })

  it('passes the reply of the login route to the token store', async () => {
    const set = vi.fn<(token: string | null, data?: unknown) => void>()
    const { auth } = await sessionOf({ tokens: { get: () => null, set } })
    await auth.login({ email: 'boss@example.test', password: 'secret' })
    expect(set).toHaveBeenCalledExactlyOnceWith(expect.any(String), { token: expect.any(String) as string })
  })

  it('ends a session after 401 only', async () => {
    const { auth, provider } = await sessionOf()
    const error = await failureOf(provider.getList({ resource: 'items' }))
    expect(await auth.onError(error)).toEqual({ logout: true, redirectTo: '/login', error })
    expect(await auth.onError(new HttpError('Permission denied', 403))).toEqual({})
    expect(await auth.onError(undefined)).toEqual({})
  })

  it('returns the identity and the permissions of the caller', async () => {
    const { auth } = await sessionOf()
    expect((await failureOf(auth.getIdentity())).statusCode).toBe(401)
    await auth.login({ email: 'clerk@example.test', password: 'secret' })
    expect(await auth.getIdentity()).toMatchObject({ id: 7, name: 'Ann', avatar: '/ann.png' })
    expect(await auth.getPermissions()).toContain('staff.items.list')
    expect(await auth.can({ resource: 'items', action: 'edit' })).toEqual({ can: true })
    expect(await auth.can({ resource: 'items', action: 'clone' })).toEqual({ can: false, reason: 'Permission denied' })
    expect(await auth.can({ action: 'anything' })).toEqual({ can: true })
  })
})

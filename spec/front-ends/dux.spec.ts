import { simpleAuthProvider, simpleDataProvider, type IDataProvider,
  type IDataProviderResponse } from '@duxweb/dvha-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STARTING, startBlog, type Blog, type Person } from '../support/blog.js'
import { fileOf } from '../support/multipart.js'

type Rows = { readonly id: number; readonly title: string; readonly category: string; readonly status: number }[]
type Provider = Omit<IDataProvider, 'apiUrl'>

const PASSWORD = 'correct horse battery staple'

let blog: Blog
let data: IDataProvider
let manage: never

beforeAll(async () => {
  blog = await startBlog({ dux: true })
  data = simpleDataProvider({ apiUrl: `${blog.url}/dux` })
  // What the hook `useManage` gives to providers, as far as they use it.
  manage = { config: {}, getApiUrl: (path: string) => data.apiUrl?.(path) ?? '' } as never
}, STARTING)
afterAll(() => blog.close())

/** The provider with a person's bare token in each call, as the client's hooks make it, or with none. */
function as(person?: Person): Provider {
  const auth = { token: person === undefined ? undefined : blog.tokens.dux[person] } as never
  return {
    getList: (options) => data.getList(options, manage, auth),
    getOne: (options) => data.getOne(options, manage, auth),
    getMany: (options) => data.getMany(options, manage, auth),
    create: (options) => data.create(options, manage, auth),
    createMany: (options) => data.createMany(options, manage, auth),
    update: (options) => data.update(options, manage, auth),
    updateMany: (options) => data.updateMany(options, manage, auth),
    deleteOne: (options) => data.deleteOne(options, manage, auth),
    deleteMany: (options) => data.deleteMany(options, manage, auth),
    custom: (options) => data.custom(options, manage, auth),
    getTotal: (options) => data.getTotal(options),
  }
}

const rowsOf = ({ data: rows }: IDataProviderResponse): Rows => rows as Rows
const titles = (response: IDataProviderResponse): string[] => rowsOf(response).map(({ title }) => title)

describe('getList of dvha', () => {
  it('pages, counts, filters, searches and sorts', async () => {
    const response = await as('user').getList({
      path: 'posts',
      pagination: { page: 2, pageSize: 3 },
      filters: { keyword: 'POST 1', category: 'news', status: 1 },
      sorters: { title_sort: 'asc' },
    })
    expect(titles(response)).toHaveLength(3)
    expect(titles(response)).toEqual(titles(response).toSorted())
    expect(rowsOf(response).every(({ category, status }) => category === 'news' && status === 1)).toBe(true)
    expect(as().getTotal(response)).toBeGreaterThan(6)
    expect(response).toMatchObject({ status: 200, message: 'ok', meta: { page: 2, limit: 3 } })
  })

  it('omits filters that are empty, null or undefined', async () => {
    const response = await as('user').getList({
      path: 'posts',
      pagination: { page: 1, pageSize: 5 },
      filters: { keyword: '', category: '', status: null, ids: undefined },
      sorters: {},
    })
    expect([as().getTotal(response), rowsOf(response)[0]?.id]).toEqual([200, 200])
  })

  it('returns a first page without paging, and empty lists', async () => {
    expect(rowsOf(await as('user').getList({ path: 'posts' }))).toHaveLength(20)
    const none = await as('user').getList({ path: 'posts', filters: { keyword: 'Этого нет 日本' } })
    expect([none.data, as().getTotal(none)]).toEqual([[], 0])
  })

  it('rejects for an unknown filter or sorter, and an invalid page', async () => {
    await expect(as('user').getList({ path: 'posts', filters: { statuss: 1 } })).rejects.toMatchObject({
      status: 422,
      data: { statuss: [expect.any(String)] },
    })
    await expect(as('user').getList({ path: 'posts', sorters: { content_sort: 'asc' } })).rejects.toMatchObject({
      status: 422,
      data: { content_sort: [expect.any(String)] },
    })
    await expect(as('user').getList({ path: 'posts', pagination: { page: 1, pageSize: 1000 } })).rejects.toMatchObject({
      status: 422,
      data: { pageSize: [expect.any(String)] },
    })
    await expect(as('user').getList({ path: 'posts', filters: { status: 'x' } })).rejects.toMatchObject({
      status: 422,
      data: { status: [expect.any(String)] },
    })
  })
})

describe('getOne and getMany of dvha', () => {
  it('return one record, and records in the order of their ids', async () => {
    expect((await as('user').getOne({ path: 'posts', id: 7 })).data).toMatchObject({ id: 7, title: 'Post 7: release' })
    const ids = Array.from({ length: 60 }, (_, index) => 60 - index)
    expect(rowsOf(await as('user').getMany({ path: 'posts', ids })).map(({ id }) => id)).toEqual(ids)
    expect(rowsOf(await as('user').getMany({ path: 'posts', ids: ['3', '9999'] })).map(({ id }) => id)).toEqual([3])
  })

  it('reject for missing records and invalid ids', async () => {
    await expect(as('user').getOne({ path: 'posts', id: 9999 })).rejects.toMatchObject({
      status: 404,
      message: 'Not found',
    })
    await expect(as('user').getMany({ path: 'posts', ids: ['x'] })).rejects.toMatchObject({ status: 422 })
    await expect(as('user').getMany({ path: 'posts', ids: Array.from({ length: 101 }, (_, index) => index + 1) }))
      .rejects
      .toMatchObject({ status: 422, data: { ids: [expect.any(String)] } })
  })
})

describe('the writing methods of dvha', () => {
  it('create, replace and delete a record in any script', async () => {
    const title = '«Ünïcödé» 日本語 🧪 "quotes" <b>&amp;</b>'
    const created = await as('editor').create({ path: 'posts', data: { title, category: '', status: '' } })
    const { id } = created.data as Rows[number]
    expect(created).toMatchObject({
      status: 201,
      message: 'Created',
      data: { title, category: 'general', status: 1, content: '', authorId: 2 },
    })
    const { data: found } = await as('editor').getOne({ path: 'posts', id })
    const replaced = await as('editor').update({ path: 'posts', id, data: { ...found as object, category: 'news' } })
    expect(replaced.data).toEqual({ ...found as object, category: 'news' })
    expect(await as('editor').deleteOne({ path: 'posts', id })).toMatchObject({ status: 200, message: 'Deleted' })
    await expect(as('editor').getOne({ path: 'posts', id })).rejects.toMatchObject({ status: 404 })
  })

  it('create, change and delete several records', async () => {
    const created = await as('editor').createMany({
      path: 'posts',
      data: [{ title: 'Eins' }, { title: 'Два', status: '' }],
    })
    const ids = rowsOf(created).map(({ id }) => id)
    expect([created.status, titles(created), created.meta]).toEqual([201, ['Eins', 'Два'], { created: 2 }])
    const changed = await as('editor').updateMany({ path: 'posts', ids, data: { category: 'several' } })
    expect([titles(changed), rowsOf(changed).map(({ category }) => category)]).toEqual([['Eins', 'Два'], [
      'several',
      'several',
    ]])
    expect((await as('editor').deleteMany({ path: 'posts', ids })).meta).toEqual({ deleted: 2 })
    expect(rowsOf(await as('editor').getMany({ path: 'posts', ids }))).toEqual([])
  })

  it('clear a field by an empty string', async () => {
    const { data: user } = await as('admin').getOne({ path: 'users', id: 31 })
    const { data: cleared } = await as('admin').update({
      path: 'users',
      id: 31,
      data: { ...user as object, age: '', password: '' },
    })
    expect(cleared).toEqual({ ...user as object, age: null })
  })

  it('upload a file', async () => {
    const avatar = new File([new Uint8Array(fileOf('png', 900))], 'я.png', { type: 'image/png' })
    const { data: stored } = await as('admin').create({ path: 'users/30/avatar', data: { avatar } }) as {
      data: { avatar_url: string }
    }
    expect((await fetch(new URL(stored.avatar_url, blog.url))).status).toBe(200)
    await expect(
      as('admin').create({
        path: 'users/30/avatar',
        data: { avatar: new File(['text'], 'a.png', { type: 'image/png' }) },
      }),
    )
      .rejects
      .toMatchObject({ status: 415 })
    await expect(as('admin').create({ path: 'users/30/avatar', data: { other: avatar } })).rejects.toMatchObject({
      status: 422,
    })
  })

  it('send any request with custom', async () => {
    const response = await as('admin').custom({ path: 'posts/3', method: 'PATCH', payload: { category: 'custom' } })
    expect(response.data).toMatchObject({ id: 3, title: 'Post 3: release', category: 'custom' })
    const listed = await as('user').custom({
      path: 'posts',
      query: { pageSize: 1 },
      filters: { category: 'custom', status: '' },
      sorters: { id_sort: 'asc' },
    })
    expect(rowsOf(listed).map(({ id }) => id)).toEqual([3])
    await expect(
      as('admin').custom({
        path: 'posts/3',
        method: 'PATCH',
        payload: { title: 'x' },
        headers: { 'If-Match': '"old"' },
      }),
    )
      .rejects
      .toMatchObject({ status: 412 })
    await expect(as('admin').custom({ path: 'nothing' })).rejects.toMatchObject({ status: 404 })
  })

  it('reject an invalid record with messages at its fields', async () => {
    await expect(as('admin').create({ path: 'users', data: { name: 'x', email: 'no', age: 5 } })).rejects.toMatchObject(
      {
        status: 422,
        data: {
          name: ['A name has at least 2 characters'],
          email: ['This is no e-mail address'],
          age: ['An age is 18 or more'],
        },
      },
    )
    await expect(as('admin').update({ path: 'posts', id: 3, data: { title: '' } })).rejects.toMatchObject({
      status: 422,
      data: { title: ['A title is needed'] },
    })
    await expect(as('admin').createMany({ path: 'posts', data: [{ title: 'a' }, { title: '' }] })).rejects
      .toMatchObject({ status: 422, data: { 'items.1.title': ['A title is needed'] } })
    await expect(as('admin').updateMany({ path: 'posts', ids: [1, 2], data: { status: 'x' } })).rejects.toMatchObject({
      status: 422,
      data: { 'data.status': [expect.any(String)] },
    })
    await expect(as('admin').deleteMany({ path: 'posts', ids: [] })).rejects.toMatchObject({
      status: 422,
      data: { ids: [expect.any(String)] },
    })
  })

  it('reject an address in use, and the deletion of a user with posts', async () => {
    const before = await blog.rows()
    await expect(as('admin').create({ path: 'users', data: { name: 'Twin', email: 'Admin@Example.test' } })).rejects
      .toMatchObject({ status: 409, data: { email: ['Already taken'] } })
    await expect(
      as('admin').createMany({
        path: 'users',
        data: [{ name: 'Twin', email: 'twin@example.test' }, { name: 'Twin', email: 'twin@example.test' }],
      }),
    )
      .rejects
      .toMatchObject({ status: 409, data: { 'items.1.email': ['Already taken'] } })
    await expect(as('admin').deleteOne({ path: 'users', id: 2 })).rejects.toMatchObject({ status: 409 })
    await expect(as('admin').deleteMany({ path: 'users', ids: [60, 2] })).rejects.toMatchObject({ status: 409 })
    expect(await blog.rows()).toEqual(before)
  })

  it('reject actions that the role or the author rule forbids, without changes', async () => {
    const before = await blog.rows()
    await expect(as('user').create({ path: 'posts', data: { title: 'x' } })).rejects.toMatchObject({
      status: 403,
      message: 'Permission denied',
    })
    await expect(as('user').createMany({ path: 'posts', data: [{ title: 'x' }] })).rejects.toMatchObject({
      status: 403,
    })
    await expect(as('editor').update({ path: 'posts', id: 200, data: { title: 'x' } })).rejects.toMatchObject({
      status: 403,
      meta: { reason: 'post.not_author' },
    })
    await expect(as('editor').updateMany({ path: 'posts', ids: [199, 200], data: { title: 'x' } })).rejects
      .toMatchObject({ status: 403 })
    await expect(as('editor').deleteMany({ path: 'users', ids: [5] })).rejects.toMatchObject({ status: 403 })
    await expect(as('editor').create({ path: 'users/5/avatar', data: { avatar: new File(['x'], 'x.png') } })).rejects
      .toMatchObject({ status: 403 })
    await expect(as('admin').update({ path: 'posts', id: 9999, data: { title: 'x' } })).rejects.toMatchObject({
      status: 404,
    })
    await expect(as('admin').deleteMany({ path: 'posts', ids: [1, 9999] })).rejects.toMatchObject({ status: 404 })
    expect(await blog.rows()).toEqual(before)
  })
})

describe('dvha without a token', () => {
  it.each<[string, (provider: Provider) => Promise<unknown>]>([
    ['getList', (p) => p.getList({ path: 'posts' })],
    ['getOne', (p) => p.getOne({ path: 'posts', id: 1 })],
    ['getMany', (p) => p.getMany({ path: 'posts', ids: [1] })],
    ['create', (p) => p.create({ path: 'posts', data: { title: 'x' } })],
    ['createMany', (p) => p.createMany({ path: 'posts', data: [{ title: 'x' }] })],
    ['update', (p) => p.update({ path: 'posts', id: 1, data: { title: 'x' } })],
    ['updateMany', (p) => p.updateMany({ path: 'posts', ids: [1], data: { title: 'x' } })],
    ['deleteOne', (p) => p.deleteOne({ path: 'posts', id: 1 })],
    ['deleteMany', (p) => p.deleteMany({ path: 'posts', ids: [1] })],
    ['custom', (p) => p.custom({ path: 'check' })],
  ])('is refused %s with 401', async (_name, call) => {
    const error = await call(as()).then(() => undefined, (thrown: unknown) => thrown)
    expect(error).toMatchObject({ status: 401, message: 'Authentication required' })
    expect(await simpleAuthProvider().onError(error as never)).toMatchObject({ logout: true, redirectTo: '/login' })
  })
})

describe('the simple auth provider of dvha', () => {
  const auth = simpleAuthProvider()
  const signIn = async (email: string) => auth.login({ email, password: PASSWORD }, manage)

  it('signs in, and uses the token without a scheme', async () => {
    const signedIn = await signIn('editor@example.test')
    expect(signedIn).toMatchObject({
      success: true,
      message: 'Signed in',
      redirectTo: '/',
      data: { id: 2, info: { name: 'Edgar Editor' } },
    })
    const listed = await data.getList({ path: 'posts' }, manage, signedIn.data as never)
    expect(listed.status).toBe(200)
    expect(await auth.check?.({}, manage, signedIn.data as never)).toMatchObject({
      success: true,
      logout: false,
      data: signedIn.data,
    })
  })

  it('returns the permissions', async () => {
    const { data: user } = await signIn('user@example.test')
    const { data: admin } = await signIn('admin@example.test')
    const can = (name: string, one: unknown): boolean | undefined => auth.can?.(name, undefined, manage, one as never)
    expect([can('dux.posts.list', user), can('dux.posts.create', user), can('dux.users.deleteMany', user)]).toEqual([
      true,
      false,
      false,
    ])
    expect(
      ['dux.posts.list', 'dux.posts.create', 'dux.users.deleteMany', 'dux.users.avatar'].map((name) =>
        can(name, admin)
      ),
    )
      .toEqual([true, true, true, true])
  })

  it('refuses a wrong password and an invalid form', async () => {
    expect(await auth.login({ email: 'admin@example.test', password: 'wrong' }, manage)).toEqual({
      success: false,
      message: 'Wrong e-mail or password',
    })
    expect(await auth.login({ email: 'admin@example.test' }, manage)).toMatchObject({
      success: false,
      message: expect.any(String) as string,
    })
  })

  it.each([['no token', ''], ['a token of another application', 'admin'], ['no token at all', 'x']])(
    'is signed out by check with %s',
    async (_case, kind) => {
      const token = kind === 'admin' ? blog.tokens.admin.admin : kind
      expect(await auth.check?.({}, manage, { token } as never)).toMatchObject({ success: false, logout: true })
    },
  )

  it('registers each address once', async () => {
    const form = { name: 'Ünal', email: 'Unal@example.test', password: 'a long password' }
    const registered = await auth.register?.(form, manage)
    expect(registered).toMatchObject({
      success: true,
      data: { info: { name: 'Ünal', email: 'unal@example.test', role: null } },
    })
    expect((await data.getList({ path: 'posts' }, manage, registered?.data as never)).status).toBe(200)
    expect(await auth.register?.(form, manage)).toEqual({ success: false, message: 'This e-mail address is taken' })
    expect(await auth.register?.({ ...form, email: 'no', role: 'admin' }, manage)).toMatchObject({ success: false })
    expect((await auth.register?.({ ...form, email: 'eve@example.test', role: 'admin' }, manage))?.data).toMatchObject({
      info: { role: null },
    })
  })

  it('resets a password once for each code', async () => {
    await auth.register?.({ name: 'Fred', email: 'fred@example.test', password: 'a long password' }, manage)
    const replies = [
      await auth.forgotPassword?.({ email: 'fred@example.test' }, manage),
      await auth.forgotPassword?.({ email: 'nobody@example.test' }, manage),
    ]
    expect(replies[0]).toMatchObject({ success: true, redirectTo: '/login' })
    expect(replies[1]).toEqual(replies[0])
    const [, code = ''] = /^fred@example\.test: Your code is (\S+)$/.exec(blog.mails.at(-1) ?? '') ?? []
    const forged = `1${code.slice(code.indexOf('.'))}`
    for (const wrong of [forged, 'x', `${code}x`, code.replace(/\.\d+\./, '.9999999999.')]) {
      expect(await auth.updatePassword?.({ code: wrong, password: 'another password' }, manage)).toEqual({
        success: false,
        message: 'This code is not valid',
      })
    }
    expect(await auth.updatePassword?.({ code, password: 'short' }, manage)).toMatchObject({ success: false })
    expect(await auth.updatePassword?.({ code, password: 'another password' }, manage)).toMatchObject({
      success: true,
      message: 'The password was changed',
    })
    expect(await auth.updatePassword?.({ code, password: 'a third password' }, manage)).toMatchObject({
      success: false,
    })
    expect(await auth.login({ email: 'fred@example.test', password: 'another password' }, manage)).toMatchObject({
      success: true,
    })
  })

  it('signs out without a request', async () => {
    expect(await auth.logout()).toEqual({ success: true, redirectTo: '/login' })
  })
})

describe('the other applications', () => {
  it('accept no token without a scheme', async () => {
    for (const token of [blog.tokens.admin.admin, blog.tokens.dux.admin, blog.tokens.shop.admin]) {
      for (const path of ['/admin/posts', '/admin/users', '/admin/me', '/admin/permissions', '/shop/orders']) {
        const { status, headers } = await blog.get(path, { headers: { authorization: token } })
        expect([path, status, headers.get('www-authenticate')]).toEqual([
          path,
          401,
          expect.stringMatching(/^Bearer realm="\w+", error="invalid_token"$/) as string,
        ])
      }
    }
    expect((await blog.get('/admin/posts', { token: blog.tokens.admin.admin })).status).toBe(200)
    expect((await blog.get('/dux/posts', { token: blog.tokens.dux.admin })).status).toBe(200)
    expect((await blog.get('/dux/posts', { token: blog.tokens.admin.admin })).status).toBe(401)
  })
})

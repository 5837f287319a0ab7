import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as reactAdmin from 'resourcery/react-admin'
import * as refine from 'resourcery/refine'
import { STARTING, startBlog, type Blog, type Person } from '../support/blog.js'
import { fileOf } from '../support/multipart.js'

const RESOURCES = { posts: { filters: ['category', 'status'] }, users: { uploads: { avatar: '/:id/avatar' } } }
const ONE_TO_500 = Array.from({ length: 500 }, (_, index) => index + 1)

let blog: Blog
beforeAll(async () => {
  blog = await startBlog()
}, STARTING)
afterAll(() => blog.close())

/** Returns the provider of a seeded user, or of an anonymous caller. */
const tokensOf = (person: Person | undefined) => ({
  get: () => (person === undefined ? null : blog.tokens.admin[person]),
  set: () => undefined,
})

describe('react-admin’s provider on the blog', () => {
  const providerOf = (person?: Person) =>
    reactAdmin.dataProvider(`${blog.url}/admin`, { tokens: tokensOf(person), resources: RESOURCES })
  const PAGE = { pagination: { page: 1, perPage: 10 }, sort: { field: 'id', order: 'ASC' } } as const

  it('returns empty lists, and lists of custom handlers', async () => {
    expect(await providerOf('user').getList('posts', { ...PAGE, filter: { q: 'Этого нет' } })).toEqual({
      data: [],
      total: 0,
    })
    expect((await providerOf('editor').getList('users', PAGE)).total).toBe(60)
    expect((await providerOf('user').getList('posts', { ...PAGE, pagination: { page: 99, perPage: 100 } })).data)
      .toEqual([])
    expect((await providerOf('user').getList('posts', { ...PAGE, pagination: { page: 1, perPage: 1000 } })).data)
      .toHaveLength(200)
  })

  it('preserves characters of any script', async () => {
    const title = '«Ünïcödé» 日本語 🧪 "quotes" <b>&amp;</b>'
    const { data } = await providerOf('editor').create('posts', { data: { title } })
    expect((await providerOf('editor').getOne('posts', { id: data.id })).data.title).toBe(title)
    expect((await providerOf('editor').getList('posts', { ...PAGE, filter: { q: '日本語 🧪 "' } })).data).toEqual([
      data,
    ])
    await providerOf('editor').delete('posts', { id: data.id })
  })

  it.each([
    ['getList', (p: reactAdmin.DataProvider) => p.getList('posts', PAGE)],
    ['getOne', (p: reactAdmin.DataProvider) => p.getOne('posts', { id: 1 })],
    ['getMany', (p: reactAdmin.DataProvider) => p.getMany('posts', { ids: [1] })],
    [
      'getManyReference',
      (p: reactAdmin.DataProvider) => p.getManyReference('posts', { ...PAGE, target: 'category', id: 'news' }),
    ],
    ['create', (p: reactAdmin.DataProvider) => p.create('posts', { data: { title: 'x' } })],
    ['update', (p: reactAdmin.DataProvider) => p.update('posts', { id: 1, data: { title: 'x' } })],
    ['updateMany', (p: reactAdmin.DataProvider) => p.updateMany('posts', { ids: [1, 2], data: { title: 'x' } })],
    ['delete', (p: reactAdmin.DataProvider) => p.delete('posts', { id: 1 })],
    ['deleteMany', (p: reactAdmin.DataProvider) => p.deleteMany('posts', { ids: [1] })],
    ['call', (p: reactAdmin.DataProvider) => p.call('posts', 'PUT /:id/restore', { id: 1 })],
  ])('rejects %s with 401 without a token', async (_name, call) => {
    await expect(call(providerOf())).rejects.toMatchObject({ name: 'HttpError', status: 401 })
  })

  it('rejects with 403 if the role or the author rule forbids an action', async () => {
    const before = await blog.rows()
    await expect(providerOf('user').create('posts', { data: { title: 'x' } })).rejects.toMatchObject({ status: 403 })
    await expect(providerOf('user').updateMany('posts', { ids: [1, 2], data: { title: 'x' } })).rejects.toMatchObject({
      status: 403,
      body: { updated: [], failed: [1, 2] },
    })
    await expect(providerOf('editor').update('posts', { id: 200, data: { title: 'x' } })).rejects.toMatchObject({
      status: 403,
      body: { reason: 'post.not_author' },
    })
    await expect(providerOf('editor').deleteMany('users', { ids: [5] })).rejects.toMatchObject({ status: 403 })
    expect(await blog.rows()).toEqual(before)
  })

  it('rejects with 404, 409, 412 and 422', async () => {
    const admin = providerOf('admin')
    await expect(admin.getOne('posts', { id: 9999 })).rejects.toMatchObject({ status: 404 })
    await expect(admin.update('posts', { id: 9999, data: { title: 'x' } })).rejects.toMatchObject({ status: 404 })
    await expect(admin.create('users', { data: { name: 'Twin', email: 'admin@example.test' } })).rejects.toMatchObject({
      status: 409,
    })
    await expect(admin.delete('users', { id: 1 })).rejects.toMatchObject({
      status: 409,
      body: { reason: 'user.has_posts' },
    })
    await expect(admin.update('posts', { id: 3, data: { title: 'x' }, meta: { ifMatch: '"old"' } })).rejects
      .toMatchObject({ status: 412, body: { current: { id: 3 } } })
    await expect(admin.create('users', { data: { name: 'x', email: 'no', age: 5 } })).rejects.toMatchObject({
      status: 422,
      body: {
        errors: {
          name: expect.any(String) as string,
          email: expect.any(String) as string,
          age: expect.any(String) as string,
        },
      },
    })
    await expect(admin.getList('posts', { ...PAGE, filter: { status: 'x' } })).rejects.toMatchObject({
      status: 422,
      body: { errors: { status: expect.any(String) as string } },
    })
    await expect(admin.getList('posts', { ...PAGE, sort: { field: 'content', order: 'ASC' } })).rejects.toMatchObject({
      status: 422,
    })
  })

  it('reads 500 records at once, from lists with and without `ids`', async () => {
    expect((await providerOf('user').getMany('posts', { ids: ONE_TO_500 })).data).toHaveLength(200)
    expect((await providerOf('editor').getMany('users', { ids: ONE_TO_500.slice(0, 80) })).data).toHaveLength(60)
  })

  it('uploads an avatar with a new user and for an existing one', async () => {
    const admin = providerOf('admin')
    const avatar = {
      rawFile: new File([new Uint8Array(fileOf('png', 900))], 'я.png', { type: 'image/png' }),
      src: 'blob:x',
      title: 'я.png',
    }
    const { data } = await admin.create<{ id: number; avatarUrl: string }>('users', {
      data: { name: 'Pictured', email: 'pictured@example.test', avatar },
    })
    expect((await fetch(new URL(data.avatarUrl, blog.url))).status).toBe(200)
    const { data: other } = await admin.getOne('users', { id: 30 })
    expect((await admin.update('users', { id: 30, data: { ...other, age: 44, avatar }, previousData: other })).data)
      .toMatchObject({ age: 44, avatarUrl: expect.stringMatching(/png$/) as string })
    const wrong = { rawFile: new File(['text'], 'a.png', { type: 'image/png' }) }
    await expect(admin.update('users', { id: 30, data: { avatar: wrong } })).rejects.toMatchObject({
      body: { errors: { avatar: expect.any(String) as string } },
    })
    await admin.delete('users', { id: data.id })
  })
})

describe('refine’s provider on the blog', () => {
  const providerOf = (person?: Person) =>
    refine.dataProvider(`${blog.url}/admin`, { tokens: tokensOf(person), resources: RESOURCES })

  it('returns empty lists, and all rows without pagination', async () => {
    expect(
      await providerOf('user').getList({
        resource: 'posts',
        filters: [{ field: 'q', operator: 'contains', value: 'Этого нет' }],
      }),
    )
      .toEqual({ data: [], total: 0 })
    expect((await providerOf('user').getList({ resource: 'posts', pagination: { mode: 'off' } })).total).toBe(200)
  })

  it.each([
    ['getList', (p: refine.DataProvider) => p.getList({ resource: 'posts' })],
    ['getOne', (p: refine.DataProvider) => p.getOne({ resource: 'posts', id: 1 })],
    ['getMany', (p: refine.DataProvider) => p.getMany({ resource: 'posts', ids: [1] })],
    ['create', (p: refine.DataProvider) => p.create({ resource: 'posts', variables: { title: 'x' } })],
    ['createMany', (p: refine.DataProvider) => p.createMany({ resource: 'posts', variables: [{ title: 'x' }] })],
    ['update', (p: refine.DataProvider) => p.update({ resource: 'posts', id: 1, variables: { title: 'x' } })],
    [
      'updateMany',
      (p: refine.DataProvider) => p.updateMany({ resource: 'posts', ids: [1, 2], variables: { title: 'x' } }),
    ],
    ['deleteOne', (p: refine.DataProvider) => p.deleteOne({ resource: 'posts', id: 1 })],
    ['deleteMany', (p: refine.DataProvider) => p.deleteMany({ resource: 'posts', ids: [1] })],
    ['custom', (p: refine.DataProvider) => p.custom({ url: '/me', method: 'get' })],
  ])('rejects %s with 401 without a token', async (_name, call) => {
    await expect(call(providerOf())).rejects.toMatchObject({ name: 'HttpError', statusCode: 401 })
  })

  it('rejects with 403, 404, 409, 412 and 422', async () => {
    const admin = providerOf('admin')
    await expect(providerOf('user').createMany({ resource: 'posts', variables: [{ title: 'x' }] })).rejects
      .toMatchObject({ statusCode: 403 })
    await expect(providerOf('editor').deleteOne({ resource: 'posts', id: 200 })).rejects.toMatchObject({
      statusCode: 403,
      reason: 'post.not_author',
    })
    await expect(admin.getOne({ resource: 'posts', id: 9999 })).rejects.toMatchObject({ statusCode: 404 })
    await expect(admin.create({ resource: 'users', variables: { name: 'Twin', email: 'admin@example.test' } })).rejects
      .toMatchObject({ statusCode: 409 })
    await expect(admin.deleteMany({ resource: 'users', ids: [1] })).rejects.toMatchObject({
      statusCode: 409,
      reason: 'user.has_posts',
    })
    await expect(admin.update({ resource: 'posts', id: 3, variables: { title: 'x' }, meta: { ifMatch: '"old"' } }))
      .rejects
      .toMatchObject({ statusCode: 412 })
    await expect(admin.update({ resource: 'users', id: 3, variables: { age: 5 } })).rejects.toMatchObject({
      statusCode: 422,
      errors: { age: [expect.any(String)] },
    })
  })

  it('reads and deletes many records at once', async () => {
    const admin = providerOf('admin')
    expect((await admin.getMany({ resource: 'posts', ids: ONE_TO_500 })).data).toHaveLength(200)
    const ids: number[] = []
    for (let at = 0; at < 120; at++) {
      ids.push((await admin.create<{ id: number }>({ resource: 'posts', variables: { title: `Many ${at}` } })).data.id)
    }
    expect((await admin.updateMany({ resource: 'posts', ids, variables: { category: 'many' } })).data).toHaveLength(120)
    expect((await admin.deleteMany({ resource: 'posts', ids })).data).toHaveLength(120)
    expect((await admin.getMany({ resource: 'posts', ids })).data).toEqual([])
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STARTING, startBlog, type Blog, type Person } from '../support/blog.js'
import type { Reply } from '../support/http.js'

interface Post {
  id: number
  title: string
  content: string
  category: string
  status: number
  authorId: number
  createdAt: string
}

describe('the posts of the blog', () => {
  let blog: Blog
  beforeAll(async () => {
    blog = await startBlog()
  }, STARTING)
  afterAll(() => blog.close())

  const send = (person: Person, method: string, path: string, body?: unknown): Promise<Reply> =>
    blog.send(method, `/admin/posts${path}`, { token: blog.tokens.admin[person], body })
  const postOf = (reply: Reply): Post => reply.body.data
  const postsOf = (reply: Reply): Post[] => reply.body.data
  const add = async (person: Person, fields: object = {}): Promise<Post> => {
    const reply = await send(person, 'POST', '', { title: 'A new post', ...fields })
    expect(reply.status).toBe(201)
    return postOf(reply)
  }
  const idsOf = async (query: string): Promise<number[]> => {
    const reply = await send('user', 'GET', query)
    expect(reply.status).toBe(200)
    return postsOf(reply).map(({ id }) => id)
  }

  it('are listed newest first, with the declared fields only', async () => {
    const reply = await send('user', 'GET', '?limit=3')
    expect(reply.body.meta).toEqual({ total: 200, page: 1, limit: 3 })
    expect(postsOf(reply).map(({ id }) => id)).toEqual([200, 199, 198])
    expect(postsOf(reply)[0]).toEqual({
      id: 200,
      title: 'Post 200: news',
      content: expect.any(String) as string,
      category: 'news',
      status: 1,
      authorId: 1,
      createdAt: '2026-01-13T12:00:00.000Z',
    })
  })

  it('belong partly to the editor among the newest hundred', async () => {
    const authors = postsOf(await send('user', 'GET', '?limit=100')).map(({ authorId }) => authorId)
    expect(authors).toContain(2)
    expect(authors.filter((id) => id === 2).length).toBeLessThan(100)
  })

  it('are filtered by category and status, and counted with the filters', async () => {
    const news = await send('user', 'GET', '?category=news&limit=100')
    expect(news.body.meta.total).toBe(50)
    expect(new Set(postsOf(news).map(({ category }) => category))).toEqual(new Set(['news']))
    const both = await send('user', 'GET', '?category=news&status=0&limit=100')
    expect(postsOf(both).every(({ category, status }) => category === 'news' && status === 0)).toBe(true)
    expect(both.body.meta.total).toBe(postsOf(both).length)
    expect(both.body.meta.total).toBeLessThan(50)
    expect(await idsOf('?category=nothing')).toEqual([])
    expect(await idsOf("?category=news'%20or%20'1'%3D'1")).toEqual([])
  })

  it('are searched by a literal part of the title', async () => {
    expect(await idsOf('?search=POST%2020%3A')).toEqual([20])
    expect(await idsOf('?search=%25')).toEqual([])
    expect(await idsOf('?search=_')).toEqual([])
  })

  it('are sorted by id, title and createdAt in both directions, and by id among equal values', async () => {
    expect(await idsOf('?sort=id&limit=3')).toEqual([1, 2, 3])
    expect(await idsOf('?sort=createdAt&limit=2')).toEqual([1, 2])
    expect(await idsOf('?sort=-createdAt&limit=2')).toEqual([200, 199])
    const titles = postsOf(await send('user', 'GET', '?sort=-title&limit=100&search=post%201')).map(({ title }) =>
      title
    )
    expect(titles).toEqual([...titles].sort().reverse())
    const first = await add('editor', { title: 'ZZ the same' })
    const second = await add('editor', { title: 'ZZ the same' })
    expect(await idsOf('?sort=-title&limit=2')).toEqual([second.id, first.id])
    expect(await idsOf('?sort=-title,id&limit=2')).toEqual([first.id, second.id])
    await send('editor', 'DELETE', `?ids=${first.id},${second.id}`)
  })

  it.each([
    'sort=content',
    'sort=',
    'sort=id,',
    'sort=--id',
    'sort=id;title',
    'sort=id desc',
    'sort=__proto__',
    'sort=id&sort=title',
    'sort[]=id',
    'status=x',
    'status=1e0',
    'status=',
    'category=a&category=b',
    'ids=',
    'ids=1,x',
    'page=0',
  ])(
    'are refused with 422 for ?%s',
    async (query) => {
      const reply = await send('user', 'GET', `?${query}`)
      expect(reply.status).toBe(422)
      expect(Object.keys(reply.body.data)[0]).toMatch(new RegExp(`^${String(/^\w+/.exec(query)?.[0])}`))
    },
  )

  it('are selected by ids in every notation, ignoring unknown ids', async () => {
    for (const query of ['?ids=7,5,7,999999', '?ids=7&ids=5', '?ids[]=7&ids[]=5', '?ids[0]=7&ids[1]=5']) {
      expect(await idsOf(query))
        .toEqual([7, 5])
    }
    expect(await idsOf('?ids=5,7&sort=id&status=1')).toEqual([5, 7])
  })

  it('are paged by cursor without being affected by new posts', async () => {
    const first = await send('user', 'GET', '?cursor=&limit=3&category=news')
    expect(first.body.meta).toEqual({ limit: 3, next: expect.any(String) as string })
    const added = await add('editor', { category: 'news' })
    const second = await send('user', 'GET', `?cursor=${String(first.body.meta.next)}&limit=3&category=news`)
    const ids = [first, second].flatMap(postsOf).map(({ id }) => id)
    expect(ids).toEqual((await idsOf('?category=news&limit=7')).slice(1))
    await send('editor', 'DELETE', `/${added.id}`)
    for (const cursor of ['x', 'bm9uZQ', '%00']) {
      expect((await send('user', 'GET', `?cursor=${cursor}`)).status).toBe(422)
    }
  })

  it('are shown by id, 404 for an unknown id and 422 for an invalid one', async () => {
    expect(postOf(await send('user', 'GET', '/7')).title).toBe('Post 7: release')
    for (const id of ['0', '999999', '2147483648', '9007199254740991']) {
      expect((await send('user', 'GET', `/${id}`)).status)
        .toBe(404)
    }
    for (const id of ['x', '1.0', '1e0', '%201', '9007199254740992']) {
      expect((await send('user', 'GET', `/${id}`)).status)
        .toBe(422)
    }
  })

  it('belong to the caller who creates them', async () => {
    const reply = await send('editor', 'POST', '', { title: ' Mine ', authorId: 1, id: 5, createdAt: '2000-01-01' })
    expect(reply.status).toBe(201)
    const { id, createdAt, ...rest } = postOf(reply)
    expect(rest).toEqual({ title: 'Mine', content: '', category: 'general', status: 1, authorId: 2 })
    expect(id).toBeGreaterThan(200)
    expect(Date.now() - Date.parse(createdAt)).toBeLessThan(60_000)
    const moved = await send('admin', 'PUT', `/${id}`, { title: 'Edited by the admin', authorId: 1 })
    expect(postOf(moved)).toMatchObject({ title: 'Edited by the admin', authorId: 2, createdAt })
    expect(postOf(await send('admin', 'PATCH', `/${id}`, { authorId: 1 }))).toMatchObject({ authorId: 2 })
  })

  it('are replaced by PUT with defaults, and changed by PATCH without defaults', async () => {
    const post = await add('editor', { content: 'Text', category: 'news', status: 0 })
    expect(postOf(await send('editor', 'PATCH', `/${post.id}`, { title: 'Better' }))).toEqual({
      ...post,
      title: 'Better',
    })
    expect(postOf(await send('editor', 'PATCH', `/${post.id}`, {}))).toEqual({ ...post, title: 'Better' })
    expect(postOf(await send('editor', 'PUT', `/${post.id}`, { title: 'Best' }))).toEqual({
      ...post,
      title: 'Best',
      content: '',
      category: 'general',
      status: 1,
    })
    expect((await send('editor', 'PUT', '/999999', { title: 'Nowhere' })).status).toBe(404)
    expect((await send('editor', 'PATCH', '/999999', {})).status).toBe(404)
  })

  it.each([
    ['no title', {}, 'title'],
    ['a blank title', { title: '  ' }, 'title'],
    ['a title that is not a string', { title: 5 }, 'title'],
    ['a title beyond the column', { title: 'a'.repeat(201) }, 'title'],
    ['a category beyond the column', { title: 'a', category: 'c'.repeat(51) }, 'category'],
    ['a content beyond the column', { title: 'a', content: 'c'.repeat(10_001) }, 'content'],
    ['a status beyond the column', { title: 'a', status: 2_147_483_648 }, 'status'],
    ['NUL', { title: 'a\0b' }, 'title'],
    ['null', { title: null }, 'title'],
  ])('are refused with %s: 422', async (_, body, field) => {
    const reply = await send('editor', 'POST', '', body)
    expect(reply.status).toBe(422)
    expect(Object.keys(reply.body.data)).toEqual([field])
  })

  it('may have strings that fill their columns', async () => {
    const post = await add('editor', {
      title: '😀'.repeat(100),
      category: 'é'.repeat(50),
      content: '語'.repeat(10_000),
      status: -2_147_483_648,
    })
    expect(postOf(await send('user', 'GET', `/${post.id}`))).toEqual(post)
    expect(post.title).toBe('😀'.repeat(100))
  })

  it.each(['PUT', 'PATCH', 'DELETE'])('cannot be changed by %s by an editor who is not the author', async (method) => {
    const before = await blog.rows()
    const reply = await send('editor', method, '/200', { title: 'Taken over' })
    expect(reply.status).toBe(403)
    expect(reply.body.meta).toEqual({ reason: 'post.not_author' })
    expect(reply.headers.has('www-authenticate')).toBe(false)
    expect(await blog.rows()).toEqual(before)
  })

  it('are changed by only one of two concurrent requests with the same If-Match', async () => {
    const post = await add('editor')
    const change = (method: string, ifMatch: string, body?: unknown): Promise<Reply> =>
      blog.send(method, `/admin/posts/${post.id}`, {
        token: blog.tokens.admin.editor,
        body,
        headers: { 'if-match': ifMatch },
      })
    const tag = String((await send('editor', 'GET', `/${post.id}`)).headers.get('etag'))
    const replies = await Promise.all(['First', 'Second'].map((title) => change('PATCH', tag, { title })))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 412])
    expect(replies.find(({ status }) => status === 412)?.body.meta).toEqual({ reason: 'stale' })
    expect((await change('DELETE', tag)).status).toBe(412)
    expect((await change('DELETE', String((await send('user', 'GET', `/${post.id}`)).headers.get('etag')))).status)
      .toBe(200)
  })

  it('are deleted once, by the author or by an admin', async () => {
    const [mine, other] = [await add('editor'), await add('editor')]
    const reply = await send('editor', 'DELETE', `/${mine.id}`)
    expect(reply.body).toEqual({ code: 200, message: 'Deleted', data: null, meta: {} })
    expect((await send('admin', 'DELETE', `/${other.id}`)).status).toBe(200)
    expect((await send('editor', 'DELETE', `/${mine.id}`)).status).toBe(404)
  })

  it('are created once for each Idempotency-Key of a caller, also concurrently', async () => {
    const make = (who: 'editor' | 'admin', title: string) =>
      blog.post('/admin/posts', { title }, {
        token: blog.tokens.admin[who],
        headers: { 'idempotency-key': '"a-post-of-a-phone"' },
      })
    const replies = await Promise.all(Array.from({ length: 50 }, () => make('editor', 'Made once')))
    const [first, ...others] = replies.filter(({ status }) => status === 201)
    expect(
      others.every(({ text, headers }) => text === first?.text && headers.get('etag') === first.headers.get('etag')),
    )
      .toBe(true)
    expect(replies.filter(({ status, headers }) => status === 201 && !headers.has('idempotency-replayed')))
      .toHaveLength(1)
    const repeat = await make('editor', 'Made once')
    expect([repeat.text, repeat.headers.get('idempotency-replayed')]).toEqual([first?.text, 'true'])
    expect((await make('editor', 'Made otherwise')).body.meta).toEqual({ reason: 'idempotency_key_reused' })
    expect((await make('admin', 'Made otherwise')).status).toBe(201)
    expect((await blog.get('/admin/posts?search=Made%20o', { token: blog.tokens.admin.editor })).body.meta)
      .toMatchObject({ total: 2 })
  })

  it('are deleted all together or not at all', async () => {
    const [a, b] = [await add('editor'), await add('editor')]
    const before = await blog.rows()
    expect((await send('editor', 'DELETE', '', { ids: [a.id, 999_999] })).status).toBe(404)
    const foreign = await send('editor', 'DELETE', `?ids=${a.id},200,${b.id}`)
    expect(foreign.status).toBe(403)
    expect(foreign.body.meta).toEqual({ reason: 'post.not_author' })
    expect((await send('editor', 'DELETE', '')).status).toBe(422)
    expect(await blog.rows()).toEqual(before)
    expect((await send('editor', 'DELETE', `?ids=${a.id}&ids=${b.id}`)).body).toMatchObject({
      data: null,
      meta: { deleted: 2 },
    })
  })

  it('can only be read by a user without a role', async () => {
    const before = await blog.rows()
    for (
      const [method, path] of [['POST', ''], ['PUT', '/1'], ['PATCH', '/1'], ['DELETE', '/1'], [
        'DELETE',
        '?ids=1',
      ]] as const
    ) {
      const reply = await send('user', method, path, { title: 'x' })
      expect(reply.status).toBe(403)
      expect(reply.body.meta).toEqual({ reason: 'forbidden' })
    }
    expect(await blog.rows()).toEqual(before)
  })

  it('are soft-deleted, and then visible to admins only', async () => {
    const post = await add('editor', { title: 'A post to delete' })
    expect((await send('editor', 'DELETE', `/${post.id}`)).status).toBe(200)
    expect((await send('admin', 'GET', `/${post.id}`)).status).toBe(404)
    expect(await idsOf(`?ids=${post.id}`)).toEqual([])
    for (const person of ['editor', 'user'] as const) {
      expect((await send(person, 'GET', '?deleted=only')).body).toMatchObject({
        code: 403,
        meta: { reason: 'forbidden' },
      })
      expect((await send(person, 'PUT', `/${post.id}/restore`)).status).toBe(403)
      expect((await send(person, 'DELETE', `/${post.id}/purge`)).status).toBe(403)
    }
    expect(postsOf(await send('admin', 'GET', `?deleted=only&ids=${post.id},1`))).toEqual([post])
    expect(postOf(await send('admin', 'PUT', `/${post.id}/restore`))).toEqual(post)
    expect((await send('admin', 'DELETE', `/${post.id}/purge`)).status).toBe(404)
    expect((await send('admin', 'DELETE', `/${post.id}`)).status).toBe(200)
    expect((await send('admin', 'DELETE', `/${post.id}/purge`)).body).toEqual({
      code: 200,
      message: 'Deleted for good',
      data: null,
      meta: {},
    })
    expect((await send('admin', 'GET', `?deleted=only&ids=${post.id}`)).body.data).toEqual([])
  })

  it('keep their author from being deleted while soft-deleted', async () => {
    const token = blog.tokens.admin.admin
    const { id } =
      (await blog.post('/admin/users', { name: 'Writer', email: 'writer@example.test', age: 30 }, { token })).body
        .data as { id: number }
    const post = await add('admin')
    await blog.db.updateTable('posts').set({ authorId: id }).where('id', '=', post.id).execute()
    expect((await send('admin', 'DELETE', `/${post.id}`)).status).toBe(200)
    const remove = (): Promise<Reply> => blog.send('DELETE', `/admin/users/${id}`, { token })
    expect((await remove()).body.meta).toEqual({ reason: 'user.has_posts' })
    expect((await send('admin', 'DELETE', `/${post.id}/purge`)).status).toBe(200)
    expect((await remove()).status).toBe(200)
  })
})

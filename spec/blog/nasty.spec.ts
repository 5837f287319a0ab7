import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { STARTING, startBlog, type Blog } from '../support/blog.js'
import { raw, type Reply } from '../support/http.js'

const TEXTS = [
  '',
  ' ',
  '\0',
  '%',
  '%%',
  '_',
  '\\',
  '\\%',
  '!',
  '!%',
  "'",
  "''",
  '"',
  '`',
  ';',
  '--',
  '/*',
  "' or 1=1 --",
  '"; drop table users; --',
  '$1',
  '?',
  ':id',
  '{{7*7}}',
  '${7*7}',
  '../../etc/passwd',
  '<script>',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  '-0',
  '1e309',
  '0x10',
  '１',
  '٣',
  '999999999999999999999',
  '-9223372036854775809',
  'true',
  '[]',
  '{}',
  '[object Object]',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '😀',
  '\u202e',
  '\uffff',
  'İ',
  'ß',
  'a'.repeat(200),
  'a'.repeat(201),
  '%00',
  '%ff',
  '\r\n',
  '\u2028',
]

/** Matches content that no reply may contain: hashes, SQL, stacks, paths, drivers. */
const LEAKS =
  /passwordHash|select |insert into|relation "|syntax error|duplicate key|ER_[A-Z]|SQLSTATE|pglite|kysely|node_modules|\.[jt]s:\d|at \w+ \(|\/samples\//i

describe('the blog with hostile input', () => {
  let blog: Blog
  beforeAll(async () => {
    blog = await startBlog()
  }, STARTING)
  afterAll(() => blog.close())

  const sane = (name: string, reply: Reply): void => {
    expect([name, reply.status < 500]).toEqual([name, true])
    expect([name, LEAKS.exec(reply.text)?.[0]]).toEqual([name, undefined])
    expect([name, reply.body.code]).toEqual([name, reply.status])
    expect([name, Object.keys(reply.body)]).toEqual([name, ['code', 'message', 'data', 'meta']])
  }
  const asAdmin = (app: 'admin' | 'shop') => ({ token: blog.tokens[app].admin })

  it('never replies 500 to a query', async () => {
    for (
      const key of [
        'search',
        'page',
        'limit',
        'sort',
        'category',
        'status',
        'ids',
        'ids[]',
        'search[$ne]',
        'search[]',
        '__proto__',
        'cursor',
      ]
    ) {
      for (const text of TEXTS) {
        const query = `${encodeURIComponent(key)}=${encodeURIComponent(text)}`
        sane(`posts?${query}`, await blog.get(`/admin/posts?${query}`, asAdmin('admin')))
        if (key === 'search' || key === 'page') {
          sane(
            `users?${query}`,
            await blog.get(`/admin/users?${query}`, asAdmin('admin')),
          )
        }
        if (key === 'limit') sane(`orders?${query}`, await blog.get(`/shop/orders?${query}`, asAdmin('shop')))
      }
    }
  })

  it('never replies 500 to a path', async () => {
    const before = await blog.rows()
    for (const text of TEXTS) {
      const id = encodeURIComponent(text)
      for (
        const [app, path] of [['admin', `/admin/users/${id}`], ['admin', `/admin/posts/${id}`], [
          'shop',
          `/shop/orders/${id}`,
        ]] as const
      ) {
        sane(path, await blog.get(path, asAdmin(app)))
        if (text !== '' && app === 'admin') sane(`DELETE ${path}`, await blog.send('DELETE', path, asAdmin(app)))
      }
    }
    for (const path of ['/admin/users/%', '/admin/users/%zz', '/admin/%ff/x']) {
      expect((await blog.get(path, asAdmin('admin'))).status)
        .toBe(400)
    }
    expect(await blog.rows()).toEqual(before)
  })

  it('never replies 500 to a body, and stores no refused string', async () => {
    const values: unknown[] = [
      ...TEXTS,
      '\ud800',
      0,
      -1,
      1.5,
      1e308,
      true,
      false,
      null,
      [],
      {},
      [[]],
      { a: 1 },
      ['x'],
      Number.MAX_SAFE_INTEGER,
    ]
    for (
      const [app, path, fields] of [
        ['admin', '/admin/users', { name: 'Nasty', email: 'nasty@example.test', status: 1, age: 20 }],
        ['admin', '/admin/posts', { title: 'Nasty', content: '', category: 'x', status: 1 }],
        ['shop', '/shop/orders', { items: [{ name: 'x', quantity: 1, price: 1 }] }],
      ] as const
    ) {
      for (const field of Object.keys(fields)) {
        for (const value of values) {
          const body = field === 'email' || !('email' in fields)
            ? { ...fields, [field]: value }
            : { ...fields, email: 'taken@example.test', [field]: value }
          sane(`${path} ${field} ${JSON.stringify(value)}`, await blog.post(path, body, asAdmin(app)))
        }
      }
    }
  })

  it('never replies 500 to a login', async () => {
    for (const value of ['\0', "' or ''='", {}, [], null, 5, 'x'.repeat(50_000)]) {
      sane('login email', await blog.post('/admin/login', { email: value, password: 'x' }))
      sane('login password', await blog.post('/shop/login', { email: 'nobody@example.test', password: value }))
    }
  })

  it.each([
    ['broken JSON', '{"title":', 'application/json', 400, 'unreadable'],
    ['JSON other than an object', '"text"', 'application/json', 400, 'unreadable'],
    ['JSON that is deep', `{"title":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'application/json', 400, 'unreadable'],
    ['an unsupported type', 'title=x', 'text/plain', 415, 'media_type'],
    ['an unsupported charset', '{}', 'application/json; charset=klingon', 415, 'media_type'],
    [
      'a body that is too large',
      JSON.stringify({ title: 'x', content: 'y'.repeat(120_000) }),
      'application/json',
      413,
      'too_large',
    ],
  ])('refuses %s', async (_, body, type, status, reason) => {
    const before = await blog.rows()
    for (const path of ['/admin/users', '/admin/posts', '/admin/login']) {
      const reply = await blog.post(path, body, { ...asAdmin('admin'), headers: { 'content-type': type } })
      expect([path, reply.status, reply.body.meta.reason]).toEqual([path, status, reason])
      sane(path, reply)
    }
    expect(await blog.rows()).toEqual(before)
  })

  it('accepts a form like JSON', async () => {
    const reply = await blog.post('/admin/posts', 'title=A+form&status=3', {
      ...asAdmin('admin'),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(reply.status).toBe(201)
    expect(reply.body.data).toMatchObject({ title: 'A form', status: 3 })
  })

  it('refuses a caller without permission before it reads the body', async () => {
    const huge = { ...asAdmin('shop'), headers: { 'content-type': 'text/plain' } }
    expect((await blog.post('/admin/posts', '{"broken', huge)).status).toBe(401)
    expect((await blog.post('/admin/posts', '{"broken', { ...huge, token: blog.tokens.admin.user })).status).toBe(403)
  })

  it('ignores __proto__ in a body', async () => {
    const reply = await blog.post(
      '/admin/posts',
      '{"title":"x","__proto__":{"authorId":3},"constructor":{"prototype":{"polluted":1}}}',
      { ...asAdmin('admin'), headers: { 'content-type': 'application/json' } },
    )
    expect(reply.status).toBe(201)
    expect(reply.body.data).toMatchObject({ authorId: 1 })
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it('refuses two Authorization headers', async () => {
    const line = `Authorization: Bearer ${blog.tokens.admin.admin}\r\n`
    const text = await raw(blog.url, `GET /admin/users HTTP/1.1\r\nHost: x\r\n${line}${line}Connection: close\r\n\r\n`)
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
  })

  it('does not show the cause of a failure', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    vi.spyOn(blog.db, 'selectFrom').mockImplementation(() => {
      throw new Error('relation "users" does not exist at /samples/blog/admin/users.ts:12')
    })
    const reply = await blog.get('/admin/users', asAdmin('admin'))
    expect(reply.body).toEqual({ code: 500, message: 'Something went wrong', data: null, meta: { reason: 'internal' } })
    expect(logged).toHaveBeenCalledOnce()
    vi.restoreAllMocks()
  })
})

import express from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore } from 'resourcery/crud'
import { errorHandler } from 'resourcery'
import { openapi } from 'resourcery/openapi'
import { mountResource } from 'resourcery'
import { serving } from '../support/http.js'

interface Post {
  id: number
  title: string
  authorId: number
}

const Author = z.object({ id: z.int(), name: z.string() })
const PostOut = z.object({
  id: z.int(),
  title: z.string(),
  author: Author.nullable().optional(),
  words: z.int().optional(),
})
const NAMES = ['Ann', 'Ben', 'Cid']
const byKey = <V>(rows: readonly Post[], of: (row: Post) => V): Map<number, V> =>
  new Map(rows.map((row) => [row.id, of(row)]))

async function blog(options: object = {}, author?: (rows: readonly Post[]) => unknown) {
  const calls: string[] = []
  const logged: unknown[] = []
  const rows = Array.from({ length: 5 }, (_, at) => ({ id: at + 1, title: `t${at}`, authorId: at % 3 }))
  const app = express()
  mountResource(app, {
    route: '/posts',
    name: 'posts',
    ...crud(memoryStore<Post>({ key: 'id', rows }), {
      input: z.object({ title: z.string(), authorId: z.int() }),
      output: PostOut,
      include: {
        author: (found, { db }) => {
          calls.push(`author of ${found.length}, ${typeof db}`)
          if (author !== undefined) return author(found) as Map<number, null>
          return byKey(found, ({ authorId }) => ({ id: authorId, name: NAMES[authorId] ?? '' }))
        },
        words: (found) => Promise.resolve(byKey(found.filter(({ id }) => id > 1), ({ title }) => title.length)),
      },
      ...options,
    }),
  })
  app.use(errorHandler({ log: (error) => logged.push(error) }))
  return { app, client: await serving(app), calls, logged }
}

describe('`include`', () => {
  it('adds a relation to all records of a page with one call, and only where it is asked for', async () => {
    const { client, calls } = await blog()
    expect((await client.get('/posts?limit=2')).body.data).toEqual([{ id: 1, title: 't0' }, { id: 2, title: 't1' }])
    expect((await client.get('/posts?limit=2&include=author')).body.data).toEqual([
      { id: 1, title: 't0', author: { id: 0, name: 'Ann' } },
      { id: 2, title: 't1', author: { id: 1, name: 'Ben' } },
    ])
    expect((await client.get('/posts?cursor=&limit=1&include=author')).body.data).toHaveLength(1)
    expect(calls).toEqual(['author of 2, undefined', 'author of 1, undefined'])
  })

  it.each([
    ['the properties of an object', (id: number) => String(id)],
    ['a driver that returns bigint', BigInt],
  ])('finds values by keys of another type: %s', async (_where, toKey) => {
    const { client } = await blog({}, (rows) => new Map(rows.map(({ id }) => [toKey(id), null])))
    expect((await client.get('/posts/3?include=author')).body.data).toEqual({ id: 3, title: 't2', author: null })
  })

  it('adds several relations, and leaves out a field that has no value', async () => {
    const { client } = await blog()
    expect((await client.get('/posts?limit=2&include=author,words,author')).body.data).toEqual([
      { id: 1, title: 't0', author: { id: 0, name: 'Ann' } },
      { id: 2, title: 't1', author: { id: 1, name: 'Ben' }, words: 2 },
    ])
  })

  it('adds a relation to a single record, whose ETag stays the one of the record', async () => {
    const { client } = await blog({ ifMatch: 'required' })
    const plain = await client.get('/posts/2')
    const whole = await client.get('/posts/2?include=author')
    expect(plain.body.data).toEqual({ id: 2, title: 't1' })
    expect(whole.body.data).toEqual({ id: 2, title: 't1', author: { id: 1, name: 'Ben' } })
    expect(whole.headers.get('etag')).toBe(plain.headers.get('etag'))
    const headers = { 'if-match': whole.headers.get('etag') ?? '' }
    expect((await client.send('PATCH', '/posts/2', { body: { title: 'new' }, headers })).status).toBe(200)
  })

  it('asks for nothing where the page is empty, and where no name is given', async () => {
    const { client, calls } = await blog()
    expect((await client.get('/posts/1?include=')).body.data).toEqual({ id: 1, title: 't0' })
    expect((await client.get('/posts?page=9&include=author')).body.data).toEqual([])
    expect(calls).toEqual([])
  })

  it.each(['comments', 'author,comments', 'Author'])('refuses %j', async (names) => {
    const { client, calls } = await blog()
    for (const path of ['/posts', '/posts/1']) {
      const { status, body } = await client.get(`${path}?include=${names}`)
      expect([status, Object.keys(body.data as object).every((field) => field.startsWith('include'))]).toEqual([
        422,
        true,
      ])
    }
    expect(calls).toEqual([])
  })

  it('refuses a field that the caller may not read like one that is not declared', async () => {
    const { client, calls } = await blog({ fields: { author: { read: () => false } } })
    for (const path of ['/posts', '/posts/1']) {
      expect((await client.get(`${path}?include=author`)).body).toMatchObject({
        code: 422,
        data: { include: ['Cannot include this field'] },
      })
      expect((await client.get(`${path}?include=words`)).status).toBe(200)
    }
    expect(calls).toEqual([])
  })

  it('applies the scope before anything is read', async () => {
    const { client, calls } = await blog({ scope: () => [['id', '=', 1]] })
    expect((await client.get('/posts/2?include=author')).status).toBe(404)
    expect((await client.get('/posts?include=author')).body.data).toHaveLength(1)
    expect(calls).toEqual(['author of 1, undefined'])
  })

  it('works with `transformMany` and under another name of the parameter', async () => {
    const { client } = await blog({
      paramNames: { include: 'with' },
      transformMany: (rows: readonly Post[]) => rows.map(({ id, title }) => ({ id, title: title.toUpperCase() })),
    })
    expect((await client.get('/posts/1?with=author')).body.data).toMatchObject({ title: 'T0', author: { name: 'Ann' } })
    expect((await client.get('/posts?with=author&limit=1')).body.data).toMatchObject([{ author: { name: 'Ann' } }])
    expect((await client.get('/posts?include=author')).status).toBe(422)
  })

  it('replies 500 and logs why, for a function that returns no Map and for a value that does not fit', async () => {
    const none = await blog({}, () => [])
    expect((await none.client.get('/posts?include=author')).status).toBe(500)
    expect(String(none.logged[0])).toContain('`include.author` of posts.list did not return a Map.')
    const wrong = await blog({}, (rows) => byKey(rows, () => ({ id: 'x' })))
    expect((await wrong.client.get('/posts?include=author')).status).toBe(500)
    expect(String(wrong.logged[0])).toContain('posts.list')
  })

  it('is documented for the list and the record', async () => {
    const { app } = await blog()
    const { paths } = openapi(app, { title: 'Blog', version: '1' })
    for (const path of ['/posts', '/posts/{id}']) {
      expect(paths[path]?.get?.parameters).toContainEqual(expect.objectContaining({
        name: 'include',
        in: 'query',
        style: 'form',
        explode: false,
        schema: expect.objectContaining({
          type: 'array',
          items: { type: 'string', enum: ['author', 'words'] },
        }) as object,
      }))
    }
  })

  it.each([
    ['a field that `output` does not have', { comments: () => new Map() }, 'is no field of `output`'],
    ['a field that is required', { title: () => new Map() }, 'is not optional'],
    ['a value that is no function', { author: true }, 'is no function'],
  ])('refuses %s when crud is called', async (_title, include, message) => {
    await expect(blog({ include })).rejects.toMatchObject({
      code: 'crud_include',
      message: expect.stringContaining(message) as string,
    })
  })
})

import express from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore } from 'resourcery/crud'
import { errorHandler } from 'resourcery'
import { mountResource } from 'resourcery'
import { serving } from '../support/http.js'

interface Post {
  id: number
  title: string
  authorId: number
}

const PostOut = z.object({ id: z.int(), title: z.string(), author: z.string() })
const NAMES = ['Ann', 'Ben', 'Cid']

/** Posts with the names of their authors; `calls` lists how many rows each call converted. */
async function blog(change: (shown: z.input<typeof PostOut>[]) => unknown = (shown) => shown, options: object = {}) {
  const calls: number[] = []
  const logged: unknown[] = []
  const posts = memoryStore<Post>({
    key: 'id',
    rows: Array.from({ length: 5 }, (_, at) => ({ id: at + 1, title: `t${at}`, authorId: at % 3 })),
  })
  const app = express()
  mountResource(app, {
    route: '/posts',
    name: 'posts',
    ...crud(posts, {
      input: z.object({ title: z.string(), authorId: z.int() }),
      output: PostOut,
      transformMany: (rows) => {
        calls.push(rows.length)
        return change(rows.map(({ id, title, authorId }) => ({ id, title, author: NAMES[authorId] ?? '' }))) as z.input<
          typeof PostOut
        >[]
      },
      ...options,
    }),
  })
  app.use(errorHandler({ log: (error) => logged.push(error) }))
  return { client: await serving(app), calls, logged, posts }
}

describe('`transformMany`', () => {
  it('converts all rows of a page in one call', async () => {
    const { client, calls } = await blog()
    expect((await client.get('/posts?limit=3&sort=-id')).body.data).toEqual([{ id: 5, title: 't4', author: 'Ben' }, {
      id: 4,
      title: 't3',
      author: 'Ann',
    }, { id: 3, title: 't2', author: 'Cid' }])
    expect((await client.get('/posts?limit=3&cursor=')).body.data).toHaveLength(3)
    expect((await client.get('/posts?page=9')).body.data).toEqual([])
    expect(calls).toEqual([3, 3])
  })

  it('converts a single row in a list of one', async () => {
    const { client, calls } = await blog()
    expect((await client.get('/posts/2')).body.data).toEqual({ id: 2, title: 't1', author: 'Ben' })
    expect((await client.post('/posts', { title: 'new', authorId: 2 })).body.data).toMatchObject({ author: 'Cid' })
    expect((await client.send('PATCH', '/posts/1', { body: { title: 'changed' } })).body.data).toMatchObject({
      title: 'changed',
      author: 'Ann',
    })
    expect(calls).toEqual([1, 1, 1])
  })

  it.each([
    [
      'fewer outputs than rows',
      (shown: object[]) => shown.slice(1),
      '`transformMany` of posts.list returned 4 outputs for 5 rows.',
    ],
    [
      'more outputs than rows',
      (shown: object[]) => [...shown, ...shown],
      '`transformMany` of posts.list returned 10 outputs for 5 rows.',
    ],
    [
      'outputs in another order',
      (shown: object[]) => shown.toReversed(),
      '`transformMany` of posts.list returned the outputs in another order than the rows.',
    ],
    ['null', () => null, '`transformMany` of posts.list did not return a list.'],
  ])('replies 500 and logs the reason if it returns %s', async (_name, change, message) => {
    const { client, logged } = await blog(change)
    expect((await client.get('/posts')).status).toBe(500)
    expect(logged).toEqual([expect.objectContaining({ message })])
  })

  it.each([['undefined'], ['null'], ['a list']])('replies 500 if an output is %s', async (kind) => {
    const output = { 'undefined': undefined, 'null': null, 'a list': [] }[kind] as never
    const { client, logged } = await blog((shown) => shown.map(() => output))
    const alone = await blog(undefined, { transformMany: undefined, transform: () => output })
    for (const path of ['/posts', '/posts/2']) {
      expect((await client.get(path)).status).toBe(500)
      expect((await alone.client.get(path)).status).toBe(500)
      const returned = `must return an object for each row, but it returned ${kind}.`
      expect(logged.pop()).toMatchObject({ message: expect.stringContaining(returned) as string })
      expect(alone.logged.pop()).toMatchObject({ message: expect.stringContaining(returned) as string })
    }
  })

  it('undoes a write if it fails', async () => {
    const { client, posts } = await blog(() => [])
    expect((await client.post('/posts', { title: 'new', authorId: 2 })).status).toBe(500)
    expect(await posts.find([6])).toEqual([])
  })

  it('may return outputs with other keys than the rows', async () => {
    const { client } = await blog((shown) => shown.map((one) => ({ ...one, id: one.id + 100 })))
    expect((await client.get('/posts?limit=2')).body.data).toMatchObject([{ id: 101 }, { id: 102 }])
  })

  it('is refused together with `transform`', async () => {
    await expect(blog(undefined, { transform: (row: Post) => row })).rejects.toMatchObject({ code: 'crud_transform' })
  })
})

import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore } from 'resourcery/crud'
import { BusinessError } from 'resourcery'
import { mountResource } from '../../lib/core/resource/mount-resource.js'
import { servingRoutes, type Asking } from './serving.js'

const scope = (req: Request) => [['tenantId', '=', Number(req.headers['x-tenant'] ?? 1)] as const]
const Post = z.object({ id: z.int(), title: z.string() })
const Tag = z.object({ id: z.int(), name: z.string() })
const MISSING = ['There is no such record']

/** Post 1 of tenant 1 has the tags 1 and 2; tag 3 is of tenant 2, 4 is soft-deleted, 5 is refused by its check. */
async function serve(options: object = {}) {
  const tags = memoryStore({
    key: 'id',
    rows: [1, 2, 3, 4, 5, 6].map((id) => (
      { id, tenantId: id === 3 ? 2 : 1, name: `tag ${id}`, deletedAt: id === 4 ? new Date(0) : null }
    )),
  })
  const through = memoryStore({
    key: 'id',
    unique: [['postId', 'tagId']],
    rows: [{ id: 1, postId: 1, tagId: 1 }, { id: 2, postId: 1, tagId: 2 }],
  })
  const posts = memoryStore({ key: 'id', rows: [{ id: 1, tenantId: 1, title: 'one', version: 1 }] })
  const ofTags = crud(tags, {
    input: Tag.pick({ name: true }),
    output: Tag,
    scope,
    softDelete: { field: 'deletedAt' },
    check: ({ id }) => {
      if (id === 5) throw new BusinessError('Closed', 409)
    },
  })
  const ofPosts = crud(posts, {
    input: Post.pick({ title: true }),
    output: Post,
    scope,
    bulk: true,
    ifMatch: 'optional',
    version: 'version',
    links: { tagIds: { of: ofTags, through, own: 'postId', other: 'tagId', ...options } },
  })
  const client = await servingRoutes((app) => {
    mountResource(app, { route: '/tags', name: 'tags', ...ofTags })
    mountResource(app, { route: '/posts', name: 'posts', ...ofPosts })
  })
  const patch: Asking['post'] = (path, body) => client.send('PATCH', path, { body })
  const stored = async () =>
    (await through.list({ where: [], order: ['id'] }).slice(0, 100))
      .map(({ postId, tagId }) => [postId, tagId])
  return { ...client, patch, stored, posts }
}

describe('links of crud', () => {
  it('are at fault as values of the list, whatever columns a constraint of the links names', async () => {
    const rows = [{ id: 1, postId: 1, tagId: 6, tenantId: 2 }]
    const links = memoryStore({ key: 'id', unique: [['postId', 'tagId']], defaults: { tenantId: 1 }, rows })
    const through = crud(links, {
      input: z.object({ postId: z.int(), tagId: z.int().max(5) }),
      output: z.object({ id: z.int(), postId: z.int(), tagId: z.int() }),
      scope,
    })
    const { patch, stored } = await serve({ through })
    expect((await patch('/posts/1', { title: 'x', tagIds: [2, 6] })).body).toEqual({
      code: 409,
      message: 'tagIds.1: Already taken',
      data: { 'tagIds.1': ['Already taken'] },
      meta: { reason: 'conflict' },
    })
    expect(await stored()).toEqual([[1, 1], [1, 2]])
  })

  it('are created with their record, shown by every reply, and replaced by a list', async () => {
    const { get, post, patch, send, stored } = await serve()
    const created = await post('/posts', { title: 'new', tagIds: [2, '6', 2] })
    expect([created.status, created.body.data]).toEqual([201, { id: 2, title: 'new', tagIds: [2, 6] }])
    expect((await get('/posts')).body.data).toMatchObject([{ tagIds: [1, 2] }, { tagIds: [2, 6] }])
    expect((await patch('/posts/1', { tagIds: [6, 2] })).body.data).toMatchObject({ tagIds: [2, 6] })
    expect((await patch('/posts/1', { title: 'x' })).body.data).toMatchObject({ tagIds: [2, 6] })
    expect((await send('PUT', '/posts/1', { body: { title: 'x' } })).body.data).toMatchObject({ tagIds: [] })
    expect(await stored()).toEqual([[2, 2], [2, 6]])
  })

  it.each([3, 4, 5, 99])('refuse the id %i, which names no record that exists for the caller', async (id) => {
    const { post, patch, stored, posts } = await serve()
    const before = await stored()
    for (const reply of [await patch('/posts/1', { title: 'x', tagIds: [1, id] }),
      await post('/posts', { title: 'x', tagIds: [1, id] })])
    {
      expect([reply.status, reply.body.data]).toEqual([422, { 'tagIds.1': MISSING }])
    }
    const bulk = await post('/posts/bulk', { items: [{ title: 'x' }, { title: 'y', tagIds: [id] }] })
    expect(bulk.body.data).toEqual({ 'items.1.tagIds.0': MISSING })
    expect(await stored()).toEqual(before)
    expect(await posts.list({ where: [], order: ['id'] }).slice(0, 9)).toMatchObject([{ title: 'one', version: 1 }])
  })

  it('keep an id that was linked before, whatever became of its record', async () => {
    const { patch, send } = await serve()
    expect((await send('DELETE', '/tags/2')).status).toBe(200)
    expect((await patch('/posts/1', { tagIds: [2, 6] })).body.data).toMatchObject({ tagIds: [2, 6] })
    expect((await patch('/posts/1', { tagIds: [6] })).status).toBe(200)
    expect((await patch('/posts/1', { tagIds: [6, 2] })).body.data).toEqual({ 'tagIds.1': MISSING })
  })

  it('count an id that is sent twice once for `min`', async () => {
    const { post, patch, stored } = await serve({ min: 2 })
    const before = await stored()
    const data = { tagIds: ['Must have at least 2 items'] }
    expect((await patch('/posts/1', { tagIds: [2, '2'] })).body).toMatchObject({ code: 422, data })
    expect((await post('/posts', { title: 'new', tagIds: [2, 2] })).body).toMatchObject({ code: 422, data })
    expect(await stored()).toEqual(before)
    expect((await patch('/posts/1', { tagIds: [2, 2, 6] })).status).toBe(200)
  })

  it('have as many ids as `min` and `max` say', async () => {
    const { post, patch } = await serve({ min: 1, max: 2 })
    expect((await post('/posts', { title: 'x' })).body.data).toEqual({ tagIds: ['Required'] })
    expect((await patch('/posts/1', { tagIds: [1, 2, 6] })).body.data).toEqual({
      tagIds: ['Must have at most 2 items'],
    })
  })

  it('are read in time that grows with their number where a table has a key of two columns', async () => {
    const rows = Array.from({ length: 120_000 }, (_, index) => ({ postId: 1, tagId: index + 1 }))
    const through = Object.assign(memoryStore({ key: 'tagId', rows }), { deleteWhere: () => Promise.resolve(0) })
    const { get } = await serve({ through })
    expect((await get('/posts/1')).body).toMatchObject({ data: { tagIds: rows.map(({ tagId }) => tagId) } })
  })

  it('are deleted with their record', async () => {
    const { send, stored } = await serve()
    expect((await send('DELETE', '/posts/1')).status).toBe(200)
    expect(await stored()).toEqual([])
  })

  it.each<[object]>([
    [{ of: {} }],
    [{ through: {} }],
    [{ own: 'id' }],
    [{ other: 'id' }],
    [{ own: 'tagId' }],
    [{ min: 'x' }],
  ])('are refused with %j', async (options) => {
    await expect(serve(options)).rejects.toMatchObject({ code: 'crud_children' })
  })
})

import { Router } from 'express'
import { mountResource, mountRoutes, param } from 'resourcery'
import { createClient } from 'resourcery/client'
import { crud, filter, memoryStore } from 'resourcery/crud'
import { describe, it } from 'vitest'
import { z } from 'zod'

/* Thirty mistakes in calls of a client, each a type error, and the same calls without the mistake. */

interface Article {
  id: number
  title: string
  status: number
  size: number | null
  createdAt: Date
  deletedAt: Date | null
  parentId: number | null
}

const router = Router()
const store = memoryStore<Article>({ key: 'id' })
const output = z.object({ id: z.int(), title: z.string(), status: z.int(), createdAt: z.date() })
const input = z.object({ title: z.string(), status: param.int().default(1) })

export const tags = mountResource(router, {
  route: '/tags',
  name: 'tags',
  ...crud(memoryStore<{ id: string; label: string }>({ key: 'id' }), {
    id: z.uuid(),
    input: z.object({ label: z.string().default('new') }),
    output: z.object({ id: z.uuid(), label: z.string() }),
  }),
})

export const articles = mountResource(router, {
  route: '/articles',
  name: 'articles',
  ...crud(store, {
    input,
    output,
    changes: z.object({ title: z.string(), size: param.int() }),
    bulk: true,
    search: ['title'],
    sort: ['title'],
    cursor: false,
    filters: {
      status: { range: param.int() },
      title: { contains: true, ne: z.string() },
      createdAt: { isNull: true, range: param.date() },
      size: { oneOf: param.int() },
    },
    customFilters: {
      mine: filter(param.bool(), (mine) => [['status', '=', mine ? 1 : 0]]),
      kind: { value: z.enum(['news', 'essay']), where: () => [] },
    },
    softDelete: { field: 'deletedAt' },
    tree: { parent: 'parentId', onDelete: 'restrict' },
  }),
})

export const notes = mountResource(router, {
  route: '/articles/:articleId/notes',
  name: 'notes',
  ...crud(memoryStore<Article & { articleId: number }>({ key: 'id' }), {
    input,
    output: output.extend({ author: z.string().optional() }),
    parent: { arg: 'articleId', column: 'articleId' },
    include: { author: () => new Map() },
  }),
})

export const media = mountRoutes(router, {
  route: '/media',
  routes: {
    portrait: { route: '/portrait', methods: ['POST'], files: { portrait: { required: true } }, handler: () => 1 },
    gallery: {
      route: '/gallery',
      methods: ['POST'],
      files: { photos: { required: true, maxCount: 9 }, cover: {} },
      input: z.object({ title: z.string() }),
      handler: () => 1,
    },
  },
})

interface Api {
  tags: typeof tags
  articles: typeof articles
  notes: typeof notes
  media: typeof media
}

declare const options: Parameters<typeof createClient>[0]
const api = createClient<Api>(options)
const file = new Blob([])

describe('calls of a client', () => {
  it('compile with what the server takes', () => {
    void api.tags.create()
    void api.tags.deleteMany({ ids: ['5f0e7b0e-0000-4000-8000-000000000000'] })
    void api.articles.store({ id: 1, size: 3 })
    void api.articles.updateMany({ ids: [1], data: { size: 3 } })
    void api.articles.list({ mine: true, kind: 'news', deleted: 'only', tree: true, search: 'a', sort: '-title,id' })
    void api.articles.list({ status_gte: 1, size: [1, 2], title: 'a', title_ne: 'b', createdAt_isNull: false })
    void api.articles.list({ size: 1, createdAt_lte: new Date(), createdAt_gte: '2026-11-24', page: 2, ids: [1] })
    void api.articles.restore({ id: 1 })
    void api.notes.list({ articleId: 1, include: ['author'], cursor: '' })
    void api.notes.show({ articleId: 1, id: 2, include: 'author' })
    void api.notes.deleteMany({ articleId: 1, ids: [2] })
    void api.media.portrait({ portrait: file })
    void api.media.gallery({ title: 'A', photos: [file], cover: file })
  })

  it('do not compile with a mistake in the query of a list', () => {
    // @ts-expect-error no soft deletion
    void api.tags.list({ deleted: 'only' })
    // @ts-expect-error no tree
    void api.tags.list({ tree: true })
    // @ts-expect-error no search
    void api.tags.list({ search: 'a' })
    // @ts-expect-error no filter
    void api.tags.list({ label: 'a' })
    // @ts-expect-error no pages by cursor
    void api.articles.list({ cursor: '' })
    // @ts-expect-error bounds alone
    void api.articles.list({ status: 1 })
    // @ts-expect-error no such kind of filter
    void api.articles.list({ status_ne: 1 })
    // @ts-expect-error no bounds
    void api.articles.list({ title_gte: 'a' })
    // @ts-expect-error never asked for null
    void api.articles.list({ size_isNull: true })
    // @ts-expect-error yes or no is true or false
    void api.articles.list({ mine: 'yes' })
    // @ts-expect-error no such value
    void api.articles.list({ kind: 'poem' })
    // @ts-expect-error no such value
    void api.articles.list({ deleted: 'all' })
    // @ts-expect-error not sortable
    void api.articles.list({ sort: 'size' })
    // @ts-expect-error a number
    void api.articles.list({ limit: 'many' })
    // @ts-expect-error the includes of a child
    void api.articles.list({ include: ['author'] })
    // @ts-expect-error no such relation of a child
    void api.notes.list({ articleId: 1, include: ['words'] })
    // @ts-expect-error the parent is missing
    void api.notes.list()
  })

  it('do not compile with a mistake in a body or an id', () => {
    // @ts-expect-error a change has fields of its own
    void api.articles.store({ id: 1, status: 3 })
    // @ts-expect-error a change has fields of its own, in bulk too
    void api.articles.updateMany({ ids: [1], data: { status: 3 } })
    // @ts-expect-error a creation does not have them
    void api.articles.create({ title: 'A', size: 3 })
    // @ts-expect-error a title is a string
    void api.articles.create({ title: { text: 'A' } })
    // @ts-expect-error a title is required
    void api.articles.createMany({ items: [{ status: 1 }] })
    // @ts-expect-error an id is a string here
    void api.tags.show({ id: 5 })
    // @ts-expect-error ids are strings here
    void api.tags.deleteMany({ ids: [5] })
    // @ts-expect-error an id is one
    void api.articles.delete({ id: [1] })
    // @ts-expect-error nothing to restore
    expectNothing(api.tags.restore)
    // @ts-expect-error the ids are missing
    void api.notes.deleteMany({ articleId: 1 })
    // @ts-expect-error the parent is missing
    void api.notes.create({ title: 'A' })
  })

  it('do not compile with a mistake in files and options', () => {
    // @ts-expect-error a file is required
    void api.media.portrait()
    // @ts-expect-error one file, not a list
    void api.media.portrait({ portrait: [file] })
    // @ts-expect-error one file, not a list
    void api.media.gallery({ title: 'A', photos: [file], cover: [file] })
    // @ts-expect-error a file, not its name
    void api.media.gallery({ title: 'A', photos: 'a.png' })
    // @ts-expect-error an ETag is a string
    void api.articles.store({ id: 1, size: 3 }, { ifMatch: 7 })
  })
})

declare function expectNothing(value: unknown): void

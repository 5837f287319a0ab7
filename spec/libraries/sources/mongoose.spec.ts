import mongoose, { Schema } from 'mongoose'
import { beforeEach, describe, expect, it } from 'vitest'
import { ValidationError } from 'resourcery'
import { paginate } from 'resourcery'
import { encodeCursor } from '../../../lib/core/paging/cursor.js'
import { fromMongoose } from 'resourcery/mongoose'
import type { CursorPage, PageSource } from 'resourcery'
import { pageOf } from './suite.js'

type Document = Record<string, unknown>

const Post = mongoose.model('Post', new Schema({
  title: { type: String, required: true },
  score: Number,
  author: { name: { type: String, required: true } },
  createdAt: { type: Date, required: true },
}))

/*
 * MongoDB is not an npm package: mongoose itself runs, down to the calls of the driver's collection, and a
 * collection in memory implements them according to MongoDB's manual.
 */
describe('fromMongoose on mongoose 9 and a collection in memory', () => {
  let stored: Document[]
  let asked: { name: string; filter: unknown; options: Document }[]

  beforeEach(() => {
    asked = []
    stored = Array.from({ length: 23 }, (_, index) => ({
      _id: new mongoose.Types.ObjectId(index.toString(16).padStart(24, '0')),
      title: `Post ${index % 7}`,
      score: index % 2 === 0 ? null : index,
      author: { name: ['Ada', 'Bob'][index % 2] },
      createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, 0, index % 5)),
    }))
    Object.assign(Post.collection, {
      find(filter: Document, options: Document) {
        asked.push({ name: 'find', filter, options })
        const rows = stored.filter((document) => matches(document, filter)).sort(comparing(options.sort))
        const { skip = 0, limit = Infinity } = options as { skip?: number; limit?: number }
        return { toArray: async () => structuredRows(rows.slice(skip, skip + limit)) }
      },
      async countDocuments(filter: Document, options: Document) {
        asked.push({ name: 'countDocuments', filter, options })
        return stored.filter((document) => matches(document, filter)).length
      },
    })
  })

  const byId = () => fromMongoose(Post.find().sort({ _id: 1 }))

  it('returns the same counted list in pages of any size', async () => {
    for (const limit of [1, 5, 23, 24]) {
      const seen: string[] = []
      for (let page = 1; page <= Math.ceil(23 / limit); page++) {
        const { items, total } = await paginate(byId(), { page, limit })
        expect(total).toBe(23)
        seen.push(...items.map(({ id }) => id))
      }
      expect(seen).toEqual(stored.map(({ _id }) => String(_id)))
    }
    expect(await paginate(byId(), { page: 9, limit: 10 })).toEqual({ items: [], page: 9, limit: 10, total: 23 })
  })

  it('counts the same filter with its collation, without sorting', async () => {
    const filtered = Post.find({ 'author.name': 'Ada' }).select('title').collation({ locale: 'de' }).sort('title')
      .lean()
    expect(await pageOf(fromMongoose(filtered))).toEqual([2, 12])
    const [find, count] = asked
    expect(find).toMatchObject({ name: 'find', options: { sort: { title: 1 }, skip: 0, limit: 2 } })
    expect(count).toMatchObject({
      name: 'countDocuments',
      filter: { 'author.name': 'Ada' },
      options: { collation: { locale: 'de' } },
    })
    for (const option of ['sort', 'skip', 'limit', 'projection']) expect(count?.options).not.toHaveProperty(option)
  })

  it.each<readonly [`${'' | '-'}${'_id' | 'title' | 'createdAt' | 'author.name'}`[]]>([
    [['_id']],
    [['-_id']],
    [['createdAt', '_id']],
    [['-createdAt', '_id']],
    [['-author.name', 'title', '-_id']],
  ])('pages by cursor in the order of %j, each document once', async (by) => {
    for (const limit of [1, 4, 23, 24]) {
      for (const source of [fromMongoose(Post.find(), { by }), fromMongoose(Post.find().lean(), { by })] as const) {
        const expected = [...stored].sort(comparing(Object.fromEntries(by.map((key) => (
          key.startsWith('-') ? [key.slice(1), -1] : [key, 1]
        ))))).map(({ _id }) => String(_id))
        expect(await walk(source, limit)).toEqual(expected)
      }
    }
  })

  it.each<readonly ['score' | '-score', '_id' | '-_id']>([['score', '_id'], ['-score', '-_id']])(
    'pages in the order of %s, %s with documents that lack the path last',
    async (...by) => {
      for (const [index, document] of stored.entries()) if (index % 4 === 0) delete document.score
      const sign = (key: string): number => (key.startsWith('-') ? -1 : 1)
      const score = (
        { score: value = null }: Document,
      ): number => (value === null ? Infinity : sign(by[0]) * Number(value))
      const expected = stored.toSorted((a, b) =>
        Number(score(a) > score(b)) - Number(score(a) < score(b)) || sign(by[1]) * compare(a._id, b._id)
      ).map(({ _id }) => String(_id))
      for (const limit of [1, 4, 11, 12, 23, 24]) {
        const source = fromMongoose(Post.find(), { by, nullable: ['score'] })
        expect(await walk(source, limit)).toEqual(expected)
        const pages: string[] = []
        for (let page = 1; page <= Math.ceil(23 / limit); page++) {
          pages.push(...(await paginate(source, { page, limit })).items.map(({ id }) => id as string))
        }
        expect(pages).toEqual(expected)
      }
    },
  )

  it('combines the cursor with the filter, and does not change the query', async () => {
    const query = Post.find({ $or: [{ title: 'Post 1' }, { title: 'Post 2' }] })
    const source = fromMongoose(query, { by: ['-createdAt', '_id'] })
    expect(await walk(source, 2)).toHaveLength(7)
    expect(query.getFilter()).toEqual({ $or: [{ title: 'Post 1' }, { title: 'Post 2' }] })
    expect(query.getOptions()).not.toHaveProperty('limit')
  })

  it.each([['x', 1], [true, true], ['2026-13-45', '0'.repeat(24)], [new Date(), 'no id'], [new Date(), null], [
    new Date(),
  ]])(
    'refuses forged values: %s',
    async (...values) => {
      const cursor = encodeCursor(['-createdAt,_id', ...values])
      const source = fromMongoose(Post.find(), { by: ['-createdAt', '_id'] })
      await expect(paginate(source, { cursor, limit: 3 })).rejects.toThrow(ValidationError)
    },
  )

  it('passes on other failures', async () => {
    Object.assign(Post.collection, { find: () => {
      throw new Error('the server is gone')
    } })
    const source = fromMongoose(Post.find(), { by: ['_id'] })
    await expect(paginate(source, { cursor: encodeCursor(['_id', '0'.repeat(24)]), limit: 3 })).rejects.toThrow(
      'the server is gone',
    )
  })

  it.each<[code: string, fault: string, misuse: () => unknown]>([
    ['mongoose_query', 'another value is given', () => fromMongoose(Post as never)],
    ['mongoose_query', 'null or undefined is given', () => fromMongoose(null as never)],
    ['mongoose_query', 'the query is for one document', () => fromMongoose(Post.findOne() as never)],
    ['mongoose_query', 'an aggregation is given', () => fromMongoose(Post.aggregate() as never)],
    ['mongoose_query', 'the query has a limit', () => fromMongoose(Post.find().sort('_id').limit(5))],
    ['mongoose_query', 'the query has a skip', () => fromMongoose(Post.find().sort('_id').skip(5))],
    ['mongoose_order', 'there is no order', () => fromMongoose(Post.find())],
    ['mongoose_order', 'there is an empty order', () => fromMongoose(Post.find().sort({}), { by: [] })],
    ['mongoose_order', 'there are two orders', () => fromMongoose(Post.find().sort('title'), { by: ['_id'] })],
    ['mongoose_key', 'the schema has no such path', () => fromMongoose(Post.find(), { by: ['id'] })],
    ['mongoose_cursor', 'a cursor is asked without keys', () => paginate(byId(), { cursor: '', limit: 3 })],
    ['mongoose_key', 'a key is empty', () => (
      paginate(fromMongoose(Post.find(), { by: ['score' as '_id', '_id'] }), { cursor: '', limit: 3 })
    )],
  ])('throws %s if %s', async (code, _fault, misuse) => {
    await expect(Promise.resolve().then(misuse)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^\S+ .+\.$/) as string,
    })
  })
})

/** Evaluates a filter of `$and`, `$or`, `$lt`, `$gt` and equality on a document. */
function matches(document: Document, filter: Document): boolean {
  return Object.entries(filter).every(([name, wanted]) => {
    if (name === '$and') return (wanted as Document[]).every((part) => matches(document, part))
    if (name === '$or') return (wanted as Document[]).some((part) => matches(document, part))
    const value = at(document, name)
    if (wanted === null) return value === null || value === undefined
    const { $lt, $gt, $ne } = wanted as Document
    if ($ne === null) return value !== null && value !== undefined
    if ($lt !== undefined) return compare(value, $lt) < 0
    if ($gt !== undefined) return compare(value, $gt) > 0
    return compare(value, wanted) === 0
  })
}

function comparing(sort: unknown): (a: Document, b: Document) => number {
  const keys = Object.entries((sort ?? {}) as Record<string, number>)
  return (a, b) =>
    keys.map(([name, sign]) => sign * compare(at(a, name), at(b, name))).find((difference) => difference !== 0) ?? 0
}

function compare(a: unknown, b: unknown): number {
  const [left, right] = [comparable(a), comparable(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

function comparable(value: unknown): string | number {
  return value instanceof Date || typeof value === 'number' || value === null ? Number(value) : String(value)
}

function at(document: unknown, path: string): unknown {
  return path.split('.').reduce((inner, name) => (inner as Document)[name], document)
}

/** A driver returns new objects each time. */
function structuredRows(rows: readonly Document[]): Document[] {
  return rows.map((row) => ({ ...row, author: { ...row.author as Document } }))
}

async function walk(source: PageSource<{ _id: unknown }>, limit: number): Promise<string[]> {
  const seen: string[] = []
  let cursor: string | null = ''
  do {
    const page: CursorPage<{ _id: unknown }> = await paginate(source, { cursor, limit })
    seen.push(...page.items.map(({ _id }) => String(_id)))
    cursor = page.next
  } while (cursor !== null)
  return seen
}

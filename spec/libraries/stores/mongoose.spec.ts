import express from 'express'
import mongoose, { Schema, type Connection } from 'mongoose'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { crud } from 'resourcery/crud'
import { errorHandler } from 'resourcery'
import { paginate } from 'resourcery'
import { mountResource } from 'resourcery'
import { CheckViolation, NotNullViolation, UniqueViolation, raw, type Store } from 'resourcery/crud'
import { mongooseStore } from 'resourcery/mongoose'
import { storeCases, type SampleRow } from 'resourcery/testing'
import { sample } from '../../../lib/tools/testing/sample-row.js'
import { serving } from '../../support/http.js'
import { startMongod } from './mongod.js'
import { referenceCases } from './references.js'
import { listsAsMemory } from './suite.js'

/* mongoose and its driver are real; MongoDB itself is not: see mongod.ts. */

/** `required: true` refuses an empty string too. */
function notGiven(this: { name?: unknown }): boolean {
  return typeof this.name !== 'string'
}

type Sample = Omit<SampleRow, 'id'> & { _id: number }

describe('mongooseStore on a stand-in for MongoDB', () => {
  let mongod: Awaited<ReturnType<typeof startMongod>>
  let connection: Connection
  let samples: Store<SampleRow>
  let last = 0

  beforeAll(async () => {
    mongod = await startMongod()
    connection = await mongoose
      .createConnection(mongod.url, { serverApi: '1', serverSelectionTimeoutMS: 5000 })
      .asPromise()
    const Sample = connection.model(
      'Sample',
      new Schema<Sample>({
        _id: { type: Number, default: () => ++last },
        code: { type: String, required: true, unique: true },
        name: { type: String, required: notGiven },
        age: { type: Number, ref: 'Sample' },
        views: { type: Number, required: true },
        active: { type: Boolean, required: true },
        createdAt: { type: Date, required: true },
      }),
    )
    await Sample.init()
    samples = mongooseStore(Sample)
  })
  beforeEach(() => mongod.clear())
  afterAll(() => connection.close().then(mongod.stop))

  it('lists any rows in any order as memoryStore does, by number and by cursor', () =>
    listsAsMemory(() => ({ samples, clear: async () => mongod.clear() })))

  it.each(storeCases(async () => ({ store: samples })))('$name', ({ run }) => run())

  const blank = (index: number): object => sample({ code: `r${index}`, views: 1 })
  referenceCases('age', () => (
    { samples, referring: samples as never, blank, foreignKey: ['age', 'cards'] }
  ), false)
})

const USER = '507f1f77bcf86cd799439011'

describe('mongooseStore with ids of MongoDB', () => {
  let mongod: Awaited<ReturnType<typeof startMongod>>
  let connection: Connection
  const postSchema = new Schema({
    title: { type: String, required: true, lowercase: true, maxlength: 20 },
    slug: { type: String, unique: true, sparse: true },
    author: { type: Schema.Types.ObjectId, ref: 'User' },
    status: { type: String, enum: ['open', 'closed'], default: 'open' },
    dueOn: Date,
    tags: [String],
    place: { city: String, floor: { type: Number, required: true, default: 1 } },
    price: Schema.Types.Decimal128,
    big: BigInt,
    uid: Schema.Types.UUID,
    bytes: Buffer,
    counts: { type: Map, of: Number },
    any: Schema.Types.Mixed,
    secret: { type: String, select: false },
  }, { timestamps: true })
  const modelOf = () => connection.models.Post as unknown as ReturnType<typeof makeModel>
  const makeModel = () => connection.model('Post', postSchema)
  const store = () => mongooseStore(modelOf(), { columns: { dueOn: 'calendarDate' } })
  const titled = (title: string, fields: object = {}) => store().create({ title, slug: title, ...fields })

  beforeAll(async () => {
    mongod = await startMongod()
    connection = await mongoose
      .createConnection(mongod.url, { serverApi: '1', serverSelectionTimeoutMS: 5000 })
      .asPromise()
    await makeModel().init()
  })
  beforeEach(() => mongod.clear())
  afterAll(() => connection.close().then(mongod.stop))

  it('has strings for ids, days, decimals and uuids, null for what a document lacks, and keeps setters, defaults and timestamps', async () => {
    const uid = '3f2b8c1e-0000-4000-8000-000000000000'
    const fields = {
      author: USER,
      dueOn: '2026-12-01',
      tags: ['a'],
      price: '12.50',
      big: 2n ** 60n,
      uid,
      any: { $inc: { a: 1 } },
      counts: { a: 1 },
      place: { city: 'Rome', floor: 2 },
    }
    const row = await titled('Bridge', fields as object)
    expect(row).toMatchObject({ title: 'bridge', status: 'open', ...fields, bytes: null })
    expect(row.id).toMatch(/^[0-9a-f]{24}$/)
    expect(Object.keys(row)).not.toContain('secret')
    expect(Object.keys(row)).not.toContain('__v')
    expect(await store().find([row.id, row.id.toUpperCase(), 'x'])).toEqual([row])
    const changed = await store().update(row.id, {
      dueOn: null,
      title: 'TOWER',
      bytes: Buffer.from([1]) as never,
      place: { city: null, floor: 3 } as never,
    })
    expect(changed).toMatchObject({ title: 'tower', dueOn: null, author: USER, place: { city: null, floor: 3 } })
    expect(changed?.updatedAt.getTime()).toBeGreaterThan(row.updatedAt.getTime())
    expect(await store().delete([row.id, 'x'])).toBe(1)
    expect(await store().update(row.id, { title: 'x' })).toBeUndefined()
  })

  it('finds by each kind of path, and by cursors of them', async () => {
    const [one, two] = [
      await titled('one', { author: USER, dueOn: '2026-01-01', price: '1.5', big: 1n, createdAt: new Date(1000) }),
      await titled('two', { dueOn: '2026-01-02', price: '2', big: 2n, createdAt: new Date(2000), tags: ['x', 'y'] }),
    ]
    const found = async (...where: Parameters<ReturnType<typeof store>['find']>[1] & object) =>
      (await store().find([one.id, two.id], where)).map(({ title }) => title)
    expect(await found(['author', '=', USER])).toEqual(['one'])
    expect(await found(['author', '!=', USER])).toEqual(['two'])
    expect(await found(['author', '=', 'x'])).toEqual([])
    expect(await found(['author', '!=', 'x'])).toEqual([])
    expect(await found(['author', 'in', ['x', USER.toUpperCase()]])).toEqual(['one'])
    expect(await found(['author', '=', null])).toEqual(['two'])
    expect(await found(['dueOn', '<', '2026-01-02'])).toEqual(['one'])
    expect(await found(['big', '>', 1n])).toEqual(['two'])
    expect(await found(['createdAt', '<=', new Date(1000)])).toEqual(['one'])
    expect(await found(['title', 'contains', '(n'], ['title', 'startsWith', 'o'])).toEqual([])
    expect(await found(['dueOn', '!=', null], ['title', 'startsWith', 'T'])).toEqual(['two'])
    for (
      const wrong of [
        ['tags', '=', 'x'],
        ['author', '=', { $ne: null }],
        ['author', 'contains', '5'],
        ['title', '=', { $gt: '' }],
        ['title', 'in', [{ $gt: '' }]],
        ['createdAt', '=', 0],
        ['nothing', '=', 1],
      ]
    ) {
      await expect(found(wrong as never), String(wrong)).rejects.toMatchObject({
        code: expect.stringMatching(/^store_(condition|column)$/) as string,
      })
    }
    for (const order of ['author', '-author', 'dueOn', '-dueOn', 'big', 'createdAt', 'secret', 'title']) {
      const list = store().list({ where: [], order: [order, 'id'] })
      const { items: [first], next } = await paginate(list, { cursor: '', limit: 1 })
      const { items: [second] } = await paginate(list, { cursor: next, limit: 1 })
      expect([first?.title, second?.title].sort()).toEqual(['one', 'two'])
    }
    const list = store().list({ where: [], order: ['author', 'id'] })
    for (
      const forged of [['author,id', { $gt: '' }, one.id], ['author,id', 'x', one.id], ['author,id', USER, null], [
        'author,id',
        5,
        one.id,
      ], ['id', one.id]]
    ) {
      await expect(list.sliceAfter?.(forged, 1)).rejects.toMatchObject({ status: 422 })
    }
  })

  it('takes filters as raw conditions, whose values the schema converts', async () => {
    const [one, two] = [await titled('one', { author: USER, tags: ['a', 'b'] }), await titled('two', { tags: ['b'] })]
    const found = async (condition: unknown) =>
      (await store().find([one.id, two.id], [raw(condition)])).map(({ title }) => title)
    expect(await found({ author: USER })).toEqual(['one'])
    expect(await found({ tags: { $all: ['b', 'a'] } })).toEqual(['one'])
    expect(await found({ $or: [{ 'place.floor': '1' }, { title: 'x' }] })).toEqual(['one', 'two'])
    const list = store().list({
      where: [{ any: [[raw({ tags: 'a' })], [['title', '=', 'two']]] }],
      order: ['title', 'id'],
    })
    expect([(await list.slice(0, 9)).length, await list.count?.()]).toEqual([2, 2])
    await expect(found({ tgas: 'a' })).rejects.toThrow(/not in schema/)
    for (const wrong of [{}, null, 'tags', [], { author: undefined }, { $or: [{ tags: undefined }] }, () => true]) {
      await expect(found(wrong)).rejects.toMatchObject({ code: 'store_raw' })
    }
  })

  it('names the paths that the schema refuses, and those of a unique index', async () => {
    await titled('same')
    await expect(titled('same')).rejects.toMatchObject({
      constructor: UniqueViolation,
      columns: ['slug'],
      constraint: 'slug_1',
    })
    await expect(store().create({ slug: 'x' })).rejects.toMatchObject({
      constructor: NotNullViolation,
      columns: ['title'],
      fields: { _: ['Required'] },
    })
    await expect(titled('x', { status: 'other' })).rejects.toMatchObject({
      constructor: CheckViolation,
      fields: { status: ['Is not allowed'] },
    })
    await expect(titled('x'.repeat(21))).rejects.toMatchObject({ fields: { title: ['Is too long'] } })
    await expect(titled('x', { author: 'x', place: { floor: 'x' } })).rejects.toMatchObject({
      fields: { author: ['Cannot be read'], place: ['Cannot be read'] },
    })
    await expect(titled('x', { dueOn: '2026-02-30' })).rejects.toMatchObject({
      fields: { dueOn: ['Must be a date like 2026-11-21'] },
    })
    await expect(titled('x', { titel: 'x' })).rejects.toMatchObject({ code: 'store_column' })
    await expect(titled('x', { slug: { $ne: null } })).rejects.toMatchObject({ fields: { slug: ['Cannot be read'] } })
  })

  it('names its session, for other models, and locks what it has found', async () => {
    const Other = connection.model('Other', new Schema({ n: Number }))
    await Other.init()
    const { id } = await titled('one')
    expect(store().db).toBeNull()
    await expect(store().transaction(async (inside) => {
      await Other.create([{ n: 1 }], { session: inside.db })
      expect([await Other.countDocuments().session(inside.db), await Other.countDocuments()]).toEqual([1, 0])
      throw new Error('back')
    })).rejects.toThrow('back')
    expect(await Other.countDocuments()).toBe(0)
    const order: string[] = []
    const updates = (): number => mongod.commands.filter((name) => name === 'update').length
    const { second } = await store().transaction(async (inside) => {
      await inside.find([id])
      const before = updates()
      const changing = store().update(id, { title: 'two' }).then(() => order.push('second'))
      await vi.waitFor(() => expect(updates()).toBeGreaterThan(before))
      order.push('first')
      return { second: changing }
    })
    await second
    expect(order).toEqual(['first', 'second'])
  })

  it('serves a crud resource', async () => {
    const app = express()
    const Out = z.object({
      id: z.string(),
      title: z.string(),
      author: z.string().nullable(),
      dueOn: z.iso.date().nullable(),
    })
    mountResource(app, {
      route: '/posts',
      name: 'posts',
      ...crud(store(), {
        id: z.string(),
        input: Out.omit({ id: true }),
        output: Out,
        sort: ['dueOn'],
        search: ['title'],
        filters: { author: { eq: z.string() } },
        ifMatch: 'optional',
        bulk: true,
      }),
    })
    const { get, send } = await serving(app.use(errorHandler({ log: () => undefined })))
    const created = await Promise.all(
      ['a', 'b', 'c'].map((title) =>
        send('POST', '/posts', {
          body: { title, author: title === 'a' ? USER : null, dueOn: title === 'b' ? '2026-12-01' : null },
        })
      ),
    )
    expect(created.map(({ status }) => status)).toEqual([201, 201, 201])
    const [a, b, c] = created.map(({ body }) => body.data as { id: string })
    expect((await get('/posts?sort=dueOn&limit=1')).body).toMatchObject({
      data: [{ title: 'b', dueOn: '2026-12-01' }],
      meta: { total: 3 },
    })
    const { next } = (await get('/posts?sort=dueOn&limit=1&cursor=')).body.meta
    expect((await get(`/posts?sort=dueOn&limit=2&cursor=${String(next)}`)).body.data).toHaveLength(2)
    expect((await get(`/posts?author=${USER}`)).body.data).toMatchObject([{ id: a?.id }])
    expect((await get('/posts?search=B')).body.data).toMatchObject([{ id: b?.id }])
    const { headers } = await get(`/posts/${c?.id}`)
    const etag = String(headers.get('etag'))
    expect((await send('PATCH', `/posts/${c?.id}`, { body: { title: 'd' }, headers: { 'If-Match': etag } })).body.data)
      .toMatchObject({ title: 'd', dueOn: null })
    expect((await send('PATCH', `/posts/${c?.id}`, { body: { title: 'e' }, headers: { 'If-Match': etag } })).status)
      .toBe(412)
    expect((await send('PATCH', `/posts/${c?.id}`, { body: { author: { $ne: null } } })).status).toBe(422)
    expect((await get('/posts/none')).status).toBe(404)
    expect((await send('DELETE', `/posts?ids=${a?.id}&ids=none`)).status).toBe(404)
    expect((await send('DELETE', `/posts?ids=${a?.id}&ids=${b?.id}`)).status).toBe(200)
    expect((await get('/posts')).body.meta).toMatchObject({ total: 1 })
  })

  it('logs a 500 for what a hook or middleware of a schema violates in another collection', async () => {
    const Audit = connection.model('Audit', new Schema({ note: { type: String, required: true, unique: true } }))
    const noted = new Schema({ title: { type: String, required: true } })
    noted.pre('save', async function() {
      if (this.title.startsWith('pre ')) await Audit.create(this.title === 'pre null' ? {} as never : { note: 'same' })
    })
    const Noted = connection.model('Noted', noted)
    await Promise.all([Audit.init(), Noted.init()])
    await Audit.create({ note: 'same' })
    const logged: unknown[] = []
    const Out = z.object({ id: z.string(), title: z.string() })
    const app = express()
    mountResource(app, {
      route: '/noted',
      name: 'noted',
      ...crud(mongooseStore(Noted), {
        id: z.string(),
        input: Out.omit({ id: true }),
        output: Out,
        after: {
          create: async ({ title }, { store: { db } }) => {
            if (title === 'null') await Audit.create([{} as never], { session: db })
            if (title === 'same') await Audit.create([{ note: 'same' }], { session: db })
            if (title === 'store') await mongooseStore(Audit).on?.(db).create({ note: 'same' })
          },
        },
      }),
    })
    const { send } = await serving(app.use(errorHandler({ log: (error) => logged.push(error) })))
    for (const title of ['null', 'same', 'store', 'pre null', 'pre same']) {
      const { body } = await send('POST', '/noted', { body: { title } })
      expect([title, body]).toMatchObject([title, { code: 500, data: null }])
    }
    expect(logged).toHaveLength(5)
    expect(await Noted.countDocuments()).toBe(0)
    expect((await send('POST', '/noted', { body: { title: 'fine' } })).status).toBe(201)
  })

  it('begins a transaction anew whose connections are lost, reads again, and writes once', async () => {
    let attempts = 0
    const row = await store().transaction(async (inside) => {
      const created = await inside.create({ title: 'lost' })
      if (++attempts === 1) mongod.endConnections()
      return await inside.update(created.id, { title: 'found' }) ?? created
    })
    expect([attempts, row.title]).toEqual([2, 'found'])
    mongod.endConnections()
    expect(await store().list({ where: [], order: ['id'] }).slice(0, 9)).toEqual([row])
  })

  it('says how to start a server that has no transactions', async () => {
    const alone = await startMongod({ isReplicaSet: false })
    const other = await mongoose.createConnection(alone.url, { serverApi: '1' }).asPromise()
    const Post = other.model('Post', postSchema)
    await Post.init()
    await expect(mongooseStore(Post).transaction(async (inside) => inside.create({ title: 'x' }))).rejects
      .toMatchObject({ code: 'mongoose_transactions' })
    await other.close()
    await alone.stop()
  })

  it('is unavailable where no server answers', async () => {
    const gone = await startMongod()
    const other = await mongoose.createConnection(gone.url, { serverApi: '1', serverSelectionTimeoutMS: 50 })
      .asPromise()
    const Post = other.model('Post', postSchema)
    await Post.init()
    await gone.stop()
    await expect(mongooseStore(Post).create({ title: 'x' })).rejects.toMatchObject({ status: 503 })
    await other.close()
  })

  it.each<[code: string, fault: string, misuse: () => unknown]>([
    ['mongoose_model', 'it is given no model', () => mongooseStore({} as never)],
    [
      'mongoose_model',
      'queries have middleware',
      () => mongooseStore(mongoose.model('Hooked', new Schema({ a: Number }).pre('find', () => undefined))),
    ],
    [
      'mongoose_model',
      'a path is called id',
      () => mongooseStore(mongoose.model('Named', new Schema({ id: Number }, { id: false }))),
    ],
    [
      'mongoose_model',
      'the key is an object',
      () => mongooseStore(mongoose.model('Keyed', new Schema({ _id: { a: Number } }))),
    ],
    ['mongoose_option_unknown', 'an option does not exist', () => mongooseStore(modelOf(), { key: 'slug' } as never)],
    [
      'mongoose_columns',
      'a path does not exist',
      () => mongooseStore(modelOf(), { columns: { titel: 'calendarDate' } as never }),
    ],
    [
      'mongoose_columns',
      'a path holds no days',
      () => mongooseStore(modelOf(), { columns: { tags: 'calendarDate' } as never }),
    ],
  ])('says %s when %s', (code, _fault, misuse) => {
    expect(misuse).toThrow(expect.objectContaining({ code, message: expect.stringMatching(/\.$/) as string }))
  })
})

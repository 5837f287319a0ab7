import { describe, expect, it } from 'vitest'
import { ConflictError, UnavailableError } from 'resourcery'
import { CheckViolation, ColumnViolation, NotNullViolation, UniqueViolation, raw, type Store } from 'resourcery/crud'
import { mongooseStore } from 'resourcery/mongoose'

/* By the interface that we use: the real library is in spec/libraries. */

const ID = '507f1f77bcf86cd799439011'

interface Note {
  id: string
  title: string
  author: string | null
  dueOn: string | null
  doneOn: string | null
  at: Date
  size: bigint | null
  place: object | null
}

const PATHS: Readonly<Record<string, object>> = {
  '_id': { instance: 'ObjectId' },
  'title': { instance: 'String', isRequired: true },
  'author': { instance: 'ObjectId' },
  'dueOn': { instance: 'Date' },
  'doneOn': { instance: 'String' },
  'at': { instance: 'Date', isRequired: true },
  'size': { instance: 'BigInt' },
  'place.city': { instance: 'String' },
  'secret': { instance: 'String', options: { select: false } },
  '__v': { instance: 'Number' },
}

/** Casts an id as a schema does: to an object, or not at all. */
function castId(value: unknown): object {
  if (!/^[\da-f]{24}$/i.test(String(value))) throw new Error('Cast to ObjectId failed')
  return { _bsontype: 'ObjectId', toString: () => String(value).toLowerCase(), toJSON: () => `id ${String(value)}` }
}

const DOCUMENT = {
  _id: castId(ID),
  title: 'milk',
  dueOn: new Date('2026-12-01'),
  at: new Date(0),
  size: 5,
  secret: 'x',
  place: { bytes: { _bsontype: 'Binary', sub_type: 0, buffer: new Uint8Array([1]) }, ids: [castId(ID)] },
}
const ROW = {
  id: ID,
  title: 'milk',
  author: null,
  dueOn: '2026-12-01',
  doneOn: null,
  at: new Date(0),
  size: 5n,
  place: { bytes: new Uint8Array([1]), ids: [ID] },
}

interface Recorded {
  readonly documents?: readonly object[]
  readonly save?: () => unknown
  readonly schema?: object
  readonly paths?: Readonly<Record<string, object>>
}

/** A model that writes down what it is asked. */
function recording({ documents = [DOCUMENT], save = () => undefined, schema = {}, paths = PATHS }: Recorded = {}) {
  const asked: string[] = []
  const text = (value: unknown): string =>
    JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? `${each}n` : each))
  class Post {
    static readonly modelName = 'Post'
    static readonly schema = {
      options: { versionKey: '__v' },
      paths: Object.fromEntries(
        Object.entries(paths).map(([path, type]) => [path, {
          path,
          options: {},
          ...type,
          cast: (value: unknown) => ('instance' in type && type.instance === 'ObjectId' ? castId(value) : value),
        }]),
      ),
      ...schema,
    }

    static readonly collection = {
      updateMany: async (filter: object, change: object) => asked.push(`lock ${text(filter)} ${text(change)}`),
    }
    static async startSession() {
      let isOpen = false
      return {
        startTransaction: () => (isOpen = asked.push('start') > 0),
        inTransaction: () => isOpen,
        endSession: async () => asked.push('end'),
        commitTransaction: async () => asked.push('commit') && (isOpen = false),
        abortTransaction: async () => asked.push('abort'),
      }
    }

    static find() {
      const query = {
        setOptions: (options: object) => asked.push(`cast ${text(options)}`) && query,
        cast: (_model: unknown, filter: object) => filter,
      }
      return query
    }

    static async findOne(filter: object) {
      asked.push(`findOne ${text(filter)}`)
      return documents.length === 0 ? null : new Post(DOCUMENT)
    }

    static async aggregate(stages: readonly object[], { collation }: { collation: object }) {
      asked.push(`aggregate ${stages.map(text).join(' ')}`)
      expect(collation).toEqual({ locale: 'simple' })
      return '$count' in (stages.at(-1) ?? {}) ? [{ total: 7 }] : documents
    }

    static async deleteMany(filter: object) {
      asked.push(`deleteMany ${text(filter)}`)
      return { deletedCount: 1 }
    }

    constructor(fields: object) {
      if (fields !== DOCUMENT) asked.push(`new ${text(fields)}`)
    }

    set(fields: object) {
      asked.push(`set ${text(fields)}`)
    }

    async save() {
      asked.push('save')
      return save()
    }

    toObject() {
      return DOCUMENT
    }
  }
  return { model: Post as never, asked }
}

const storeOf = (
  recorded: Recorded = {},
  options: object = { columns: { dueOn: 'calendarDate', doneOn: 'calendarDate' } },
): { store: Store<Note>; asked: string[] } => {
  const { model, asked } = recording(recorded)
  return { store: mongooseStore(model, options) as unknown as Store<Note>, asked }
}

const thrown = (fields: object): Error => Object.assign(new Error('message'), fields)

describe('mongooseStore', () => {
  it.each<[code: string, fault: string, misuse: () => unknown]>([
    ['mongoose_model', 'it is given no model', () => mongooseStore({} as never)],
    [
      'mongoose_model',
      'find has middleware',
      () => storeOf({ schema: { s: { hooks: { hasHooks: (name: string) => name === 'find' } } } }),
    ],
    ['mongoose_model', 'a path is called id', () => storeOf({ paths: { ...PATHS, id: { instance: 'Number' } } })],
    ['mongoose_model', 'the key is no value', () => storeOf({ paths: { _id: { instance: 'Embedded' } } })],
    ['mongoose_option_unknown', 'an option does not exist', () => storeOf({}, { colums: {} })],
    ['mongoose_columns', 'a path does not exist', () => storeOf({}, { columns: { titel: 'calendarDate' } })],
    ['mongoose_columns', 'a type does not exist', () => storeOf({}, { columns: { dueOn: 'date' } })],
    ['mongoose_columns', 'a path holds no days', () => storeOf({}, { columns: { size: 'calendarDate' } })],
  ])('refuses %s when %s', (code, _fault, misuse) => {
    expect(misuse).toThrow(expect.objectContaining({ code, message: expect.stringMatching(/\.$/) as string }))
  })

  it('reads documents as rows, with every value behind an operator', async () => {
    const { store, asked } = storeOf()
    const where = [
      ['title', 'contains', 'a.b'],
      ['title', 'startsWith', '$'],
      ['author', '!=', null],
      ['size', '>=', 5n],
      ['dueOn', 'in', ['2026-12-01', '2026-02-30']],
      { any: [[['at', '<', new Date(0)]], []] },
      { any: [] },
    ] as const
    expect(await store.find([ID, 'x'], where)).toEqual([ROW])
    expect(asked).toEqual([
      `aggregate {"$match":{"$and":[{"_id":{"$in":["id `
      + `${ID}"]}},{"title":{"$regex":"a\\\\.b","$options":"i"}},{"title":{"$regex":"^\\\\$","$options":"i"}},`
      + '{"author":{"$ne":null}},{"size":{"$gte":"5n"}},{"dueOn":{"$in":["2026-12-01T00:00:00.000Z"]}},{"$or":[{"$and":[{"at":{"$lt":"1970-01-01T00:00:00.000Z"}}]},{}]},{"_id":{"$in":[]}}]}}',
    ])
    await expect(store.find([ID], [['place', '=', 'x']] as never)).rejects.toMatchObject({ code: 'store_condition' })
    await expect(store.find([ID], [['nothing', '=', 'x']] as never)).rejects.toMatchObject({ code: 'store_column' })
    expect(await store.find([])).toEqual([])
  })

  it('selects nothing by a value that the path can never hold', async () => {
    const { store, asked } = storeOf()
    await store.find([ID], [['author', '!=', 'x']])
    expect(asked[0]).toContain('{"_id":{"$in":[]}}')
  })

  it('sorts nulls last, counts, and pages by the values of the last row', async () => {
    const { store, asked } = storeOf({ documents: [DOCUMENT, DOCUMENT] })
    const list = store.list({ where: [], order: ['author', '-dueOn', 'id'] })
    expect([(await list.slice(4, 2)).length, await list.count?.()]).toEqual([2, 7])
    const page = await list.sliceAfter?.(null, 1)
    expect(page).toEqual({ items: [ROW], next: ['author,-dueOn,id', null, '2026-12-01', ID] })
    await list.sliceAfter?.(['author,-dueOn,id', ID, '2026-12-01', ID], 1)
    const sort =
      '{"$addFields":{"resourcery0":{"$eq":[{"$ifNull":["$author",null]},null]}}} {"$sort":{"resourcery0":1,"author":1,"dueOn":-1,"_id":1}}'
    const [day, same] = ['"2026-12-01T00:00:00.000Z"', `{"author":{"$eq":"id ${ID}"}}`]
    expect(asked).toEqual([
      `aggregate {"$match":{"$and":[{},{}]}} ${sort} {"$skip":4} {"$limit":2}`,
      'aggregate {"$match":{}} {"$count":"total"}',
      `aggregate {"$match":{"$and":[{},{}]}} ${sort} {"$limit":2}`,
      `aggregate {"$match":{"$and":[{},{"$or":[{"$and":[{"$or":[{"author":{"$gt":"id ${ID}"}},{"author":{"$eq":null}}]}]},`
      + `{"$and":[${same},{"$or":[{"dueOn":{"$lt":${day}}},{"dueOn":{"$eq":null}}]}]},{"$and":[${same},{"dueOn":{"$eq":${day}}},{"_id":{"$gt":"id ${ID}"}}]}]}]}} ${sort} {"$limit":2}`,
    ])
    for (
      const forged of [['id', ID], ['author,-dueOn,id', 'x', '2026-12-01', ID], ['author,-dueOn,id', null, 'x', ID], [
        'author,-dueOn,id',
        null,
        null,
        null,
      ], ['author,-dueOn,id', { $gt: '' }, null, ID]]
    ) {
      await expect(list.sliceAfter?.(forged, 1)).rejects.toMatchObject({
        status: 422,
        fields: { cursor: expect.anything() as unknown },
      })
    }
    expect(() => store.list({ where: [], order: ['nothing'] })).toThrow(
      expect.objectContaining({ code: 'store_column' }),
    )
  })

  it('writes by documents, locks what a transaction has found, and undoes one that fails', async () => {
    const { store, asked } = storeOf()
    expect(await store.create({ title: 'Milk', dueOn: '2026-12-01', doneOn: '2026-12-02' })).toEqual(ROW)
    await store.transaction(async (inside) => {
      expect(await inside.update(ID, { title: 'Tea', doneOn: null })).toEqual(ROW)
      await inside.transaction(async (same) => same.update(ID, {}))
      await inside.delete([ID])
    })
    await expect(store.transaction(async () => Promise.reject(new Error('back')))).rejects.toThrow('back')
    const [find, lock] = [
      `aggregate {"$match":{"$and":[{"_id":{"$in":["id ${ID}"]}}]}}`,
      `lock {"_id":{"$in":["id ${ID}"]}} {"$inc":{"__v":1}}`,
    ]
    const filter = `{"$and":[{"_id":{"$in":["id ${ID}"]}}]}`
    expect(asked).toEqual([
      'new {"title":"Milk","dueOn":"2026-12-01T00:00:00.000Z","doneOn":"2026-12-02"}',
      'save',
      'start',
      `findOne ${filter}`,
      'set {"title":"Tea","doneOn":null}',
      'save',
      find,
      lock,
      find,
      lock,
      `deleteMany ${filter}`,
      'commit',
      'end',
      'start',
      'abort',
      'end',
    ])
    const missing = storeOf({ documents: [] })
    expect(await missing.store.update(ID, { title: 'Tea' })).toBeUndefined()
    await expect(store.create({ titel: 'x' } as never)).rejects.toMatchObject({ code: 'store_column' })
    await expect(store.create({ dueOn: 'today' })).rejects.toMatchObject({
      fields: { dueOn: ['Must be a date like 2026-11-21'] },
    })
  })

  it('takes a filter as a raw condition', async () => {
    const { store, asked } = storeOf()
    await store.find([ID], [raw({ tags: { $all: ['a'] } })])
    expect(asked).toEqual([
      'cast {"strictQuery":"throw","sanitizeFilter":false}',
      expect.stringContaining(',{"tags":{"$all":["a"]}}]}}'),
    ])
    for (const wrong of [{}, null, 'tags', { a: undefined }, { $or: [{ a: undefined }] }]) {
      await expect(store.find([ID], [raw(wrong)])).rejects.toMatchObject({ code: 'store_raw' })
    }
  })

  it.each<[fault: string, error: Error, expected: object]>([
    [
      'a duplicate',
      thrown({
        code: 11_000,
        keyPattern: { title: 1, _id: 1 },
        message: 'E11000 duplicate key error index: title_1 dup key: { }',
      }),
      { constructor: UniqueViolation, columns: ['title', 'id'], constraint: 'title_1' },
    ],
    [
      'a path that is missing',
      thrown({ name: 'ValidationError', errors: { title: { name: 'ValidatorError', kind: 'required' } } }),
      { constructor: NotNullViolation, fields: { title: ['Required'] } },
    ],
    ['a value of another type', thrown({ name: 'ValidationError', errors: { 'place.city': { name: 'CastError' } } }), {
      constructor: ColumnViolation,
      columns: ['place'],
      fields: { _: ['Cannot be read'] },
    }],
    [
      'a value that is too long',
      thrown({ name: 'ValidationError', errors: { title: { name: 'ValidatorError', kind: 'maxlength' } } }),
      { constructor: CheckViolation, fields: { title: ['Is too long'] } },
    ],
    [
      'a value that is not allowed',
      thrown({ name: 'ValidationError', errors: { title: { name: 'ValidatorError', kind: 'enum' } } }),
      { fields: { title: ['Is not allowed'] } },
    ],
    ['a document of another version', thrown({ name: 'VersionError' }), { constructor: ConflictError }],
    ['a write conflict', thrown({ code: 112 }), { constructor: UnavailableError }],
    ['a lost connection', thrown({ name: 'MongoNetworkTimeoutError' }), { constructor: UnavailableError }],
    [
      'a server that cannot be reached',
      thrown({ name: 'MongooseError', message: 'Operation `posts.insertOne()` buffering timed out after 10000ms' }),
      { constructor: UnavailableError },
    ],
    [
      'a commit whose outcome is unknown',
      thrown({ hasErrorLabel: (label: string) => label === 'UnknownTransactionCommitResult' }),
      { constructor: UnavailableError },
    ],
    [
      'a server without transactions',
      thrown({
        originalError: { code: 20, message: 'Transaction numbers are only allowed on a replica set member or mongos' },
      }),
      { code: 'mongoose_transactions' },
    ],
    ['an error of middleware', new TypeError('of a hook'), { message: 'of a hook' }],
  ])('converts %s', async (_fault, error, expected) => {
    const { store } = storeOf({
      save: () => {
        throw error
      },
    })
    await expect(store.create({ title: 'Milk' })).rejects.toMatchObject(expected)
  })
})

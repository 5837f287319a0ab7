import { describe, expect, it } from 'vitest'
import { paginate } from 'resourcery'
import { fromMongoose } from 'resourcery/mongoose'
import { NEWEST_FIRST, ROWS, select, walk, type Row } from './plain-table.js'

const words = { and: '$and', or: '$or', lt: '$lt', gt: '$gt' }
const counted: unknown[] = []

/** A `find` with its documented interface; mongoose itself is tested in spec/libraries, without a server. */
class Find {
  readonly op: string = 'find'
  readonly model = {
    schema: { path: (name: string) => name in (ROWS[0] ?? {}) ? {} : undefined },
    countDocuments: async (filter: object, options: object) => {
      counted.push(options)
      return select({ where: filter }, words).length
    },
  }

  readonly #filter: Record<string, unknown>
  readonly #options: Record<string, unknown>

  constructor(filter: object = {}, options: object = {}) {
    this.#filter = { ...filter }
    this.#options = { ...options }
  }

  clone(): Find {
    return new Find(this.#filter, this.#options)
  }

  getFilter(): object {
    return this.#filter
  }

  getOptions(): Record<string, unknown> {
    return this.#options
  }

  and(conditions: readonly object[]): this {
    this.#filter.$and = conditions
    return this
  }

  sort(order: string): this {
    return this.#set(
      'sort',
      Object.fromEntries(order.split(' ').map((key) => key.startsWith('-') ? [key.slice(1), -1] : [key, 1])),
    )
  }

  skip(documents: number): this {
    return this.#set('skip', documents)
  }

  limit(documents: number): this {
    return this.#set('limit', documents)
  }

  async exec(): Promise<Row[]> {
    const { sort, skip, limit } = this.#options as { sort: Record<string, 1 | -1>; skip?: number; limit?: number }
    return select({ where: this.#filter, order: Object.entries(sort), offset: skip, limit }, words)
  }

  #set(option: string, value: unknown): this {
    this.#options[option] = value
    return this
  }
}

describe('fromMongoose with the documented interface of a query', () => {
  const find = (filter = {}, options = {}) => new Find(filter, options)

  it('pages by number, and counts the same filter', async () => {
    const source = fromMongoose(find({ title: 't0' }, { sort: { id: 1 }, lean: true, collation: { locale: 'de' } }))
    expect(await paginate(source, { page: 1, limit: 3 })).toEqual({
      items: ROWS.filter(({ title }) => title === 't0').slice(0, 3),
      page: 1,
      limit: 3,
      total: 4,
    })
    expect(counted.at(-1)).toEqual({ collation: { locale: 'de' } })
  })

  it('pages by cursor in the order of the keys, combined with the filter', async () => {
    const source = fromMongoose(find(), { by: ['-title', 'id'] })
    for (const limit of [1, 3, 10, 11, 12]) expect(await walk(source, limit)).toEqual(NEWEST_FIRST)
    expect(await walk(fromMongoose(find({ title: 't1' }), { by: ['-id'] }), 2)).toEqual([10, 7, 4, 1])
  })

  it('encodes the ids of the database as strings', async () => {
    const id = { _bsontype: 'ObjectId', toString: () => '0a' }
    const query = Object.assign(find(), { clone: () => query, exec: async () => [{ id }, { id }] })
    const source = fromMongoose(query as never, { by: ['id'] as never })
    expect(await source.sliceAfter?.(null, 1)).toEqual({ items: [{ id }], next: ['id', '0a'] })
  })

  it.each<[code: string, fault: string, misuse: () => unknown]>([
    ['mongoose_query', 'another value is given', () => fromMongoose([] as never)],
    ['mongoose_query', 'null or undefined is given', () => fromMongoose(null as never)],
    ['mongoose_query', 'the query is for one document', () => fromMongoose(Object.assign(find(), { op: 'findOne' }))],
    ['mongoose_query', 'the query has a limit', () => fromMongoose(find({}, { sort: { id: 1 }, limit: 5 }))],
    ['mongoose_query', 'the query has a skip', () => fromMongoose(find({}, { sort: { id: 1 }, skip: 5 }))],
    ['mongoose_order', 'there is no order', () => fromMongoose(find())],
    ['mongoose_order', 'there are two orders', () => fromMongoose(find({}, { sort: { id: 1 } }), { by: ['id'] })],
    ['mongoose_key', 'the schema has no such path', () => fromMongoose(find(), { by: ['a.b'] })],
    ['mongoose_cursor', 'a cursor is asked without keys', () => (
      paginate(fromMongoose(find({}, { sort: { id: 1 } })), { cursor: '', limit: 3 })
    )],
    [
      'mongoose_key',
      'a key is empty',
      () => paginate(fromMongoose(find(), { by: ['score' as 'id'] }), { cursor: '', limit: 3 }),
    ],
  ])('throws %s if %s', async (code, _fault, misuse) => {
    await expect(Promise.resolve().then(misuse)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^\S+ .+\.$/) as string,
    })
  })
})

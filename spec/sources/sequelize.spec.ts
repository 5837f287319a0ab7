import { describe, expect, it } from 'vitest'
import { paginate } from 'resourcery'
import { fromSequelize, type SequelizeQueryModel } from 'resourcery/sequelize'
import { NEWEST_FIRST, ROWS, select, walk, type Row } from './plain-table.js'

interface Options {
  where?: object
  order?: [string, string][]
  group?: string
  lock?: boolean
  raw?: boolean
  offset?: number
  limit?: number
}

const words = { and: Symbol.for('and'), or: Symbol.for('or'), lt: Symbol.for('lt'), gt: Symbol.for('gt'),
  lte: Symbol.for('lte'), gte: Symbol.for('gte') }
const counted: Options[] = []

class Instance implements Row {
  readonly id: number
  readonly title: string
  readonly score: number | null
  readonly #stored: Row

  constructor(row: Row) {
    this.#stored = row
    this.id = row.id
    this.title = `shown ${row.title}`
    this.score = row.score
  }

  getDataValue(column: keyof Row): unknown {
    return this.#stored[column]
  }

  static async findAll({ where, order = [], raw, offset, limit }: Options = {}): Promise<unknown[]> {
    const keys = order.map(([column, way]) => [column, way === 'ASC' ? 1 : -1] as const)
    const rows = select({ where, order: keys, offset, limit }, words)
    return raw === true ? rows : rows.map((row) => new Instance(row))
  }

  static async count(options: Options = {}): Promise<unknown> {
    counted.push(options)
    const rows = select({ where: options.where }, words)
    return options.group === undefined
      ? rows.length
      : [...new Set(rows.map(({ title }) => title))].map((title) => ({ title, count: 1 }))
  }
}

/** A model with its documented interface; the real one is tested in spec/libraries. */
const Post: SequelizeQueryModel<Row> = Instance

describe('fromSequelize', () => {
  const byId = { order: [['id', 'ASC']] }

  it('pages by number, and counts the same rows', async () => {
    const raw = fromSequelize(Post, { ...byId, raw: true })
    expect(await paginate(raw, { page: 2, limit: 4 })).toEqual({
      items: ROWS.slice(4, 8),
      page: 2,
      limit: 4,
      total: 11,
    })
    expect((await paginate(fromSequelize(Post, { ...byId, where: { title: 't0' } }), 2)).total).toBe(4)
    expect((await paginate(fromSequelize(Post, { ...byId, group: 'title' }), 2)).total).toBe(3)
    const selected = { attributes: ['id', ['title', 'name']], include: 'author', lock: true, transaction: 't' }
    expect(await fromSequelize(Post, { ...byId, ...selected }).count?.()).toBe(11)
    expect(counted.at(-1)).toEqual({ include: 'author', transaction: 't', distinct: true })
  })

  it('pages by cursor in the order of the keys, combined with the condition', async () => {
    const source = fromSequelize(Post, {}, { by: ['-title', 'id'] })
    for (const limit of [1, 3, 10, 11, 12]) expect(await walk(source, limit)).toEqual(NEWEST_FIRST)
    expect(await walk(fromSequelize(Post, { where: { title: 't1' }, raw: true }, { by: ['-id'] }), 2)).toEqual([
      10,
      7,
      4,
      1,
    ])
  })

  it.each<[code: string, fault: string, misuse: () => unknown]>([
    ['sequelize_query', 'another value is given', () => fromSequelize({} as never)],
    ['sequelize_query', 'the options have a limit', () => fromSequelize(Post, { ...byId, limit: 5 as never })],
    ['sequelize_query', 'the options have an offset', () => fromSequelize(Post, { ...byId, offset: 5 as never })],
    [
      'sequelize_query',
      'distinct rows are selected',
      () => fromSequelize(Post, { ...byId, attributes: [[{ fn: 'DISTINCT' }, 'title']] }),
    ],
    [
      'sequelize_query',
      'an aggregate is selected',
      () => fromSequelize(Post, { ...byId, attributes: [{ fn: 'max' }] }),
    ],
    ['sequelize_order', 'there is no order', () => fromSequelize(Post)],
    ['sequelize_order', 'there is an empty order', () => fromSequelize(Post, { order: [] })],
    ['sequelize_order', 'there are two orders', () => fromSequelize(Post, byId, { by: ['id'] })],
    ['sequelize_order', 'the scope has an order beside the keys', () => (
      fromSequelize(Object.assign(class extends Instance {}, { _scope: { order: [['id', 'ASC']] } }), {}, {
        by: ['id'],
      })
    )],
    [
      'sequelize_option_unknown',
      'an option that selects rows is misspelt',
      () => fromSequelize(Post, { wher: { status: 'published' } }, { by: ['id'] }),
    ],
    [
      'sequelize_cursor',
      'a cursor is asked without keys',
      () => paginate(fromSequelize(Post, byId), { cursor: '', limit: 3 }),
    ],
    [
      'sequelize_key',
      'a key is null',
      () => paginate(fromSequelize(Post, {}, { by: ['score' as 'id'] }), { cursor: '', limit: 3 }),
    ],
  ])('throws %s if %s', async (code, _fault, misuse) => {
    await expect(Promise.resolve().then(misuse)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^\S+ .+\.$/) as string,
    })
  })

  it('takes an option that a hook of the model reads', async () => {
    const { items } = await paginate(fromSequelize(Post, { tenant: 'a', logging: false }, { by: ['id'] }), { page: 1,
      limit: 2 })
    expect(items).toHaveLength(2)
  })
})

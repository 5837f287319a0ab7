import { describe, expect, it } from 'vitest'
import { paginate } from 'resourcery'
import { fromPrisma, type PrismaModel } from 'resourcery/prisma'
import { NEWEST_FIRST, ROWS, select, walk, type Row } from './plain-table.js'

interface Types {
  payload: { scalars: Row; objects: object; composites: object }
  operations: { findMany: { args: Arguments } }
}

interface Arguments {
  where?: object
  orderBy?: Record<string, 'asc' | 'desc'>[]
  select?: object
  skip?: number
  take?: number
}

const words = { and: 'AND', or: 'OR', lt: 'lt', gt: 'gt', lte: 'lte', gte: 'gte' }

/** A model with its documented interface; the real one is tested in spec/libraries. */
const post: PrismaModel<Types> = {
  findMany: async ({ where, orderBy = [], select: columns, skip, take }: Arguments = {}) => {
    const order = orderBy.flatMap((key) => Object.entries(key)).map(([column, way]) =>
      [column, way === 'asc' ? 1 : -1] as const
    )
    const rows = select({ where, order, offset: skip, limit: take }, words)
    return columns === undefined ? rows : rows.map(({ title }) => ({ title }))
  },
  count: async ({ where }: Arguments = {}) => select({ where }, words).length,
}

describe('fromPrisma', () => {
  const byId = { orderBy: [{ id: 'asc' as const }] }

  it('pages by number, and counts the same rows', async () => {
    expect(await paginate(fromPrisma(post, byId), { page: 2, limit: 4 })).toEqual({
      items: ROWS.slice(4, 8),
      page: 2,
      limit: 4,
      total: 11,
    })
    expect((await paginate(fromPrisma(post, { ...byId, where: { title: 't0' } }), 2)).total).toBe(4)
    expect(await fromPrisma(post, {}, { by: ['id'] }).count?.()).toBe(11)
  })

  it('pages by cursor in the order of the keys, combined with the condition', async () => {
    for (const limit of [1, 3, 10, 11, 12]) {
      expect(await walk(fromPrisma(post, {}, { by: ['-title', 'id'] }), limit)).toEqual(NEWEST_FIRST)
    }
    expect(await walk(fromPrisma(post, { where: { title: 't1' } }, { by: ['-id'] }), 2)).toEqual([10, 7, 4, 1])
  })

  it.each<[code: string, fault: string, misuse: () => unknown]>([
    ['prisma_query', 'another value is given', () => fromPrisma([] as never)],
    ['prisma_query', 'null or undefined is given', () => fromPrisma(null as never)],
    ['prisma_query', 'a string is given', () => fromPrisma('post' as never)],
    ['prisma_query', 'the arguments have a limit', () => fromPrisma(post, { ...byId, take: 5 } as object)],
    ['prisma_query', 'the rows are distinct', () => fromPrisma(post, { ...byId, distinct: ['title'] } as object)],
    ['prisma_order', 'there is no order', () => fromPrisma(post)],
    ['prisma_order', 'there is an empty order', () => fromPrisma(post, { orderBy: [] })],
    ['prisma_order', 'there are two orders', () => fromPrisma(post, byId, { by: ['id'] })],
    [
      'prisma_cursor',
      'a cursor is asked without keys',
      () => paginate(fromPrisma(post, byId), { cursor: '', limit: 3 }),
    ],
    [
      'prisma_key',
      'a key is null',
      () => paginate(fromPrisma(post, {}, { by: ['score' as 'id'] }), { cursor: '', limit: 3 }),
    ],
    ['prisma_key', 'a key is not selected', () => (
      paginate(fromPrisma(post, { select: { title: true } }, { by: ['id'] }), { cursor: '', limit: 3 })
    )],
  ])('throws %s if %s', async (code, _fault, misuse) => {
    await expect(Promise.resolve().then(misuse)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^\S+ .+\.$/) as string,
    })
  })
})

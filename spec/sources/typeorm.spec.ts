import { describe, expect, it } from 'vitest'
import { paginate } from 'resourcery'
import { fromTypeorm } from 'resourcery/typeorm'
import { ROWS, walk, type Row } from './plain-table.js'

interface Map {
  allOrderBys: object
  groupBys: string[]
  selectDistinctOn: string[]
  skip?: number
  take?: number
  limit?: number
  offset?: number
}

/** A query builder with its documented interface; the real one is tested in spec/libraries. */
class Builder {
  readonly expressionMap: Map

  constructor(map: Partial<Map> = {}) {
    this.expressionMap = { allOrderBys: { 'post.id': 'ASC' }, groupBys: [], selectDistinctOn: [], ...map }
  }

  clone(): Builder {
    return new Builder(this.expressionMap)
  }

  skip(offset: number): Builder {
    return new Builder({ ...this.expressionMap, skip: offset })
  }

  take(limit: number): Builder {
    return new Builder({ ...this.expressionMap, take: limit })
  }

  async getMany(): Promise<Row[]> {
    const { skip = 0, take = Infinity } = this.expressionMap
    return ROWS.slice(skip, skip + take)
  }

  async getCount(): Promise<number> {
    return ROWS.length
  }
}

interface FindOptions {
  order?: object
  skip?: number
  take?: number
}

const repository = {
  createQueryBuilder: () => new Builder(),
  find: async ({ skip = 0, take = Infinity }: FindOptions = {}) => ROWS.slice(skip, skip + take),
  count: async (_options?: FindOptions) => ROWS.length,
}

describe('fromTypeorm', () => {
  const byId = { order: { id: 'ASC' } }

  it.each([
    ['a query builder', () => fromTypeorm(new Builder())],
    ['a repository', () => fromTypeorm(repository, byId)],
  ])('pages %s by number and by cursor', async (_name, source) => {
    expect(await paginate(source(), { page: 2, limit: 4 })).toEqual({
      items: ROWS.slice(4, 8),
      page: 2,
      limit: 4,
      total: 11,
    })
    expect(await walk(source(), 3)).toEqual(ROWS.map(({ id }) => id))
  })

  it.each<[code: string, fault: string, misuse: () => unknown]>([
    ['typeorm_query', 'another value is given', () => fromTypeorm([] as never)],
    ['typeorm_query', 'null or undefined is given', () => fromTypeorm(null as never)],
    ['typeorm_query', 'the query has a limit', () => fromTypeorm(new Builder({ limit: 5 }))],
    ['typeorm_query', 'the query groups rows', () => fromTypeorm(new Builder({ groupBys: ['post.id'] }))],
    [
      'typeorm_query',
      'the query is distinct on a column',
      () => fromTypeorm(new Builder({ selectDistinctOn: ['post.id'] })),
    ],
    ['typeorm_query', 'the options take so many', () => fromTypeorm(repository, { ...byId, take: 5 })],
    ['typeorm_query', 'the options skip some', () => fromTypeorm(repository, { ...byId, skip: 5 })],
    ['typeorm_order', 'there is no order', () => fromTypeorm(new Builder({ allOrderBys: {} }))],
    ['typeorm_order', 'the options have no order', () => fromTypeorm(repository as never)],
  ])('throws %s if %s', async (code, _fault, misuse) => {
    await expect(Promise.resolve().then(misuse)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^\S+ .+\.$/) as string,
    })
  })
})

import 'reflect-metadata'
import { DataSource, EntitySchema } from 'typeorm'
import { beforeAll, describe, expect, it } from 'vitest'
import { paginate } from 'resourcery'
import { fromTypeorm } from 'resourcery/typeorm'
import { openPostgres, type EmbeddedPostgres } from './embedded-postgres.js'
import { pageOf, sourceSuite } from './suite.js'

interface User {
  id: number
  name: string
  posts?: Post[]
}

interface Post {
  id: string
  title: string
  category: string
  author?: User
  createdAt: Date
}

const users = new EntitySchema<User>({
  name: 'User',
  tableName: 'users',
  columns: { id: { type: 'integer', primary: true }, name: { type: 'text' } },
  relations: { posts: { type: 'one-to-many', target: 'Post', inverseSide: 'author' } },
})

const posts = new EntitySchema<Post>({
  name: 'Post',
  tableName: 'posts',
  columns: {
    id: { type: 'bigint', primary: true },
    title: { type: 'text' },
    category: { type: 'text' },
    createdAt: { type: 'timestamptz', name: 'created_at' },
  },
  relations: {
    author: { type: 'many-to-one', target: 'User', joinColumn: { name: 'author_id' }, inverseSide: 'posts' },
  },
})

const newest = new EntitySchema<{ id: string }>({
  name: 'Newest',
  tableName: 'posts',
  columns: { id: { type: 'bigint', primary: true } },
  orderBy: { id: 'DESC' },
})

describe('fromTypeorm on typeorm 1.1 and PGlite', () => {
  let server: EmbeddedPostgres
  let database: DataSource

  beforeAll(async () => {
    server = await openPostgres()
    database = new DataSource({ type: 'postgres', url: server.url, entities: [users, posts, newest], poolSize: 1 })
    await database.initialize()
    return async () => {
      await database.destroy()
      await server.close()
    }
  })

  const query = () => database.getRepository(posts).createQueryBuilder('post')
  const repository = () => database.getRepository(posts)

  describe('by a query builder', () => {
    sourceSuite({
      step: 'microsecond',
      pglite: () => server.pglite,
      ordered: () => fromTypeorm(query().orderBy('post.id')),
    })
  })

  describe('by a repository', () => {
    sourceSuite({
      step: 'microsecond',
      pglite: () => server.pglite,
      ordered: () => fromTypeorm(repository(), { order: { id: 'ASC' } }),
    })

    it('counts the same entities', async () => {
      expect(await pageOf(fromTypeorm(repository(), { where: { category: 'news' }, order: { id: 'ASC' } }))).toEqual([
        2,
        8,
      ])
      const authored = {
        where: { author: { name: 'Bob' } },
        relations: { author: true },
        order: { id: 'ASC' },
      } as const
      expect(await pageOf(fromTypeorm(repository(), authored))).toEqual([2, 11])
      const authors = fromTypeorm(database.getRepository(users), { relations: { posts: true }, order: { name: 'ASC' } })
      const { items, total } = await paginate(authors, 2)
      expect([items.map((user) => user.posts?.length), total]).toEqual([[12, 11], 3])
    })
  })

  it('counts entities, not joined rows', async () => {
    const authors = database.getRepository(users).createQueryBuilder('user').leftJoinAndSelect('user.posts', 'post')
      .orderBy('user.name')
    const { items, total } = await paginate(fromTypeorm(authors), 2)
    expect([items.map((user) => user.posts?.length), total]).toEqual([[12, 11], 3])
    const inner = database.getRepository(users).createQueryBuilder('user').innerJoin('user.posts', 'post').orderBy(
      'user.name',
    )
    expect(await pageOf(fromTypeorm(inner))).toEqual([2, 2])
    expect(await pageOf(fromTypeorm(query().where('post.category = :name', { name: 'news' }).orderBy('post.id'))))
      .toEqual([2, 8])
    expect(await pageOf(fromTypeorm(database.getRepository(newest).createQueryBuilder('newest')))).toEqual([2, 23])
  })

  it('reads inside a transaction', async () => {
    const rollback = database.transaction(async (manager) => {
      await manager.delete(posts, { category: 'news' })
      expect(await pageOf(fromTypeorm(manager.createQueryBuilder(posts, 'post').orderBy('post.id')))).toEqual([2, 15])
      expect(await pageOf(fromTypeorm(manager.getRepository(posts), { order: { id: 'ASC' } }))).toEqual([2, 15])
      throw new Error('back')
    })
    await expect(rollback).rejects.toThrow('back')
  })

  it('neither changes the query nor follows later changes', async () => {
    const news = query().where("post.category = 'news'").orderBy('post.id')
    const before = news.getQueryAndParameters()
    const source = fromTypeorm(news)
    await paginate(source, 3)
    expect(news.getQueryAndParameters()).toEqual(before)
    news.where("post.category = 'none'").take(1)
    expect((await paginate(source, 3)).total).toBe(8)
  })

  it.each<[code: string, fault: string, misuse: () => unknown]>([
    ['typeorm_query', 'another value is given', () => fromTypeorm(database as never)],
    ['typeorm_query', 'null or undefined is given', () => fromTypeorm(undefined as never)],
    ['typeorm_query', 'the query takes so many', () => fromTypeorm(query().orderBy('post.id').take(5))],
    ['typeorm_query', 'the query skips some', () => fromTypeorm(query().orderBy('post.id').skip(5))],
    ['typeorm_query', 'the query has a limit', () => fromTypeorm(query().orderBy('post.id').limit(5))],
    ['typeorm_query', 'the query has an offset', () => fromTypeorm(query().orderBy('post.id').offset(5))],
    ['typeorm_query', 'the query groups rows', () => fromTypeorm(query().orderBy('post.id').groupBy('post.id'))],
    ['typeorm_query', 'the query is distinct on a column', () => (
      fromTypeorm(query().distinctOn(['post.category']).orderBy('post.category'))
    )],
    ['typeorm_query', 'the options take so many', () => fromTypeorm(repository(), { order: { id: 'ASC' }, take: 5 })],
    ['typeorm_query', 'the options skip some', () => fromTypeorm(repository(), { order: { id: 'ASC' }, skip: 5 })],
    ['typeorm_order', 'there is no order', () => fromTypeorm(query())],
    ['typeorm_order', 'the options have no order', () => fromTypeorm(repository(), {})],
    ['typeorm_order', 'the options have an empty order', () => fromTypeorm(repository(), { order: {} })],
  ])('throws %s if %s', async (code, _fault, misuse) => {
    await expect(Promise.resolve().then(misuse)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^\S+ .+\.$/) as string,
    })
  })
})

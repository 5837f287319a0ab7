import knex, { type Knex } from 'knex'
import { beforeAll, describe, expect, it } from 'vitest'
import { paginate } from 'resourcery'
import { fromKnex } from 'resourcery/knex'
import type { PageSource } from 'resourcery'
import { openPostgres, type EmbeddedPostgres } from './embedded-postgres.js'
import { ids, pageOf, sourceSuite, walk } from './suite.js'

interface Post {
  id: string
  title: string
  category: string
  score: number | null
  author_id: number
  created_at: Date
}

describe('fromKnex on knex 3 and PGlite', () => {
  let server: EmbeddedPostgres
  let db: Knex

  beforeAll(async () => {
    server = await openPostgres()
    db = knex({ client: 'pg', connection: server.url, pool: { min: 0, max: 1 } })
    return async () => {
      await db.destroy()
      await server.close()
    }
  })

  const posts = () => db<Post>('posts').select('*')
  const keyed = (by: readonly string[]): PageSource<Post> => (
    fromKnex<Post>(posts(), { by: by.map((key) => key.replace('createdAt', 'created_at')) as ['id'] })
  )

  sourceSuite({
    step: 'microsecond',
    pglite: () => server.pglite,
    ordered: () => fromKnex(posts().orderBy('id')),
    keyed: (by) => respelt(keyed(by)),
    scored: (by) => fromKnex<Post, 'score'>(posts(), { by: by as ['id'], nullable: ['score'] }),
  })

  it('counts the same query', async () => {
    const joined = () => db('posts').innerJoin('users', 'users.id', 'posts.author_id')
    expect(await pageOf(fromKnex(posts().where('category', 'news').orderBy('id')))).toEqual([2, 8])
    expect(await pageOf(fromKnex(db('posts').orderBy('id')))).toEqual([2, 23])
    expect(await pageOf(fromKnex(joined().orderBy('posts.id')))).toEqual([2, 23])
    expect(await pageOf(fromKnex(joined().select('posts.id', 'users.name as author').orderBy('posts.id')))).toEqual([
      2,
      23,
    ])
    expect(
      await pageOf(fromKnex(
        db('users').leftJoin('posts', 'users.id', 'posts.author_id').select('name').orderBy('name'),
      )),
    )
      .toEqual([2, 24])
    expect(await pageOf(fromKnex(db('posts').distinct('category').orderBy('category')))).toEqual([2, 3])
    expect(await pageOf(fromKnex(db('posts').distinctOn('category').select('*').orderBy('category')))).toEqual([2, 3])
    const grouped = () => db('posts').select('category').count('* as n').groupBy('category').orderBy('category')
    expect(await pageOf(fromKnex(grouped()))).toEqual([2, 3])
    expect(await pageOf(fromKnex(grouped().havingRaw('count(*) < 8')))).toEqual([1, 1])
    expect(await fromKnex(db('posts').max('title as last').orderBy('last')).count?.()).toBe(1)
    expect(await fromKnex(db('posts').select(db.raw('max(title) as last')).orderBy('last')).count?.()).toBe(1)
    expect(
      await pageOf(fromKnex(db('posts').select('title as name').union(db('users').select('name')).orderBy('name'))),
    )
      .toEqual([2, 10])
    expect(
      await pageOf(fromKnex(
        db.with('news', posts().where('category', 'news')).select('*').from('news').orderBy('id'),
      )),
    )
      .toEqual([2, 8])
    await db.transaction(async (trx) => {
      expect(await pageOf(fromKnex(trx('posts').select('*').orderBy('id').forUpdate()))).toEqual([2, 23])
    })
  })

  it('reads inside a transaction', async () => {
    const rollback = db.transaction(async (trx) => {
      await trx('posts').where('category', 'news').delete()
      expect(await pageOf(fromKnex(trx('posts').select('*').orderBy('id')))).toEqual([2, 15])
      expect(await pageOf(fromKnex(posts().orderBy('id').transacting(trx)))).toEqual([2, 15])
      throw new Error('back')
    })
    await expect(rollback).rejects.toThrow('back')
  })

  it('neither changes the query nor follows later changes', async () => {
    const query = posts().where('category', 'news')
    const before = query.toString()
    const source = fromKnex(query, { by: ['-created_at', 'id'] })
    await paginate(source, 3)
    await paginate(source, { cursor: '', limit: 3 })
    expect(query.toString()).toBe(before)
    void query.where('title', 'none').limit(1)
    expect((await paginate(source, 3)).total).toBe(8)
  })

  it('pages by cursor through joins, groups and conditions', async () => {
    const joined = db('posts').innerJoin('users', 'users.id', 'posts.author_id').select('posts.id', 'users.name')
    const source = fromKnex<{ id: string; name: string }>(joined, { by: ['-users.name', 'posts.id'] })
    expect(await walk(source, 5)).toEqual(ids((await paginate(source, 100)).items))

    const either = fromKnex<Post>(posts().where('category', 'news').orWhere('category', 'art'), { by: ['title', 'id'] })
    expect(await walk(either, 3)).toEqual(ids((await paginate(either, 100)).items))
    expect(await walk(either, 3)).toHaveLength(16)

    const bare = fromKnex<Post>(db<Post>('posts'), { by: ['id'] })
    expect(await walk(bare, 9)).toHaveLength(23)

    const grouped = db('posts').select('category').count('* as n').groupBy('category')
    const groups = fromKnex<{ category: string; n: string }>(grouped as never, { by: ['-category'] })
    const first = await paginate(groups, { cursor: '', limit: 2 })
    const second = await paginate(groups, { cursor: first.next, limit: 2 })
    expect([...first.items, ...second.items].map(({ category }) => category)).toEqual(['news', 'life', 'art'])
  })

  it.each<[code: string, fault: string, misuse: () => unknown]>([
    ['knex_query', 'another value is given', () => fromKnex(db as never)],
    ['knex_query', 'null or undefined is given', () => fromKnex(null as never)],
    ['knex_query', 'the query is for one row', () => fromKnex(posts().orderBy('id').first() as never)],
    ['knex_query', 'the query writes', () => fromKnex(db('posts').delete() as never)],
    ['knex_query', 'the query has a limit', () => fromKnex(posts().orderBy('id').limit(5))],
    ['knex_query', 'the query has an offset', () => fromKnex(posts().orderBy('id').offset(5))],
    ['knex_order', 'there is no order', () => fromKnex(posts())],
    ['knex_order', 'there is an empty order', () => fromKnex(posts(), { by: [] })],
    ['knex_order', 'there are two orders', () => fromKnex<Post>(posts().orderBy('title'), { by: ['id'] })],
    ['knex_order', 'a union is ordered by keys', () => fromKnex<Post>(posts().unionAll(posts()), { by: ['id'] })],
    [
      'knex_order',
      'a `distinct on` is ordered by keys',
      () => fromKnex<Post>(posts().distinctOn('category'), { by: ['category'] }),
    ],
    [
      'knex_cursor',
      'a cursor is asked without keys',
      () => paginate(fromKnex(posts().orderBy('id')), { cursor: '', limit: 3 }),
    ],
    ['knex_key', 'a key is null', () => paginate(keyed(['-score', 'id']), { cursor: '', limit: 3 })],
    ['knex_key', 'a key is not selected', () => (
      paginate(fromKnex<Post>(db<Post>('posts').select('title') as never, { by: ['id'] }), { cursor: '', limit: 3 })
    )],
  ])('throws %s if %s', async (code, _fault, misuse) => {
    await expect(Promise.resolve().then(misuse)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^\S+ .+\.$/) as string,
    })
  })
})

/** Knex uses the column names of the database, while the cursors of the shared suite use those of the models. */
function respelt(source: PageSource<Post>): PageSource<Post> {
  const spell = (position: readonly unknown[] | null, from: string, to: string) => (
    position?.map((value, index) => index === 0 && typeof value === 'string' ? value.replace(from, to) : value) ?? null
  )
  return {
    ...source,
    async sliceAfter(position, limit) {
      if (source.sliceAfter === undefined) throw new Error('A keyed source pages by cursor.')
      const { items, next } = await source.sliceAfter(spell(position, 'createdAt', 'created_at'), limit)
      return { items, next: spell(next, 'created_at', 'createdAt') }
    },
  }
}

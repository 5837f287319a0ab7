import { asc, count, desc, eq, lt, max, or, sql } from 'drizzle-orm'
import { bigint, integer, pgTable, text, timestamp, union } from 'drizzle-orm/pg-core'
import { drizzle, type PgliteDatabase } from 'drizzle-orm/pglite'
import { beforeAll, describe, expect, it } from 'vitest'
import { paginate } from 'resourcery'
import { fromDrizzle } from 'resourcery/drizzle'
import type { CursorPage } from 'resourcery'
import { openPostgres, type EmbeddedPostgres } from './embedded-postgres.js'
import { ids, pageOf, sourceSuite, walk } from './suite.js'

const users = pgTable('users', { id: integer().primaryKey(), name: text().notNull() })
const posts = pgTable('posts', {
  id: bigint({ mode: 'bigint' }).primaryKey(),
  title: text().notNull(),
  category: text().notNull(),
  score: integer(),
  authorId: integer('author_id').notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
})

describe('fromDrizzle on drizzle-orm 0.45 and PGlite', () => {
  let server: EmbeddedPostgres
  let db: PgliteDatabase

  beforeAll(async () => {
    server = await openPostgres()
    db = drizzle({ client: server.pglite })
    return () => server.close()
  })

  const all = () => db.select().from(posts)

  sourceSuite({
    step: 'microsecond',
    pglite: () => server.pglite,
    ordered: () => fromDrizzle(all().orderBy(posts.id)),
    keyed: (by) => fromDrizzle(all(), { by: by as ['id'] }),
    scored: (by) => fromDrizzle(all(), { by: by as ['id'], nullable: ['score'] }),
  })

  it('counts the same query', async () => {
    const joined = () => db.select().from(posts).innerJoin(users, eq(users.id, posts.authorId))
    expect(await pageOf(fromDrizzle(all().where(eq(posts.category, 'news')).orderBy(posts.id)))).toEqual([2, 8])
    expect(await pageOf(fromDrizzle(joined().orderBy(asc(posts.id))))).toEqual([2, 23])
    expect(
      await pageOf(fromDrizzle(
        db.select({ name: users.name }).from(users).leftJoin(posts, eq(users.id, posts.authorId)).orderBy(users.name),
      )),
    )
      .toEqual([2, 24])
    expect(
      await pageOf(fromDrizzle(db.selectDistinct({ category: posts.category }).from(posts).orderBy(posts.category))),
    )
      .toEqual([2, 3])
    expect(
      await pageOf(fromDrizzle(
        db.selectDistinctOn([posts.category]).from(posts).orderBy(posts.category, posts.id),
      )),
    )
      .toEqual([2, 3])
    const grouped = () => db.select({ category: posts.category, n: count() }).from(posts).groupBy(posts.category)
    expect(await pageOf(fromDrizzle(grouped().orderBy(posts.category)))).toEqual([2, 3])
    expect(await pageOf(fromDrizzle(grouped().having(lt(count(), 8)).orderBy(posts.category)))).toEqual([1, 1])
    expect(await fromDrizzle(db.select({ last: max(posts.title) }).from(posts).orderBy(max(posts.title))).count?.())
      .toBe(1)
    const names = () => union(db.select({ name: posts.title }).from(posts), db.select({ name: users.name }).from(users))
    expect(await pageOf(fromDrizzle(names().orderBy(sql`title`)))).toEqual([2, 10])
    expect((await paginate(fromDrizzle(names().orderBy(sql`title`)), { page: 2, limit: 3 })).items).toEqual([
      { name: 'Post 0' },
      { name: 'Post 1' },
      { name: 'Post 2' },
    ])
    const news = db.$with('news').as(all().where(eq(posts.category, 'news')))
    expect(await pageOf(fromDrizzle(db.with(news).select().from(news).orderBy(news.id)))).toEqual([2, 8])
    expect(await pageOf(fromDrizzle(all().orderBy(posts.id).for('update')))).toEqual([2, 23])
    expect(await pageOf(fromDrizzle(db.select().from(all().as('inner')).orderBy(sql`id`)))).toEqual([2, 23])
  })

  it('reads inside a transaction', async () => {
    await db.transaction(async (tx) => {
      await tx.delete(posts).where(eq(posts.category, 'news'))
      expect(await pageOf(fromDrizzle(tx.select().from(posts).orderBy(posts.id)))).toEqual([2, 15])
    })
  })

  it('does not change the query', async () => {
    const query = all().where(eq(posts.category, 'news')).$dynamic()
    const before = query.toSQL()
    const source = fromDrizzle(query, { by: ['-createdAt', 'id'] })
    await paginate(source, 3)
    await paginate(source, { cursor: '', limit: 3 })
    expect(query.toSQL()).toEqual(before)
    query.where(eq(posts.category, 'none')).limit(1)
    expect((await paginate(source, 3)).total).toBe(8)
  })

  it('pages by cursor through joins, groups, conditions and expressions', async () => {
    const joined = db.select().from(posts).innerJoin(users, eq(users.id, posts.authorId))
      .where(or(eq(posts.category, 'news'), eq(posts.category, 'art')))
    const source = fromDrizzle(joined, { by: ['-users.name', 'posts.id'] })
    const whole = (await paginate(source, 100)).items.map((row) => String(row.posts.id))
    expect(whole).toHaveLength(16)
    const seen: string[] = []
    let cursor: string | null = ''
    do {
      const page: CursorPage<Awaited<typeof joined>[number]> = await paginate(source, { cursor, limit: 5 })
      seen.push(...page.items.map((row) => String(row.posts.id)))
      cursor = page.next
    } while (cursor !== null)
    expect(seen).toEqual(whole)

    const grouped = db.select({ category: posts.category, n: count() }).from(posts).groupBy(posts.category)
    const first = await paginate(fromDrizzle(grouped, { by: ['-category'] }), { cursor: '', limit: 2 })
    const second = await paginate(fromDrizzle(grouped, { by: ['-category'] }), { cursor: first.next, limit: 2 })
    expect([...first.items, ...second.items]).toEqual([{ category: 'news', n: 8 }, { category: 'life', n: 7 }, {
      category: 'art',
      n: 8,
    }])

    const shouted = db.select({ id: posts.id, loud: sql<string>`upper(${posts.title})`.as('loud') }).from(posts)
    const loud = fromDrizzle(shouted, { by: ['-loud', 'id'] })
    expect(await walk(loud, 4)).toEqual(ids(await shouted.orderBy(desc(sql`loud`), posts.id)))
  })

  it.each<[code: string, fault: string, misuse: () => unknown]>([
    ['drizzle_query', 'another value is given', () => fromDrizzle(db as never)],
    ['drizzle_query', 'null or undefined is given', () => fromDrizzle(null as never)],
    ['drizzle_query', 'a table is given', () => fromDrizzle(posts as never)],
    ['drizzle_query', 'the query has a limit', () => fromDrizzle(all().orderBy(posts.id).limit(5))],
    ['drizzle_query', 'the query has an offset', () => fromDrizzle(all().orderBy(posts.id).offset(5))],
    ['drizzle_query', 'a union has a limit', () => fromDrizzle(union(all(), all()).orderBy(sql`id`).limit(5))],
    ['drizzle_order', 'there is no order', () => fromDrizzle(all())],
    ['drizzle_order', 'there is an empty order', () => fromDrizzle(all().orderBy(), { by: [] })],
    ['drizzle_order', 'there are two orders', () => fromDrizzle(all().orderBy(posts.title), { by: ['id'] })],
    ['drizzle_order', 'a union is ordered by keys', () => fromDrizzle(union(all(), all()), { by: ['id'] })],
    ['drizzle_order', 'a `distinct on` is ordered by keys', () => (
      fromDrizzle(db.selectDistinctOn([posts.category]).from(posts), { by: ['category'] })
    )],
    [
      'drizzle_cursor',
      'a cursor is asked without keys',
      () => paginate(fromDrizzle(all().orderBy(posts.id)), { cursor: '', limit: 3 }),
    ],
    [
      'drizzle_key',
      'a key is null',
      () => paginate(fromDrizzle(all(), { by: ['-score' as 'id', 'id'] }), { cursor: '', limit: 3 }),
    ],
    [
      'drizzle_key',
      'a key is not selected',
      () => fromDrizzle(db.select({ title: posts.title }).from(posts), { by: ['id' as 'title'] }),
    ],
  ])('throws %s if %s', async (code, _fault, misuse) => {
    await expect(Promise.resolve().then(misuse)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^\S+ .+\.$/) as string,
    })
  })
})

import fc from 'fast-check'
import { CamelCasePlugin, sql, type Kysely, type KyselyPlugin } from 'kysely'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { ValidationError } from 'resourcery'
import { paginate } from 'resourcery'
import { decodeCursor, encodeCursor } from '../../lib/core/paging/cursor.js'
import { fromKysely } from 'resourcery/kysely'
import type { CursorPage, PageSource } from 'resourcery'
import type { OpenDatabase, TestDatabase } from './databases.js'

interface Tables {
  users: { id: number; name: string }
  posts: {
    id: string
    title: string
    category: string
    score: number | null
    author_id: number
    created_at: Date | string
  }
}

const BEYOND_DOUBLES = 9_007_199_254_740_993n

/** Tests the promises of `fromKysely` on any database. */
export function kyselySourceSuite(open: OpenDatabase): void {
  let database: TestDatabase<Tables>
  let db: Kysely<Tables>

  beforeAll(async () => {
    database = await open<Tables>()
    db = database.db
    const instant = database.dialect === 'postgres' ? sql`timestamptz` : sql`datetime(6)`
    await db.schema.createTable('users')
      .addColumn('id', 'integer', (id) => id.primaryKey())
      .addColumn('name', 'varchar(100)', (name) => name.notNull())
      .execute()
    await db.schema.createTable('posts')
      .addColumn('id', 'bigint', (id) => id.primaryKey())
      .addColumn('title', 'varchar(200)', (title) => title.notNull())
      .addColumn('category', 'varchar(20)', (category) => category.notNull())
      .addColumn('score', 'integer')
      .addColumn('author_id', 'integer', (author) => author.notNull())
      .addColumn('created_at', instant, (created) => created.notNull())
      .execute()
    await db.insertInto('users').values([1, 2, 3].map((id) => ({ id, name: `User ${id}` }))).execute()
    return () => database.close()
  }, 60_000)

  beforeEach(async () => {
    await db.deleteFrom('posts').execute()
    await db.insertInto('posts').values(Array.from({ length: 23 }, (_, index) => post(index))).execute()
  })

  const posts = () => db.selectFrom('posts').selectAll()
  const byId = () => fromKysely(posts().orderBy('id'))
  const ids = (rows: readonly { id: unknown }[]) => rows.map(({ id }) => String(id))

  it('returns the same list in pages of any size', async () => {
    const all = ids(await posts().orderBy('id').execute())
    for (const limit of [1, 2, 5, 22, 23, 24, 1000]) {
      const seen: string[] = []
      for (let page = 1; page <= Math.ceil(23 / limit); page++) {
        const { items, total } = await paginate(byId(), { page, limit })
        expect(total).toBe(23)
        seen.push(...ids(items))
      }
      expect(seen).toEqual(all)
    }
  })

  it('counts also past the end and in an empty table', async () => {
    expect(await paginate(byId(), { page: 4, limit: 10 })).toEqual({ items: [], page: 4, limit: 10, total: 23 })
    await db.deleteFrom('posts').execute()
    expect(await paginate(byId(), 10)).toEqual({ items: [], page: 1, limit: 10, total: 0 })
    expect(await byId().count?.()).toBe(0)
  })

  it('counts only if the page does not determine the total', async () => {
    const counted = counting()
    const rows = db.withPlugin(counted.plugin).selectFrom('posts').selectAll().orderBy('id')
    await paginate(fromKysely(rows), { page: 3, limit: 10 })
    expect(counted.queries).toBe(1)
    await paginate(fromKysely(rows), { page: 2, limit: 10 })
    expect(counted.queries).toBe(3)
    expect(await paginate(fromKysely(rows), { page: 2, limit: 10, total: false })).not.toHaveProperty('total')
    expect(counted.queries).toBe(4)
  })

  it('counts the same query', async () => {
    const pageOf = async <Row>(source: PageSource<Row>) => {
      const { items, total } = await paginate(source, 2)
      return [items.length, total]
    }
    const joined = db.selectFrom('posts').innerJoin('users', 'users.id', 'posts.author_id')
    expect(await pageOf(fromKysely(posts().where('category', '=', 'news').orderBy('id')))).toEqual([2, 8])
    expect(await pageOf(fromKysely(joined.selectAll().orderBy('posts.id')))).toEqual([2, 23])
    expect(await pageOf(fromKysely(joined.select(['posts.id', 'users.name as author']).orderBy('posts.id')))).toEqual([
      2,
      23,
    ])
    expect(
      await pageOf(fromKysely(
        db.selectFrom('users').leftJoin('posts', 'users.id', 'posts.author_id').select('name').orderBy('name'),
      )),
    )
      .toEqual([2, 24])
    expect(await pageOf(fromKysely(db.selectFrom('posts').select('category').distinct().orderBy('category')))).toEqual([
      2,
      3,
    ])
    const grouped = db.selectFrom('posts').groupBy('category').select(['category', (eb) => eb.fn.countAll().as('n')])
      .orderBy('category')
    expect(await pageOf(fromKysely(grouped))).toEqual([2, 3])
    expect(await pageOf(fromKysely(grouped.having(({ fn }) => fn.countAll(), '<', 8)))).toEqual([1, 1])
    const last = db.selectFrom('posts').select(({ fn }) => fn.max('title').as('last')).orderBy('last')
    expect(await pageOf(fromKysely(last))).toEqual([1, 1])
    expect(await fromKysely(last).count?.()).toBe(1)
    expect(await fromKysely(db.selectFrom('posts').select('category').distinct().orderBy('category')).count?.()).toBe(3)
    expect(await fromKysely(db.selectFrom('posts').orderBy('id')).count?.()).toBe(23)
    expect(await pageOf(fromKysely(
      db.selectFrom('posts').select('title as name').union(db.selectFrom('users').select('name')).orderBy('name'),
    ))).toEqual([2, 10])
    expect(await pageOf(fromKysely(
      db.with('news', () => posts().where('category', '=', 'news')).selectFrom('news').selectAll().orderBy('id'),
    ))).toEqual([2, 8])
    expect(await pageOf(fromKysely(posts().orderBy('id').forUpdate()))).toEqual([2, 23])
  })

  it('reads inside a transaction', async () => {
    await db.transaction().execute(async (trx) => {
      await trx.insertInto('posts').values(post(50)).execute()
      const { total } = await paginate(fromKysely(trx.selectFrom('posts').selectAll().orderBy('id')), 5)
      expect(total).toBe(24)
    })
  })

  it('pages by cursor through equal keys and close times, each row once', async () => {
    const orders = [
      fromKysely(posts(), { by: ['id'] }),
      fromKysely(posts(), { by: ['-id'] }),
      fromKysely(posts(), { by: ['created_at', 'id'] }),
      fromKysely(posts(), { by: ['-created_at', 'id'] }),
      fromKysely(posts(), { by: ['-category', 'created_at', '-id'] }),
      fromKysely(posts(), { by: ['title', 'id'] }),
    ]
    for (const source of orders) {
      const { items } = await paginate(source, 1000)
      expect(items).toHaveLength(23)
      for (const limit of [1, 4, 22, 23, 24]) expect(await walk(source, limit)).toEqual(ids(items))
    }
  })

  it('does not change the selected rows', async () => {
    const { items } = await paginate(fromKysely(posts(), { by: ['-created_at', 'id'] }), { cursor: '', limit: 3 })
    const [first] = await posts().orderBy('created_at', 'desc').orderBy('id').limit(1).execute()
    expect(items[0]).toEqual(first)
    expect(Object.keys(items[0] ?? {})).toEqual(['id', 'title', 'category', 'score', 'author_id', 'created_at'])
  })

  it('pages through joins, groups and renamed columns', async () => {
    const joined = db.selectFrom('posts').innerJoin('users', 'users.id', 'posts.author_id')
    const source = fromKysely(joined.select(['posts.id', 'users.name']), { by: ['-users.name', 'posts.id'] })
    expect(await walk(source, 5)).toEqual(ids((await paginate(source, 100)).items))

    const grouped = db.selectFrom('posts').select(['category', ({ fn }) => fn.countAll<string>().as('number')]).groupBy(
      'category',
    )
    const groups = fromKysely(grouped, { by: ['-category'] })
    const first = await paginate(groups, { cursor: null, limit: 2 })
    const second = await paginate(groups, { cursor: first.next, limit: 2 })
    const numbers = [...first.items, ...second.items].map(({ category, number }) => [category, Number(number)])
    expect(numbers).toEqual([['news', 8], ['life', 7], ['art', 8]])

    const camel = db.withPlugin(new CamelCasePlugin()) as unknown as Kysely<{ posts: { id: string; createdAt: Date } }>
    const renamed = fromKysely(camel.selectFrom('posts').selectAll(), { by: ['-createdAt', 'id'] })
    const { items, total } = await paginate(renamed, 20)
    expect([items.length, total]).toEqual([20, 23])
    expect(await walk(renamed, 6)).toEqual(ids((await paginate(renamed, 100)).items))
  })

  it('returns every remaining row once while others are added and deleted', async () => {
    const source = fromKysely(posts(), { by: ['-created_at', 'id'] })
    const staying = ids((await paginate(source, 100)).items)
    const seen: string[] = []
    let cursor: string | null = ''
    for (let step = 0; cursor !== null; step++) {
      const page: CursorPage<{ id: string }> = await paginate(source, { cursor, limit: 4 })
      seen.push(...ids(page.items))
      // One row is added in front, one among the others, and the last one seen is deleted.
      await db
        .insertInto('posts')
        .values([{ ...post(200 + step), created_at: '2030-01-01 00:00:00' }, post(300 + step)])
        .execute()
      const last = await posts().where('id', '=', seen.at(-1) ?? '').executeTakeFirstOrThrow()
      await db.deleteFrom('posts').where('id', '=', last.id).execute()
      cursor = page.next
    }
    expect(seen.filter((id) => staying.includes(id))).toEqual(staying)
    expect(new Set(seen).size).toBe(seen.length)
  })

  it('pages through any list in its order', async () => {
    const row = fc.record({
      title: fc.constantFrom('', 'a', 'A', 'ä', "o'clock \\ %", '🐘'),
      category: fc.constantFrom('x', 'y'),
      micros: fc.integer({ min: 0, max: 3 }),
      score: fc.option(fc.integer({ min: -2, max: 2 })),
    })
    const column = fc.constantFrom(
      'title',
      '-title',
      'category',
      '-category',
      'created_at',
      '-created_at',
      'score',
      '-score',
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 12 }),
        fc.array(column, { maxLength: 3 }),
        fc.constantFrom('id', '-id'),
        fc.integer({ min: 1, max: 6 }),
        async (rows, columns, last, limit) => {
          await db.deleteFrom('posts').execute()
          await db
            .insertInto('posts')
            .values(rows.map(({ title, category, micros, score }, index) => (
              { ...post(index), title, category, score, created_at: `2026-01-01 00:00:00.00000${micros}` }
            )))
            .execute()
          const nullable = columns.some((each) => each.endsWith('score')) ? ['score' as const] : []
          const source = fromKysely(posts(), { by: [...columns, last] as ['id'], nullable })
          const { items } = await paginate(source, 100)
          expect(await walk(source, limit)).toEqual(ids(items))
          if (columns[0]?.endsWith('score') === true) {
            expect(items.map(({ score }) => score === null)).toEqual(
              items.map(({ score }) => score === null).sort(),
            )
          }
        },
      ),
      { numRuns: 25 },
    )
  })

  it('sorts nulls last in both directions, also in a join with a renamed column', async () => {
    const values = async (by: readonly string[]): Promise<unknown[]> =>
      (await paginate(fromKysely(posts(), { by: by as ['id'], nullable: ['score'] }), 100)).items.map(({ score }) =>
        score
      )
    expect((await values(['score', 'id'])).slice(0, 12)).toEqual([1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, null])
    expect((await values(['-score', 'id'])).slice(0, 12)).toEqual([21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1, null])
    for (
      const by of [['score', 'id'], ['-score', '-id'], ['category', '-score', 'id'], ['-category', 'score', '-id']]
    ) {
      const source = fromKysely(posts(), { by: by as ['id'], nullable: ['score'] })
      for (const limit of [1, 4, 11, 12, 22, 23]) {
        expect(await walk(source, limit)).toEqual(
          ids((await paginate(source, 100)).items),
        )
      }
    }
    const joined = db.selectFrom('posts').innerJoin('users', 'users.id', 'posts.author_id').select([
      'posts.id',
      'posts.score as points',
      'users.name',
    ])
    const source = fromKysely(joined, { by: ['-points', 'id'], nullable: ['points'] })
    expect(await walk(source, 5)).toEqual(ids((await paginate(source, 100)).items))
  })

  it('refuses a cursor of another order or another source', async () => {
    const { next } = await paginate(fromKysely(posts(), { by: ['-created_at', 'id'] }), { cursor: '', limit: 3 })
    const others = [fromKysely(posts(), { by: ['created_at', 'id'] }), fromKysely(posts(), { by: ['id'] }), [
      1,
      2,
      3,
    ]] as const
    for (const other of others) {
      await expect(paginate<unknown>(other, { cursor: next, limit: 3 })).rejects.toThrow(ValidationError)
    }
    const [order, ...values] = decodeCursor(next)
    const source = fromKysely(posts(), { by: ['-created_at', 'id'] })
    const [time] = values
    for (
      const forged of [[], [order], [order, time], [order, ...values, '1'], [order, time, 1], [order, null, null], [
        1,
        ...values,
      ]]
    ) {
      await expect(paginate(source, { cursor: encodeCursor(forged), limit: 3 })).rejects.toThrow(ValidationError)
    }
  })

  it('refuses values of other types than the columns', async () => {
    const source = fromKysely(posts(), { by: ['-created_at', 'id'] })
    const day = '2026-01-01'
    for (
      const keys of [['yesterday-ish', '1'], ['2026-13-45', '1'], [day, 'x'], [day, '9'.repeat(400)], [day, '1\0'], [
        '',
        '',
      ]]
    ) {
      const cursor = encodeCursor(['-created_at,id', ...keys])
      const outcome = await paginate(source, { cursor, limit: 3 }).catch((error: unknown) => error)
      // MariaDB accepts any number.
      if (database.dialect === 'mysql' && String(keys[1]).length === 400) expect(outcome).toHaveProperty('items')
      else expect(outcome).toBeInstanceOf(ValidationError)
    }
  })

  it('pages a join by a selected name that two tables have', async () => {
    const joined = db.selectFrom('posts').innerJoin('users', 'users.id', 'posts.author_id')
    const all = ids(await posts().orderBy('id').execute())
    expect(await walk(fromKysely(joined.select(['posts.id', 'users.name as author']), { by: ['id'] }), 5)).toEqual(all)
    expect(await walk(fromKysely(joined.select(['posts.id as id', 'users.id as userId']), { by: ['userId', 'id'] }), 5))
      .toHaveLength(23)
    const named = fromKysely(joined.select(['users.name as title', 'posts.id']), { by: ['-title', 'id'] })
    expect(new Set(await walk(named, 4)).size).toBe(23)
    expect(
      await walk(
        fromKysely(joined.select((eb) => [eb.fn<string>('lower', ['users.name']).as('name'), 'posts.id']), {
          by: ['name', '-id'],
        }),
        4,
      ),
    )
      .toHaveLength(23)
  })

  it('throws if a key could belong to two tables', async () => {
    const joined = db.selectFrom('posts').innerJoin('users', 'users.id', 'posts.author_id').selectAll()
    await expect(paginate(fromKysely(joined, { by: ['id'] }), { cursor: '', limit: 3 })).rejects.toMatchObject({
      code: 'kysely_key',
      message: expect.stringContaining("'posts.id'") as string,
    })
    expect(await walk(fromKysely(joined, { by: ['posts.id'] }), 5)).toHaveLength(23)
  })

  it('passes on other failures of the database', async () => {
    const cursor = encodeCursor(['id', '1'])
    const nowhere = db.selectFrom('nowhere' as 'posts').selectAll()
    const failure = await paginate(fromKysely(nowhere, { by: ['id'] }), { cursor, limit: 3 }).catch((error: unknown) =>
      error
    )
    expect(failure).toBeInstanceOf(Error)
    expect(failure).not.toBeInstanceOf(ValidationError)
  })

  it.each<[code: string, fault: string, misuse: () => unknown]>([
    ['kysely_query', 'another value is given', () => fromKysely(db as never)],
    ['kysely_query', 'null or undefined is given', () => fromKysely(null as never)],
    ['kysely_query', 'the query has a limit', () => fromKysely(posts().orderBy('id').limit(5))],
    ['kysely_query', 'the query has an offset', () => fromKysely(posts().orderBy('id').offset(5))],
    ['kysely_order', 'there is no order', () => fromKysely(posts())],
    ['kysely_order', 'there is an empty order', () => fromKysely(posts(), { by: [] })],
    ['kysely_order', 'there are two orders', () => fromKysely(posts().orderBy('title'), { by: ['id'] })],
    ['kysely_order', 'a union is ordered by keys', () => fromKysely(posts().unionAll(posts()), { by: ['id'] })],
    [
      'kysely_order',
      'a `distinct on` is ordered by keys',
      () => fromKysely(posts().distinctOn('category'), { by: ['category'] }),
    ],
    ['kysely_cursor', 'a cursor is asked without keys', () => paginate(byId(), { cursor: '', limit: 3 })],
    ['kysely_key', 'a key is null', () => {
      // Nulls come first; the compiler refuses it too.
      const nulls = database.dialect === 'postgres' ? '-score' : 'score'
      return paginate(fromKysely(posts(), { by: [nulls as 'id', 'id'] }), { cursor: '', limit: 3 })
    }],
    ['kysely_key', 'a key is not selected', () => (
      paginate(fromKysely(db.selectFrom('posts').select('title'), { by: ['id' as 'title'] }), { cursor: '', limit: 3 })
    )],
  ])('throws %s if %s', async (code, _fault, misuse) => {
    await expect(Promise.resolve().then(misuse)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^\S+ .+\.$/) as string,
    })
  })
}

/** Returns a post: ids exceed 2^53, many times are equal, and some differ by a microsecond. */
function post(index: number): Tables['posts'] {
  return {
    id: String(BEYOND_DOUBLES + BigInt(index)),
    title: `Post ${index % 7}`,
    category: ['news', 'art', 'life'][index % 3] ?? 'news',
    score: index % 2 === 0 ? null : index,
    author_id: 1 + (index % 2),
    created_at: `2026-01-01 00:00:00.12345${index % 5}`,
  }
}

/** Returns the ids on all pages. */
async function walk(source: PageSource<{ id: unknown }>, limit: number): Promise<string[]> {
  const seen: string[] = []
  let cursor: string | null = ''
  do {
    const page: CursorPage<{ id: unknown }> = await paginate(source, { cursor, limit })
    seen.push(...page.items.map(({ id }) => String(id)))
    cursor = page.next
  } while (cursor !== null)
  return seen
}

function counting(): { plugin: KyselyPlugin; queries: number } {
  const counted = {
    queries: 0,
    plugin: {
      transformQuery: ({ node }) => node,
      transformResult: ({ result }) => {
        counted.queries += 1
        return Promise.resolve(result)
      },
    } satisfies KyselyPlugin,
  }
  return counted
}

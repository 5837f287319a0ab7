import type { PGlite } from '@electric-sql/pglite'
import { beforeEach, expect, it } from 'vitest'
import { ValidationError } from 'resourcery'
import { paginate } from 'resourcery'
import { decodeCursor, encodeCursor } from '../../../lib/core/paging/cursor.js'
import type { CursorPage, PageSource } from 'resourcery'
import { idsOrderedBy, insertPost, seed } from './embedded-postgres.js'

type Posts = PageSource<{ id: unknown }>

export interface Library {
  readonly step: 'microsecond' | 'millisecond'
  readonly pglite: () => PGlite
  /** Returns all posts, ordered by id in the query. */
  readonly ordered: () => Posts
  /** Returns all posts in the order of these keys; absent if the library pages by offset. */
  readonly keyed?: (by: readonly string[]) => Posts
  /** Returns the same with a nullable column `score`. */
  readonly scored?: (by: readonly string[]) => Posts
  /** True if only the first column of the order may be null. */
  readonly isFirstOnly?: boolean
}

/** Orders by the names of the models, each with its SQL. */
const ORDERS: readonly (readonly [by: readonly string[], sql: string])[] = [
  [['id'], 'id'],
  [['-id'], 'id desc'],
  [['createdAt', 'id'], 'created_at, id'],
  [['-createdAt', 'id'], 'created_at desc, id'],
  [['-category', 'createdAt', '-id'], 'category desc, created_at, id desc'],
  [['title', 'id'], 'title, id'],
]

/** Tests the promises of every source on the real library. */
export function sourceSuite(library: Library): void {
  beforeEach(() => seed(library.pglite(), library.step))

  it('returns the same counted list in pages of any size', async () => {
    const all = await idsOrderedBy(library.pglite(), 'id')
    for (const limit of [1, 5, 22, 23, 24, 1000]) {
      const seen: string[] = []
      for (let page = 1; page <= Math.ceil(23 / limit); page++) {
        const { items, total } = await paginate(library.ordered(), { page, limit })
        expect(total).toBe(23)
        seen.push(...ids(items))
      }
      expect(seen).toEqual(all)
    }
  })

  it('counts also past the end and in an empty table, and only if requested', async () => {
    expect(await paginate(library.ordered(), { page: 4, limit: 10 })).toEqual({
      items: [],
      page: 4,
      limit: 10,
      total: 23,
    })
    expect(await paginate(library.ordered(), { page: 1, limit: 3, total: false })).not.toHaveProperty('total')
    await library.pglite().exec('delete from posts')
    expect(await paginate(library.ordered(), 10)).toEqual({ items: [], page: 1, limit: 10, total: 0 })
    expect(await library.ordered().count?.()).toBe(0)
  })

  it('can be read several times at once', async () => {
    const source = library.ordered()
    const pages = await Promise.all([1, 2, 3].map((page) => paginate(source, { page, limit: 8 })))
    expect(pages.flatMap(({ items }) => ids(items))).toEqual(await idsOrderedBy(library.pglite(), 'id'))
  })

  const { keyed } = library
  if (keyed === undefined) {
    it('pages by cursor with offsets', async () => {
      expect(await walk(library.ordered(), 4)).toEqual(await idsOrderedBy(library.pglite(), 'id'))
      expect(library.ordered()).not.toHaveProperty('sliceAfter')
    })
    return
  }

  it.each(ORDERS)('pages by cursor in the order of %j, each row once', async (by, sql) => {
    const expected = await idsOrderedBy(library.pglite(), sql)
    expect(ids((await paginate(keyed(by), 1000)).items)).toEqual(expected)
    for (const limit of [1, 4, 22, 23, 24]) expect(await walk(keyed(by), limit)).toEqual(expected)
  })

  const { scored } = library
  if (scored !== undefined) {
    it.each([
      [['score', 'id'], 'score nulls last, id'],
      [['-score', '-id'], 'score desc nulls last, id desc'],
      ...library.isFirstOnly === true
        ? []
        : [[['category', '-score', 'id'], 'category, score desc nulls last, id'] as const],
    ] as const)('pages in the order of %j with nulls last', async (by, sql) => {
      const expected = await idsOrderedBy(library.pglite(), sql)
      expect(ids((await paginate(scored(by), 1000)).items)).toEqual(expected)
      for (const limit of [1, 4, 11, 12, 22, 23]) {
        expect(await walk(scored(by), limit)).toEqual(expected)
        const pages = Array.from({ length: Math.ceil(23 / limit) + 1 }, (_, at) => (
          paginate(scored(by), { page: at + 1, limit })
        ))
        const read = await Promise.all(pages)
        expect([read.flatMap(({ items }) => ids(items)), read.at(-1)?.total]).toEqual([expected, expected.length])
      }
    })
  }

  it('does not change the selected rows', async () => {
    const byCursor = await paginate(keyed(['-createdAt', 'id']), { cursor: '', limit: 3 })
    expect(plain(byCursor.items)).toEqual(plain((await paginate(keyed(['-createdAt', 'id']), 3)).items))
  })

  it('returns every remaining row once while others are added and deleted', async () => {
    const source = keyed(['-createdAt', 'id'])
    const staying = await idsOrderedBy(library.pglite(), 'created_at desc, id')
    const seen: string[] = []
    let cursor: string | null = ''
    for (let step = 0; cursor !== null; step++) {
      const page: CursorPage<{ id: unknown }> = await paginate(source, { cursor, limit: 4 })
      seen.push(...ids(page.items))
      await insertPost(library.pglite(), 200 + step, library.step)
      await library.pglite().query('delete from posts where id = $1', [seen.at(-1)])
      cursor = page.next
    }
    expect(seen.filter((id) => staying.includes(id))).toEqual(staying)
    expect(new Set(seen).size).toBe(seen.length)
  })

  it('refuses a cursor of another order or another source', async () => {
    const { next } = await paginate(keyed(['-createdAt', 'id']), { cursor: '', limit: 3 })
    for (const other of [keyed(['createdAt', 'id']), keyed(['id']), [1, 2, 3]] as const) {
      await expect(paginate<unknown>(other, { cursor: next, limit: 3 })).rejects.toThrow(ValidationError)
    }
    const [order, ...values] = decodeCursor(next)
    for (
      const forged of [[], [order], [order, values[0]], [order, ...values, '1'], [order, null, null], [1, ...values]]
    ) {
      await expect(paginate(keyed(['-createdAt', 'id']), { cursor: encodeCursor(forged), limit: 3 })).rejects.toThrow(
        ValidationError,
      )
    }
  })

  const day = new Date('2026-01-01')
  it.each<readonly [unknown, unknown]>([
    ['yesterday-ish', '1'],
    ['2026-13-45', '1'],
    ['2026-01-01', 'x'],
    ['2026-01-01', '9'.repeat(400)],
    ['2026-01-01', '1\0'],
    ['', ''],
    [day, 'x'],
    [day, true],
    [true, '1'],
    [12, day],
    [day, 1.5],
    [day, 10n ** 30n],
  ])('never fails with an unexpected error on forged values: %s, %s', async (...values) => {
    const cursor = encodeCursor(['-createdAt,id', ...values])
    const outcome = await paginate(keyed(['-createdAt', 'id']), { cursor, limit: 3 }).catch((error: unknown) => error)
    if (!(outcome instanceof ValidationError)) expect(outcome).toHaveProperty('items')
  })

  it.each(['a\0', 'a\ud800', "' or 1=1 --", 7, true, day])(
    'never fails with an unexpected error on a forged string: %s',
    async (title) => {
      const cursor = encodeCursor(['title,id', title, '1'])
      const outcome = await paginate(keyed(['title', 'id']), { cursor, limit: 3 }).catch((error: unknown) => error)
      if (!(outcome instanceof ValidationError)) expect(outcome).toHaveProperty('items')
    },
  )

  it('passes on other failures of the database', async () => {
    const cursor = encodeCursor(['id', '1'])
    await library.pglite().exec('alter table posts rename to elsewhere')
    const failure = await paginate(keyed(['id']), { cursor, limit: 3 }).catch((error: unknown) => error)
    await library.pglite().exec('alter table elsewhere rename to posts')
    expect(failure).toBeInstanceOf(Error)
    expect(failure).not.toBeInstanceOf(ValidationError)
  })
}

export function ids(rows: readonly { id: unknown }[]): string[] {
  return rows.map(({ id }) => String(id))
}

/** Returns the number of items on a page of two, and the total. */
export async function pageOf(source: PageSource<unknown>): Promise<[items: number, total: number]> {
  const { items, total } = await paginate(source, 2)
  return [items.length, total]
}

/** Returns the ids on all pages. */
export async function walk(source: Posts, limit: number): Promise<string[]> {
  const seen: string[] = []
  let cursor: string | null = ''
  do {
    const page: CursorPage<{ id: unknown }> = await paginate(source, { cursor, limit })
    seen.push(...ids(page.items))
    cursor = page.next
  } while (cursor !== null)
  return seen
}

function plain(rows: unknown): unknown {
  return JSON.parse(JSON.stringify(rows, (_key, value: unknown) => typeof value === 'bigint' ? String(value) : value))
}

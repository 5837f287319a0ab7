import type { Request } from 'express'
import type { Kysely } from 'kysely'
import { describe, expectTypeOf, it } from 'vitest'
import { formatData } from 'resourcery'
import { paginate, toPage } from 'resourcery'
import { fromKysely } from 'resourcery/kysely'
import type { CursorPage, Meta, Page, PageSource, UncountedPage } from '../lib/core/base/types.js'

interface User {
  id: number
  name: string
}

declare const users: readonly User[]
declare const source: PageSource<User>
declare const req: Request
declare const cursor: string | undefined
declare const db: Kysely<{ users: User & { age: number | null } }>

describe('paginate', () => {
  it('returns the type of page that the options select', () => {
    expectTypeOf(paginate(users, 20)).toEqualTypeOf<Promise<Page<User>>>()
    expectTypeOf(paginate(source, { page: 1, limit: 20 })).toEqualTypeOf<Promise<Page<User>>>()
    expectTypeOf(paginate(source, { page: 1, limit: 20, total: true })).toEqualTypeOf<Promise<Page<User>>>()
    expectTypeOf(paginate(source, { page: 1, limit: 20, total: false })).toEqualTypeOf<Promise<UncountedPage<User>>>()
    expectTypeOf(paginate(source, { cursor: '', limit: 20 })).toEqualTypeOf<Promise<CursorPage<User>>>()
    expectTypeOf(paginate(source, { cursor: null, limit: 20 })).toEqualTypeOf<Promise<CursorPage<User>>>()
    expectTypeOf(paginate(source, { page: 1, limit: 20, cursor: cursor })).toEqualTypeOf<Promise<Page<User> | CursorPage<User>>>()
  })

  it('accepts the result of RequestParam.page', () => {
    const asked = { page: 1, limit: 20, offset: 0, search: '' }
    expectTypeOf(paginate(users, asked)).toEqualTypeOf<Promise<Page<User>>>()
    expectTypeOf(paginate(users, { ...asked, total: false })).toEqualTypeOf<Promise<UncountedPage<User>>>()
    expectTypeOf(paginate(users, { ...asked, cursor: '' })).toEqualTypeOf<Promise<CursorPage<User>>>()
  })

  it('accepts a request', () => {
    expectTypeOf(paginate(users, req)).toEqualTypeOf<Promise<Page<User> | CursorPage<User>>>()
    expectTypeOf(paginate(source, req, { limit: 10, maxLimit: 50 }))
      .toEqualTypeOf<Promise<Page<User> | CursorPage<User>>>()
    // @ts-expect-error a misspelt option
    void paginate(users, req, { max: 50 })
    // @ts-expect-error the limits are those of a request
    void paginate(users, 20, { maxLimit: 50 })
  })

  it('refuses other sources and options', () => {
    // @ts-expect-error a promise is to be awaited
    void paginate(Promise.resolve(users), 20)
    // @ts-expect-error a query needs a source
    void paginate(db.selectFrom('users').selectAll(), 20)
    // @ts-expect-error the limit is missing
    void paginate(users, { page: 1 })
    // @ts-expect-error a misspelt option
    void paginate(users, { page: 1, limit: 20, totals: false })
    // @ts-expect-error a string is not a limit
    void paginate(users, '20')
  })

  it('toPage requires a total', () => {
    expectTypeOf(toPage(users, { page: 1, limit: 20, total: '57' })).toEqualTypeOf<Page<User>>()
    // @ts-expect-error the total is missing
    toPage(users, { page: 1, limit: 20 })
  })
})

describe('fromKysely', () => {
  it('returns the rows of the query', () => {
    const rows = db.selectFrom('users').select(['id', 'age']).orderBy('id')
    expectTypeOf(fromKysely(rows)).toEqualTypeOf<PageSource<{ id: number; age: number | null }>>()
    expectTypeOf(paginate(fromKysely(rows), 20)).toEqualTypeOf<Promise<Page<{ id: number; age: number | null }>>>()
  })

  it('orders by selected columns that are never null', () => {
    const rows = db.selectFrom('users').select(['id', 'age'])
    fromKysely(rows, { by: ['id'] })
    fromKysely(rows, { by: ['-users.id', 'id'] })
    // @ts-expect-error a nullable column
    fromKysely(rows, { by: ['age', 'id'] })
    // @ts-expect-error not selected
    fromKysely(rows, { by: ['name', 'id'] })
    // @ts-expect-error a misspelt column
    fromKysely(rows, { by: ['-idd'] })
    // @ts-expect-error a database is not a query
    fromKysely(db)
  })

  it('accepts any key of an untyped database', () => {
    const untyped = null as unknown as Kysely<Record<string, Record<string, unknown>>>
    fromKysely(untyped.selectFrom('users').selectAll(), { by: ['-anything', 'id'] })
  })
})

describe('formatData', () => {
  const nameOf = ({ name }: User): string => name

  it('maps items, lists, records and null', () => {
    expectTypeOf(formatData({} as Page<User>, nameOf)).toEqualTypeOf<{ data: string[]; meta: Meta }>()
    expectTypeOf(formatData({} as UncountedPage<User>, (user) => user.id)).toEqualTypeOf<{ data: number[]; meta: Meta }>()
    expectTypeOf(formatData({} as CursorPage<User>, (user) => user.id).data).toEqualTypeOf<number[]>()
    expectTypeOf(formatData(users, (user) => user.id).data).toEqualTypeOf<number[]>()
    expectTypeOf(formatData({} as User, (user) => ({ id: user.id })).data).toEqualTypeOf<{ id: number }>()
    expectTypeOf(formatData({} as User | null, nameOf).data).toEqualTypeOf<string | null>()
    expectTypeOf(formatData({} as User | undefined, (user) => user.id).data).toEqualTypeOf<number | null>()
    expectTypeOf(formatData(null, () => 1).data).toEqualTypeOf<null>()
    expectTypeOf(formatData({} as Page<User> | null, (user) => user.id).data).toEqualTypeOf<number[] | null>()
    expectTypeOf(formatData({} as Page<User> | CursorPage<User>, (user) => user.id).data).toEqualTypeOf<number[]>()
  })

  it('refuses a callback for other values, and a promise', () => {
    // @ts-expect-error the items are no pages
    formatData({} as Page<User>, (page: Page<User>) => page.total)
    // @ts-expect-error users, not numbers
    formatData(users, (user: number) => user)
    // @ts-expect-error the callback is synchronous
    formatData(users, async (user) => user.id)
  })
})

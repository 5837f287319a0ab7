import { sql, type ColumnType, type ExpressionBuilder, type Generated, type JSONColumnType, type Kysely } from 'kysely'
import { describe, expectTypeOf, it } from 'vitest'
import { raw, type Store, type Where } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'

interface Tables {
  tickets: {
    id: Generated<string>
    title: string
    age: number | null
    tags: JSONColumnType<string[]>
    notes: string
    dueOn: ColumnType<Date, string, string> | null
    open: boolean
  }
}

declare const db: Kysely<Tables>
const store = () => kyselyStore(db, 'tickets', { columns: { id: 'integer', tags: 'json', notes: 'json', dueOn: 'calendarDate' } })
type Ticket = ReturnType<typeof store> extends Store<infer Row, Kysely<Tables>> ? Row : never

describe('kyselyStore', () => {
  it('is a Store of the rows of the table', () => {
    expectTypeOf(store()).toExtend<Store<Ticket, Kysely<Tables>>>()
  })

  it('has rows of the declared types, with typed JSON columns', () => {
    expectTypeOf<Ticket['id']>().toEqualTypeOf<number>()
    expectTypeOf<Ticket['tags']>().toEqualTypeOf<string[]>()
    expectTypeOf<Ticket['notes']>().toEqualTypeOf<unknown>()
    expectTypeOf<Ticket['dueOn']>().toEqualTypeOf<string | null>()
    expectTypeOf<Ticket['age']>().toEqualTypeOf<number | null>()
  })

  it('refuses unknown columns and types with a readable message', () => {
    // @ts-expect-error The table has no column "titel"
    kyselyStore(db, 'tickets', { columns: { titel: 'string' } })
    // @ts-expect-error no such type
    kyselyStore(db, 'tickets', { columns: { title: 'text' } })
    // @ts-expect-error no such option
    kyselyStore(db, 'tickets', { colums: { title: 'string' } })
    // @ts-expect-error no such key
    kyselyStore(db, 'tickets', { key: 'uid' })
  })
})

describe('Where', () => {
  it('accepts the operators of each column with values of its type', () => {
    const where: Where<Ticket> = [
      ['id', '!=', 7], ['id', 'not in', [1, 2]], ['title', 'startsWith', 'a'], ['title', 'contains', 'b'], ['age', '=', null], ['age', '!=', null], ['age', '<=', 5],
      ['dueOn', '>=', '2026-12-01'], ['open', '=', true], { any: [[['age', '!=', 3]], [raw(sql`1 = 1`)]] },
      raw((eb: ExpressionBuilder<Tables, 'tickets'>) => eb('tickets.title', '=', 'a')),
    ]
    expectTypeOf(where).toExtend<Where<Ticket>>()
  })

  it('refuses other columns, operators and values', () => {
    // @ts-expect-error no such column
    const column: Where<Ticket> = [['titel', '=', 'a']]
    // @ts-expect-error a string is compared with a number
    const type: Where<Ticket> = [['id', '=', '7']]
    // @ts-expect-error a number has no `startsWith`
    const search: Where<Ticket> = [['id', 'startsWith', '7']]
    // @ts-expect-error the column is never null
    const nothing: Where<Ticket> = [['id', '=', null]]
    // @ts-expect-error null cannot be a bound
    const bound: Where<Ticket> = [['age', '<', null]]
    // @ts-expect-error a list is never compared
    const list: Where<Ticket> = [['tags', '=', ['a']]]
    // @ts-expect-error no such operator
    const operator: Where<Ticket> = [['id', '<>', 7]]
    expectTypeOf([column, type, search, nothing, bound, list, operator]).toBeArray()
  })
})

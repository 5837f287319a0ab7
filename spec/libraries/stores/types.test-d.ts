import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { bigint, date, integer, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import type { Knex } from 'knex'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { crud, type Store } from 'resourcery/crud'
import { drizzleStore } from 'resourcery/drizzle'
import { knexStore } from 'resourcery/knex'

const In = z.object({ title: z.string() })
const Out = z.object({ id: z.int(), title: z.string() })

describe('drizzleStore', () => {
  const posts = pgTable('posts', {
    id: integer().primaryKey(), title: text().notNull(), age: integer(), dueOn: date(), tags: jsonb().$type<string[]>().notNull(), at: timestamp().notNull(), big: bigint({ mode: 'bigint' }).notNull(),
  })
  const db = {} as NodePgDatabase
  const store = () => drizzleStore(db, posts)

  it('has the rows inferred from the schema, and the database as `db`', () => {
    expectTypeOf(store()).toEqualTypeOf<Store<typeof posts.$inferSelect, NodePgDatabase>>()
    type Row = ReturnType<typeof store> extends Store<infer R, NodePgDatabase> ? R : never
    expectTypeOf<Row>().toEqualTypeOf<{ id: number; title: string; age: number | null; dueOn: string | null; tags: string[]; at: Date; big: bigint }>()
    void crud(store(), { input: In, output: Out, sort: ['title'], filters: { age: { eq: z.coerce.number() } }, scope: () => [['dueOn', '!=', null]] })
  })

  it('refuses unknown columns and options', () => {
    // @ts-expect-error no such column
    void crud(store(), { input: In, output: Out, search: ['titel'] })
    // @ts-expect-error no such key
    drizzleStore(db, posts, { key: 'uid' })
    // @ts-expect-error no such option
    drizzleStore(db, posts, { keys: 'id' })
    // @ts-expect-error a name is not a table
    drizzleStore(db, 'posts')
  })
})

describe('knexStore', () => {
  interface Post { id: number; title: string; age: number | null; dueOn: string | null; tags: string[]; at: Date; open: boolean }
  const knex = {} as Knex
  const store = () => knexStore(knex, knex<Post>('posts'), { columns: { id: 'integer', dueOn: 'calendarDate', tags: 'json', at: 'date', open: 'boolean' } })

  it('has the rows of the query or of the type parameter, and the database as `db`', () => {
    expectTypeOf(store()).toEqualTypeOf<Store<Post, Knex>>()
    expectTypeOf(knexStore<Post, Knex>(knex, 'posts', { columns: { id: 'number', title: 'string' } })).toEqualTypeOf<Store<Post, Knex>>()
    expectTypeOf(knexStore<Post>(knex, 'posts')).toExtend<Store<Post>>()
    expectTypeOf(knexStore(knex, 'posts')).toExtend<Store<Record<string, unknown>>>()
    void crud(store(), { input: In, output: Out, sort: ['title'], scope: () => [['open', '=', true]] })
  })

  it('refuses unknown columns and other types', () => {
    // @ts-expect-error no such column
    void crud(store(), { input: In, output: Out, search: ['titel'] })
    // @ts-expect-error no such column
    void crud(knexStore<Post>(knex, 'posts'), { input: In, output: Out, sort: ['titel'] })
    // @ts-expect-error no such key
    knexStore<Post>(knex, 'posts', { key: 'uid' })
    // @ts-expect-error no such column
    knexStore<Post>(knex, 'posts', { columns: { titel: 'string' } })
    // @ts-expect-error a number is not a string
    knexStore<Post>(knex, 'posts', { columns: { id: 'string' } })
    // @ts-expect-error a string is not JSON
    knexStore<Post>(knex, 'posts', { columns: { title: 'json' } })
    // @ts-expect-error no such type
    knexStore<Post>(knex, 'posts', { columns: { id: 'int' } })
  })
})

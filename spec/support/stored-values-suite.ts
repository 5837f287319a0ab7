import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kyselyStore } from 'resourcery/kysely'
import type { OpenDatabase, TestDatabase } from './databases.js'

const LEVELS = ['low', 'mid', 'high', "it's"] as const

interface Tables {
  notes: { id: number; level: string | null; body: unknown }
}

/** Describes values that drivers and databases treat in ways of their own: strings in JSON, and enums. */
export function storedValuesSuite(open: OpenDatabase): void {
  describe('stored values', () => {
    let database: TestDatabase<Tables>
    beforeAll(async () => {
      database = await open<Tables>()
      const labels = sql.raw(LEVELS.map((level) => `'${level.replace("'", "''")}'`).join())
      const isPostgres = database.dialect === 'postgres'
      if (isPostgres) await sql`create type level as enum (${labels})`.execute(database.db)
      await sql`create table notes (id int primary key, level ${isPostgres ? sql`level` : sql`enum(${labels})`},
        body ${isPostgres ? sql`jsonb` : sql`json`})`.execute(database.db)
    })
    afterAll(() => database.close())
    const notes = () => kyselyStore(database.db, 'notes', { columns: { body: 'json' } })

    it('of JSON are read as they were written, strings among them', async () => {
      const { db, dialect } = database
      await db.deleteFrom('notes').execute()
      const bodies = [{ a: [1] }, ['x'], 'text', '', 7, true, null]
      // MariaDB calls JSON a string, and its drivers may parse it or not.
      if (dialect === 'postgres') bodies.push('7', 'null', '{"a":1}')
      for (const [id, body] of bodies.entries()) expect((await notes().create({ id, body })).body).toEqual(body)
      const rows = await notes().list({ where: [], order: ['id'] }).slice(0, 20)
      expect(rows.map(({ body }) => body)).toEqual(bodies)
    })

    it.each(['level', '-level'])('of an enum are paged by cursor in the order of its labels: %s', async (order) => {
      const { db } = database
      await db.deleteFrom('notes').execute()
      const levels = [...LEVELS, ...LEVELS, null, null]
      await db.insertInto('notes').values(levels.map((level, id) => ({ id, level, body: null }))).execute()
      const source = notes().list({ where: [], order: [order, 'id'] })
      const sorted = order === 'level' ? LEVELS : LEVELS.toReversed()
      const expected = [...sorted.flatMap((level) => [level, level]), null, null]
      expect((await source.slice(0, 20)).map(({ level }) => level)).toEqual(expected)
      const paged: unknown[] = []
      type Page = Awaited<ReturnType<NonNullable<typeof source.sliceAfter>>>
      let next: Page['next'] = null
      do {
        const page: Page | undefined = await source.sliceAfter?.(next, 1)
        paged.push(...page?.items.map(({ level }) => level) ?? [])
        next = page?.next ?? null
      } while (next !== null)
      expect(paged).toEqual(expected)
      await expect(source.sliceAfter?.([`${order},id`, 'none', '1'], 1)).rejects.toMatchObject({ status: 422 })
    })
  })
}

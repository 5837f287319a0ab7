import { sql, type Generated } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { paginate, type CursorPage, type PageSource } from 'resourcery'
import { fromKysely, kyselyStore } from 'resourcery/kysely'
import type { OpenDatabase, TestDatabase } from './databases.js'

const LEVELS = ['low', 'mid', 'high', "it's"] as const

interface Tables {
  notes: { id: number; level: string | null; body: unknown }
  texts: { id: number; body: unknown }
  blanks: { id: Generated<number>; body: Generated<string> }
  ends: { id: number; ratio: number; price: string; at: Date }
  times: { id: number; at: Date }
  marks: { id: number; mark: string; tags: string; score: number; uid: string; code: string }
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

    /** Reads a list by cursor, one row a page. */
    const walk = async <Row>(source: PageSource<Row>): Promise<Row[]> => {
      const rows: Row[] = []
      let cursor: string | null = ''
      do {
        const page: CursorPage<Row> = await paginate(source, { cursor, limit: 1 })
        rows.push(...page.items)
        cursor = page.next
      } while (cursor !== null && rows.length < 100)
      return rows
    }

    it('of JSON are read as they were written, strings among them', async () => {
      const { db } = database
      await db.deleteFrom('notes').execute()
      const bodies = [{ a: [1] }, ['x'], 'text', '', 7, true, null, '7', 'null', '{"a":1}', '"x"']
      for (const [id, body] of bodies.entries()) expect((await notes().create({ id, body })).body).toEqual(body)
      const rows = await notes().list({ where: [], order: ['id'] }).slice(0, 20)
      expect(rows.map(({ body }) => body)).toEqual(bodies)
    })

    it('of JSON in a column of strings are read as they were written', async () => {
      const { db } = database
      await sql`create table texts (id int primary key, body text)`.execute(db)
      const texts = kyselyStore(db, 'texts', { columns: { body: 'json' } })
      const bodies = [{ a: [1] }, 'text', 7, '7', '{"a":1}']
      for (const [id, body] of bodies.entries()) expect((await texts.create({ id, body })).body).toEqual(body)
    })

    it('of a row without any given one are the defaults', async () => {
      const { db, dialect } = database
      const id = sql.raw(dialect === 'postgres' ? 'int generated always as identity' : 'int auto_increment')
      await sql`create table blanks (id ${id} primary key, body varchar(5) not null default 'none')`.execute(db)
      const blanks = kyselyStore(db, 'blanks')
      expect(await blanks.create({})).toEqual({ id: 1, body: 'none' })
      expect(await blanks.createMany?.([{}, {}])).toEqual([{ id: 2, body: 'none' }, { id: 3, body: 'none' }])
    })

    it.each(['ratio', '-ratio', 'price', '-price', 'at', '-at'])(
      'without an end are paged by cursor on PostgreSQL: %s',
      async (order) => {
        const { db, dialect } = database
        if (dialect !== 'postgres') return
        await sql`create table if not exists ends (id int primary key, ratio float8, price numeric, at timestamptz)`
          .execute(db)
        await db.deleteFrom('ends').execute()
        const values = ['Infinity', '-Infinity', 'NaN', '1', '2.5']
        for (const [id, value] of [...values, ...values].entries()) {
          const at = /\d|NaN/.test(value) ? '2026-01-01 00:00:00+00' : value.toLowerCase()
          await sql`insert into ends values (${id}, ${value}, ${value}, ${at})`.execute(db)
        }
        const ends = kyselyStore(db, 'ends').list({ where: [], order: [order, 'id'] })
        const all = (await ends.slice(0, 20)).map(({ id }) => id)
        expect((await walk(ends)).map(({ id }) => id)).toEqual(all)
      },
    )

    it('of early instants are read as they were written, or refused', async () => {
      const { db, dialect } = database
      const type = sql.raw(dialect === 'postgres' ? 'timestamptz' : 'datetime(3)')
      await sql`create table times (id int primary key, at ${type})`.execute(db)
      const times = kyselyStore(db, 'times')
      const [early, late] = [new Date('0033-04-03T15:00:00.000Z'), new Date('1000-02-01T00:00:00.000Z')]
      expect((await times.create({ id: 1, at: late })).at).toEqual(late)
      const created = times.create({ id: 2, at: early })
      if (dialect === 'postgres') expect((await created).at).toEqual(early)
      else await expect(created).rejects.toMatchObject({ status: 422, columns: ['at'] })
    })

    it.each(['level', '-level'])('of an enum are paged by cursor in the order of its labels: %s', async (order) => {
      const { db } = database
      await db.deleteFrom('notes').execute()
      const levels = [...LEVELS, ...LEVELS, null, null]
      await db.insertInto('notes').values(levels.map((level, id) => ({ id, level, body: null }))).execute()
      const sorted = order === 'level' ? LEVELS : LEVELS.toReversed()
      const expected = [...sorted.flatMap((level) => [level, level]), null, null]
      const source = notes().list({ where: [], order: [order, 'id'] })
      const query = fromKysely(db.selectFrom('notes').selectAll(), { by: [order as 'level', 'id'],
        nullable: ['level'] })
      for (const each of [source, query]) {
        expect((await each.slice(0, 20)).map(({ level }) => level)).toEqual(expected)
        expect((await walk(each)).map(({ level }) => level)).toEqual(expected)
      }
      await expect(source.sliceAfter?.([`${order},id`, 'none', '1'], 1)).rejects.toMatchObject({ status: 422 })
    })

    it.each(['mark', '-mark', 'tags', '-tags', 'score', '-score', 'uid', '-uid', 'code', '-code'])(
      'are paged by cursor in the order that the database gives them: %s',
      async (order) => {
        const { db, dialect } = database
        const marks = Array.from({ length: 12 }, (_, index) => String(index + 1))
        const [enumOf, setOf] = dialect === 'postgres'
          ? [sql`text`, sql`text`]
          : [sql.raw(`enum(${marks.map((mark) => `'${mark}'`).join()})`), sql`set('y', 'x', 'z')`]
        await sql`create table if not exists marks (id int primary key, mark ${enumOf}, tags ${setOf},
          score ${sql.raw(dialect === 'postgres' ? 'real' : 'float')}, uid uuid, code varchar(20))`.execute(db)
        await db.deleteFrom('marks').execute()
        const tags = ['x', 'y', 'x,y', 'z', '', 'y']
        const scores = [0.1, 0.2, 16777216, 16777218, -1e-20, 3e10]
        const uids = ['11111111-1111-1111-1111-111111111111', '0a111111-1111-1111-1111-111111111111']
        const codes = ['5', '10', 'z', '', '9', '10']
        await db.insertInto('marks').values(Array.from({ length: 24 }, (_, id) => ({
          id: id * 7 % 24,
          mark: marks[id % 12] ?? '',
          tags: tags[id % 6] ?? '',
          score: scores[id % 6] ?? 0,
          uid: uids[id % 2] ?? '',
          code: codes[id % 6] ?? '',
        }))).execute()
        const query = fromKysely(db.selectFrom('marks as m').selectAll(), { by: [order as 'mark', 'id'] })
        const all = await query.slice(0, 100)
        const store = kyselyStore(db, 'marks').list({ where: [], order: [order, 'id'] })
        for (const source of [store, query]) {
          expect((await walk<{ id: number }>(source)).map(({ id }) => id)).toEqual(all.map(({ id }) => id))
        }
      },
    )
  })
}

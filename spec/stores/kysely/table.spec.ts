import { DummyDriver, Kysely, MssqlAdapter, MysqlAdapter, MysqlQueryCompiler, SqliteAdapter, SqliteQueryCompiler,
  type CompiledQuery, type Dialect, type Driver } from 'kysely'
import { describe, expect, it } from 'vitest'
import { kyselyStore } from 'resourcery/kysely'

interface Tables {
  notes: { id: number; title: string; done: boolean; seenAt: string | null }
}

/** The catalog of the table. */
const NOTES = [['id', 'integer'], ['title', 'varchar(50)'], ['done', 'tinyint(1)'], ['seenAt', 'datetime']].map((
  [name, value],
) => ({ part: 'column', name, value }))

/** A recording database that always returns the same row, except for its catalog. */
function recording(
  adapter: MysqlAdapter | SqliteAdapter | MssqlAdapter,
  rows: object[] = [{ id: 5, title: 'Milk', done: 1 }],
) {
  const queries: CompiledQuery[] = []
  const driver: Driver = Object.assign(new DummyDriver(), {
    acquireConnection: async () => ({
      executeQuery: async (query: CompiledQuery) => {
        if (query.sql.includes("'column' as part")) return { rows: NOTES }
        if (/'(?:constraint|json)' as part/.test(query.sql)) return { rows: [] }
        queries.push(query)
        return { rows, insertId: 5n, numAffectedRows: 1n }
      },
      streamQuery: () => {
        throw new Error('not asked for')
      },
    }),
  })
  const dialect = {
    createAdapter: () => adapter,
    createDriver: () => driver,
    createIntrospector: () => ({}),
    createQueryCompiler: () => (adapter instanceof MysqlAdapter ? new MysqlQueryCompiler() : new SqliteQueryCompiler()),
  } as unknown as Dialect
  return { queries, db: new Kysely<Tables>({ dialect }) }
}

describe('kyselyStore', () => {
  it('finds the inserted row by the key that MySQL reports', async () => {
    const { db, queries } = recording(new MysqlAdapter())
    expect(await kyselyStore(db, 'notes', { columns: { done: 'boolean' } }).create({ title: 'Milk' })).toEqual({
      id: 5,
      title: 'Milk',
      done: true,
    })
    expect(queries.map(({ sql, parameters }) => [sql, parameters])).toEqual([
      ['insert into `notes` (`title`) values (?)', ['Milk']],
      ['select * from `notes` where `id` in (?)', [5n]],
    ])
    await kyselyStore(db, 'notes').create({ id: 9, title: 'Tea' }).catch(() => undefined)
    expect(queries.at(-1)?.parameters).toEqual([9])
  })

  it('throws if that row does not exist', async () => {
    const { db } = recording(new MysqlAdapter(), [])
    await expect(kyselyStore(db, 'notes').create({ title: 'Milk' })).rejects.toThrow('cannot be found by its key')
  })

  it('binds every value, and compares strings byte by byte in MySQL', async () => {
    const { db, queries } = recording(new MysqlAdapter())
    await kyselyStore(db, 'notes')
      .list({ where: [['title', '=', "a'; --"], ['title', 'contains', '50%_!']], order: ['id'] })
      .slice(0, 5)
    expect(queries[0]?.sql).not.toContain('--')
    expect(queries[0]?.sql).toContain(
      'cast(convert(`title` using utf8mb4) as binary) = cast(convert(? using utf8mb4) as binary)',
    )
    expect(queries[0]?.parameters).toEqual(["a'; --", "a'; --", '%50!%!_!!%', 5, 0])
  })

  it('inserts a row of defaults only', async () => {
    const { db, queries } = recording(new SqliteAdapter())
    await kyselyStore(db, 'notes').create({})
    expect(queries[0]?.sql).toBe('insert into "notes" default values returning *')
  })

  it('sends no query for empty lists of keys', async () => {
    const { db, queries } = recording(new SqliteAdapter())
    const store = kyselyStore(db, 'notes')
    expect([await store.find([]), await store.delete([])]).toEqual([[], 0])
    expect(queries).toEqual([])
  })

  it('divides keys that are more than one statement takes, such as those of all children of a record', async () => {
    const { db, queries } = recording(new SqliteAdapter())
    const keys = Array.from({ length: 40_000 }, (_, index) => index + 1)
    expect(await kyselyStore(db, 'notes').find([...keys, 5])).toMatchObject([{ id: 5 }])
    await kyselyStore(db, 'notes').transaction(async (inside) => inside.delete(keys))
    const sizes = queries.filter(({ sql }) => sql.includes(' in (')).map((
      { sql, parameters },
    ) => [sql.slice(0, 6), parameters.length])
    expect(sizes).toEqual([...Array(4).fill(['select', 10_000]), ...Array(4).fill(['delete', 10_000])])
    expect(new Set(queries.flatMap(({ parameters }) => parameters)).size).toBe(40_000)
  })

  it('tests a column of unknown type only for null, unless its type is declared', async () => {
    const { db, queries } = recording(new SqliteAdapter())
    await kyselyStore(db, 'notes').find([5], [['seenAt', '=', null], ['seenAt', '!=', null]])
    expect(queries[0]?.sql).toContain('"seenAt" is null and "seenAt" is not null')
    await expect(kyselyStore(db, 'notes').find([5], [['seenAt', '>=', '2026']])).rejects.toMatchObject({
      code: 'store_column_type',
    })
    await kyselyStore(db, 'notes', { columns: { seenAt: 'string' } }).find([5], [['seenAt', '>=', '2026']])
    expect(queries).toHaveLength(2)
  })

  it('refuses an unknown database', () => {
    expect(() => kyselyStore(recording(new MssqlAdapter()).db, 'notes')).toThrow(
      expect.objectContaining({ code: 'kysely_dialect' }),
    )
  })
})

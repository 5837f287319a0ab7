import { sql, type Kysely } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kyselyStore } from 'resourcery/kysely'
import { servers, type TestDatabase } from '../support/databases.js'

interface Tables {
  decimals: { id: string; note: string | null }
  chars: { id: string; note: string | null }
  instants: { id: Date; note: string | null }
  labels: { id: string; note: string | null }
}

describe.each(servers)('keys that %s stores in another form', (_name, open) => {
  let database: TestDatabase<Tables>
  let db: Kysely<Tables>
  beforeAll(async () => {
    database = await open<Tables>()
    db = database.db
    const isMysql = database.dialect === 'mysql'
    await sql`create table decimals (id decimal(10, 2) primary key, note varchar(20))`.execute(db)
    await sql`create table chars (id char(5) primary key, note varchar(20))`.execute(db)
    await sql.raw(`create table instants (id ${isMysql ? 'datetime(3)' : 'timestamptz'} primary key,
      note varchar(20))`).execute(db)
    await sql.raw(`create table labels (id ${isMysql ? "enum('open', 'Closed')" : 'varchar(10)'} primary key,
      note varchar(20))`).execute(db)
  }, 60_000)
  afterAll(() => database.close())

  it('finds a decimal by other digits of the same value', async () => {
    const store = kyselyStore(db, 'decimals', { columns: { id: 'decimal' } })
    expect(await store.create({ id: '2', note: 'a' })).toEqual({ id: '2.00', note: 'a' })
    expect(await store.create({ id: '-0.5', note: 'b' })).toEqual({ id: '-0.50', note: 'b' })
    expect(await store.find(['2', '-00.5', '2.00', '2.000', '3'])).toEqual([
      { id: '2.00', note: 'a' },
      { id: '-0.50', note: 'b' },
    ])
    expect(await store.update('2.0', { note: 'c' })).toEqual({ id: '2.00', note: 'c' })
    expect(await store.delete(['2'])).toBe(1)
  })

  it('finds a row by a string without the spaces that a char has at its end', async () => {
    const store = kyselyStore(db, 'chars')
    const { id } = await store.create({ id: 'ab ', note: 'a' })
    expect(id.trimEnd()).toBe('ab')
    expect(await store.find(['ab'])).toEqual([{ id, note: 'a' }])
    expect(await store.update('ab', { note: 'b' })).toEqual({ id, note: 'b' })
    expect(await store.find(['a b', 'AB'])).toEqual([])
  })

  it('tells instants of one second apart', async () => {
    const store = kyselyStore(db, 'instants')
    const [early, late] = [new Date('2026-01-01T10:11:12.123Z'), new Date('2026-01-01T10:11:12.124Z')]
    await store.create({ id: early, note: 'early' })
    await store.create({ id: late, note: 'late' })
    expect(await store.find([late, early])).toEqual([{ id: late, note: 'late' }, { id: early, note: 'early' }])
  })

  it('returns a new row whose key is stored in other letters', async () => {
    const store = kyselyStore(db, 'labels')
    const given = database.dialect === 'mysql' ? 'CLOSED' : 'Closed'
    expect(await store.create({ id: given, note: 'a' })).toEqual({ id: 'Closed', note: 'a' })
  })
})

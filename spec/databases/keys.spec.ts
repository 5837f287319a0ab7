import express from 'express'
import { sql, type Kysely } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { errorHandler, mountResource, param } from 'resourcery'
import { crud } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'
import { inject } from 'resourcery/testing'
import { servers, type TestDatabase } from '../support/databases.js'

interface Tables {
  decimals: { id: string; note: string | null }
  chars: { id: string; note: string | null }
  instants: { id: Date; note: string | null }
  labels: { id: string; note: string | null }
  slots: { id: Date; owner: string }
  visits: { id: number; slot: Date | null; kind: string | null }
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
  })
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

  describe('of a crud resource', () => {
    const [early, late, theirs] = ['123', '456', '789'].map((digits) => `2026-02-01T10:11:12.${digits}Z`)
    const app = express()
    const send = async (method: string, path: string, body?: object) => {
      const reply = await inject(app, { method, path, ...(body !== undefined && { body }) })
      return { status: reply.status, ...reply.json as { data: never } }
    }
    beforeAll(async () => {
      const isMysql = database.dialect === 'mysql'
      const time = isMysql ? 'datetime(3)' : 'timestamptz'
      await sql.raw(`create table slots (id ${time} primary key, owner varchar(9) not null)`).execute(db)
      await sql.raw(`create table visits (id ${isMysql ? 'int auto_increment' : 'serial'} primary key, slot ${time},
        kind char(5))`).execute(db)
      const slotStore = kyselyStore(db, 'slots')
      const visitFields = { slot: param.date().nullable().optional(), kind: z.string().nullable().optional() }
      const kinds = crud(kyselyStore(db, 'chars'), {
        id: z.string(),
        input: z.object({ id: z.string() }),
        output: z.object({ id: z.string() }),
      })
      const visits = crud(kyselyStore(db, 'visits'), {
        input: z.object(visitFields),
        output: z.object({ id: z.int(), slot: param.date().nullable(), kind: z.string().nullable() }),
        references: { slot: () => own, kind: kinds },
      })
      const own = crud(slotStore, {
        id: param.date(),
        input: z.object({ id: param.date() }),
        output: z.object({ id: param.date() }),
        scope: () => [['owner', '=', 'me']],
      })
      const slots = crud(slotStore, {
        id: param.date(),
        input: z.object({ id: param.date(), owner: z.string() }),
        output: z.object({ id: param.date(), owner: z.string() }),
        children: { visits: { of: visits, column: 'slot' } },
        bulk: true,
        after: { create: () => undefined, createMany: () => undefined },
      })
      mountResource(app, { route: '/visits', name: 'visits', ...visits })
      mountResource(app, { route: '/slots', name: 'slots', ...slots })
      mountResource(app, { route: '/kinds', name: 'kinds', ...kinds })
      app.use(errorHandler({ log: () => undefined }))
      const items = [{ id: early, owner: 'me' }, { id: late, owner: 'me' }, { id: theirs, owner: 'them' }]
      const { data } = await send('POST', '/slots/bulk', { items })
      expect(data).toMatchObject(items)
    })

    it('gives each instant its own children', async () => {
      const { data: { id } } = await send('POST', '/visits', { slot: early }) as { data: { id: number } }
      expect((await send('GET', '/slots')).data).toMatchObject([
        { id: early, visits: [{ id }] },
        { id: late, visits: [] },
        { id: theirs, visits: [] },
      ])
    })

    it('checks a reference that is changed to an instant of the same second', async () => {
      const { data: { id } } = await send('POST', '/visits', { slot: early }) as { data: { id: number } }
      expect((await send('PATCH', `/visits/${id}`, { slot: late })).status).toBe(200)
      expect((await send('PATCH', `/visits/${id}`, { slot: theirs })).status).toBe(422)
    })

    it('accepts a reference without the spaces of its char', async () => {
      await send('POST', '/kinds', { id: 'x' })
      expect((await send('GET', '/kinds/x')).status).toBe(200)
      expect((await send('POST', '/visits', { kind: 'x' })).status).toBe(201)
      expect((await send('POST', '/visits', { kind: 'y' })).status).toBe(422)
    })
  })
})

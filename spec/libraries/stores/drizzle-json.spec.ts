import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { json as mysqlJson, int, mysqlTable } from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres'
import { integer, json, jsonb, pgTable } from 'drizzle-orm/pg-core'
import { integer as sqliteInteger, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { sql } from 'kysely'
import Libsql from 'libsql'
import { createPool } from 'mysql2/promise'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { mountResource } from 'resourcery'
import { crud, type Store } from 'resourcery/crud'
import { drizzleStore } from 'resourcery/drizzle'
import { servingRoutes } from '../../crud/serving.js'
import { openPlace } from './places.js'

interface Note {
  id: number
  data: unknown
}

/** Opens an empty table `notes` on a database, whose column `data` holds JSON. */
async function open(dialect: 'postgres' | 'mysql' | 'sqlite', type: string): Promise<Store<Note>> {
  const { admin, url, drop } = await openPlace(dialect)
  await sql`create table notes (id integer primary key, data ${sql.raw(type)})`.execute(admin)
  if (dialect === 'postgres') {
    const client = new pg.Pool({ connectionString: url })
    onTestFinished(() => client.end().then(drop))
    const data = type === 'json' ? json() : jsonb()
    return drizzleStore(drizzlePg({ client }), pgTable('notes', { id: integer().primaryKey(), data })) as never
  }
  if (dialect === 'mysql') {
    const client = createPool({ uri: url })
    onTestFinished(() => client.end().then(drop))
    return drizzleStore(drizzleMysql({ client }),
      mysqlTable('notes', { id: int().primaryKey(), data: mysqlJson() })) as never
  }
  const client = new Libsql(url)
  onTestFinished(() => {
    client.close()
    return drop()
  })
  const notes = sqliteTable('notes', { id: sqliteInteger().primaryKey(), data: text({ mode: 'json' }) })
  return drizzleStore(drizzleSqlite({ client: client as never }), notes) as never
}

const VALUES = ['5', 'true', 'null', '"x"', '{"a":1}', '[1]', 'text', '', 5, 1.5, true, [1], ['5'], { a: '5' }, {}]

describe.each([['postgres', 'jsonb'], ['postgres', 'json'], ['mysql', 'json'], ['sqlite', 'text']] as const)(
  'a column of JSON in a schema of drizzle on %s, of type %s',
  (dialect, type) => {
    it('is read as it was written, strings that are JSON among them', async () => {
      const store = await open(dialect, type)
      for (const [id, data] of VALUES.entries()) {
        expect(await store.create({ id, data })).toEqual({ id, data })
        expect(await store.update(id, { data: [data] })).toEqual({ id, data: [data] })
        expect(await store.update(id, { data })).toEqual({ id, data })
      }
      const rows = await store.list({ where: [], order: ['id'] }).slice(0, 50)
      expect(rows.map(({ data }) => data)).toEqual(VALUES)
      const many = VALUES.map((data, id) => ({ id: id + 100, data }))
      if (dialect !== 'mysql') expect(await store.createMany?.(many)).toEqual(many)
      expect(await store.create({ id: 99, data: null })).toEqual({ id: 99, data: null })
    })

    it.each(Object.entries({ any: z.any(), unknown: z.unknown(), custom: z.custom<object>(() => true) }))(
      'takes the objects of a body that the schema keeps as they came: %s',
      async (_name, schema) => {
        const notes = crud(await open(dialect, type), {
          input: z.object({ id: z.int(), data: schema }),
          output: z.object({ id: z.int(), data: z.unknown() }),
          bulk: true,
        })
        const { post, send } = await servingRoutes((app) =>
          mountResource(app, { route: '/notes', name: 'notes', ...notes })
        )
        const data = { x: { y: [{ z: 1 }] }, constructor: 2 }
        expect((await post('/notes', { id: 1, data })).body.data).toEqual({ id: 1, data })
        expect((await send('PATCH', '/notes/1', { body: { data: [data] } })).body.data).toEqual({ id: 1, data: [data] })
        const items = [{ id: 2, data }, { id: 3, data: [data] }]
        expect((await post('/notes/bulk', { items })).body.data).toEqual(items)
      },
    )
  },
)

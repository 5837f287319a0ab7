import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud } from 'resourcery/crud'
import { errorHandler } from 'resourcery'
import { param } from 'resourcery'
import { mountResource } from 'resourcery'
import { kyselyStore } from 'resourcery/kysely'
import { servers, type TestDatabase } from '../support/databases.js'
import { serving } from '../support/http.js'

interface Tables {
  notes: { id: number; title: string; at: Date }
}

const Note = z.object({ id: param.int(), title: z.string().min(1), at: param.date() })
const HEAD = 'id,title,at\r\n'
const linesTo = (last: number): string =>
  Array.from({ length: last }, (_, index) => `${index + 1},"Note, ${index + 1}",2026-11-21T08:30:00.000Z\r\n`).join('')

describe.each(servers)('CSV and %s', (name, open) => {
  let database: TestDatabase<Tables>
  beforeAll(async () => {
    database = await open<Tables>()
    await database
      .db
      .schema
      .createTable('notes')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('title', 'varchar(50)', (column) => column.unique())
      .addColumn('at', database.dialect === 'mysql' ? 'datetime' : 'timestamptz')
      .execute()
  })
  afterAll(() => database.close())

  it('imports a file completely or not at all with the line, and exports the same rows', async () => {
    const app = express()
    mountResource(app, {
      route: '/notes',
      name: 'notes',
      ...crud(kyselyStore(database.db, 'notes'), { input: Note, output: Note, export: true, import: true }),
    })
    const { url } = await serving(app.use(errorHandler()))
    const sent = async (content: string): Promise<unknown> => {
      const form = new FormData()
      form.append('file', new Blob([content]), 'notes.csv')
      return (await (await fetch(`${url}/notes/import`, { method: 'POST', body: form })).json() as { data: unknown })
        .data
    }
    const exported = async (): Promise<string> => (await fetch(`${url}/notes/export`, { method: 'POST' })).text()
    expect(await sent(`${HEAD}${linesTo(1499)}1500,,2026-11-21\r\n`)).toEqual({
      'line.1501.title': [expect.any(String)],
    })
    expect(await sent(`${HEAD}${linesTo(1499)}7,Seven,2026-11-21\r\n`)).toEqual({ 'line.1501.id': ['Already taken'] })
    expect(await sent(`${HEAD}${linesTo(1499)}1500,"Note, 7",2026-11-21\r\n`)).toEqual({
      'line.1501.title': ['Already taken'],
    })
    expect(await sent(`${HEAD}${linesTo(1499)}1500,${'x'.repeat(51)},2026-11-21\r\n`)).toEqual({
      'line.1501.title': ['Is too long'],
    })
    expect(await exported()).toBe(HEAD)
    expect(await sent(`${HEAD}${linesTo(1500)}`)).toEqual({ rows: 1500, created: 1500, dryRun: false })
    expect(await exported()).toBe(`${HEAD}${linesTo(1500)}`)
  })
})

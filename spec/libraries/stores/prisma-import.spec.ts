import { PrismaPg } from '@prisma/adapter-pg'
import express from 'express'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { mountResource } from 'resourcery'
import { crud } from 'resourcery/crud'
import { prismaStore } from 'resourcery/prisma'
import { scratchPostgres } from '../../support/databases.js'
import { serving } from '../../support/http.js'
import { isNightly } from '../../support/nightly.js'
import { createSamples, type SampleTables } from '../../support/sample-store.js'
import { PrismaClient } from '../generated/postgres/client.js'

const ROWS = isNightly ? 100_000 : 10_000

it(`imports ${ROWS} rows with an audit by batch hooks, in one transaction`, { timeout: 300_000 }, async () => {
  const { url, drop } = await scratchPostgres()
  const db = new Kysely<SampleTables>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }),
  })
  await createSamples({ db, dialect: 'postgres' })
  await sql`create table audit (record bigint not null)`.execute(db)
  const adapter = new PrismaPg({ connectionString: url }, { schema: /search_path%3D(\w+)/.exec(url)?.[1] ?? '' })
  const prisma = new PrismaClient({ adapter })
  onTestFinished(() => prisma.$disconnect().then(() => db.destroy()).then(drop))
  let calls = 0
  const app = express()
  mountResource(app, {
    route: '/samples',
    name: 'samples',
    ...crud(prismaStore(prisma, 'sample', { columns: { id: 'integer', views: 'integer' } }), {
      input: z.object({ code: z.string(), name: z.string() }),
      output: z.object({ id: z.int(), code: z.string() }),
      import: true,
      before: {
        createMany: (rows) => rows.map((row) => ({ ...row, views: 1, active: true, createdAt: new Date() })),
      },
      after: {
        createMany: async (rows, { store }) => {
          calls += 1
          await store.db.$executeRawUnsafe('insert into audit select unnest($1::bigint[])', rows.map(({ id }) => id))
        },
      },
    }),
  })
  const { url: base } = await serving(app)
  const lines = Array.from({ length: ROWS }, (_, index) => `c${index},Name of ${index}`)
  const body = new FormData()
  body.append('file', new Blob([['code,name', ...lines].join('\n')]), 'samples.csv')
  const start = performance.now()
  const reply = await fetch(`${base}/samples/import`, { method: 'POST', body })
  const seconds = (performance.now() - start) / 1000
  expect(await reply.json()).toMatchObject({ code: 200, data: { rows: ROWS, created: ROWS } })
  console.log(`${ROWS} rows: ${seconds.toFixed(1)} s, ${Math.round(ROWS / seconds)} rows a second`)
  const { rows: [counted] } = await sql<{ samples: string; audit: string }>`
    select (select count(*) from samples) as samples, (select count(distinct record) from audit) as audit`.execute(db)
  expect([counted, calls]).toEqual([{ samples: String(ROWS), audit: String(ROWS) }, ROWS / 500])
})

import { CompiledQuery, Kysely, MysqlDialect, PostgresDialect, sql, type Dialect } from 'kysely'
import { createPool } from 'mysql2'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { mountResource, paginate, send } from 'resourcery'
import { crud } from 'resourcery/crud'
import { fromKysely, kyselyStore } from 'resourcery/kysely'
import { servingRoutes } from '../crud/serving.js'
import { scratchMariadb, scratchPostgres, type Scratch } from '../support/databases.js'

interface Tasks {
  tasks: { id: number; status: string; points: number | null }
}

interface Server {
  readonly scratch: () => Promise<Scratch>
  readonly dialect: (url: string) => Dialect
  /** Returns the number of rows that a statement reads. */
  readonly rowsRead: (db: Kysely<Tasks>, statement: CompiledQuery) => Promise<number>
}

const Plan = z.object({
  'QUERY PLAN': z.array(z.object({ Plan: z.object({ Plans: z.array(z.record(z.string(), z.unknown())) }) })),
})

const SERVERS: Readonly<Record<string, Server>> = {
  PostgreSQL: {
    scratch: scratchPostgres,
    dialect: (url) => new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }),
    rowsRead: async (db, { sql: text, parameters }) => {
      const explain = `explain (analyze, format json) ${text}`
      const { rows: [row] } = await db.executeQuery(CompiledQuery.raw(explain, [...parameters]))
      return Plan.parse(row)['QUERY PLAN'].flatMap(({ Plan: { Plans } }) => Plans)
        .reduce((sum, part) => sum + Number(part['Actual Rows']) + Number(part['Rows Removed by Filter'] ?? 0), 0)
    },
  },
  MariaDB: {
    scratch: scratchMariadb,
    dialect: (url) => new MysqlDialect({ pool: createPool({ uri: url, connectionLimit: 1 }) }),
    rowsRead: async (db, { sql: text, parameters }) => {
      await sql`flush status`.execute(db)
      await db.executeQuery(CompiledQuery.raw(text, [...parameters]))
      const { rows } = await sql<{ Value: string }>`show session status like 'Handler_read%'`.execute(db)
      return rows.reduce((sum, { Value }) => sum + Number(Value), 0)
    },
  },
}

const ROWS = 4000
const BEFORE = 3000
const LIMIT = 20
const ORDERS = {
  status: { by: ['status', 'id'] },
  '-status': { by: ['-status', '-id'] },
  points: { by: ['points', 'id'], nullable: ['points'] },
  '-points': { by: ['-points', '-id'], nullable: ['points'] },
} as const

/** Serves a table in which all rows have the same values, by a store and by a source. */
async function serveTasks({ scratch, dialect, rowsRead }: Server) {
  const { url, drop } = await scratch()
  const statements: CompiledQuery[] = []
  const db = new Kysely<Tasks>({ dialect: dialect(url), log: ({ query }) => void statements.push(query) })
  onTestFinished(() => db.destroy().then(drop))
  await sql`create table tasks (id int primary key, status varchar(20) not null, points int)`.execute(db)
  const rows = Array.from({ length: ROWS }, (_, index) => ({ id: index + 1, status: 'open', points: 7 }))
  await db.insertInto('tasks').values(rows).execute()
  await sql`create index tasks_status on tasks (status, id)`.execute(db)
  await sql`create index tasks_points on tasks (points, id)`.execute(db)
  await sql.raw(url.startsWith('mysql') ? 'analyze table tasks' : 'analyze tasks').execute(db)
  const output = z.object({ id: z.int(), status: z.string(), points: z.int().nullable() })
  const { get } = await servingRoutes((app) => {
    const store = kyselyStore(db, 'tasks')
    mountResource(app, {
      route: '/store',
      name: 'tasks',
      ...crud(store, { input: output, output, sort: ['status', 'points'], maxLimit: ROWS }),
    })
    for (const [sort, options] of Object.entries(ORDERS)) {
      app.get(`/source/${sort}`, async (req, res) => {
        const source = fromKysely(db.selectFrom('tasks').selectAll(), options)
        send(res, 'ok', await paginate(source, req, { maxLimit: ROWS }))
      })
    }
  })
  const page = async (path: string) => {
    const { body } = await get(path)
    return z.object({ data: z.array(output), meta: z.object({ next: z.string().nullable() }) }).parse(body)
  }
  return { page, statements, rowsRead: (statement: CompiledQuery) => rowsRead(db, statement) }
}

const CASES = Object.keys(ORDERS).flatMap((sort) => [`/store?sort=${sort}&`, `/source/${sort}?`])

describe.each(Object.entries(SERVERS))('on %s a page by cursor', (_name, server) => {
  it('reads the rows of the page alone, however many rows with equal values are in front of it', async () => {
    const { page, statements, rowsRead } = await serveTasks(server)
    for (const path of CASES) {
      const { meta: { next } } = await page(`${path}limit=${BEFORE}&cursor=`)
      statements.length = 0
      const { data } = await page(`${path}limit=${LIMIT}&cursor=${encodeURIComponent(String(next))}`)
      const first = path.includes('-') ? ROWS - BEFORE : BEFORE + 1
      expect(data.map(({ id }) => id), path).toEqual(
        Array.from({ length: LIMIT }, (_, index) => path.includes('-') ? first - index : first + index),
      )
      const [statement] = statements.filter(({ sql: text }) => text.includes('cursorkey'))
      expect(statement, path).toBeDefined()
      if (statement !== undefined) expect(await rowsRead(statement), path).toBeLessThan(3 * LIMIT)
    }
  })
})

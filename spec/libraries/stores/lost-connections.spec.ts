import type { Buffer } from 'node:buffer'
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sql, type Kysely } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createSamples, type SampleTables } from '../../support/sample-store.js'
import { clientOf, type Client, type Reply } from '../../support/http.js'
import { slowestOf, startLoad, surprises, type Answer } from '../../support/load.js'
import { isNightly } from '../../support/nightly.js'
import { endMariaDbConnection, openPlace } from './places.js'

/* A database server that ends connections must not end the process, whatever they are doing. */

const all = [
  ['kysely', 'PostgreSQL'],
  ['drizzle', 'PostgreSQL'],
  ['knex', 'PostgreSQL'],
  ['knex', 'PostgreSQL by a pg.Pool'],
  ['prisma', 'PostgreSQL'],
  ['typeorm', 'PostgreSQL'],
  ['sequelize', 'PostgreSQL'],
  ['kysely', 'MariaDB'],
  ['drizzle', 'MariaDB'],
  ['knex', 'MariaDB'],
  ['prisma', 'MariaDB'],
  ['typeorm', 'MariaDB'],
  ['typeorm', 'MariaDB as MySQL'],
  ['sequelize', 'MariaDB'],
  ['sequelize', 'MariaDB as MySQL'],
] as const

/** In `.ci/run` each library has one database. */
const BY_DAY: Readonly<Record<(typeof all)[number][0], string>> = {
  kysely: 'PostgreSQL',
  drizzle: 'MariaDB',
  knex: 'PostgreSQL',
  prisma: 'PostgreSQL',
  typeorm: 'MariaDB as MySQL',
  sequelize: 'MariaDB as MySQL',
}
const cases = all.filter(([library, name]) => isNightly || BY_DAY[library] === name)

const onServer = {
  postgres: {
    sessions: sql<{ id: number; settled: boolean | null }>`
      select pid as id,
        state in ('idle', 'idle in transaction') and clock_timestamp() - state_change > interval '200 ms' as settled
      from pg_stat_activity where application_name = current_schema()`,
    waiting: sql<{ id: number }>`select pid as id from pg_locks where not granted and relation = 'samples'::regclass`,
    lock: sql`begin; lock table samples in access exclusive mode`,
    unlock: sql`commit`,
    end: async (admin: Kysely<SampleTables>, id: number) => {
      await sql`select pg_terminate_backend(${id})`.execute(admin)
    },
  },
  mysql: {
    sessions: sql<{ id: number; settled: number }>`
      select id, command = 'Sleep' and time_ms > 200 as settled
      from information_schema.processlist where db = database() and id <> connection_id()`,
    waiting: sql<
      { id: number }
    >`select id from information_schema.processlist where db = database() and state like 'Waiting for table%'`,
    lock: sql`lock tables samples write`,
    unlock: sql`unlock tables`,
    end: endMariaDbConnection<SampleTables>,
  },
}

/** A process of `lost-server.ts` on a database of its own. */
interface Started {
  readonly child: ChildProcess
  readonly client: Client
  readonly admin: Kysely<SampleTables>
  readonly server: (typeof onServer)[keyof typeof onServer]
  /** The sessions that exist. */
  readonly open: () => Promise<number[]>
  /** The sessions that exist, when all have rested: a driver can't bear the loss of one that it is just making. */
  readonly settled: () => Promise<number[]>
  readonly end: (ids: readonly number[]) => Promise<void>
  readonly close: () => Promise<void>
}

async function start(library: string, name: string): Promise<Started> {
  const dialect = name.startsWith('PostgreSQL') ? 'postgres' : 'mysql'
  const server = onServer[dialect]
  const { admin, url: database, drop } = await openPlace<SampleTables>(dialect)
  await createSamples({ db: admin, dialect })
  const script = fileURLToPath(new URL('lost-server.ts', import.meta.url))
  const stdio = ['ignore', 'inherit', 'pipe', 'ipc'] as const
  const child = fork(script, [library, name, database], { execArgv: ['--import', 'tsx'], stdio: [...stdio] })
  child.stderr?.pipe(process.stderr)
  const [url] = await once(child, 'message') as [string]
  return {
    child,
    client: clientOf(url, undefined as never),
    admin,
    server,
    open: async () => (await server.sessions.execute(admin)).rows.map(({ id }) => id),
    settled: () =>
      vi.waitFor(async () => {
        const { rows } = await server.sessions.execute(admin)
        expect(rows.filter(({ settled }) => !settled)).toEqual([])
        expect(rows).not.toEqual([])
        return rows.map(({ id }) => id)
      }, { timeout: 20_000, interval: 100 }),
    end: async (ids) => {
      for (const id of ids) await server.end(admin, id)
    },
    close: async () => {
      child.kill('SIGKILL')
      await drop()
    },
  }
}

/** How often all connections are ended under load. */
const ROUNDS = isNightly ? 50 : 3

interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** The names of the rows that it creates. */
  readonly names: readonly string[]
}

/** Returns a read, a creation or a bulk creation. */
function writeOrRead(n: number): Asked {
  if (n % 3 === 0) return { method: 'GET', path: '/samples', names: [] }
  if (n % 3 === 1) return { method: 'POST', path: '/samples', body: { name: `one ${n}` }, names: [`one ${n}`] }
  const names = [0, 1, 2].map((at) => `many ${n} ${at}`)
  return { method: 'POST', path: '/samples/bulk', body: { items: names.map((name) => ({ name })) }, names }
}

describe.each(cases)('a process with %s on %s', (library, name) => {
  let started: Started
  beforeAll(async () => {
    started = await start(library, name)
  })
  beforeEach(() => started.admin.deleteFrom('samples').execute())
  afterAll(() => started.close())

  /** Expects that a creation has failed or was repeated, and that the next requests succeed. */
  async function expectRecovered(created: Promise<Reply>): Promise<void> {
    const { child, client } = started
    const { status } = await created
    expect([201, 503]).toContain(status)
    for (const each of ['a', 'b', 'c']) expect((await client.post('/samples', { name: each })).status).toBe(201)
    expect((await client.get('/samples')).body.meta.total).toBe(status === 201 ? 4 : 3)
    expect([child.exitCode, child.signalCode]).toEqual([null, null])
  }

  it('survives the loss of a connection between the statements of a transaction', async () => {
    const { child, client, open, settled, end } = started
    const created = client.post('/samples', { name: 'waits' })
    await once(child, 'message')
    const ended = await settled()
    await end(ended)
    // A pool may have opened others by then.
    const left = async (): Promise<number[]> => (await open()).filter((id) => ended.includes(id))
    await vi.waitFor(async () => expect(await left()).toEqual([]), 5000)
    // The process has read of the loss before the next statement is sent.
    await client.get('/nowhere')
    child.send('go on')
    await expectRecovered(created)
  })

  it('survives the loss of a connection during a statement', async () => {
    const { client, admin, server, end } = started
    await server.lock.execute(admin)
    const created = client.post('/samples', { name: 'locked' })
    const waiting = await vi.waitFor(async () => {
      const ids = (await server.waiting.execute(admin)).rows.map(({ id }) => id)
      expect(ids).toHaveLength(1)
      return ids
    }, 5000)
    await end(waiting)
    await server.unlock.execute(admin)
    await expectRecovered(created)
  })

  it('survives the loss of idle connections', async () => {
    const { client, settled, end } = started
    const reads = await Promise.all(Array.from({ length: 4 }, () => client.get('/samples')))
    expect(reads.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    await end(await settled())
    await expectRecovered(client.post('/samples', { name: 'idle' }))
  })

  it('replies 2xx or 503 while every connection is ended under load, and serves again within a second', async () => {
    const { child, client, admin, open, end } = started
    const load = startLoad(8, writeOrRead, ({ method, path, body }) => client.send(method, path, { body }))
    onTestFinished(() => load.stop().then(() => undefined))
    const died = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`The process has ended with ${String(code ?? signal)}.`)
    })
    died.catch(() => undefined)
    const serving = (status: number): Promise<Answer<Asked>> =>
      Promise.race([load.next(({ reply }) => reply?.status === status), died])
    const usual = await slowestOf(load, 50)
    const delays: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await serving(200)
      const ids = await open()
      await end(ids)
      const ended = performance.now()
      const served = await Promise.all([serving(200), serving(201)])
      delays.push(...served.map(({ at }) => at - ended))
    }
    const answers = await load.stop()
    expect(surprises(answers)).toEqual([])
    expect(Math.max(...delays)).toBeLessThan(1000 + 5 * usual)
    expect([child.exitCode, child.signalCode]).toEqual([null, null])

    const rows = await admin.selectFrom('samples').select('name').execute()
    const count = (name: string): number => rows.filter((row) => row.name === name).length
    for (const { asked: { names }, reply } of answers) {
      const counts = names.map(count)
      // The commit of a request without a success may have reached the database.
      if (reply?.status === 201) expect(counts).toEqual(names.map(() => 1))
      else expect([names.map(() => 0), names.map(() => 1)]).toContainEqual(counts)
    }
  })
})

it('tells what a pool lacks if a lost connection ends the process', async () => {
  const { child, client, settled, end, close } = await start('kysely', 'PostgreSQL without listeners')
  onTestFinished(close)
  let printed = ''
  child.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  const created = client.post('/samples', { name: 'waits' }).catch(() => undefined)
  await once(child, 'message')
  const exited = once(child, 'exit')
  await end(await settled())
  expect([(await exited)[0], await created]).toEqual([1, undefined])
  expect(printed).toContain("pool.on('connect', (client) => client.on('error', () => undefined))")
})

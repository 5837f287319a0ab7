import type { Buffer } from 'node:buffer'
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sql, type Kysely } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createSamples, type SampleTables } from '../../support/sample-store.js'
import { clientOf, type Client, type Reply } from '../../support/http.js'
import { openPlace } from './places.js'

/* A database server that ends connections must not end the process, whatever they are doing. */

const cases = [
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

const onServer = {
  postgres: {
    sessions: sql<{ id: number }>`select pid as id from pg_stat_activity where application_name = current_schema()`,
    waiting: sql<{ id: number }>`select pid as id from pg_locks where not granted and relation = 'samples'::regclass`,
    lock: sql`begin; lock table samples in access exclusive mode`,
    unlock: sql`commit`,
    end: (id: number) => sql`select pg_terminate_backend(${id})`,
  },
  mysql: {
    sessions: sql<
      { id: number }
    >`select id from information_schema.processlist where db = database() and id <> connection_id()`,
    waiting: sql<
      { id: number }
    >`select id from information_schema.processlist where db = database() and state like 'Waiting for table%'`,
    lock: sql`lock tables samples write`,
    unlock: sql`unlock tables`,
    end: (id: number) => sql.raw(`kill ${id}`),
  },
}

/** A process of `lost-server.ts` on a database of its own. */
interface Started {
  readonly child: ChildProcess
  readonly client: Client
  readonly admin: Kysely<SampleTables>
  readonly server: (typeof onServer)[keyof typeof onServer]
  readonly idsOf: (which: 'sessions' | 'waiting') => Promise<number[]>
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
  const [url] = await once(child, 'message') as [string]
  return {
    child,
    client: clientOf(url, undefined as never),
    admin,
    server,
    idsOf: async (which) => (await server[which].execute(admin)).rows.map(({ id }) => id),
    end: async (ids) => {
      for (const id of ids) await server.end(id).execute(admin)
    },
    close: async () => {
      child.kill('SIGKILL')
      await drop()
    },
  }
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
    const { child, client, idsOf, end } = started
    const created = client.post('/samples', { name: 'waits' })
    await once(child, 'message')
    await end(await idsOf('sessions'))
    await vi.waitFor(async () => expect(await idsOf('sessions')).toEqual([]))
    // The process has read of the loss before the next statement is sent.
    await client.get('/nowhere')
    child.send('go on')
    await expectRecovered(created)
  })

  it('survives the loss of a connection during a statement', async () => {
    const { client, admin, server, idsOf, end } = started
    await server.lock.execute(admin)
    const created = client.post('/samples', { name: 'locked' })
    const waiting = await vi.waitFor(async () => {
      const ids = await idsOf('waiting')
      expect(ids).toHaveLength(1)
      return ids
    }, 5000)
    await end(waiting)
    await server.unlock.execute(admin)
    await expectRecovered(created)
  })

  it('survives the loss of idle connections', async () => {
    const { client, idsOf, end } = started
    const reads = await Promise.all(Array.from({ length: 4 }, () => client.get('/samples')))
    expect(reads.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    await end(await idsOf('sessions'))
    await expectRecovered(client.post('/samples', { name: 'idle' }))
  })
})

it('tells what a pool lacks if a lost connection ends the process', async () => {
  const { child, client, idsOf, end, close } = await start('kysely', 'PostgreSQL without listeners')
  onTestFinished(close)
  let printed = ''
  child.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  const created = client.post('/samples', { name: 'waits' }).catch(() => undefined)
  await once(child, 'message')
  const exited = once(child, 'exit')
  await end(await idsOf('sessions'))
  expect([(await exited)[0], await created]).toEqual([1, undefined])
  expect(printed).toContain("pool.on('connect', (client) => client.on('error', () => undefined))")
})

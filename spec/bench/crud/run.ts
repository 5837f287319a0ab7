import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request, type IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import ts from 'typescript'
import { scratchPostgres } from '../../support/databases.js'
import { show, spreadOf } from '../statistics.js'
import type { Posts, Usage } from './server.js'

/*
 * Compares crud on PostgreSQL with the same queries written by hand: processor time and round trips of the server for
 * each request: `npm run build`, then
 * `TEST_POSTGRES_URL=… node --import tsx spec/bench/crud/run.ts [rounds] [requests] [flags of node]`;
 * `requests` is the beginning of a name, such as `show`.
 *
 * Both servers run on the built package. They get the same requests in short turns, the first one changing.
 */

const [rounds = '20', only = '', ...flags] = process.argv.slice(2)
const REQUESTS = 500
const CONNECTIONS = 8
const ROWS = 1_000
/** The turns before those that count. */
const WARMING = 12

/** Without its types and beside package.json, so that plain Node runs it and `resourcery` is what was built. */
const file = fileURLToPath(new URL('../../../.crud-server.mjs', import.meta.url))
const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 }
const source = readFileSync(new URL('server.ts', import.meta.url), 'utf8')
writeFileSync(file, ts.transpileModule(source, { compilerOptions: options }).outputText)

interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: object
}

const post = { title: 'A title of a usual length', body: 'Some words. '.repeat(20), status: 'draft' }
const workloads: Readonly<Record<string, (index: number) => Asked>> = {
  'show': (index) => ({ method: 'GET', path: `/posts/${1 + index % ROWS}` }),
  'list of 20 with its total': (index) => ({ method: 'GET', path: `/posts?page=${1 + index % 20}&status=draft` }),
  'create': () => ({ method: 'POST', path: '/posts', body: post }),
  'patch': (index) => ({ method: 'PATCH', path: `/posts/${1 + index % ROWS}`, body: { title: `Title ${index}` } }),
}

interface Server {
  readonly url: string
  readonly child: ChildProcess
}

async function start(kind: string, database: string): Promise<Server> {
  const child = spawn(process.execPath, [...flags, file, kind, database], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const [url] = await once(child, 'message') as [string]
  return { url, child }
}

async function stop({ child }: Server): Promise<void> {
  child.disconnect()
  await once(child, 'exit')
}

async function usageOf({ child }: Server): Promise<Usage> {
  child.send('how much?')
  return (await once(child, 'message') as [Usage])[0]
}

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

async function answered(url: string, { method, path, body }: Asked): Promise<void> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  const asking = request(`${url}${path}`, { method, agent, headers }).end(body && JSON.stringify(body))
  const [response] = await once(asking, 'response') as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  if ((response.statusCode ?? 500) >= 300) throw new Error(`${method} ${path}: ${response.statusCode ?? 0}`)
}

/** Sends one turn, and returns what each request of it has used. */
async function turn(server: Server, asked: (index: number) => Asked): Promise<Usage> {
  const before = await usageOf(server)
  let next = 0
  await Promise.all(Array.from({ length: CONNECTIONS }, async () => {
    while (next < REQUESTS) await answered(server.url, asked(next++))
  }))
  const after = await usageOf(server)
  return {
    processorTime: (after.processorTime - before.processorTime) / REQUESTS,
    roundTrips: (after.roundTrips - before.roundTrips) / REQUESTS,
  }
}

async function compare(byCrud: Server, byHand: Server, asked: (index: number) => Asked): Promise<string> {
  const turns: { crud: Usage; hand: Usage }[] = []
  for (let round = -WARMING; round < Number(rounds); round++) {
    const first = round % 2 === 0 ? await turn(byCrud, asked) : undefined
    const hand = await turn(byHand, asked)
    const crud = first ?? await turn(byCrud, asked)
    if (round >= 0) turns.push({ crud, hand })
  }
  const times = (side: 'crud' | 'hand'): string => show(spreadOf(turns.map((each) => each[side].processorTime)))
  const trips = (side: 'crud' | 'hand'): string =>
    spreadOf(turns.map((each) => each[side].roundTrips)).median.toFixed(1)
  const ratios = spreadOf(turns.map(({ crud, hand }) => crud.processorTime / hand.processorTime))
  return [times('crud'), times('hand'), `**${show(ratios, 2)}**`, trips('crud'), trips('hand')].join(' | ')
}

const { url: database, drop } = await scratchPostgres()
const db = new Kysely<Posts>({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: database }) }) })
await sql`create table posts (id int generated by default as identity primary key, title text not null,
  body text not null, status text not null, views int not null default 0,
  "createdAt" timestamptz not null default now())`.execute(db)
await sql`insert into posts (title, body, status) select 'Title ' || n, repeat('Some words. ', 20), 'draft'
  from generate_series(1, ${ROWS}) n`.execute(db)
await sql`analyze posts`.execute(db)
const servers = [await start('crud', database), await start('hand', database)] as const
try {
  console.log('| request | crud, µs | by hand, µs | ratio | round trips of crud | by hand |\n|---|---|---|---|---|---|')
  for (const [name, asked] of Object.entries(workloads).filter(([each]) => each.startsWith(only))) {
    console.log(`| ${name} | ${await compare(...servers, asked)} |`)
  }
} finally {
  await Promise.all(servers.map(stop))
  await db.destroy()
  await drop()
  agent.destroy()
  rmSync(file)
}

import { execFileSync, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { onSmallDisk } from './small-disk.js'

/** A database server that a spec may end and stop, in a temporary folder and on a port of its own. */
export interface OwnServer {
  readonly url: string
  readonly folder: string
  /** Ends all of its processes at once, as a failing machine does. */
  readonly kill: () => Promise<void>
  /** Starts it again, and waits until it accepts connections. */
  readonly start: () => Promise<void>
  /** Stops all of its processes, which keep their connections and answer nothing. */
  readonly pause: () => void
  readonly resume: () => void
  /** Kills it, and deletes its folder. */
  readonly remove: () => Promise<void>
}

/** A program with its arguments. */
type Command = readonly string[]

interface Kind {
  readonly account: string
  readonly urlAt: (port: number) => string
  /** Creates the data in a folder. */
  readonly create: (folder: string) => Command
  readonly serve: (folder: string, port: number) => Command
  readonly connect: (url: string) => Promise<void>
}

function postgresProgram(name: string): string {
  const folder = '/usr/lib/postgresql'
  const versions = existsSync(folder) ? readdirSync(folder).sort((a, b) => Number(b) - Number(a)) : []
  const found = versions.map((version) => join(folder, version, 'bin', name)).find((path) => existsSync(path))
  if (found === undefined) throw new Error('Install the Debian package postgresql.')
  return found
}

const POSTGRES: Kind = {
  account: 'postgres',
  urlAt: (port) => `postgres://postgres@127.0.0.1:${port}/postgres`,
  create: (
    folder,
  ) => [postgresProgram('initdb'), `--pgdata=${folder}/data`, '--username=postgres', '--auth=trust', '--encoding=UTF8',
    '--no-sync'],
  // What a process has written survives it without `fsync`.
  serve: (folder,
    port) => [postgresProgram('postgres'), '-D', `${folder}/data`, '-p', String(port), '-c',
    'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', '-c', 'fsync=off'],
  connect: async (url) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.end()
  },
}

const MARIADB: Kind = {
  account: 'mysql',
  urlAt: (port) => `mysql://root@127.0.0.1:${port}/test`,
  create: (
    folder,
  ) => ['mariadb-install-db', '--no-defaults', `--datadir=${folder}/data`, '--auth-root-authentication-method=normal'],
  serve: (folder,
    port) => ['mariadbd', '--no-defaults', `--datadir=${folder}/data`, '--bind-address=127.0.0.1', `--port=${port}`,
    `--socket=${folder}/socket`, `--pid-file=${folder}/pid`, '--innodb-flush-method=nosync',
    '--innodb-flush-log-at-trx-commit=2'],
  connect: async (url) => {
    const connection = await createConnection(url)
    await connection.end()
  },
}

/** A tablespace on a disk of some megabytes. */
interface Space {
  readonly tablespace: string
  readonly megabytes: number
}

/** Starts PostgreSQL, perhaps with a tablespace. */
export async function startPostgres(space?: Space): Promise<OwnServer> {
  const server = await startOwn(POSTGRES, space)
  if (space === undefined) return server
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(`create tablespace ${space.tablespace} location '${join(server.folder, space.tablespace)}'`)
  await client.end()
  return server
}

const startMariadb = (): Promise<OwnServer> => startOwn(MARIADB)

/** The servers, by name. */
export const OWN_SERVERS: readonly (readonly [name: string, start: () => Promise<OwnServer>])[] = [
  ['PostgreSQL', () => startPostgres()],
  ['MariaDB', startMariadb],
]

/** Sends a signal to a process; the one of a connection may have ended since it was listed. */
function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function startOwn(kind: Kind, space?: Space): Promise<OwnServer> {
  const folder = mkdtempSync(join(tmpdir(), 'own-server-'))
  const account = accountOf(kind.account)
  chmodSync(folder, 0o755)
  const folders = [folder, join(folder, 'data'), ...(space === undefined ? [] : [join(folder, space.tablespace)])]
  for (const each of folders) {
    mkdirSync(each, { recursive: true })
    if (account !== undefined) chownSync(each, account.uid, account.gid)
  }
  const [create = '', ...args] = kind.create(folder)
  execFileSync(create, args, { ...account, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  const port = await freePort()
  const url = kind.urlAt(port)
  let child: ChildProcess
  const start = async (): Promise<void> => {
    const command = kind.serve(folder, port)
    if (space === undefined) child = run(command, { ...account, cwd: folder, stdio: 'ignore' })
    else {
      const disk = { folder: join(folder, space.tablespace), megabytes: space.megabytes, account }
      child = run([...onSmallDisk(disk), ...command], { cwd: folder, stdio: 'ignore' })
    }
    await untilReady(() => kind.connect(url))
  }
  const signal = (name: NodeJS.Signals): void => {
    for (const pid of processesOf(Number(child.pid))) sendSignal(pid, name)
  }
  const kill = async (): Promise<void> => {
    const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
    if (exited !== undefined) signal('SIGKILL')
    await exited
  }
  await start()
  return {
    url,
    folder,
    start,
    kill,
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    remove: async () => {
      await kill()
      rmSync(folder, { recursive: true })
    },
  }
}

function run([program = '', ...args]: Command, options: SpawnOptions): ChildProcess {
  return spawn(program, args, options)
}

/** Database servers refuse to run as root: then it is the account that came with the server. */
function accountOf(name: string): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (option: string): number => Number(execFileSync('id', [option, name], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await once(server.close(), 'close')
  return port
}

async function untilReady(connect: () => Promise<void>): Promise<void> {
  const end = performance.now() + 60_000
  for (;;) {
    const error: unknown = await connect().then(() => undefined, (cause: unknown) => cause)
    if (error === undefined) return
    if (performance.now() > end) throw new Error('The database server did not start.', { cause: error })
    await setTimeout(20)
  }
}

/** Returns a process and its children: PostgreSQL has one for each connection. */
function processesOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return [pid, ...children.split(' ').filter((text) => text !== '').map(Number)]
}

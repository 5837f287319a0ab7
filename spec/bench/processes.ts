import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const canPin = spawnSync('taskset', ['--version']).error === undefined

/** The same command bound to one core, where the system can do that. */
function pinned(core: number, command: readonly string[]): [string, string[]] {
  const [program = '', ...args] = canPin ? ['taskset', '-c', String(core), ...command] : command
  return [program, args]
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url))
}

export interface ServerProcess {
  readonly port: number
  /** The processor time used so far, in microseconds. */
  readonly processorTime: () => Promise<number>
  readonly stop: () => void
}

/** Starts one of `servers/` on the first core. */
export async function startServer(file: string, way: string): Promise<ServerProcess> {
  const [program, args] = pinned(0, [process.execPath, '--import', 'tsx', pathOf(`servers/${file}`), way])
  const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  return {
    port: await answerOf(child),
    processorTime: () => {
      child.send('how much?')
      return answerOf(child)
    },
    stop: () => void child.kill(),
  }
}

async function answerOf(child: ChildProcess): Promise<number> {
  const [answer] = (await once(child, 'message')) as [number]
  return answer
}

interface Load {
  readonly seconds: number
  readonly connections: number
  readonly pipelining: number
}

export interface LoadResult {
  readonly total: number
  readonly perSecond: number
}

/** Puts autocannon, on the second core, to one URL. */
export async function load(url: string, { seconds, connections, pipelining }: Load): Promise<LoadResult> {
  const autocannon = pathOf('node_modules/autocannon/autocannon.js')
  const options = ['--json', '--duration', seconds, '--connections', connections, '--pipelining', pipelining, url].map(String)
  const [program, args] = pinned(1, [process.execPath, autocannon, ...options])
  const { stdout } = await promisify(execFile)(program, args, { maxBuffer: 10_000_000 })
  const { requests, errors, non2xx } = JSON.parse(stdout) as { requests: { total: number; average: number }; errors: number; non2xx: number }
  if (errors + non2xx > 0) throw new Error(`${errors} errors and ${non2xx} refusals under load`)
  return { total: requests.total, perSecond: requests.average }
}

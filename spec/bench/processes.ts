import { execFile, spawn, spawnSync, type ChildProcess, type ExecFileOptions } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { fileOf, type ComparedServer } from './comparison.js'
import type { Shape } from './servers/data.js'

const canPin = spawnSync('taskset', ['--version']).error === undefined

/** Binds a command to one core if the system supports it: the first for servers, the second for the load. */
export function pinned(core: 0 | 1, command: readonly string[]): [string, string[]] {
  const [program = '', ...args] = canPin ? ['taskset', '-c', String(core), ...command] : command
  return [program, args]
}

export function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url))
}

/** The Node.js of the servers. */
export interface Runtime {
  readonly program: string
  readonly version: string
}

export interface Usage {
  /** The processor time used so far, in microseconds. */
  readonly processorTime: number
  /** The resident memory, in bytes. */
  readonly memory: number
}

export interface ServerProcess {
  readonly port: number
  readonly usage: () => Promise<Usage>
  readonly stop: () => Promise<void>
}

export interface WantedApp {
  /** The number of resources besides the posts. */
  readonly resources: number
  readonly shape: Shape
}

export interface StartOptions {
  /** The program of Node.js. */
  readonly program: string
  /** Its flags. */
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** Starts a server prepared by `prepare`, on the first core. */
export async function startServer(
  compared: ComparedServer,
  { resources, shape }: WantedApp,
  { program, flags = [], env = {} }: StartOptions,
): Promise<ServerProcess> {
  const { folder = 'build/installed/servers' } = compared
  const file = fileOf(compared, shape)
  if (file === undefined) throw new Error(`${compared.key} has no app of the shape ${shape}`)
  const command = [program, ...flags, pathOf(`${folder}/run.js`), file, String(resources), shape]
  const child = spawn(...pinned(0, command), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', ...env },
  })
  const { port } = await answerOf<{ port: number }>(child)
  return {
    port,
    usage: () => {
      child.send('how much?')
      return answerOf<Usage>(child)
    },
    stop: async () => {
      if (child.exitCode !== null) return
      child.disconnect()
      await once(child, 'exit')
    },
  }
}

/** Returns the next message of a child process. */
export async function answerOf<T>(child: ChildProcess): Promise<T> {
  const answered = new AbortController()
  const { signal } = answered
  try {
    const ended = once(child, 'exit', { signal }).then(([code]) =>
      Promise.reject(new Error(`A child process ended with ${String(code)}`))
    )
    const [answer] = await Promise.race([once(child, 'message', { signal }), ended]) as [T]
    return answer
  } finally {
    answered.abort()
  }
}

/** Runs a command and returns its output. */
export async function outputOf(
  program: string,
  args: readonly string[],
  options: ExecFileOptions = {},
): Promise<string> {
  return await new Promise((resolve, reject) => {
    execFile(program, args, { ...options, encoding: 'utf8', maxBuffer: 10_000_000 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`This failed: ${program} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error }))
    })
  })
}

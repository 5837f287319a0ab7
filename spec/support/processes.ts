import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** A blog in a process of its own. */
export interface Started {
  readonly child: ChildProcess
  readonly url: string
  readonly banner: readonly string[]
}

/** `npm start` on a free port, until it has printed its banner; it is killed when the test ends. */
export async function startProcess(env: NodeJS.ProcessEnv = {}): Promise<Started> {
  const child = spawn('npm', ['start', '--silent'], {
    cwd: root,
    env: { ...process.env, NODE_ENV: '', PORT: '0', ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => endGroup(child))
  const banner: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    banner.push(line)
    if (banner.filter((text) => text.includes('curl ')).length === 3) break
  }
  return { child, banner, url: /^listening on (http:\/\/127\.0\.0\.1:\d+)$/.exec(banner[0] ?? '')?.[1] ?? '' }
}

/** npm, its shell and the blog form one process group, which must not outlive the test. */
function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-Number(pid), 'SIGKILL')
  } catch {
    // the group has ended
  }
}

interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly flags?: readonly string[]
  /** @default the root of the project */
  readonly cwd?: string
}

/** Runs a program in a process of its own, and returns what it printed. */
export function runProgram(
  code: string,
  { env, flags = [], cwd = root }: ProgramOptions = {},
): { readonly stdout: string; readonly stderr: string } {
  const args = [...flags, '--import', 'tsx', '--input-type=module', '--eval', code]
  return spawnSync(process.execPath, args, { cwd, encoding: 'utf8', env: { ...process.env, ...env } })
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { run } from '../../lib/tools/cli/run.js'

export const modules = fileURLToPath(new URL('modules/', import.meta.url))

export interface Outcome {
  readonly status: number
  readonly out: string
  readonly error: string
}

/** Runs a command of `resourcery` in this process. */
export async function typed(...argv: string[]): Promise<Outcome> {
  const [out, error]: [string[], string[]] = [[], []]
  const status = await run(argv, (text) => out.push(text), (text) => error.push(text),
    (url) => import(url) as Promise<object>)
  return { status, out: out.join('\n'), error: error.join('\n') }
}

/** Creates a folder that is removed after the test. */
export async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'resourcery-cli-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { faultsIn } from './compile.js'
import { root, type Page } from './pages.js'
import { Reader } from './reader.js'

/** Installs what `npm run build` has made into a suite, as a copy like that of npm. */
export function installBuilt(suite: string): void {
  const installed = join(suite, 'node_modules/resourcery')
  rmSync(installed, { recursive: true, force: true })
  for (const part of ['dist', 'package.json']) {
    cpSync(join(root, part), join(installed, part), { recursive: true })
  }
}

/** Types in a page, calls `check` with the address of its running program, and compiles each version of the program. */
export async function follow(
  page: Page,
  suite: string,
  env: Record<string, string> = {},
  check: (url: string) => Promise<void> = async () => {},
): Promise<void> {
  const reader = new Reader(page, env, suite)
  onTestFinished(() => reader.close())
  for (const step of page.steps) await reader.follow(step)
  await check(reader.url)
  await reader.close()
  for (const folder of reader.folders) expect(faultsIn(folder)).toEqual([])
}

import { expect, onTestFinished } from 'vitest'
import { faultsIn } from './compile.js'
import type { Page } from './pages.js'
import { Reader } from './reader.js'

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

import { expect, onTestFinished } from 'vitest'
import { isNightly } from '../support/nightly.js'
import { faultsIn } from './compile.js'
import type { Page } from './pages.js'
import { Reader } from './reader.js'

/** Pages of few kinds, whose programs are compiled by day too. */
const COMPILED = ['typescript.md', 'first-api-drizzle.md', 'first-api-prisma.md', 'nestjs.md']

/**
 * Types in a page, calls `check` with the address of its running program, and compiles the program: each night that of
 * every page.
 */
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
  if (!isNightly && !COMPILED.includes(page.name)) return
  for (const folder of reader.folders) expect(faultsIn(folder)).toEqual([])
}

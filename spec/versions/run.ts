import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/*
 * A program: runs the specs that go through Express with the lowest and the highest versions that the package allows, and prints whether
 * the fast path knows them. `highest` is installed anew each time, so that a new release shows here first.
 */

const SETS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  lowest: { express: '5.1.0', router: '2.2.0', zod: '4.1.0' },
  mixed: { express: '5.3.0', router: '2.2.0', zod: '4.1.0' },
  highest: { express: '^5.1.0', router: '^2.2.0', zod: '^4.1.0' },
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const chosen = process.argv.slice(2)

for (const [name, dependencies] of Object.entries(SETS)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  const folder = fileURLToPath(new URL(`installed/${name}/`, import.meta.url))
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}package.json`, JSON.stringify({ name: `resourcery-${name}`, private: true, dependencies }))
  run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts', '--loglevel=error'])
  const requireThere = createRequire(folder)
  const versions = Object.keys(dependencies).map((one) => `${one} ${(requireThere(`${one}/package.json`) as { readonly version: string }).version}`)
  console.log(`\n== ${name}: ${versions.join(', ')}`)
  const isUnlisted = versions.includes('router 2.2.0')
  run('npx', ['vitest', 'run', '--config', 'spec/vitest.config.ts', '--mode', 'versions'], { VERSIONS: folder, VERSIONS_UNLISTED: String(isUnlisted) })
}

function run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
  if (status !== 0) process.exit(status ?? 1)
}

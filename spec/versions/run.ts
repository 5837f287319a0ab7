import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type express from 'express'
import { fingerprint, isOriginal, ORIGINAL_NAMES } from '../../lib/core/express/originals.js'
import { functionsOf } from '../../lib/core/express/release.js'
import { isNightly } from '../support/nightly.js'

/*
 * A program: runs the specs that go through Express with the lowest and the highest versions that the package allows,
 * and prints the checksums of the functions that the fast path compares; then the specs of the optional packages with
 * theirs. `highest` is installed anew each time, so that a new release is noticed here first; in `.ci/nightly` an unknown
 * checksum of it is a failure.
 */

const SETS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  lowest: { express: '5.1.0', router: '2.2.0', zod: '4.1.0' },
  mixed: { express: '5.3.0', router: '2.2.0', zod: '4.1.0' },
  highest: { express: '^5.1.0', router: '^2.2.0', zod: '^4.1.0' },
  'optional-lowest': { 'csv-parse': '5.0.0', 'csv-stringify': '6.4.0', 'kysely': '0.27.1' },
  'optional-middle': { 'csv-parse': '^6.0.0', 'csv-stringify': '^6.4.0', 'kysely': '^0.27.1' },
  'optional-highest': { 'csv-parse': '^7.0.0', 'csv-stringify': '^6.4.0', 'kysely': '^0.29.0' },
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const chosen = process.argv.slice(2)

for (const [name, dependencies] of Object.entries(SETS)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  const folder = fileURLToPath(new URL(`installed/${name}/`, import.meta.url))
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}package.json`, JSON.stringify({ name: `resourcery-${name}`, private: true, dependencies }))
  const flags = ['--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts', '--loglevel=error']
  run('npm', ['install', '--prefix', folder, ...flags])
  const versionOf = (one: string): string =>
    (JSON.parse(readFileSync(`${folder}node_modules/${one}/package.json`, 'utf8')) as { readonly version: string })
      .version
  const versions = Object.keys(dependencies).map((one) => `${one} ${versionOf(one)}`)
  console.log(`\n== ${name}: ${versions.join(', ')}`)
  if ('kysely' in dependencies) {
    compile(folder)
    run('npx', ['vitest', 'run', '--config', 'spec/vitest.config.ts', '--mode', 'optional'], { VERSIONS: folder })
    continue
  }
  const unknown = printFingerprints(createRequire(folder)('express') as typeof express)
  if (isNightly && name === 'highest' && unknown > 0) process.exitCode = 1
  run('npx', ['vitest', 'run', '--config', 'spec/vitest.config.ts', '--mode', 'versions'], {
    VERSIONS: folder,
    VERSIONS_NESTED: String(!versions.includes('router 2.2.0')),
  })
}

/** Compiles the type tests of Kysely with the types of the version in a folder. */
function compile(folder: string): void {
  const settings = {
    extends: `${root}spec/tsconfig.types.json`,
    compilerOptions: { noEmit: true,
      paths: { kysely: [`${folder}node_modules/kysely`], resourcery: [`${root}lib/entries/index.ts`],
        'resourcery/*': [`${root}lib/*.ts`] } },
    include: [`${root}spec/stores/kysely.test-d.ts`, `${root}spec/paginate.test-d.ts`],
  }
  writeFileSync(`${folder}tsconfig.json`, JSON.stringify(settings))
  run('npx', ['tsc', '-p', folder])
}

/**
 * Prints the checksum of each function that `lib/core/express/originals.ts` lists, and whether it has that checksum. Returns
 * the number of those that it has not.
 */
function printFingerprints(installed: typeof express): number {
  const functions = functionsOf(installed)
  let unknown = 0
  for (const name of ORIGINAL_NAMES) {
    const fn = functions[name]
    const checksum = `0x${fingerprint(fn).toString(16).padStart(8, '0')}`
    const isKnown = isOriginal(name, fn)
    if (!isKnown) unknown++
    console.log(`${name.padEnd(20)} ${checksum} ${isKnown ? 'known' : 'unknown: requests take the plain path'}`)
  }
  return unknown
}

function run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
  if (status !== 0) process.exit(status ?? 1)
}

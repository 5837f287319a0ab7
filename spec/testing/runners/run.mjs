import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/*
 * Runs the recipes of docs/testing.md on the built package, and Jest as an application in CommonJS has it:
 * `npm run test:runners`. Arguments select runners by their names.
 */

const node = process.execPath
const here = fileURLToPath(new URL('.', import.meta.url))
const vitest = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url))
const jest = fileURLToPath(new URL('node_modules/jest/bin/jest.js', import.meta.url))
const bun = binary('@oven', 'bin/bun')
const deno = binary('@deno', 'deno')
/** The folder, the program and its arguments, by the name of a runner. */
const runners = {
  'node:test': ['.', node, '--test', 'node.test.mjs'],
  vitest: ['.', node, vitest, 'run', '--config', 'vitest.config.mjs'],
  mocha: ['.', node, 'node_modules/mocha/bin/mocha.js', 'mocha.test.mjs'],
  AVA: ['.', node, 'node_modules/ava/entrypoints/cli.mjs', 'ava.test.mjs'],
  'jest, ES module': ['.', node, '--experimental-vm-modules', jest],
  'jest, CommonJS': ['jest-commonjs', node, jest],
  'jest, ts-jest': ['ts-jest', node, jest],
  'Bun, tests': ['.', bun, 'test', 'bun.test.mjs'],
  'Bun, subpaths': ['.', bun, 'subpaths.mjs'],
  'Deno, tests': ['.', deno, 'test', '--allow-all', '--no-check', 'deno.test.mjs'],
  'Deno, subpaths': ['.', deno, 'run', '--allow-all', 'subpaths.mjs'],
}
const chosen = process.argv.slice(2)

// A copy, as npm installs it: Jest treats files below node_modules/ in another way than those of an application.
const installed = `${here}node_modules/resourcery`
rmSync(installed, { recursive: true, force: true })
for (const part of ['dist', 'package.json']) {
  cpSync(fileURLToPath(new URL(`../../../${part}`, import.meta.url)), `${installed}/${part}`, { recursive: true })
}

// Deno would take modules of an earlier build at the same path from its cache.
const cache = mkdtempSync(join(tmpdir(), 'resourcery-deno-'))
process.on('exit', () => rmSync(cache, { recursive: true, force: true }))
const env = { ...process.env, DENO_DIR: cache }

for (const [name, [folder, program, ...args]] of Object.entries(runners)) {
  if (chosen.length > 0 && !chosen.some((one) => name.startsWith(one))) continue
  const { status } = spawnSync(program, args, { cwd: `${here}${folder}`, env, stdio: 'inherit' })
  console.log(status === 0 ? `ok      ${name}` : `FAILED  ${name}`)
  if (status !== 0) process.exitCode = 1
}

/** Returns a program that a package of this platform contains: the script that would link it is not run by npm. */
function binary(scope, path) {
  const folder = `${here}node_modules/${scope}`
  return readdirSync(folder).map((name) => `${folder}/${name}/${path}`).find((file) => existsSync(file))
}

import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/*
 * Runs the recipes of docs/testing.md on the built package, and Jest as an application in CommonJS has it:
 * `npm run test:runners`. Arguments select runners by their names.
 */

const here = fileURLToPath(new URL('.', import.meta.url))
const vitest = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url))
const jest = fileURLToPath(new URL('node_modules/jest/bin/jest.js', import.meta.url))
/** The arguments of Node.js by the name of a runner, and the folder to run in. */
const runners = {
  'node:test': ['.', '--test', 'node.test.mjs'],
  vitest: ['.', vitest, 'run', '--config', 'vitest.config.mjs'],
  'jest, ES module': ['.', '--experimental-vm-modules', jest],
  'jest, CommonJS': ['jest-commonjs', jest],
  'jest, ts-jest': ['ts-jest', jest],
}
const chosen = process.argv.slice(2)

// A copy, as npm installs it: Jest treats files below node_modules/ in another way than those of an application.
const installed = `${here}node_modules/resourcery`
rmSync(installed, { recursive: true, force: true })
for (const part of ['dist', 'package.json']) {
  cpSync(fileURLToPath(new URL(`../../../${part}`, import.meta.url)), `${installed}/${part}`, { recursive: true })
}

for (const [name, [folder, ...args]] of Object.entries(runners)) {
  if (chosen.length > 0 && !chosen.some((one) => name.startsWith(one))) continue
  const { status } = spawnSync(process.execPath, args, { cwd: `${here}${folder}`, stdio: 'inherit' })
  console.log(status === 0 ? `ok      ${name}` : `FAILED  ${name}`)
  if (status !== 0) process.exitCode = 1
}

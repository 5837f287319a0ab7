import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/* Runs the recipes of docs/testing.md on the built package: `npm run test:runners`. */

const here = fileURLToPath(new URL('.', import.meta.url))
const vitest = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url))
const runners = {
  'node:test': ['--test', 'node.test.mjs'],
  vitest: [vitest, 'run', '--config', 'vitest.config.mjs'],
  jest: ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js'],
}

for (const [name, args] of Object.entries(runners)) {
  const { status } = spawnSync(process.execPath, args, { cwd: here, stdio: 'inherit' })
  console.log(status === 0 ? `ok      ${name}` : `FAILED  ${name}`)
  if (status !== 0) process.exitCode = 1
}

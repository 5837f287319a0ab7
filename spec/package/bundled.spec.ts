import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../support/processes.js'
import { BUNDLED } from './licences.js'

const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const { devDependencies } = JSON.parse(read('package.json')) as {
  readonly devDependencies: Readonly<Record<string, string>>
}

it('pins the versions of the packages that it bundles', () => {
  for (const name of ['jose', 'file-type']) expect(devDependencies[name]).toMatch(/^\d+\.\d+\.\d+$/)
})

it('names each package that it bundles in SECURITY.md, with its version', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    readonly packages: Readonly<Record<string, { readonly version: string }>>
  }
  const rows = BUNDLED.map((name) => `| ${name} | ${String(packages[`node_modules/${name}`]?.version)} |`)
  const security = read('SECURITY.md')
  expect(rows.filter((row) => !security.includes(row))).toEqual([])
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../support/processes.js'

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Readonly<
  Record<'dependencies' | 'peerDependencies', Readonly<Record<string, string>>>
>

it('accepts security patches of each package that is needed at run time', () => {
  const ranges = { ...manifest.dependencies, ...manifest.peerDependencies }
  expect(Object.entries(ranges).filter(([, range]) => !range.startsWith('^'))).toEqual([])
})

it('contains no address before a release sets it', () => {
  expect(manifest).not.toHaveProperty('repository')
  expect(manifest).not.toHaveProperty('bugs')
  expect(manifest).not.toHaveProperty('homepage')
})

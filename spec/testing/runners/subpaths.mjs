import { deepEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/*
 * Loads every subpath of the package by `import` and by `require`.
 */

const root = new URL('../../../', import.meta.url)
const require = createRequire(root)
const { exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))

for (const [subpath, forms] of Object.entries(exports)) {
  if (subpath === './package.json') continue
  const imported = await import(new URL(forms.import.default, root).href)
  const required = require(forms.require.default)
  const isName = (name) => name !== 'default' && name !== 'module.exports'
  deepEqual(Object.keys(imported).filter(isName).sort(), Object.keys(required).filter(isName).sort(), subpath)
}

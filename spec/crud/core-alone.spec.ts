import { expect, it, vi } from 'vitest'
import { crud } from '../../lib/crud.js'
import { people, PersonIn, PersonOut } from './people.js'

// With an empty list of features crud is its core alone, and the specs of the core hold as they do with all features.
vi.mock('../../lib/crud/features.js', () => ({ FEATURES: [] }))

await import('../crud.spec.js')
await import('./actions.spec.js')
await import('./cursors.spec.js')
await import('./faults.spec.js')
await import('./field-rules.spec.js')
await import('./hooks.spec.js')
await import('./options.spec.js')
await import('./query-names.spec.js')
await import('./scope.spec.js')
await import('./transform-many.spec.js')

it.each<[option: string, options: object]>([
  ['bulk', { bulk: true }], ['softDelete', { softDelete: { field: 'age' } }], ['tree', { tree: { parent: 'team', onDelete: 'restrict' } }],
  ['ifMatch', { ifMatch: 'required' }], ['version', { version: 'age' }], ['export', { export: true }], ['import', { import: true }],
  ['idempotency', { idempotency: {} }], ['parent', { parent: false }],
  ['members', { members: {} }],
])('the core does not know the option `%s` of a feature', (option, options) => {
  const message = expect.stringContaining(`there is no option \`${option}\``) as string
  expect(() => crud(people(), { input: PersonIn, output: PersonOut, ...options })).toThrow(expect.objectContaining({ code: 'crud_option_unknown', message }))
})

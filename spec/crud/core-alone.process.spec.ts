import { expect, it, vi } from 'vitest'
import { crud } from 'resourcery/crud'
import { people, PersonIn, PersonOut } from './people.js'

// With an empty list of features crud consists of its core, which still passes its specs.
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
  ['bulk', { bulk: true }],
  ['softDelete', { softDelete: { field: 'age' } }],
  ['tree', { tree: { parent: 'team', onDelete: 'restrict' } }],
  ['ifMatch', { ifMatch: 'required' }],
  ['version', { version: 'age' }],
  ['export', { export: true }],
  ['import', { import: true }],
  ['idempotency', { idempotency: {} }],
  ['parent', { parent: false }],
  ['members', { members: {} }],
  ['references', { references: {} }],
  ['children', { children: {} }],
])('refuses the option `%s` if the feature is not in the list', (option, options) => {
  const message = expect.stringContaining(`there is no option \`${option}\``) as string
  expect(() => crud(people(), { input: PersonIn, output: PersonOut, ...options })).toThrow(
    expect.objectContaining({ code: 'crud_option_unknown', message }),
  )
})

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore } from 'resourcery/crud'

interface Folder {
  id: number
  name: string
}

const Output = z.object({ id: z.int(), name: z.string() })
const base = { input: Output.omit({ id: true }), output: Output }
const folders = memoryStore<Folder>({ key: 'id' })
const hook = (): void => undefined

/** Returns the message that crud refuses these options with. */
function refusal(options: object): string {
  try {
    crud(folders, { ...base, ...options })
  } catch (error) {
    return (error as Error).message
  }
  return 'accepted'
}

describe('crud', () => {
  it.each<[option: string, known: string, options: object]>([
    ['equals', 'eq', { filters: { name: { equals: z.string() } } }],
    ['reads', 'read', { fields: { name: { reads: hook } } }],
    ['nmae', 'name', { fields: { nmae: { read: hook } } }],
    ['lists', 'list', { scope: { lists: () => [] } }],
    ['pageSize', 'limit', { paramNames: { pageSize: 'limit' } }],
    ['patch', 'store', { before: { patch: hook } }],
    ['createMany', 'create', { afterCommit: { createMany: hook } }],
    ['show', 'create', { afterCommit: { show: hook } }],
  ])('refuses the unknown option `%s`, and suggests `%s`', (option, known, options) => {
    expect(refusal(options)).toMatch(
      new RegExp(`crud: there is no option \`${option}\`\\..* The options are .*\\b${known}\\b`),
    )
  })

  it.each<[given: string, now: string, options: object]>([
    ['ownFilters', 'customFilters', { ownFilters: {} }],
    ['names', 'paramNames', { names: {} }],
    ['max', 'maxLimit', { max: 50 }],
    ['committed', 'afterCommit', { committed: {} }],
  ])('refuses the former name `%s`, and names the new one, %s', (given, now, options) => {
    expect(refusal(options)).toMatch(given)
    expect(refusal(options)).toMatch(new RegExp(`renamed to .?${now}`))
  })

  it.each<[options: object]>([
    [{ filters: { name: true } }],
    [{ fields: { name: [] } }],
    [{ scope: [] }],
    [{ before: { restore: hook } }],
    [{ custom: { publish: undefined } }],
    [{ customFilters: { mine: undefined } }],
    [{ conflicts: { folders_name_key: undefined } }],
  ])('refuses an option of another shape: %j', (options) => {
    expect(() => crud(folders, { ...base, ...options })).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^(crud_option_unknown|options_shape)$/) as string }),
    )
  })

  it.each([[undefined], ['folders'], [{ key: 'id' }], [() => 'a connection']])('refuses %o in place of a store',
    (given) => {
      expect(() => crud(given as unknown as typeof folders, base)).toThrow(expect.objectContaining({
        code: 'options_shape',
        message: expect.stringContaining('must be given a store') as string,
      }))
    })

  it('says what a filter is, in place of a schema', () => {
    expect(refusal({ filters: { name: z.string() } })).toMatch(
      /^`filters\.name` of crud must be an object such as `\{ eq: z\.string\(\) \}`, not /,
    )
    expect(refusal({ customFilters: { mine: z.string() } })).toMatch(
      /^`customFilters\.mine` of crud must be what `filter\(schema, conditions\)` returns, not /,
    )
    expect(refusal({ customFilters: { mine: { value: z.string() } } })).toContain(
      '`customFilters.mine` of crud must be',
    )
  })

  it.each(['actions', 'guards', 'name', 'route', 'auth'])('says where `%s` belongs, an option of mountResource',
    (name) => {
      expect(refusal({ [name]: [] })).toContain(
        `\`${name}\` is an option of mountResource. Write it beside the result: mountResource(app, { …, ...crud(`,
      )
    })

  it('treats an option that is undefined as absent', () => {
    expect(refusal({ sort: undefined, before: undefined })).toBe('accepted')
  })
})

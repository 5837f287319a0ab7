import express from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mountResource, routesOf } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'

interface Folder {
  id: number
  name: string
  parentId: number | null
  deletedAt: Date | null
}

const Output = z.object({ id: z.int(), name: z.string(), parentId: z.int().nullable() })
const base = { input: Output.omit({ id: true }), output: Output }
const folders = memoryStore<Folder>({ key: 'id' })
const softDelete = { field: 'deletedAt' } as const
const tree = { parent: 'parentId', onDelete: 'restrict' } as const
const keys = () => memoryStore({ key: 'id' })
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

/** Returns the routes of a resource with these options. */
function routesWith(options: object): readonly object[] {
  const app = express()
  mountResource(app, { route: '/folders', name: 'folders', ...crud(folders, { ...base, ...options }) })
  return routesOf(app).map(({ name, method, path }) => ({ name, method, path }))
}

describe('the options of features', () => {
  it.each<[option: string, known: string, options: object]>([
    ['softDeletes', 'softDelete', { softDeletes: softDelete }],
    ['feild', 'field', { softDelete: { feild: 'deletedAt' } }],
    ['ondelete', 'onDelete', { tree: { ...tree, ondelete: 'cascade' } }],
    ['maxrows', 'maxRows', { export: { maxrows: 5 } }],
    ['dryRun', 'partial', { import: { dryRun: true } }],
    ['ttl', 'seconds', { idempotency: { keys, ttl: 5 } }],
  ])('refuses the unknown option `%s`, and suggests `%s`', (option, known, options) => {
    expect(refusal(options)).toMatch(
      new RegExp(`crud: there is no option \`${option}\`\\..* The options are .*\\b${known}\\b`),
    )
  })

  it.each<[given: string, now: string, options: object]>([
    ['trash', 'softDelete', { trash: softDelete }],
    ['trashed', 'deleted', { softDelete, paramNames: { trashed: 'gone' } }],
    ['trash', 'purge', { softDelete, before: { trash: hook } }],
    ['trash', 'purge', { softDelete, afterCommit: { trash: hook } }],
    ['trash', 'purge', { softDelete, perAction: { trash: { auth: false } } }],
    ['honoured', "'optional'", { ifMatch: 'honoured' }],
    ['refuse', "'restrict'", { tree: { ...tree, onDelete: 'refuse' } }],
    ['lift', "'reparent'", { tree: { ...tree, onDelete: 'lift' } }],
  ])('refuses the former name `%s`, and names the new one, %s', (given, now, options) => {
    expect(refusal(options)).toMatch(given)
    expect(refusal(options)).toMatch(new RegExp(`renamed to .?${now}`))
  })

  it('treats an option that is undefined as absent', () => {
    const named = /The options are (.*)\.$/.exec(refusal({ nope: true }))?.[1]?.split(', ') ?? []
    const optional = named.filter((name) => !Object.hasOwn(base, name))
    expect(optional).toEqual(expect.arrayContaining(['sort', 'maxLimit', 'deadline', 'bulk', 'import', 'tree']))
    expect(routesWith(Object.fromEntries(optional.map((name) => [name, undefined])))).toEqual(routesWith({}))
  })

  it('takes `undefined` for each option by its types, but for those that protect rows and fields', () => {
    const undecided: string | undefined = undefined
    const resource = crud(folders, {
      ...base,
      transform: undecided,
      sort: undecided,
      search: undecided,
      filters: undecided,
      limit: undecided,
      maxLimit: undecided,
      cursor: undecided,
      before: { create: undecided, list: undecided },
      after: undecided,
      afterCommit: undecided,
      conflicts: undecided,
      deadline: undecided,
      bulk: undecided,
      export: undecided,
      import: undecided,
      members: undecided,
      ifMatch: undecided,
      idempotency: undecided,
      perAction: undecided,
    })
    expect(Object.keys(resource.handlers)).toContain('list')
    // @ts-expect-error -- without the function all rows would be reachable
    crud(folders, { ...base, scope: undecided })
    // @ts-expect-error -- rows would be deleted for good
    crud(folders, { ...base, softDelete: undecided })
    // @ts-expect-error -- every caller could read the field
    crud(folders, { ...base, fields: { name: { read: undecided } } })
  })

  it.each<[options: object]>([
    [{ softDelete: true }],
    [{ softDelete: 'deletedAt' }],
    [{ tree: 'parentId' }],
    [{ idempotency: true }],
    [{ bulk: false }],
    [{ bulk: ['deleteMany'] }],
    [{ export: 'csv' }],
    [{ before: { restore: hook } }],
  ])('refuses an option of another shape: %j', (options) => {
    expect(() => crud(folders, { ...base, ...options })).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^(crud_option_unknown|options_shape)$/) as string }),
    )
  })

  it('treats an option that is undefined as absent', () => {
    expect(refusal({ softDelete: undefined, bulk: undefined, tree: undefined })).toBe('accepted')
  })
})

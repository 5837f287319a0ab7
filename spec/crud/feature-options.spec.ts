import { describe, expect, it } from 'vitest'
import { z } from 'zod'
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
    ['honoured', "'optional'", { ifMatch: 'honoured' }],
    ['refuse', "'restrict'", { tree: { ...tree, onDelete: 'refuse' } }],
    ['lift', "'reparent'", { tree: { ...tree, onDelete: 'lift' } }],
  ])('refuses the former name `%s`, and names the new one, %s', (given, now, options) => {
    expect(refusal(options)).toMatch(given)
    expect(refusal(options)).toMatch(new RegExp(`renamed to .?${now}`))
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

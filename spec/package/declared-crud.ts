import express from 'express'
import { mountResource, param } from 'resourcery'
import { crud, filter, idempotent, memoryStore, type IdempotencyKey } from 'resourcery/crud'
import { z } from 'zod'

/*
 * A module that exports the result of `crud` with each option that adds to its type, with and without `parent`:
 * compiled as declared.ts. A type that has no name in the package is an error here.
 */
interface Row {
  id: number
  name: string
  teamId: number
  parentId: number | null
  deletedAt: Date | null
}

export const people = memoryStore<Row>({ key: 'id' })
const Person = z.object({ id: z.int(), name: z.string() })
const base = { input: z.object({ name: z.string() }), output: Person }
const inTeam = { ...base, parent: { arg: 'team', column: 'teamId' } } as const
const close = { close: { change: () => ({ name: 'x' }) } }
const open = { open: { input: z.object({ at: z.date() }), output: Person, run: ({ id, name }: Row) => ({ id, name }) } }
const count = { count: { route: '/count', output: z.int(), handler: () => 1 } } as const

export const plain = crud(people, base)
export const { list, create } = plain.handlers
export const team = crud(people, inTeam)
export const ofTeam = crud(people, { ...base, parent: { arg: 'team', column: 'teamId', of: plain } })

export const bulk = crud(people, { ...base, bulk: true })
export const bulkInTeam = crud(people, { ...inTeam, bulk: true })
export const createMany = crud(people, { ...inTeam, bulk: ['createMany'] })

export const softDelete = crud(people, { ...base, softDelete: { field: 'deletedAt' } })
export const softDeleteInTeam = crud(people, { ...inTeam, softDelete: { field: 'deletedAt' } })

export const members = crud(people, { ...base, members: close })
export const membersInTeam = crud(people, { ...inTeam, members: close })
export const runInTeam = crud(people, { ...inTeam, members: open })

export const exported = crud(people, { ...base, export: true })
export const exportedInTeam = crud(people, { ...inTeam, export: true })
export const imported = crud(people, { ...base, import: true })
export const importedInTeam = crud(people, { ...inTeam, import: true })

export const custom = crud(people, { ...base, custom: count })
export const customInTeam = crud(people, { ...inTeam, custom: count })
export const card = crud(people, {
  ...inTeam,
  custom: {
    card: { methods: 'POST', route: '/:id/card', input: z.object({ note: z.string() }), load: true,
      files: { photo: { required: true } }, handler: (_req, _res, { note }, { name }) => note + name },
  },
})

export const tree = crud(people, { ...inTeam, tree: { parent: 'parentId', onDelete: 'restrict' } })
export const included = crud(people, {
  ...inTeam,
  output: Person.extend({ boss: z.string().optional() }),
  include: { boss: (rows) => new Map(rows.map(({ id }) => [id, 'Ann'])) },
})
export const listed = crud(people, {
  ...inTeam,
  sort: ['name'],
  search: ['name'],
  filters: { id: { eq: param.int() }, name: { contains: true } },
  customFilters: { late: filter(param.bool(), () => []) },
  paramNames: { limit: 'size' },
})
export const children = crud(people, {
  ...inTeam,
  bulk: true,
  children: { members: { of: plain, column: 'teamId' } },
  links: {
    friends: { of: plain, through: memoryStore<{ id: number; a: number; b: number }>({ key: 'id' }), own: 'a',
      other: 'b' },
  },
})
export const referring = crud(people, { ...inTeam, references: { parentId: plain } })
export const changed = crud(people, { ...inTeam, changes: z.object({ name: z.string() }) })

export const mounted = mountResource(express(), { route: '/teams/:team/people', name: 'people', ...children,
  custom: { ...children.custom, ...customInTeam.custom } })

export const keys = memoryStore<IdempotencyKey>({ key: 'id' })
export const once = idempotent({ store: people, keys: () => keys, identity: () => 'x' }, {
  input: z.object({ id: param.int() }),
  handler: async (_req, _res, { id }, store) => (await store.update(id, { name: 'x' })) ?? null,
})

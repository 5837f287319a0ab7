import { describe, expectTypeOf, it } from 'vitest'
import { crud, memoryStore } from 'resourcery/crud'
import { z } from 'zod'

interface Note {
  id: number
  title: string
  note: string | null
  ownerId: number
}

const notes = memoryStore<Note>({ key: 'id' })
const input = z.object({ title: z.string(), note: z.string().optional() })
const output = z.object({ id: z.int(), title: z.string() })
const base = { input, output }

describe('hooks of crud', () => {
  it('get the types that the input declares', () => {
    crud(notes, {
      ...base,
      before: {
        create: (fields, { action }) => {
          expectTypeOf(fields).toEqualTypeOf<{ title: string; note?: string | undefined }>()
          expectTypeOf(action).not.toBeAny()
        },
        createMany: (rows) => {
          expectTypeOf(rows).toEqualTypeOf<readonly { title: string; note?: string | undefined }[]>()
        },
        edit: (fields, { row }) => {
          expectTypeOf(fields.note).toEqualTypeOf<string | undefined>()
          expectTypeOf(row).toEqualTypeOf<Note>()
        },
        store: (fields) => {
          expectTypeOf(fields.title).toEqualTypeOf<string | undefined>()
        },
      },
      after: {
        createMany: (rows) => {
          expectTypeOf(rows).toEqualTypeOf<readonly Note[]>()
        },
      },
    })
  })

  it('get the fields of `changes` before a partial update', () => {
    const changes = z.object({ title: z.string(), ownerId: z.int() })
    crud(notes, {
      ...base,
      changes,
      before: {
        edit: (fields) => {
          expectTypeOf(fields).toEqualTypeOf<{ title: string; note?: string | undefined }>()
        },
        store: (fields) => {
          expectTypeOf(fields).toEqualTypeOf<{ title?: string; ownerId?: number }>()
          return { ownerId: fields.ownerId }
        },
      },
    })
    // @ts-expect-error -- a column that the row does not have
    crud(notes, { ...base, changes, before: { store: () => ({ owner: 1 }) } })
  })

  it('return columns of the row', () => {
    crud(notes, {
      ...base,
      before: {
        create: (fields) => ({ ...fields, ownerId: 1 }),
        createMany: (rows, { req }) => rows.map((fields) => ({ ...fields, ownerId: Number(req.url) })),
        edit: async (fields, { row }) => Promise.resolve({ ...fields, ownerId: row.ownerId }),
        store: ({ title, ...others }) => (title === undefined ? undefined : { ...others, title: title.trim() }),
      },
    })
    crud(notes, { ...base, before: { create: () => undefined, edit: async () => Promise.resolve() } })
    crud(notes, { ...base, before: { create: () => ({ title: 'x' }), store: () => ({ note: undefined }) } })
  })

  it('do not compile with a column that the row does not have', () => {
    crud(notes, {
      ...base,
      // @ts-expect-error The row has no column "ownerID"
      before: { create: (fields) => ({ ...fields, ownerID: 1 }) },
    })
    crud(notes, {
      ...base,
      // @ts-expect-error The row has no column "ownerID"
      before: { edit: async (fields) => Promise.resolve({ ...fields, ownerID: 1 }) },
    })
    crud(notes, {
      ...base,
      // @ts-expect-error The row has no column "ownerID"
      before: { store: () => ({ ownerID: 1 }) },
    })
    crud(notes, {
      ...base,
      // @ts-expect-error The row has no column "ownerID"
      before: { createMany: (rows) => rows.map((fields) => ({ ...fields, ownerID: 1 })) },
    })
    crud(notes, {
      ...base,
      // @ts-expect-error a column of another type
      before: { create: (fields) => ({ ...fields, ownerId: 'one' }) },
    })
  })
})

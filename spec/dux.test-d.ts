import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { auth } from 'resourcery'
import { crud, memoryStore, type Dialect } from 'resourcery/crud'
import { dux } from 'resourcery/dux'

const Note = z.object({ id: z.int(), title: z.string() })
const notes = memoryStore<z.infer<typeof Note>>({ key: 'id' })
const base = { input: Note.pick({ title: true }), output: Note }

describe('the option `dialect`', () => {
  it('takes dux, and any object of the type Dialect', () => {
    expectTypeOf(dux).toExtend<Dialect>()
    crud(notes, { ...base, dialect: dux })
    crud(notes, { ...base, dialect: { ...dux, listCreates: false } })
    // @ts-expect-error -- a sorter is a function
    crud(notes, { ...base, dialect: { sorter: '_sort' } })
    // @ts-expect-error -- a dialect has no such property
    crud(notes, { ...base, dialect: { pageSize: true } })
  })

  it('keeps the actions that `bulk` adds', () => {
    expectTypeOf(crud(notes, { ...base, bulk: true, dialect: dux }).custom).toHaveProperty('createMany')
    expectTypeOf(crud(notes, { ...base, dialect: dux }).custom).not.toHaveProperty('createMany')
  })
})

describe('the option `bareToken`', () => {
  it('is accepted with a secret and with published keys', () => {
    expectTypeOf(auth).toBeCallableWith('desk', { secret: 'x', bareToken: true })
    expectTypeOf(auth).toBeCallableWith('desk', { jwks: 'x', issuer: 'x', audience: 'x', bareToken: true })
    // @ts-expect-error -- a string would accept bare tokens for 'false' too
    auth('desk', { secret: 'x', bareToken: 'false' })
  })
})

import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../lib/stores/memory.js'
import { storeCases, type SampleRow } from '../../lib/testing.js'

describe('memoryStore', () => {
  it.each(storeCases(async () => ({ store: memoryStore<SampleRow>({ key: 'id', unique: ['code'] }) })))('$name', ({ run }) => run())

  it('starts with rows, and counts on from the largest key', async () => {
    const store = memoryStore({ key: 'id', rows: [{ id: 7, title: 'Milk' }] })
    expect(await store.create({ title: 'Tea' })).toEqual({ id: 8, title: 'Tea' })
  })

  it('makes keys of your own', async () => {
    const store = memoryStore<{ slug: string; title: string }>({ key: 'slug', newKey: () => 'made' })
    expect(await store.create({ title: 'Tea' })).toEqual({ slug: 'made', title: 'Tea' })
    expect(await store.create({ slug: 'given', title: 'Tea' })).toEqual({ slug: 'given', title: 'Tea' })
  })

  it('refuses rows that do not go together', () => {
    expect(() => memoryStore({ key: 'id', rows: [{ id: 1 }, { id: 1 }] })).toThrow(expect.objectContaining({ code: 'memory_rows' }))
  })

  it('lets values of a unique field be missing more than once', async () => {
    const store = memoryStore<{ id: number; email: string | null }>({ key: 'id', unique: ['email'] })
    await store.create({ email: null })
    await store.create({ email: null })
    await store.create({})
    expect(await store.list({ where: [], order: ['id'] }).count?.()).toBe(3)
  })
})

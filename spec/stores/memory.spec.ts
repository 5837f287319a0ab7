import { describe, expect, it } from 'vitest'
import { ColumnViolation, raw } from 'resourcery/crud'
import { memoryStore } from 'resourcery/crud'
import { storeCases, type SampleRow } from 'resourcery/testing'

describe('memoryStore', () => {
  it.each(storeCases(async () => ({ store: memoryStore<SampleRow>({ key: 'id', unique: ['code'] }) })))(
    '$name',
    ({ run }) => run(),
  )

  it('starts with the given rows, and continues from the largest key', async () => {
    const store = memoryStore({ key: 'id', rows: [{ id: 7, title: 'Milk' }] })
    expect(await store.create({ title: 'Tea' })).toEqual({ id: 8, title: 'Tea' })
  })

  it('accepts only a function of a row as a raw condition', async () => {
    const store = memoryStore({ key: 'id', rows: [{ id: 1, title: 'Milk' }, { id: 2, title: 'Tea' }] })
    const list = (condition: unknown) =>
      store.list({ where: [['id', '<', 9], { any: [[raw(condition)], [['id', '=', 7]]] }], order: ['id'] })
    expect(await list((row: { title: string }) => row.title.length > 3).slice(0, 5)).toEqual([{ id: 1, title: 'Milk' }])
    expect(await store.find([2], [raw((row: { title: string }) => row.title === 'Milk')])).toEqual([])
    expect(await list(() => 'yes').slice(0, 5)).toEqual([])
    await expect(Promise.resolve().then(() => list('true').slice(0, 5))).rejects.toMatchObject({ code: 'store_raw' })
  })

  it('names the field of a conflict', async () => {
    const store = memoryStore({ key: 'id', unique: ['email'], rows: [{ id: 1, email: 'a@b.c' }] })
    await expect(store.create({ email: 'a@b.c' })).rejects.toMatchObject({ columns: ['email'] })
    await expect(store.create({ id: 1, email: 'd@b.c' })).rejects.toMatchObject({ columns: ['id'] })
    await expect(store.create({ id: NaN, email: 'd@b.c' })).rejects.toBeInstanceOf(ColumnViolation)
  })

  it('generates keys with `newKey`', async () => {
    const store = memoryStore<{ slug: string; title: string }>({ key: 'slug', newKey: () => 'made' })
    expect(await store.create({ title: 'Tea' })).toEqual({ slug: 'made', title: 'Tea' })
    expect(await store.create({ slug: 'given', title: 'Tea' })).toEqual({ slug: 'given', title: 'Tea' })
  })

  it('refuses rows with the same key', () => {
    expect(() => memoryStore({ key: 'id', rows: [{ id: 1 }, { id: 1 }] })).toThrow(
      expect.objectContaining({ code: 'memory_rows' }),
    )
  })

  it('refuses a combination of unique fields twice, in a creation and in an update, and names its columns', async () => {
    const store = memoryStore<{ id: number; team: number | null; slug: string }>({
      key: 'id',
      unique: [['team', 'slug'], ['id']],
      rows: [{ id: 1, team: 1, slug: 'a' }],
    })
    const conflict = { status: 409, columns: ['team', 'slug'] }
    await expect(store.create({ team: 1, slug: 'a' })).rejects.toMatchObject(conflict)
    expect(await store.create({ team: 2, slug: 'a' })).toMatchObject({ id: 2 })
    await expect(store.update(2, { team: 1 })).rejects.toMatchObject(conflict)
    expect(await store.update(2, { team: 1, slug: 'b' })).toMatchObject({ slug: 'b' })
    await store.create({ team: null, slug: 'a' })
    expect(await store.create({ team: null, slug: 'a' })).toMatchObject({ id: 4 })
  })

  it.each([['email'], [[1]], [[[]]], [[['a', 1]]], [[[['a']]]], [[undefined]], [['']], [{ email: true }]])(
    'refuses %j as unique fields',
    (unique) => {
      expect(() => memoryStore({ key: 'id', unique: unique as never })).toThrow(
        expect.objectContaining({ code: 'memory_unique' }),
      )
    },
  )

  it('finds equal values among very many rows, whatever was changed, deleted or undone in between', async () => {
    const rows = Array.from({ length: 50_000 },
      (_, index) => ({ id: index + 1, code: `c${index}`, price: `${index}.0` }))
    const store = memoryStore({ key: 'id', unique: ['code', 'price'], columns: { price: 'decimal' }, rows })
    const taken = (column: string) => ({ name: 'UniqueViolation', columns: [column] })
    await expect(store.create({ code: 'c7', price: '-1' })).rejects.toMatchObject(taken('code'))
    await expect(store.create({ code: 'new', price: '7.00' })).rejects.toMatchObject(taken('price'))
    await expect(store.update(9, { code: 'c7' })).rejects.toMatchObject(taken('code'))
    await store.update(8, { code: 'c7', price: '7' })
    await store.update(8, { code: 'other' })
    await expect(store.transaction(async (inside) => {
      await inside.update(9, { code: 'c7' })
      await inside.delete([10])
      await inside.create({ code: 'c9', price: '9' })
      throw new Error('undone')
    })).rejects.toThrow('undone')
    await expect(store.create({ code: 'c9', price: '-1' })).rejects.toMatchObject(taken('code'))
    expect(await store.delete([10])).toBe(1)
    await store.transaction((inside) => inside.create({ code: 'c9', price: '9' }))
    await store.update(9, { code: 'c7' })
    await expect(store.create({ code: 'c9', price: '-1' })).rejects.toMatchObject(taken('code'))
    await store.update(9, { code: 'c8', price: null as never })
    await store.create({ code: 'c7', price: '8' })
  })

  it('begins a transaction in time that does not grow with its rows', async () => {
    const rows = Array.from({ length: 100_000 }, (_, index) => ({ id: index + 1, code: `c${index}` }))
    const store = memoryStore({ key: 'id', unique: ['code'], rows })
    for (let index = 0; index < 2000; index++) await store.transaction((inside) => inside.create({ code: `n${index}` }))
    expect(await store.list({ where: [], order: ['id'] }).count?.()).toBe(102_000)
  })

  it('shows a transaction its own changes, and others those of committed ones', async () => {
    const store = memoryStore({ key: 'id', unique: ['code'], rows: [1, 2, 3].map((id) => ({ id, code: `c${id}` })) })
    const codesIn = async ({ list }: Pick<typeof store, 'list'>) =>
      (await list({ where: [], order: ['id'] }).slice(0, 9)).map(({ code }) => code).join()
    const change = async (inside: typeof store): Promise<void> => {
      await inside.delete([1, 2])
      await inside.create({ id: 2, code: 'again' })
      await inside.create({ code: 'c1' })
      await inside.update(3, { code: 'c2' })
      await inside.create({ code: 'gone' })
      expect(await inside.delete([5])).toBe(1)
      expect(await inside.delete([1, 5])).toBe(0)
      expect(await inside.update(1, { code: 'x' })).toBeUndefined()
      expect(await codesIn(inside)).toBe('again,c2,c1')
      expect(await codesIn(store)).toBe('c1,c2,c3')
    }
    await expect(store.transaction(async (inside) => {
      await change(inside)
      throw new Error('undone')
    })).rejects.toThrow('undone')
    expect(await codesIn(store)).toBe('c1,c2,c3')
    await store.transaction(change)
    expect(await codesIn(store)).toBe('again,c2,c1')
    await store.create({ code: 'c3' })
    await expect(store.create({ code: 'c1' })).rejects.toMatchObject({ columns: ['code'] })
  })

  it('allows several missing values in a unique field', async () => {
    const store = memoryStore<{ id: number; email: string | null }>({ key: 'id', unique: ['email'] })
    await store.create({ email: null })
    await store.create({ email: null })
    await store.create({})
    expect(await store.list({ where: [], order: ['id'] }).count?.()).toBe(3)
  })
})

import assert from 'node:assert/strict'
import { ConflictError } from '../errors.js'
import { fill, sample } from './sample-row.js'
import type { StoreCases } from './store-case.js'

const EVERY = { where: [], order: ['id'] } as const

export const transactionCases: StoreCases = {
  'a transaction keeps everything when it succeeds': async (store) => {
    const [row] = await fill(store, [{}])
    const added = await store.transaction(async (inside) => {
      await inside.update(row?.id, { name: 'Ben' })
      return inside.create(sample({ code: 'new' }))
    })
    assert.deepEqual(await store.list(EVERY).slice(0, 10), [{ ...row, name: 'Ben' }, added])
  },

  'and nothing when it fails, whatever it had done': async (store) => {
    const rows = await fill(store, [{}, {}])
    const failure = new Error('The end')
    const work = store.transaction(async (inside) => {
      await inside.create(sample({ code: 'new' }))
      await inside.update(rows[0]?.id, { name: 'Ben' })
      await inside.delete([rows[1]?.id])
      throw failure
    })
    await assert.rejects(work, (error) => error === failure)
    assert.deepEqual(await store.list(EVERY).slice(0, 10), rows)
  },

  'a conflict inside undoes it too': async (store) => {
    const rows = await fill(store, [{ code: 'taken' }])
    const work = store.transaction(async (inside) => {
      await inside.update(rows[0]?.id, { name: 'Ben' })
      await inside.create(sample({ code: 'taken' }))
    })
    await assert.rejects(work, ConflictError)
    assert.deepEqual(await store.list(EVERY).slice(0, 10), rows)
  },

  'it sees its own writes, and one inside it is part of it': async (store) => {
    const work = store.transaction(async (outer) => {
      const row = await outer.transaction((inner) => inner.create(sample()))
      assert.deepEqual(await outer.find([row.id]), [row])
      assert.equal(await outer.list(EVERY).count?.(), 1)
      throw new Error('The end')
    })
    await assert.rejects(work, /The end/)
    assert.deepEqual(await store.list(EVERY).slice(0, 10), [])
  },

  'what one has found no other changes until it ends': async (store) => {
    const row = await store.create(sample({ views: 0 }))
    const count = (): Promise<unknown> => store.transaction(async (inside) => {
      const [found] = await inside.find([row.id])
      await inside.update(row.id, { views: (found?.views ?? 0) + 1 })
    })
    await Promise.all(Array.from({ length: 8 }, count))
    assert.equal((await store.find([row.id]))[0]?.views, 8)
  },

  'many at once all come to an end': async (store) => {
    const [a, b] = await fill(store, [{ views: 0 }, { views: 0 }])
    const move = (keys: readonly unknown[]): Promise<unknown> => store.transaction(async (inside) => {
      for (const row of await inside.find(keys)) await inside.update(row.id, { views: row.views + 1 })
    })
    await Promise.all(Array.from({ length: 8 }, (_, index) => move(index % 2 === 0 ? [a?.id, b?.id] : [b?.id, a?.id])))
    assert.deepEqual((await store.find([a?.id, b?.id])).map(({ views }) => views), [8, 8])
  },
}

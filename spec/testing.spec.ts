import { describe, expect, it } from 'vitest'
import type { Store } from '../lib/store.js'
import { memoryStore } from '../lib/stores/memory.js'
import { storeCases, type SampleRow } from '../lib/testing.js'

type Samples = Store<SampleRow, undefined>

/** The cases that a store fails. */
async function failures(make: (good: Samples) => Samples): Promise<string[]> {
  const outcomes = await Promise.all(storeCases(async () => ({ store: make(memoryStore<SampleRow>({ key: 'id', unique: ['code'] })) })).map(async ({ name, run }) => {
    return run().then(() => [], () => [name])
  }))
  return outcomes.flat()
}

describe('storeCases', () => {
  it('pass a good store', async () => {
    expect(await failures((good) => good)).toEqual([])
  })

  it.each([
    ['forgets the scope', (good: Samples): Samples => ({ ...good, find: (keys) => good.find(keys) }), 'rows are found in the order of the keys, each once'],
    ['has no transactions', (good: Samples): Samples => ({ ...good, transaction: (work) => work(good) }), 'and nothing when it fails, whatever it had done'],
    ['sorts without a tie-break', (good: Samples): Samples => ({ ...good, list: ({ where, order }) => good.list({ where, order: order.slice(0, 1) }) }), 'rows are sorted by several fields, both ways'],
    ['ignores conditions', (good: Samples): Samples => ({ ...good, list: ({ order }) => good.list({ where: [], order }) }), '`= null` is null, and nothing else ever is'],
    ['moves keys', (good: Samples): Samples => ({ ...good, update: async (key, changes) => ({ ...await good.update(key, changes), ...changes }) as SampleRow }), 'an update never moves the key'],
    ['says nothing of what it deleted', (good: Samples): Samples => ({ ...good, delete: async (keys) => (await good.delete(keys), keys.length) }), 'a deletion says how many there were'],
  ])('catch one that %s', async (_, spoil, name) => {
    expect(await failures(spoil)).toContain(name)
  })

  it('close what they opened, also after a failure', async () => {
    let open = 0
    const [first] = storeCases(async () => {
      open++
      return { store: { ...memoryStore<SampleRow>({ key: 'id' }), create: () => Promise.reject(new Error('broken')) }, close: async () => { open-- } }
    })
    await expect(first?.run()).rejects.toThrow('broken')
    expect(open).toBe(0)
  })
})

import { describe, expect, it } from 'vitest'
import type { Store } from 'resourcery/crud'
import { memoryStore } from 'resourcery/crud'
import { storeCases, type SampleRow } from 'resourcery/testing'

type Samples = Store<SampleRow, undefined>

/** Returns the names of the cases that a store fails. */
async function failures(make: (good: Samples) => Samples): Promise<string[]> {
  const outcomes = await Promise.all(
    storeCases(async () => ({ store: make(memoryStore<SampleRow>({ key: 'id', unique: ['code'] })) })).map(
      async ({ name, run }) => {
        return run().then(() => [], () => [name])
      },
    ),
  )
  return outcomes.flat()
}

describe('storeCases', () => {
  it('pass for a correct store', async () => {
    expect(await failures((good) => good)).toEqual([])
  })

  it.each([
    [
      'forgets the scope',
      (good: Samples): Samples => ({ ...good, find: (keys) => good.find(keys) }),
      'find returns rows in the order of the keys, each once',
    ],
    [
      'does not undo transactions',
      (good: Samples): Samples => ({ ...good, transaction: (work) => work(good) }),
      'a transaction keeps nothing when it fails',
    ],
    [
      'sorts without a tie-break',
      (good: Samples): Samples => ({
        ...good,
        list: ({ where, order }) => good.list({ where, order: order.slice(0, 1) }),
      }),
      'a list sorts by several fields in both directions',
    ],
    [
      'ignores conditions',
      (good: Samples): Samples => ({ ...good, list: ({ order }) => good.list({ where: [], order }) }),
      '`= null` selects null, and no other condition does',
    ],
    [
      'changes keys',
      (good: Samples): Samples => ({
        ...good,
        update: async (key, changes) => ({ ...await good.update(key, changes), ...changes }) as SampleRow,
      }),
      'update never changes the key',
    ],
    [
      'returns a wrong number of deleted rows',
      (good: Samples): Samples => ({ ...good, delete: async (keys) => (await good.delete(keys), keys.length) }),
      'delete returns the number of deleted rows',
    ],
  ])('fail for a store that %s', async (_, spoil, name) => {
    expect(await failures(spoil)).toContain(name)
  })

  it('close what they opened, also after a failure', async () => {
    let open = 0
    const [first] = storeCases(async () => {
      open++
      return {
        store: { ...memoryStore<SampleRow>({ key: 'id' }), create: () => Promise.reject(new Error('broken')) },
        close: async () => {
          open--
        },
      }
    })
    await expect(first?.run()).rejects.toThrow('broken')
    expect(open).toBe(0)
  })
})

import assert from 'node:assert/strict'
import { MisuseError } from '../errors.js'
import type { Store, Where } from '../store.js'
import { fill, type SampleRow } from './sample-row.js'
import type { StoreCases } from './store-case.js'

type Values = readonly (string | number | null)[]

/** The values of a field in the rows that match, in the order in which they were added. */
async function matching(store: Store<SampleRow>, field: 'name' | 'age' | 'views', where: Where<SampleRow>): Promise<Values> {
  const source = store.list({ where, order: ['id'] })
  const rows = await source.slice(0, 100)
  assert.equal(await source.count?.(), rows.length)
  return rows.map((row) => row[field])
}

export const conditionCases: StoreCases = {
  'no condition is every row': async (store) => {
    await fill(store, [{ age: 1 }, { age: 2 }])
    assert.deepEqual(await matching(store, 'age', []), [1, 2])
  },

  '`=` is exact: case, accents, blanks and empty texts count': async (store) => {
    const names = ['a', 'A', 'á', 'a ', ' a', '', ' ', 'e\u0301', 'é', '%', '_']
    await fill(store, names.map((name) => ({ name })))
    for (const name of names) assert.deepEqual(await matching(store, 'name', [['name', '=', name]]), [name])
    assert.deepEqual(await matching(store, 'name', [['name', 'in', ['A', '', '%']]]), ['A', '', '%'])
  },

  '`= null` is null, and nothing else ever is': async (store) => {
    await fill(store, [{ age: null }, { age: 0 }, { age: 5 }])
    assert.deepEqual(await matching(store, 'age', [['age', '=', null]]), [null])
    assert.deepEqual(await matching(store, 'age', [['age', 'in', [0, 5]]]), [0, 5])
    assert.deepEqual(await matching(store, 'age', [['age', '<', 100]]), [0, 5])
    assert.deepEqual(await matching(store, 'age', [['age', '>=', -100]]), [0, 5])
  },

  'bounds hold for numbers, also where the column could not hold them': async (store) => {
    await fill(store, [{ age: 1, views: 1 }, { age: 2, views: Number.MAX_SAFE_INTEGER }, { age: 3, views: -5 }])
    assert.deepEqual(await matching(store, 'age', [['age', '>', 1], ['age', '<', 3]]), [2])
    assert.deepEqual(await matching(store, 'age', [['age', '>=', 2], ['age', '<=', 3]]), [2, 3])
    assert.deepEqual(await matching(store, 'age', [['age', '=', Number.MAX_SAFE_INTEGER]]), [])
    assert.deepEqual(await matching(store, 'age', [['age', '<=', Number.MAX_SAFE_INTEGER]]), [1, 2, 3])
    assert.deepEqual(await matching(store, 'age', [['age', '>', 1.5]]), [2, 3])
    assert.deepEqual(await matching(store, 'views', [['views', '>', Number.MAX_SAFE_INTEGER - 1]]), [Number.MAX_SAFE_INTEGER])
    assert.deepEqual(await store.find([Number.MAX_SAFE_INTEGER]), [])
  },

  'bounds hold for dates, to the millisecond': async (store) => {
    const [first, second] = [new Date('2026-11-21T08:30:00.123Z'), new Date('2026-11-21T08:30:00.124Z')]
    await fill(store, [{ age: 1, createdAt: first }, { age: 2, createdAt: second }])
    assert.deepEqual(await matching(store, 'age', [['createdAt', '=', first]]), [1])
    assert.deepEqual(await matching(store, 'age', [['createdAt', '>', first]]), [2])
    assert.deepEqual(await matching(store, 'age', [['createdAt', '<=', second]]), [1, 2])
  },

  'booleans are told apart': async (store) => {
    await fill(store, [{ age: 1, active: true }, { age: 2, active: false }])
    assert.deepEqual(await matching(store, 'age', [['active', '=', false]]), [2])
    assert.deepEqual(await matching(store, 'age', [['active', '=', true]]), [1])
  },

  '`contains` has no wildcards': async (store) => {
    const names = ['100%', '100', 'a_b', 'aXb', 'back\\slash', 'wow!', '[a]', "it's"]
    await fill(store, names.map((name) => ({ name })))
    for (const [text, found] of [['%', ['100%']], ['_', ['a_b']], ['\\', ['back\\slash']], ['!', ['wow!']], ['[a]', ['[a]']], ["'", ["it's"]], ['', names]] as const) {
      assert.deepEqual(await matching(store, 'name', [['name', 'contains', text]]), found)
    }
  },

  '`contains` passes over the case of ASCII letters, and over nothing else': async (store) => {
    await fill(store, ['Straße', 'STRASSE', 'cafe', 'Café', '😀 ok'].map((name) => ({ name })))
    assert.deepEqual(await matching(store, 'name', [['name', 'contains', 'STRA']]), ['Straße', 'STRASSE'])
    assert.deepEqual(await matching(store, 'name', [['name', 'contains', 'ss']]), ['STRASSE'])
    assert.deepEqual(await matching(store, 'name', [['name', 'contains', 'CAFé']]), ['Café'])
    assert.deepEqual(await matching(store, 'name', [['name', 'contains', 'fe']]), ['cafe'])
    assert.deepEqual(await matching(store, 'name', [['name', 'contains', '😀']]), ['😀 ok'])
    assert.deepEqual(await matching(store, 'name', [['name', 'contains', '😁']]), [])
  },

  'alternatives are joined by or, conditions by and': async (store) => {
    await fill(store, [{ age: 1 }, { age: 2, active: false }, { age: 3 }])
    assert.deepEqual(await matching(store, 'age', [{ any: [[['age', '=', 1]], [['age', '=', 2], ['active', '=', true]]] }]), [1])
    assert.deepEqual(await matching(store, 'age', [{ any: [[['age', '=', 1]], [['age', '=', 3]]] }, ['active', '=', true]]), [1, 3])
    assert.deepEqual(await matching(store, 'age', [{ any: [] }]), [])
    assert.deepEqual(await matching(store, 'age', [['age', 'in', []]]), [])
  },

  'a condition without a value, or with an object for one, never means every row': async (store) => {
    await fill(store, [{ age: 1 }])
    const asked = (value: unknown): (() => Promise<unknown>) => async () => store.find([1], [['age', '=', value as number]])
    for (const value of [undefined, {}, { $ne: 1 }, [1], Symbol('a')]) await assert.rejects(asked(value), MisuseError)
    await assert.rejects(async () => store.find([1], [['age', '!=' as '=', 1]]), MisuseError)
  },
}

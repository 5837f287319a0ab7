import assert from 'node:assert/strict'
import { MisuseError, ValidationError } from '../../core/index.js'
import type { Store, Where } from '../../crud/contract/index.js'
import { fill, matching, rowsOf, type SampleRow, type StoreCases } from './sample-row.js'

/** Values that these columns cannot be compared with. */
const INCOMPARABLE: Readonly<Record<string, readonly unknown[]>> = {
  id: [NaN, '1', 'abc', true, new Date(0)],
  age: [NaN, Infinity, -Infinity, undefined, '1', '', 'abc', '1abc', true, false, 1n, new Date(0), new Date(NaN)],
  views: [NaN, Infinity, -Infinity, '0', 'NaN', false, 0n],
  name: [NaN, 0, 1, true, false, 0n, new Date(0)],
  active: [NaN, 0, 1, 'true', 't', '', 1n, new Date(0)],
  createdAt: [NaN, 0, Date.now(), 'infinity', '2026-01-01', new Date(NaN), true],
}

/** Runs a call that may be refused as a misuse, or because of a value that does not fit. */
async function attempt<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call()
  } catch (error) {
    assert.ok(error instanceof MisuseError || error instanceof ValidationError, String(error))
    return undefined
  }
}

/**
 * Asserts that a condition is refused or selects no row, in a list, in its count and by keys, alone and as an
 * alternative.
 */
async function selectsNone(store: Store<SampleRow>, condition: readonly unknown[]): Promise<void> {
  const where = [condition] as unknown as Where<SampleRow>
  const keys = (await rowsOf(store)).map(({ id }) => id)
  for (const each of [where, [{ any: [where] }]]) {
    const label = `selects by ${condition.map(String).join(' ')}`
    const list = { where: each, order: ['id'] }
    assert.deepEqual(await attempt(async () => store.list(list).slice(0, 100)) ?? [], [], label)
    assert.equal(await attempt(async () => store.list(list).count?.()) ?? 0, 0, label)
    assert.deepEqual(await attempt(async () => store.find(keys, each)) ?? [], [], label)
  }
}

/** Asserts that these strings select the rows with these names. */
async function selectsNames(store: Store<SampleRow>, operator: 'contains' | 'startsWith',
  expected: readonly (readonly [text: string, names: readonly string[]])[]): Promise<void>
{
  for (const [text, names] of expected) {
    assert.deepEqual(await matching(store, 'name', [['name', operator, text]]), names)
  }
}

/** The promises about conditions and keys. */
export const conditionCases: StoreCases = {
  'no condition selects every row': async (store) => {
    await fill(store, [{ age: 1 }, { age: 2 }])
    assert.deepEqual(await matching(store, 'age', []), [1, 2])
  },

  '`=` distinguishes case, accents, blanks and empty strings': async (store) => {
    const names = ['a', 'A', 'á', 'a ', ' a', '', ' ', 'e\u0301', 'é', '%', '_']
    await fill(store, names.map((name) => ({ name })))
    for (const name of names) assert.deepEqual(await matching(store, 'name', [['name', '=', name]]), [name])
    assert.deepEqual(await matching(store, 'name', [['name', 'in', ['A', '', '%']]]), ['A', '', '%'])
  },

  '`= null` selects null, and no other condition does': async (store) => {
    await fill(store, [{ age: null }, { age: 0 }, { age: 5 }])
    assert.deepEqual(await matching(store, 'age', [['age', '=', null]]), [null])
    assert.deepEqual(await matching(store, 'age', [['age', 'in', [0, 5]]]), [0, 5])
    assert.deepEqual(await matching(store, 'age', [['age', '<', 100]]), [0, 5])
    assert.deepEqual(await matching(store, 'age', [['age', '>=', -100]]), [0, 5])
  },

  'bounds compare numbers, also those that the column cannot store': async (store) => {
    await fill(store, [{ age: 1, views: 1 }, { age: 2, views: Number.MAX_SAFE_INTEGER }, { age: 3, views: -5 }])
    assert.deepEqual(await matching(store, 'age', [['age', '>', 1], ['age', '<', 3]]), [2])
    assert.deepEqual(await matching(store, 'age', [['age', '>=', 2], ['age', '<=', 3]]), [2, 3])
    assert.deepEqual(await matching(store, 'age', [['age', '=', Number.MAX_SAFE_INTEGER]]), [])
    assert.deepEqual(await matching(store, 'age', [['age', '<=', Number.MAX_SAFE_INTEGER]]), [1, 2, 3])
    assert.deepEqual(await matching(store, 'age', [['age', '>', 1.5]]), [2, 3])
    const most = Number.MAX_SAFE_INTEGER
    assert.deepEqual(await matching(store, 'views', [['views', '>', most - 1]]), [most])
    assert.deepEqual(await store.find([most]), [])
  },

  'bounds compare dates to the millisecond': async (store) => {
    const [first, second] = [new Date('2026-11-21T08:30:00.123Z'), new Date('2026-11-21T08:30:00.124Z')]
    await fill(store, [{ age: 1, createdAt: first }, { age: 2, createdAt: second }])
    assert.deepEqual(await matching(store, 'age', [['createdAt', '=', first]]), [1])
    assert.deepEqual(await matching(store, 'age', [['createdAt', '>', first]]), [2])
    assert.deepEqual(await matching(store, 'age', [['createdAt', '<=', second]]), [1, 2])
  },

  '`=` distinguishes booleans': async (store) => {
    await fill(store, [{ age: 1, active: true }, { age: 2, active: false }])
    assert.deepEqual(await matching(store, 'age', [['active', '=', false]]), [2])
    assert.deepEqual(await matching(store, 'age', [['active', '=', true]]), [1])
  },

  '`contains` has no wildcards': async (store) => {
    const names = ['100%', '100', 'a_b', 'aXb', 'back\\slash', 'wow!', '[a]', "it's"]
    await fill(store, names.map((name) => ({ name })))
    await selectsNames(store, 'contains', [['%', ['100%']], ['_', ['a_b']], ['\\', ['back\\slash']], ['!', ['wow!']], [
      '[a]',
      ['[a]'],
    ], ["'", ["it's"]], ['', names]])
  },

  '`contains` ignores the case of ASCII letters, and nothing else': async (store) => {
    await fill(store, ['Straße', 'STRASSE', 'cafe', 'Café', '😀 ok'].map((name) => ({ name })))
    await selectsNames(store, 'contains', [['STRA', ['Straße', 'STRASSE']], ['ss', ['STRASSE']], ['CAFé', ['Café']], [
      'fe',
      ['cafe'],
    ], ['😀', ['😀 ok']], ['😁', []]])
  },

  '`!=` and `not in` select every other value, and null': async (store) => {
    await fill(store, [{ age: null, name: 'a' }, { age: 0, name: 'A' }, { age: 5, name: 'á' }])
    assert.deepEqual(await matching(store, 'age', [['age', '!=', 5]]), [null, 0])
    assert.deepEqual(await matching(store, 'age', [['age', '!=', null]]), [0, 5])
    assert.deepEqual(await matching(store, 'age', [['age', 'not in', [0, 7]]]), [null, 5])
    assert.deepEqual(await matching(store, 'age', [['age', 'not in', []]]), [null, 0, 5])
    assert.deepEqual(await matching(store, 'age', [['active', '!=', true]]), [])
    assert.deepEqual(await matching(store, 'name', [['name', '!=', 'a']]), ['A', 'á'])
    assert.deepEqual(await matching(store, 'name', [['name', 'not in', ['A', 'a ']]]), ['a', 'á'])
  },

  '`startsWith` has no wildcards, and ignores the case of ASCII letters': async (store) => {
    const names = ['50%', '500', 'a_b', 'aXb', 'Anna', 'banana', '!x']
    await fill(store, names.map((name) => ({ name })))
    await selectsNames(store, 'startsWith', [['50%', ['50%']], ['a_', ['a_b']], ['AN', ['Anna']], ['!', ['!x']], ['',
      names], ['x', []]])
  },

  'alternatives are joined by or, conditions by and': async (store) => {
    await fill(store, [{ age: 1 }, { age: 2, active: false }, { age: 3 }])
    const oneOrActive = { any: [[['age', '=', 1]], [['age', '=', 2], ['active', '=', true]]] } as const
    assert.deepEqual(await matching(store, 'age', [oneOrActive]), [1])
    const ends = { any: [[['age', '=', 1]], [['age', '=', 3]]] } as const
    assert.deepEqual(await matching(store, 'age', [ends, ['active', '=', true]]), [1, 3])
    assert.deepEqual(await matching(store, 'age', [{ any: [] }]), [])
    assert.deepEqual(await matching(store, 'age', [['age', 'in', []]]), [])
  },

  'a value that cannot be compared never matches, whatever the operator': async (store) => {
    const [row] = await fill(store, [{ age: 1 }, { age: null }, { age: 0 }, { age: -1 }])
    for (const operator of ['=', '!=', '<', '<=', '>', '>=']) {
      for (const [field, values] of Object.entries(INCOMPARABLE)) {
        for (const value of values) await selectsNone(store, [field, operator, value])
      }
    }
    for (const operator of ['in', 'not in']) {
      for (const [field, values] of Object.entries(INCOMPARABLE)) await selectsNone(store, [field, operator, values])
    }
    for (const operator of ['contains', 'startsWith']) {
      for (const field of ['age', 'views', 'active', 'createdAt']) await selectsNone(store, [field, operator, ''])
      for (const value of [0, NaN, null, true, new Date(0)]) await selectsNone(store, ['name', operator, value])
    }
    assert.deepEqual((await store.find([row?.id])).length, 1)
  },

  'a key that cannot be compared finds, changes and deletes nothing': async (store) => {
    const rows = await fill(store, [{}, {}, {}])
    const id = rows[0]?.id ?? 0
    for (const key of [NaN, Infinity, undefined, null, new Date(NaN), String(id), `${id} `, `${id}abc`, BigInt(id),
      true, [id], { id }, new Date(id)])
    {
      assert.deepEqual((await attempt(async () => store.find([key]))) ?? [], [])
      assert.equal(await attempt(async () => store.update(key, { name: 'changed' })), undefined)
      assert.equal((await attempt(async () => store.delete([key]))) ?? 0, 0)
    }
    assert.deepEqual(await rowsOf(store), rows)
  },

  'a field that the row does not have never selects every row': async (store) => {
    await fill(store, [{ age: 1 }])
    for (const [operator, value] of [['=', 'nothing'], ['!=', 'x'], ['>=', 'a']]) {
      await selectsNone(store, ['nothing', operator, value])
    }
  },

  'a condition without a value, or with an object as value, never selects every row': async (store) => {
    await fill(store, [{ age: 1 }])
    const ask = (value: unknown): () => Promise<unknown> => async () => store.find([1], [['age', '=', value as number]])
    for (const value of [undefined, {}, { $ne: 1 }, [1], Symbol('a')]) await assert.rejects(ask(value), MisuseError)
    await assert.rejects(async () => store.find([1], [['age', '<>' as '=', 1]]), MisuseError)
  },
}

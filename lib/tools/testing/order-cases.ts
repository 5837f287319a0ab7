import assert from 'node:assert/strict'
import { decodeCursor, encodeCursor, paginate, ValidationError } from '../../core/index.js'
import type { Store } from '../../crud/contract/index.js'
import { fill, rowsOf, type SampleRow, type StoreCases } from './sample-row.js'

async function allPages(store: Store<SampleRow>, order: readonly string[], limit: number): Promise<SampleRow[]> {
  const rows: SampleRow[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const list = store.list({ where: [], order })
    const page: { items: SampleRow[]; next: string | null } = await paginate(list, { cursor, limit })
    rows.push(...page.items)
    cursor = page.next
  }
  return rows
}

/** Asserts that the pages of a list, two by number and those by cursors, have its rows in order, and returns these. */
async function checkPages(store: Store<SampleRow>, order: readonly string[], first: number,
  limits: readonly number[]): Promise<readonly SampleRow[]>
{
  const whole = await rowsOf(store, order)
  const list = store.list({ where: [], order })
  assert.deepEqual([...await list.slice(0, first), ...await list.slice(first, 100)], whole)
  for (const limit of limits) assert.deepEqual(await allPages(store, order, limit), whole)
  return whole
}

/** The promises about order, pages and cursors. */
export const orderCases: StoreCases = {
  'find returns rows in the order of the keys, each once': async (store) => {
    const [a, b, c] = await fill(store, [{}, {}, {}])
    assert.deepEqual(await store.find([c?.id, a?.id, c?.id, 987_654, b?.id]), [c, a, b])
    assert.deepEqual(await store.find([]), [])
    assert.deepEqual(await store.find([a?.id, b?.id], [['code', '=', 'c1']]), [b])
  },

  'a list sorts by several fields in both directions': async (store) => {
    const [a, b, c, d] = await fill(store, [{ views: 2 }, { views: 1 }, { views: 2 }, { views: 3 }])
    assert.deepEqual(await rowsOf(store, ['views', 'id']), [b, a, c, d])
    assert.deepEqual(await rowsOf(store, ['-views', '-id']), [d, c, a, b])
    assert.deepEqual(await store.list({ where: [], order: ['-views', 'id'] }).slice(1, 2), [a, c])
  },

  'pages by number and by cursor contain each row once, also with equal values': async (store) => {
    const rows = Array.from({ length: 13 }, (_, index) => ({ views: index % 2, createdAt: new Date(index % 3) }))
    const added = await fill(store, rows)
    for (const order of [['views', 'id'], ['-createdAt', 'views', '-id'], ['name', 'id']]) {
      const whole = await checkPages(store, order, 5, [4])
      assert.equal(new Set(whole.map(({ id }) => id)).size, added.length)
    }
  },

  'nulls come last in both directions, on pages by number and by cursor': async (store) => {
    const ages = [null, 7, 3, null, 7, null, -1]
    await fill(store, ages.map((age, index) => ({ age, views: index % 2 })))
    const agesIn = async (order: readonly string[]): Promise<unknown[]> =>
      (await rowsOf(store, order)).map(({ age }) => age)
    assert.deepEqual(await agesIn(['age', 'id']), [-1, 3, 7, 7, null, null, null])
    assert.deepEqual(await agesIn(['-age', 'id']), [7, 7, 3, -1, null, null, null])
    const orders = [['age', 'id'], ['-age', '-id'], ['age', '-views', 'id'], ['-views', 'age', 'id'], ['views', '-age',
      '-id']]
    for (const order of orders) await checkPages(store, order, 4, [1, 2, 3, 4, 6, 7, 8])
  },

  'a cursor works among nulls, and a null is refused for a column that has none': async (store) => {
    await fill(store, [{ age: null }, { age: null }, { age: 1 }])
    const list = store.list({ where: [], order: ['age', 'id'] })
    const first = await paginate(list, { cursor: '', limit: 2 })
    assert.deepEqual(first.items.map(({ age }) => age), [1, null])
    assert.deepEqual((await paginate(list, { cursor: first.next, limit: 2 })).items.map(({ age }) => age), [null])
    const [spelling, , id] = decodeCursor(first.next)
    const refuses = (source: typeof list, cursor: string): Promise<void> =>
      assert.rejects(async () => paginate(source, { cursor, limit: 2 }), ValidationError)
    await refuses(list, encodeCursor([spelling, null, null]))
    await refuses(store.list({ where: [], order: ['views', 'id'] }), encodeCursor(['views,id', null, id]))
  },

  'a cursor is not affected by rows that are added or deleted elsewhere': async (store) => {
    const rows = await fill(store, [{ views: 1 }, { views: 2 }, { views: 3 }, { views: 4 }])
    const list = () => store.list({ where: [], order: ['-views', 'id'] })
    const { next } = await paginate(list(), { cursor: '', limit: 2 })
    await store.delete([rows[3]?.id])
    await store.create({ ...rows[3], id: undefined as never, code: 'new', views: 9 })
    assert.deepEqual((await paginate(list(), { cursor: next, limit: 2 })).items, [rows[1], rows[0]])
  },

  'a page past the end is empty and has the same count': async (store) => {
    await fill(store, [{}, {}])
    const list = store.list({ where: [], order: ['id'] })
    assert.deepEqual(await paginate(list, { page: 9, limit: 5 }), { items: [], page: 9, limit: 5, total: 2 })
  },
}

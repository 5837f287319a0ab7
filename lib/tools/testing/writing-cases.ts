import assert from 'node:assert/strict'
import { ConflictError, ValidationError } from '../../core/index.js'
import { fill, rowsOf, sample, type SampleRow, type StoreCases } from './sample-row.js'

const EVERY = { where: [], order: ['id'] } as const

/** The promises about writes, in transactions too. */
export const writingCases: StoreCases = {
  'create returns the row as it was written, with a key': async (store) => {
    const fields = sample({ name: 'Zoë', age: 41, views: 7, active: false })
    const row = await store.create(fields)
    assert.equal(typeof row.id, 'number')
    assert.deepEqual(row, { ...fields, id: row.id })
    assert.deepEqual(await store.find([row.id]), [row])
  },

  'createMany adds rows as create does, and a transaction adds all or none': async (store) => {
    const add = async (to: typeof store, rows: readonly Partial<SampleRow>[]): Promise<SampleRow[]> => {
      if (to.createMany !== undefined) return to.createMany(rows)
      const added: SampleRow[] = []
      for (const row of rows) added.push(await to.create(row))
      return added
    }
    // More than one statement holds, where a store adds rows together.
    const length = store.createMany === undefined ? 53 : 1203
    const rows = Array.from({ length }, (_, index) => (
      sample({ code: `many ${index}`, age: index % 3 === 0 ? null : index, createdAt: new Date(index) })
    ))
    const added = await store.transaction((inside) => add(inside, rows))
    assert.deepEqual(added.map(({ id: _id, ...fields }) => fields), rows)
    assert.equal(new Set(added.map(({ id }) => id)).size, rows.length)
    assert.deepEqual(await store.find([added[7]?.id]), [added[7]])
    const taken = [sample({ code: 'free' }), sample({ code: `many ${length - 3}` })]
    await assert.rejects(store.transaction((inside) => add(inside, taken)), ConflictError)
    assert.equal(await store.list(EVERY).count?.(), rows.length)
  },

  'sum adds up the matching rows exactly, and ignores nulls': async (store) => {
    if (store.sum === undefined) return
    assert.deepEqual(await store.sum(['age', 'views']), { age: '0', views: '0' })
    const views = Number.MAX_SAFE_INTEGER
    await fill(store, [{ age: 30, views }, { views }, { age: -7, views }, { age: 5, views: 1, name: 'Ben' }])
    assert.deepEqual(await store.sum(['views', 'age'], [['name', '=', 'Ann']]), {
      views: '27021597764222973',
      age: '23',
    })
    assert.deepEqual(await store.sum(['age'], [['age', '>', 100]]), { age: '0' })
    assert.deepEqual(await store.sum(['age'], [{ any: [[['age', '=', null]], [['age', '<', 0]]] }]), { age: '-7' })
    await assert.rejects(Promise.resolve().then(() => store.sum?.(['name'])), { code: 'store_sum' })
  },

  'deleteWhere deletes the matching rows alone, and returns their number': async (store) => {
    if (store.deleteWhere === undefined) return
    const [a, , , d] = await fill(store, [{ age: 30 }, { age: 31 }, { name: 'Ben', age: 30 }, {}])
    assert.equal(await store.deleteWhere([['age', '=', 99]]), 0)
    assert.equal(await store.deleteWhere([['age', 'in', [30, 31]], ['name', '!=', 'Ann']]), 1)
    assert.equal(await store.deleteWhere([['age', '=', 31]]), 1)
    assert.deepEqual((await rowsOf(store)).map(({ id }) => id), [a?.id, d?.id])
    await assert.rejects(store.transaction(async (inside) => {
      await inside.deleteWhere?.([['age', '=', 30]])
      throw new Error('undone')
    }), { message: 'undone' })
    assert.equal(await store.list(EVERY).count?.(), 2)
  },

  'a returned row is a copy': async (store) => {
    const row = await store.create(sample())
    row.name = 'Changed'
    row.createdAt.setTime(0)
    assert.deepEqual(await store.find([row.id]), [{ ...sample(), id: row.id }])
  },

  'update changes the given fields, and returns the row': async (store) => {
    const [row, other] = await fill(store, [{ age: 30 }, {}])
    assert.deepEqual(await store.update(row?.id, { name: 'Ben', age: null }), { ...row, name: 'Ben', age: null })
    assert.deepEqual(await store.update(row?.id, {}), { ...row, name: 'Ben', age: null })
    assert.deepEqual(await store.find([other?.id]), [other])
  },

  'update never changes the key': async (store) => {
    const row = await store.create(sample())
    assert.deepEqual(await store.update(row.id, { id: row.id + 1, name: 'Ben' }), { ...row, name: 'Ben' })
  },

  'a row that does not exist is neither updated nor deleted': async (store) => {
    assert.equal(await store.update(987_654, { name: 'Ben' }), undefined)
    assert.equal(await store.delete([987_654]), 0)
    assert.equal(await store.delete([]), 0)
  },

  'delete returns the number of deleted rows': async (store) => {
    const [a, b, c] = await fill(store, [{}, {}, {}])
    assert.equal(await store.delete([a?.id, c?.id, c?.id, 987_654]), 2)
    assert.deepEqual(await store.find([a?.id, b?.id, c?.id]), [b])
  },

  'a unique value is accepted once, in a creation and in an update': async (store) => {
    const [, other] = await fill(store, [{ code: 'taken' }, { code: 'free' }])
    await assert.rejects(store.create(sample({ code: 'taken' })), ConflictError)
    await assert.rejects(store.update(other?.id, { code: 'taken' }), ConflictError)
    assert.deepEqual(await store.find([other?.id]), [other])
    assert.equal((await store.update(other?.id, { code: 'free' }))?.code, 'free')
  },

  'one of many concurrent creations with the same unique value succeeds': async (store) => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => store.create(sample({ code: 'wanted' }))),
    )
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    assert.equal(refused.length, 19)
    for (const { reason } of refused) assert.ok(reason instanceof ConflictError)
  },

  'NUL and half a surrogate pair are refused, naming the field': async (store) => {
    const row = await store.create(sample())
    const isAboutName = (error: unknown): boolean => error instanceof ValidationError && 'name' in error.fields
    for (const name of ['a\0b', '\0', 'a\ud800', '\udc00b']) {
      await assert.rejects(store.create(sample({ code: 'other', name })), isAboutName)
      await assert.rejects(store.update(row.id, { name }), isAboutName)
      await assert.rejects(store.find([row.id], [['name', '=', name]]), isAboutName)
    }
    assert.equal(await store.list(EVERY).count?.(), 1)
  },

  'strings are stored exactly: empty, blank, with quotes, emoji, combining marks': async (store) => {
    const names = ['', ' ', ' a ', "'; drop table samples; --", '"\\%_!', '😀👩‍👩‍👧', 'e\u0301', 'é', 'İıſß',
      'line\r\nbreak\ttab', '\u202e']
    const rows = await fill(store, names.map((name) => ({ name })))
    assert.deepEqual(rows.map(({ name }) => name), names)
    assert.deepEqual((await store.find(rows.map(({ id }) => id))).map(({ name }) => name), names)
  },

  'large whole numbers and dates are stored exactly': async (store) => {
    const dates = ['1970-01-01T00:00:00.000Z', '1999-12-31T23:59:59.999Z', '2026-03-29T02:30:00.001Z',
      '9999-12-31T23:59:59.999Z']
    const rows = await fill(store, dates.map((date) => ({ views: Number.MAX_SAFE_INTEGER, createdAt: new Date(date) })))
    assert.deepEqual(rows.map(({ createdAt }) => createdAt.toISOString()), dates)
    assert.deepEqual(rows.map(({ views }) => views), dates.map(() => Number.MAX_SAFE_INTEGER))
  },

  'a transaction keeps everything when it succeeds': async (store) => {
    const [row] = await fill(store, [{}])
    const added = await store.transaction(async (inside) => {
      await inside.update(row?.id, { name: 'Ben' })
      return inside.create(sample({ code: 'new' }))
    })
    assert.deepEqual(await rowsOf(store), [{ ...row, name: 'Ben' }, added])
  },

  'a transaction keeps nothing when it fails': async (store) => {
    const rows = await fill(store, [{}, {}])
    const failure = new Error('The end')
    const work = store.transaction(async (inside) => {
      await inside.create(sample({ code: 'new' }))
      await inside.update(rows[0]?.id, { name: 'Ben' })
      await inside.delete([rows[1]?.id])
      throw failure
    })
    await assert.rejects(work, (error) => error === failure)
    assert.deepEqual(await rowsOf(store), rows)
  },

  'a conflict undoes its transaction': async (store) => {
    const rows = await fill(store, [{ code: 'taken' }])
    const work = store.transaction(async (inside) => {
      await inside.update(rows[0]?.id, { name: 'Ben' })
      await inside.create(sample({ code: 'taken' }))
    })
    await assert.rejects(work, ConflictError)
    assert.deepEqual(await rowsOf(store), rows)
  },

  'a transaction sees its own writes, and contains a nested one': async (store) => {
    const work = store.transaction(async (outer) => {
      const row = await outer.transaction((inner) => inner.create(sample()))
      assert.deepEqual(await outer.find([row.id]), [row])
      assert.equal(await outer.list(EVERY).count?.(), 1)
      throw new Error('The end')
    })
    await assert.rejects(work, /The end/)
    assert.deepEqual(await rowsOf(store), [])
  },

  'a row that a transaction has found is not changed by another until it ends': async (store) => {
    const row = await store.create(sample({ views: 0 }))
    const count = (): Promise<unknown> =>
      store.transaction(async (inside) => {
        const [found] = await inside.find([row.id])
        await inside.update(row.id, { views: (found?.views ?? 0) + 1 })
      })
    await Promise.all(Array.from({ length: 8 }, count))
    assert.equal((await store.find([row.id]))[0]?.views, 8)
  },

  'many concurrent transactions all end': async (store) => {
    const [a, b] = await fill(store, [{ views: 0 }, { views: 0 }])
    const move = (keys: readonly unknown[]): Promise<unknown> =>
      store.transaction(async (inside) => {
        for (const row of await inside.find(keys)) await inside.update(row.id, { views: row.views + 1 })
      })
    await Promise.all(Array.from({ length: 8 }, (_, index) => move(index % 2 === 0 ? [a?.id, b?.id] : [b?.id, a?.id])))
    assert.deepEqual((await store.find([a?.id, b?.id])).map(({ views }) => views), [8, 8])
  },
}

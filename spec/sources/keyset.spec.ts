import { describe, expect, it } from 'vitest'
import { ValidationError } from 'resourcery'
import { countingSource, sliceAfter, takeTexts, textsOf,
  type ReadAfter } from '../../lib/adapters/sql/keyset/slice-after.js'
import { readOrder } from '../../lib/adapters/sql/keyset/order.js'

describe('counted', () => {
  it('counts only if the page does not determine the total', async () => {
    let counts = 0
    const rows = [1, 2, 3, 4, 5]
    const source = countingSource(async (offset, limit) => rows.slice(offset, offset + limit), async () => {
      counts += 1
      return rows.length
    })
    expect(await source.sliceAndCount(4, 2)).toEqual({ items: [5], total: 5 })
    expect(await source.sliceAndCount(0, 9)).toEqual({ items: rows, total: 5 })
    expect(counts).toBe(0)
    expect(await source.sliceAndCount(0, 5)).toEqual({ items: rows, total: 5 })
    expect(await source.sliceAndCount(9, 5)).toEqual({ items: [], total: 5 })
    expect(counts).toBe(2)
  })
})

describe('sliceAfter', () => {
  const order = readOrder('kysely', { by: ['-title', 'id'] })
  const rows: ReadAfter<string> = async () => [{ row: 'a', values: ['x', 1] }, { row: 'b', values: ['y', 2] }]

  it('returns the position of the next page, or null', async () => {
    expect(await sliceAfter('kysely', order, rows)(null, 1)).toEqual({ items: ['a'], next: ['-title,id', 'x', 1] })
    expect(await sliceAfter('kysely', order, rows)(['-title,id', 'w', 0], 2)).toEqual({ items: ['a', 'b'], next: null })
  })

  it.each([[[]], [['id', 1]], [['-title,id', 'x']], [['-title,id', 'x', null]], [['-title,id', 'x', 1, 2]]])(
    'refuses the position %j of another order',
    async (position) => {
      await expect(sliceAfter('kysely', order, rows)(position, 1)).rejects.toThrow(ValidationError)
    },
  )

  it.each([
    { code: '22P02' },
    { cause: { code: '22003' } },
    { original: { code: '22007' } },
    { name: 'CastError' },
    { meta: { driverAdapterError: { cause: { code: '22021' } } } },
  ])('refuses values that the database cannot read: %j', async (failure) => {
    const failing: ReadAfter<string> = () => Promise.reject(failure)
    await expect(sliceAfter('kysely', order, failing)(['-title,id', 'x', 1], 1)).rejects.toThrow(ValidationError)
    await expect(sliceAfter('kysely', order, failing)(null, 1)).rejects.toBe(failure)
  })

  it('passes on other failures', async () => {
    const failure: { cause?: unknown } = {}
    failure.cause = failure
    for (const reason of [failure, { code: '08006' }, 'gone', null]) {
      const failing: ReadAfter<string> = () => Promise.reject(reason)
      await expect(sliceAfter('kysely', order, failing)(['-title,id', 'x', 1], 1)).rejects.toBe(reason)
    }
  })
})

describe('keys as strings', () => {
  it('are removed from the row, with null unchanged', () => {
    const row = { id: 1, cursorkey0: '1', cursorkey1: '', cursorkey2: Buffer.from('x') }
    expect(takeTexts(row, [1, null, 'x'])).toMatchObject({ row: { id: 1 }, values: ['1', null, undefined] })
  })

  it('must be strings or null', () => {
    expect(textsOf(['1', '', null])).toEqual(['1', '', null])
    expect(() => textsOf(['1', 1])).toThrow(ValidationError)
  })
})

describe('a forged cursor', () => {
  const order = readOrder('kysely', { by: ['at', 'id'] })
  const row = { row: 'a', values: ['2026-01-01 00:00:00', '7'], read: [new Date(0), 7] }

  it.each([
    [['abc', '7']],
    [['5', '7']],
    [['2026-01-01', 'abc']],
    [['2026-01-01', '']],
    [['2026-01-01', 7]],
    [[true, '7']],
    [['2026-01-01\0', '7']],
    [['2026-01-01', '\ud800']],
  ])('is refused if the database would coerce its value: %j', async (values) => {
    const coercing: ReadAfter<string> = async () => [row]
    await expect(sliceAfter('kysely', order, coercing)(['at,id', ...values], 1)).rejects.toThrow(ValidationError)
    const behindAll: ReadAfter<string> = async (position) => (position === null ? [row] : [])
    if (values.join() !== '5,7') {
      await expect(sliceAfter('kysely', order, behindAll)(['at,id', ...values], 1)).rejects.toThrow(ValidationError)
    }
    const failing: ReadAfter<string> = async (position) => {
      if (position === null) return [row]
      throw new TypeError('Cannot bind this')
    }
    await expect(sliceAfter('kysely', order, failing)(['at,id', ...values], 1)).rejects.toThrow(ValidationError)
  })

  it('is refused for a numeric column whose driver returns strings', async () => {
    const read: ReadAfter<string> =
      async () => [{ row: 'a', values: ['2026-01-01 00:00:00', '7'], read: ['2026-01-01 00:00:00', '7'] }]
    for (const values of [['2026-02-01', 'abc'], ['abc', '7'], ['5', '7']]) {
      const asked: number[] = []
      const isNoText = async (index: number): Promise<boolean> => asked.push(index) > 0
      await expect(sliceAfter('kysely', order, read, isNoText)(['at,id', ...values], 1)).rejects.toThrow(
        ValidationError,
      )
      expect(asked).toEqual([values[1] === 'abc' ? 1 : 0])
      expect((await sliceAfter('kysely', order, read, async () => false)(['at,id', ...values], 1)).items).toEqual(['a'])
    }
    expect(
      (await sliceAfter('kysely', order, read, () => Promise.reject(new Error('not asked')))([
        'at,id',
        '2026-02-01',
        '9',
      ], 1))
        .items,
    )
      .toEqual(['a'])
  })

  it('is accepted if its values are those of a row', async () => {
    const gone: ReadAfter<string> = async (position) => (position === null ? [row] : [])
    expect(await sliceAfter('kysely', order, gone)(['at,id', '2026-02-01 10:00:00', '9007199254740993'], 1)).toEqual({
      items: [],
      next: null,
    })
  })
})

import { describe, expect, it } from 'vitest'
import { ValidationError } from '../../lib/errors.js'
import { counted } from '../../lib/sources/keyset/counted.js'
import { readOrder } from '../../lib/sources/keyset/key.js'
import { sliceAfter, type ReadBehind } from '../../lib/sources/keyset/slice-after.js'
import { takeTexts, textsOf } from '../../lib/sources/keyset/texts.js'

describe('counted', () => {
  it('counts only where the page does not tell', async () => {
    let counts = 0
    const rows = [1, 2, 3, 4, 5]
    const source = counted(async (offset, limit) => rows.slice(offset, offset + limit), async () => {
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
  const order = readOrder(['-title', 'id'])
  const rows: ReadBehind<string> = async () => [{ row: 'a', values: ['x', 1] }, { row: 'b', values: ['y', 2] }]

  it('tells where the next page begins, and where none does', async () => {
    expect(await sliceAfter('any', order, rows)(null, 1)).toEqual({ items: ['a'], next: ['-title,id', 'x', 1] })
    expect(await sliceAfter('any', order, rows)(['-title,id', 'w', 0], 2)).toEqual({ items: ['a', 'b'], next: null })
  })

  it.each([[[]], [['id', 1]], [['-title,id', 'x']], [['-title,id', 'x', null]], [['-title,id', 'x', 1, 2]]])(
    'refuses the position %j of another order',
    async (position) => {
      await expect(sliceAfter('any', order, rows)(position, 1)).rejects.toThrow(ValidationError)
    },
  )

  it.each([
    { code: '22P02' }, { cause: { code: '22003' } }, { original: { code: '22007' } }, { name: 'CastError' },
    { meta: { driverAdapterError: { cause: { code: '22021' } } } },
  ])('refuses values that the database cannot read: %j', async (failure) => {
    const failing: ReadBehind<string> = () => Promise.reject(failure)
    await expect(sliceAfter('any', order, failing)(['-title,id', 'x', 1], 1)).rejects.toThrow(ValidationError)
    await expect(sliceAfter('any', order, failing)(null, 1)).rejects.toBe(failure)
  })

  it('lets other failures through, also one that is its own cause', async () => {
    const failure: { cause?: unknown } = {}
    failure.cause = failure
    for (const reason of [failure, { code: '08006' }, 'gone', null]) {
      const failing: ReadBehind<string> = () => Promise.reject(reason)
      await expect(sliceAfter('any', order, failing)(['-title,id', 'x', 1], 1)).rejects.toBe(reason)
    }
  })
})

describe('the texts of keys', () => {
  it('are taken out of the row, and stand for no null', () => {
    const row = { id: 1, cursorkey0: '1', cursorkey1: '', cursorkey2: Buffer.from('x') }
    expect(takeTexts(row, [1, null, 'x'])).toEqual({ row: { id: 1 }, values: ['1', undefined, undefined] })
  })

  it('are texts', () => {
    expect(textsOf(['1', ''])).toEqual(['1', ''])
    expect(() => textsOf(['1', 1])).toThrow(ValidationError)
  })
})

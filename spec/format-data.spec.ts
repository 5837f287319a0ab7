import { describe, expect, it } from 'vitest'
import { formatData } from 'resourcery'
import { isFormatted } from '../lib/core/reply/reply.js'
import { paginate, toPage } from 'resourcery'

const users = [{ id: 1, hash: 'x' }, { id: 2, hash: 'y' }]
const publicOf = ({ id }: { id: number }): { id: number } => ({ id })

/** Returns a callback without a useful type, as JavaScript would pass it. */
const giving = (value: unknown) => (): never => value as never

describe('formatData', () => {
  it('maps each item of a page, and returns its figures as meta', async () => {
    const counted = toPage(users, { page: 2, limit: 20, total: 57 })
    expect(formatData(counted, publicOf)).toEqual({
      data: [{ id: 1 }, { id: 2 }],
      meta: { total: 57, page: 2, limit: 20 },
    })
    const uncounted = await paginate(users, { page: 1, limit: 1, total: false })
    expect(formatData(uncounted, publicOf)).toEqual({ data: [{ id: 1 }], meta: { page: 1, limit: 1 } })
    const byCursor = await paginate(users, { cursor: '', limit: 1 })
    expect(formatData(byCursor, publicOf)).toEqual({ data: [{ id: 1 }], meta: { limit: 1, next: byCursor.next } })
  })

  it('maps each item of a list, and one record', () => {
    expect(formatData(users, publicOf)).toEqual({ data: [{ id: 1 }, { id: 2 }], meta: {} })
    expect(formatData([], publicOf)).toEqual({ data: [], meta: {} })
    expect(formatData({ id: 1, hash: 'x' }, publicOf)).toEqual({ data: { id: 1 }, meta: {} })
  })

  it.each([[null], [undefined]])('returns null for %o without calling the callback', (nothing) => {
    expect(formatData(nothing, () => expect.fail('asked'))).toEqual({ data: null, meta: {} })
  })

  it('calls the callback with falsy records', () => {
    expect(formatData(0, (number) => number + 1)).toEqual({ data: 1, meta: {} })
    expect(formatData('', (text) => `${text}!`)).toEqual({ data: '!', meta: {} })
  })

  it('treats a record with the keys of a page as a record', () => {
    const order = { items: ['pen'], page: 1, limit: 1, total: 1 }
    expect(formatData(order as object, (record) => record)).toEqual({ data: order, meta: {} })
  })

  it('passes only the item to the callback', () => {
    expect(formatData(['10', '10', '10'], Number.parseInt).data).toEqual([10, 10, 10])
  })

  it('does not change the source', () => {
    const page = toPage(users, { page: 1, limit: 2, total: 2 })
    formatData(page, publicOf)
    expect(page.items).toEqual(users)
  })

  it.each([
    ['for an item of a list', () => formatData(users, giving(Promise.resolve(1)))],
    [
      'for an item of a page',
      () => formatData(toPage(users, { page: 1, limit: 2, total: 2 }), giving(Promise.resolve(1))),
    ],
    ['for a record', () => formatData({ id: 1 }, giving(Promise.resolve(1)))],
    ['that is another thenable', () => formatData({ id: 1 }, giving({ then: () => 1 }))],
    ['in the place of a value', () => formatData(paginate(users, 1), giving(1))],
  ])('refuses a promise %s', (_what, misuse) => {
    expect(misuse).toThrow(expect.objectContaining({ code: 'format_promise' }))
  })

  it('passes on an error of the callback', () => {
    const fault = new Error('fault')
    expect(() =>
      formatData(users, () => {
        throw fault
      })
    ).toThrow(fault)
  })
})

describe('isFormatted', () => {
  it('recognises a result by its brand, not by its keys', () => {
    const result = formatData(users, publicOf)
    expect(isFormatted(result)).toBe(true)
    expect(Reflect.ownKeys(result)).toEqual(['data', 'meta'])
    expect([{ ...result }, { data: null, meta: {} }, null, undefined, 'data'].some(isFormatted)).toBe(false)
  })
})

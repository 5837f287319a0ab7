import { describe, expect, it } from 'vitest'
import { formatData } from '../lib/format-data.js'
import { isFormatted } from '../lib/reply.js'
import { paginate, toPage } from '../lib/paginate.js'

const users = [{ id: 1, hash: 'x' }, { id: 2, hash: 'y' }]
const publicOf = ({ id }: { id: number }): { id: number } => ({ id })

/** A callback of JavaScript's, whose type promises nothing. */
const giving = (value: unknown) => (): never => value as never

describe('formatData', () => {
  it('maps each item of a page and tells its figures', async () => {
    const counted = toPage(users, { page: 2, limit: 20, total: 57 })
    expect(formatData(counted, publicOf)).toEqual({ data: [{ id: 1 }, { id: 2 }], meta: { total: 57, page: 2, limit: 20 } })
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

  it.each([[null], [undefined]])('is null for %o, without asking', (nothing) => {
    expect(formatData(nothing, () => expect.fail('asked'))).toEqual({ data: null, meta: {} })
  })

  it('asks with falsy records too', () => {
    expect(formatData(0, (number) => number + 1)).toEqual({ data: 1, meta: {} })
    expect(formatData('', (text) => `${text}!`)).toEqual({ data: '!', meta: {} })
  })

  it('takes a record with the keys of a page for a record', () => {
    const order = { items: ['pen'], page: 1, limit: 1, total: 1 }
    expect(formatData(order as object, (record) => record)).toEqual({ data: order, meta: {} })
  })

  it('gives the callback the item and nothing more', () => {
    expect(formatData(['10', '10', '10'], Number.parseInt).data).toEqual([10, 10, 10])
  })

  it('leaves the source as it is', () => {
    const page = toPage(users, { page: 1, limit: 2, total: 2 })
    formatData(page, publicOf)
    expect(page.items).toEqual(users)
  })

  it.each([
    ['for an item of a list', () => formatData(users, giving(Promise.resolve(1)))],
    ['for an item of a page', () => formatData(toPage(users, { page: 1, limit: 2, total: 2 }), giving(Promise.resolve(1)))],
    ['for a record', () => formatData({ id: 1 }, giving(Promise.resolve(1)))],
    ['that is none of JavaScript\'s own', () => formatData({ id: 1 }, giving({ then: () => 1 }))],
    ['in the place of a value', () => formatData(paginate(users, 1), giving(1))],
  ])('refuses a promise %s', (_what, misuse) => {
    expect(misuse).toThrow(expect.objectContaining({ code: 'format_promise' }))
  })

  it('lets a throw of the callback through', () => {
    const fault = new Error('fault')
    expect(() => formatData(users, () => { throw fault })).toThrow(fault)
  })
})

describe('isFormatted', () => {
  it('knows a result by its mark, not by its keys', () => {
    const result = formatData(users, publicOf)
    expect(isFormatted(result)).toBe(true)
    expect(Reflect.ownKeys(result)).toEqual(['data', 'meta'])
    expect([{ ...result }, { data: null, meta: {} }, null, undefined, 'data'].some(isFormatted)).toBe(false)
  })
})

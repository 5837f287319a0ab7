import { describe, expect, expectTypeOf, it } from 'vitest'
import { brand, Reply, reply } from '../lib/core/reply/reply.js'

describe('reply', () => {
  it('returns the arguments of send', () => {
    const made = reply('Created', { id: 1 }, { total: 1 }, 201)
    expect(made).toBeInstanceOf(Reply)
    expect(made).toMatchObject({ message: 'Created', data: { id: 1 }, meta: { total: 1 }, status: 201 })
    expectTypeOf(made.data).toEqualTypeOf<{ id: number }>()
  })

  it('has null, {} and no status by default', () => {
    expect(reply('Done')).toMatchObject({ message: 'Done', data: null, meta: {}, status: undefined })
    expect(reply('Done', undefined).data).toBeNull()
    expectTypeOf(reply('Done').data).toEqualTypeOf<null>()
  })

  it('keeps falsy data', () => {
    for (const data of [0, '', false]) expect(reply('ok', data).data).toBe(data)
  })
})

describe('a brand', () => {
  it('marks only the object that it was put on', () => {
    const ours = brand()
    const theirs = brand()
    const object = ours.put({ a: 1 })
    expect([
      ours.isOn(object),
      ours.isOn({ ...object }),
      ours.isOn(structuredClone(object)),
      ours.isOn(Object.create(object)),
    ])
      .toEqual([true, false, false, false])
    expect([theirs.isOn(object), ...[undefined, null, 1, 'text', Symbol('x')].map((value) => ours.isOn(value))])
      .toEqual(Array.from({ length: 6 }, () => false))
  })

  it('is invisible, and returns the same object', () => {
    const object = { a: 1 }
    expect(brand().put(object)).toBe(object)
    expect([Reflect.ownKeys(object), JSON.stringify(object), Object.getPrototypeOf(object)]).toEqual([
      ['a'],
      '{"a":1}',
      Object.prototype,
    ])
  })
})

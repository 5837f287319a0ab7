import { describe, expect, expectTypeOf, it } from 'vitest'
import { brand, Reply, reply } from '../lib/reply.js'

describe('a reply', () => {
  it('holds what send would be given', () => {
    const made = reply('Created', { id: 1 }, { total: 1 }, 201)
    expect(made).toBeInstanceOf(Reply)
    expect(made).toMatchObject({ message: 'Created', data: { id: 1 }, meta: { total: 1 }, status: 201 })
    expectTypeOf(made.data).toEqualTypeOf<{ id: number }>()
  })

  it('has null, {} and the action\'s own status for what is left out', () => {
    expect(reply('Done')).toMatchObject({ message: 'Done', data: null, meta: {}, status: undefined })
    expect(reply('Done', undefined).data).toBeNull()
    expectTypeOf(reply('Done').data).toEqualTypeOf<null>()
  })

  it('leaves falsy data as they are', () => {
    for (const data of [0, '', false]) expect(reply('ok', data).data).toBe(data)
  })
})

describe('a brand', () => {
  it('marks the object that it was put on, and nothing else', () => {
    const ours = brand()
    const theirs = brand()
    const object = ours.put({ a: 1 })
    expect([ours.isOn(object), ours.isOn({ ...object }), ours.isOn(structuredClone(object)), ours.isOn(Object.create(object))]).toEqual([true, false, false, false])
    expect([theirs.isOn(object), ...[undefined, null, 1, 'text', Symbol('x')].map((value) => ours.isOn(value))]).toEqual(Array.from({ length: 6 }, () => false))
  })

  it('nothing of a mark is seen, and the object is the same', () => {
    const object = { a: 1 }
    expect(brand().put(object)).toBe(object)
    expect([Reflect.ownKeys(object), JSON.stringify(object), Object.getPrototypeOf(object)]).toEqual([['a'], '{"a":1}', Object.prototype])
  })
})

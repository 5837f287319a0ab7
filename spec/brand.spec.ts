import { expect, it } from 'vitest'
import { brand } from '../lib/brand.js'

it('a mark is on the object that it was put on, and on nothing else', () => {
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

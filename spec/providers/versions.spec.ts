import { expect, it } from 'vitest'
import { isEqual } from '../../lib/client/providers/values.js'
import { Versions } from '../../lib/client/providers/versions.js'

const tagged = (tag: string): Headers => new Headers({ ETag: tag })

it('Versions returns the tag of a record by its content, and the latest version', () => {
  const versions = new Versions()
  versions.remember('a', { id: 1, title: 'Old' }, tagged('"1"'))
  versions.remember('a', { id: 1, title: 'New' }, tagged('"2"'))
  versions.rememberUnseen('a', { record: { id: 1, title: 'Theirs' }, tag: '"3"' })
  versions.rememberUnseen('b', { record: { id: 2 }, tag: '"4"' })
  expect(['Old', 'New', 'Theirs', 'Other'].map((title) => versions.tagOf('a', { id: 1, title }))).toEqual([
    '"1"',
    '"2"',
    '"3"',
    undefined,
  ])
  expect([versions.latest('a')?.tag, versions.latest('b')?.tag]).toEqual(['"2"', '"4"'])
  versions.forget('a')
  expect(versions.latest('a')).toBeUndefined()
})

it('Versions ignores weak tags, which If-Match never accepts', () => {
  const versions = new Versions()
  versions.remember('a', { id: 1 }, tagged('W/"1"'))
  versions.remember('b', { id: 1 }, new Headers())
  expect([versions.tagOf('a', { id: 1 }), versions.tagOf('b', { id: 1 })]).toEqual([undefined, undefined])
})

it('Versions forgets the oldest records and versions first', () => {
  const versions = new Versions()
  for (let version = 0; version < 9; version++) versions.remember('many', { id: 1, version }, tagged(`"${version}"`))
  expect([3, 4, 8].map((version) => versions.tagOf('many', { id: 1, version }))).toEqual([undefined, '"4"', '"8"'])
  for (let id = 0; id < 1000; id++) versions.remember(String(id), { id }, tagged(`"${id}"`))
  expect([versions.latest('many'), versions.latest('0')?.tag]).toEqual([undefined, '"0"'])
})

it('isEqual compares values as JSON represents them', () => {
  const date = new Date(0)
  expect(isEqual({ a: [1, { b: date }], c: undefined }, { a: [1, { b: date.toISOString() }] })).toBe(true)
  expect(isEqual({ a: [1] }, { a: { 0: 1 } })).toBe(false)
  expect(isEqual(new Blob(['a']), new Blob(['a']))).toBe(false)
  expect([isEqual(null, {}), isEqual('1', 1), isEqual(NaN, NaN)]).toEqual([false, false, true])
})

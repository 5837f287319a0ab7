import { expect, it } from 'vitest'
import { RouteIndex, staticPart } from '../../lib/core/fast/route-index.js'

it('returns few candidates of many routes', () => {
  const routes = Array.from({ length: 500 }, (_, at) => [`/things${at}`, `/things${at}/:id`]).flat()
  const index = new RouteIndex(routes, staticPart)
  expect(index.candidates('/Things499/7')).toEqual(['/things499', '/things499/:id'])
  expect(index.candidates('/things')).toEqual([])
})

it('returns values without a static part for every path, in their place', () => {
  const index = new RouteIndex(['a', '/a', '*', '/a/b/:c', '/*w', '/b'], staticPart)
  expect(['/a/b/1', '/A/x', '/b', '/c', '', '*'].map((path) => index.candidates(path))).toEqual([
    ['a', '/a', '*', '/a/b/:c', '/*w'],
    ['a', '/a', '*', '/*w'],
    ['a', '*', '/*w', '/b'],
    ['a', '*', '/*w'],
    ['a', '*', '/*w'],
    ['a', '*', '/*w'],
  ])
})

it.each<[path: unknown, part: string]>([
  ['/Users/:id', '/users'],
  ['/a/b', '/a/b'],
  ['/a/', '/a'],
  ['/', ''],
  ['/a{/b}/c', ''],
  ['/a/b{c}/d', '/a'],
  ['/a//b', '/a'],
  ['users', ''],
  [/^\/a/, ''],
  [['/a', '/b'], ''],
  [undefined, ''],
])('takes of the path %s the static part "%s"', (path, part) => {
  expect(staticPart(path)).toBe(part)
})

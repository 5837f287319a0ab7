import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { copyWithCheck } from '../../lib/core/fast/compile-output.js'
import { jsonOf } from '../../lib/core/fast/compile-text.js'

/** Returns the JSON that is written for a value of a schema. */
function written(schema: z.ZodType, value: unknown): string | undefined {
  return jsonOf(schema, copyWithCheck(schema, value))
}

describe('the JSON of output', () => {
  const Post = z.object({
    id: z.int(),
    title: z.string(),
    email: z.email().optional(),
    status: z.enum(['open', 'closed']).nullable(),
    score: z.number().nullish(),
    'a "key"': z.boolean(),
    at: z.date(),
    tags: z.array(z.string().optional()),
    owner: z.object({ name: z.string().optional() }),
    more: z.unknown(),
    kind: z.union([z.string(), z.int()]),
    level: z.literal([1, 'two', null]),
  })
  const post = {
    id: -0,
    title: 'A title',
    status: null,
    'a "key"': true,
    at: new Date(0),
    tags: ['a', undefined],
    owner: {},
    more: [1],
    kind: 'x',
    level: 'two',
  }

  it.each<[string, object]>([
    ['without its optional fields', post],
    ['with all of them', { ...post, email: 'ann@example.test', status: 'open', score: 1e21, owner: { name: 'Ann' } }],
    ['with `undefined` in them', { ...post, email: undefined, score: undefined, level: null, more: null }],
    ['with quotes, backslashes and controls', { ...post, title: 'a "b" \\ \n\0\u001f\u007f\u2028', kind: 7, level: 1 }],
    ['with surrogates', { ...post, title: 'a \ud83d\ude00 and \ud800', tags: ['\udc00'] }],
    ['with an empty text and an empty list', { ...post, title: '', tags: [] }],
  ])('is that of JSON.stringify for an object %s', (_, value) => {
    expect(written(Post, value)).toBe(JSON.stringify(copyWithCheck(Post, value)))
    expect(written(z.array(Post), [value, value])).toBe(JSON.stringify(copyWithCheck(z.array(Post), [value, value])))
  })

  it('is left to JSON.stringify where only that can tell', () => {
    const toJSON = (key: string): string => key
    for (const more of [{ toJSON }, () => 1, Symbol('s')]) {
      expect(written(z.object({ more: z.any() }), { more })).toBeUndefined()
    }
    expect(written(z.object({ 10: z.int(), 9: z.int() }), { 10: 1, 9: 2 })).toBeUndefined()
    expect(written(z.object({ a: z.literal(undefined) }), { a: undefined })).toBeUndefined()
    expect(jsonOf(z.string().transform((text) => text), 'a')).toBeUndefined()
  })

  it('is left to JSON.stringify while a prototype has a `toJSON`', () => {
    const prototype = String.prototype as { toJSON?: unknown }
    prototype.toJSON = () => 'replaced'
    onTestFinished(() => {
      delete prototype.toJSON
    })
    expect(written(z.string(), 'a')).toBeUndefined()
  })
})

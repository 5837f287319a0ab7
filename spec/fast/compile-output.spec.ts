import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { param } from 'resourcery'
import { checkOf } from '../../lib/core/fast/compile-output.js'
import { parseOutput } from './parse-output.js'
import { zodErrorOf, type Faults } from '../../lib/core/validate/parse.js'

const Row = z.object({
  id: z.int(),
  title: z.string().min(1),
  price: z.number(),
  open: z.boolean(),
  kind: z.enum(['news', 'guide']),
  one: z.literal([1, null]),
  at: z.date(),
  mail: z.email(),
  nothing: z.null(),
  any: z.unknown(),
  late: z.date().nullable(),
  note: z.string().optional(),
  tags: z.array(z.string()),
  author: z.object({ name: z.string() }),
  either: z.union([param.int(), z.string()]),
  words: z.record(z.string(), z.int()),
  read: param.bool(),
  size: z.string().default('m'),
  depth: z.string().prefault('d'),
})
const row = {
  id: 1,
  title: 'Tea',
  price: -0,
  open: false,
  kind: 'news',
  one: null,
  at: new Date(0),
  mail: 'ann@example.test',
  nothing: null,
  any: { some: 1 },
  late: null,
  tags: ['a'],
  author: { name: 'Ann', hash: 'secret' },
  either: '42',
  words: { a: 1 },
  read: 'true',
  size: 's',
  depth: 'e',
  hash: 'secret',
}

function fail(faults: Faults): Error {
  return zodErrorOf(faults)
}

/** Returns an object that has these fields but lists none. */
function deniesAll(fields: object): object {
  return new Proxy({}, { get: (_, key) => Reflect.get(fields, key) as unknown })
}

describe('a compiled output check', () => {
  it('copies exactly the declared fields, as zod does', () => {
    const copy = checkOf(z.array(Row))([row])
    expect(copy).toStrictEqual(z.array(Row).parse([row]))
    expect(JSON.stringify(copy)).not.toContain('secret')
  })

  it('adds an optional field in the position of its schema', () => {
    expect(JSON.stringify(checkOf(Row)({ ...row, note: 'n' }))).toBe(JSON.stringify(Row.parse({ ...row, note: 'n' })))
    expect(Object.keys(checkOf(Row)({ ...row, note: undefined }) as object)).toContain('note')
    expect(Object.keys(checkOf(Row)(row) as object)).not.toContain('note')
  })

  it.each(Object.keys(row).filter((key) => !['any', 'hash'].includes(key)))(
    'returns undefined if %s is invalid or missing',
    (key) => {
      expect(checkOf(Row)({ ...row, [key]: Symbol('wrong') })).toBeUndefined()
      expect(checkOf(Row)({ ...row, [key]: undefined })).toBeUndefined()
      expect(() => parseOutput(Row, { ...row, [key]: Symbol('wrong') }, fail)).toThrow(z.ZodError)
    },
  )

  it('falls back to zod for getters that throw and for proxies', () => {
    const One = z.object({ id: z.int() })
    const throws = { get id(): number {
      throw new Error('Not today')
    } }
    expect(checkOf(One)(throws)).toBeUndefined()
    expect(() => parseOutput(One, throws, fail)).toThrow('Not today')
    expect(checkOf(One)(deniesAll({ id: 1 }))).toBeUndefined()
    expect(checkOf(One.partial())(deniesAll({ id: 1 }))).toBeUndefined()
  })

  it('falls back to zod for defaults', () => {
    const { size: _, ...small } = row
    expect(checkOf(Row)(small)).toBeUndefined()
    expect(parseOutput(Row, small, fail)).toMatchObject({ size: 'm', depth: 'e' })
  })

  it('is created once for each schema', () => {
    expect(checkOf(Row)).toBe(checkOf(Row))
  })

  it('treats every key as a string, whatever it contains', () => {
    const keys = [
      '"]; globalThis.entered = true //',
      '`${globalThis.entered = true}`',
      "'",
      '\\',
      '\u2028',
      '\n',
      'toJSON',
      'constructor',
      '*/',
      '0',
    ]
    const record = Object.fromEntries(keys.map((key) => [key, 1]))
    expect(checkOf(z.object(Object.fromEntries(keys.map((key) => [key, z.int()]))))(record)).toStrictEqual(record)
    expect(globalThis).not.toHaveProperty('entered')
  })
})

describe('a schema that is not compiled', () => {
  const named = (key: PropertyKey): z.ZodType => z.object(Object.fromEntries([[key, z.string()]]))

  it.each([
    ['a refinement', z.string().refine(() => true)],
    ['a transformation', z.string().transform((text) => text)],
    ['an own format', z.stringFormat('x', () => true)],
    ['a refined list', z.array(z.string()).refine(() => true)],
    ['a refined object', z.object({ a: z.string() }).refine(() => true)],
    ['a pipe', z.string().pipe(z.string())],
    ['something lazy', z.lazy(() => z.string())],
    ['a union with a refinement', z.union([z.string().refine(() => true), z.int()])],
    ['a loose object with a refinement', z.looseObject({ a: z.string().refine(() => true) })],
  ])('contains %s', (_what, schema) => {
    expect(checkOf(z.object({ x: schema }))({ x: 'text' })).toBeUndefined()
  })

  it('has functions of the application, which are called once for any value', async () => {
    const asked: unknown[] = []
    const schema = z.object({ id: z.int(), title: z.string().refine((title) => asked.push(title) > 0), last: z.int() })
    await expect(parseOutput(schema, { id: 1, title: 'Tea', last: 'no' }, fail)).rejects.toThrow(z.ZodError)
    expect(asked).toEqual(['Tea'])
  })

  it('has a key that an object cannot hold or that JSON omits', () => {
    expect(checkOf(named('__proto__'))({})).toBeUndefined()
    expect(checkOf(named(Symbol('s')))({})).toBeUndefined()
  })

  it('contains itself, or is too large', () => {
    const Node = z.object({ name: z.string(), get children(): z.ZodArray {
      return z.array(Node)
    } })
    const endless = (): z.ZodObject =>
      z.object({ get child(): z.ZodOptional {
        return endless().optional()
      } })
    const large = z.object(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${at}`, z.int().optional()])))
    const tree = { name: 'a', children: [{ name: 'b', children: [], hash: 'secret' }] }
    expect(checkOf(Node)(tree)).toBeUndefined()
    expect(parseOutput(Node, tree, fail)).toEqual({ name: 'a', children: [{ name: 'b', children: [] }] })
    expect(checkOf(endless())({ child: {} })).toBeUndefined()
    expect(checkOf(large)({ f1: 1 })).toBeUndefined()
  })

  it('is any schema if zod is configured without code generation', () => {
    z.config({ jitless: true })
    onTestFinished(() => void z.config({ jitless: false }))
    expect(checkOf(z.object({ id: z.int() }))({ id: 1 })).toBeUndefined()
  })
})

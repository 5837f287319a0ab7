import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { param } from 'resourcery'
import { checkOf } from '../../lib/core/fast/compile-output.js'
import { parseOutput } from './parse-output.js'
import { parse } from '../../lib/core/validate/parse.js'
import { fuzzing, fuzzingTimeout } from '../support/fuzzing.js'

/*
 * Random schemas, of kinds that are compiled and of kinds that are not, on random values: valid, invalid, and valid in
 * an unusual form. With or without the compiled check, the same string is sent, or the same error is thrown.
 */

/** Generates a schema and values that mostly fit it. */
interface Case {
  readonly schema: z.ZodType
  readonly values: fc.Arbitrary<unknown>
}

const texts = fc.oneof(
  fc.string(),
  fc.constantFrom(
    '',
    'ann',
    '"quoted"\\\n',
    '\ud800',
    '\u2028<&>',
    '42',
    'true',
    '2026-11-21',
    'ann@example.test',
    'https://example.test/a b',
    '9b2f3c64-3f0a-4b1c-9d7e-2f1a0c5b8e11',
  ),
)
const numbers = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(0, -0, 1e21, 2 ** 53, -(2 ** 53) + 1, 1e-7, Number.NaN, Number.POSITIVE_INFINITY),
)
const dates = fc.date({ noInvalidDate: false })

/** The kinds of values in most replies. */
const usual: readonly Case[] = [
  { schema: z.string(), values: texts },
  { schema: z.int(), values: numbers },
  { schema: z.number(), values: numbers },
  { schema: z.boolean(), values: fc.boolean() },
  { schema: z.date(), values: fc.oneof(dates, fc.constant(new Date(Number.NaN))) },
  { schema: z.enum(['news', 'guide']), values: fc.constantFrom('news', 'guide') },
]

const leaves: readonly Case[] = [
  { schema: z.string(), values: texts },
  { schema: z.string().min(1).max(5), values: texts },
  { schema: z.string().length(3), values: texts },
  { schema: z.string().regex(/^a/g), values: texts },
  { schema: z.string().startsWith('a'), values: texts },
  { schema: z.string().trim().toLowerCase(), values: texts },
  { schema: z.string().includes('n', { position: 2 }), values: texts },
  { schema: z.email(), values: texts },
  { schema: z.string().check(z.email()), values: texts },
  { schema: z.url({ normalize: true }), values: texts },
  { schema: z.uuid(), values: texts },
  { schema: z.iso.date(), values: texts },
  { schema: z.stringFormat('even', (text) => text.length % 2 === 0), values: texts },
  { schema: z.coerce.string(), values: texts },
  { schema: z.int(), values: numbers },
  { schema: z.number(), values: numbers },
  { schema: z.number().int(), values: numbers },
  { schema: z.int().positive(), values: numbers },
  { schema: z.int32(), values: numbers },
  { schema: z.number().multipleOf(0.01), values: numbers },
  { schema: z.float32(), values: numbers },
  { schema: z.coerce.number(), values: numbers },
  { schema: z.number().int().max(9), values: numbers },
  { schema: z.boolean(), values: fc.boolean() },
  { schema: z.coerce.boolean(), values: fc.boolean() },
  { schema: z.null(), values: fc.constant(null) },
  { schema: z.literal(['a', 1, null, true]), values: fc.constantFrom('a', 1, null, true) },
  { schema: z.literal([-0, undefined]), values: fc.constantFrom(0, -0, undefined) },
  { schema: z.enum(['news', 'guide']), values: fc.constantFrom('news', 'guide') },
  { schema: z.enum({ one: 1, two: 'zwei' }), values: fc.constantFrom(1, 'zwei', 'one') },
  { schema: z.date(), values: dates },
  { schema: z.date().min(new Date(0)), values: dates },
  { schema: z.coerce.date(), values: dates },
  { schema: z.any(), values: fc.anything() },
  { schema: z.unknown(), values: fc.anything() },
  { schema: z.bigint(), values: fc.bigInt() },
  { schema: z.undefined(), values: fc.constant(undefined) },
  { schema: z.nan(), values: fc.constant(Number.NaN) },
  { schema: z.never(), values: fc.constant(1) },
  { schema: param.int(), values: fc.oneof(numbers, texts) },
  { schema: param.int().min(1), values: numbers },
  { schema: param.number(), values: fc.oneof(numbers, texts) },
  { schema: param.bool(), values: fc.constantFrom(true, 'false') },
  { schema: param.date(), values: fc.oneof(dates, texts) },
  { schema: param.list(z.string()), values: fc.oneof(texts, fc.array(texts)) },
]

/** Generates values that a schema did not ask for. */
const strangers: fc.Arbitrary<unknown> = fc.oneof(
  fc.anything(),
  texts,
  numbers,
  dates,
  fc
    .constantFrom<(() => unknown)[]>(
      () => undefined,
      () => null,
      () => Symbol('s'),
      () => 1n,
      () => (): number => 1,
      () => new String('boxed'),
      () => new Number(1),
      () => new Boolean(true),
      () => ({ toJSON: (key: string) => `by ${key}` }),
      () => Object.assign(new Date(0), { toJSON: () => 'own' }),
      () => Object.assign(Array<unknown>(3), { 1: 'a' }),
      () => new Map([['a', 1]]),
      () => Object.assign(['x'], { extra: 1 }),
      () => new (class extends Array<unknown> {})(2),
      () => ({
        get a(): never {
          throw new Error('No')
        },
      }),
      () => Object.create({ a: 'inherited' }),
    )
    .map((make) => make()),
)

/** Returns an object with the same fields in another form. */
const makes: readonly ((fields: object) => object)[] = [
  (fields) => fields,
  (fields) => fields,
  (fields) => fields,
  (fields) => ({ ...fields, undeclared: 'secret' }),
  (fields) => Object.assign(Object.create(null) as object, fields),
  (fields) => Object.fromEntries([...Object.entries(fields), ['__proto__', 'own']]),
  (fields) => Object.create(fields) as object,
  (fields) => Object.freeze({ ...fields }),
  (fields) =>
    Object.assign(
      new (class Row {
        readonly method = (): void => undefined
        toString(): string {
          return 'row'
        }
      })(),
      fields,
    ),
  (fields) =>
    Object.defineProperties(
      {},
      Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, { get: (): unknown => value }])),
    ),
  (fields) => new Proxy(fields, {}),
  (fields) => new Proxy({}, { get: (_, key) => Reflect.get(fields, key) as unknown }),
  (fields) => new Proxy(fields, { has: () => true }),
  ({ length: _, ...fields }: { length?: unknown }) => Object.assign([], fields),
  (fields) => Object.assign(fields, { toJSON: () => 'own' }),
]

const keys = fc.constantFrom(
  'a',
  'b',
  'id',
  'title',
  '10',
  '9',
  '',
  '"x',
  "it's",
  '\u2028',
  'toJSON',
  'then',
  'length',
  'constructor',
  'hasOwnProperty',
  'value',
  'c0',
)
const own = <T extends z.ZodType>(schema: T, change: (schema: T) => z.ZodType): z.ZodType => change(schema)

function wrapped({ schema, values }: Case): readonly Case[] {
  const maybe = (nothing: unknown): fc.Arbitrary<unknown> => fc.oneof(values, fc.constant(nothing))
  return [
    { schema: schema.nullable(), values: maybe(null) },
    { schema: schema.optional(), values: maybe(undefined) },
    { schema: schema.nullish(), values: fc.oneof(values, fc.constantFrom(null, undefined)) },
    { schema: schema.optional().nullable(), values: fc.oneof(values, fc.constantFrom(null, undefined)) },
    { schema: z.exactOptional(schema), values: maybe(undefined) },
    { schema: schema.readonly(), values },
    { schema: schema.meta({ title: 'x' }), values },
    { schema: schema.brand('b'), values },
    { schema: schema.refine(() => true), values },
    { schema: schema.refine((value) => value !== 'ann'), values },
    { schema: schema.transform((value) => [value]), values },
    { schema: schema.refine(async () => Promise.resolve(true)), values },
    { schema: schema.catch(null), values },
    { schema: z.lazy(() => schema), values },
    { schema: own(schema, (inner) => inner.default('d')), values: maybe(undefined) },
    { schema: own(schema, (inner) => inner.optional().default('d')), values: maybe(undefined) },
    { schema: own(schema, (inner) => inner.default('d').optional()), values: maybe(undefined) },
    { schema: own(schema, (inner) => inner.prefault('d')), values: maybe(undefined) },
    { schema: schema.optional().nonoptional(), values },
    { schema: z.preprocess((value) => value ?? 'p', schema), values },
  ]
}

function casesOf(depth: number): fc.Arbitrary<Case> {
  const leaf = fc.oneof(fc.constantFrom(...usual), fc.constantFrom(...leaves))
  if (depth === 0) return leaf
  const inner = casesOf(depth - 1)
  const object = fc.uniqueArray(fc.tuple(keys, inner), { selector: ([key]) => key, minLength: 1, maxLength: 5 }).chain(
    (fields) => {
      const shape = Object.fromEntries(fields.map(([key, { schema }]) => [key, schema]))
      const model = Object.fromEntries(fields.map(([key, { values }]) => [key, values]))
      const records = fc.oneof({ weight: 4, arbitrary: fc.record(model) }, {
        weight: 1,
        arbitrary: fc.record(model, { requiredKeys: [] }),
      })
      const values = fc.tuple(records, fc.constantFrom(...makes)).map(([record, make]) => make(record))
      const schemas = [
        z.object(shape),
        z.object(shape),
        z.object(shape),
        z.object(shape),
        z.object(shape),
        z.strictObject(shape),
        z.looseObject(shape),
        z
          .object(shape)
          .catchall(z.int()),
        z.object(shape).partial(),
        z.object(Object.fromEntries([...Object.entries(shape), ['__proto__', z.string()]])),
        z.object({ ...shape, [Symbol('s')]: z.any() }),
      ]
      return fc.constantFrom(...schemas).map((schema): Case => ({ schema, values }))
    },
  )
  const array = fc
    .tuple(
      inner,
      fc.constantFrom((of: z.ZodType) => z.array(of), (of: z.ZodType) => z.array(of),
        (of: z.ZodType) => z.array(of).min(1).max(3)),
    )
    .map(([{ schema, values }, make]): Case => ({ schema: make(schema), values: fc.array(values, { maxLength: 4 }) }))
  const others = fc.tuple(inner, inner).chain(([one, other]): fc.Arbitrary<Case> => {
    const either = fc.oneof(one.values, other.values)
    return fc.constantFrom<Case[]>(
      { schema: z.union([one.schema, other.schema]), values: either },
      { schema: z.record(z.string(), one.schema), values: fc.dictionary(keys, one.values, { maxKeys: 3 }) },
      { schema: z.record(z.enum(['a', 'b']), one.schema), values: fc.record({ a: one.values, b: one.values }) },
      { schema: z.tuple([one.schema, other.schema]), values: fc.tuple(one.values, other.values) },
      { schema: z.intersection(one.schema, other.schema), values: either },
      { schema: z.set(one.schema), values: fc.array(one.values).map((all) => new Set(all)) },
      {
        schema: z.discriminatedUnion('kind', [
          z.object({ kind: z.literal('x'), one: one.schema }),
          z.object({ kind: z.literal('y'), other: other.schema }),
        ]),
        values: fc.oneof(
          fc.record({ kind: fc.constant('x'), one: one.values }),
          fc.record({ kind: fc.constant('y'), other: other.values }),
        ),
      },
    )
  })
  const changed = inner.chain((of) =>
    fc.constantFrom(
      ...wrapped(of),
      ...wrapped(of).filter(({ schema }) => ['nullable', 'optional', 'default', 'prefault'].includes(schema.def.type)),
    )
  )
  return fc.oneof({ weight: 3, arbitrary: leaf }, { weight: 5, arbitrary: object }, { weight: 3, arbitrary: array }, {
    weight: 1,
    arbitrary: others,
  }, { weight: 2, arbitrary: changed })
}

/** Generates values that mostly fit; the others contain one unexpected value. */
const asked = casesOf(3).chain(({ schema, values }) =>
  fc.tuple(
    fc.constant(schema),
    fc.oneof({ weight: 8, arbitrary: values }, { weight: 1, arbitrary: strangers }, {
      weight: 2,
      arbitrary: fc.tuple(values, strangers, fc.nat()).map(([value, stranger, at]) =>
        withStranger(value, stranger, at)
      ),
    }),
  )
)

function withStranger(value: unknown, stranger: unknown, at: number): unknown {
  if (typeof value !== 'object' || value === null) return stranger
  try {
    const key = Object.keys(value)[at % 4]
    if (key !== undefined) {
      ;(value as Record<string, unknown>)[key] = withStranger(
        (value as Record<string, unknown>)[key],
        stranger,
        at >> 2,
      )
    }
    return value
  } catch {
    return stranger
  }
}

type Parse = typeof parse
class Unfit extends Error {}

async function outcome(by: Parse, schema: z.ZodType, value: unknown): Promise<unknown> {
  try {
    const data = await by(
      schema,
      value,
      (error) => new Unfit(JSON.stringify(error.issues.map(({ path, message }) => [path.map(String), message]))),
    )
    return {
      text: JSON.stringify({ code: 200, message: 'ok', data, meta: {} }),
      withUndefined: JSON.stringify(data, (_, part: unknown) => part === undefined ? 'undefined' : part),
    }
  } catch (error) {
    return { error: String(error) }
  }
}

describe('a compiled output check', () => {
  it('gives the same result as zod and JSON.stringify, or fails like them', async () => {
    let answered = 0
    let count = 0
    await fc.assert(fc.asyncProperty(asked, async ([schema, value]) => {
      count++
      if (checkOf(schema)(value) !== undefined) answered++
      expect(await outcome(parseOutput, schema, value)).toEqual(await outcome(parse, schema, value))
    }), fuzzing(1000))
    expect(answered).toBeGreaterThan(count / 10)
  }, fuzzingTimeout(120))
})

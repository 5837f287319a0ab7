import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { param } from 'resourcery'
import { compileRules } from '../../lib/core/validate/compile-rules.js'
import { isDeclarative, safeParse, safeParseAsync } from '../../lib/core/validate/parse.js'

const later = async (): Promise<boolean> => Promise.resolve(true)
const Money = z.core.$constructor<z.ZodNumber>('Money', (schema, def) => z.ZodNumber.init(schema, def))

describe('isDeclarative', () => {
  it.each<[string, z.ZodType]>([
    ['a refinement', z.string().refine(later)],
    ['a superRefine', z.string().superRefine(() => undefined)],
    ['a check', z.string().check(() => undefined)],
    ['a transform', z.string().transform((text) => text)],
    ['a preprocess', z.preprocess((value) => value, z.string())],
    ['something lazy', z.lazy(() => z.string())],
    ['a codec', z.codec(z.string(), z.int(), { decode: Number, encode: String })],
    ['a custom schema', z.custom(() => true)],
    ['a promise', z.promise(z.string())],
    ['a format with a function', z.stringFormat('even', () => true)],
    ["a class of the application's", new Money({ type: 'number' })],
    ['a format used as a check', z.string().check(z.stringFormat('x', () => true))],
    ['a transform in a pipe', z.string().pipe(z.transform((text) => text))],
    ['a refined number of ours', param.int().refine(later)],
  ])('is false for %s at any depth', (_what, inner) => {
    for (
      const schema of [
        inner,
        z.object({ a: inner }),
        z.array(inner),
        z.union([z.null(), inner]),
        inner.optional(),
        inner.nullable(),
        z.intersection(z.any(), inner),
        z.record(z.string(), inner),
        z.map(z.string(), inner),
        z.tuple([z.string(), inner]),
        z.tuple([z.string()], inner),
        z.set(inner),
        z.string().pipe(inner as never),
        z.object({}).catchall(inner),
        inner.readonly(),
        z.discriminatedUnion('kind', [z.object({ kind: z.literal('a'), deep: z.object({ inner }) })]),
        z.nonoptional(inner),
        inner.catch(null),
        param.list(inner),
      ]
    ) expect(isDeclarative(schema)).toBe(false)
  })

  it('is true for schemas of data only, also recursive ones', () => {
    const Node = z.object({
      name: z.string().trim().toLowerCase(),
      get children(): z.ZodArray {
        return z.array(Node)
      },
    })
    for (
      const schema of [
        Node,
        z.email(),
        z.url(),
        z.iso.date(),
        z.hostname(),
        z.stringFormat('abc', /^abc$/),
        z.string().regex(/a/).min(2),
        z.enum(['a']),
        z.literal(1),
        z.int().positive(),
        z.date(),
        z.strictObject({ a: z.null() }),
        z.string().default('x').describe('y').meta({ id: 'OnlyHere' }),
        z.templateLiteral(['a', z.int()]),
        param.int().min(1),
        param.number().max(3),
        param.bool(),
        param.date(),
        param.list(z.string()),
        compileRules({
          name: [['required', 'Needed'], ['lengthMin', 2, 'Short'], ['lengthMax', 9, 'Long'], ['email', 'No']],
          age: [['optional'], ['integer', 'Whole'], ['min', 1, 'Small']],
        }),
      ]
    ) expect(isDeclarative(schema)).toBe(true)
  })
})

describe('safeParseAsync', () => {
  let unhandled: unknown[] = []
  const note = (reason: unknown): void => void unhandled.push(reason)
  beforeEach(() => {
    unhandled = []
    process.on('unhandledRejection', note)
  })
  afterEach(async () => {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })

  const slowly = async (): Promise<boolean> => new Promise((resolve) => setImmediate(() => resolve(true)))
  const rejects = async (): Promise<boolean> => Promise.reject(new Error('No connection'))
  const throws = (): boolean => {
    throw new Error('Thrown')
  }

  it.each<[string, z.ZodType, unknown]>([
    ['a rejected check', z.string().refine(rejects), 'x'],
    ['a rejected check behind a slow one', z.string().refine(slowly).refine(rejects), 'x'],
    ['two rejected checks', z.string().refine(rejects).superRefine(rejects as never), 'x'],
    ['two rejected fields', z.object({ a: z.string().refine(rejects), b: z.string().refine(rejects) }), {
      a: 'x',
      b: 'y',
    }],
    [
      'a rejected field and one that throws',
      z.object({ a: z.string().refine(rejects), b: z.string().refine(throws) }),
      { a: 'x', b: 'y' },
    ],
    ['a rejected check and one that throws', z.string().refine(rejects).refine(throws), 'x'],
    [
      'a rejected field and a default that throws',
      z.object({ a: z.string().refine(rejects), b: z.string().default(throws as never) }),
      { a: 'x' },
    ],
    ['rejected transforms', z.object({ a: z.string().transform(rejects), b: z.string().transform(throws) }), {
      a: 'x',
      b: 'y',
    }],
    ['a rejected preprocess', z.object({ a: z.preprocess(rejects, z.string()), b: z.preprocess(throws, z.string()) }), {
      a: 'x',
      b: 'y',
    }],
    ['a rejected option of a union', z.union([z.string().refine(rejects), z.string().refine(throws)]), 'x'],
    ['both sides of an intersection', z.intersection(z.string().refine(rejects), z.string().refine(throws)), 'x'],
    ['items of a list', z.array(z.string().refine(rejects)), ['x', 'y']],
    ['values of a record', z.record(z.string(), z.string().refine(rejects)), { a: 'x', b: 'y' }],
    ['a key of a record', z.record(z.string().refine(rejects), z.string().refine(rejects)), { a: 'x', b: 'y' }],
    ['a tuple', z.tuple([z.string().refine(rejects), z.string().refine(throws)]), ['x', 'y']],
    ['something lazy', z.object({ a: z.lazy(() => z.string().refine(rejects)), b: z.lazy(throws as never) }), {
      a: 'x',
      b: 'y',
    }],
    ['a format', z.stringFormat('x', rejects), 'x'],
    ['a refined number', z.int().refine(rejects), 1],
    ['a refined address', z.email().refine(rejects).refine(throws), 'ann@example.test'],
    [
      'a codec',
      z.object({
        a: z.codec(z.string(), z.string(), { decode: rejects as never, encode: String }),
        b: z.string().refine(throws),
      }),
      { a: 'x', b: 'y' },
    ],
    [
      'a thenable other than a promise',
      z.string().refine(
        (() => ({
          then: (_fits: unknown, fails: (reason: Error) => void) => fails(new Error('No connection')),
        })) as never,
      ),
      'x',
    ],
  ])('rejects, and leaves no unhandled rejection, for %s', async (_what, schema, value) => {
    await expect(safeParseAsync(schema, value)).rejects.toThrow()
    expect(() => safeParse(schema, value)).toThrow()
  })

  it('is required for promises, which safeParse refuses', () => {
    for (const check of [slowly, rejects, later]) {
      for (
        const schema of [
          z.string().refine(check).refine(check),
          z.object({ a: z.string().transform(check), b: z.string().transform(check) }),
          z.array(z.string().refine(check)),
          z.stringFormat('x', check),
          z.object({ a: z.string().superRefine(check as never) }),
          z.preprocess(check, z.any()),
          z.codec(z.string(), z.any(), { decode: check, encode: String }),
        ]
      ) {
        const value = schema instanceof z.ZodObject ? { a: 'x', b: 'y' } : schema instanceof z.ZodArray ? ['x'] : 'x'
        expect(() => safeParse(schema, value)).toThrow(z.core.$ZodAsyncError)
      }
    }
  })

  it('calls each function once for valid and invalid values', async () => {
    const calls: string[] = []
    const noted = (name: string, fits: boolean) => async (): Promise<boolean> => {
      calls.push(name)
      return Promise.resolve(fits)
    }
    const schema = z
      .object({
        a: z.string().refine(noted('a', true)),
        list: z.array(z.string().refine(noted('item', true))),
        either: z.union([z.int(), z.string().refine(noted('union', false), 'Not this')]),
        made: z.string().transform(async (text) => Promise.resolve(`${text}!`)).pipe(
          z.string().refine(noted('made', true)),
        ),
        even: z.stringFormat('even', noted('format', false), 'Not even'),
      })
      .refine(noted('whole', true))
    const found = await safeParseAsync(schema, { a: 'x', list: ['y', 'z'], either: 'e', made: 'm', even: 'o' })
    expect(found.success ? [] : found.error.issues.map(({ path }) => path.join('.'))).toEqual(
      expect.arrayContaining(['either', 'even']),
    )
    expect(calls.sort()).toEqual(['a', 'format', 'item', 'item', 'made', 'union', 'whole'])
    expect(
      await safeParseAsync(z.object({ a: z.string().transform(async (text) => Promise.resolve(text.length)) }), {
        a: 'four',
      }),
    )
      .toEqual({ success: true, data: { a: 4 } })
  })

  it('awaits any object with a then method', async () => {
    const refuses = (() => ({ then: (answer: (fits: boolean) => void) => answer(false) })) as never
    expect((await safeParseAsync(z.string().refine(refuses), 'x')).success).toBe(false)
    const answers: unknown = { then: (answer: (value: number) => void) => answer(7) }
    expect(await safeParseAsync(z.string().transform(() => answers), 'x')).toEqual({ success: true, data: 7 })
  })
})

describe('a list with many faults', () => {
  const many = Array.from({ length: 45_000 }, () => 1)
  const keyed = Object.fromEntries(many.map((one, index) => [`k${index}`, one]))
  let read = 0
  const Counted = z.core.$constructor<z.ZodString>('ResourceryCounted', (schema, def) => {
    z.ZodString.init(schema, def)
    const parse = schema._zod.parse.bind(schema._zod)
    schema._zod.parse = (payload, context) => {
      read++
      return parse(payload, context)
    }
  })
  const item = new Counted({ type: 'string' } as never)

  it.each<[string, z.ZodType, unknown]>([
    ['a list', z.array(item), many],
    ['a list in an object', z.object({ of: z.object({ tags: z.array(item) }) }), { of: { tags: many } }],
    ['an optional list', z.object({ tags: z.array(item).optional() }), { tags: many }],
    [
      'a list of lists',
      z.array(z.array(z.array(item))),
      Array.from({ length: 36 }, () => Array.from({ length: 36 }, () => many.slice(0, 36))),
    ],
    ['a record', z.record(z.string(), item), keyed],
    ['a record of bad keys', z.record(item.regex(/^never$/), z.any()), keyed],
    ['other keys of an object', z.object({ a: z.int().optional() }).catchall(item), keyed],
    ['a set', z.set(item), new Set(many.keys())],
    ['a map', z.map(z.string(), item), new Map(Object.entries(keyed))],
    ['the rest of a tuple', z.tuple([z.any()], item), many],
    ['a list of ours', param.list(item).min(1), many],
    ['a list of objects', z.array(z.object({ name: item })), many.map((name) => ({ name }))],
    ['a list with rules of its own', z.array(item).min(1).max(50_000), many],
    ['a union of lists', z.union([z.array(item), z.array(z.object({ a: item }))]), many],
    ['a list of unions', z.array(z.union([item, z.null()])), many],
    ['a list in an intersection', z.intersection(z.object({ tags: z.array(item) }), z.object({})), { tags: many }],
    ['a record within an intersection', z.intersection(z.object({ by: z.record(z.string(), item) }), z.object({})), {
      by: keyed,
    }],
  ])('is read up to the 50th fault: %s', async (_what, schema, value) => {
    for (const parse of [safeParse, safeParseAsync]) {
      read = 0
      const found = await parse(schema, value)
      expect(found.success ? [] : found.error.issues.length).toBeLessThanOrEqual(50)
      expect(read).toBeGreaterThan(0)
      expect(read).toBeLessThanOrEqual(120)
    }
  })

  it('runs at most 50 checks at a time, and stops after the 50th fault', async () => {
    let running = 0
    let most = 0
    let calls = 0
    const slowly = (fits: (text: unknown) => boolean) => async (text: unknown): Promise<boolean> => {
      calls++
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      running--
      return fits(text)
    }
    for (
      const schema of [
        z.array(z.string().refine(slowly(() => false))),
        z
          .array(z.string().refine(slowly(() => false)))
          .min(1)
          .max(50_000),
      ]
    ) {
      calls = 0
      const found = await safeParseAsync(schema, many.map(String))
      expect([found.success ? 0 : found.error.issues.length, calls, most]).toEqual([50, 50, 50])
    }
    const texts = Array.from({ length: 120 }, (_, n) => String(n))
    const whole: unknown[] = []
    const fit = z.object({
      all: z.array(z.string().refine(slowly(() => true)).transform(Number)).refine((all) => whole.push(all) > 0),
    })
    expect(await safeParseAsync(fit, { all: texts })).toEqual({ success: true, data: { all: texts.map(Number) } })
    expect(whole).toEqual([texts.map(Number)])
    const some = await safeParseAsync(z.array(z.array(z.string().refine(slowly((text) => text !== '7')))), [
      texts,
      texts,
    ])
    expect(some.success ? [] : some.error.issues.map(({ path }) => path)).toEqual([[0, 7], [1, 7]])
    calls = 0
    expect((await safeParseAsync(z.array(z.string().refine(slowly(() => true))).max(100), texts)).success).toBe(false)
    expect(calls).toBe(0)
  })

  it('is not passed to a check of the whole if it was not read completely', () => {
    const seen: unknown[] = []
    const schema = z.array(z.string().refine((text) => text !== 'bad').transform((text) => text.length)).refine((all) =>
      seen.push(all) > 0
    )
    expect(safeParse(schema, Array.from({ length: 60 }, () => 'bad')).success).toBe(false)
    expect(seen).toEqual([])
    expect(safeParse(schema, ['abc'])).toEqual({ success: true, data: [3] })
    expect(seen).toEqual([[3]])
  })

  it('is checked on both sides of an intersection', () => {
    const left = z.record(z.string().regex(/^a/), z.any())
    const right = z.record(z.string().regex(/^b/), z.any())
    const mixed = Object.fromEntries([
      ...Array.from({ length: 60 }, (_, n) => [`b${n}`, 1]),
      ...Array.from({ length: 60 }, (_, n) => [`a${n}`, 1]),
    ]) as object
    for (const schema of [z.intersection(left, right), z.intersection(left.optional(), z.union([right, z.null()]))]) {
      expect(safeParse(schema, mixed).success).toBe(schema.safeParse(mixed).success)
      expect(safeParse(schema, { ...mixed, c: 1 }).success).toBe(schema.safeParse({ ...mixed, c: 1 }).success)
    }
  })

  it('gets the same result as from zod if there are few faults', () => {
    const Tree = z.object({
      name: z.string().max(3),
      get children(): z.ZodOptional<z.ZodArray> {
        return z.array(Tree).optional()
      },
    })
    const tree = fc
      .letrec((tie) => ({
        node: fc.record({
          name: fc.string({ maxLength: 4 }),
          children: fc.array(tie('node'), { maxLength: 3, depthIdentifier: 'tree' }),
        }, { requiredKeys: ['name'] }),
      }))
      .node
    const other = z
      .object({
        tags: z.array(z.string().max(2)).max(3).refine((tags) => !tags.includes('no')),
        by: z.record(z.string().max(2), z.int()).catch({}),
        pair: z.tuple([z.int()], z.string()).optional(),
      })
      .catchall(z.boolean())
    const value = fc.record({
      tags: fc.array(fc.oneof(fc.string({ maxLength: 3 }), fc.constant('no'))),
      by: fc.dictionary(fc.string({ maxLength: 3 }), fc.oneof(fc.integer(), fc.string())),
      pair: fc.array(fc.oneof(fc.integer(), fc.string())),
      more: fc.oneof(fc.boolean(), fc.integer()),
    }, { requiredKeys: ['tags', 'by'] })
    const paths = (
      found: {
        success: boolean
        data?: unknown
        error?: { issues: readonly { path: PropertyKey[]; code?: string }[] }
      },
    ): unknown => found.success ? found.data : found.error?.issues.map(({ path, code }) => [path, code])
    fc.assert(fc.property(tree, (one) => {
      expect(paths(safeParse(Tree, one))).toEqual(paths(Tree.safeParse(one)))
    }))
    fc.assert(fc.property(value, (one) => {
      expect(paths(safeParse(other, one))).toEqual(paths(other.safeParse(one)))
    }))
  })
})

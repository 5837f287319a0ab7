import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { errorHandler } from 'resourcery'
import { mountRoutes } from 'resourcery'
import { fromZodError, safeParse, toValidationError } from '../../lib/core/validate/parse.js'
import { serving } from '../support/http.js'

const english = z.locales.en().localeError
afterEach(() => void z.config({ localeError: english, customError: undefined }))

type Messages = Readonly<Record<string, readonly string[]>>

/** Returns the messages for a value that the parser of the package refuses. */
function messagesOf(schema: z.ZodType, value: unknown): Messages {
  const found = safeParse(schema, value)
  return found.success ? {} : { ...toValidationError(found.error).fields }
}

/** Returns the messages for a value that zod refuses in a handler. */
function thrown(schema: z.ZodType, value: unknown): Messages {
  const { error } = schema.safeParse(value)
  return error === undefined ? {} : { ...fromZodError(error).fields }
}

const day = new Date('2026-11-21T00:00:00Z')
const texts: readonly (readonly [z.ZodType, unknown, string])[] = [
  [z.string(), 1, 'Must be a string'],
  [z.number(), 'x', 'Must be a number'],
  [z.number(), NaN, 'Must be a number'],
  [z.int(), 1.5, 'Must be a whole number'],
  [z.boolean(), 'x', 'Must be true or false'],
  [z.bigint(), 1, 'Must be a whole number'],
  [z.date(), 'x', 'Must be a date'],
  [z.array(z.any()), {}, 'Must be a list'],
  [z.tuple([z.any()]), {}, 'Must be a list'],
  [z.set(z.any()), [], 'Must be a list'],
  [z.object({}), [], 'Must be an object'],
  [z.record(z.string(), z.any()), 1, 'Must be an object'],
  [z.map(z.any(), z.any()), {}, 'Must be an object'],
  [z.null(), 1, 'Must be null'],
  [z.file(), 1, 'Must be a file'],
  [z.undefined(), 1, 'Must be left out'],
  [z.void(), 1, 'Must be left out'],
  [z.never(), 1, 'Must be left out'],
  [z.symbol(), 1, 'Not valid'],
  [z.nan(), 1, 'Not valid'],
  [z.string(), undefined, 'Required'],
  [z.nonoptional(z.string().optional()), undefined, 'Required'],
  [z.instanceof(Date), 1, 'Not valid'],
  [z.custom(() => false), 1, 'Not valid'],
  [z.any().refine(() => false), 1, 'Not valid'],
  [z.string().min(3), 'x', 'Must have at least 3 characters'],
  [z.string().min(1), '', 'Must have at least 1 character'],
  [z.string().max(3), 'xxxx', 'Must have at most 3 characters'],
  [z.string().length(3), 'x', 'Must have exactly 3 characters'],
  [z.string().length(1), 'xx', 'Must have exactly 1 character'],
  [z.array(z.any()).min(2), [], 'Must have at least 2 items'],
  [z.array(z.any()).max(1), [1, 2], 'Must have at most 1 item'],
  [z.array(z.any()).length(2), [], 'Must have exactly 2 items'],
  [z.tuple([z.any(), z.any()]), [], 'Must have at least 2 items'],
  [z.set(z.any()).min(1), new Set(), 'Must have at least 1 item'],
  [z.set(z.any()).size(1), new Set([1, 2]), 'Must have exactly 1 item'],
  [z.map(z.any(), z.any()).min(2), new Map(), 'Must have at least 2 entries'],
  [z.number().min(3), 1, 'Must be at least 3'],
  [z.number().gt(3), 3, 'Must be greater than 3'],
  [z.number().max(3), 4, 'Must be at most 3'],
  [z.number().lt(3), 3, 'Must be less than 3'],
  [z.bigint().min(3n), 1n, 'Must be at least 3'],
  [z.int32(), 2 ** 40, 'Must be at most 2147483647'],
  [z.date().min(day), new Date(0), 'Must not be before 2026-11-21T00:00:00.000Z'],
  [z.date().max(day), new Date(2e12), 'Must not be after 2026-11-21T00:00:00.000Z'],
  [z.file().min(5), new File(['x'], 'a'), 'Must have at least 5 bytes'],
  [z.file().mime('image/png'), new File(['x'], 'a'), 'Must be image/png'],
  [z.number().multipleOf(5), 7, 'Must be a multiple of 5'],
  [z.literal('a'), 'b', 'Must be a'],
  [z.literal([1, null, true]), 'b', 'Must be one of 1, null, true'],
  [z.enum(['a', 'b']), 'c', 'Must be one of a, b'],
  [z.enum(Array.from({ length: 21 }, (_, n) => `o${n}`)), 'c', 'Not one of the allowed values'],
  [z.enum(['x'.repeat(150), 'y'.repeat(150)]), 'c', 'Not one of the allowed values'],
  [z.email(), 'x', 'Must be an e-mail address'],
  [z.url(), 'x', 'Must be a URL'],
  [z.emoji(), 'x', 'Must be an emoji'],
  [z.uuid(), 'x', 'Must be a UUID'],
  [z.uuidv4(), 'x', 'Must be a UUID'],
  [z.uuidv6(), 'x', 'Must be a UUID'],
  [z.uuidv7(), 'x', 'Must be a UUID'],
  [z.guid(), 'x', 'Must be a GUID'],
  [z.nanoid(), 'x', 'Must be a Nano ID'],
  [z.cuid2(), '-', 'Must be a CUID2'],
  [z.ulid(), 'x', 'Must be a ULID'],
  [z.xid(), 'x', 'Must be an XID'],
  [z.ksuid(), 'x', 'Must be a KSUID'],
  [z.iso.datetime(), 'x', 'Must be a date and time like 2026-11-21T08:30:00Z'],
  [z.iso.date(), 'x', 'Must be a date like 2026-11-21'],
  [z.iso.time(), 'x', 'Must be a time like 08:30:00'],
  [z.iso.duration(), 'x', 'Must be a duration like P1DT2H'],
  [z.cuid(), '-', 'Must be a CUID'],
  [z.ipv4(), 'x', 'Must be an IPv4 address'],
  [z.ipv6(), 'x', 'Must be an IPv6 address'],
  [z.mac(), 'x', 'Must be a MAC address'],
  [z.cidrv4(), 'x', 'Must be an IPv4 range like 192.0.2.0/24'],
  [z.cidrv6(), 'x', 'Must be an IPv6 range like 2001:db8::/32'],
  [z.base64(), '?', 'Must be base64'],
  [z.base64url(), '?', 'Must be base64url'],
  [z.e164(), 'x', 'Must be a phone number like +14155550100'],
  [z.jwt(), 'x', 'Must be a JWT'],
  [z.hostname(), '-', 'Must be a host name'],
  [z.hex(), 'x', 'Must be hexadecimal'],
  [z.creditCard(), 'x', 'Must be a credit card number'],
  [z.iban(), 'x', 'Must be an IBAN'],
  [z.string().lowercase(), 'X', 'Must be lower case'],
  [z.string().uppercase(), 'x', 'Must be upper case'],
  [z.string().startsWith('a'), 'x', 'Must start with "a"'],
  [z.string().endsWith('a'), 'x', 'Must end with "a"'],
  [z.string().includes('a'), 'x', 'Must contain "a"'],
  [z.string().regex(/^SECRET$/), 'x', 'Does not have the required format'],
  [z.templateLiteral(['SECRET', z.int()]), 'x', 'Does not have the required format'],
  [z.stringFormat('SECRET', () => false), 'x', 'Does not have the required format'],
  [z.stringFormat('SECRET', /^SECRET$/), 'x', 'Does not have the required format'],
  [z.string().check(z.regex(/SECRET/)), 'x', 'Does not have the required format'],
  [z.hash('md5'), 'x', 'Does not have the required format'],
  [z.xor([z.string(), z.any()]), 'x', 'Fits more than one alternative'],
  [z.intersection(z.strictObject({}), z.strictObject({})).refine(() => false), {}, 'Not valid'],
]

describe('a default message', () => {
  it.each(texts.map(([schema, value, text]) => [text, schema, value] as const))('reads: %s', (text, schema, value) => {
    expect(messagesOf(schema, value)).toEqual({ _: [text] })
    expect(messagesOf(z.object({ deep: z.array(schema) }), { deep: [value] })).toEqual({ 'deep.0': [text] })
    expect(thrown(schema, value)).toEqual({ _: [text] })
  })

  it('exists for each fault in an object, a union, a record and a set', () => {
    const kind = z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })])
    for (const read of [messagesOf, thrown]) {
      expect(read(z.strictObject({}), { a: 1 })).toEqual({ a: ['Unknown field'] })
      expect(read(z.union([z.string().regex(/SECRET/), z.int()]), true)).toEqual({
        _: ['Must be a string', 'Must be a number'],
      })
      expect(read(kind, { kind: 'c' })).toEqual({ kind: ['Must be one of a, b'] })
      expect(read(z.record(z.string().regex(/SECRET/), z.any()), { k: 1 })).toEqual({
        k: ['Does not have the required format'],
      })
      expect(read(z.record(z.string().max(1, 'A short key'), z.any()), { long: 1 })).toEqual({ long: ['A short key'] })
      expect(read(z.set(z.string().regex(/SECRET/)), new Set(['x']))).toEqual({
        _: ['Does not have the required format'],
      })
      expect(read(z.map(z.object({ a: z.int() }), z.object({ a: z.int() })), new Map([[{}, {}]]))).toEqual({
        _: ['Required'],
      })
    }
  })
})

describe('a message of the application', () => {
  it('is kept, wherever it was defined', () => {
    const schema = z.object({
      a: z.string().min(3, 'At least three'),
      b: z.string({ error: 'Text, please' }),
      c: z.string().regex(/SECRET/, { error: () => 'The pattern /SECRET/' }),
      d: z.int().refine(() => false, 'Invalid input: mine'),
      e: z.enum(['x'], { error: ({ input }) => `Not ${String(input)}` }),
      f: z.string().superRefine((_text, context) => context.addIssue({ code: 'custom', message: 'Super' })),
    })
    const expected = {
      a: ['At least three'],
      b: ['Text, please'],
      c: ['The pattern /SECRET/'],
      d: ['Invalid input: mine'],
      e: ['Not y'],
      f: ['Super'],
    }
    const value = { a: 'x', b: 1, c: 'x', d: 1, e: 'y', f: 'x' }
    expect(messagesOf(schema, value)).toEqual(expected)
    expect(thrown(schema, value)).toEqual(expected)
    expect(messagesOf(z.any().refine(() => false, 'Invalid input'), 1)).toEqual({ _: ['Invalid input'] })
  })

  it('is kept where the issue has others inside', () => {
    for (const read of [messagesOf, thrown]) {
      expect(read(z.union([z.string(), z.int()], 'A text or a number'), true)).toEqual({ _: ['A text or a number'] })
      const either = z.union([z.object({ a: z.string() }), z.object({ b: z.int() })], { error: () => 'a or b' })
      expect(read(z.object({ either: either.optional() }), { either: { a: 1 } })).toEqual({ either: ['a or b'] })
      expect(read(z.xor([z.string(), z.int()], 'One of them'), true)).toEqual({ _: ['One of them'] })
      expect(read(z.union([z.union([z.int(), z.null()], 'Inner'), z.string('Text')]), true)).toEqual({
        _: ['Inner', 'Text'],
      })
      expect(read(z.record(z.string().max(1), z.any(), 'Short keys'), { long: 1 })).toEqual({ long: ['Short keys'] })
      expect(read(z.strictObject({}, 'No more fields'), { a: 1, b: 2 })).toEqual({
        a: ['No more fields'],
        b: ['No more fields'],
      })
      const strict = z.strictObject({}, {
        error: (issue) => (issue.code === 'unrecognized_keys' ? `Not ${issue.keys.join()}` : undefined),
      })
      expect(read(strict, { a: 1, b: 2 })).toEqual({ a: ['Not a,b'], b: ['Not a,b'] })
      expect(read(strict, { ['a'.repeat(200)]: 1 })).toEqual({ ['a'.repeat(200)]: ['Unknown field'] })
    }
  })

  it('is that of customError, or the default one if it returns nothing', () => {
    z.config({ customError: ({ code }) => (code === 'invalid_type' ? 'Falscher Typ' : undefined) })
    for (const read of [messagesOf, thrown]) {
      expect(read(z.string(), 1)).toEqual({ _: ['Falscher Typ'] })
      expect(read(z.string().regex(/SECRET/), 'x')).toEqual({ _: ['Does not have the required format'] })
    }
    z.config({ customError: () => 'Falsch' })
    for (const read of [messagesOf, thrown]) {
      expect(read(z.union([z.object({ a: z.int() }), z.string()]), { a: 'x' })).toEqual({ a: ['Falsch'] })
    }
  })

  it.each(['de', 'fr', 'ja'] as const)('is never that of the locale %s', (name) => {
    z.config(z.locales[name]())
    for (const read of [messagesOf, thrown]) {
      expect(read(z.string().min(3), 'x')).toEqual({ _: ['Must have at least 3 characters'] })
      expect(read(z.string(), 1)).toEqual({ _: ['Must be a string'] })
      expect(read(z.templateLiteral(['SECRET', z.int()]), 'x')).toEqual({ _: ['Does not have the required format'] })
    }
  })
})

it("zod's messages never reach a client, even if a handler calls the parser", async () => {
  const Name = z.object({ name: z.string().regex(/^SECRET$/), age: z.int().min(18) })
  const app = express().use(express.json())
  mountRoutes(app, {
    route: '',
    name: 'names',
    routes: {
      read: { methods: 'POST', route: '/read', input: Name, handler: () => null },
      own: { methods: 'POST', route: '/own', body: false, handler: (req) => Name.parse(req.body) },
    },
  })
  const client = await serving(app.use(errorHandler()))
  for (const path of ['/read', '/own']) {
    const { status, body } = await client.post(path, { name: 'x', age: 1 })
    expect([status, body.message, body.data]).toEqual([422, 'Does not have the required format', {
      name: ['Does not have the required format'],
      age: ['Must be at least 18'],
    }])
  }
})

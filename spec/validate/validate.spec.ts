import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { HttpError, MisuseError, ValidationError, type Fields } from '../../lib/core/base/errors.js'
import { validate } from 'resourcery'
import type { Rules } from 'resourcery'
import { codePoint } from '../support/code-point.js'

/** Returns the messages of a call by field. */
function fieldsOf(run: () => unknown): Fields {
  try {
    run()
  } catch (error) {
    if (error instanceof ValidationError) return { ...error.fields }
    throw error
  }
  throw new Error('Nothing was refused')
}

/** Returns the messages for one value by the rules of one field. */
function broken(value: unknown, field: Rules[string]): readonly string[] {
  try {
    validate({ field: value }, { field })
    return []
  } catch (error) {
    if (error instanceof ValidationError) return error.fields.field ?? []
    throw error
  }
}

describe('validate with rules', () => {
  const rules = {
    name: [['required', 'Name is required'], ['lengthMin', 2, 'Too short']],
    age: [['optional'], ['integer', 'A whole number']],
  } as const

  it('returns exactly the declared fields', () => {
    expect(validate({ name: 'Ann', age: '42', role: 'admin' }, rules)).toStrictEqual({ name: 'Ann', age: 42 })
    expect(validate({ name: 'Ann' }, rules)).toStrictEqual({ name: 'Ann', age: null })
  })

  it('accepts rules written in the call', () => {
    const run = () =>
      validate({ name: 'Ann' }, { name: [['required', 'Name is required']], age: [['optional'], ['integer', 'No']] })
    expect([run(), run()]).toStrictEqual([{ name: 'Ann', age: null }, { name: 'Ann', age: null }])
  })

  it('replies 422 with the first message', () => {
    const refusal = (() => {
      try {
        return validate({ age: 'x' }, rules)
      } catch (error) {
        return error
      }
    })()
    expect(refusal).toMatchObject({ status: 422, reason: 'validation', message: 'Name is required' })
  })

  it.each([undefined, null, '', ' ', '\t\n', '\u00a0'].map((value) => ({ value })))(
    'treats $value as missing if it is required',
    ({ value }) => {
      expect(broken(value, [['required', 'Needed'], ['lengthMin', 2, 'Short'], ['email', 'No mail']])).toEqual([
        'Needed',
      ])
      expect(broken(value, [['required', 'Needed'], ['integer', 'No']])).toEqual(['Needed'])
    },
  )

  it.each([0, false, [], {}, 'x'].map((value) => ({ value })))('treats $value as present', ({ value }) => {
    expect(validate({ field: value }, { field: [['required', 'Needed']] })).toEqual({ field: value })
  })

  it.each([undefined, null, ''].map((value) => ({ value })))(
    'treats $value as omitted if it is optional',
    ({ value }) => {
      expect(
        validate({ a: value, b: value, c: value }, {
          a: [['optional', 'No']],
          b: [['min', 3, 'Low']],
          c: [['email', 'No']],
        }),
      )
        .toStrictEqual({ a: null, b: null, c: null })
      expect(validate({ field: value }, { field: [] })).toStrictEqual({ field: null })
    },
  )

  it('reports one message for a wrong type', () => {
    expect(broken(5, [['required', 'Needed'], ['lengthMin', 2, 'Short'], ['lengthMax', 1, 'Long']])).toEqual(['Short'])
    expect(broken(['a@b.co'], [['email', 'No mail'], ['lengthMax', 1, 'Long']])).toEqual(['No mail'])
    expect(broken('4e1', [['min', 50, 'Low'], ['integer', 'Whole'], ['max', 3, 'High']])).toEqual(['Whole'])
    expect(broken(5.5, [['integer', 'Whole'], ['min', 50, 'Low']])).toEqual(['Whole'])
    expect(broken('x', [['min', 50, 'Low'], ['max', 3, 'High']])).toEqual(['Low'])
  })

  it('reports every broken rule in order otherwise', () => {
    expect(broken('abc', [['email', 'No mail'], ['lengthMax', 2, 'Long'], ['lengthMin', 9, 'Short']])).toEqual([
      'No mail',
      'Long',
      'Short',
    ])
    expect(broken('5', [['max', 3, 'High'], ['integer', 'Whole'], ['min', 9, 'Low']])).toEqual(['High', 'Low'])
  })

  it('counts characters, not code units', () => {
    expect(broken('😀😀', [['lengthMin', 2, 'Short'], ['lengthMax', 2, 'Long']])).toEqual([])
    expect(broken('😀', [['lengthMin', 2, 'Short']])).toEqual(['Short'])
    fc.assert(fc.property(fc.string({ unit: codePoint }), fc.nat(12), (text, n) => {
      fc.pre(text !== '' && !/[\0\p{Surrogate}]/u.test(text))
      expect(broken(text, [['lengthMax', n, 'Long']])).toEqual(Array.from(text).length > n ? ['Long'] : [])
    }))
  })

  it.each(['ann@example.test', 'a.b+c@sub.example.org'])('accepts %s as an e-mail address', (address) => {
    expect(broken(address, [['email', 'No mail']])).toEqual([])
  })

  it.each([
    'ann',
    '@example.test',
    'ann@',
    'ann@example',
    'a b@example.test',
    'ann@example.test\n',
    ' ann@example.test',
  ])('refuses %j as an e-mail address', (text) => {
    expect(broken(text, [['email', 'No mail']])).toEqual(['No mail'])
  })

  it.each(
    ['4e1', ' 42', '42 ', '042', '+4', '0x10', '４２', '1.0', '9007199254740992', true, [4], 4.5].map((value) => ({
      value,
    })),
  )(
    'refuses $value as an integer',
    ({ value }) => {
      expect(broken(value, [['integer', 'Whole']])).toEqual(['Whole'])
    },
  )

  it('converts canonical strings for min and max', () => {
    const bounds = { field: [['min', 1, 'Low'], ['max', 9.5, 'High']] } as const
    expect(validate({ field: '2.5' }, bounds)).toEqual({ field: 2.5 })
    expect(fieldsOf(() => validate({ field: '9.6' }, bounds))).toEqual({ field: ['High'] })
    expect(fieldsOf(() => validate({ field: '02' }, bounds))).toEqual({ field: ['Low'] })
  })

  it('reads own keys only', () => {
    const inherited = Object.create({ name: 'Eve' }) as object
    expect(fieldsOf(() => validate(inherited, rules))).toEqual({ name: ['Name is required'] })
    const field = [['required', 'Needed']] as const
    expect(fieldsOf(() => validate({}, { constructor: field, toString: field }))).toEqual({
      constructor: ['Needed'],
      toString: ['Needed'],
    })
    expect(fieldsOf(() => validate(JSON.parse('{"__proto__":{"name":"Eve"}}'), rules))).toEqual({
      name: ['Name is required'],
    })
  })

  it('reads the own properties of an instance', () => {
    class Form {
      readonly name = 'Ann'
      get age(): number {
        return this.name.length
      }
    }
    expect(validate(new Form(), rules)).toStrictEqual({ name: 'Ann', age: null })
  })

  it.each([null, undefined, [], ['a'], 'text', 5, true].map((data) => ({ data })))(
    'refuses $data as a whole',
    ({ data }) => {
      expect(fieldsOf(() => validate(data, rules))).toEqual({ _: ['Must be an object'] })
      expect(fieldsOf(() => validate(data, rules, { partial: true }))).toEqual({ _: ['Must be an object'] })
    },
  )

  it('checks and returns only the sent fields with `partial`', () => {
    expect(validate({ age: '7', role: 'admin' }, rules, { partial: true })).toStrictEqual({ age: 7 })
    expect(validate({ age: '' }, rules, { partial: true })).toStrictEqual({ age: null })
    expect(validate({}, rules, { partial: true })).toStrictEqual({})
    expect(validate({ name: undefined }, rules, { partial: true })).toStrictEqual({})
    expect(fieldsOf(() => validate({ name: '' }, rules, { partial: true }))).toEqual({ name: ['Name is required'] })
    expect(fieldsOf(() => validate({ name: 'A', age: 'x' }, rules, { partial: true }))).toEqual({
      name: ['Too short'],
      age: ['A whole number'],
    })
  })
})

describe('validate with a schema', () => {
  const User = z.object({
    name: z.string().min(2),
    role: z.string().default('user'),
    tags: z.array(z.object({ label: z.string() })).optional(),
  })

  it('returns exactly the declared keys', () => {
    expect(validate({ name: 'Ann', admin: true }, User)).toStrictEqual({ name: 'Ann', role: 'user' })
  })

  it('names nested faults by their path', () => {
    expect(Object.keys(fieldsOf(() => validate({ name: 'A', tags: [{}, { label: 5 }] }, User)))).toEqual([
      'name',
      'tags.0.label',
      'tags.1.label',
    ])
  })

  it('accepts other kinds of schemas, and those of zod/mini', () => {
    expect(validate(['1'], z.array(z.string()))).toEqual(['1'])
    expect(validate({ name: 'Ann', admin: true }, mini.object({ name: mini.string() }))).toStrictEqual({ name: 'Ann' })
    expect(Object.keys(fieldsOf(() => validate([], User)))).toEqual(['_'])
  })

  it('never reads a key of the prototype at any depth', () => {
    const schema = z.object({
      constructor: z.string().optional(),
      inner: z.object({ toString: z.string().optional() }),
    })
    expect(validate({ inner: {} }, schema)).toStrictEqual({ inner: {} })
  })

  it('refuses a schema with asynchronous parts', () => {
    const schema = z.object({ name: z.string().refine(async () => true) })
    expect(() => validate({ name: 'Ann' }, schema)).toThrow(MisuseError)
    expect(() => validate({ name: 'Ann' }, schema)).toThrow(expect.objectContaining({ code: 'validate_async' }))
  })

  it('passes on an error thrown by the schema', () => {
    const schema = z.object({ name: z.string().transform((): string => {
      throw new RangeError('mine')
    }) })
    expect(() => validate({ name: 'Ann' }, schema)).toThrow(RangeError)
  })
})

describe('validate with any data', () => {
  const schema = z.object({ name: z.unknown() })

  it('refuses NUL in a string or key, and names the field', () => {
    expect(fieldsOf(() => validate({ name: 'a\0b' }, schema))).toEqual({ name: ['Must not contain a NUL character'] })
    expect(fieldsOf(() => validate({ name: { list: ['ok', '\0'] } }, schema))).toEqual({
      'name.list.1': ['Must not contain a NUL character'],
    })
    expect(Object.keys(fieldsOf(() => validate({ name: { 'a\0': 1 } }, schema)))).toEqual(['name.a\0'])
    expect(Object.keys(fieldsOf(() => validate({ other: '\0' }, { name: [] }, { partial: true })))).toEqual(['other'])
  })

  it('refuses nesting deeper than 32 levels, and circles', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : { name: nested(levels - 1) })
    expect(validate(nested(32), schema)).toBeDefined()
    expect(() => validate(nested(33), schema)).toThrow(expect.objectContaining({ status: 400, reason: 'unreadable' }))
    const circle: Record<string, unknown> = {}
    circle.name = circle
    expect(() => validate(circle, schema)).toThrow(HttpError)
  })

  it('returns a result or throws a 4xx error', () => {
    const rules: Rules = {
      a: [['required', 'A'], ['lengthMin', 2, 'B']],
      b: [['integer', 'C'], ['min', 1, 'D']],
      c: [['email', 'E']],
      d: [['required', 'F']],
    }
    fc.assert(
      fc.property(
        fc.anything({ withNullPrototype: true, withSparseArray: true, withDate: true, withBigInt: true }),
        (data) => {
          try {
            expect(
              Object
                .keys(validate(data, rules))
                .sort(),
            )
              .toEqual(['a', 'b', 'c', 'd'])
          } catch (error) {
            expect(error).toBeInstanceOf(ValidationError)
          }
        },
      ),
    )
  })
})

describe('validate called incorrectly', () => {
  const rules = { name: [['required', 'Needed']] } as const

  it('refuses an unknown option', () => {
    expect(() => validate({ name: 'x' }, rules, { partially: true } as object)).toThrow(
      expect.objectContaining({ code: 'option_unknown' }),
    )
  })

  it.each([
    ['a prototype instead of a field', { __proto__: [['required', 'Needed']] }],
    ['a field called __proto__', Object.fromEntries([['__proto__', [['required', 'Needed']]]])],
    ['a map', new Map()],
    ['a list', []],
    ['nothing', null],
  ])(
    'refuses rules made of %s',
    (_what, wrong) => {
      expect(() => validate({}, wrong as never)).toThrow(expect.objectContaining({ code: 'rules_invalid' }))
    },
  )

  it('accepts fields named like inherited properties', () => {
    const odd = { constructor: [['required', 'Needed'], ['lengthMax', 3, 'Long']], toString: [['optional']] } as const
    expect(() => validate({}, odd)).toThrow(expect.objectContaining({ fields: { constructor: ['Needed'] } }))
    expect({ ...validate({ constructor: 'abc' }, odd) }).toEqual({ constructor: 'abc', toString: null })
  })
})

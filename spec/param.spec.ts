import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { MisuseError, param } from 'resourcery'

const read = (schema: z.ZodType, value: unknown): unknown => {
  const result = schema.safeParse(value)
  return result.success ? result.data : result.error.issues.map(({ message }) => message)
}

const NOT_WHOLE: unknown[] = [
  '',
  ' ',
  ' 42',
  '42 ',
  '\t42',
  '4e1',
  '1E3',
  '0x10',
  '0b1',
  '0o7',
  '042',
  '00',
  '+1',
  '-0',
  '--1',
  '1.0',
  '1.',
  '.5',
  '1_000',
  '1,000',
  '４２',
  '٤٢',
  '42\n',
  '42\u0000',
  'NaN',
  'Infinity',
  '-Infinity',
  'null',
  'true',
  '9007199254740992',
  '-9007199254740992',
  '1'.repeat(400),
  ['5'],
  [5],
  {},
  { valueOf: () => 5 },
  null,
  true,
  5.5,
  NaN,
  Infinity,
  2 ** 53,
  5n,
  new Date(0),
]

describe('param.int', () => {
  it.each([['42', 42], ['0', 0], ['-7', -7], ['9007199254740991', Number.MAX_SAFE_INTEGER], [42, 42], [-1, -1]])(
    'reads %j',
    (value, number) => {
      expect(read(param.int(), value)).toBe(number)
    },
  )

  it.each(NOT_WHOLE.map((value) => ({ value })))('refuses $value', ({ value }) => {
    expect(read(param.int(), value)).toEqual(['Must be a whole number'])
  })

  it('converts the string of every safe integer', () => {
    fc.assert(
      fc.property(
        fc
          .maxSafeInteger()
          .filter((n) => !Object.is(n, -0)),
        (n) => read(param.int(), String(n)) === n && read(param.int(), n) === n,
      ),
    )
  })

  it('refuses strings other than the one that JavaScript writes for the number', () => {
    const near = fc.stringMatching(/^[ +-]?[0-9.eEx_]{0,6}\s?$/)
    fc.assert(fc.property(fc.oneof(fc.string(), near), (text) => {
      const result = param.int().safeParse(text)
      expect(result.success).toBe(/^-?\d+$/.test(text) && String(Number(text)) === text)
    }))
  })

  it('converts also after chained methods', () => {
    const page = param.int().min(1, 'Too low').max(9, 'Too high').multipleOf(2).describe('a page').default(4)
    expect([read(page, undefined), read(page, '8'), read(page, '10'), read(page, '-2')]).toEqual([4, 8, ['Too high'], [
      'Too low',
    ]])
    expect(read(param.int().optional(), undefined)).toBeUndefined()
    expect(read(param.int().nullable(), null)).toBeNull()
    expect(read(param.int().clone(), '1')).toBe(1)
    expect(read(param.int().refine((n) => n % 2 === 0, 'Odd'), '3')).toEqual(['Odd'])
    expect(read(param.int().transform((n) => n + 1), '3')).toBe(4)
  })

  it('uses the message of zod for a limit without a message', () => {
    expect(read(param.int().max(9), '10')).toEqual(['Too big: expected number to be <=9'])
  })

  it('accepts a message for the type', () => {
    expect(read(param.int('Page?').min(2, 'Low'), 'x')).toEqual(['Page?'])
    expect(read(param.int('Page?').min(2, 'Low'), 2 ** 60)).toEqual(['Page?'])
  })

  it('converts in objects, lists, unions and discriminated unions', () => {
    const schema = z.object({ id: param.int(), list: z.array(param.int()), either: z.union([param.int(), z.string()]) })
    expect(schema.parse({ id: '1', list: ['2', 3], either: '4' })).toEqual({ id: 1, list: [2, 3], either: 4 })
    expect(schema.parse({ id: '1', list: [], either: '04' }).either).toBe('04')
    const union = z.discriminatedUnion('kind', [z.object({ kind: z.literal('a'), n: param.int() })])
    expect(union.parse({ kind: 'a', n: '5' })).toEqual({ kind: 'a', n: 5 })
  })

  it('is documented as an integer with its limits', () => {
    expect(z.toJSONSchema(param.int().min(1).max(9).default(1), { io: 'input' })).toMatchObject({
      type: 'integer',
      minimum: 1,
      maximum: 9,
      default: 1,
    })
  })
})

describe('param.number', () => {
  it.each([['1.5', 1.5], ['-0.25', -0.25], ['42', 42], ['1.50', 1.5], ['0', 0], [2.5, 2.5], ['0.1', 0.1]])(
    'reads %j',
    (value, number) => {
      expect(read(param.number(), value)).toBe(number)
    },
  )

  it.each(
    [
      '',
      ' 1.5',
      '1.5 ',
      '1e3',
      '01.5',
      '.5',
      '1.',
      '+1',
      '-0',
      '-0.0',
      '0x1',
      '1,5',
      '１.５',
      'Infinity',
      '9007199254740993',
      '9'.repeat(400),
      9007199254740992,
      NaN,
      Infinity,
      true,
      null,
      ['1.5'],
      {},
    ]
      .map((value) => ({ value })),
  )('refuses $value', ({ value }) => {
    expect(read(param.number(), value)).toEqual(['Must be a number'])
  })

  it('converts every number written without an exponent', () => {
    const plain = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }).filter((n) =>
      !String(n).includes('e') && !Object.is(n, -0)
    )
    fc.assert(fc.property(plain, (n) => read(param.number(), String(n)) === n))
  })

  it('has limits, and is documented as a number', () => {
    const price = param.number().min(0, 'Negative').max(10)
    expect([read(price, '-0.5'), read(price, '9.99')]).toEqual([['Negative'], 9.99])
    expect(z.toJSONSchema(price, { io: 'input' })).toMatchObject({ type: 'number', minimum: 0, maximum: 10 })
  })
})

describe('param.bool', () => {
  it.each([['true', true], ['false', false], [true, true], [false, false]])('reads %j', (value, boolean) => {
    expect(read(param.bool(), value)).toBe(boolean)
  })

  it.each(
    ['', 'TRUE', 'True', ' true', '1', '0', 'on', 'yes', 1, 0, null, ['true'], {}].map((value) => ({
      value,
    })),
  )('refuses $value', ({ value }) => {
    expect(read(param.bool(), value)).toEqual(['Must be true or false'])
  })

  it('is documented as a boolean', () => {
    expect(z.toJSONSchema(param.bool().default(false), { io: 'input' })).toMatchObject({
      type: 'boolean',
      default: false,
    })
  })
})

describe('param.date', () => {
  it.each([
    ['2026-11-21', '2026-11-21T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2026-11-21T08:30:00Z', '2026-11-21T08:30:00.000Z'],
    ['2026-11-21T08:30:00.25Z', '2026-11-21T08:30:00.250Z'],
    ['2026-11-21T08:30:00+05:30', '2026-11-21T03:00:00.000Z'],
    ['2026-11-21t08:30:00z', '2026-11-21T08:30:00.000Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
  ])('reads %s', (text, iso) => {
    expect((read(param.date(), text) as Date).toISOString()).toBe(iso)
  })

  it('accepts a Date and the string of any Date', () => {
    const date = new Date(86_400_000)
    expect(read(param.date(), date)).toBe(date)
    const years = { noInvalidDate: true, min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z') }
    fc.assert(
      fc.property(fc.date(years), (any) => (read(param.date(), any.toISOString()) as Date).getTime() === any.getTime()),
    )
  })

  it.each(
    [
      '',
      '2026-02-30',
      '2023-02-29',
      '2026-13-01',
      '2026-00-10',
      '2026-11-32',
      '2026-2-3',
      '2026-11-21T08:30:00',
      '2026-11-21T08:30Z',
      '2026-02-30T08:30:00Z',
      '2026-11-21T24:00:00Z',
      '2026-11-21T08:60:00Z',
      '2026-11-21T08:30:60Z',
      '2026-11-21T08:30:00+24:00',
      '2026-11-21 08:30:00Z',
      ' 2026-11-21',
      '2026-11-21\n',
      '21.11.2026',
      'now',
      '0',
      0,
      1e12,
      null,
      ['2026-11-21'],
      new Date(NaN),
    ]
      .map((value) => ({ value })),
  )('refuses $value', ({ value }) => {
    expect(read(param.date(), value)).toEqual(['Must be a date like 2026-11-21 or 2026-11-21T08:30:00Z'])
  })

  it('has limits, and is documented as a date-time', () => {
    const soon = param.date().min(new Date('2026-01-01'), 'Too early')
    expect(read(soon, '2025-12-31')).toEqual(['Too early'])
    expect(z.toJSONSchema(soon, { io: 'input' })).toMatchObject({ type: 'string', format: 'date-time' })
  })
})

describe('param.list', () => {
  it('accepts a list, or one string as a list of one', () => {
    expect(read(param.list(param.int()), ['1', 2])).toEqual([1, 2])
    expect(read(param.list(param.int()), '5')).toEqual([5])
    expect(read(param.list(z.string()), '')).toEqual([''])
  })

  it('keeps commas', () => {
    expect(read(param.list(z.string()), 'a,b')).toEqual(['a,b'])
  })

  it.each([5, true, null, {}, { 0: 'a' }].map((value) => ({ value })))('refuses $value', ({ value }) => {
    expect(read(param.list(z.string()), value)).toEqual(['Must be a list'])
  })

  it('names the invalid item', () => {
    expect(param.list(param.int()).safeParse(['1', 'x']).error?.issues).toMatchObject([{
      path: [1],
      message: 'Must be a whole number',
    }])
  })

  it('has limits, and is documented as an array', () => {
    const tags = param.list(z.string()).min(1).max(2, 'Too many')
    expect([read(tags, ['a', 'b', 'c']), read(tags, 'a')]).toEqual([['Too many'], ['a']])
    expect(z.toJSONSchema(tags, { io: 'input' })).toMatchObject({
      type: 'array',
      items: { type: 'string' },
      minItems: 1,
      maxItems: 2,
    })
  })
})

describe('param.decimal', () => {
  const amount = param.decimal({ scale: 2 })
  const messageOf = (value: unknown, schema: z.ZodType = amount) => schema.safeParse(value).error?.issues[0]?.message

  it.each([
    ['12.50', '12.50'],
    ['12.5', '12.50'],
    ['12', '12.00'],
    ['-0.05', '-0.05'],
    ['-0.00', '0.00'],
    ['98765432109876543210987654321.01', '98765432109876543210987654321.01'],
  ])('returns %s as %s', (text, decimal) => {
    expect(amount.parse(text)).toBe(decimal)
  })

  it.each([
    '',
    ' 1',
    '1 ',
    '1\n',
    '1e3',
    '0x1',
    '+1',
    '01',
    '.5',
    '5.',
    '1,5',
    '1_000',
    '--1',
    'NaN',
    'Infinity',
    '١',
    12.5,
    12,
    true,
    null,
    ['1'],
    {},
    '1'.repeat(1001),
  ])('refuses %j', (value) => {
    expect(messageOf(value)).toBe('Must be a decimal number as a string, such as "12.50"')
  })

  it('refuses more digits than its scale, without rounding', () => {
    expect(messageOf('12.505')).toBe('Must have at most 2 digits after the point')
    expect(messageOf('12.500')).toBe('Must have at most 2 digits after the point')
    expect(messageOf('1.5', param.decimal({ scale: 0 }))).toBe('Must have at most 0 digits after the point')
    expect(param.decimal({ scale: 0 }).parse('15')).toBe('15')
  })

  it('is documented as a decimal, and accepts a message and further rules', () => {
    const schema = z.toJSONSchema(amount.describe('The price')) as { readonly pattern: string }
    expect(schema).toMatchObject({ type: 'string', format: 'decimal', description: 'The price' })
    for (const [text, fits] of [['12.50', true], ['-3', true], ['1.505', false], ['01', false]] as const) {
      expect(new RegExp(schema.pattern).test(text)).toBe(fits)
    }
    expect(messageOf('x', param.decimal({ scale: 2 }, 'How much?'))).toBe('How much?')
    const positive = amount.refine((text) => !text.startsWith('-'), 'Too little').optional()
    expect([messageOf('-1', positive), positive.parse('1'), positive.parse(undefined)]).toEqual([
      'Too little',
      '1.00',
      undefined,
    ])
  })

  it('refuses unknown options', () => {
    expect(() => param.decimal({ scale: 2, precision: 10 } as never)).toThrow('there is no option `precision`')
    expect(() => param.decimal(2 as never)).toThrow('the options must be an object, not 2')
  })

  it.each([-1, 1.5, NaN, 101, '2' as never])('throws a MisuseError for the scale %j', (scale) => {
    expect(() => param.decimal({ scale })).toThrow(MisuseError)
  })
})

describe('param.calendarDate', () => {
  const day = param.calendarDate()

  it.each(['2026-12-01', '2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31'])('returns %s as a string', (text) => {
    expect(day.parse(text)).toBe(text)
  })

  it.each([
    '2026-02-30',
    '2026-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '0000-01-01',
    '02026-01-01',
    '+002026-01-01',
    '-2026-01-01',
    '2026-1-1',
    '26-01-01',
    '2026-12-01T00:00:00Z',
    '2026-12-01 ',
    ' 2026-12-01',
    '2026/12/01',
    '20261201',
    '٢٠٢٦-١٢-٠١',
    '2026-12-01\n',
    '',
    new Date(0),
    20_261_201,
    null,
    ['2026-12-01'],
    true,
  ])('refuses %j', (value) => {
    expect(day.safeParse(value).error?.issues.map(({ message }) => message)).toEqual(['Must be a date like 2026-11-21'])
  })

  it('is documented as a date, and accepts a message and further rules', () => {
    expect(z.toJSONSchema(day)).toMatchObject({ type: 'string', format: 'date' })
    expect(z.toJSONSchema(day.optional().describe('When'))).toMatchObject({
      type: 'string',
      format: 'date',
      description: 'When',
    })
    expect(param.calendarDate('When is it?').safeParse('soon').error?.issues[0]?.message).toBe('When is it?')
    const later = day.refine((text) => text > '2026-01-01', 'Too early').optional()
    expect([
      later.safeParse('2025-12-31').error?.issues[0]?.message,
      later.safeParse('2025-02-30').error?.issues[0]?.message,
      later.parse(undefined),
    ])
      .toEqual(['Too early', 'Must be a date like 2026-11-21', undefined])
  })
})

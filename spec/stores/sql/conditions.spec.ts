import { describe, expect, it } from 'vitest'
import { toSql } from '../../../lib/adapters/sql/conditions.js'
import type { Dialect } from '../../../lib/adapters/sql/kinds.js'
import { writePiece } from '../../../lib/adapters/sql/statement.js'
import type { AnyWhere } from '../../../lib/crud/contract/index.js'

/** Returns the SQL of conditions with its values in braces; `name` is a column of strings, `price` a decimal. */
function written(where: AnyWhere, dialect: Dialect): string {
  const piece = toSql(where, {
    dialect,
    toDriver: (_column, value) => value,
    columnOf: (column) =>
      column === 'name' || column === 'loose'
        ? { kind: 'string', isCollated: dialect === 'mysql' || column === 'loose' }
        : { kind: 'number' },
    isDecimal: (column) => column === 'price',
  })
  return writePiece(piece, {
    text: (text) => text,
    column: (column) => column,
    value: (value) => `{${typeof value} ${String(value)}}`,
    raw: (raw) => String(raw),
  }).join('')
}

describe('a number in a condition', () => {
  it.each([
    [5, 'cast({string 5} as bigint)'],
    [0, 'cast({string 0} as bigint)'],
    [-5, 'cast({string -5} as bigint)'],
    [1.5, 'cast({string 1.5} as numeric)'],
    [NaN, 'cast({string NaN} as numeric)'],
    [Infinity, 'cast({string Infinity} as numeric)'],
    [2 ** 53, 'cast({string 9007199254740992} as bigint)'],
    [2 ** 62, 'cast({string 4611686018427388000} as bigint)'],
    [2 ** 63, 'cast({string 9223372036854776000} as numeric)'],
    [-(2 ** 63) * 2, 'cast({string -18446744073709552000} as numeric)'],
    [7n, 'cast({string 7} as bigint)'],
    [2n ** 63n - 1n, 'cast({string 9223372036854775807} as bigint)'],
    [-(2n ** 63n), 'cast({string -9223372036854775808} as bigint)'],
    [2n ** 63n, 'cast({string 9223372036854775808} as numeric)'],
  ])('has a type of its own on PostgreSQL: %s', (value, expected) => {
    expect(written([['age', '>', value]], 'postgres')).toBe(`age > ${expected}`)
    expect(written([['age', 'in', [value]]], 'postgres')).toBe(`age in (${expected})`)
  })

  it('is bound as it is on other databases', () => {
    for (const dialect of ['sqlite', 'mysql'] as const) {
      expect(written([['age', '>', 5]], dialect)).toBe('age > {number 5}')
      expect(written([['age', '>', 5n]], dialect)).toBe('age > {bigint 5}')
    }
  })

  it('of more than 64 bits is beyond all that a bigint holds', () => {
    expect(written([['age', '<', 2n ** 63n]], 'sqlite')).toBe('age < 9e999')
    expect(written([['age', 'in', [-(2n ** 63n) - 1n, 5n]]], 'sqlite')).toBe('age in (-9e999, {bigint 5})')
    expect(written([['age', '>', 2n ** 63n]], 'mysql')).toBe(
      'age > cast({string 9223372036854775808} as decimal(65, 0))',
    )
  })

  it('may be excluded, which leaves a null', () => {
    expect(written([['age', '!=', 5]], 'sqlite')).toBe('(age is null or age not in ({number 5}))')
    expect(written([['age', 'not in', [5, 6]]], 'mysql')).toBe('(age is null or age not in ({number 5}, {number 6}))')
  })

  it('leaves other values to the driver', () => {
    for (const dialect of ['postgres', 'sqlite', 'mysql'] as const) {
      expect(written([['age', '>', true]], dialect)).toBe('age > {boolean true}')
      expect(written([['at', '>', 'b']], dialect)).toBe('at > {string b}')
    }
  })
})

describe('a decimal in a condition', () => {
  it('has the digits of its scale on MySQL', () => {
    const of = (value: string): string => written([['price', '>', value]], 'mysql')
    expect(of('12.50')).toBe('price > cast({string 12.50} as decimal(37, 2))')
    expect(of('12')).toBe('price > cast({string 12} as decimal(35, 0))')
    expect(of('0.123456789')).toBe('price > cast({string 0.123456789} as decimal(44, 9))')
  })

  it('is a numeric on PostgreSQL and SQLite', () => {
    for (const dialect of ['postgres', 'sqlite'] as const) {
      expect(written([['price', 'in', ['12.50', '3']]], dialect)).toBe(
        'price in (cast({string 12.50} as numeric), cast({string 3} as numeric))',
      )
    }
  })

  it('is bound by its type if it is no string', () => {
    expect(written([['price', '>', 5]], 'postgres')).toBe('price > cast({string 5} as bigint)')
    expect(written([['price', '>', 5]], 'mysql')).toBe('price > {number 5}')
  })
})

describe('a string in a condition', () => {
  it('is compared by its bytes too where a collation may find others', () => {
    const bytes = (part: string): string => `cast(convert(${part} using utf8mb4) as binary)`
    expect(written([['name', '=', 'a']], 'mysql')).toBe(
      `(name in ({string a}) and ${bytes('name')} = ${bytes('{string a}')})`,
    )
    expect(written([['name', 'in', ['a', 'b']]], 'mysql')).toBe(
      `(name in ({string a}, {string b}) and (${bytes('name')} = ${bytes('{string a}')} or `
        + `${bytes('name')} = ${bytes('{string b}')}))`,
    )
    expect(written([['name', 'not in', ['a', 'b']]], 'mysql')).toBe(
      `(name is null or (${bytes('name')} <> ${bytes('{string a}')} and ${bytes('name')} <> ${bytes('{string b}')}))`,
    )
    expect(written([['name', '=', 'a']], 'postgres')).toBe('name in ({string a})')
    expect(written([['age', '=', 1]], 'mysql')).toBe('age in ({number 1})')
  })

  it('is compared without the collation of its column, if that may find others', () => {
    const [postgres, sqlite] = ['cast(loose as text) collate "C"', 'loose collate binary']
    expect(written([['loose', '=', 'a']], 'postgres')).toBe(`(loose in ({string a}) and ${postgres} in ({string a}))`)
    expect(written([['loose', '!=', 'a']], 'postgres')).toBe(`(loose is null or ${postgres} not in ({string a}))`)
    expect(written([['loose', '=', 'a']], 'sqlite')).toBe(`(loose in ({string a}) and ${sqlite} in ({string a}))`)
    expect(written([['loose', '!=', 'a']], 'sqlite')).toBe(`(loose is null or ${sqlite} not in ({string a}))`)
    expect(written([['name', '!=', 'a']], 'sqlite')).toBe('(name is null or name not in ({string a}))')
  })

  it('is searched in any letter case, with wildcards as plain text', () => {
    const fold = (part: string): string => `convert(lower(${part}) using utf8mb4) collate utf8mb4_bin`
    for (const dialect of ['postgres', 'sqlite'] as const) {
      expect(written([['name', 'contains', '5%_!']], dialect)).toBe(
        "lower(name) like lower({string %5!%!_!!%}) escape '!'",
      )
      expect(written([['name', 'startsWith', 'a']], dialect)).toBe("lower(name) like lower({string a%}) escape '!'")
    }
    expect(written([['name', 'contains', 'a']], 'mysql')).toBe(
      `${fold('name')} like ${fold('{string %a%}')} escape '!'`,
    )
  })
})

describe('conditions', () => {
  it('of no values hold never, and without them always', () => {
    for (const dialect of ['postgres', 'sqlite', 'mysql'] as const) {
      expect(written([['name', 'in', []]], dialect)).toBe('1 = 0')
      expect(written([['name', 'not in', []]], dialect)).toBe('1 = 1')
      expect(written([], dialect)).toBe('1 = 1')
      expect(written([{ any: [] }], dialect)).toBe('1 = 0')
    }
  })

  it('of null ask whether the column is null', () => {
    expect(written([['age', '=', null], ['name', '!=', null]], 'mysql')).toBe('(age is null and name is not null)')
  })

  it('of which one must hold are joined, with raw ones in brackets', () => {
    const either = { any: [[['age', '=', null]], [['age', '=', null], { raw: 'x > 1' }]] } as never
    expect(written([either], 'postgres')).toBe('(age is null or (age is null and (x > 1)))')
  })
})

it.each(['in', 'not in'] as const)('a condition with `%s` takes 130,000 values', (operator) => {
  const values = Array.from({ length: 130_000 }, (_, index) => index)
  for (const dialect of ['postgres', 'mysql', 'sqlite'] as const) {
    expect(written([['age', operator, values]], dialect)).toContain(dialect === 'postgres' ? '129999}' : ' 129999}')
  }
})

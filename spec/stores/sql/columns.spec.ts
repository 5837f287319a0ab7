import { describe, expect, it } from 'vitest'
import { Catalog } from '../../../lib/adapters/sql/catalog.js'
import { checkFraction, readRow, writeValue } from '../../../lib/adapters/sql/columns.js'
import type { Columns } from '../../../lib/adapters/sql/kinds.js'

const columns: Columns = { id: 'integer', big: 'bigint', price: 'number', paid: 'boolean', at: 'date', items: 'json' }

describe('the values of columns', () => {
  it('are read with their declared types, whatever the driver returns', () => {
    const at = new Date('2026-11-21T08:30:00.000Z')
    const read = { id: 7, big: 9007199254740993n, price: 1.5, paid: true, at, items: [1] }
    expect(
      readRow(
        { id: '7', big: '9007199254740993', price: '1.50', paid: 1, at: at.toISOString(), items: '[1]' },
        columns,
      ),
    )
      .toEqual(read)
    expect(readRow({ id: 7n, big: 9007199254740993n, price: 1.5, paid: '1', at, items: [1] }, columns)).toEqual(read)
    expect(readRow({ paid: 0 }, columns)).toEqual({ paid: false })
    expect(readRow({ paid: true, other: '5', id: null }, columns)).toEqual({ paid: true, other: '5', id: null })
  })

  it('are refused if digits would be lost', () => {
    expect(() => readRow({ id: '9007199254740993' }, columns)).toThrow(RangeError)
    // As mysql2 returns 9007199254740993 without `supportBigNumbers`.
    expect(() => readRow({ big: 9007199254740992 }, columns)).toThrow(RangeError)
    expect(() => readRow({ big: 9007199254740992 }, columns)).toThrow(
      'with mysql2 by `supportBigNumbers`, with better-sqlite3 by `defaultSafeIntegers`',
    )
    expect(readRow({ big: -5 }, columns)).toEqual({ big: -5n })
  })

  it('are written in the format of the driver', () => {
    const at = new Date(0)
    const write = (name: string, value: unknown, dialect: 'postgres' | 'sqlite') =>
      writeValue(name, value, columns, dialect)
    expect(write('items', [1], 'postgres')).toBe('[1]')
    expect([write('at', at, 'postgres'), write('paid', true, 'postgres')]).toEqual([at, true])
    expect([write('at', at, 'sqlite'), write('paid', true, 'sqlite')]).toEqual(['1970-01-01T00:00:00.000Z', 1])
    expect([write('items', null, 'sqlite'), write('toString', 'x', 'sqlite')]).toEqual([null, 'x'])
  })

  it.each([
    ['sqlite', 'integer', {}, 1.5, false],
    ['sqlite', 'UNSIGNED BIG INT', {}, '1.5', false],
    ['sqlite', 'INTEGER', { n: 'number' }, 1.5, true],
    ['sqlite', 'FLOATING POINT', {}, 1.5, true],
    ['sqlite', 'decimal(6,2)', {}, 1.999, true],
    ['sqlite', 'real', { n: 'integer' }, 1.5, false],
    ['mysql', 'tinyint(1)', {}, 0.5, false],
    ['mysql', 'bigint(20) unsigned', {}, '-.5', false],
    ['mysql', 'bigint(20)', {}, '1.00', true],
    ['mysql', 'int(11)', {}, '1.5e1', true],
    ['mysql', 'decimal(6,2)', { n: 'decimal' }, '1.001', false],
    ['mysql', 'decimal(6,2) unsigned', { n: 'decimal' }, '1.100', true],
    ['mysql', 'decimal(6,2)', {}, '1.001', true],
    ['mysql', 'point', {}, 1.5, true],
  ] as const)('have a fraction only where it is kept: %s %s %j %j', (dialect, value, declared, written, isKept) => {
    const lines = [{ part: 'column', name: 'n', value }]
    const column = new Catalog({ name: 't', dialect, columns: declared }, lines, new Map([['n', 'n']])).find('n')
    const check = () => checkFraction('n', written, column)
    if (isKept) expect(check).not.toThrow()
    else expect(check).toThrow('Must ')
  })
  it('are checked for a fraction in time that grows with their length', () => {
    const lines = [{ part: 'column', name: 'n', value: 'bigint(20)' }]
    const column = new Catalog({ name: 't', dialect: 'mysql', columns: {} }, lines, new Map([['n', 'n']])).find('n')
    for (const digits of ['1', '10', '0', '01']) {
      const text = digits.repeat(500_000 / digits.length)
      expect(() => checkFraction('n', `.${text}x`, column)).not.toThrow()
      if (digits !== '0') expect(() => checkFraction('n', ` -1.${text} `, column)).toThrow('Must ')
    }
  })
})

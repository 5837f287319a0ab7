import { describe, expect, it } from 'vitest'
import { ConflictError, NotFoundError, UnavailableError, ValidationError } from '../../../lib/errors.js'
import { isDown, isUndone, toStoreError } from '../../../lib/stores/kysely/violations.js'

const driverError = (code: string | undefined, message = 'select secret', more: object = {}): Error => Object.assign(new Error(message), { code, ...more })

describe('what a driver throws', () => {
  it.each(['23505', '23503', 'ER_DUP_ENTRY', 'ER_ROW_IS_REFERENCED_2', 'ER_NO_REFERENCED_ROW_2'])('%s is a conflict', (code) => {
    expect(toStoreError(driverError(code))).toBeInstanceOf(ConflictError)
  })

  it.each(['UNIQUE constraint failed: samples.code', 'FOREIGN KEY constraint failed', 'SQLITE_CONSTRAINT_UNIQUE: UNIQUE constraint failed: a.b'])('%s is a conflict', (message) => {
    expect(toStoreError(driverError(undefined, message))).toBeInstanceOf(ConflictError)
  })

  it.each([
    ['22001', 'value too long', {}, 'Is too long'], ['ER_DATA_TOO_LONG', "Data too long for column 'name' at row 1", {}, 'Is too long'],
    ['22003', '', {}, 'Is out of range'], ['23502', '', { column: 'name' }, 'Must be given'], ['ER_BAD_NULL_ERROR', "Column 'name' cannot be null", {}, 'Must be given'],
    [undefined, 'NOT NULL constraint failed: samples.name', {}, 'Must be given'], ['23514', '', {}, 'Is not allowed'], [undefined, 'CHECK constraint failed: age > 1', {}, 'Is not allowed'],
    ['22P02', '', {}, 'Cannot be read'],
  ])('%s %s is a 422', (code, message, more, sentence) => {
    const error = toStoreError(driverError(code, message, more), { name: 'x' })
    expect(error).toBeInstanceOf(ValidationError)
    expect({ ...(error as ValidationError).fields }).toEqual({ name: [sentence] })
  })

  it('names no column that was not written', () => {
    const fields = (error: unknown) => Object.keys((error as ValidationError).fields)
    expect(fields(toStoreError(driverError('23502', '', { column: 'secret' }), { name: 1, age: 2 }))).toEqual(['_'])
    expect(fields(toStoreError(driverError('22001'), { name: 1, age: 2 }))).toEqual(['_'])
    expect(fields(toStoreError(driverError('22001')))).toEqual(['_'])
  })

  it.each(['57P01', '08006', '53300', '57014', 'ECONNREFUSED', 'ECONNRESET', 'PROTOCOL_CONNECTION_LOST', 'ER_LOCK_WAIT_TIMEOUT'])('%s is down', (code) => {
    expect(isDown(driverError(code))).toBe(true)
    expect(toStoreError(driverError(code))).toBeInstanceOf(UnavailableError)
  })

  it.each(['40001', '40P01', 'ER_LOCK_DEADLOCK', 'SQLITE_BUSY'])('%s has undone everything', (code) => {
    expect(isUndone(driverError(code))).toBe(true)
    expect(toStoreError(driverError(code))).toBeInstanceOf(UnavailableError)
  })

  it('without a code is known by its sentence', () => {
    expect(isDown(new Error('Connection terminated unexpectedly'))).toBe(true)
    expect(isUndone(new Error('database is locked'))).toBe(true)
  })

  it('and is none of these stays what it is', () => {
    for (const error of [driverError('42P01'), new NotFoundError(), 'text', null, driverError('constructor')]) expect(toStoreError(error)).toBe(error)
    expect([isDown(null), isUndone('x')]).toEqual([false, false])
  })
})

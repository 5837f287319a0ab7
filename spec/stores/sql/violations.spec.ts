import { describe, expect, it } from 'vitest'
import { ConflictError, HttpError, NotFoundError, UnavailableError, ValidationError } from 'resourcery'
import { CheckViolation, ColumnViolation, ForeignKeyViolation, NotNullViolation,
  UniqueViolation } from 'resourcery/crud'
import { Catalog } from '../../../lib/adapters/sql/catalog.js'
import { isDown, isUndone } from '../../../lib/adapters/sql/driver-errors.js'
import { toStoreError } from '../../../lib/adapters/sql/violations.js'

const driverError = (code: string | undefined, message = 'select secret', more: object = {}): Error =>
  Object.assign(new Error(message), { code, ...more })

describe('toStoreError', () => {
  it.each(['23505', '23503', 'ER_DUP_ENTRY', 'ER_ROW_IS_REFERENCED_2', 'ER_NO_REFERENCED_ROW_2'])(
    'converts %s to a conflict',
    (code) => {
      expect(toStoreError(driverError(code))).toBeInstanceOf(ConflictError)
    },
  )

  it.each([
    'UNIQUE constraint failed: samples.code',
    'FOREIGN KEY constraint failed',
    'SQLITE_CONSTRAINT_UNIQUE: UNIQUE constraint failed: a.b',
  ])('converts the message "%s" to a conflict', (message) => {
    expect(toStoreError(driverError(undefined, message))).toBeInstanceOf(ConflictError)
  })

  it.each([
    ['22001', 'value too long', {}, 'Is too long'],
    ['ER_DATA_TOO_LONG', "Data too long for column 'name' at row 1", {}, 'Is too long'],
    ['22003', '', {}, 'Is out of range'],
    ['23502', '', { column: 'name' }, 'Required'],
    ['ER_BAD_NULL_ERROR', "Column 'name' cannot be null", {}, 'Required'],
    [undefined, 'NOT NULL constraint failed: samples.name', {}, 'Required'],
    ['22P02', '', {}, 'Cannot be read'],
  ])('converts %s %s to a 422', (code, message, more, sentence) => {
    const error = toStoreError(driverError(code, message, more), { name: 'x' })
    expect(error).toBeInstanceOf(ValidationError)
    expect({ ...(error as ValidationError).fields }).toEqual({ name: [sentence] })
  })

  it.each<
    [
      title: string,
      error: Error,
      kind: new(...args: never[]) => Error,
      columns: string[] | undefined,
      constraint: string | undefined,
    ]
  >([
    [
      'a unique column of PostgreSQL',
      driverError('23505', '', { constraint: 'u_email', detail: 'Key (email)=(a@b.c) already exists.' }),
      UniqueViolation,
      ['email'],
      'u_email',
    ],
    [
      'several columns of PostgreSQL',
      driverError('23505', '', { constraint: 'u_two', detail: 'Key (tenant, "slugName")=(1, x) already exists.' }),
      UniqueViolation,
      ['tenant', 'slugName'],
      'u_two',
    ],
    [
      'an expression of PostgreSQL',
      driverError('23505', '', { constraint: 'u_lower', detail: 'Key (lower(email))=(a) already exists.' }),
      UniqueViolation,
      undefined,
      'u_lower',
    ],
    [
      'a unique column of MariaDB',
      driverError('ER_DUP_ENTRY', "Duplicate entry 'x' for key 'fake'' for key 'users_email_key'"),
      UniqueViolation,
      undefined,
      'users_email_key',
    ],
    [
      'a unique column of MySQL',
      driverError('ER_DUP_ENTRY', "Duplicate entry 'a' for key 'users.users_email_key'"),
      UniqueViolation,
      undefined,
      'users_email_key',
    ],
    [
      'unique columns of SQLite',
      driverError('SQLITE_CONSTRAINT', 'UNIQUE constraint failed: users.tenant, users.slug'),
      UniqueViolation,
      ['tenant', 'slug'],
      undefined,
    ],
    [
      'a unique expression of SQLite',
      driverError('SQLITE_CONSTRAINT', "UNIQUE constraint failed: index 'users_lower'"),
      UniqueViolation,
      undefined,
      'users_lower',
    ],
    [
      'a reference of PostgreSQL',
      driverError('23503', '', { constraint: 'fk', detail: 'Key (author_id)=(9) is not present in table "users".' }),
      ForeignKeyViolation,
      ['author_id'],
      'fk',
    ],
    [
      'a row of PostgreSQL that is referred to',
      driverError('23503', '', { constraint: 'fk', detail: 'Key (id)=(9) is still referenced from table "posts".' }),
      ForeignKeyViolation,
      undefined,
      'fk',
    ],
    [
      'a reference of MariaDB',
      driverError(
        'ER_NO_REFERENCED_ROW_2',
        'Cannot add or update a child row: a foreign key constraint fails (`a`.`b`, CONSTRAINT `fk_t` FOREIGN KEY '
          + '(`t`) REFERENCES `c` (`id`))',
      ),
      ForeignKeyViolation,
      undefined,
      'fk_t',
    ],
    ['a null of PostgreSQL', driverError('23502', '', { column: 'name' }), NotNullViolation, ['name'], undefined],
    [
      'a null of MariaDB',
      driverError('ER_NO_DEFAULT_FOR_FIELD', "Field 'email' doesn't have a default value"),
      NotNullViolation,
      ['email'],
      undefined,
    ],
    [
      'a check of PostgreSQL',
      driverError('23514', '', { constraint: 'age_check' }),
      CheckViolation,
      undefined,
      'age_check',
    ],
    [
      'a check of MariaDB, by the name that its number has in MySQL',
      driverError('ER_INNODB_AUTOEXTEND_SIZE_OUT_OF_RANGE', 'CONSTRAINT `t.age` failed for `test`.`t`'),
      CheckViolation,
      undefined,
      'age',
    ],
    [
      'a check of SQLite',
      driverError('SQLITE_CONSTRAINT', 'CHECK constraint failed: age > 1'),
      CheckViolation,
      undefined,
      'age > 1',
    ],
    [
      'a value of MariaDB',
      driverError(
        'ER_TRUNCATED_WRONG_VALUE_FOR_FIELD',
        "Incorrect integer value: 'x' for column `db`.`t`.`age` at row 1",
      ),
      ColumnViolation,
      ['age'],
      undefined,
    ],
    [
      'a value of PostgreSQL, of a kind without a sentence of its own',
      driverError('2203G'),
      ColumnViolation,
      ['only'],
      undefined,
    ],
  ])('finds the columns and the constraint of %s, and keeps the cause', (_title, cause, kind, columns, constraint) => {
    const error = toStoreError(cause, { only: 1 })
    expect(error).toBeInstanceOf(kind)
    expect(error).toMatchObject({ columns, constraint, cause })
  })

  it('finds the fields of a known constraint, and the names of columns in a row', () => {
    const names = {
      constraintFields: (name: string) => (name === 'u_lower' ? ['eMail'] : undefined),
      field: (column: string) => column.toUpperCase(),
    }
    expect(toStoreError(driverError('ER_DUP_ENTRY', "Duplicate entry 'a' for key 'u_lower'"), {}, names)).toMatchObject(
      { columns: ['eMail'] },
    )
    expect(toStoreError(driverError('23502', '', { column: 'name' }), { NAME: null }, names)).toMatchObject({
      columns: ['NAME'],
      fields: { NAME: ['Required'] },
    })
  })

  it.each([
    ['a table of PostgreSQL', driverError('23505', '', { table: 'audits', detail: 'Key (name)=(a) already exists.' })],
    ['a table in a message of PostgreSQL',
      driverError('23502', 'null value in column "name" of relation "audits" violates not-null constraint')],
    ['a reference of PostgreSQL',
      driverError('23503', 'insert or update on table "audits" violates foreign key constraint "f"')],
    ['a statement of a trigger',
      driverError('22001', '', { where: 'SQL statement "insert into audits"\nPL/pgSQL function' })],
    ['a table of SQLite', driverError(undefined, 'UNIQUE constraint failed: audits.name')],
    ['a column of MariaDB', driverError('ER_BAD_NULL_ERROR', "Column 'note' cannot be null")],
    ['a length of MariaDB', driverError('ER_DATA_TOO_LONG', "Data too long for column 'note' at row 1")],
    ['a check of MariaDB', driverError('ER_CONSTRAINT_FAILED', 'CONSTRAINT `c` failed for `db`.`audits`')],
    ['a reference of MariaDB',
      driverError('ER_NO_REFERENCED_ROW_2',
        'Cannot add or update a child row: a foreign key constraint fails (`db`.`audits`, CONSTRAINT `f` FOREIGN KEY (`a`))')],
    ['a unique index of MySQL', driverError('ER_DUP_ENTRY', "Duplicate entry 'a' for key 'audits.u_name'")],
  ])('returns an error that names %s other than the written one as it is', (_what, error) => {
    const line = (part: string, name: string) => ({ part, name, value: 'text' })
    const [own, view] = [[line('column', 'name'), line('table', 'people')], [line('column', 'name')]].map((lines) =>
      new Catalog({ name: 'People', dialect: 'postgres', columns: {} }, lines, new Map([['name', 'name']]))
    )
    expect(toStoreError(error, {}, own)).toBe(error)
    if (!('where' in error)) expect(toStoreError(error, {}, view)).toBeInstanceOf(HttpError) // of a table below the view
  })

  it('leaves it to the caller where rows of another table refer to a deleted one', () => {
    const message = 'update or delete on table "people" violates foreign key constraint "f" on table "audits"'
    const names = new Catalog({ name: 'People', dialect: 'postgres', columns: {} }, [{ part: 'column', name: 'name',
      value: 'text' }, {
      part: 'table',
      name: 'people',
      value: '',
    }], new Map([['name', 'name']]))
    expect(toStoreError(driverError('23503', message, { table: 'audits' }), {}, names)).toBeInstanceOf(
      ForeignKeyViolation,
    )
  })

  it.each<[code: string, message: string, written: object, blamed: string[]]>([
    ['22003', 'value "3000000000" is out of range for type integer', { title: 'a', seats: 3e9 }, ['seats']],
    ['22003', 'value "3000000000" is out of range for type integer', { a: 3e9, b: 3_000_000_000n, c: 1 }, ['a', 'b']],
    ['22003', 'value "7" is out of range for type smallint', { title: 'a', seats: 3 }, ['_']],
    ['22003', 'integer out of range', { title: 'a', seats: 3e9 }, ['_']],
    ['22P02', 'invalid input syntax for type integer: "x"', { title: 'y', owner: 'x' }, ['owner']],
    ['22P02', 'invalid input syntax for type uuid: "a "quoted" one"', { owner: 'a "quoted" one', b: 1 }, ['owner']],
    ['22001', 'value too long for type character varying(3)', { title: 'abc', code: 'abcd', age: 12345 }, ['code']],
    ['22001', 'value too long for type character varying(3)', { title: 'abcd', code: 'abcd' }, ['_']],
    ['22001', 'value too long for type character(2)', { title: '😀😀', code: 'abc' }, ['code']],
    // as Knex has them
    ['22001', 'insert into "t" ("code") values ($1) - value too long for type character varying(3)', {
      title: 'abc',
      code: 'abcd',
    }, ['code']],
    ['22003', 'update "t" set "seats" = $1 where "id" = $2 - value "3000000000" is out of range for type integer', {
      title: 'a',
      seats: 3e9,
    }, ['seats']],
    ['22P02', 'insert into "t" ("a") values ($1) - invalid input syntax for type uuid: "a - b"', {
      title: 'y',
      owner: 'a - b',
    }, ['owner']],
  ])('blames by %s, "%s", of %o the fields %o', (code, message, written, blamed) => {
    const error = toStoreError(driverError(code, message), written)
    expect(Object.keys((error as ValidationError).fields)).toEqual(blamed)
  })

  it.each<[power: number, written: object, blamed: string[]]>([
    [8, { price: '100000000.00', title: 'a' }, ['price']],
    [8, { price: '-123456789.5', rate: '99999999.4' }, ['price']],
    [3, { price: '999.999', rate: 1 }, ['price']],
    [3, { price: '1000', rate: 5000n }, ['_']],
    [3, { price: '1', rate: '2' }, ['_']],
  ])('blames the decimal that is not below 10^%i of %o: %o', (power, written, blamed) => {
    const detail = `A field with precision ${power + 2}, scale 2 must round to an absolute value less than 10^${power}.`
    const error = toStoreError(driverError('22003', 'numeric field overflow', { detail }), written)
    expect(Object.keys((error as ValidationError).fields)).toEqual(blamed)
  })

  it('names only columns that were written', () => {
    const fields = (error: unknown) => Object.keys((error as ValidationError).fields)
    expect(fields(toStoreError(driverError('23502', '', { column: 'secret' }), { name: 1, age: 2 }))).toEqual(['_'])
    expect(fields(toStoreError(driverError('23502', '', { column: 'secret' }), { name: 1 }))).toEqual(['_'])
    expect(fields(toStoreError(driverError('23514'), { name: 1 }))).toEqual(['_'])
    expect(fields(toStoreError(driverError('22001'), { name: 1, age: 2 }))).toEqual(['_'])
    expect(fields(toStoreError(driverError('22001')))).toEqual(['_'])
  })

  it.each([
    '57P01',
    '08006',
    '53100',
    '53200',
    '53300',
    'ER_DISK_FULL',
    'ER_RECORD_FILE_FULL',
    '57014',
    'ECONNREFUSED',
    'ECONNRESET',
    'PROTOCOL_CONNECTION_LOST',
    'ER_LOCK_WAIT_TIMEOUT',
    '25P04',
    '25006',
    'ER_OPTION_PREVENTS_STATEMENT',
    'ER_READ_ONLY_MODE',
    'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
  ])('recognises %s as a lost connection or unavailable database', (code) => {
    expect(isDown(driverError(code))).toBe(true)
    expect(toStoreError(driverError(code))).toBeInstanceOf(UnavailableError)
  })

  it('recognises class 08 of SQLSTATE with any name as a lost connection', () => {
    expect(isDown(driverError('ER_CLIENT_GONE', '', { sqlState: '08S01' }))).toBe(true)
    expect(isDown(driverError('ER_CLIENT_GONE', '', { sqlState: '42000' }))).toBe(false)
  })

  it.each(['40001', '40P01', 'ER_LOCK_DEADLOCK', 'SQLITE_BUSY'])('recognises %s as an undone transaction', (code) => {
    expect(isUndone(driverError(code))).toBe(true)
    expect(toStoreError(driverError(code))).toBeInstanceOf(UnavailableError)
  })

  it('recognises errors without a code by their message', () => {
    expect(isDown(new Error('Connection terminated unexpectedly'))).toBe(true)
    expect(isDown({ original: new Error('Operation timeout') })).toBe(true)
    expect(isDown(new Error('Query runner already released. Cannot run queries anymore.'))).toBe(true)
    const released = 'Database connection provided by a query runner was already released, cannot continue'
    expect(isDown(new Error(released))).toBe(true)
    expect(isUndone(new Error('database is locked'))).toBe(true)
  })

  it('passes on other errors unchanged', () => {
    for (const error of [driverError('42P01'), new NotFoundError(), 'text', null, driverError('constructor')]) {
      expect(toStoreError(error))
        .toBe(error)
    }
    expect([isDown(null), isUndone('x')]).toEqual([false, false])
  })
})

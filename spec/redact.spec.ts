import assert from 'node:assert'
import { inspect } from 'node:util'
import express from 'express'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore } from 'resourcery/crud'
import { HttpError, UnavailableError } from 'resourcery'
import { redactError } from '../lib/core/base/redact.js'
import { mountResource } from 'resourcery'
import { serving } from './support/http.js'
import { logged } from './support/logged.js'

const SECRET = 'ada@secret.example'

class DrizzleQueryError extends Error {
  constructor(query: string, params: unknown[], cause: Error) {
    super(`Failed query: ${query}\nparams: ${params.join(',')}`)
    Object.assign(this, { query, params, cause })
  }
}

class TypeORMError extends Error {}

class QueryFailedError extends TypeORMError {
  constructor(query: string, parameters: unknown[], driverError: Error) {
    super(driverError.message)
    Object.assign(this, driverError, { query, parameters, driverError })
  }
}

class MongooseError extends Error {}

class CastError extends MongooseError {
  readonly stringValue = `"${SECRET}"`
  readonly value = SECRET
  constructor() {
    super(`Cast to Number failed for value "${SECRET}" (type string) at path "age"`)
  }
}

function withProperties(message: string, properties: object, name = 'error'): Error {
  return Object.assign(new Error(message), { name }, properties)
}

const pg = (): Error =>
  withProperties(`invalid input syntax for type integer: "${SECRET}"`, {
    severity: 'ERROR',
    code: '22P02',
    where: `unnamed portal parameter $1 = '${SECRET}'`,
    routine: 'pg_strtoint32',
  })
const unique = (): Error =>
  withProperties('duplicate key value violates unique constraint "users_email_key"', {
    severity: 'ERROR',
    code: '23505',
    detail: `Key (email)=(${SECRET}) already exists.`,
    constraint: 'users_email_key',
    routine: '_bt_check_unique',
    schema: 'public',
    table: 'users',
  })
const mysql = (): Error =>
  withProperties(`Duplicate entry 'O'${SECRET}' for key 'users.email'`, {
    code: 'ER_DUP_ENTRY',
    errno: 1062,
    sqlState: '23000',
    sql: `insert into users values ('${SECRET}')`,
    sqlMessage: `Duplicate entry '${SECRET}' for key 'users.email'`,
  })
const mongo = (): Error =>
  withProperties(`E11000 duplicate key error collection: a index: b dup key: { x: "${SECRET}" }`, { code: 11000,
    keyValue: { x: SECRET }, errorResponse: { errmsg: SECRET } }, 'MongoError')

/** An error that a trigger or a function of PostgreSQL raises. */
const raised = (properties: object = {}): Error =>
  withProperties(`No credit for ${SECRET}`, { severity: 'ERROR', code: 'CR001', routine: 'exec_stmt_raise',
    column: SECRET.replace('@', ' '), ...properties })
/** An error that a trigger of MySQL or MariaDB signals. */
const signaled = (properties: object = {}): Error =>
  withProperties(`No credit for ${SECRET}`, { code: 'ER_SIGNAL_EXCEPTION', errno: 1644, sqlState: '45001',
    sqlMessage: `No credit for ${SECRET}`, ...properties })

const ERRORS: readonly [string, () => Error][] = [
  ['pg', pg],
  ['pg, a unique constraint', unique],
  ['mysql2', mysql],
  ['mongodb', mongo],
  ['a trigger', () => withProperties(`user ${SECRET} is locked`, { severity: 'ERROR', code: 'P0001' })],
  ['a trigger with its own code', () => raised()],
  ['an assert', () => raised({ code: 'P0004', routine: 'exec_stmt_assert' })],
  ['a trigger with a code of the server', () => raised({ code: '23505' })],
  ['a function in Python', () => raised({ code: 'XX000', routine: 'PLy_elog_impl' })],
  ['a server that names no routine', () => raised({ routine: undefined })],
  ['a trigger of MySQL', () => signaled()],
  ['a trigger of MySQL with a state of the server', () => signaled({ sqlState: '22003' })],
  ['a trigger of MySQL with a number of the server', () => signaled({ errno: 1062, sqlState: '23000' })],
  ['a trigger of SQLite',
    () => withProperties(`No credit for ${SECRET}`, { code: 'SQLITE_CONSTRAINT_TRIGGER' }, 'SqliteError')],
  ['a trigger of SQLite by node:sqlite',
    () => withProperties(`No credit for ${SECRET}`, { code: 'ERR_SQLITE_ERROR', errcode: 1811 })],
  ['a trigger of SQLite by libsql',
    () => withProperties(`SQLITE_CONSTRAINT: No credit for ${SECRET}`, { code: 'SQLITE_CONSTRAINT' }, 'LibsqlError')],
  ['a procedure of SQL Server',
    () => withProperties(`No credit for ${SECRET}`, { number: 50_000, lineNumber: 1, procName: SECRET })],
  ['a trigger by Sequelize',
    () =>
      withProperties(`No credit for ${SECRET}`, { parent: raised(), original: raised() }, 'SequelizeDatabaseError')],
  ['a trigger by TypeORM', () => new QueryFailedError('insert', [SECRET], signaled())],
  ['a trigger by a store of Prisma',
    () => withProperties(`No credit for ${SECRET}`, { code: 'CR001' }, 'DriverFailure')],
  ['drizzle', () => new DrizzleQueryError(`select '${SECRET}'`, [SECRET], unique())],
  ['TypeORM', () => new QueryFailedError(`select '${SECRET}'`, [SECRET], mysql())],
  ['Sequelize', () =>
    withProperties(`Validation error`, {
      parent: unique(),
      original: unique(),
      sql: SECRET,
      parameters: [SECRET],
      fields: { email: SECRET },
      errors: [{ message: 'email must be unique', value: SECRET }],
    }, 'SequelizeUniqueConstraintError')],
  ['Sequelize, a validation', () =>
    withProperties(`Validation error: ${SECRET} is taken`, {
      errors: [{ value: SECRET }],
    }, 'SequelizeValidationError')],
  ['knex', () => {
    const error = unique()
    error.message = `insert into "users" ("email") values ('${SECRET}') - ${error.message}`
    return error
  }],
  ['knex, without a free connection',
    () =>
      withProperties('Knex: Timeout acquiring a connection. The pool is probably full.', {
        sql: `select * from users where email = '${SECRET}'`,
        bindings: [SECRET],
      }, 'KnexTimeoutError')],
  ['Prisma', () =>
    withProperties(`\nInvalid \`prisma.user.create()\` invocation:\n{ data: { email: "${SECRET}" } }`, {
      code: 'P2002',
      clientVersion: '7.10.0',
      meta: { driverAdapterError: { cause: { originalMessage: SECRET } } },
    }, 'PrismaClientKnownRequestError')],
  ['mongoose', () => new CastError()],
  ['SQLite', () => withProperties(`no such column: ${SECRET}`, { code: 'SQLITE_ERROR' }, 'SqliteError')],
  ['a store, of a driver', () => withProperties(`x '${SECRET}'`, { cause: pg() }, 'DriverFailure')],
]

const WRAPPED: readonly [string, (error: Error) => unknown][] = [
  ['itself', (error) => error],
  ['a cause', (error) => new Error('Cannot save', { cause: error })],
  ['a cause of a cause',
    (error) => new HttpError(500, 'Broken', { cause: new UnavailableError('Down', { cause: error }) })],
  ['one of several errors', (error) => new AggregateError([new Error('first'), error], 'All failed')],
  ['a property', (error) => Object.assign(new Error('Cannot save'), { inner: error })],
  ['a property by a symbol', (error) => Object.assign(new Error('Cannot save'), { [Symbol('inner')]: error })],
  ['a part of an object', (error) => Object.assign(new Error('Cannot save'), { info: { error } })],
  ['a part of a cause', (error) => new Error('Cannot save', { cause: { error } })],
  ['a value of a Map', (error) => Object.assign(new Error('Cannot save'), { errors: new Map([['first', error]]) })],
  ['an element of a Set', (error) => Object.assign(new Error('Cannot save'), { errors: new Set([error]) })],
  ['the reason of a promise',
    (error) => Object.assign(new Error('Cannot save'), { results: [{ status: 'rejected', reason: error }] })],
  ['a part of a thrown object', (error) => ({ error })],
]

describe('the default log', () => {
  it.each(ERRORS.flatMap(([of, make]) => WRAPPED.map(([as, wrap]) => [of, as, () => wrap(make())] as const)))(
    'shows no value of an error of %s as %s',
    async (_of, _as, make) => {
      const text = await logged(make())
      expect(text).not.toContain('secret')
      expect(text).toContain('redact.spec.ts') // the stack
    },
  )

  it.each(ERRORS.filter(([of]) => !['mongoose', 'a trigger'].includes(of)))(
    'shows no value of a thrown object with the properties of an error of %s',
    async (_of, make) => {
      const error = make()
      expect(await logged({ ...error, message: error.message })).not.toContain('secret')
    },
  )

  it.each([['an object', (error: Error) => ({ ...error })], ['another error',
    (error: Error) => Object.assign(new Error('Cannot save'), error)]])(
      'shows no value of the properties of an error of drizzle in %s, which has not its message',
      async (_in, copied) => {
        const text = await logged(copied(new DrizzleQueryError(`select '${SECRET}'`, [SECRET], unique())))
        expect(text).not.toContain('secret')
        expect(text).toContain('duplicate key value violates unique constraint…')
      },
    )

  it('shows an error of the application with a query and its parameters', async () => {
    const error = Object.assign(new Error('No match'), { query: SECRET, params: [1], cause: new Error('Empty') })
    expect(await logged(error)).toContain(SECRET)
  })

  it('keeps the beginning of a message of MySQL, and its code', async () => {
    const text = await logged(mysql())
    for (const part of ['Duplicate entry…', "'ER_DUP_ENTRY'", '1062', "'23000'"]) expect(text).toContain(part)
  })

  it('keeps the sentence of a constraint of SQLite', async () => {
    const error = withProperties(`insert into users values ('${SECRET}') - UNIQUE constraint failed: users.email`, {
      code: 'SQLITE_CONSTRAINT_UNIQUE',
    }, 'SqliteError')
    expect(await logged(error)).toMatch(/SqliteError\]?: UNIQUE constraint failed…/)
  })

  it('shows code, names and the beginning of the message', async () => {
    const text = await logged(new DrizzleQueryError('select 1', [SECRET], unique()))
    for (const part of ['Failed query…', 'duplicate key value violates unique constraint…', "'23505'",
      'users_email_key'])
      expect(text).toContain(part)
  })

  it('shows no value of an error after a commit', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const app = express()
    mountResource(app, {
      route: '/notes',
      name: 'notes',
      ...crud(memoryStore<{ id: number; title: string }>({ key: 'id' }), {
        input: z.object({ title: z.string() }),
        output: z.object({ id: z.int() }),
        afterCommit: { create: () => Promise.reject(pg()) },
      }),
    })
    expect((await (await serving(app)).post('/notes', { title: 'x' })).status).toBe(201)
    expect(inspect(log.mock.calls, { depth: 10 })).toContain('22P02')
    expect(inspect(log.mock.calls, { depth: 10 })).not.toContain('secret')
    log.mockRestore()
  })
})

describe('an error of the application', () => {
  class DatabaseError extends Error {
    readonly code = '23505'
    readonly detail = 'Key (email)=(x)'
    readonly query = 'search'
    readonly params = ['a']
  }

  it.each<[string, unknown]>([
    ['an error', new Error(`No mail to "${SECRET}"`)],
    ['one of a class', new DatabaseError(`"${SECRET}"`)],
    ['a misuse', new TypeError("Cannot read properties of undefined (reading 'x')")],
    ['one of the system', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', errno: -111 })],
    ['one with a cause', new Error('Outer', { cause: new Error('Inner') })],
    ['several', new AggregateError([new Error('a')], 'All')],
    ['a string', 'down'],
    ['a map', { sql: 'x', errno: 1 }],
    ['nothing', undefined],
    ['one with data',
      Object.assign(new Error('No mail'), { info: { code: '23505', severity: 'high', at: new Map() } })],
    ['an object that is like a line of a log', { severity: 'ERROR', code: '12345', message: SECRET }],
    ['an object with a getter that throws', Object.defineProperty({}, 'code', { get: () => assert.fail() })],
  ])('is logged as it is: %s', (_what, error) => {
    expect(redactError(error)).toBe(error)
  })

  it('keeps its message, class and stack beside the copy of its cause', () => {
    const outer = Object.assign(new HttpError(500, `Cannot save ${SECRET}`, { cause: unique() }), { note: 1 })
    const copy = redactError(outer) as HttpError & { note: number }
    expect([copy instanceof HttpError, copy.message, copy.stack, copy.note]).toEqual([true, outer.message, outer.stack,
      1])
    expect(outer.cause).toMatchObject({ detail: `Key (email)=(${SECRET}) already exists.` })
    expect(copy.cause).not.toHaveProperty('detail')
  })

  it('keeps the classes and the parts beside the copy in an object, a Map and a list', () => {
    class Job {
      readonly id = 7
    }
    const job = new Job()
    const error = Object.assign(new Error('Cannot save'), { info: { job, errors: new Map([[job, [unique()]]]) } })
    const copy = redactError(error) as typeof error
    expect(copy).not.toBe(error)
    expect(copy.info.job).toBe(job)
    expect(copy.info.errors.get(job)?.[0]).toMatchObject({ code: '23505', constraint: 'users_email_key' })
    expect(copy.info.errors.get(job)?.[0]).not.toHaveProperty('detail')
    expect(error.info.errors.get(job)?.[0]).toHaveProperty('detail')
  })

  it('finds an error of a database beside ten thousand objects, and below a long chain', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => ({ index }))
    const beside = redactError(Object.assign(new Error('Cannot save'), { many, cause: { error: pg() } }))
    expect(inspect(beside, { depth: 5 })).not.toContain('secret')
    let chain: Error = pg()
    for (let length = 0; length < 5000; length++) chain = new Error('Outer', { cause: chain })
    let end = redactError(chain) as Error
    while (end.cause instanceof Error) end = end.cause
    expect(end).not.toHaveProperty('where')
  })

  it('may be a Proxy that was revoked, beside an error of a database', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const copy = redactError(Object.assign(new Error('Cannot save'), { proxy, cause: pg() })) as Error
    expect(copy.cause).not.toHaveProperty('where')
  })

  it('may refer to itself', () => {
    const one = new Error('one')
    const other = Object.assign(pg(), { cause: one })
    one.cause = other
    expect(inspect(redactError(one), { depth: 10 })).not.toContain(SECRET)
    expect(inspect(redactError(other), { depth: 10 })).not.toContain(SECRET)
  })
})

import createError from 'http-errors'
import { describe, expect, it } from 'vitest'
import { BusinessError, ConflictError, findOrFail, ForbiddenError, HttpError, isHttpError, MisuseError, NotFoundError,
  UnauthorizedError, UnavailableError, ValidationError } from '../lib/core/base/errors.js'

describe('an error of the package', () => {
  it.each<[HttpError, object]>([
    [new NotFoundError(), { status: 404, reason: 'not_found', message: 'Not found' }],
    [new NotFoundError('No such user'), { status: 404, message: 'No such user' }],
    [new BusinessError('No'), { status: 400, reason: undefined }],
    [new BusinessError('No', 403, { reason: 'post.not_author' }), {
      status: 403,
      reason: 'post.not_author',
      headers: undefined,
    }],
    [new ValidationError({ name: ['Too short'] }), { status: 422, reason: 'validation', message: 'Too short' }],
    [new UnauthorizedError(), { status: 401, reason: 'token_invalid', headers: { 'WWW-Authenticate': 'Bearer' } }],
    [new UnauthorizedError('No', { reason: 'token_missing', challenge: 'Bearer realm="x"' }), {
      reason: 'token_missing',
      headers: { 'WWW-Authenticate': 'Bearer realm="x"' },
    }],
    [new ForbiddenError(), { status: 403, reason: 'forbidden', headers: undefined }],
    [new ForbiddenError('No', { challenge: 'Bearer error="insufficient_scope"' }), {
      reason: 'forbidden',
      headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' },
    }],
    [new ConflictError(), { status: 409, reason: 'conflict' }],
    [new ConflictError('Taken', { reason: 'user.email' }), { reason: 'user.email', message: 'Taken' }],
    [new HttpError(418, 'Short and stout'), { status: 418, reason: undefined, headers: undefined, name: 'HttpError' }],
  ])('%s is recognised by http-errors', (error, expected) => {
    expect(error).toMatchObject(expected)
    expect(isHttpError(error)).toBe(true)
    expect(createError.isHttpError(error)).toBe(true)
    expect(error).toBeInstanceOf(createError.HttpError)
    expect(error).toBeInstanceOf(Error)
    expect(error.expose).toBe(true)
    expect(error.statusCode).toBe(error.status)
    expect(error.name).toBe(error.constructor.name)
    expect(error.stack).toContain(error.message)
  })

  it('is not shown from status 500, and keeps its cause', () => {
    const cause = new Error('ECONNREFUSED 10.0.0.7')
    expect(new UnavailableError('The store is down', { cause })).toMatchObject({
      status: 503,
      reason: 'unavailable',
      expose: false,
      cause,
    })
    expect(new HttpError(500, 'Broken', { cause })).toMatchObject({ expose: false, cause })
  })

  it('is distinguished from other errors', () => {
    for (const other of [new Error('x'), { status: 404 }, null, undefined, 'x']) expect(isHttpError(other)).toBe(false)
    expect(createError(404)).not.toBeInstanceOf(HttpError)
    expect(new NotFoundError()).not.toBeInstanceOf(BusinessError)
  })
})

describe('the options of an error', () => {
  it('may be more than its own for a class of the application', () => {
    class PaymentError extends HttpError {
      constructor(options: { readonly reason: string; readonly provider: string }) {
        super(402, 'Payment required', options)
      }
    }
    expect(new PaymentError({ reason: 'declined', provider: 'x' })).toMatchObject({ status: 402, reason: 'declined' })
  })

  it('are refused if they are no object', () => {
    for (const options of [null, 'reason', []]) {
      expect(() => new HttpError(400, 'x', options as never)).toThrow(
        expect.objectContaining({ code: 'options_shape' }),
      )
    }
  })
})

describe('BusinessError', () => {
  it.each([399, 500, 200, NaN, 404.5, Infinity, '404' as never])('refuses the status %s', (status) => {
    expect(() => new BusinessError('No', status)).toThrow(
      expect.objectContaining({ code: 'business_status', name: 'MisuseError' }) as Error,
    )
  })

  it.each([400, 409, 422, 451, 499])('accepts the status %s', (status) => {
    expect(new BusinessError('No', status).status).toBe(status)
  })
})

describe('ValidationError', () => {
  const total = (fields: ValidationError['fields']): number => Object.values(fields).flat().length

  it('takes its message from the first field', () => {
    expect(new ValidationError({ a: ['First', 'Second'], b: ['Third'] }).message).toBe('First')
    expect(new ValidationError({ a: ['First'] }, 'Look here').message).toBe('Look here')
    expect(new ValidationError({}).message).toBe('The data is not valid')
  })

  it.each([
    ['a text in place of a list', { email: 'Taken' }],
    ['a list of numbers', { email: [5] }],
    ['a list with nothing', { email: [null] }],
    ['a text in place of fields', 'Taken'],
    ['a list in place of fields', ['Taken']],
    ['null', null],
    ['nothing', undefined],
  ])('refuses %s', (_what, fields) => {
    expect(() => new ValidationError(fields as never)).toThrow(
      expect.objectContaining({ name: 'MisuseError', code: 'validation_fields' }) as Error,
    )
  })

  it('has no messages for a field that is undefined', () => {
    expect(new ValidationError({ a: undefined, b: ['Wrong'] } as never)).toMatchObject({
      message: 'Wrong',
      fields: { a: [], b: ['Wrong'] },
    })
  })

  it('keeps at most 50 messages in total', () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`items.${at}`, ['Wrong']]))
    const { fields } = new ValidationError(many)
    expect(Object.keys(fields)).toEqual(Object.keys(many).slice(0, 50))
    expect(total(new ValidationError({ a: Array.from({ length: 51 }, String), b: ['never'] }).fields)).toBe(50)
    expect(new ValidationError({ a: Array.from({ length: 49 }, String), b: ['kept', 'cut'], c: ['cut'] }).fields)
      .toMatchObject({ b: ['kept'] })
    expect(total(new ValidationError({ a: Array.from({ length: 50 }, String) }).fields)).toBe(50)
  })

  it('keeps fields with any name', () => {
    const { fields } = new ValidationError(
      JSON.parse('{"__proto__":["Bad"],"constructor":["Worse"]}') as Record<string, string[]>,
    )
    expect(JSON.stringify(fields)).toBe('{"__proto__":["Bad"],"constructor":["Worse"]}')
    expect(Object.getPrototypeOf(fields)).toBeNull()
  })

  it('copies the lists of messages', () => {
    const messages = ['First']
    const { fields } = new ValidationError({ a: messages })
    messages.push('Second')
    expect(fields.a).toEqual(['First'])
  })
})

describe('findOrFail', () => {
  it('returns a found value synchronously', () => {
    const user = { id: 1 }
    expect(findOrFail(user)).toBe(user)
    for (const falsy of [0, '', false, NaN]) expect(findOrFail(falsy)).toBe(falsy)
  })

  it.each([null, undefined])('throws a 404 synchronously for %s', (nothing) => {
    expect(() => findOrFail(nothing)).toThrow(NotFoundError)
    expect(() => findOrFail(nothing, 'No such user')).toThrow('No such user')
  })

  it('returns a promise for a promise', async () => {
    const found = findOrFail(Promise.resolve<number | null>(1))
    expect(found).toBeInstanceOf(Promise)
    expect(await found).toBe(1)
    await expect(findOrFail(Promise.resolve(null), 'No such user')).rejects.toMatchObject({
      status: 404,
      message: 'No such user',
    })
    await expect(findOrFail(Promise.resolve(undefined))).rejects.toThrow(NotFoundError)
    await expect(findOrFail(Promise.reject(new Error('down')))).rejects.toThrow('down')
  })

  it('returns a promise for any object with a `then` method, such as a query builder', async () => {
    const query = (rows: readonly number[]): PromiseLike<number | undefined> => ({
      then: (...then) => Promise.resolve(rows[0]).then(...then),
    })
    expect(await findOrFail(query([7]))).toBe(7)
    await expect(findOrFail(query([]))).rejects.toThrow(NotFoundError)
    const record = { then: 'a field of that name' }
    expect(findOrFail(record)).toBe(record)
  })
})

describe('MisuseError', () => {
  it('is a TypeError with a stable code', () => {
    const mistake = new MisuseError('name_taken', 'The name is taken.')
    expect(mistake).toBeInstanceOf(TypeError)
    expect(mistake).toMatchObject({ name: 'MisuseError', code: 'name_taken', message: 'The name is taken.' })
    expect(isHttpError(mistake)).toBe(false)
  })
})

describe('a class of the application that extends an error', () => {
  class Closed extends BusinessError {
    readonly opens: string

    constructor(opens: string) {
      super('The shop is closed', 409, { reason: 'shop.closed' })
      this.opens = opens
    }
  }
  class Locked extends UnauthorizedError {
    readonly until: string

    constructor(until: string) {
      super('The account is locked', { reason: 'account.locked' })
      this.until = until
    }
  }
  class Banned extends ForbiddenError {
    readonly since: string

    constructor(since: string) {
      super('The account is banned')
      this.since = since
    }
  }
  class Down extends UnavailableError {
    readonly service: string

    constructor(service: string) {
      super('The search is not available', { cause: new Error(service) })
      this.service = service
    }
  }

  it.each([
    [new Closed('08:00'), 409, 'shop.closed', { opens: '08:00' }],
    [new Locked('12:00'), 401, 'account.locked', { until: '12:00' }],
    [new Banned('May'), 403, 'forbidden', { since: 'May' }],
    [new Down('search'), 503, 'unavailable', { service: 'search' }],
  ])('has the status and the reason of %o, and properties of its own', (error, status, reason, own) => {
    expect(error).toMatchObject({ status, reason, ...own })
    expect(isHttpError(error)).toBe(true)
  })
})

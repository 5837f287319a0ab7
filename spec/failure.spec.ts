import createError from 'http-errors'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { BusinessError, HttpError, NotFoundError, UnavailableError, ValidationError } from 'resourcery'
import { INTERNAL, toFailure } from '../lib/core/reply/failure.js'
import { textOf } from '../lib/core/base/messages/field-messages.js'

const secret = 'select * from users -- /srv/app/db.ts'

function refusing(...traps: (keyof ProxyHandler<object>)[]): object {
  const refuse = (): never => {
    throw new Error('no')
  }
  return new Proxy({ status: 404 }, Object.fromEntries(traps.map((trap) => [trap, refuse])))
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({ status: 404 }, {})
  revoke()
  return proxy
}

describe('an error without a trusted status', () => {
  it.each<[string, unknown]>([
    ['null', null],
    ['undefined', undefined],
    ['a string', secret],
    ['a number', 404],
    ['a bigint', 404n],
    ['a symbol', Symbol(secret)],
    ['true', true],
    ['a function', Object.assign(() => undefined, { status: 404, message: secret })],
    ['an empty object', {}],
    ['a plain error', new Error(secret)],
    ['a getter that throws', {
      get status() {
        throw new Error(secret)
      },
    }],
    ['a later getter that throws', {
      status: 404,
      get message() {
        throw new Error(secret)
      },
    }],
    ['a proxy that refuses to be read', refusing('get')],
    ['a proxy that hides its prototype', refusing('getPrototypeOf')],
    [
      'a proxy that refuses everything',
      refusing('get', 'has', 'getPrototypeOf', 'ownKeys', 'getOwnPropertyDescriptor'),
    ],
    ['a revoked proxy', revoked()],
  ])('(%s) is an internal failure', (_what, thrown) => {
    expect(toFailure(thrown)).toBe(INTERNAL)
  })

  it.each([200, 204, 302, 399, 99, 0, -404, 600, 1000, 404.5, NaN, Infinity, '404', 'ENOENT', null, [404], {
    valueOf: () => 404,
  }])('(status %j) is an internal failure', (status) => {
    expect(toFailure(Object.assign(new Error(secret), { status }))).toBe(INTERNAL)
    expect(toFailure(Object.assign(new Error(secret), { statusCode: status }))).toBe(INTERNAL)
  })

  it('prefers `status` to `statusCode`', () => {
    expect(toFailure({ expose: true, status: 200, statusCode: 404 })).toBe(INTERNAL)
    expect(toFailure({ expose: true, status: 409, statusCode: 404 })).toMatchObject({ status: 409 })
  })

  it('has a consistent status and message if its getters change', () => {
    for (const looks of [1, 2, 3, 4]) {
      let left = looks
      const { status, message } = toFailure({
        expose: true,
        get status() {
          return left-- > 0 ? 404 : 200
        },
      })
      expect([[404, 'Not Found'], [500, 'Something went wrong']]).toContainEqual([status, message])
    }
  })

  const upstream = (fields: object): Error =>
    Object.assign(new Error('GET https://billing.internal/?key=s3cret'), fields)
  it.each<[string, unknown]>([
    [
      'axios',
      upstream({
        name: 'AxiosError',
        code: 'ERR_BAD_REQUEST',
        status: 404,
        response: { status: 404, headers: {} },
        config: {},
      }),
    ],
    [
      'axios, whose code resembles that of a decompression',
      upstream({ name: 'AxiosError', code: 'ERR_BAD_REQUEST', status: 400, response: { status: 400 }, config: {} }),
    ],
    [
      'Azure, whose error has the name of one of passport',
      upstream({ name: 'AuthenticationError', statusCode: 401, errorResponse: { error: 'invalid_client' } }),
    ],
    [
      'a client made by Fern, whose error has the name of one of express-jwt',
      upstream({ name: 'UnauthorizedError', statusCode: 401, body: {}, rawResponse: { status: 401 } }),
    ],
    [
      'Stripe',
      upstream({
        type: 'StripeAuthenticationError',
        rawType: 'invalid_request_error',
        statusCode: 401,
        headers: {},
        requestId: 'x',
      }),
    ],
    [
      'the AWS SDK',
      upstream({
        name: 'NoSuchKey',
        $fault: 'client',
        $metadata: { httpStatusCode: 404 },
        statusCode: 404,
        status: 404,
      }),
    ],
    ['octokit', upstream({ name: 'HttpError', status: 403, request: {}, response: {} })],
    ['got', upstream({ name: 'HTTPError', code: 'ERR_NON_2XX_3XX_RESPONSE', statusCode: 422 })],
    ["a fetch of one's own", upstream({ status: 409 })],
    ['a plain object', { status: 404, message: 'GET https://billing.internal/?key=s3cret' }],
    ['one that hides its message', upstream({ status: 404, expose: false })],
    ['an `expose` that is not a boolean', upstream({ status: 404, expose: 'yes' })],
    ['half of an HTTP error', upstream({ status: 404, statusCode: 400, expose: false })],
    ['a plain object in the shape of an HTTP error', { status: 404, statusCode: 404, expose: false, message: 'x' }],
    ['a name of http-errors', upstream({ name: 'NotFoundError', status: 404, statusCode: 404 })],
  ])('is an internal failure, whatever its status: %s', (_whose, error) => {
    expect(toFailure(error)).toBe(INTERNAL)
    expect(toFailure(error, () => false)).toBe(INTERNAL)
  })
})

describe('the status of a failure', () => {
  it.each([400, 404, 418, 451, 499, 500, 503, 599])(
    'is %i if the error exposes itself, by either property',
    (status) => {
      expect(toFailure({ status, expose: true }).status).toBe(status)
      expect(toFailure({ statusCode: status, expose: true }).status).toBe(status)
      expect(toFailure(Object.freeze({ status, expose: true, message: 'frozen' })).status).toBe(status)
    },
  )
})

/** An exception in the shape of those of `@nestjs/common`. */
class NestException extends Error {
  readonly #response: unknown
  readonly status: number

  constructor(response: unknown, status: number) {
    super('Http Exception')
    this.#response = response
    this.status = status
  }

  getStatus(): number {
    return this.status
  }

  getResponse(): unknown {
    return this.#response
  }
}

describe('an error of well-known middleware', () => {
  const of = (name: string, fields: object): Error => Object.assign(new Error(secret), { name, ...fields })
  it.each<[string, Error, number, string, string]>([
    [
      'express-jwt',
      of('UnauthorizedError', { status: 401, code: 'invalid_token', inner: new Error(secret) }),
      401,
      'Authentication required',
      'unauthorized',
    ],
    ['passport', of('AuthenticationError', { status: 401 }), 401, 'Authentication required', 'unauthorized'],
    ['passport with another status', of('AuthenticationError', { status: 403 }), 403, 'Permission denied', 'forbidden'],
    [
      'express-openapi-validator',
      of('Bad Request', { status: 400, path: '/users', errors: [{ path: '/body/x', message: secret }] }),
      400,
      'Bad Request',
      'bad_request',
    ],
    [
      "express-openapi-validator with a status of the user's",
      of('Bad Request', { status: 422, errors: [] }),
      422,
      'Unprocessable Content',
      'validation',
    ],
    [
      'express-openapi-validator for files',
      of('Request Entity Too Large', { status: 413, errors: [] }),
      413,
      'Content Too Large',
      'too_large',
    ],
    [
      'express-oauth2-jwt-bearer',
      of('InsufficientScopeError', {
        status: 403,
        statusCode: 403,
        code: 'insufficient_scope',
        headers: { 'WWW-Authenticate': secret },
      }),
      403,
      'Permission denied',
      'forbidden',
    ],
    ['NestJS', new NestException({ message: secret }, 404), 404, 'Not Found', 'not_found'],
    ['a refusal by NestJS', new NestException(secret, 401), 401, 'Authentication required', 'unauthorized'],
    [
      'better-auth',
      of('APIError', { status: 'FORBIDDEN', statusCode: 403, body: { code: secret } }),
      403,
      'Permission denied',
      'forbidden',
    ],
    [
      'CASL',
      of('ForbiddenError', { ability: {}, action: 'update', subjectType: secret }),
      403,
      'Permission denied',
      'forbidden',
    ],
  ])('keeps its status with a message of the package: %s', (_whose, error, status, message, reason) => {
    const failure = toFailure(error)
    expect({ ...failure, message: textOf(failure.message) }).toMatchObject({ status, message, reason, fields: null })
    expect(JSON.stringify(toFailure(error))).not.toContain('select')
  })

  it('keeps the Allow header of a 405, and no other header', () => {
    const error = of('Method Not Allowed', { status: 405, errors: [], headers: { Allow: 'GET', 'X-Debug': secret } })
    expect(toFailure(error).headers).toEqual({ Allow: 'GET' })
  })

  it.each<[string, unknown]>([
    ['a success', of('UnauthorizedError', { status: 200 })],
    ['a 5xx', of('AuthenticationError', { status: 500 })],
    ['another status than its own', of('UnauthorizedError', { status: 404 })],
    ['no status', of('UnauthorizedError', { code: 'invalid_token' })],
    ['a string for a status', of('UnauthorizedError', { status: '401' })],
    ['a 5xx of express-openapi-validator', of('Internal Server Error', { status: 500, errors: [] })],
    ['the name of a status and no list of errors', of('Not Found', { status: 404 })],
    ['the name and not the code', of('InvalidTokenError', { status: 401, code: 'x' })],
    ['a 5xx of NestJS', new NestException(secret, 500)],
    ['the status of a response and no exception of NestJS', of('Error', { status: 404, getStatus: () => 403 })],
    ['an upstream APIError', of('APIError', { status: 404, statusCode: 404 })],
    ['the name of CASL alone', of('ForbiddenError', { action: 'update' })],
    ['no error behind the name', { name: 'UnauthorizedError', status: 401, message: secret }],
    ['a name from Object.prototype', of('constructor', { status: 404 })],
  ])('is an internal failure with %s', (_what, error) => {
    expect(toFailure(error)).toBe(INTERNAL)
  })
})

describe('an error that the app trusts', () => {
  class DomainError extends Error {
    constructor(status: number, extra: object = {}) {
      super('Out of stock')
      Object.assign(this, { status }, extra)
    }
  }
  const trust = (error: unknown): boolean => error instanceof DomainError

  it('shows its status and, below 500, its message', () => {
    expect(toFailure(new DomainError(409), trust)).toMatchObject({
      status: 409,
      message: 'Out of stock',
      reason: 'conflict',
    })
    expect(toFailure(new DomainError(409, { reason: 'stock.empty' }), trust)).toMatchObject({ reason: 'stock.empty' })
    expect(toFailure(new DomainError(409, { expose: false }), trust)).toMatchObject({
      status: 409,
      message: 'Conflict',
    })
    expect(toFailure(new DomainError(502), trust)).toEqual({ ...INTERNAL, status: 502 })
    expect(toFailure(new DomainError(200), trust)).toBe(INTERNAL)
    expect(toFailure(new Error('other'), trust)).toBe(INTERNAL)
  })

  it('is internal if `trust` throws', () => {
    expect(toFailure(new DomainError(409), () => {
      throw new Error(secret)
    }))
      .toBe(INTERNAL)
  })
})

describe('the message of a failure', () => {
  it.each<[string, unknown, string]>([
    ['of a 4xx', { status: 404, expose: true, message: 'No such user' }, 'No such user'],
    ['of a 4xx that must not be shown', createError(404, secret, { expose: false }), 'Not Found'],
    ['of a 401 that must not be shown', createError(401, secret, { expose: false }), 'Authentication required'],
    ['of a 403 that must not be shown', createError(403, secret, { expose: false }), 'Permission denied'],
    ['of a 5xx', createError(500, secret), 'Something went wrong'],
    ['of a 502', createError(502, secret), 'Something went wrong'],
    ['of a 503', new UnavailableError(secret), 'This is not available right now'],
    ['of a 5xx that may be shown', { status: 503, message: 'Back at nine', expose: true }, 'Back at nine'],
    ['without a status that may be shown', { message: 'Back at nine', expose: true }, 'Back at nine'],
    ['that is empty', { status: 409, expose: true, message: '' }, 'Conflict'],
    ['of another type than string', { status: 409, expose: true, message: 42 }, 'Conflict'],
    ['of an `expose` that is not a boolean', { status: 500, message: secret, expose: 'yes' }, 'Something went wrong'],
    ['of a status without a name', { status: 499, expose: true }, 'The request failed'],
    ['of ours', new NotFoundError('No such user'), 'No such user'],
  ])('%s is %s', (_what, error, message) => {
    expect(textOf(toFailure(error).message)).toBe(message)
  })
})

describe('the reason of a failure', () => {
  it.each<[number, string]>([
    [400, 'bad_request'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [405, 'method'],
    [409, 'conflict'],
    [412, 'stale'],
    [413, 'too_large'],
    [415, 'media_type'],
    [418, 'i_m_a_teapot'],
    [422, 'validation'],
    [428, 'precondition_missing'],
    [429, 'too_many_requests'],
    [499, 'failed'],
    [500, 'internal'],
    [502, 'internal'],
    [503, 'unavailable'],
    [599, 'internal'],
  ])('of status %i is %s by default', (status, reason) => {
    expect(toFailure({ status, expose: true }).reason).toBe(reason)
    expect(toFailure(createError(status)).reason).toBe(reason)
  })

  it('is that of the error if it is a valid word', () => {
    expect(toFailure(new BusinessError('No', 403, { reason: 'post.not_author' })).reason).toBe('post.not_author')
    expect(toFailure({ status: 404, expose: true, reason: 'user-gone' }).reason).toBe('user-gone')
    for (const reason of ['', 'two words', 'a\n', 'x'.repeat(65), 42, { toString: () => 'x' }]) {
      expect(toFailure({ status: 404, expose: true, reason }).reason)
        .toBe('not_found')
    }
  })
})

describe('the headers of a failure', () => {
  it('contain a challenge for a 401 of another library', () => {
    expect(toFailure({ status: 401, expose: true }).headers).toEqual({ 'WWW-Authenticate': 'Bearer' })
    expect(toFailure({ status: 403, expose: true }).headers).toEqual({})
  })

  it('are those of the error if http-errors recognises it', () => {
    const headers = { 'Retry-After': '30' }
    expect(toFailure(createError(429, { headers })).headers).toEqual(headers)
    expect(toFailure(new HttpError(429, 'Slow down', { headers })).headers).toEqual(headers)
    expect(toFailure({ status: 429, expose: true, headers }).headers).toEqual({})
    expect(toFailure(createError(401, { headers: { 'WWW-Authenticate': 'Basic' } })).headers).toEqual({
      'WWW-Authenticate': 'Basic',
    })
  })

  it('are none for a value that holds no headers', () => {
    for (const none of [null, undefined, 7, 'x']) {
      expect(toFailure(createError(429, { headers: none as never })).headers).toEqual({})
    }
  })
})

describe('errors of other libraries', () => {
  it('keep their status and, below 500, their message if made by http-errors', () => {
    expect(toFailure(createError(404))).toMatchObject({ status: 404, message: 'Not Found', reason: 'not_found' })
    expect(toFailure(createError(409, 'Taken'))).toMatchObject({ status: 409, message: 'Taken' })
    expect(toFailure(createError(404, new Error(secret), { expose: false }))).toMatchObject({
      status: 404,
      message: 'Not Found',
    })
    expect(toFailure(createError(500, secret))).toEqual(INTERNAL)
    expect(toFailure(createError(503, 'Back at nine', { expose: true }))).toMatchObject({
      status: 503,
      message: 'Back at nine',
    })
  })

  it('become fields if made by zod', () => {
    const { error } = z.object({ name: z.string(), age: z.number() }).safeParse({ name: 5 })
    expect(toFailure(error)).toMatchObject({
      status: 422,
      reason: 'validation',
      fields: { name: [expect.any(String)], age: [expect.any(String)] },
    })
  })

  it('have no fields otherwise', () => {
    expect(toFailure(new ValidationError({ name: ['Too short'] })).fields).toEqual({ name: ['Too short'] })
    expect(toFailure({ status: 422, expose: true, fields: { name: ['Too short'] } }).fields).toBeNull()
  })
})

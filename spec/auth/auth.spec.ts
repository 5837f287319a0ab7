import { METHODS } from 'node:http'
import express, { Router, type RequestHandler } from 'express'
import { errors } from 'jose'
import { describe, expect, it } from 'vitest'
import { auth } from 'resourcery'
import { BusinessError, errorHandler, UnauthorizedError } from 'resourcery'
import { permission } from 'resourcery'
import { raw, serving, type Client, type SendOptions } from '../support/http.js'
import { appOf, finished, mark, SECRET, signed, whoami, type Marks } from './marked-routes.js'

const authenticate = (): RequestHandler => auth('admin', { secret: SECRET })
const bothGuards = (): RequestHandler[] => [authenticate(), permission('admin')]

type Place = 'app.use' | 'router.use' | 'a router three levels down' | 'a sub-app' | 'guards'
const places: readonly Place[] = ['app.use', 'router.use', 'a router three levels down', 'a sub-app', 'guards']

/** Serves the routes under `/api`, with the guards mounted in one of several places. */
function placed(place: Place, routes: (router: express.IRouter, guards: Marks) => void): Promise<Client> {
  return serving(appOf((app) => {
    if (place === 'app.use') app.use(bothGuards())
    const router = place === 'a sub-app' ? express() : Router()
    if (place === 'router.use' || place === 'a sub-app' || place === 'a router three levels down') {
      router.use(bothGuards())
    }
    routes(router, place === 'guards' ? { guards: bothGuards() } : {})
    if (place === 'a router three levels down') app.use('/', Router().use('/api', Router().use(router)))
    else app.use('/api', router)
  }))
}

describe.each(places)('the guards on %s', (place) => {
  const caller = async (kind: string): Promise<SendOptions> => {
    if (kind === 'good') return { token: await signed() }
    if (kind === 'limited') return { token: await signed({ permissions: [] }) }
    return kind === 'bad' ? { token: 'x.y.z' } : {}
  }

  // The table of the markers: status for no credentials, bad ones, good ones without the permission, good ones with it.
  it.each(
    [
      ['auth, can', { auth: true, can: true }, [401, 401, 403, 200]],
      ['auth alone', { auth: true, can: false }, [401, 401, 200, 200]],
      ['optional, can', { auth: 'optional', can: true }, [401, 401, 403, 200]],
      ['optional alone', { auth: 'optional', can: false }, [200, 401, 200, 200]],
      ['public', { auth: false, can: false }, [200, 200, 200, 200]],
    ] as const,
  )('enforces the markers: %s', async (_name, marks, statuses) => {
    const client = await placed(
      place,
      (router, guards) => mark(router, '/users/:id', 'users.show', { ...guards, ...marks }),
    )
    const kinds = ['none', 'bad', 'limited', 'good']
    const replies = await Promise.all(kinds.map(async (kind) => client.get('/api/users/5', await caller(kind))))
    expect(replies.map(({ status }) => status)).toEqual(statuses)
    const heads = await Promise.all(kinds.map(async (kind) => client.send('HEAD', '/api/users/5', await caller(kind))))
    expect(heads.map(({ status, text }) => [status, text])).toEqual(statuses.map((status) => [status, '']))
  })

  it('sets `req.auth` to the caller, and leaves it unset on a public route', async () => {
    const client = await placed(place, (router, guards) => {
      mark(router, '/mine', 'mine', guards)
      mark(router, '/health', 'health', { ...guards, auth: false })
    })
    const token = await signed({ role: 'editor' })
    expect((await client.get('/api/mine', { token })).body).toMatchObject({
      auth: { id: 7, role: 'editor', sub: '7', aud: 'admin' },
    })
    expect((await client.get('/api/health', { token })).body).toMatchObject({ auth: null })
  })

  const spellings = ['/API/Users/5', '/api/users/5/', '/api/USERS/%35', '/api/users/5?auth=false']
  it.each(spellings)('guards %s like the declared path', async (path) => {
    const client = await placed(place, (router, guards) => {
      mark(router, '/users/health', 'users.health', { ...guards, auth: false })
      mark(router, '/users/:id', 'users.show', guards)
    })
    expect((await client.get(path)).status).toBe(401)
    expect((await client.get(path, { token: await signed({ permissions: ['admin.users.show'] }) })).status).toBe(200)
    expect((await client.get(path, { token: await signed({ permissions: ['admin.users.health'] }) })).status).toBe(403)
  })
})

describe.each(places.filter((place) => place !== 'guards'))('other paths behind the guards on %s', (place) => {
  it('require a sign-in, except those that a resource declares as public', async () => {
    const client = await placed(place, (router, guards) => {
      mark(router, '/health', 'health', { ...guards, auth: false })
      router.get('/me', whoami)
      router.all('/any', whoami)
      router.post('/health', whoami)
    })
    for (const path of ['/api/me', '/api/any', '/api/nowhere']) expect((await client.get(path)).status).toBe(401)
    expect((await client.post('/api/health')).status).toBe(401)
    const token = await signed({ permissions: [] })
    expect((await client.get('/api/me', { token })).body).toMatchObject({ auth: { id: 7 } })
    expect((await client.get('/api/nowhere', { token })).status).toBe(404)
    expect((await client.get('/api/health', { token: 'bad' })).status).toBe(200)
  })

  it('apply the markers of the first route that matches, also behind plain middleware', async () => {
    const client = await placed(place, (router, guards) => {
      router.use((_req, res, next) => {
        res.set('x-seen', 'yes')
        next()
      })
      router.get('/a', whoami)
      mark(router, '/a', 'a', { ...guards, auth: false })
      mark(router, '/b', 'b', { ...guards, auth: false })
      router.get('/b', whoami)
    })
    expect((await client.get('/api/a')).status).toBe(401)
    const open = await client.get('/api/b')
    expect([open.status, open.headers.get('x-seen')]).toEqual([200, 'yes'])
  })
})

describe('auth', () => {
  const guarded = (options: Parameters<typeof auth>[1]): Promise<Client> =>
    serving(appOf((app) => {
      app.use(auth('admin', options))
      mark(app, '/open', 'open', { auth: false })
      app.get('/me', whoami)
      app.put('/me', whoami)
    }))

  it('challenges a caller without credentials with the realm only', async () => {
    const client = await guarded({ secret: SECRET })
    for (const headers of [{}, { authorization: '' }]) {
      const reply = await client.get('/me', { headers })
      expect([reply.status, reply.headers.get('www-authenticate'), reply.body]).toEqual([
        401,
        'Bearer realm="admin"',
        { message: 'Authentication required', reason: 'token_missing' },
      ])
    }
  })

  it('replies the same message and challenge for every invalid token', async () => {
    const client = await guarded({ secret: SECRET })
    const good = await signed()
    const foreign = await signed({}, 'x'.repeat(40))
    const bad = [
      'Bearer',
      'Bearer ',
      'Bearer x',
      'Basic dTpw',
      good,
      `Foo ${good}`,
      `Bearer ${good} x`,
      `Bearer\u00a0${good}`,
      `Bearer ${foreign}`,
    ]
    const challenge = 'Bearer realm="admin", error="invalid_token"'
    for (const authorization of bad) {
      const reply = await client.get('/me', { headers: { authorization } })
      expect([authorization, reply.status, reply.headers.get('www-authenticate')]).toEqual([
        authorization,
        401,
        challenge,
      ])
      expect(reply.body).toEqual({ message: 'The credentials are not valid', reason: 'token_invalid' })
    }
  })

  it.each(['bearer', 'BEARER', 'bEaReR', 'Bearer  '])('accepts the scheme in any letter case: %s', async (scheme) => {
    const client = await guarded({ secret: SECRET })
    expect((await client.get('/me', { headers: { authorization: `${scheme} ${await signed()}` } })).status).toBe(200)
  })

  it('refuses two Authorization headers, except on a public route', async () => {
    const client = await guarded({ secret: SECRET })
    const token = await signed()
    const request = (path: string): string =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nauthorization: Bearer `
      + `${token}\r\nConnection: close\r\n\r\n`
    const refused = await raw(client.url, request('/me'))
    expect(refused).toMatch(/^HTTP\/1.1 400 /)
    expect(refused).toContain('"reason":"unreadable"')
    expect(await raw(client.url, request('/open'))).toMatch(/^HTTP\/1.1 200 /)
  })

  it('answers OPTIONS on a known path without credentials, and runs nothing after it', async () => {
    let ran = 0
    const client = await serving(appOf((app) => {
      app.use(auth('admin', { secret: SECRET }), (_req, _res, next) => {
        ran++
        next()
      })
      mark(app, '/users', 'users.list')
      mark(app, '/users', 'users.create', { method: 'POST' })
      app.delete('/users', whoami)
    }))
    const reply = await client.send('OPTIONS', '/users')
    expect([reply.status, reply.headers.get('allow'), reply.text, ran]).toEqual([204, 'DELETE, GET, HEAD, POST', '', 0])
    expect((await client.send('OPTIONS', '/nowhere')).status).toBe(401)
    expect((await client.send('OPTIONS', '/users', { token: 'bad' })).status).toBe(401)
    await client.send('OPTIONS', '/users', { token: await signed() })
    expect(ran).toBe(1)
  })

  it('lists all methods in the Allow header for a route that accepts all', async () => {
    const client = await serving(appOf((app) => app.use(authenticate(), Router().all('/all', whoami))))
    expect((await client.send('OPTIONS', '/all')).headers.get('allow')).toBe(METHODS.join(', '))
  })

  it('requires a sign-in everywhere if it is called inside a function and cannot look ahead', async () => {
    const hidden = authenticate()
    const client = await serving(appOf((app) => {
      app.use((req, res, next) => {
        hidden(req, res, next)
      })
      mark(app, '/open', 'open', { auth: false })
      app.get('/me', authenticate(), whoami)
    }))
    expect((await client.get('/open')).status).toBe(401)
    expect((await client.get('/me')).status).toBe(401)
    expect((await client.get('/me', { token: await signed() })).status).toBe(200)
    expect((await client.get('/open', { token: await signed() })).body).toMatchObject({ auth: null })
  })

  it('requires a sign-in if Express reads a nested path differently from the target', async () => {
    const tenant = Router()
    mark(tenant, '/open', 'open', { auth: false })
    tenant.get('/', whoami)
    const client = await serving(appOf((app) => app.use(authenticate()).use('/:tenant', tenant)))
    const ask = (target: string): Promise<string> =>
      raw(client.url, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    for (const target of ['/{{/open#', 'http://h/{{/open']) {
      expect(await ask(target)).toMatch(/^HTTP\/1.1 401 /)
    }
    expect(await ask('http://h/t/open')).toMatch(/^HTTP\/1.1 200 /)
  })

  it('requires a sign-in in an app inside a router for the route that follows, not for one that repeats its prefix', async () => {
    const inner = express()
    inner.use(authenticate())
    mark(inner, '/x/open', 'open', { auth: false })
    inner.get('/open', whoami)
    const app = appOf((outer) => outer.use(Router().use('/x', inner)))
    const client = await serving(app)
    expect((await client.get('/x/open')).status).toBe(401)
    expect((await client.get('/x/x/open')).status).toBe(200)
    const byFunction = await serving((req, res) => app(req, res))
    expect((await byFunction.get('/x/open')).status).toBe(401)
    expect((await byFunction.get('/x/x/open')).status).toBe(401)
  })

  it('requires a sign-in after an app inside a router whose public route has the path of its prefix twice', async () => {
    const guard = authenticate()
    const inner = express().use('/in', guard)
    mark(inner, '/in/x', 'open', { auth: false })
    const client = await serving(appOf((app) => {
      app.use(Router().use('/in', inner))
      app.use('/in', guard).get('/in/x', whoami)
    }))
    expect((await client.get('/in/x')).status).toBe(401)
  })

  it('requires a sign-in in an app that a function calls, whatever follows the same `auth` in the app around it', async () => {
    const guard = authenticate()
    const inner = express().use(guard).get('/x', whoami)
    mark(inner, '/open', 'open', { auth: false })
    const client = await serving(appOf((app) => {
      app.use((req, res, next) => {
        inner(req, res, next)
      }, guard)
      mark(app, '/x', 'x', { auth: false })
    }))
    expect((await client.get('/x')).status).toBe(401)
    expect((await client.get('/x', { token: await signed() })).status).toBe(200)
    expect((await client.get('/open')).status).toBe(200)
  })

  it.each(['/*any', ['/:first/:second', '/:first']])(
    'requires a sign-in in an app that a function calls below a prefix, mounted by %j, which may match the prefix',
    async (path) => {
      const inner = express().use(path, authenticate()).get('/x', whoami)
      mark(inner, '/in/x', 'open', { auth: false })
      const client = await serving(appOf((app) => {
        app.use('/in', (req, res, next) => {
          inner(req, res, next)
        })
      }))
      expect((await client.get('/in/x')).status).toBe(401)
      expect((await client.get('/in/x', { token: await signed() })).status).toBe(200)
    },
  )

  it('uses the identity of the last sign-in if two `auth` of one application run', async () => {
    const second = auth('admin', { verify: () => ({ id: 'second', permissions: [] }) })
    const client = await serving(appOf((app) => {
      app.use(bothGuards())
      mark(app, '/twice', 'twice', { guards: [second] })
    }))
    expect((await client.get('/twice', { token: await signed({ permissions: [] }) })).status).toBe(403)
    expect((await client.get('/twice', { token: await signed() })).status).toBe(403)
  })
})

describe('an auth check of the application', () => {
  const checking = (verify: (req: express.Request) => unknown, timeout?: number): Promise<Client> =>
    serving(appOf((app) => {
      app.use(auth('admin', { verify: verify as () => null, ...(timeout !== undefined && { timeout }) }))
      mark(app, '/open', 'open', { auth: false })
      mark(app, '/maybe', 'maybe', { auth: 'optional', can: false })
      app.get('/me', whoami)
    }))

  it('sets `req.auth` to what it returns or resolves to', async () => {
    const client = await checking((
      req,
    ) => (req.get('x-key') === 'k' ? { id: 1, team: 'a' } : Promise.resolve({ id: 'b' })))
    expect((await client.get('/me', { headers: { 'x-key': 'k' } })).body).toEqual({
      reached: true,
      auth: { id: 1, team: 'a' },
    })
    expect((await client.get('/me')).body).toEqual({ reached: true, auth: { id: 'b' } })
  })

  it.each([null, undefined])(
    'sends no credentials if it returns %s, unless there is an Authorization header',
    async (empty) => {
      const client = await checking(() => empty)
      expect((await client.get('/me')).body).toMatchObject({ reason: 'token_missing' })
      expect((await client.get('/me', { token: 'x' })).body).toMatchObject({ reason: 'token_invalid' })
      expect((await client.get('/maybe')).body).toEqual({ reached: true, auth: null })
      expect((await client.get('/maybe', { token: 'x' })).status).toBe(401)
    },
  )

  const badIds = ['', null, Number.NaN, Infinity, {}, true].map((id) => ({ id }))
  it.each([true, false, 'root', 0, {}, [], () => 1, ...badIds])(
    'refuses the caller if it returns %j',
    async (answer) => {
      const client = await checking(() => answer)
      expect((await client.get('/me')).body).toMatchObject({ reason: 'token_invalid' })
    },
  )

  const jsonWebTokenError = (name: string, message: string): Error => Object.assign(new Error(message), { name })

  it.each([
    ['an expired token, in jose', new errors.JWTExpired('"exp" claim timestamp check failed', {}), 'token_expired'],
    ['a wrong signature, in jose', new errors.JWSSignatureVerificationFailed(), 'token_invalid'],
    ['a wrong claim, in jose', new errors.JWTClaimValidationFailed('unexpected "aud"', {}), 'token_invalid'],
    ['a malformed token, in jose', new errors.JWSInvalid('Invalid Compact JWS'), 'token_invalid'],
    ['a payload that is no object, in jose', new errors.JWTInvalid('JWT Claims Set must be an object'),
      'token_invalid'],
    ['another algorithm, in jose', new errors.JOSEAlgNotAllowed('not allowed'), 'token_invalid'],
    ['a key that the issuer has not published, in jose', new errors.JWKSNoMatchingKey(), 'token_invalid'],
    ['an encrypted token, in jose', new errors.JWEDecryptionFailed(), 'token_invalid'],
    ['an expired token, in jsonwebtoken', jsonWebTokenError('TokenExpiredError', 'jwt expired'), 'token_expired'],
    ['a token of tomorrow, in jsonwebtoken', jsonWebTokenError('NotBeforeError', 'jwt not active'), 'token_invalid'],
    ['a wrong signature, in jsonwebtoken', jsonWebTokenError('JsonWebTokenError', 'invalid signature'),
      'token_invalid'],
    [
      'another audience, in jsonwebtoken',
      jsonWebTokenError('JsonWebTokenError', 'jwt audience invalid. expected: secret-api'),
      'token_invalid',
    ],
  ])('refuses a token with a 401 if it throws that of %s', async (_what, error, reason) => {
    const client = await checking(() => Promise.reject(error))
    expect(await client.get('/me', { token: 'x' })).toMatchObject({ status: 401, body: { reason } })
    const synchronous = await checking(() => {
      throw error
    })
    expect(await synchronous.get('/maybe', { token: 'x' })).toMatchObject({ status: 401, body: { reason } })
  })

  it.each([
    ['the keys arrive too late, in jose', new errors.JWKSTimeout()],
    ['the keys are unreadable, in jose', new errors.JWKSInvalid()],
    ['several keys fit, in jose', new errors.JWKSMultipleMatchingKeys()],
    ['the provider fails, in jose', new errors.JOSEError('Expected 200 OK from the JSON Web Key Set HTTP response')],
    ['the network fails', Object.assign(new TypeError('fetch failed'), { code: 'ECONNREFUSED' })],
    [
      'the keys cannot be fetched, in jsonwebtoken',
      jsonWebTokenError('JsonWebTokenError', 'error in secret or public key callback: connect ECONNREFUSED'),
    ],
    [
      'there is no secret, in jsonwebtoken',
      jsonWebTokenError('JsonWebTokenError', 'secret or public key must be provided'),
    ],
  ])('is not available, a 503, if it throws that %s', async (_what, error) => {
    const client = await checking(() => Promise.reject(error))
    expect((await client.get('/me', { token: 'x' })).status).toBe(503)
  })

  it.each([
    ['passport', Object.assign(new Error('Unauthorized'), { name: 'AuthenticationError', status: 401 }), 401],
    ['a guard of NestJS', Object.assign(new Error('Who?'), { status: 401, getStatus() {}, getResponse() {} }), 401],
    ['a guard of NestJS', Object.assign(new Error('No'), { status: 403, getStatus() {}, getResponse() {} }), 403],
    ['better-auth', Object.assign(new Error(), { name: 'APIError', status: 'UNAUTHORIZED', statusCode: 401 }), 401],
    ['an HTTP client', Object.assign(new Error('401 from https://id.test'), { status: 401 }), 503],
  ])('keeps the status of an error that %s throws for the client', async (_whose, error, status) => {
    const guarded = express().use(auth('admin', { verify: () => Promise.reject(error) }))
    guarded.use(errorHandler({ log: () => undefined }))
    const { get } = await serving(guarded)
    expect((await get('/me')).status).toBe(status)
  })

  it('is not called on a public route', async () => {
    let asked = 0
    const client = await checking(() => {
      asked++
      return null
    })
    expect((await client.get('/open', { token: 'x' })).status).toBe(200)
    expect(asked).toBe(0)
  })

  const upstream = Object.assign(new Error('upstream'), { status: 404 })
  const accidents = [new Error('db down'), upstream, { status: 404 }, 'route', 'router', undefined, null, 0, false]
  it.each(accidents)('replies 503 and reaches no handler if it throws or rejects with %s', async (thrown) => {
    for (const fail of [() => {
      throw thrown
    }, () => Promise.reject(thrown)]) {
      const client = await checking(fail)
      const reply = await client.get('/me')
      expect([reply.status, reply.body]).toEqual([503, { message: '', reason: 'unavailable' }])
    }
  })

  it('replies 503 if reading its result throws', async () => {
    const poison = new Proxy({}, { get: (_target, key) => {
      if (key === 'id') throw 'route'
    } })
    expect((await (await checking(() => poison)).get('/me')).status).toBe(503)
    const thenable = { then: () => {
      throw 'router'
    } }
    expect((await (await checking(() => thenable)).get('/me')).status).toBe(503)
  })

  it('can refuse with a 4xx error of its own', async () => {
    const client = await checking((req) => {
      throw req.get('x-key') ? new UnauthorizedError('Key revoked') : new BusinessError('Paused', 403)
    })
    expect((await client.get('/me')).body).toEqual({ message: 'Paused' })
    const revoked = await client.get('/me', { headers: { 'x-key': 'k' } })
    expect([revoked.status, revoked.headers.get('www-authenticate'), revoked.body.message]).toEqual([
      401,
      'Bearer realm="admin"',
      'Key revoked',
    ])
  })

  it('replies 503 if it does not settle within the timeout', async () => {
    const client = await checking(() => new Promise(() => {}), 0.02)
    expect((await client.get('/me')).status).toBe(503)
  })

  it('does not end the process if it rejects after the timeout', async () => {
    let reject: (error: Error) => void = () => {}
    const promise = new Promise((_resolve, fail) => {
      reject = fail
    })
    const client = await checking(() => promise, 0.01)
    expect((await client.get('/me')).status).toBe(503)
    reject(new Error('late'))
    expect((await client.get('/open')).status).toBe(200)
  })
})

describe('several ways to sign in', () => {
  const other = 'another secret of more than thirty-two bytes....'
  const both = (first: 'token' | 'key'): Promise<Client> => {
    const byKey = {
      verify: (req: express.Request) => (req.get('x-key') ? { id: `key-${String(req.get('x-key'))}` } : null),
    }
    const ways = [{ secret: [SECRET, other] }, byKey]
    return serving(
      appOf((app) => app.use(auth('admin', first === 'token' ? ways : ways.toReversed())).get('/me', whoami)),
    )
  }

  it('are tried in order until one recognises the credentials', async () => {
    const headers = { 'x-key': 'k' }
    const [byToken, byKey] = [await both('token'), await both('key')]
    expect((await byToken.get('/me', { headers, token: await signed() })).body).toMatchObject({ auth: { id: 7 } })
    expect((await byKey.get('/me', { headers, token: await signed() })).body).toMatchObject({ auth: { id: 'key-k' } })
    expect((await byToken.get('/me', { headers })).body).toMatchObject({ auth: { id: 'key-k' } })
    expect((await byToken.get('/me', { headers, token: await signed({ aud: 'shop' }) })).status).toBe(401)
    expect((await byToken.get('/me', { headers, token: 'opaque' })).body).toMatchObject({ auth: { id: 'key-k' } })
    expect((await byToken.get('/me')).body).toMatchObject({ reason: 'token_missing' })
  })

  it('accept tokens that any secret of the list has signed', async () => {
    const client = await both('token')
    expect((await client.get('/me', { token: await signed({}, other) })).status).toBe(200)
  })
})

describe('the options of auth', () => {
  const secret = 'x'.repeat(32)
  const verify = (): null => null
  const mistakes: readonly (readonly [code: string, app: unknown, options: unknown])[] = [
    ['app_name', '', { secret }],
    ['app_name', '1a', { secret }],
    ['app_name', 'a"b', { secret }],
    ['app_name', undefined, { secret }],
    ['auth_options', 'a', undefined],
    ['auth_options', 'a', []],
    ['auth_options', 'a', {}],
    ['auth_options', 'a', 'secret'],
    ['auth_options', 'a', [null]],
    ['secret_missing', 'a', { secret: undefined }],
    ['secret_missing', 'a', { secret: [] }],
    ['secret_missing', 'a', { secret: 5 }],
    ['secret_missing', 'a', { secret: [secret, undefined] }],
    ['secret_weak', 'a', { secret: '' }],
    ['secret_weak', 'a', { secret: 'x'.repeat(31) }],
    ['secret_weak', 'a', { secret: new Uint8Array(31) }],
    ['secret_weak', 'a', { secret: [secret, 'short'] }],
    ['option_unknown', 'a', { secret, algorithms: ['none'] }],
    ['option_unknown', 'a', { secret, verify }],
    ['option_unknown', 'a', { verify, renew: true }],
    ['option_function', 'a', { verify: true }],
    ['option_function', 'a', { verify: 'a long text that is not repeated in full' }],
    ['option_seconds', 'a', { secret, clockTolerance: '60' }],
    ['option_seconds', 'a', { secret, clockTolerance: -1 }],
    ['option_seconds', 'a', { secret, clockTolerance: Number.NaN }],
    ['option_seconds', 'a', { verify, timeout: '5' }],
    ['option_seconds', 'a', { verify, timeout: 0 }],
    ['option_seconds', 'a', { verify, timeout: 1e7 }],
    ['option_seconds', 'a', { verify, timeout: Infinity }],
  ]
  it.each(mistakes)('throws %s for %j, %j', (code, app, options) => {
    expect(() => auth(app as never, options as never)).toThrow(expect.objectContaining({ name: 'MisuseError', code }))
  })

  it('reports a weak secret with advice, and never repeats the secret', () => {
    const start = (): unknown => auth('a', { secret: 'hunter2hunter2' })
    expect(start).toThrow('at least 32 bytes, this one has 14. Generate one with `openssl rand -base64 48`')
    expect(start).not.toThrow('hunter2')
  })

  it('measures a secret in bytes, and accepts a Uint8Array', async () => {
    const bytes = new Uint8Array(32).fill(7)
    const client = await serving(
      appOf((app) => app.use(auth('admin', [{ secret: 'ß'.repeat(16) }])).get('/me', whoami)),
    )
    expect((await client.get('/me', { token: await signed({}, 'ß'.repeat(16)) })).status).toBe(200)
    expect(() => auth('a', { secret: bytes })).not.toThrow()
  })
})

it('auth passes its errors to Express if middleware calls it later', async () => {
  const app = express()
  const hidden = authenticate()
  app.use((req, res, next) => {
    setImmediate(() => hidden(req, res, next))
  })
  const client = await serving(finished(app))
  expect((await client.get('/', { token: 'bad' })).status).toBe(401)
})

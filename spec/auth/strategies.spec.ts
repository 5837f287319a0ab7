import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { auth, HttpError } from 'resourcery'
import type { AuthOptions } from '../../lib/core/auth/auth.js'
import { issuerOf, schemesOf } from '../../lib/core/auth/scheme.js'
import { guardsAmong } from '../../lib/core/routing/guards.js'
import { stateOf } from '../../lib/core/routing/request-state.js'
import { serving } from '../support/http.js'
import { appOf, mark, SECRET, signed, whoami } from './marked-routes.js'

const verifyBy = (header: string): AuthOptions => ({
  verify: (req: Request) => (req.get(header) === undefined ? null : { id: 1 }),
})

const PLACEHOLDER = 'change-me-change-me-change-me-change-me'
const GOOD = 'Rk3vQ8mZt1yXw6Lp0Hs9Nd4Bf7Gc2Je5'

describe('the strategies of an application', () => {
  it('have names that tell callers with the same id apart', async () => {
    const [first, second] = ['first'.repeat(8), 'second'.repeat(8)]
    const app = appOf((made) => {
      made.use(
        auth('admin', [{ secret: first }, verifyBy('x-one'), { secret: second, bareToken: true }, verifyBy('x-two')]),
      )
      made.get('/strategy', (req, res) => {
        res.json([stateOf(req).guards.get('admin')?.strategy ?? 'none'])
      })
    })
    const { get } = await serving(app)
    const nameOf = async (options: object): Promise<unknown> => JSON.parse((await get('/strategy', options)).text)
    expect(await nameOf({ token: await signed({}, first) })).toEqual(['none'])
    expect(await nameOf({ token: await signed({}, second) })).toEqual(['secret#1'])
    expect(await nameOf({ headers: { authorization: await signed({}, second) } })).toEqual(['secret#1'])
    expect(await nameOf({ headers: { 'x-one': '' } })).toEqual(['verify#0'])
    expect(await nameOf({ headers: { 'x-two': '' } })).toEqual(['verify#1'])
  })

  it('of one kind are tried until one accepts the token, and its refusal is the reply', async () => {
    const secrets = ['first'.repeat(8), 'second'.repeat(8)] as const
    const client = await serving(appOf((made) => {
      made.use(auth('admin', secrets.map((secret) => ({ secret })))).get('/me', whoami)
    }))
    const reply = async (token: string) => (await client.get('/me', { token })).body
    expect(await reply(await signed({}, secrets[1]))).toMatchObject({ auth: { id: 7 } })
    expect(await reply(await signed({ exp: 1 }, secrets[0]))).toMatchObject({ reason: 'token_expired' })
    expect(await reply(await signed({ exp: 1 }, secrets[1]))).toMatchObject({ reason: 'token_expired' })
    expect(await reply(await signed({}, 'third'.repeat(8)))).toMatchObject({ reason: 'token_invalid' })
  })

  it('are named by their issuer', async () => {
    const { exportJWK, generateKeyPair, SignJWT } = await import('jose')
    const { publicKey, privateKey } = await generateKeyPair('ES256')
    const jwks = { keys: [await exportJWK(publicKey)] }
    const issuers = ['https://one.test', 'https://two.test']
    const app = appOf((made) => {
      made.use(auth('admin', issuers.map((issuer) => ({ jwks, issuer, audience: 'a' }))))
      made.get('/strategy', (req, res) => void res.json([stateOf(req).guards.get('admin')?.strategy]))
    })
    const { get } = await serving(app)
    for (const iss of issuers) {
      const token = await new SignJWT({ sub: 'u', iss, aud: 'a', exp: Date.now() / 1000 + 60 })
        .setProtectedHeader({ alg: 'ES256' }).sign(privateKey)
      expect((await get('/strategy', { token })).text).toBe(JSON.stringify([`jwks ${iss}#0`]))
    }
  })

  it.each<[string, AuthOptions | readonly AuthOptions[], boolean]>([
    ['a placeholder', { secret: PLACEHOLDER }, true],
    ['a random secret', { secret: GOOD }, false],
    ['a placeholder beside others', [{ secret: GOOD }, verifyBy('x'), { secret: PLACEHOLDER }], true],
    ['a placeholder that only verifies', { secret: [GOOD, PLACEHOLDER] }, true],
    ['a function alone', verifyBy('x'), false],
  ])('are known to have a secret that can be guessed, or not: %s', (_case, options, isGuessable) => {
    expect(guardsAmong([auth('admin', options)])).toMatchObject([{ kind: 'auth', app: 'admin', isGuessable }])
  })
})

describe('a failure of `verify`', () => {
  const replyTo = async (thrown: unknown, returned?: unknown) => {
    const app = appOf((made) => {
      made.use(auth('admin', {
        verify: () => {
          if (returned !== undefined) return returned as null
          throw thrown
        },
      }))
      made.get('/me', whoami)
    })
    const { status, body } = await (await serving(app)).get('/me')
    return { status, body, logged: app.logged }
  }

  it.each([[400, 400], [418, 418], [499, 499], [500, 503], [503, 503], [599, 503]])(
    'with status %i is a %i',
    async (thrown, status) => {
      expect((await replyTo(new HttpError(thrown, 'No'))).status).toBe(status)
    },
  )

  it('of a library with status 401 is an invalid token, and one with status 403 stays', async () => {
    const failure = (status: number) =>
      Object.assign(new Error('No'), { name: 'UnauthorizedException', status, getStatus: () => status,
        getResponse: () => ({ statusCode: status, message: 'No' }) })
    expect(await replyTo(failure(401))).toMatchObject({ status: 401, body: { reason: 'token_invalid' } })
    expect((await replyTo(failure(403))).logged).toMatchObject([{ message: 'No' }])
  })

  it('is the cause of what the log gets', async () => {
    const cause = new Error('database')
    expect(await replyTo(cause)).toMatchObject({ status: 503, logged: [{ cause }] })
    expect(await replyTo('route')).toMatchObject({ status: 503, logged: [{ cause: 'route' }] })
  })

  it('that outlives the time-out is a 503; the time-out is what a timer can wait', () => {
    const { verify } = verifyBy('x') as { verify: () => null }
    for (const timeout of [0, -1, 2_147_484, Infinity]) {
      expect(() => auth('admin', { verify, timeout })).toThrow(expect.objectContaining({ code: 'option_seconds' }))
    }
    for (const timeout of [0.001, 2_147_483]) expect(() => auth('admin', { verify, timeout })).not.toThrow()
  })
})

describe('a preflight', () => {
  it('is answered once, without an error', async () => {
    const app = appOf((made) => {
      made.use(auth('admin', { secret: SECRET }))
      mark(made, '/users', 'users')
    })
    const { status, headers } = await (await serving(app)).send('OPTIONS', '/users')
    expect([status, headers.get('allow'), app.logged]).toEqual([204, 'GET, HEAD', []])
  })
})

describe('issuerOf', () => {
  const jwks = (issuer: string) => ({ jwks: { keys: [] }, issuer, audience: 'a' })
  const issuersOf = (sources: readonly unknown[], options = {}) => schemesOf('admin', sources, options).map(issuerOf)

  it('returns the exact issuer of `jwks`', () => {
    expect(issuersOf([jwks('https://id.test/'), jwks('https://id.test/a')]))
      .toEqual(['https://id.test/', 'https://id.test/a'])
    expect(issuersOf([jwks('accounts')])).toEqual([undefined])
  })

  it('returns the issuer of the address of a declared provider, and none of other credentials', () => {
    const openIdConnectUrl = 'https://id.test/a/.well-known/openid-configuration'
    expect(issuersOf([{ verify: () => null }], { scheme: { type: 'openIdConnect', openIdConnectUrl } }))
      .toEqual(['https://id.test/a'])
    expect(issuersOf([{ secret: SECRET }])).toEqual([undefined])
  })
})

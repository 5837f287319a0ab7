import { decodeJwt, decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'
import { auth } from 'resourcery'
import { issueToken } from 'resourcery'
import { serving } from '../support/http.js'
import { appOf, SECRET, whoami } from './marked-routes.js'

const secret = SECRET

describe('issueToken', () => {
  it('signs a token by HS256 with id, audience, time of issue and expiry', async () => {
    const token = await issueToken('admin', { id: 7, role: 'editor', permissions: ['admin.posts.*'], team: 'a' }, {
      secret,
    })
    const { iat, exp, auth_time, jti, ...claims } = decodeJwt(token)
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'JWT' })
    expect(claims).toEqual({ id: 7, sub: '7', aud: 'admin', role: 'editor', permissions: ['admin.posts.*'], team: 'a' })
    expect([Number(exp) - Number(iat), auth_time]).toEqual([86_400, iat])
    expect(jti).toMatch(/^[\da-f-]{36}$/)
  })

  it('gives each token its own id', async () => {
    const tokens = await Promise.all([1, 2].map(() => issueToken('admin', { id: 'a' }, { secret })))
    expect(new Set(tokens.map((token) => decodeJwt(token).jti)).size).toBe(2)
  })

  it.each([7, 'a7', 0, -1, 1.5, 'ä', ' '])('keeps the type and value of the id %j', async (id) => {
    const client = await serving(appOf((app) => app.use(auth('admin', { secret })).get('/me', whoami)))
    const token = await issueToken('admin', { id }, { secret: [secret, 'x'.repeat(32)], expiresIn: 60 })
    expect((await client.get('/me', { token })).body).toMatchObject({ auth: { id, sub: String(id) } })
  })

  it('issues tokens that only the named application accepts', async () => {
    const client = await serving(appOf((app) => app.use(auth('shop', { secret })).get('/me', whoami)))
    expect((await client.get('/me', { token: await issueToken('shop', { id: 1 }, { secret }) })).status).toBe(200)
    expect((await client.get('/me', { token: await issueToken('admin', { id: 1 }, { secret }) })).status).toBe(401)
  })

  it('accepts a secret of bytes', async () => {
    const bytes = new TextEncoder().encode(secret)
    const client = await serving(appOf((app) => app.use(auth('admin', { secret })).get('/me', whoami)))
    expect((await client.get('/me', { token: await issueToken('admin', { id: 1 }, { secret: bytes }) })).status).toBe(
      200,
    )
  })

  const mistakes: readonly (readonly [code: string, claims: unknown, options: unknown])[] = [
    ['claim_id', {}, { secret }],
    ['claim_id', { id: '' }, { secret }],
    ['claim_id', { id: null }, { secret }],
    ['claim_id', { id: Number.NaN }, { secret }],
    ['claim_id', { id: 5n }, { secret }],
    ['claim_id', { id: [5] }, { secret }],
    ['claim_role', { id: 1, role: null }, { secret }],
    ['claim_role', { id: 1, role: ['admin'] }, { secret }],
    ['claim_permissions', { id: 1, permissions: 'admin.users.list' }, { secret }],
    ['claim_permissions', { id: 1, permissions: [1] }, { secret }],
    ['option_seconds', { id: 1 }, { secret, expiresIn: '60' }],
    ['option_seconds', { id: 1 }, { secret, expiresIn: '1h' }],
    ['option_seconds', { id: 1 }, { secret, expiresIn: Number.NaN }],
    ['option_seconds', { id: 1 }, { secret, expiresIn: -60 }],
    ['option_seconds', { id: 1 }, { secret, expiresIn: Infinity }],
    ['option_unknown', { id: 1 }, { secret, expires: 60 }],
    ['options_shape', { id: 1 }, undefined],
    ['options_shape', { id: 1 }, secret],
    ['secret_missing', { id: 1 }, {}],
    ['secret_weak', { id: 1 }, { secret: 'short' }],
  ]
  it.each(mistakes)('refuses with %s: %o, %j', async (code, claims, options) => {
    await expect(issueToken('admin', claims as never, options as never)).rejects.toMatchObject({
      name: 'MisuseError',
      code,
    })
  })

  it.each(['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'auth_time'])(
    'refuses the reserved claim %s',
    async (name) => {
      await expect(issueToken('admin', { id: 1, [name]: 'x' }, { secret })).rejects.toMatchObject({
        code: 'claim_reserved',
      })
    },
  )

  it('refuses an invalid application name', async () => {
    await expect(issueToken('a b', { id: 1 }, { secret })).rejects.toMatchObject({ code: 'app_name' })
  })
})

import type { RequestHandler } from 'express'
import { decodeJwt, type JWTPayload } from 'jose'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { auth } from 'resourcery'
import type { RenewOptions } from '../../lib/core/auth/secret.js'
import { BusinessError } from 'resourcery'
import { permission } from 'resourcery'
import type { Auth } from 'resourcery'
import { serving, type Client, type Reply } from '../support/http.js'
import { appOf, mark, SECRET, seconds, signed, whoami } from './marked-routes.js'

const HOUR = 3600
const DAY = 24 * HOUR

type Renew = boolean | RenewOptions | undefined

function renewing(renew: Renew, handler: RequestHandler = whoami, secret: string | string[] = SECRET): Promise<Client> {
  return serving(appOf((app) => app.disable('x-powered-by').use(auth('admin', { secret, renew })).all('/me', handler)))
}

/** Signs a token of a session that began `age` seconds ago, valid for one day unless a claim differs. */
function aged(age: number, claims: Record<string, unknown> = {}, secret = SECRET): Promise<string> {
  const iat = seconds() - age
  return signed({ iat, exp: iat + DAY, auth_time: iat, jti: 'old', role: 'editor', ...claims }, secret)
}

function freshOf({ headers }: Reply): JWTPayload | null {
  const authorization = headers.get('authorization')
  return authorization === null ? null : decodeJwt(authorization.replace(/^Bearer /, ''))
}

describe('sliding renewal', () => {
  it('sends a fresh, valid token once the old one has reached the renewal age', async () => {
    const client = await renewing(true)
    const token = await aged(13 * HOUR)
    const reply = await client.get('/me', { token })
    const { iat, exp, auth_time, jti, ...claims } = freshOf(reply) ?? {}
    expect(claims).toEqual({ id: 7, sub: '7', aud: 'admin', role: 'editor', permissions: ['*'] })
    expect(auth_time).toBe(decodeJwt(token).iat)
    expect(Number(exp) - Number(iat)).toBe(DAY)
    expect(Number(iat)).toBeGreaterThan(Number(decodeJwt(token).iat))
    expect(jti).not.toBe('old')
    expect(reply.headers.get('access-control-expose-headers')).toBe('Authorization')
    expect(reply.headers.get('cache-control')).toBe('no-store')
    const again = await client.get('/me', { headers: { authorization: String(reply.headers.get('authorization')) } })
    expect([again.status, freshOf(again)]).toEqual([200, null])
  })

  it.each([
    ['a younger token', true, 11 * HOUR, {}],
    ['a token if renewal is not enabled', undefined, 13 * HOUR, {}],
    ['a token if renewal is disabled', false, 13 * HOUR, {}],
    ['a token that has no time of issue', true, 13 * HOUR, { iat: undefined }],
    ['a token whose sign-in time is invalid', true, 13 * HOUR, { auth_time: '0' }],
    ['a session that has reached its maximum', true, 13 * HOUR, { auth_time: seconds() - 8 * DAY }],
    ['a session whose maximum is reached when its token expires', true, 13 * HOUR, {
      auth_time: seconds() + 11 * HOUR - 7 * DAY,
    }],
    ['a token without sign-in time, older than the maximum session', { after: HOUR, max: 2 * HOUR }, 3 * HOUR, {
      auth_time: undefined,
    }],
  ])('does not renew %s', async (_case, renew, age, claims) => {
    const reply = await (await renewing(renew)).get('/me', { token: await aged(age, claims) })
    expect([reply.status, freshOf(reply), reply.headers.get('cache-control')]).toEqual([200, null, null])
    expect(reply.headers.get('access-control-expose-headers')).toBeNull()
  })

  it('renews a token from the second of the renewal age on', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const client = await renewing({ after: HOUR })
    const token = await aged(HOUR - 1)
    expect(freshOf(await client.get('/me', { token }))).toBeNull()
    vi.setSystemTime(Date.now() + 1000)
    expect(freshOf(await client.get('/me', { token }))).not.toBeNull()
  })

  it('does not renew a token that would not be valid longer', async () => {
    const began = seconds() - 7 * DAY + 11 * HOUR
    const token = await aged(13 * HOUR, { auth_time: began })
    expect(decodeJwt(token).exp).toBe(began + 7 * DAY)
    expect(freshOf(await (await renewing(true)).get('/me', { token }))).toBeNull()
  })

  it('limits a fresh token to the maximum session', async () => {
    const began = seconds() - 7 * DAY + 12 * HOUR
    const fresh = freshOf(
      await (await renewing(true)).get('/me', { token: await aged(13 * HOUR, { auth_time: began }) }),
    )
    expect([fresh?.exp, fresh?.auth_time]).toEqual([began + 7 * DAY, began])
  })

  it('measures the session from the time of issue if the token has no sign-in time', async () => {
    const token = await aged(2 * HOUR, { auth_time: undefined })
    const fresh = freshOf(await (await renewing({ after: HOUR, max: 25 * HOUR })).get('/me', { token }))
    expect([fresh?.auth_time, fresh?.exp]).toEqual([decodeJwt(token).iat, Number(decodeJwt(token).iat) + 25 * HOUR])
  })

  it('signs with the first secret, whichever secret signed the old token', async () => {
    const [first, second] = ['a'.repeat(40), 'b'.repeat(40)] as [string, string]
    const both = await renewing({ after: 0 }, whoami, [first, second])
    const reply = await both.get('/me', { token: await aged(HOUR, {}, second) })
    const headers = { authorization: String(reply.headers.get('authorization')) }
    expect((await (await renewing(false, whoami, first)).get('/me', { headers })).status).toBe(200)
  })

  it('does not renew an expired token', async () => {
    const reply = await (await renewing({ after: 0 })).get('/me', { token: await aged(DAY + 5) })
    expect([reply.status, freshOf(reply)]).toEqual([401, null])
  })
})

describe('a reply with a fresh token', () => {
  const cached = { 'cache-control': 'public', 'x-own': 'a' }
  const replies: readonly (readonly [name: string, handler: RequestHandler])[] = [
    ['json', (_req, res) => void res.json({})],
    ['end', (_req, res) => void res.end()],
    ['writeHead and end', (_req, res) => void res.writeHead(200).end('x')],
    ['writeHead with text and headers', (_req, res) => void res.writeHead(200, 'Fine', cached).end('x')],
    [
      'writeHead with a flat list',
      (_req, res) => void res.writeHead(200, ['Cache-Control', 'public', 'X-Own', 'a']).end('x'),
    ],
    ['writeHead with pairs', (_req, res) => void res.writeHead(200, Object.entries(cached) as never).end('x')],
    ['writes', (_req, res) => {
      res.write('x')
      res.end()
    }],
    ['flushHeaders', (_req, res) => {
      res.set('cache-control', 'public').flushHeaders()
      res.end('x')
    }],
    ['201', (_req, res) => void res.status(201).json({})],
    ['204', (_req, res) => void res.status(204).end()],
    ['sendStatus', (_req, res) => void res.sendStatus(202)],
  ]
  it.each(replies)('is sent by %s', async (_name, handler) => {
    const reply = await (await renewing({ after: 0 }, handler)).get('/me', { token: await aged(HOUR) })
    expect(freshOf(reply)).toMatchObject({ id: 7 })
    expect(reply.headers.get('cache-control')).toBe('no-store')
  })

  it('keeps the headers and the status text passed to writeHead', async () => {
    const flat = ['X-Own', 'a', 'X-Own', 'b', 'Set-Cookie', 'c=1', 'Set-Cookie', 'd=2']
    const client = await renewing({ after: 0 }, (_req, res) => {
      res.set('x-own', 'overwritten').writeHead(200, 'Fine', flat).end('x')
    })
    const { headers } = await client.get('/me', { token: await aged(HOUR) })
    expect([headers.get('x-own'), headers.getSetCookie()]).toEqual(['a, b', ['c=1', 'd=2']])
  })

  it.each([
    [undefined, 'Authorization'],
    ['X-Total', 'X-Total, Authorization'],
    ['X-Total, authorization', 'X-Total, authorization'],
    [['X-Total', 'X-Page'], 'X-Total, X-Page, Authorization'],
    ['X-Authorization', 'X-Authorization, Authorization'],
  ])('adds Authorization to the exposed headers %j', async (exposed, expected) => {
    const client = await renewing({ after: 0 }, (_req, res) => {
      if (exposed !== undefined) res.set('Access-Control-Expose-Headers', exposed)
      res.json({})
    })
    expect((await client.get('/me', { token: await aged(HOUR) })).headers.get('access-control-expose-headers')).toBe(
      expected,
    )
  })

  it.each([304, 302, 400, 404, 500])('is not sent with status %i', async (status) => {
    const client = await renewing({ after: 0 }, (_req, res) => void res.status(status).end())
    const reply = await fetch(`${client.url}/me`, {
      redirect: 'manual',
      headers: { authorization: `Bearer ${await aged(HOUR)}` },
    })
    expect([reply.status, reply.headers.get('authorization'), reply.headers.get('cache-control')]).toEqual([
      status,
      null,
      null,
    ])
  })

  it('is not sent for an error', async () => {
    const client = await renewing({ after: 0 }, () => {
      throw new BusinessError('No')
    })
    expect(freshOf(await client.get('/me', { token: await aged(HOUR) }))).toBeNull()
  })
})

describe('reload', () => {
  const reloading = (reload: (auth: Auth) => unknown, timeout?: number): Promise<Client> => {
    const renew = { after: HOUR, reload: reload as () => null, ...(timeout !== undefined && { timeout }) }
    return serving(appOf((app) => {
      app.use(auth('admin', { secret: SECRET, renew }), permission('admin'))
      mark(app, '/users', 'users.list')
      app.get('/me', whoami)
    }))
  }

  it('replaces the claims of the fresh token and of the current request', async () => {
    const client = await reloading(({ id }) => Promise.resolve({ id, role: 'viewer', permissions: [], team: 'b' }))
    const token = await aged(2 * HOUR, { team: 'a', gone: true })
    const reply = await client.get('/me', { token })
    const kept = { id: 7, sub: '7', aud: 'admin', auth_time: decodeJwt(token).iat }
    expect(freshOf(reply)).toMatchObject({ ...kept, role: 'viewer', permissions: [], team: 'b' })
    expect(freshOf(reply)).not.toHaveProperty('gone')
    expect(reply.body).toMatchObject({ auth: { ...kept, role: 'viewer', permissions: [], team: 'b', jti: 'old' } })
    expect((reply.body as unknown as { auth: object }).auth).not.toHaveProperty('gone')
    expect((await client.get('/users', { token })).status).toBe(403)
  })

  it('is not called for a young token', async () => {
    let asked = 0
    const client = await reloading(() => {
      asked++
      return null
    })
    expect((await client.get('/me', { token: await aged(60) })).status).toBe(200)
    expect(asked).toBe(0)
  })

  it('returns claims without an id, and cannot change times, subject or audience', async () => {
    const client = await reloading(() => ({
      role: 'x',
      exp: 9e9,
      iat: 0,
      sub: 'forged',
      aud: 'forged',
      auth_time: 9e9,
    }))
    const token = await aged(2 * HOUR)
    const fresh = freshOf(await client.get('/me', { token }))
    expect(fresh).toMatchObject({ id: 7, sub: '7', aud: 'admin', role: 'x', auth_time: decodeJwt(token).iat })
    expect(fresh?.exp).toBeLessThan(9e9)
    expect(fresh).not.toHaveProperty('permissions')
  })

  it.each([null, undefined, false, true, 'x', { id: 8 }, { id: '' }, { id: null }])(
    'refuses the caller if it returns %j',
    async (answer) => {
      const reply = await (await reloading(() => answer)).get('/me', { token: await aged(2 * HOUR) })
      expect([reply.status, freshOf(reply), reply.body]).toMatchObject([401, null, { reason: 'token_invalid' }])
    },
  )

  it.each([new Error('db'), 'route', undefined])('replies 503 if it fails with %s', async (thrown) => {
    for (const fail of [() => {
      throw thrown
    }, () => Promise.reject(thrown)]) {
      expect((await (await reloading(fail)).get('/me', { token: await aged(2 * HOUR) })).status).toBe(503)
    }
  })

  it('replies 503 if it does not settle', async () => {
    expect(
      (await (await reloading(() => new Promise(() => {}), 0.02)).get('/me', { token: await aged(2 * HOUR) })).status,
    )
      .toBe(503)
  })

  it('replies 500 without reaching the handler if its claims cannot be signed', async () => {
    const client = await reloading(() => ({ size: 5n }))
    expect((await client.get('/me', { token: await aged(2 * HOUR) })).status).toBe(500)
  })
})

describe('the options of renew', () => {
  const mistakes: readonly (readonly [code: string, renew: unknown])[] = [
    ['options_shape', '60'],
    ['options_shape', 60],
    ['options_shape', null],
    ['option_unknown', { every: 60 }],
    ['option_seconds', { after: '60' }],
    ['option_seconds', { after: -1 }],
    ['option_seconds', { max: '604800' }],
    ['option_seconds', { max: Number.NaN }],
    ['option_seconds', { timeout: '5' }],
    ['option_function', { reload: true }],
  ]
  it.each(mistakes)('throws %s for %j', (code, renew) => {
    expect(() => auth('admin', { secret: SECRET, renew: renew as never })).toThrow(
      expect.objectContaining({ name: 'MisuseError', code }),
    )
  })
})

import { describe, expect, it } from 'vitest'
import { auth, type AuthOptions } from '../../lib/core/auth/auth.js'
import { raw, serving, type Client } from '../support/http.js'
import { appOf, SECRET, signed, whoami } from './marked-routes.js'

function guarded(options: AuthOptions | readonly AuthOptions[]): Promise<Client> {
  return serving(appOf((app) => app.use(auth('admin', options)).get('/me', whoami)))
}

const ask = async (
  authorization: string,
  options: AuthOptions | readonly AuthOptions[] = { secret: SECRET, bareToken: true },
) => (await guarded(options)).get('/me', { headers: { authorization } })

describe('a token without a scheme', () => {
  it('is accepted with `bareToken`, like one with the scheme', async () => {
    const token = await signed()
    for (const value of [token, `Bearer ${token}`, `bearer  ${token}`]) {
      const { status, body } = await ask(value)
      expect([status, body]).toEqual([
        200,
        expect.objectContaining({ auth: expect.objectContaining({ id: 7 }) as unknown }),
      ])
    }
  })

  it.each<[string, AuthOptions]>([
    ['not set', { secret: SECRET }],
    ['false', { secret: SECRET, bareToken: false }],
    ['undefined', { secret: SECRET, bareToken: undefined }],
  ])('gets 401 if `bareToken` is %s', async (_case, options) => {
    const reply = await ask(await signed(), options)
    expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="admin", error="invalid_token"',
    ])
  })

  it.each([
    ['of another application', () => signed({ aud: 'shop' })],
    ['that has expired', () => signed({ exp: 1 })],
    ['with a changed signature', async () => `${(await signed()).slice(0, -3)}abc`],
    ['with another scheme', async () => `Token ${await signed()}`],
    ['in quotes', async () => `"${await signed()}"`],
    ['with something behind it', async () => `${await signed()} x`],
    ['of two parts', () => 'a.b'],
    ['of four parts', () => 'a.b.c.d'],
    ['that is nonsense', () => 'null'],
  ])('gets 401 if it is one %s', async (_case, make) => {
    const reply = await ask(await make())
    expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="admin", error="invalid_token"',
    ])
  })

  it('counts as missing if the header is empty', async () => {
    const reply = await ask('')
    expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="admin"'])
  })

  it('is accepted beside another header with a name as long as that of Authorization', async () => {
    const { get } = await guarded({ secret: SECRET, bareToken: true })
    const headers = { authorization: await signed(), 'cache-control': 'no-cache' }
    expect((await get('/me', { headers })).status).toBe(200)
  })

  it('gets 400 in a second header', async () => {
    const { url } = await guarded({ secret: SECRET, bareToken: true })
    const token = await signed()
    const seen = await raw(
      url,
      `GET /me HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nAuthorization: ${token}\r\nConnection: close\r\n\r\n`,
    )
    expect(seen).toMatch(/^HTTP\/1\.1 400 /)
  })

  it('is accepted only by the strategies that allow it', async () => {
    const other = 'another secret of the specs, with enough bytes'
    const options = [{ secret: other, bareToken: true }, {
      jwks: { keys: [] },
      issuer: 'https://id.example.test',
      audience: 'admin',
      bareToken: true,
    }]
    expect((await ask(await signed(), [...options, { secret: SECRET }])).status).toBe(401)
    expect((await ask(await signed(), [{ secret: SECRET, bareToken: true }, ...options])).status).toBe(200)
  })
})

describe('the option `bareToken`', () => {
  it.each(['true', 1, null])('is refused with the value %j', (bareToken) => {
    expect(() => auth('admin', { secret: SECRET, bareToken } as never)).toThrow(
      expect.objectContaining({ code: 'auth_options' }),
    )
  })

  it('is refused together with `verify`, which reads the header itself', () => {
    expect(() => auth('admin', { verify: () => null, bareToken: true })).toThrow(/bareToken/)
  })
})

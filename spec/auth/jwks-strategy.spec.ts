import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { auth, type AuthOptions } from '../../lib/core/auth/auth.js'
import type { JwksOptions } from '../../lib/core/auth/jwks.js'
import { serving, type Client } from '../support/http.js'
import { appOf, SECRET, seconds, signed, whoami } from './marked-routes.js'

const issuer = 'https://id.example.test/'
const audience = 'api'

interface Signer {
  readonly alg: string
  readonly kid: string
  readonly key: CryptoKey
  readonly jwk: JWK
}

async function signer(alg: string, kid: string): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  return { alg, kid, key: privateKey, jwk: { ...(await exportJWK(publicKey)), alg, kid, use: 'sig' } }
}

let rs: Signer, es: Signer, ed: Signer, next: Signer, pss: Signer

beforeAll(async () => {
  ;[rs, es, ed, next, pss] = await Promise.all([
    signer('RS256', 'rs'),
    signer('ES256', 'es'),
    signer('EdDSA', 'ed'),
    signer('ES256', 'next'),
    signer('PS256', 'pss'),
  ])
})

function token(
  { alg, kid, key }: Signer,
  claims: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
): Promise<string> {
  const payload: Record<string, unknown> = { sub: 'u-1', iss: issuer, aud: audience, exp: seconds() + 60, ...claims }
  const given = Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined))
  return new SignJWT(given).setProtectedHeader({ alg, kid, ...header }).sign(key)
}

function guarded(jwks: JwksOptions['jwks'], more: Partial<JwksOptions> = {}): Promise<Client> {
  return guardedBy({ jwks, issuer, audience, ...more })
}

function guardedBy(options: AuthOptions | readonly AuthOptions[]): Promise<Client> {
  return serving(appOf((app) => app.use(auth('admin', options)).get('/me', whoami)))
}

interface Provider {
  readonly url: string
  readonly server: Server
  readonly fetches: () => number
}

/** Starts an identity provider that publishes keys and counts the requests. */
async function provider(answer: () => readonly JWK[] | RequestListener): Promise<Provider> {
  let fetches = 0
  const server = createServer((req, res) => {
    fetches++
    const keys = answer()
    if (typeof keys === 'function') keys(req, res)
    else res.setHeader('content-type', 'application/json').end(JSON.stringify({ keys }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`, server, fetches: () => fetches }
}

describe('a token of an identity provider', () => {
  it('is accepted if signed by RS256, ES256 or EdDSA, and its subject is the id', async () => {
    const client = await guarded({ keys: [rs.jwk, es.jwk, ed.jwk] })
    for (const one of [rs, es, ed]) {
      const reply = await client.get('/me', { token: await token(one, { id: 'something else', role: 'editor' }) })
      expect([one.alg, reply.body]).toMatchObject([one.alg, { auth: { id: 'u-1', sub: 'u-1', role: 'editor' } }])
    }
  })

  it.each([
    ['another issuer', { iss: 'https://evil.example.test/' }],
    ['no issuer', { iss: undefined }],
    ['another audience', { aud: 'other' }],
    ['no audience', { aud: undefined }],
    ['no expiry', { exp: undefined }],
    ['no subject', { sub: undefined, id: 5 }],
    ['an empty subject', { sub: '' }],
    ['a subject that is not a string', { sub: 5 }],
    ['no subject, and expired', { sub: undefined, exp: 1 }],
  ])('is refused with %s', async (_case, claims) => {
    const reply = await (await guarded({ keys: [es.jwk] })).get('/me', { token: await token(es, claims) })
    expect([reply.status, reply.body]).toEqual([401, {
      message: 'The credentials are not valid',
      reason: 'token_invalid',
    }])
  })

  it('is accepted without an audience with `audience: false`, and refused with one', async () => {
    const client = await guarded({ keys: [es.jwk] }, { audience: false })
    const statusOf = async (claims: Record<string, unknown>): Promise<number> =>
      (await client.get('/me', { token: await token(es, claims) })).status
    expect(await statusOf({ aud: undefined, azp: 'https://shop.example.test' })).toBe(200)
    expect(await statusOf({ aud: 'api' })).toBe(401)
    expect(await statusOf({ aud: [] })).toBe(401)
    expect(await statusOf({ aud: undefined, iss: 'https://evil.example.test/' })).toBe(401)
    expect(await statusOf({ aud: undefined, exp: 1 })).toBe(401)
  })

  it('is refused with the reason token_expired once it has expired', async () => {
    const client = await guarded({ keys: [es.jwk] }, { clockTolerance: 10 })
    expect((await client.get('/me', { token: await token(es, { exp: seconds() - 5 }) })).status).toBe(200)
    expect((await client.get('/me', { token: await token(es, { exp: seconds() - 20 }) })).body).toMatchObject({
      reason: 'token_expired',
    })
  })

  it('is refused if signed by an algorithm that is not allowed', async () => {
    const all = { keys: [rs.jwk, es.jwk, ed.jwk, pss.jwk] }
    expect((await (await guarded(all)).get('/me', { token: await token(pss) })).status).toBe(401)
    const narrowed = await guarded(all, { algorithms: ['ES256'] })
    expect((await narrowed.get('/me', { token: await token(rs) })).status).toBe(401)
    expect((await narrowed.get('/me', { token: await token(es) })).status).toBe(200)
    const secret = JSON.stringify(es.jwk)
    expect(
      (await narrowed.get('/me', { token: await signed({ iss: issuer, aud: audience }, secret, { kid: 'es' }) }))
        .status,
    )
      .toBe(401)
  })

  it('is refused if its algorithm is a list', async () => {
    const [, payload = '', signature = ''] = (await token(rs)).split('.')
    const header = Buffer.from(JSON.stringify({ alg: ['RS256'], kid: 'rs' })).toString('base64url')
    const { get } = await guarded({ keys: [rs.jwk] })
    expect(await get('/me', { token: [header, payload, signature].join('.') })).toMatchObject({
      status: 401,
      body: { reason: 'token_invalid' },
    })
  })

  it('is checked against every suitable key if it has no key id', async () => {
    const client = await guarded({ keys: [es.jwk, next.jwk] })
    for (const one of [es, next]) {
      expect((await client.get('/me', { token: await token(one, {}, { kid: undefined }) })).status)
        .toBe(200)
    }
    const other = await signer('ES256', 'other')
    expect((await client.get('/me', { token: await token(other, {}, { kid: undefined }) })).status).toBe(401)
  })

  it('is refused if signed by another key under a known key id', async () => {
    const impostor = await signer('ES256', 'es')
    expect((await (await guarded({ keys: [es.jwk] })).get('/me', { token: await token(impostor) })).status).toBe(401)
  })

  it('is accepted next to tokens of a secret, recognised by issuer and algorithm', async () => {
    const others = { jwks: { keys: [next.jwk] }, issuer: 'https://other.example.test/', audience }
    const client = await guardedBy([{ secret: SECRET }, { jwks: { keys: [es.jwk] }, issuer, audience }, others])
    expect((await client.get('/me', { token: await signed() })).body).toMatchObject({ auth: { id: 7 } })
    expect((await client.get('/me', { token: await token(es) })).body).toMatchObject({ auth: { id: 'u-1' } })
    expect((await client.get('/me', { token: await token(next, { iss: others.issuer }) })).status).toBe(200)
    expect((await client.get('/me', { token: await token(es, { iss: others.issuer }) })).status).toBe(401)
    expect((await client.get('/me', { token: await token(es, { iss: 'https://nobody.example.test/' }) })).status).toBe(
      401,
    )
  })
})

describe('the keys of an identity provider', () => {
  it('are fetched once for many concurrent requests', async () => {
    const { url, fetches } = await provider(() => [es.jwk])
    const client = await guarded(url)
    const good = await token(es)
    const replies = await Promise.all(Array.from({ length: 50 }, () => client.get('/me', { token: good })))
    expect([new Set(replies.map(({ status }) => status)), fetches()]).toEqual([new Set([200]), 1])
    expect((await client.get('/me', { token: good })).status).toBe(200)
    expect(fetches()).toBe(1)
  })

  it('are not fetched for tokens that the provider cannot have issued', async () => {
    const { url, fetches } = await provider(() => [es.jwk])
    const client = await guarded(new URL(url))
    const foreign = [undefined, 'x', await signed(), await token(es, { iss: 'x' }), await token(pss)]
    for (const one of foreign) expect((await client.get('/me', { token: one })).status).toBe(401)
    expect(fetches()).toBe(0)
  })

  it('are fetched again for a newly published key', async () => {
    let published = [es.jwk]
    const { url, fetches } = await provider(() => published)
    const client = await guarded(url)
    expect((await client.get('/me', { token: await token(es) })).status).toBe(200)
    published = [next.jwk]
    expect((await client.get('/me', { token: await token(next) })).status).toBe(200)
    expect((await client.get('/me', { token: await token(es) })).status).toBe(401)
    expect(fetches()).toBe(3)
  })

  it('are not fetched repeatedly for unknown key ids', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { url, fetches } = await provider(() => [es.jwk])
    const client = await guarded(url)
    const madeUp = (kid: string): Promise<string> => token(es, { exp: seconds() + 600 }, { kid })
    const replies = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (kid) => client.get('/me', { token: await madeUp(kid) })),
    )
    expect(replies.map(({ body }) => (body as unknown as { reason: string }).reason)).toEqual(
      Array(4).fill('token_invalid'),
    )
    await client.get('/me', { token: await madeUp('e') })
    const before = fetches()
    expect(before).toBeLessThanOrEqual(3)
    expect((await client.get('/me', { token: await token(es) })).status).toBe(200)
    expect(fetches()).toBe(before)
    vi.setSystemTime(Date.now() - 3_600_000)
    vi.advanceTimersByTime(31_000)
    await client.get('/me', { token: await madeUp('f') })
    expect(fetches()).toBe(before + 1)
  })

  it('are fetched once more for an unknown key id in 30 seconds', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { url, fetches } = await provider(() => [es.jwk])
    const client = await guarded(url)
    const fetchesAfter = async (kid: string): Promise<number> => {
      await client.get('/me', { token: await token(es, { exp: seconds() + 600 }, { kid }) })
      return fetches()
    }
    expect([await fetchesAfter('es'), await fetchesAfter('a'), await fetchesAfter('b')]).toEqual([1, 2, 2])
    vi.advanceTimersByTime(29_999)
    expect(await fetchesAfter('c')).toBe(2)
    vi.advanceTimersByTime(1)
    expect([await fetchesAfter('d'), await fetchesAfter('e')]).toEqual([3, 3])
  })

  it.each([
    ['without a key id', () => undefined],
    ['under the same key id', ({ kid }: Signer) => kid],
  ])('are fetched again for a token %s that no known key verifies, once in 30 seconds', async (_what, kidOf) => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const made = (by: Signer): Promise<string> => token(by, { exp: seconds() + 600 }, { kid: kidOf(es) })
    let published = [es.jwk]
    const { url, fetches } = await provider(() => published)
    const client = await guarded(url)
    const statusOf = async (by: Signer): Promise<number> => (await client.get('/me', { token: await made(by) })).status
    expect([await statusOf(es), fetches()]).toEqual([200, 1])
    published = [{ ...next.jwk, kid: es.kid }]
    expect([await Promise.all([statusOf(next), statusOf(next)]), await statusOf(next)]).toEqual([[200, 200], 200])
    const before = fetches()
    expect([await statusOf(es), fetches()]).toEqual([401, before + 1])
    expect([await statusOf(es), await statusOf(next), fetches()]).toEqual([401, 200, before + 1])
    vi.advanceTimersByTime(30_000)
    expect([await statusOf(es), fetches()]).toEqual([401, before + 2])
  })

  it('that are known verify tokens while the provider fails, and refuse those that they do not verify', async () => {
    let isDown = false
    const { url } = await provider(() => (isDown ? (_req, res) => void res.writeHead(500).end() : [es.jwk]))
    const client = await guarded(url)
    expect((await client.get('/me', { token: await token(es) })).status).toBe(200)
    isDown = true
    expect((await client.get('/me', { token: await token(next, {}, { kid: es.kid }) })).status).toBe(401)
    expect((await client.get('/me', { token: await token(es, { sub: 'u-2' }) })).status).toBe(200)
  })

  it('are fetched once for a token without a key id that several keys may have signed', async () => {
    const { url, fetches } = await provider(() => [es.jwk, next.jwk])
    const client = await guarded(url)
    for (const one of [es, next]) {
      expect((await client.get('/me', { token: await token(one, {}, { kid: undefined }) })).status).toBe(200)
    }
    expect(fetches()).toBe(1)
  })

  it('are not asked for a token that they verified, for 60 seconds', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const verify = vi.spyOn(crypto.subtle, 'verify')
    onTestFinished(() => verify.mockRestore())
    const client = await guarded({ keys: [es.jwk] })
    const good = await token(es, { exp: seconds() + 600 })
    const verifications = async (): Promise<number> => {
      expect((await client.get('/me', { token: good })).status).toBe(200)
      return verify.mock.calls.length
    }
    expect([await verifications(), await verifications()]).toEqual([1, 1])
    vi.advanceTimersByTime(60_000)
    expect(await verifications()).toBe(1)
    vi.advanceTimersByTime(1)
    expect(await verifications()).toBe(2)
  })

  it('are fetched again after ten minutes, also if the clock is set back meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    let published = [es.jwk]
    const { url, fetches } = await provider(() => published)
    const client = await guarded(url)
    const statusOf = async (): Promise<number> => (await client.get('/me', { token: await token(es) })).status
    expect(await statusOf()).toBe(200)
    published = [next.jwk]
    vi.setSystemTime(Date.now() - 3_600_000)
    vi.advanceTimersByTime(599_000)
    expect([await statusOf(), fetches()]).toEqual([200, 1])
    vi.advanceTimersByTime(1000)
    expect(await statusOf()).toBe(401)
  })

  const broken: readonly (readonly [string, RequestListener])[] = [
    ['fails', (_req, res) => void res.writeHead(500).end()],
    ['redirects', (_req, res) => void res.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
    ['answers without a body', (_req, res) => void res.writeHead(204).end()],
    ['answers with a page', (_req, res) => void res.end('<html>')],
    ['answers with something else', (_req, res) => void res.end('{"keys":"none"}')],
    ['closes the connection', (req) => void req.socket.destroy()],
    ['never answers', () => {}],
    ['never finishes', (_req, res) => void res.write('{"keys":[')],
  ]
  it.each(broken)('cause a 503 while the provider %s, and are accepted once it recovers', async (_case, listener) => {
    let well = false
    const { url } = await provider(() => (well ? [es.jwk] : listener))
    const client = await guarded(url, { timeout: 0.5 })
    const reply = await client.get('/me', { token: await token(es) })
    expect([reply.status, reply.body, reply.headers.get('www-authenticate')]).toEqual([503, {
      message: '',
      reason: 'unavailable',
    }, null])
    well = true
    expect((await client.get('/me', { token: await token(es) })).status).toBe(200)
  })

  it('are asked for by one request at a time, and ever more rarely, while the provider fails', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    let well = false
    const { url, fetches } = await provider(() => (well ? [es.jwk] : (_req, res) => void res.writeHead(429).end()))
    const client = await guarded(url)
    const good = await token(es)
    const statuses = async (): Promise<number[]> => {
      const replies = await Promise.all(Array.from({ length: 20 }, () => client.get('/me', { token: good })))
      return [...new Set(replies.map(({ status }) => status)), fetches()]
    }
    expect((await client.get('/me', { token: good })).status).toBe(503)
    expect(await statuses()).toEqual([503, 2])
    expect(await statuses()).toEqual([503, 2])
    vi.advanceTimersByTime(1000)
    expect(await statuses()).toEqual([503, 3])
    vi.advanceTimersByTime(1999)
    expect(await statuses()).toEqual([503, 3])
    vi.advanceTimersByTime(1)
    well = true
    expect(await statuses()).toEqual([200, 4])
  })

  it('cause a 503 if they are more than a megabyte, and no more is read', async () => {
    let sent = 0
    const { url } = await provider(() => (_req, res) => {
      const more = (): void => {
        while (!res.destroyed && sent < 50_000_000) {
          sent += 65_536
          if (!res.write('x'.repeat(65_536))) return void res.once('drain', more)
        }
        res.end()
      }
      more()
    })
    expect((await (await guarded(url)).get('/me', { token: await token(es) })).status).toBe(503)
    expect(sent).toBeLessThan(20_000_000)
  })

  it('may be of several audiences of an issuer', async () => {
    const options = ['web', 'mobile'].map((audience) => ({ jwks: { keys: [es.jwk] }, issuer, audience }))
    const client = await guardedBy(options)
    const statusOf = async (aud: string, key = es): Promise<number> =>
      (await client.get('/me', { token: await token(key, { aud }) })).status
    expect([await statusOf('web'), await statusOf('mobile'), await statusOf('tv'), await statusOf('mobile', next)])
      .toEqual([200, 200, 401, 401])
  })

  it('cause a 503 if they arrive after the timeout', async () => {
    const { url } = await provider(() => (_req, res) => {
      const answer = setTimeout(() => void res.end(JSON.stringify({ keys: [es.jwk] })), 3000)
      onTestFinished(() => clearTimeout(answer))
    })
    const client = await guarded(url, { timeout: 0.2 })
    expect((await client.get('/me', { token: await token(es) })).status).toBe(503)
  })

  it('cause a 503 if no provider is listening, and the log says why', async () => {
    const { url, server } = await provider(() => [])
    server.close()
    const app = appOf((app) => app.use(auth('admin', { jwks: url, issuer, audience })).get('/me', whoami))
    expect((await (await serving(app)).get('/me', { token: await token(es) })).status).toBe(503)
    expect(app.logged).toMatchObject([{ cause: { message: 'fetch failed' } }])
  })
})

describe('the options of { jwks }', () => {
  const good = { jwks: 'https://id.example.test/jwks.json', issuer, audience }
  const mistakes: readonly (readonly [code: string, options: unknown])[] = [
    ['option_text', { ...good, issuer: undefined }],
    ['option_text', { ...good, issuer: '' }],
    ['option_text', { ...good, issuer: [issuer] }],
    ['option_text', { ...good, audience: undefined }],
    ['option_text', { ...good, audience: '' }],
    ['option_text', { ...good, audience: true }],
    ['option_text', { ...good, audience: null }],
    ['option_jwks', { ...good, jwks: undefined }],
    ['option_jwks', { ...good, jwks: '' }],
    ['option_jwks', { ...good, jwks: '/jwks.json' }],
    ['option_jwks', { ...good, jwks: 'http://id.example.test/jwks.json' }],
    ['option_jwks', { ...good, jwks: 'http://127.evil.example.test/jwks.json' }],
    ['option_jwks', { ...good, jwks: 'http://localhost.example.test/jwks.json' }],
    ['option_jwks', { ...good, jwks: 'https://user:secret@id.example.test/jwks.json' }],
    ['option_jwks', { ...good, jwks: 'http://user@localhost/jwks.json' }],
    ['option_jwks', { ...good, jwks: 'file:///etc/jwks.json' }],
    ['option_jwks', { ...good, jwks: 'ftp://localhost/jwks.json' }],
    ['option_jwks', { ...good, jwks: 'data:application/json,{}' }],
    ['option_jwks', { ...good, jwks: {} }],
    ['option_jwks', { ...good, jwks: { keys: 'none' } }],
    ['option_jwks', { ...good, jwks: { keys: [() => 1] } }],
    ['option_jwks', { ...good, jwks: { keys: [[]] } }],
    ['option_algorithms', { ...good, algorithms: [] }],
    ['option_algorithms', { ...good, algorithms: 'ES256' }],
    ['option_algorithms', { ...good, algorithms: ['none'] }],
    ['option_algorithms', { ...good, algorithms: ['ES256', 'HS256'] }],
    ['option_seconds', { ...good, clockTolerance: '60' }],
    ['option_seconds', { ...good, timeout: '5' }],
    ['option_unknown', { ...good, renew: true }],
  ]
  it.each(mistakes)('throws %s for %j', (code, options) => {
    expect(() => auth('admin', options as never)).toThrow(expect.objectContaining({ name: 'MisuseError', code }))
  })

  it('are explained by the error', () => {
    const messageOf = (options: object): string => {
      try {
        auth('admin', { ...good, ...options } as never)
      } catch (error) {
        return (error as Error).message
      }
      return 'no error'
    }
    expect(messageOf({ audience: '' })).toContain('write `audience: false`')
    expect(messageOf({ issuer: '' })).not.toContain('audience')
    expect(messageOf({ jwks: { keys: [() => 1] } })).toContain('could not be cloned')
    expect(messageOf({ jwks: 'https://user:secret@id.example.test/jwks.json' })).not.toContain('secret')
  })

  it.each(['https://id.example.test/k', 'http://localhost:8080/k', 'http://127.0.0.1/k', 'http://[::1]/k'])(
    'accepts %s',
    (jwks) => {
      expect(() => auth('admin', { ...good, jwks })).not.toThrow()
    },
  )
})

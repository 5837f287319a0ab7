import express from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { auth } from 'resourcery'
import type { AuthOptions } from '../../lib/core/auth/auth.js'
import { issueToken } from 'resourcery'
import { VerifiedTokens } from '../../lib/core/auth/verify-token.js'
import { errorHandler } from 'resourcery'
import { send } from 'resourcery'
import { serving } from '../support/http.js'

const secret = 'a secret of at least thirty-two bytes'

const token = (text: string): string =>
  [text, 'b', 'c'].map((part) => Buffer.from(part).toString('base64url')).join('.')

/** Returns other encodings of the same token: the last character of its signature has unused bits. */
function respelt(text: string): string[] {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const signature = text.split('.').at(-1) ?? ''
  const same = Array
    .from(alphabet, (last) => signature.slice(0, -1) + last)
    .filter((other) =>
      other !== signature && Buffer.from(other, 'base64url').equals(Buffer.from(signature, 'base64url'))
    )
  return same.map((other) => text.slice(0, -signature.length) + other)
}

describe('VerifiedTokens', () => {
  it('returns the claims of a kept token only', () => {
    const tokens = new VerifiedTokens()
    tokens.keep(token('a'), { sub: '1' })
    expect(tokens.find(token('a'))).toEqual({ sub: '1' })
    expect(tokens.find(token('b'))).toBeUndefined()
  })

  it('tells tokens with the same end from each other', () => {
    const tokens = new VerifiedTokens()
    const [ann, bob] = ['ann', 'bob'].map((name) => `${token(name)}.${'c'.repeat(43)}`) as [string, string]
    tokens.keep(ann, { sub: 'ann' })
    expect([tokens.find(ann), tokens.find(bob)]).toEqual([{ sub: 'ann' }, undefined])
    tokens.keep(bob, { sub: 'bob' })
    expect(tokens.find(bob)).toEqual({ sub: 'bob' })
    expect(tokens.find(ann)).not.toEqual({ sub: 'bob' })
  })

  it('returns a new copy of the claims each time', () => {
    const tokens = new VerifiedTokens()
    tokens.keep(token('a'), { sub: '1', permissions: ['x'] })
    const [one, other] = [tokens.find(token('a')), tokens.find(token('a'))]
    ;(one?.permissions as string[]).push('everything')
    expect(other).toEqual({ sub: '1', permissions: ['x'] })
    expect(tokens.find(token('a'))).toEqual({ sub: '1', permissions: ['x'] })
  })

  it('copies only claims that hold a list or an object', () => {
    const tokens = new VerifiedTokens()
    const flat = { sub: '1', size: 5, admin: false, team: null }
    tokens.keep(token('a'), flat)
    expect(tokens.find(token('a'))).toBe(flat)
  })

  it('forgets a token after its time, also if the clock is set back meanwhile', () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const tokens = new VerifiedTokens({ seconds: 60 })
    tokens.keep(token('a'), {})
    vi.setSystemTime(Date.now() - 3_600_000)
    vi.advanceTimersByTime(60_000)
    expect(tokens.find(token('a'))).toEqual({})
    vi.advanceTimersByTime(1)
    expect(tokens.find(token('a'))).toBeUndefined()
  })

  it('keeps a limited number of tokens, and drops those least recently used', () => {
    const tokens = new VerifiedTokens({ entries: 100 })
    for (let index = 0; index < 10_000; index++) {
      tokens.keep(token(`t${index}`), {})
      expect(tokens.find(token('t0'))).toEqual({})
    }
    const known = Array.from({ length: 10_000 }, (_, index) => tokens.find(token(`t${index}`))).filter((claims) =>
      claims !== undefined
    )
    expect(known.length).toBeLessThanOrEqual(100)
  })

  // Of two halves, the younger is full with two entries.
  it.each([['entries', { entries: 4 }], ['characters', { size: 4 * `${token('a')}{}`.length }]])(
    'fills both halves of its %s, and uses an entry as long as it is in one of them',
    (_case, limits) => {
      const knownOf = (kept: string): string => {
        const tokens = new VerifiedTokens(limits)
        for (const name of kept) tokens.keep(token(name), {})
        return [...kept].reverse().filter((name) => tokens.find(token(name)) !== undefined).join('')
      }
      expect([knownOf('abc'), knownOf('abcd'), knownOf('abcde')]).toEqual(['cba', 'dcb', 'edc'])
    },
  )

  it('keeps a token that fills half of its size', () => {
    const size = `${token('a')}{}`.length
    const [enough, less] = [new VerifiedTokens({ size: 2 * size }), new VerifiedTokens({ size: 2 * size - 2 })]
    for (const tokens of [enough, less]) tokens.keep(token('a'), {})
    expect([enough.find(token('a')), less.find(token('a'))]).toEqual([{}, undefined])
  })

  it('keeps a limited size, and ignores a token that is too large', () => {
    const tokens = new VerifiedTokens({ size: 1000 })
    tokens.keep(token('large'), { note: 'x'.repeat(600) })
    expect(tokens.find(token('large'))).toBeUndefined()
    for (let index = 0; index < 100; index++) tokens.keep(token(`t${index}`), { note: 'x'.repeat(50) })
    const known = Array.from({ length: 100 }, (_, index) => tokens.find(token(`t${index}`))).filter((claims) =>
      claims !== undefined
    )
    expect(known.length).toBeLessThanOrEqual(1000 / 60)
    expect(known.length).toBeGreaterThan(0)
  })

  it('ignores other encodings of a token', async () => {
    const tokens = new VerifiedTokens()
    const text = await issueToken('admin', { id: 1 }, { secret })
    const others = respelt(text)
    expect(others).toHaveLength(3)
    for (const other of others) tokens.keep(other, {})
    for (const other of others) expect(tokens.find(other)).toBeUndefined()
  })
})

describe('auth with cached tokens', () => {
  async function client(options: AuthOptions = { secret }) {
    const app = express().use(auth('admin', options))
    app.get('/', (req, res) => {
      const { auth: caller } = req
      send(res, 'ok', { ...caller })
      Object.assign(caller ?? {}, { role: 'admin' })
      ;(caller?.permissions as string[] | undefined)?.push('*')
    })
    app.use(errorHandler({ log: () => undefined }))
    return serving((req, res) => void app(req, res))
  }

  it('gives each request its own claims, which a handler may change', async () => {
    const asked = await client()
    for (const permissions of [undefined, ['admin.users.list']]) {
      const headers = {
        authorization: `Bearer ${await issueToken(
          'admin',
          { id: 7, role: 'user', ...(permissions && { permissions }) },
          { secret },
        )}`,
      }
      for (let count = 0; count < 3; count++) {
        const { status, body } = await asked.get('/', { headers })
        expect([status, body]).toEqual([
          200,
          expect.objectContaining({
            data: expect.objectContaining({ id: 7, role: 'user', ...(permissions && { permissions }) }) as object,
          }),
        ])
      }
    }
  })

  it('refuses other claims with the signature of a cached token', async () => {
    const asked = await client()
    const [header, payload = '', signature] = (await issueToken('admin', { id: 7 }, { secret })).split('.')
    const forged = Buffer.from(Buffer.from(payload, 'base64url').toString().replace('7', '8')).toString('base64url')
    const statusOf = async (claims: string): Promise<number> =>
      (await asked.get('/', { headers: { authorization: `Bearer ${header}.${claims}.${signature}` } })).status
    for (let count = 0; count < 2; count++) {
      expect([await statusOf(payload), await statusOf(forged)]).toEqual([200, 401])
    }
  })

  it('refuses a cached token once it has expired', async () => {
    const asked = await client()
    const headers = { authorization: `Bearer ${await issueToken('admin', { id: 7 }, { secret, expiresIn: 60 })}` }
    expect((await asked.get('/', { headers })).status).toBe(200)
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    vi.setSystemTime(Date.now() + 61_000)
    const { status, body } = await asked.get('/', { headers })
    expect([status, body]).toEqual([401, expect.objectContaining({ meta: { reason: 'token_expired' } })])
  })

  it.each([0, 10])('refuses it from the second of its expiry on, with a tolerance of %i seconds', async (tolerance) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    vi.setSystemTime(Math.floor(Date.now() / 1000) * 1000)
    const asked = await client({ secret, clockTolerance: tolerance })
    const headers = { authorization: `Bearer ${await issueToken('admin', { id: 7 }, { secret, expiresIn: 60 })}` }
    expect((await asked.get('/', { headers })).status).toBe(200)
    vi.setSystemTime(Date.now() + (59 + tolerance) * 1000)
    expect((await asked.get('/', { headers })).status).toBe(200)
    vi.setSystemTime(Date.now() + 1000)
    expect((await asked.get('/', { headers })).status).toBe(401)
  })

  it('verifies the signature of a token once', async () => {
    const verify = vi.spyOn(crypto.subtle, 'verify')
    onTestFinished(() => verify.mockRestore())
    const asked = await client()
    const headers = { authorization: `Bearer ${await issueToken('admin', { id: 7 }, { secret })}` }
    for (let count = 0; count < 3; count++) expect((await asked.get('/', { headers })).status).toBe(200)
    expect(verify).toHaveBeenCalledTimes(1)
  })

  it('accepts other encodings of the same token, and refuses another signature', async () => {
    const asked = await client()
    const text = await issueToken('admin', { id: 7 }, { secret })
    const statusOf = async (one: string): Promise<number> =>
      (await asked.get('/', { headers: { authorization: `Bearer ${one}` } })).status
    expect(await statusOf(text)).toBe(200)
    for (const other of respelt(text)) expect(await statusOf(other)).toBe(200)
    expect(await statusOf(`${text.slice(0, -4)}AAAA`)).toBe(401)
    expect(await statusOf(text)).toBe(200)
  })
})

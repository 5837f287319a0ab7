import type { Request, RequestHandler } from 'express'
import { describe, expectTypeOf, it } from 'vitest'
import { auth } from 'resourcery'
import { issueToken } from 'resourcery'
import { permission } from 'resourcery'
import type { Auth } from 'resourcery'

const secret = 'a secret of more than thirty-two bytes'
declare const maybe: string | undefined

describe('auth', () => {
  it('returns Express middleware for one way to sign in, or several', () => {
    expectTypeOf(auth('admin', { secret })).toEqualTypeOf<RequestHandler>()
    auth('admin', { secret: [secret, new Uint8Array(32)], clockTolerance: 5, renew: true })
    auth('admin', { secret, renew: { after: 60, max: 600, reload: async ({ id }) => (id === 1 ? { role: 'editor' } : null) } })
    auth('admin', { jwks: new URL('https://id.example.test'), issuer: 'i', audience: 'a', algorithms: ['ES256'] })
    auth('admin', { jwks: { keys: [] }, issuer: 'i', audience: 'a' })
    auth('admin', [{ secret }, { verify: (req) => (req.get('x-key') === undefined ? null : { id: 1, team: 'a' }) }])
  })

  it('accepts callers of an interface or a class, as `req.user` of other middleware has them', () => {
    interface User {
      id: number
      email: string
      role: string | undefined
    }
    class Account {
      readonly id = 'a-1'
      readonly permissions: readonly string[] = []
    }
    auth('admin', { verify: (req) => (req as { user?: User }).user })
    auth('admin', { verify: async (req) => (req as { account?: Account }).account ?? null })
    const users = new Map<number, User>()
    auth('admin', { secret, load: ({ id }) => users.get(Number(id)) ?? null })
    auth('admin', { secret, load: async () => new Account() })
    auth('admin', { secret, load: { seconds: 30, run: async ({ id }) => users.get(Number(id)) } })
    auth('admin', { secret, load: { seconds: 30, key: (_claims, req) => req.host, run: (_claims, _req) => new Account() } })
    auth('admin', { secret, load: { seconds: 30, run: ({ id }) => ({ id }) } })
    auth('admin', { secret, load: { run: async (claims, req) => ({ id: claims.id, host: req.host }) } })
    auth('admin', [{ secret, load: async (claims) => ({ id: claims.id }) }, { secret }]).forget satisfies object
    auth('admin', [{ secret, load: { seconds: 30, run: ({ id }) => ({ id }) } }, { verify: () => null }])
    const settings: { secret: string; load: undefined } = { secret, load: undefined }
    auth('admin', settings)
    auth('admin', [settings])
    // @ts-expect-error a remembered load without a key gets no request
    auth('admin', { secret, load: { seconds: 30, run: ({ id }, req) => ({ id, host: req }) } })
    // @ts-expect-error a list with a loaded user without an id
    auth('admin', [{ secret, load: async (claims) => ({ name: claims.id }) }])
    // @ts-expect-error a loaded user without an id
    auth('admin', { secret, load: () => ({ role: 'admin' }) })
    // @ts-expect-error a user without an id
    auth('admin', { verify: (req) => (req as { user?: { name: string } }).user })
    // @ts-expect-error an id that is neither a string nor a number
    auth('admin', { verify: (req) => (req as { user?: { id: bigint } }).user })
  })

  it('refuses options that are no way to sign in', () => {
    // @ts-expect-error no options
    auth('admin')
    // @ts-expect-error a secret that may be missing
    auth('admin', { secret: maybe })
    // @ts-expect-error seconds as a string
    auth('admin', { secret, clockTolerance: '60' })
    // @ts-expect-error seconds as a string
    auth('admin', { secret, renew: { after: '60' } })
    // @ts-expect-error a misspelt option
    auth('admin', { secret, renwe: true })
    // @ts-expect-error without issuer and audience any token of the provider would do
    auth('admin', { jwks: 'https://id.example.test' })
    auth('admin', { jwks: 'https://id.example.test', issuer: 'i', audience: false })
    // @ts-expect-error tokens without an audience are accepted by `false` alone
    auth('admin', { jwks: 'https://id.example.test', issuer: 'i', audience: true })
    // @ts-expect-error a symmetric algorithm
    auth('admin', { jwks: 'https://id.example.test', issuer: 'i', audience: 'a', algorithms: ['HS256'] })
    // @ts-expect-error a caller without an id
    auth('admin', { verify: () => ({ role: 'admin' }) })
    // @ts-expect-error a promise of true identifies no caller
    auth('admin', { verify: () => Promise.resolve(true) })
  })

  it('types `req.auth` as a caller or undefined', () => {
    expectTypeOf<Request['auth']>().toEqualTypeOf<Auth | undefined>()
  })
})

describe('issueToken', () => {
  it('returns a promise of a token', () => {
    expectTypeOf(issueToken('admin', { id: 1, role: 'editor', permissions: ['a'], team: 'x' }, { secret })).toEqualTypeOf<Promise<string>>()
    void issueToken('admin', { id: 'u-1' }, { secret: [secret], expiresIn: 60 })
  })

  it('refuses claims without an id, and claims that it writes itself', () => {
    // @ts-expect-error no id
    void issueToken('admin', { role: 'editor' }, { secret })
    // @ts-expect-error a role that may be null
    void issueToken('admin', { id: 1, role: null }, { secret })
    // @ts-expect-error a string instead of a list
    void issueToken('admin', { id: 1, permissions: 'admin.users.list' }, { secret })
    // @ts-expect-error the expiry is an option
    void issueToken('admin', { id: 1, exp: 5 }, { secret })
    // @ts-expect-error the audience is the application
    void issueToken('admin', { id: 1, aud: 'shop' }, { secret })
    // @ts-expect-error seconds as a string
    void issueToken('admin', { id: 1 }, { secret, expiresIn: '1h' })
  })
})

describe('permission', () => {
  it('returns Express middleware', () => {
    expectTypeOf(permission('admin')).toEqualTypeOf<RequestHandler>()
    const granted = new Set<string>()
    permission('admin', { allows: (_auth, id) => granted.has(id), roles: { admin: ['*'] }, undeclared: 'deny', timeout: 2 })
    permission('admin', { allows: async ({ id }, permissionId, { req, route }) => id === 1 && permissionId !== route?.permission && req.path === '/' })
    auth('admin', { verify: (req, { route }) => (route?.meta.public === req.path ? { id: 1 } : null) })
    // @ts-expect-error the request is a property of the third argument
    permission('admin', { allows: (_caller, _id, req) => req.path === '/' })
  })

  it('refuses a check that does not return a boolean, and unknown options', () => {
    // @ts-expect-error an object instead of a boolean
    permission('admin', { allows: () => ({ id: 1 }) })
    // @ts-expect-error a Set instead of a function
    permission('admin', { allows: new Set(['admin.users.list']) })
    // @ts-expect-error a string instead of a list
    permission('admin', { roles: { admin: '*' } })
    // @ts-expect-error neither 'allow' nor 'deny'
    permission('admin', { undeclared: false })
    // @ts-expect-error the option was renamed to `undeclared`
    permission('admin', { handWritten: 'refuse' })
    // @ts-expect-error a misspelt option
    permission('admin', { role: { admin: ['*'] } })
  })
})

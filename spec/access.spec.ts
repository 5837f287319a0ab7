import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { auth, authOf } from 'resourcery'
import { checkAccess, checkAccessFor, guardStatesOf } from '../lib/core/auth/access.js'
import { permission } from 'resourcery'
import { stateOf, type PermissionCheck } from '../lib/core/routing/request-state.js'
import type { Auth } from 'resourcery'
import { appOf, entryOf, mark, SECRET, signed, whoami, type Marks } from './auth/marked-routes.js'
import { serving } from './support/http.js'

const ann: Auth = { id: 1 }
const bob: Auth = { id: 2 }

/** Returns a request with the states of guards that have run. */
function request(
  guards: Readonly<Record<string, { auth?: Auth; isGranted?: PermissionCheck }>> = {},
  current?: Auth,
): Request {
  const req = Object.assign(new IncomingMessage(new Socket()), { auth: current }) as Request
  stateOf(req).guards = new Map(
    Object.entries(guards).map((
      [app, { auth: who, isGranted }],
    ) => [app, { auth: who, granted: new Set(), isGranted }]),
  )
  return req
}

const route = (marks?: Marks): ReturnType<typeof entryOf> => entryOf('/users', 'users.list', marks)
const yes: PermissionCheck = () => true
const no: PermissionCheck = () => false

describe('checkAccess', () => {
  it('allows a request to a route without an application if no guard has run', () => {
    const req = request({}, bob)
    expect(checkAccess(route({ app: null }), req)).toBeUndefined()
    expect(req.auth).toBe(bob)
  })

  it.each([
    ['no guard has run', {}, "auth('admin')"],
    ['the guards of another application have run', { shop: { auth: bob, isGranted: yes } }, "auth('admin')"],
    ['permission is missing', { admin: { auth: ann } }, "permission('admin')"],
  ])('throws a 500 that names the missing guard when %s', (_case, guards, missing) => {
    expect(() => checkAccess(route(), request(guards))).toThrow(expect.objectContaining({
      status: 500,
      expose: false,
      reason: 'internal',
      message:
        `\`admin.users.list\` (GET /users) was reached without ${missing}: mount auth and permission in front of it.`,
    }))
  })

  it('throws a 500 for an optional route if no guard has run', () => {
    expect(() => checkAccess(route({ auth: 'optional', can: false }), request())).toThrow(
      expect.objectContaining({ status: 500 }),
    )
  })

  it.each([
    [{}, 401],
    [{ can: false }, 401],
    [{ auth: 'optional' }, 401],
    [{ auth: 'optional', can: false }, undefined],
  ] as const)('asks an anonymous caller to sign in according to the markers: %j', (marks, status) => {
    const go = (): unknown => checkAccess(route(marks), request({ admin: { isGranted: yes } }))
    if (status === undefined) expect(go()).toBeUndefined()
    else expect(go).toThrow(expect.objectContaining({ status, reason: 'token_missing' }))
  })

  it('decides synchronously, or asynchronously if the permission check returns a promise', async () => {
    expect(checkAccess(route(), request({ admin: { auth: ann, isGranted: yes } }))).toBeUndefined()
    expect(() => checkAccess(route(), request({ admin: { auth: ann, isGranted: no } }))).toThrow(
      expect.objectContaining({ status: 403 }),
    )
    const later = (granted: boolean): Request =>
      request({ admin: { auth: ann, isGranted: () => Promise.resolve(granted) } })
    await expect(checkAccess(route(), later(true))).resolves.toBeUndefined()
    await expect(checkAccess(route(), later(false))).rejects.toMatchObject({ status: 403, reason: 'forbidden' })
  })

  it('caches a grant but never a refusal', async () => {
    let asked = 0
    const answers = [false, Promise.resolve(false), true]
    const req = request({ admin: { auth: ann, isGranted: () => answers[asked++] ?? false } })
    expect(() => checkAccess(route(), req)).toThrow()
    await expect(checkAccess(route(), req)).rejects.toThrow()
    for (let time = 0; time < 3; time++) expect(checkAccess(route(), req)).toBeUndefined()
    expect(asked).toBe(3)
    expect(() => checkAccess(entryOf('/users', 'users.show'), req)).toThrow()
  })

  it('needs no permission check for a route marked `can: false`', () => {
    expect(checkAccess(route({ can: false }), request({ admin: { auth: ann } }))).toBeUndefined()
  })

  it.each([
    ['its own caller', {}, ann],
    ['no caller on a public route', { auth: false }, undefined],
    ['no caller if its own caller is anonymous', { app: 'blog', auth: 'optional', can: false }, undefined],
  ] as const)('passes %s to the handler, never the caller of another application', (_case, marks, expected) => {
    const req = request({ admin: { auth: ann, isGranted: yes }, blog: {}, shop: { auth: bob } }, bob)
    void checkAccess(route(marks), req)
    expect(req.auth).toBe(expected)
  })

  it('keeps `req.auth` as middleware of the app has extended it', () => {
    const enriched = { ...ann, team: 'a' }
    const req = request({ admin: { auth: ann, isGranted: yes } }, enriched)
    void checkAccess(route(), req)
    expect(req.auth).toBe(enriched)
  })

  it('keeps an `req.auth` that no guard has set on a public route', () => {
    const req = request({}, bob)
    void checkAccess(route({ auth: false }), req)
    expect(req.auth).toBe(bob)
  })

  it('passes its caller again if middleware has removed `req.auth`', () => {
    const req = request({ admin: { auth: ann, isGranted: yes } })
    void checkAccess(route(), req)
    expect(req.auth).toBe(ann)
  })

  it('asks an anonymous caller to sign in, where `permission` is missing too', () => {
    expect(() => checkAccess(route(), request({ admin: {} }))).toThrow(expect.objectContaining({ status: 401 }))
  })

  it('refuses a request that any guard did not check, at a route without an application', () => {
    const req = request({ admin: { auth: ann, isGranted: yes } })
    stateOf(req).unchecked = ['admin']
    expect(checkAccess(route({ app: null }), req)).toBeUndefined()
    stateOf(req).unchecked = ['shop']
    expect(() => checkAccess(route({ app: null }), req)).toThrow(expect.objectContaining({ status: 500 }))
  })

  it('requires the permission of each application in front of a route without one', () => {
    const req = request({ admin: { auth: ann, isGranted: yes }, shop: { auth: bob, isGranted: no } })
    expect(() => checkAccess(route({ app: null }), req)).toThrow(expect.objectContaining({ status: 403 }))
  })

  it('checks the permission of the signed-in caller, even if `req.auth` was replaced', () => {
    const asked: unknown[] = []
    const req = request({ admin: { auth: ann, isGranted: (who) => asked.push(who) > 0 } }, bob)
    void checkAccess(route(), req)
    expect(asked).toEqual([ann])
  })
})

describe('the guards of a route', () => {
  const apps = (marks: Marks, req: Request): string[] => guardStatesOf(route(marks), req).map(([app]) => app)

  it('are those of its application, and all of them without one', () => {
    const req = request({ admin: { auth: ann }, shop: { auth: bob } })
    expect([apps({}, req), apps({ app: 'shop' }, req), apps({ app: null }, req)]).toEqual([['admin'], ['shop'], [
      'admin',
      'shop',
    ]])
  })

  it('check one application for a `permission` in front of a route without one', () => {
    const req = request({ admin: { auth: ann, isGranted: yes }, shop: { auth: bob, isGranted: no } })
    expect(checkAccessFor(route({ app: null }), 'admin', req)).toBeUndefined()
    expect(() => checkAccessFor(route({ app: null }), 'shop', req)).toThrow(expect.objectContaining({ status: 403 }))
    expect(checkAccessFor(route({ app: null }), 'unknown', req)).toBeUndefined()
  })
})

describe('authOf', () => {
  it('returns the caller of the last guard where a route has no application', () => {
    expect(authOf(request({ admin: { auth: ann } }))).toBe(ann)
    expect(authOf(request({ admin: { auth: ann }, shop: { auth: bob }, desk: {} }))).toBeUndefined()
    expect(authOf(request({ desk: {}, admin: { auth: ann }, shop: { auth: bob } }))).toBe(bob)
  })
})

describe('a route that the guards did not foresee', () => {
  it('replies 500 if middleware rewrites the path to a guarded route behind the guards', async () => {
    const client = await serving(appOf((app) => {
      app.use(auth('admin', { secret: SECRET }), permission('admin'))
      app.use((req, _res, next) => {
        req.url = req.url.replace('/open', '/users')
        next()
      })
      mark(app, '/open', 'open', { auth: false })
      mark(app, '/users', 'users.list')
    }))
    expect((await client.get('/open')).status).toBe(500)
    expect((await client.get('/open', { token: await signed() })).status).toBe(500)
  })

  it('requires the permission of the route that matched, not of the foreseen one', async () => {
    const client = await serving(appOf((app) => {
      app.use(auth('admin', { secret: SECRET }), permission('admin'))
      app.use((req, _res, next) => {
        req.url = req.url.replace('/posts', '/users')
        next()
      })
      mark(app, '/posts', 'posts.list')
      mark(app, '/users', 'users.list')
    }))
    expect((await client.get('/posts', { token: await signed({ permissions: ['admin.posts.list'] }) })).status).toBe(
      403,
    )
  })

  it('replies 500 if the guards are mounted after the route', async () => {
    const app = appOf((root) => {
      mark(root, '/users', 'users.list')
      root.use(auth('admin', { secret: SECRET }), permission('admin'))
      root.get('/me', whoami)
    })
    const client = await serving(app)
    expect((await client.get('/users', { token: await signed() })).status).toBe(500)
    expect(app.logged[0]?.message).toContain("without auth('admin')")
    expect((await client.get('/me')).status).toBe(401)
  })
})

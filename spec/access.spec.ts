import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { auth } from '../lib/auth/auth.js'
import { checkAccess } from '../lib/access.js'
import { permission } from '../lib/permission.js'
import { stateOf, type PermissionCheck } from '../lib/routing/request-state.js'
import type { Auth } from '../lib/types.js'
import { appOf, entryOf, mark, SECRET, signed, whoami, type Marks } from './auth/marked-routes.js'
import { serving } from './support/http.js'

const ann: Auth = { id: 1 }
const bob: Auth = { id: 2 }

/** Returns a request with the states of guards that have run. */
function request(guards: Readonly<Record<string, { auth?: Auth; isGranted?: PermissionCheck }>> = {}, current?: Auth): Request {
  const req = Object.assign(new IncomingMessage(new Socket()), { auth: current }) as Request
  stateOf(req).guards = new Map(Object.entries(guards).map(([app, { auth: who, isGranted }]) => [app, { auth: who, granted: new Set(), ...(isGranted && { isGranted }) }]))
  return req
}

const route = (marks?: Marks): ReturnType<typeof entryOf> => entryOf('/users', 'users.list', marks)
const yes: PermissionCheck = () => true
const no: PermissionCheck = () => false

describe('mediate', () => {
  it('guards nothing without an application where no guard has run', () => {
    const req = request({}, bob)
    expect(checkAccess(route({ app: null }), req)).toBeUndefined()
    expect(req.auth).toBe(bob)
  })

  it.each([
    ['no pair has run', {}, "auth('admin')"],
    ['the pair of another application has run', { shop: { auth: bob, isGranted: yes } }, "auth('admin')"],
    ['permission is missing', { admin: { auth: ann } }, "permission('admin')"],
  ])('is a 500 that names what is missing when %s', (_case, guards, missing) => {
    expect(() => checkAccess(route(), request(guards))).toThrow(expect.objectContaining({
      status: 500, expose: false, reason: 'internal',
      message: `\`admin.users.list\` (GET /users) was reached without ${missing}: mount auth and permission in front of it.`,
    }))
  })

  it('is a 500 on an optional route that no pair has seen', () => {
    expect(() => checkAccess(route({ auth: 'optional', can: false }), request())).toThrow(expect.objectContaining({ status: 500 }))
  })

  it.each([
    [{}, 401], [{ can: false }, 401], [{ auth: 'optional' }, 401], [{ auth: 'optional', can: false }, undefined],
  ] as const)('asks an anonymous caller to sign in: %j', (marks, status) => {
    const go = (): unknown => checkAccess(route(marks), request({ admin: { isGranted: yes } }))
    if (status === undefined) expect(go()).toBeUndefined()
    else expect(go).toThrow(expect.objectContaining({ status, reason: 'token_missing' }))
  })

  it('decides at once where the judge does, and later where it promises', async () => {
    expect(checkAccess(route(), request({ admin: { auth: ann, isGranted: yes } }))).toBeUndefined()
    expect(() => checkAccess(route(), request({ admin: { auth: ann, isGranted: no } }))).toThrow(expect.objectContaining({ status: 403 }))
    const later = (granted: boolean): Request => request({ admin: { auth: ann, isGranted: () => Promise.resolve(granted) } })
    await expect(checkAccess(route(), later(true))).resolves.toBeUndefined()
    await expect(checkAccess(route(), later(false))).rejects.toMatchObject({ status: 403, reason: 'forbidden' })
  })

  it('remembers a grant and never a refusal', async () => {
    let asked = 0
    const answers = [false, Promise.resolve(false), true]
    const req = request({ admin: { auth: ann, isGranted: () => answers[asked++] ?? false } })
    expect(() => checkAccess(route(), req)).toThrow()
    await expect(checkAccess(route(), req)).rejects.toThrow()
    for (let time = 0; time < 3; time++) expect(checkAccess(route(), req)).toBeUndefined()
    expect(asked).toBe(3)
    expect(() => checkAccess(entryOf('/users', 'users.show'), req)).toThrow()
  })

  it('needs no judge where no permission is asked for', () => {
    expect(checkAccess(route({ can: false }), request({ admin: { auth: ann } }))).toBeUndefined()
  })

  it.each([
    ['its own caller', {}, ann],
    ['nobody on a public route', { auth: false }, undefined],
    ['nobody when its own caller is anonymous', { app: 'blog', auth: 'optional', can: false }, undefined],
  ] as const)('gives the handler %s, not that of another application', (_case, marks, expected) => {
    const req = request({ admin: { auth: ann, isGranted: yes }, blog: {}, shop: { auth: bob } }, bob)
    void checkAccess(route(marks), req)
    expect(req.auth).toBe(expected)
  })

  it('keeps what the user\'s own middleware made of the one caller', () => {
    const enriched = { ...ann, team: 'a' }
    const req = request({ admin: { auth: ann, isGranted: yes } }, enriched)
    void checkAccess(route(), req)
    expect(req.auth).toBe(enriched)
  })

  it('leaves what was no business of ours alone on a public route', () => {
    const req = request({}, bob)
    void checkAccess(route({ auth: false }), req)
    expect(req.auth).toBe(bob)
  })

  it('asks about who signed in, whatever stands in req.auth', () => {
    const asked: unknown[] = []
    const req = request({ admin: { auth: ann, isGranted: (who) => asked.push(who) > 0 } }, bob)
    void checkAccess(route(), req)
    expect(asked).toEqual([ann])
  })
})

describe('a route whose forecast was wrong', () => {
  it('is never reached without its pair: the path was rewritten behind it', async () => {
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

  it('asks for the permission of the route that matched, not of the one that was foreseen', async () => {
    const client = await serving(appOf((app) => {
      app.use(auth('admin', { secret: SECRET }), permission('admin'))
      app.use((req, _res, next) => {
        req.url = req.url.replace('/posts', '/users')
        next()
      })
      mark(app, '/posts', 'posts.list')
      mark(app, '/users', 'users.list')
    }))
    expect((await client.get('/posts', { token: await signed({ permissions: ['admin.posts.list'] }) })).status).toBe(403)
  })

  it('is a 500 where the pair stands behind it', async () => {
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

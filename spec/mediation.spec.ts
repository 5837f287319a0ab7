import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { auth } from '../lib/auth/auth.js'
import { mediate } from '../lib/mediation.js'
import { permission } from '../lib/permission.js'
import { stateOf, type Judge } from '../lib/routing/request-state.js'
import type { Auth } from '../lib/types.js'
import { appOf, entryOf, mark, SECRET, signed, whoami, type Marks } from './auth/marked-routes.js'
import { serving } from './support/http.js'

const ann: Auth = { id: 1 }
const bob: Auth = { id: 2 }

/** A request on which pairs have left their passes. */
function request(passes: Readonly<Record<string, { auth?: Auth; judge?: Judge }>> = {}, current?: Auth): Request {
  const req = Object.assign(new IncomingMessage(new Socket()), { auth: current }) as Request
  stateOf(req).passes = new Map(Object.entries(passes).map(([app, { auth: who, judge }]) => [app, { auth: who, granted: new Set(), ...(judge && { judge }) }]))
  return req
}

const route = (marks?: Marks): ReturnType<typeof entryOf> => entryOf('/users', 'users.list', marks)
const yes: Judge = () => true
const no: Judge = () => false

describe('mediate', () => {
  it('guards nothing without an application where no guard has run', () => {
    const req = request({}, bob)
    expect(mediate(route({ app: null }), req)).toBeUndefined()
    expect(req.auth).toBe(bob)
  })

  it.each([
    ['no pair has run', {}, "auth('admin')"],
    ['the pair of another application has run', { shop: { auth: bob, judge: yes } }, "auth('admin')"],
    ['permission is missing', { admin: { auth: ann } }, "permission('admin')"],
  ])('is a 500 that names what is missing when %s', (_case, passes, missing) => {
    expect(() => mediate(route(), request(passes))).toThrow(expect.objectContaining({
      status: 500, expose: false, reason: 'internal',
      message: `\`admin.users.list\` (GET /users) was reached, and ${missing} has not run: put the pair in front of it.`,
    }))
  })

  it('is a 500 on an optional route that no pair has seen', () => {
    expect(() => mediate(route({ auth: 'optional', can: false }), request())).toThrow(expect.objectContaining({ status: 500 }))
  })

  it.each([
    [{}, 401], [{ can: false }, 401], [{ auth: 'optional' }, 401], [{ auth: 'optional', can: false }, undefined],
  ] as const)('asks an anonymous caller to sign in: %j', (marks, status) => {
    const go = (): unknown => mediate(route(marks), request({ admin: { judge: yes } }))
    if (status === undefined) expect(go()).toBeUndefined()
    else expect(go).toThrow(expect.objectContaining({ status, reason: 'token_missing' }))
  })

  it('decides at once where the judge does, and later where it promises', async () => {
    expect(mediate(route(), request({ admin: { auth: ann, judge: yes } }))).toBeUndefined()
    expect(() => mediate(route(), request({ admin: { auth: ann, judge: no } }))).toThrow(expect.objectContaining({ status: 403 }))
    const later = (granted: boolean): Request => request({ admin: { auth: ann, judge: () => Promise.resolve(granted) } })
    await expect(mediate(route(), later(true))).resolves.toBeUndefined()
    await expect(mediate(route(), later(false))).rejects.toMatchObject({ status: 403, reason: 'forbidden' })
  })

  it('remembers a grant and never a refusal', async () => {
    let asked = 0
    const answers = [false, Promise.resolve(false), true]
    const req = request({ admin: { auth: ann, judge: () => answers[asked++] ?? false } })
    expect(() => mediate(route(), req)).toThrow()
    await expect(mediate(route(), req)).rejects.toThrow()
    for (let time = 0; time < 3; time++) expect(mediate(route(), req)).toBeUndefined()
    expect(asked).toBe(3)
    expect(() => mediate(entryOf('/users', 'users.show'), req)).toThrow()
  })

  it('needs no judge where no permission is asked for', () => {
    expect(mediate(route({ can: false }), request({ admin: { auth: ann } }))).toBeUndefined()
  })

  it.each([
    ['its own caller', {}, ann],
    ['nobody on a public route', { auth: false }, undefined],
    ['nobody when its own caller is anonymous', { app: 'blog', auth: 'optional', can: false }, undefined],
  ] as const)('gives the handler %s, not that of another application', (_case, marks, expected) => {
    const req = request({ admin: { auth: ann, judge: yes }, blog: {}, shop: { auth: bob } }, bob)
    void mediate(route(marks), req)
    expect(req.auth).toBe(expected)
  })

  it('keeps what the user\'s own middleware made of the one caller', () => {
    const enriched = { ...ann, team: 'a' }
    const req = request({ admin: { auth: ann, judge: yes } }, enriched)
    void mediate(route(), req)
    expect(req.auth).toBe(enriched)
  })

  it('leaves what was no business of ours alone on a public route', () => {
    const req = request({}, bob)
    void mediate(route({ auth: false }), req)
    expect(req.auth).toBe(bob)
  })

  it('asks about who signed in, whatever stands in req.auth', () => {
    const asked: unknown[] = []
    const req = request({ admin: { auth: ann, judge: (who) => asked.push(who) > 0 } }, bob)
    void mediate(route(), req)
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
    expect(app.logged[0]?.message).toContain("auth('admin') has not run")
    expect((await client.get('/me')).status).toBe(401)
  })
})

import express, { Router, type RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { auth } from 'resourcery'
import { BusinessError } from 'resourcery'
import { isGranted, permission, type PermissionOptions } from '../lib/core/auth/permission.js'
import type { Auth } from 'resourcery'
import { appOf, mark, SECRET, signed, whoami } from './auth/marked-routes.js'
import { serving, type Client, type Reply } from './support/http.js'

const signedIn = (who: object = {}): RequestHandler => auth('admin', { verify: () => ({ id: 7, ...who }) })

/** Requests `admin.users.list` at `/users` behind both guards, as a caller with these claims. */
function asked(options: unknown, who: object = {}): Promise<Reply> {
  return servingUsers(options, who).then((client) => client.get('/users'))
}

function servingUsers(options: unknown, who: object = {}): Promise<Client> {
  return serving(appOf((app) => {
    app.use(signedIn(who), permission('admin', options as PermissionOptions))
    mark(app, '/users', 'users.list')
  }))
}

const DENIED = { message: 'Permission denied', reason: 'forbidden' }

describe('permission without options', () => {
  it.each([
    ['the id itself', ['admin.users.list']],
    ['everything below the resource', ['admin.users.*']],
    ['everything of the application', ['x', 'admin.*']],
    ['everything', ['*']],
    ['valid entries among others', [null, 5, {}, '', 'admin.users.list']],
  ])('grants by %s', async (_case, permissions) => {
    expect((await asked(undefined, { permissions })).status).toBe(200)
  })

  it.each([
    ['no claim', undefined],
    ['an empty list', []],
    ['null', null],
    ['a string instead of a list', 'admin.users.list'],
    ['a string that contains the id', 'xadmin.users.listx'],
    ['a star as a text', '*'],
    ['an object', { 'admin.users.list': true, length: 1, 0: 'admin.users.list' }],
    ['another id', ['admin.users.show']],
    ['the id in another case', ['Admin.Users.List']],
    ['the resource without a star', ['admin.users']],
    ['the beginning of a name', ['admin.us*', 'admin.us.*', 'admin.users.li*']],
    ['a longer id', ['admin.users.list.*', 'admin.users.list.all']],
    ['stars in other places', ['*.users.list', 'admin.*.list', '**', '*.*', '.*', 'admin..*', '']],
    ['lists in the list', [['admin.users.list'], ['*']]],
    ['something that calls itself a text', [Object('*')]],
  ])('refuses with %s', async (_case, permissions) => {
    const reply = await asked(undefined, { permissions })
    expect([reply.status, reply.body]).toEqual([403, DENIED])
    expect(reply.headers.get('www-authenticate')).toBe('Bearer realm="admin", error="insufficient_scope"')
  })
})

describe('the option roles', () => {
  const roles = { admin: ['*'], editor: ['admin.posts.*', 'admin.users.list'], user: ['admin.posts.list'], none: [] }

  it.each([
    ['admin', 200],
    ['editor', 200],
    ['user', 403],
    ['none', 403],
    [undefined, 403],
    ['unknown', 403],
    ['', 403],
    ['Admin', 403],
    ['constructor', 403],
    ['__proto__', 403],
    ['toString', 403],
    [null, 403],
    [['admin'], 403],
    [{ toString: () => 'admin' }, 403],
    [true, 403],
    [0, 403],
  ])('replies to the role %j with %i', async (role, status) => {
    expect((await asked({ roles }, { role })).status).toBe(status)
  })

  it('treats an absent role as user', async () => {
    expect((await asked({ roles: { user: ['admin.users.list'] } })).status).toBe(200)
    expect((await asked({ roles: { user: ['admin.users.list'] } }, { role: null })).status).toBe(403)
  })

  it('ignores the permissions in the claims', async () => {
    expect((await asked({ roles }, { role: 'user', permissions: ['*'] })).status).toBe(403)
  })

  it('is copied, so that later changes grant nothing', async () => {
    const changing = { user: ['admin.posts.list'] }
    const client = await servingUsers({ roles: changing })
    changing.user.push('*')
    expect((await client.get('/users')).status).toBe(403)
  })
})

describe('the option allows', () => {
  it('is called with the caller, the permission id and the request', async () => {
    const seen: unknown[] = []
    const client = await servingUsers({
      allows: (who: Auth, id: string, { req }: { req: { path: string } }) => seen.push(who.id, id, req.path) > 0,
    })
    expect((await client.get('/users')).status).toBe(200)
    expect(seen).toEqual([7, 'admin.users.list', '/users'])
  })

  it('may be based on a Set, or return a promise', async () => {
    const granted = new Set(['admin.users.list'])
    expect((await asked({ allows: (_who: Auth, id: string) => granted.has(id) })).status).toBe(200)
    expect((await asked({ allows: (_who: Auth, id: string) => Promise.resolve(granted.has(id)) })).status).toBe(200)
    granted.clear()
    expect((await asked({ allows: (_who: Auth, id: string) => granted.has(id) })).status).toBe(403)
    expect((await asked({ allows: (_who: Auth, id: string) => Promise.resolve(granted.has(id)) })).status).toBe(403)
  })

  const notTrue = [false, undefined, null, 1, 'true', 'yes', {}, [], [true], Object(true)]
  it.each(notTrue)('refuses if it returns or resolves to %j', async (answer) => {
    expect((await asked({ allows: () => answer as unknown })).status).toBe(403)
    expect((await asked({ allows: () => Promise.resolve(answer) })).status).toBe(403)
  })

  const accidents = [new Error('down'), 'route', 'router', undefined, null, 0, new BusinessError('No', 400)]
  it.each(accidents)('causes a 503 if it fails with %s', async (thrown) => {
    const fail = (): never => {
      throw thrown
    }
    for (const allows of [fail, () => Promise.reject(thrown), () => ({ then: fail })]) {
      const reply = await asked({ allows })
      expect([reply.status, reply.body]).toEqual([503, { message: '', reason: 'unavailable' }])
    }
  })

  it('causes a 503 if it does not settle', async () => {
    expect((await asked({ allows: () => new Promise(() => {}), timeout: 0.02 })).status).toBe(503)
  })

  it('is called once for each request', async () => {
    let count = 0
    const client = await servingUsers({ allows: () => ++count > 0 })
    expect([(await client.get('/users')).status, count]).toEqual([200, 1])
  })

  it('must agree with roles, and is not called if the role refuses', async () => {
    let count = 0
    const both = (user: string[], answer: unknown): unknown => ({ roles: { user }, allows: () => (count++, answer) })
    const statuses = []
    for (const user of [['*'], []]) {
      for (const answer of [true, false, Promise.resolve(true), Promise.resolve(false)]) {
        statuses.push((await asked(both(user, answer))).status)
      }
    }
    expect([statuses, count]).toEqual([[200, 403, 200, 403, 403, 403, 403, 403], 4])
  })
})

describe('two permissions of one application', () => {
  it.each([
    [true, true, 200],
    [true, false, 403],
    [false, true, 403],
  ])('must both grant: %s on the app and %s in the guards reply %i', async (onApp, inGuards, status) => {
    for (const later of [(answer: boolean) => answer, (answer: boolean) => Promise.resolve(answer)]) {
      const client = await serving(appOf((app) => {
        app.use(signedIn(), permission('admin', { allows: () => later(onApp) }))
        mark(app, '/users', 'users.list', { guards: [permission('admin', { allows: () => later(inGuards) })] })
      }))
      expect((await client.get('/users')).status).toBe(status)
    }
  })

  it('call the check once if they are the same middleware', async () => {
    let asked = 0
    const one = permission('admin', { allows: () => ++asked > 0 })
    const client = await serving(appOf((app) => {
      app.use(signedIn(), one)
      app.use(Router().use(one))
      mark(app, '/users', 'users.list', { guards: [one] })
    }))
    expect([(await client.get('/users')).status, asked]).toEqual([200, 1])
  })
})

describe('routes behind permission', () => {
  const shop = [auth('shop', { verify: () => ({ id: 's' }) }), permission('shop', { allows: () => true })]
  const behind = (options: PermissionOptions = {}): Promise<Client> =>
    serving(appOf((app) => {
      app.use(signedIn({ permissions: ['admin.users.list'] }), permission('admin', options))
      mark(app, '/users', 'users.list')
      mark(app, '/posts', 'posts.list')
      mark(app, '/open', 'open', { auth: false })
      mark(app, '/free', 'free', { can: false })
      mark(app, '/plain', 'plain', { app: null })
      mark(app, '/plain-open', 'plain-open', { app: null, auth: false })
      mark(app, '/orders', 'orders.list', { app: 'shop', guards: shop })
      app.get('/me', whoami)
    }))
  const statuses = async (client: Client, paths: readonly string[]): Promise<number[]> =>
    Promise.all(paths.map(async (path) => (await client.get(path)).status))
  const paths = ['/users', '/posts', '/open', '/free', '/plain', '/plain-open', '/orders', '/me', '/nowhere']

  it('need their permission if declared for the application, and a sign-in otherwise', async () => {
    expect(await statuses(await behind(), paths)).toEqual([200, 403, 200, 200, 403, 200, 200, 200, 404])
  })

  it('are refused if undeclared handlers are denied', async () => {
    expect(await statuses(await behind({ undeclared: 'deny' }), paths)).toEqual([
      200,
      403,
      200,
      200,
      403,
      200,
      200,
      403,
      404,
    ])
  })

  it('are refused if undeclared handlers are denied and look-ahead is impossible', async () => {
    for (const [options, status] of [[{ undeclared: 'deny' }, 403], [{}, 200]] as const) {
      const client = await serving(appOf((app) => {
        app.use(signedIn())
        app.get('/me', permission('admin', options), whoami)
      }))
      expect((await client.get('/me')).status).toBe(status)
    }
  })

  it('are refused if undeclared handlers are denied and a function has the path', async () => {
    const reached: RequestHandler = (_req, res) => void res.json('reached')
    const mounted = (options: PermissionOptions): Promise<Client> =>
      serving(appOf((app) => {
        const inner = Router().use((_req, _res, next) => next())
        app.use(signedIn({ permissions: ['admin.users.list'] }), permission('admin', options), express.json())
        app.use('/metrics', reached)
        app.use('/wrapped', (req, res, next) => Router().get('/x', reached)(req, res, next))
        app.use('/users', (_req, _res, next) => next(), inner)
        mark(app, '/users', 'users.list')
        app.use('/users/late', reached)
      }))
    const paths = ['/metrics', '/METRICS/x', '/wrapped/x', '/users/late', '/users', '/users/nowhere', '/nowhere']
    const strict = await mounted({ undeclared: 'deny' })
    expect(await statuses(strict, paths)).toEqual([403, 403, 403, 403, 200, 404, 404])
    expect(await statuses(await mounted({}), paths)).toEqual([200, 200, 200, 200, 200, 404, 404])
    expect((await strict.send('PUT', '/users')).status).toBe(404)
  })

  it('are refused if a function has another path than the guard that denies them, though that of `auth`', async () => {
    const client = await serving(appOf((app) => {
      app.use('/:tenant', signedIn()).use('/desk', permission('admin', { undeclared: 'deny' }))
      app.use('/:tenant', (_req, res) => void res.json('reached'))
    }))
    expect(await statuses(client, ['/desk', '/desk/x', '/other'])).toEqual([403, 403, 200])
  })

  it('are refused after an app that a function calls, from where they cannot be seen', async () => {
    const calling = (path: string): Promise<Client> =>
      serving(appOf((app) => {
        const inner = express().use(signedIn(), permission('admin', { undeclared: 'deny' }))
        inner.get('/inner', whoami)
        app.get('/front', whoami)
        app.use(path, (req, res, next) => inner(req, res, next))
        app.get(`${path}me`, whoami)
        mark(app, `${path}users`, 'users.list')
      }))
    expect(await statuses(await calling('/'), ['/inner', '/me', '/users', '/front'])).toEqual([403, 403, 403, 200])
    expect(await statuses(await calling('/api/'), ['/api/inner', '/api/me', '/api/users'])).toEqual([403, 403, 403])
  })

  it('are not refused for a function without a path, nor for one in front', async () => {
    const through: RequestHandler = (_req, _res, next) => next()
    const client = await serving(appOf((app) => {
      const inner = Router().use(signedIn(), permission('admin', { undeclared: 'deny' }), through)
      app.use('/api', through, inner.use(Router().use(through)))
      app.use('/desk', signedIn(), permission('admin', { undeclared: 'deny' }), through, Router().use(through))
      app.use(signedIn())
      app.use('/front', through)
      app.use(permission('admin', { undeclared: 'deny' }))
    }))
    expect(await statuses(client, ['/api/nowhere', '/desk/nowhere', '/front'])).toEqual([404, 404, 404])
  })

  it('are not reached by a refused caller, nor is middleware behind the guards', async () => {
    let read = 0
    const client = await serving(appOf((app) => {
      app.use(signedIn({ permissions: [] }), permission('admin'), (_req, _res, next) => {
        read++
        next()
      })
      mark(app, '/users', 'users.create', { method: 'POST' })
    }))
    expect([(await client.post('/users', { a: 1 })).status, read]).toEqual([403, 0])
  })
})

describe('a misplaced permission', () => {
  it.each(['/users', '/me', '/nowhere'])(
    'replies 500 to %s without auth in front, and logs what is missing',
    async (path) => {
      const app = appOf((root) => {
        root.use(permission('admin'), signedIn({ permissions: ['*'] }))
        mark(root, '/users', 'users.list')
        root.get('/me', whoami)
      })
      const reply = await (await serving(app)).get(path)
      expect([reply.status, reply.body]).toEqual([500, { message: '', reason: 'internal' }])
      expect(app.logged[0]?.message).toBe("permission('admin') ran without auth('admin'): mount auth in front of it.")
    },
  )

  it('allows a public route', async () => {
    const client = await serving(appOf((app) => {
      app.use(permission('admin'))
      mark(app, '/open', 'open', { auth: false })
    }))
    expect((await client.get('/open')).status).toBe(200)
  })

  it('replies 500 behind the auth of another application', async () => {
    const client = await serving(appOf((app) => {
      app.use(auth('shop', { secret: SECRET }), permission('admin'))
      mark(app, '/users', 'users.list')
    }))
    expect((await client.get('/users', { token: await signed({ aud: 'shop' }) })).status).toBe(500)
  })
})

describe('the options of permission', () => {
  const mistakes: readonly (readonly [code: string, app: unknown, options: unknown])[] = [
    ['app_name', '', {}],
    ['app_name', 'a.b', {}],
    ['options_shape', 'a', null],
    ['options_shape', 'a', () => true],
    ['option_unknown', 'a', { allow: () => true }],
    ['option_unknown', 'a', { Undeclared: 'deny' }],
    ['option_unknown', 'a', { handWritten: 'refuse' }],
    ['option_function', 'a', { allows: new Set() }],
    ['option_function', 'a', { allows: null }],
    ['option_undeclared', 'a', { undeclared: true }],
    ['option_undeclared', 'a', { undeclared: 'refuse' }],
    ['option_seconds', 'a', { timeout: '5' }],
    ['roles_shape', 'a', { roles: null }],
    ['roles_shape', 'a', { roles: [] }],
    ['roles_shape', 'a', { roles: 'admin' }],
    ['roles_shape', 'a', { roles: { admin: '*' } }],
    ['roles_shape', 'a', { roles: { admin: true } }],
  ]
  it.each(mistakes)('throws %s for %j, %j', (code, app, options) => {
    expect(() => permission(app as never, options as never)).toThrow(
      expect.objectContaining({ name: 'MisuseError', code }),
    )
  })

  it('are refused under a former name with the new one', () => {
    expect(() => permission('a', { handWritten: 'refuse' } as never)).toThrow(
      "permission('a'): the option `handWritten` was renamed to `undeclared`.",
    )
  })

  it.each(['', 'a*', '*.a', 'a.*.b', 'a..b', '.*', 'a b', '1a', ' a', 'a.', '**', 5, null])(
    'refuses the entry %j of a role',
    (entry) => {
      const start = (): unknown => permission('a', { roles: { admin: ['*', entry as string] } })
      expect(start).toThrow(expect.objectContaining({ name: 'MisuseError', code: 'role_pattern' }))
    },
  )
})

describe('a caller that middleware has assigned in front of permission', () => {
  const assigning = (caller: unknown): RequestHandler => (req, _res, next) => {
    Object.assign(req, { auth: caller })
    next()
  }
  const statusWith = async (...middleware: RequestHandler[]): Promise<number> => {
    const client = await serving(appOf((app) => {
      app.use(...middleware, permission('admin', { allows: () => true }))
      app.get('/by-hand', (_req, res) => void res.end())
    }))
    return (await client.get('/by-hand')).status
  }
  const of = (app: string): RequestHandler => auth(app, { verify: () => ({ id: app }) })

  it('is a 500, and one that an `auth` has found is not', async () => {
    expect(await statusWith(of('admin'), assigning({ id: 9 }))).toBe(500)
    expect(await statusWith(of('admin'), of('shop'))).toBe(200)
    expect(await statusWith(of('admin'), assigning(undefined))).toBe(200)
    expect(await statusWith(assigning({ id: 9 }))).toBe(500)
  })
})

describe('isGranted', () => {
  it('takes no pattern whose prefix is no id', () => {
    expect(['ad!.*', 'a..*', '9a.*'].map((pattern) => isGranted([pattern], pattern.replace('*', 'x')))).toEqual([
      false,
      false,
      false,
    ])
  })

  it.each<[readonly string[], string, boolean]>([
    [['admin.posts.show'], 'admin.posts.show', true],
    [['admin.users.show', 'admin.posts.*'], 'admin.posts.show', true],
    [['admin.*'], 'admin.posts.show', true],
    [['*'], 'admin.posts.show', true],
    [['admin.posts.*'], 'admin.posts', false],
    [['admin.post'], 'admin.posts', false],
    [['admin.posts*', '**', '.*', 'ADMIN.*'], 'admin.posts.show', false],
    [[], 'admin.posts.show', false],
  ])('matches %j and %s as `permission` does', async (permissions, id, granted) => {
    expect(isGranted(permissions, id)).toBe(granted)
    const client = await serving(appOf((app) => {
      app.use(auth('admin', { verify: () => ({ id: 1, permissions }) }), permission('admin'))
      mark(app, '/a', id.slice('admin.'.length))
    }))
    expect((await client.get('/a')).status).toBe(granted ? 200 : 403)
  })

  it.each(['*', 'admin.posts.show', { 0: '*' }, null, undefined, [null, 5, ['*']]])(
    'grants nothing by %j, which is no list of strings',
    (patterns) => {
      expect(isGranted(patterns as never, 'admin.posts.show')).toBe(false)
    },
  )
})

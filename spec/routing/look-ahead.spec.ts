import express, { Router, type Express, type RequestHandler } from 'express'
import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { allowedMethods } from '../../lib/core/routing/look-ahead.js'
import { notFound } from '../../lib/core/reply/not-found.js'
import { serve } from '../../lib/core/serve/serve.js'
import { clientOf, raw, serving } from '../support/http.js'
import { answer, foreign, resource, watching } from './watched-routes.js'

async function seenBy(app: Express, seen: string[], method: string, path: string): Promise<string | undefined> {
  seen.length = 0
  const client = await serving((req, res) => void app(req, res))
  await client.send(method, path)
  expect(seen.length).toBeLessThanOrEqual(1)
  return seen[0]
}

/** Returns the look-ahead of a middleware in front of all routes. */
async function ahead(build: (app: Express) => void, method: string, path: string): Promise<string | undefined> {
  const { look, seen } = watching()
  const app = express().set('env', 'test').use(look)
  build(app)
  return seenBy(app, seen, method, path)
}

describe('a look-ahead', () => {
  it.each([
    ['GET', '/users', 'users.list'],
    ['HEAD', '/users', 'users.list'],
    ['GET', '/users/', 'users.list'],
    ['GET', '/Users', 'users.list'],
    ['GET', '/%75sers', 'nothing'],
    ['GET', '/users?page=1', 'users.list'],
    ['POST', '/users', 'undeclared'],
    ['PUT', '/users', 'nothing'],
    ['OPTIONS', '/users', 'nothing'],
    ['GET', '/users/export', 'users.export'],
    ['GET', '/users/5', 'users.show'],
    ['GET', '/users/%zz', 'nothing'],
    ['GET', '/other', 'nothing'],
  ])('for %s %s finds %s', async (method, path, expected) => {
    const seen = await ahead((app) => {
      resource(app, '/users', 'users.list')
      app.post('/users', answer)
      resource(app, '/users/export', 'users.export')
      resource(app, '/users/:id', 'users.show')
      resource(app, '/:any/%zz', 'never')
    }, method, path)
    expect(seen).toBe(expected)
  })

  it('finds the first route that matches, declared or not', async () => {
    const build = (app: Express) => resource(app.get('/a', answer), '/a', 'late')
    expect(await ahead(build, 'GET', '/a')).toBe('undeclared')
    expect(await ahead((app) => build(resource(app, '/:any', 'early')), 'GET', '/a')).toBe('early')
    expect(await ahead((app) => build(app.all('/a', answer)), 'PUT', '/a')).toBe('undeclared')
  })

  it.each(['/zz', '//zz', '/zz/a', '/'])('finds a function with an optional path in front of a wildcard: %s',
    async (path) => {
      const { look, seen } = watching()
      const app = express().use(look).use('{/:lang}', answer)
      resource(app, '/*path', 'pages', { auth: false })
      expect(await seenBy(app, seen, 'GET', path)).toBe('undeclared')
    })

  it('finds routes through nested routers, prefixes and parameters', async () => {
    const build = (app: Express) => {
      const users = resource(Router(), '/:id/posts/:post', 'post')
      app.use(
        '/api',
        Router().use('/:version', (_req, _res, next) => next(), Router().use(['/users', '/people'], users)),
      )
    }
    expect(await ahead(build, 'GET', '/api/v1/users/5/posts/a%2Fb')).toBe('post')
    expect(await ahead(build, 'GET', '/API/v1/People/5/posts/6/')).toBe('post')
  })

  it('finds nothing where nested routers have no route', async () => {
    const users = resource(Router(), '/:id/posts/:post', 'post')
    const build = (app: Express) =>
      void app.use('/api', Router().use('/:version', Router().use(['/users', '/people'], users)))
    expect(await ahead(build, 'GET', '/api/v1/usersX/5/posts/6')).toBe('nothing')
    expect(await ahead(build, 'GET', '/api/v1/users/5')).toBe('nothing')
  })

  it('respects strict and case-sensitive routers', async () => {
    const build = (app: Express) =>
      app.use('/api', resource(Router({ strict: true, caseSensitive: true }), '/users', 'users'))
    expect(await ahead(build, 'GET', '/API/users')).toBe('users')
    expect(await ahead(build, 'GET', '/api/Users')).toBe('nothing')
    expect(await ahead(build, 'GET', '/api/users/')).toBe('nothing')
  })

  it('distinguishes the root of a mount with and without a slash', async () => {
    const { look, seen } = watching()
    const app = express().set('strict routing', true)
    app.use('/api', Router().use(look))
    resource(resource(app, '/api/', 'with slash'), '/api', 'without')
    expect(await seenBy(app, seen, 'GET', '/api')).toBe('without')
    expect(await seenBy(app, seen, 'GET', '/api/')).toBe('with slash')
    expect(await seenBy(app, seen, 'GET', '/api?x=/')).toBe('without')
  })

  it('begins after the middleware that looks ahead', async () => {
    const { look, seen } = watching()
    const router = resource(resource(Router(), '/a', 'before').use(look), '/:any', 'behind')
    const app = resource(express(), '/:any/b', 'elsewhere').use('/r', router)
    expect(await seenBy(app, seen, 'GET', '/r/c')).toBe('behind')
    expect(await seenBy(app, seen, 'GET', '/r/a')).toBeUndefined()
    expect(await seenBy(app, seen, 'POST', '/r/a')).toBe('nothing')
  })

  it('continues after the router in which it began', async () => {
    const { look, seen } = watching()
    const app = express().use('/r', Router().use('/s', look))
    app.use('/r', resource(Router(), '/s/t', 'behind'))
    expect(await seenBy(app, seen, 'GET', '/r/s/t')).toBe('behind')
  })
})

describe('a look-ahead and a sub-app', () => {
  it.each(['before', 'after'])('finds its routes when they are mounted %s it', async (order) => {
    const build = (app: Express) => {
      const sub = express()
      if (order === 'after') app.use('/sub', sub)
      resource(sub, '/users', 'users')
      if (order === 'before') app.use('/sub', sub)
    }
    expect(await ahead(build, 'GET', '/sub/users')).toBe('users')
    expect(await ahead(build, 'GET', '/users')).toBe('nothing')
  })

  it('distinguishes two sub-apps at the same path', async () => {
    const [one, other] = [express(), express()]
    const build = (app: Express) => app.use('/sub', one).use('/sub', other)
    resource(one, '/one', 'one')
    resource(other, '/other', 'other')
    expect(await ahead(build, 'GET', '/sub/one')).toBe('one')
    expect(await ahead(build, 'GET', '/sub/other')).toBe('other')
  })

  it('finds the routes of a sub-app in each of its mounts', async () => {
    const sub = resource(express(), '/users', 'users')
    const build = (app: Express) => app.use('/a', sub).use(['/b', '/:p/c'], sub)
    for (const place of ['/a', '/b', '/x/c']) expect(await ahead(build, 'GET', `${place}/users`)).toBe('users')
  })

  it('finds undeclared routes of a sub-app', async () => {
    const build = (app: Express) => resource(app.use('/sub', express().get('/users', answer)), '/:any/users', 'behind')
    expect(await ahead(build, 'GET', '/sub/users')).toBe('undeclared')
    expect(await ahead(build, 'GET', '/other/users')).toBe('behind')
  })

  it('works from inside a sub-app, also beyond its end', async () => {
    const { look, seen } = watching()
    const app = express()
    const middle = express().use('/inner', express().use(look))
    app.use('/outer', middle)
    resource(app, '/outer/inner/users', 'outside')
    expect(await seenBy(app, seen, 'GET', '/outer/inner/users')).toBe('outside')
    resource(middle, '/inner/users', 'in the middle')
    expect(await seenBy(app, seen, 'GET', '/outer/inner/users')).toBe('in the middle')
  })

  it('runs no middleware of the sub-app', async () => {
    const ran = vi.fn<RequestHandler>((_req, _res, next) => next())
    const sub = resource(express().use(ran), '/users', 'users')
    expect(await ahead((app) => app.post('/sub/users', answer).use('/sub', sub), 'POST', '/sub/users')).toBe(
      'undeclared',
    )
    expect(ran).not.toHaveBeenCalled()
  })

  it('finds routes of a sub-app in a Router, but not from inside', async () => {
    const { look, seen } = watching()
    const sub = resource(express().use(look), '/users', 'users')
    expect(await ahead((app) => app.use(Router().use('/sub', sub)), 'GET', '/sub/users')).toBe('users')
    expect(seen).toEqual(['unseen'])
  })

  it('finds routes of a sub-app in a Router from inside, if the server passes requests to the outer app', async () => {
    const { look, seen } = watching()
    const sub = resource(express().use(look), '/users', 'users')
    const app = express().set('env', 'test').use(Router().use('/sub', sub))
    const { url, close } = await serve(app, { port: 0, signals: false })
    onTestFinished(close)
    for (const client of [await serving(app), clientOf(url, createServer())]) await client.get('/sub/users')
    expect(seen).toEqual(['users', 'users'])
  })

  it('is not misled by the routes of a sub-app in a Router that a request has left', async () => {
    const { look, seen } = watching()
    const left = resource(express().use('/sub', look), '/sub/open', 'another', { auth: false })
    const app = express().set('env', 'test').use(Router().use('/sub', left))
    app.use('/sub', look).get('/sub/open', answer)
    const client = await serving(app)
    await client.get('/sub/open')
    expect(seen).toEqual(['undeclared'])
    resource(app, '/sub/late', 'late')
    await client.get('/sub/late')
    expect(seen).toEqual(['undeclared', 'late'])
    app.use(notFound())
    expect((await client.send('OPTIONS', '/sub/late')).headers.get('allow')).toBe('GET, HEAD')
  })

  it('does not see past a foreign app on its path', async () => {
    const build = (app: Express) => {
      resource(app, '/sub/early', 'early').use('/sub', foreign as never)
      resource(resource(app, '/sub/late', 'late'), '/late', 'elsewhere')
    }
    expect(await ahead(build, 'GET', '/sub/early')).toBe('early')
    expect(await ahead(build, 'GET', '/sub/late')).toBe('unseen')
    expect(await ahead(build, 'GET', '/late')).toBe('elsewhere')
  })
})

describe('a look-ahead without a result', () => {
  it('occurs after a mount that consumed one of two slashes, which Express cannot distinguish', async () => {
    const { look, seen } = watching()
    const app = resource(resource(express().set('env', 'test').use(/^\/a\//, look), '/a', 'a'), '/a/b', 'b')
    const routeAt = async (path: string): Promise<string | undefined> => await seenBy(app, seen, 'GET', path)
    expect([await routeAt('/a//'), await routeAt('/a//?x'), await routeAt('/a/')]).toEqual(['unseen', 'unseen', 'a'])
    expect([await routeAt('/a//b'), await routeAt('/a//b?x')]).toEqual(['unseen', 'unseen'])
  })

  it('occurs inside a router that a function calls', async () => {
    const { look, seen } = watching()
    const router = resource(Router().use(look), '/users', 'users')
    const app = express().use('/api', (req, res, next) => router(req, res, next))
    expect(await seenBy(app, seen, 'GET', '/api/users')).toBe('unseen')
  })

  it('ignores the routes of a router that a function calls', async () => {
    const router = resource(Router(), '/users', 'users')
    expect(await ahead((app) => app.use((req, res, next) => router(req, res, next)), 'GET', '/users')).toBe('nothing')
  })

  it('occurs outside an app', async () => {
    const { look, seen } = watching()
    const router = resource(Router().use(look), '/users', 'users')
    const client = await serving((req, res) => router(req as never, res as never, () => res.end()))
    expect((await client.get('/users')).text).toBe('reached')
    expect(seen).toEqual(['unseen'])
  })

  it.each(['/users#x', 'http://host/users#x', 'http://host/us{ers', 'http://host/#x'])(
    'occurs for the target %s',
    async (target) => {
      const { look, seen } = watching()
      const app = resource(express().set('env', 'test').use(look), '/:any', 'any')
      await rawly(app, `GET ${target}`)
      expect(seen).toEqual(['unseen'])
    },
  )
})

describe('the path of a look-ahead', () => {
  it.each([
    ['http://host/admin/users', 'users'],
    ['HTTP://user@host:80/admin/users/?x=1', 'users'],
    ['http://host/admin', 'root'],
    ['http://host/other', 'nothing'],
    ['http://host', 'nothing'],
    ['http://host?x=/admin/users', 'nothing'],
  ])('is taken from the absolute target %s', async (target, expected) => {
    const [outside, inside] = [watching(), watching()]
    const admin = resource(resource(Router().use(inside.look), '/users', 'users'), '/', 'root')
    const app = express().set('env', 'test').use(outside.look).use('/admin', admin)
    const reply = await rawly(app, `GET ${target}`)
    expect(reply.includes('reached')).toBe(expected !== 'nothing')
    expect(outside.seen).toEqual([expected])
    expect(inside.seen).toEqual(expected === 'nothing' ? [] : [expected])
  })

  it('matches no route for the target `*`', async () => {
    const { look, seen } = watching()
    const app = express().set('env', 'test').use(look).use(Router().use(look, resource(Router(), '/:any', 'any')))
    await rawly(app, 'OPTIONS *')
    expect(seen).toEqual(['nothing', 'nothing'])
  })

  it('is the one that earlier middleware has rewritten', async () => {
    const { look, seen } = watching()
    const app = express()
    app.use((req, _res, next) => {
      req.url = req.url.replace(/^\/v1\b/, '') || '/'
      next()
    })
    app.use('/api', Router().use(look))
    resource(resource(app, '/api/users', 'users'), '/v1/api/users', 'never')
    expect(await seenBy(app, seen, 'GET', '/v1/api/users')).toBe('users')
  })
})

describe('allowedMethods', () => {
  it('returns the methods of all routes of a path, wherever they are mounted', async () => {
    let methods: string[] = []
    const app = express()
    app.use('/api', resource(Router().get('/:id', answer), '/a', 'a', { method: 'POST' }),
      express().delete('/a', answer))
    app.use((req, res) => {
      methods = allowedMethods(req)
      res.end()
    })
    const client = await serving((req, res) => void app(req, res))
    await client.send('PUT', '/api/a')
    expect(methods).toEqual(['DELETE', 'GET', 'HEAD', 'POST'])
    await client.send('PUT', '/api/a/b')
    expect(methods).toEqual([])
  })
})

async function rawly(app: Express, line: string): Promise<string> {
  const { url } = await serving((req, res) => void app(req, res))
  return raw(url, `${line} HTTP/1.1\r\nHost: host\r\nConnection: close\r\n\r\n`)
}

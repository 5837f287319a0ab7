import express, { Router, type Express, type RequestHandler } from 'express'
import { describe, expect, it, vi } from 'vitest'
import { PLAIN, type Implementation } from '../../lib/core/express/implementation.js'
import { stackOf, type ExpressRoute } from '../../lib/core/express/stack.js'
import { guardFinder, middlewareFinder } from '../../lib/core/routing/guard-finder.js'
import { foreseenRoute } from '../../lib/core/routing/look-ahead.js'
import { registerGuard, type Guard } from '../../lib/core/routing/guards.js'
import { stateOf, useImplementation } from '../../lib/core/routing/request-state.js'
import type { Marks } from '../auth/marked-routes.js'
import { serving } from '../support/http.js'
import { answer, foreign, resource, watching } from './watched-routes.js'

const GUARD: Guard = { kind: 'auth', app: 'admin' }

/** Creates a guard that records its look-ahead. */
function guarding(): ReturnType<typeof watching> {
  const watched = watching()
  registerGuard(GUARD, watched.look)
  return watched
}

const passing = (): RequestHandler => (_req, _res, next) => next()
const pass = passing()

/** Sends a request on the plain path to an app without routes of its own but those of `build`. */
async function ask(build: (app: Express) => unknown, method: string, path: string): Promise<string> {
  const app = express().set('env', 'test').use((req, _res, next) => {
    useImplementation(req, PLAIN)
    next()
  })
  build(app)
  return (await (await serving((req, res) => void app(req, res))).send(method, path)).text
}

/** Returns what a guard sees on the way of a request. */
async function seenBy(
  build: (app: Express, look: RequestHandler) => unknown,
  method = 'GET',
  path = '/users',
): Promise<string[]> {
  const { look, seen } = guarding()
  await ask((app) => build(app, look), method, path)
  return seen
}

describe('a look-ahead of a guard in a route', () => {
  it('finds the route after its own, if nothing but guards is left there', async () => {
    expect(await seenBy((app, look) => resource(app.all('/users', look), '/users', 'list'))).toEqual(['list'])
    expect(await seenBy((app, look) => resource(app.all('/users', pass, look), '/users', 'list'))).toEqual(['list'])
    expect(await seenBy((app, look) => app.all('/users', look))).toEqual(['nothing'])
  })

  it('ends at a handler after it', async () => {
    expect(await seenBy((app, look) => resource(app.all('/users', look, answer), '/users', 'list')))
      .toEqual(['undeclared'])
    expect(await seenBy((app, look) => app.all('/users', look, answer))).toEqual(['undeclared'])
  })

  it('regards the handlers of its method only, and those of GET for HEAD', async () => {
    const build = (app: Express, look: RequestHandler) => {
      app.route('/users').get(look).post(answer)
      return resource(app, '/users', 'list')
    }
    expect([await seenBy(build), await seenBy(build, 'HEAD')]).toEqual([['list'], ['list']])
    const withHead = (app: Express, look: RequestHandler) => {
      app.route('/users').head(look).get(answer)
      return resource(app, '/users', 'list')
    }
    expect(await seenBy(withHead, 'HEAD')).toEqual(['list'])
  })
})

describe('a look-ahead past functions', () => {
  const isPublic: Marks = { auth: false }

  it('does not regard what is in front of the guard', async () => {
    const after = (app: Express, look: RequestHandler) => resource(app.use(look), '/users', 'list', isPublic)
    expect(await seenBy((app, look) => after(app.use('/:any', pass), look))).toEqual(['list'])
    expect(await seenBy((app, look) => after(app.get('/users', pass), look))).toEqual(['list'])
    expect(await seenBy((app, look) => after(app.use('/users', foreign as never), look))).toEqual(['list'])
    expect(await seenBy((app, look) => app.use('/users', pass).use(look))).toEqual(['nothing'])
  })

  it('ends at a function with a path of its own where there is no route', async () => {
    expect(await seenBy((app, look) => app.use(look).use('/users', pass))).toEqual(['undeclared'])
    expect(await seenBy((app, look) => app.use('/users', pass).use(look).use('/users', pass))).toEqual(['undeclared'])
    expect(await seenBy((app, look) => app.use(look).use(pass))).toEqual(['nothing'])
    expect(await seenBy((app, look) => app.use('/users', look).use('/users', pass))).toEqual(['nothing'])
  })

  it('ends at a function in front of a public route that its path does not name, and passes it for others', async () => {
    const build = (marks: Marks) => (app: Express, look: RequestHandler) =>
      resource(app.use(look).use('/:any', pass), '/users', 'list', marks)
    expect([await seenBy(build(isPublic)), await seenBy(build({ auth: true }))]).toEqual([['undeclared'], ['list']])
  })

  it('finds the first of two public routes', async () => {
    const build = (app: Express, look: RequestHandler) =>
      resource(resource(app.use(look), '/users', 'first', isPublic), '/:any', 'second', isPublic)
    expect(await seenBy(build)).toEqual(['first'])
  })
})

describe('a second look-ahead of a request', () => {
  it('takes the result of the first for a guard that was passed', async () => {
    const guards = [guarding(), guarding()]
    const match = vi.fn<(path: string) => boolean>()
    await ask((app) => {
      app.use(...guards.map(({ look }) => look))
      resource(app, '/users', 'list')
      const layer = app.router.stack.at(-1) as unknown as { match: (path: string) => boolean }
      const { match: original } = layer
      layer.match = match.mockImplementation((path) => original.call(layer, path))
    }, 'GET', '/users')
    expect(guards.map(({ seen }) => seen)).toEqual([['list'], ['list']])
    // Once by the first guard, and once by Express.
    expect(match).toHaveBeenCalledTimes(2)
  })

  it('is made anew once middleware has changed the method or the URL', async () => {
    const routes = (app: Express): Express =>
      resource(resource(resource(app, '/users', 'list'), '/users', 'create', { method: 'POST' }), '/x/users', 'inner')
    expect(
      await seenBy((app, look) => {
        app.use(look, (req, _res, next) => {
          req.method = 'POST'
          next()
        }, look)
        return routes(app)
      }),
    ).toEqual(['list', 'create'])
    expect(
      await seenBy((app, look) => {
        app.use(look, (req, _res, next) => {
          req.url = '/x/users'
          next()
        }, look)
        return routes(app)
      }),
    ).toEqual(['list', 'inner'])
  })

  it('is made anew in a mount where the URL is the same again', async () => {
    const seen = await seenBy((app, look) => {
      app.use(look, (req, _res, next) => {
        req.url = '/x/users'
        next()
      })
      app.use('/x', Router().use(look))
      return resource(resource(app, '/users', 'outer'), '/x/users', 'inner')
    })
    expect(seen).toEqual(['outer', 'inner'])
  })

  it('is made anew by a guard that the first has not passed', async () => {
    const inRoute = guarding()
    const seen = await seenBy((app, look) => resource(app.use(look).get('/users', inRoute.look), '/users', 'list'))
    expect([seen, inRoute.seen]).toEqual([['undeclared'], ['list']])
  })
})

describe('a look-ahead by an index of routes', () => {
  const seenThrough = async (routeAfter: Implementation['routeAfter']): Promise<string[]> =>
    seenBy((app, look) => {
      app.use((req, _res, next) => {
        stateOf(req).implementation = { ...PLAIN, routeAfter }
        next()
      }, look)
      return resource(app, '/users', 'list')
    })

  it('takes the route that the index finds, or that it finds none', async () => {
    const app = resource(resource(express(), '/other', 'of the index').get('/bare', answer), '/third', 'third')
    const [route, bare] = stackOf(app).map((layer) => layer.route)
    expect(await seenThrough(() => route)).toEqual(['of the index'])
    expect(await seenThrough(() => bare)).toEqual(['undeclared'])
    expect(await seenThrough(() => undefined)).toEqual(['nothing'])
  })
})

describe('foreseenRoute', () => {
  const namesAfter = async (change: RequestHandler, path = '/users'): Promise<(string | undefined)[]> => {
    const names: (string | undefined)[] = []
    const record: RequestHandler = (req, _res, next) => {
      names.push(foreseenRoute(req)?.name)
      next()
    }
    await seenBy((app, look) => {
      app.use(record, look, record, change, record)
      app.use('/users', resource(Router().use(record), '/', 'list'))
    }, 'GET', path)
    return names
  }

  it('returns the route that a guard has found, inside a mount too', async () => {
    expect(await namesAfter(pass)).toEqual([undefined, 'list', 'list', 'list'])
    expect(await namesAfter(pass, '/users/?a=/b')).toEqual([undefined, 'list', 'list', 'list'])
    expect(await namesAfter(pass, '/others')).toEqual([undefined, undefined, undefined])
  })

  it('returns none once the method or the target is another one', async () => {
    expect(
      await namesAfter((req, _res, next) => {
        req.method = 'POST'
        next()
      }),
    ).toEqual([undefined, 'list', undefined, undefined])
    expect(
      await namesAfter((req, _res, next) => {
        req.url = '/users/5'
        next()
      }),
    ).toEqual([undefined, 'list', undefined, undefined])
  })
})

describe('the middleware in front of a route', () => {
  const [first, second, third] = [passing(), passing(), passing()]
  const build = (): { app: Express; target: ExpressRoute } => {
    const app = express().use(first)
    app.all('/users', second).all('/users', third).post('/users', second).use('/others', second)
    resource(app, '/users', 'list')
    const target = stackOf(app).at(-1)?.route
    if (target === undefined) throw new Error('There is no route.')
    return { app, target }
  }

  it('includes other routes of the path whose handlers are of interest, each of which is asked about once', () => {
    const { app, target } = build()
    const isOfInterest = vi.fn<(handlers: readonly unknown[]) => boolean>((handlers) => handlers.includes(second))
    const find = middlewareFinder(stackOf(app), isOfInterest)
    for (let time = 0; time < 2; time++) expect(find(target, 'GET', '/users')).toEqual([first, second])
    expect(find(target, 'POST', '/users')).toEqual([first, second, second])
    expect(isOfInterest).toHaveBeenCalledTimes(3)
  })

  it('is none for a route that is not in the stack', () => {
    const [{ app }, { target }] = [build(), build()]
    expect(middlewareFinder(stackOf(app), () => true)(target, 'GET', '/users')).toEqual([])
  })

  it('is searched for guards, in other routes too', () => {
    const { app, target } = build()
    registerGuard(GUARD, third)
    expect(guardFinder(stackOf(app))(target, 'GET', '/users')).toEqual([GUARD])
  })
})

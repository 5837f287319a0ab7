import { tracingChannel } from 'node:diagnostics_channel'
import express, { Router, type Express, type RequestHandler } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { run } from '../../lib/tools/cli/run.js'
import { obstacleLines, obstacles } from '../../lib/core/serve/obstacles.js'
import { mountResource } from 'resourcery'
import { lastLayer, stackOf } from '../../lib/core/express/stack.js'

const resourceOn = (target: Router | Express, name: string): void =>
  void mountResource(target, { route: `/${name}`, name, handlers: { list: () => name } })

/** Returns the reasons by the paths of the routes. */
const reasons = (target: Router | Express): object =>
  Object.fromEntries([...obstacles(target)].map(([{ path }, reason]) => [String(path), reason]))

describe('the reasons why only Express serves a route', () => {
  it('are none for resources and other routes in Routers, behind middleware', () => {
    const app = express()
    const [api, inner] = [Router(), Router()]
    app.use((_req, _res, next) => next())
    app.use('/api', api)
    api.use('/of/:tenant', inner)
    inner.use('/again', api)
    resourceOn(inner, 'posts')
    api.get('/undeclared', () => undefined)
    expect(reasons(app)).toEqual({})
  })

  it('are callbacks of `param` and `mergeParams` of a Router', () => {
    const app = express()
    const [merging, called] = [Router({ mergeParams: true }), Router()]
    called.param('id', (_req, _res, next) => next())
    app.use('/of/:tenant', merging)
    app.use('/called', called)
    resourceOn(merging, 'posts')
    resourceOn(called, 'users')
    expect(reasons(app)).toEqual({
      '/posts': 'the Router at `/of/:tenant` has callbacks of `param`, or `mergeParams`',
      '/users': 'the Router at `/called` has callbacks of `param`, or `mergeParams`',
    })
  })

  it('are a mounted app, and a Router inside a function', () => {
    const app = express()
    const [shop, wrapped] = [express(), Router()]
    resourceOn(shop, 'goods')
    resourceOn(wrapped, 'posts')
    app.use('/shop', shop)
    const wrapper: RequestHandler = (req, res, next) => wrapped(req, res, next)
    app.use('/wrapped', Object.assign(wrapper, { stack: wrapped.stack }))
    expect(reasons(app)).toEqual({
      '/goods': 'it is inside the app that is mounted at `/shop`',
      '/posts': 'the Router at `/wrapped` is inside a wrapper',
    })
  })

  it('are wrapped functions, of a layer in front, of the route, of the Router and of the app', () => {
    const wrap = (object: object, name: string): void => {
      const original = Reflect.get(object, name) as (...args: unknown[]) => unknown
      Object.assign(object, { [name]: (...args: unknown[]) => original.apply(object, args) })
    }
    const [layerInFront, ofRoute, ofRouter, ofApp] = [express(), express(), express(), express()]
    layerInFront.use(function observed(_req, _res, next) {
      next()
    })
    for (const app of [layerInFront, ofRoute, ofRouter, ofApp]) resourceOn(app, 'posts')
    wrap(stackOf(layerInFront)[0] ?? {}, 'handleRequest')
    wrap(lastLayer(stackOf(ofRoute)), 'handleRequest')
    wrap(ofRouter.router, 'handle')
    wrap(ofApp, 'handle')
    expect([layerInFront, ofRoute, ofRouter, ofApp].map(reasons)).toEqual([
      { '/posts': 'the layer `observed` at `/` is wrapped' },
      { '/posts': 'a layer of the route is wrapped' },
      { '/posts': '`router.handle` of the app is wrapped, or of an unknown version' },
      { '/posts': '`app.handle` is wrapped, or of an unknown version of Express' },
    ])
  })

  it('are the events of a tracer', () => {
    const app = express()
    resourceOn(app, 'posts')
    const subscribers = { start: () => undefined }
    const channel = tracingChannel('express.router.request')
    channel.subscribe(subscribers as never)
    onTestFinished(() => channel.unsubscribe(subscribers as never))
    expect(reasons(app)).toEqual({ '/posts': "a tracer receives the events of Express's routers" })
  })

  it('make lines for the log, one for each route', () => {
    const app = express()
    const merging = Router({ mergeParams: true })
    app.use('/of/:tenant', merging)
    resourceOn(app, 'posts')
    resourceOn(merging, 'users')
    expect(obstacleLines(app, true)).toEqual([
      'Only Express serves /of/:tenant/users: the Router at `/of/:tenant` has callbacks of `param`, or `mergeParams`.',
    ])
    expect(obstacleLines(app, false)).toEqual(['The fast path is switched off.'])
  })

  it('are printed by the command `resourcery routes --fast`', async () => {
    const printed: string[] = []
    const print = (text: string): void => void printed.push(text)
    expect(
      await run(['routes', 'spec/fast/obstacles-app.ts', '--fast'], print, print,
        (url) => import(url) as Promise<object>),
    ).toBe(0)
    expect(printed.join('\n').split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['METHOD', 'PATH', 'NAME', 'PERMISSION', 'AUTH', 'FAST'],
      ['GET', '/of/:tenant/users', 'users.list', '-', '-',
        'no: the Router at `/of/:tenant` has callbacks of `param`, or `mergeParams`'],
      ['GET', '/posts', 'posts.list', '-', '-', 'yes'],
    ])
  })
})

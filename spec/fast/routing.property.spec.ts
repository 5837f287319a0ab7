import { tracingChannel } from 'node:diagnostics_channel'
import { Agent, request, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import express, { Router, type ErrorRequestHandler, type IRouter, type Request, type Response } from 'express'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import type { Method } from '../../lib/core/resource/declaration.js'
import { resource } from 'resourcery'
import { mountRoutes } from 'resourcery'
import { bySpecificity } from '../../lib/core/routing/path.js'
import { fromHandler } from 'resourcery'
import { listBelow } from '../../lib/core/routing/registry.js'
import { stackOf, type Layer } from '../../lib/core/express/stack.js'
import { stackInside } from '../../lib/core/express/layers.js'
import { directly } from '../support/directly.js'
import { fuzzing, fuzzingTimeout } from '../support/fuzzing.js'
import { serving } from '../support/http.js'

/*
 * Random tables of groups, plain routes and middleware, built twice: by `mountRoutes` or `resource`, and route by route
 * on Express alone.
 * Both must send the same replies, and pass the same request to handlers, whether Express or the fast path finds the
 * route.
 */

interface Rules {
  readonly strict: boolean
  readonly caseSensitive: boolean
  readonly mergeParams: boolean
}
interface Route {
  readonly methods: readonly Method[]
  readonly path: string
}
interface Group {
  readonly kind: 'group'
  readonly built: boolean
  readonly route: string
  readonly routes: readonly Route[]
}
interface ByHand extends Route {
  readonly kind: 'by hand'
  readonly passes: boolean
}
interface Use {
  readonly kind: 'use'
  readonly path: string | readonly string[]
  readonly does: (typeof DEEDS)[number]
}
interface Catch {
  readonly kind: 'catch'
  readonly path: string
  readonly does: 'passes' | 'recovers' | 'replaces' | 'answers'
}
interface Param {
  readonly kind: 'param'
  readonly name: string
}
interface Nested extends Rules {
  readonly kind: 'router'
  readonly at: string
  readonly nodes: readonly Node[]
}
type Node = Group | ByHand | Use | Catch | Param | Nested

/** The actions of a middleware before it calls `next`, or instead. */
const DEEDS = [
  'passes',
  'passes',
  'passes',
  'passes',
  'waits',
  'calls next twice',
  'rewrites the path',
  'removes the path',
  'rewrites the method',
  'fails',
  'throws',
  'rejects',
  'leaves the route',
  'leaves the router',
  'rewrites the base',
  'removes the base',
  'rewrites the original target',
  'removes the original target',
  'rewrites the arguments',
  'makes the target absolute',
] as const

const METHODS = ['GET', 'POST', 'HEAD', 'DELETE', 'OPTIONS'] as const
const segments = (most: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom('a', 'a', 'b', 'A', 'a.b', ':x', ':x', ':x-:y', '*w', 'a%2Fb'), { maxLength: most })
    .map((chosen) => chosen.map((segment, at) => `/${segment.replace(/[xyw]/g, (name) => `${name}${at}`)}`).join(''))
const methods = fc.subarray([...METHODS], { minLength: 1 })
const seldom = fc.constantFrom(false, false, false, true)
const rules = { strict: seldom, caseSensitive: seldom, mergeParams: seldom }

function tableOf(depth: number): fc.Arbitrary<readonly Node[]> {
  const group: fc.Arbitrary<Node> = fc.record({
    kind: fc.constant('group' as const),
    built: fc.boolean(),
    route: fc.constantFrom('', '/a', '/a/b', '/A'),
    routes: fc.array(fc.record({ methods, path: segments(2) }), { minLength: 1, maxLength: 4 }),
  })
  const byHand: fc.Arbitrary<Node> = fc.record({
    kind: fc.constant('by hand' as const),
    methods,
    path: segments(2).map((path) => path || '/'),
    passes: fc.boolean(),
  })
  const use: fc.Arbitrary<Node> = fc.record({
    kind: fc.constant('use' as const),
    path: fc.constantFrom<Use['path'][]>('/', '/', '/a', '/a/', '/A', '/a/b', '/:p', '/*p', ['/a', '/b']),
    does: fc.constantFrom(...DEEDS),
  })
  const caught: fc.Arbitrary<Node> = fc.record({
    kind: fc.constant('catch' as const),
    path: fc.constantFrom('/', '/a', '/:p'),
    does: fc.constantFrom('passes', 'recovers', 'replaces', 'answers'),
  })
  const param: fc.Arbitrary<Node> = fc.record({
    kind: fc.constant('param' as const),
    name: fc.constantFrom('x0', 'x1', 'unused'),
  })
  const router: fc.Arbitrary<Node> = fc.record({
    kind: fc.constant('router' as const),
    ...rules,
    at: fc.constantFrom('/', '/a', '/a', '/A/', '/a/b', '/:p'),
    nodes: depth === 0 ? fc.constant([]) : tableOf(depth - 1),
  })
  return fc.array(
    fc.oneof(
      { weight: 6, arbitrary: group },
      { weight: 2, arbitrary: byHand },
      { weight: 4, arbitrary: use },
      { weight: 2, arbitrary: caught },
      { weight: depth === 1 ? 1 : 0, arbitrary: param },
      { weight: 4, arbitrary: router },
    ),
    { minLength: 1, maxLength: 6 },
  )
}

const asked = fc.record({
  method: fc.constantFrom(...METHODS, 'PUT'),
  target: fc
    .tuple(
      fc.array(fc.constantFrom('a', 'a', 'a', 'b', 'b', 'A', 'a.b', 'a-b', '%61', 'a%2Fb', 'c', '', '%zz', 'boom'), {
        minLength: 1,
        maxLength: 4,
      }),
      fc.constantFrom('', '', '', '/', '?x=/a', '/?x', '#b', '{'),
    )
    .map(([parts, end]) => `/${parts.join('/')}${end}`),
})

/** True if a middleware of the table calls `next` twice. */
let isTwice = false

/** The layers that requests reach, in their order. */
let trace: [name: string, ...state: unknown[]][] = []

/** The number of requests that were sent, and the header with the number of each. */
let sent = 0
const REQUEST_ID = 'x-request-id'

function isRun([name]: readonly [string, ...unknown[]]): boolean {
  return / [A-Z]+ /.test(name)
}

function note(name: string, req: Request): void {
  const { method, baseUrl, url, originalUrl, params, path, next } = req
  // A second pass of an earlier request may still be on its way.
  if (req.headers[REQUEST_ID] !== String(sent)) return
  trace.push([name, method, baseUrl, url, originalUrl, { ...params }, path, typeof next, routeOf(req)?.path])
}

function routeOf(req: Request): { readonly path: string; readonly methods: object } | undefined {
  return req.route as ReturnType<typeof routeOf>
}

/** Replies with the properties of the request; a path that contains `boom` makes the handler fail. */
function answer(name: string, req: Request, res: Response): void {
  note(name, req)
  if (res.headersSent) return
  const { baseUrl, url, originalUrl, params, path } = req
  const of = req.route as { readonly path: string; readonly methods: object }
  // The error of a resource's handler arrives later: its reply may be a promise.
  if (originalUrl.includes('boom') && !isTwice) throw new Error(name)
  res.json({
    name,
    route: of.path,
    methods: Object.keys(of.methods),
    baseUrl,
    url,
    originalUrl,
    params,
    path,
  })
}

/** Does what a middleware of the table does. */
function act(does: Use['does'], req: Request, next: (error?: unknown) => void): void | Promise<void> {
  if (does === 'waits') {
    setImmediate(next)
    return
  }
  if (does === 'fails') next(new Error('failed'))
  else if (does === 'throws') throw new Error('thrown')
  else if (does === 'rejects') return Promise.reject(new Error('rejected'))
  else if (does === 'leaves the route') next('route')
  else if (does === 'leaves the router') next('router')
  else {
    if (does === 'rewrites the path') req.url = '/a/b?rewritten'
    if (does === 'removes the path') req.url = '/'
    if (does === 'rewrites the base') req.baseUrl = '/base'
    if (does === 'removes the base') Object.assign(req, { baseUrl: undefined })
    if (does === 'rewrites the original target') req.originalUrl = '/original?'
    if (does === 'removes the original target') req.originalUrl = ''
    if (does === 'rewrites the arguments') req.params = { x0: 'rewritten' }
    if (does === 'makes the target absolute') req.url = `http://host${req.url}`
    if (does === 'rewrites the method') req.method = req.method === 'GET' ? 'POST' : 'GET'
    next()
    if (does === 'calls next twice') next()
  }
}

/** Does what an error handler of the table does. */
function recover(does: Catch['does'], error: Error, res: Response, next: (error?: unknown) => void): void {
  if (does === 'answers' && !res.headersSent) res.status(500).json({ caught: error.message })
  else if (does === 'recovers') next()
  else next(does === 'replaces' ? new Error(`${error.message}, replaced`) : error)
}

function build(nodes: readonly Node[], root: Rules, mount: Mount): express.Express {
  let count = 0
  const taken = new Map<IRouter, Set<string>>()
  const add = (on: IRouter, node: Node): void => {
    const name = `n${count++}`
    if (node.kind === 'group') {
      const places = taken.get(on) ?? new Set()
      taken.set(on, places)
      const routes = free(node, places)
      if (routes.length > 0) mount(on, node, routes, name)
    }
    if (node.kind === 'use') {
      on.use(node.path as string | string[], (req, _res, next) => {
        note(name, req)
        return act(node.does, req, next)
      })
    }
    if (node.kind === 'catch') {
      on.use(node.path, ((error: Error, req, res, next) => {
        note(`${name} ${error.message}`, req)
        recover(node.does, error, res, next)
      }) as ErrorRequestHandler)
    }
    if (node.kind === 'param') {
      on.param(node.name, (req, _res, next, value) => {
        note(`${name} ${String(value)}`, req)
        next()
      })
    }
    if (node.kind === 'router') {
      const inner = Router({ strict: node.strict, caseSensitive: node.caseSensitive, mergeParams: node.mergeParams })
      for (const child of node.nodes) add(inner, child)
      // Two arguments of the same name are refused.
      on.use(node.at.replace(':p', `:${name}`), inner)
    }
    if (node.kind === 'by hand') {
      const route = on.route(node.path)
      for (const method of node.methods) {
        route[method.toLowerCase() as 'get']((req, res, next) => {
          if (!node.passes) answer(name, req, res)
          else {
            note(name, req)
            next()
          }
        })
      }
    }
  }
  const app = express()
    .set('strict routing', root.strict)
    .set('case sensitive routing', root.caseSensitive)
    .set('env', 'test')
    .disable('x-powered-by')
  for (const node of nodes) add(app, node)
  // Express's own last function would write after a reply.
  isTwice = JSON.stringify(nodes).includes('twice')
  if (isTwice) {
    app.use((req, res) => {
      note('nothing', req)
      if (!res.headersSent) res.status(404).json('nothing')
    })
  }
  app.use(
    ((error: Error & { status?: number }, req: Request, res: Response, _next: unknown) => {
      note(`last ${error.message}`, req)
      if (res.headersSent) return
      res.status(error.status ?? 500).json({
        error: error.status === undefined ? error.message : 'malformed',
        params: req.params,
      })
    }) as never,
  )
  return app
}

interface Placed {
  readonly path: string
  readonly method: Method
}
type Mount = (on: IRouter, group: Group, routes: readonly Placed[], name: string) => void

/** The methods of a builder by HTTP method. */
const CALLS: Partial<Record<Method, 'get' | 'post' | 'del'>> = { GET: 'get', POST: 'post', DELETE: 'del' }

/**
 * Omits the second of two routes in the same place of a router, which is refused, and routes that a builder cannot add.
 */
function free({ route, routes, built }: Group, taken: Set<string>): readonly Placed[] {
  return routes.flatMap(({ path, methods }) => methods.map((method) => ({ path, method }))).filter(
    ({ path, method }) => {
      if (built && CALLS[method] === undefined) return false
      const place = `${method} ${route}${path}`.replace(/([:*])\w+/g, '$1').toLowerCase()
      return !taken.has(place) && taken.add(place)
    },
  )
}

const byUs: Mount = (on, { built, route }, routes, name) => {
  const entries = routes.map(({ path, method }, at) =>
    [`r${at}`, {
      methods: method,
      route: path,
      handler: fromHandler((req, res) => answer(`${name} ${method} ${path}`, req, res)),
    }] as const
  )
  if (!built) {
    mountRoutes(on, { route, name, routes: Object.fromEntries(entries) })
    return
  }
  const builder = resource(on, route).name(name)
  for (const [key, { methods, route: path, handler }] of entries) builder[CALLS[methods] ?? 'get'](key, path, handler)
}

const byExpress: Mount = (on, { route: prefix }, placed, name) => {
  const sorted = placed.map(({ path, method }) => ({ path, method, full: `${prefix}${path}` || '/' })).sort((
    one,
    other,
  ) => bySpecificity(one.full, other.full))
  const routes = new Map<string, ReturnType<IRouter['route']>>()
  for (const { path, method, full } of sorted) {
    const route = routes.get(full) ?? on.route(full)
    routes.set(full, route)
    route[method.toLowerCase() as 'get']((req, res) => answer(`${name} ${method} ${path}`, req, res))
  }
}

interface Listing {
  readonly path: unknown
  readonly methods: readonly string[] | undefined
  readonly router: Lists | undefined
}
interface Lists {
  listRoutes(): readonly Listing[]
}

/** `router` before 2.3 has no list of its routes. */
function listOf(router: object): unknown[] {
  if (!('listRoutes' in router)) return []
  return (router as Lists).listRoutes().map(({ path, methods, router: inner }) => ({
    path,
    methods,
    inside: inner === undefined ? undefined : listOf(inner),
  }))
}

/** Wraps every third layer of an app, as a tracer may do at any time. */
function wrapSome(stack: readonly Layer[]): void {
  for (const [at, layer] of stack.entries()) {
    const inside = stackInside(layer)
    if (inside !== undefined) wrapSome(inside)
    else if (at % 3 === 1 && layer.handle.length < 4) {
      const { handle } = layer
      Object.assign(layer, { handle: (req: object, res: object, next: () => void) => handle(req, res, next) })
    }
  }
}

const channel = tracingChannel<object>('express.router.request')
const tracer = {
  start: () => undefined,
  end: () => undefined,
  asyncStart: () => undefined,
  asyncEnd: () => undefined,
  error: () => undefined,
}

it('replies like Express alone, whatever is mounted between resources', async () => {
  let listener: RequestListener = express()
  const { server } = await serving((req, res) => listener(req, res))
  const { port } = server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  const ask = async (method: string, path: string): Promise<object> => {
    trace = []
    sent++
    const reply = await send(method, path)
    // Layers may run after the reply.
    for (let turns = 0; turns < (isTwice ? 30 : 4); turns++) await turn()
    // Two passes of a request change its target and reply in turns: then only the handlers that ran are compared.
    return isTwice ? { ran: trace.filter(isRun).map(([name]) => name).sort() } : { ...reply, trace }
  }
  const send = (method: string, path: string): Promise<object> =>
    new Promise((resolve, reject) => {
      const headers = { [REQUEST_ID]: String(sent) }
      request({ port, host: '127.0.0.1', agent, method, path, headers }, (res) => {
        const chunks: Buffer[] = []
        const { statusCode: status, headers: { allow } } = res
        res.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end',
          () => resolve({ status, allow, body: Buffer.concat(chunks).toString() }))
      })
        // Express closes the connection if the second pass of a request fails after the reply.
        .on('error', (error) => isTwice ? resolve({}) : reject(error))
        .end()
    })
  await fc.assert(
    fc.asyncProperty(
      fc.record(rules),
      tableOf(2),
      fc.array(asked, { minLength: 4, maxLength: 8 }),
      fc.boolean(),
      fc.boolean(),
      async (root, nodes, requests, looked, isObserved) => {
        const [ours, wrapped, plain] = [
          build(nodes, root, byUs),
          build(nodes, root, byUs),
          build(nodes, root, byExpress),
        ]
        listBelow(wrapped)
        wrapSome(stackOf(wrapped))
        // Listing the routes seals the builders; otherwise the first request does.
        if (looked) listBelow(ours)
        if (looked) expect(listOf(ours.router)).toEqual(listOf(plain.router))
        for (const { method, target } of requests) {
          listener = plain
          const expected = await ask(method, target)
          listener = ours
          expect(await ask(method, target)).toEqual(expected)
          for (const fast of [true, false]) {
            listener = directly(ours, fast)
            expect(await ask(method, target)).toEqual(expected)
          }
          listener = directly(wrapped)
          expect(await ask(method, target)).toEqual(expected)
          if (!isObserved) continue
          channel.subscribe(tracer)
          listener = directly(ours)
          expect(await ask(method, target)).toEqual(expected)
          channel.unsubscribe(tracer)
        }
        listBelow(ours)
        expect(listOf(ours.router)).toEqual(listOf(plain.router))
      },
    ),
    fuzzing(150),
  )
}, fuzzingTimeout(60))

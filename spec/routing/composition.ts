import express, { Router, type Express, type IRouter, type RequestHandler } from 'express'
import fc from 'fast-check'
import { auth, errorHandler, MisuseError, mountRoutes, notFound, permission } from 'resourcery'
import type { AuthMarker } from '../../lib/core/base/types.js'
import { handles } from '../../lib/core/express/layers.js'
import { stackOf } from '../../lib/core/express/stack.js'
import { mountedAt } from '../../lib/core/routing/registry.js'
import { fullPath } from '../../lib/core/routing/request-path.js'
import { stateOf } from '../../lib/core/routing/request-state.js'
import { walk } from '../../lib/core/routing/walk.js'

/*
 * Random compositions of apps, Routers, guards, resource routes and undeclared handlers. A handler that runs records
 * what the guards know of its request, so that nothing in front of it or around it changes what the look-ahead sees.
 */

/** The applications: `permission('t')` refuses undeclared handlers, `permission('u')` does not. */
type AppName = 't' | 'u'

interface GuardNode {
  readonly kind: 'guard'
  readonly app: AppName
  readonly isShared: boolean
  readonly permission: 'none' | 'own' | 'shared'
  readonly path: string
  /** True for handlers of a route, in front of an undeclared one. */
  readonly inRoute: boolean
}
interface RouteNode {
  readonly kind: 'route'
  /** `undefined` for an undeclared handler. */
  readonly marker: AuthMarker | undefined
  readonly app: AppName | undefined
  readonly method: 'GET' | 'POST'
  readonly path: string
}
interface FunctionNode {
  /** A function that answers, passes a request on, or skips where the request names it. */
  readonly kind: 'answer' | 'pass' | 'skip'
  readonly how: 'router' | 'route' | 'error' | 'rewrite'
  readonly path: string
}
interface RecoveryNode {
  readonly kind: 'recovery'
}
interface MountNode {
  readonly kind: 'mount'
  readonly as: 'Router' | 'app'
  /** True for a function that calls the Router or the app. */
  readonly isCalled: boolean
  readonly path: string
  readonly nodes: readonly CompositionNode[]
}
export type CompositionNode = GuardNode | RouteNode | FunctionNode | RecoveryNode | MountNode

/** The path of a function is never the beginning of that of a route or a guard: such a function is no handler. */
const OWN_PATHS = ['/f', '/f', '/:fn', '{/:fn}', '/*fn'] as const

/** Returns a list of the same value, to choose it more often than others. */
function often<Value>(value: Value, times: number): Value[] {
  return Array.from({ length: times }, () => value)
}

const app = fc.constantFrom<AppName>('t', 't', 't', 't', 'u')
const guard = fc.record<GuardNode>({
  kind: fc.constant('guard'),
  app,
  isShared: fc.boolean(),
  permission: fc.constantFrom('none', 'own', 'shared'),
  path: fc.constantFrom(...often('/', 8), '/a', '/:g', '{/:h}', '/*gw'),
  inRoute: fc.constantFrom(false, false, false, false, true),
})
const route = fc.record<RouteNode>({
  kind: fc.constant('route'),
  marker: fc.constantFrom<AuthMarker | undefined>(undefined, undefined, false, false, true, 'optional'),
  app: fc.constantFrom<AppName | undefined>('t', 't', 't', 't', 'u', undefined),
  method: fc.constantFrom('GET', 'GET', 'GET', 'GET', 'POST'),
  path: fc.constantFrom('/', ...often('/x', 5), '/a', ...often('/:p', 3), ...often('/*q', 4), '/x{/:o}', '/x/y'),
})
const skip = fc.record<FunctionNode>({
  kind: fc.constantFrom('pass', ...often('skip' as const, 5)),
  how: fc.constantFrom('router', 'router', 'router', 'route', 'error', 'error', 'rewrite'),
  path: fc.constantFrom(...often('/', 6), '/a', '/:s'),
})
const plain = fc.oneof(
  fc.record<FunctionNode>({ kind: fc.constant('answer'), how: fc.constant('router'),
    path: fc.constantFrom(...OWN_PATHS) }),
  skip,
  fc.constant<RecoveryNode>({ kind: 'recovery' }),
)

/** Generates a mount, with further mounts inside it up to a depth. */
function mountOf(depth: number): fc.Arbitrary<MountNode> {
  return fc
    .record({
      kind: fc.constant('mount'),
      as: fc.constantFrom<'Router' | 'app'>('Router', 'Router', 'app'),
      isCalled: fc.constantFrom(...often(false, 5), true),
      path: fc.constantFrom(...often('/', 6), '/a', '/a', '/:m', '{/:n}', '/*w'),
      own: fc.constantFrom('/w', '/:fw'),
      nodes: nodesOf(depth),
    })
    // A function without a path runs for public requests, so one that calls a Router has a path of its own.
    .map(({ own, ...node }): MountNode => ({ ...node, path: node.isCalled ? own : node.path }))
}

function nodesOf(depth: number): fc.Arbitrary<readonly CompositionNode[]> {
  const others = fc.array(
    fc.oneof<fc.MaybeWeightedArbitrary<CompositionNode>[]>(
      { weight: 4, arbitrary: route },
      { weight: 3, arbitrary: guard },
      { weight: 2, arbitrary: plain },
      ...(depth === 0 ? [] : [{ weight: 3, arbitrary: mountOf(depth - 1) }]),
    ),
    { minLength: 1, maxLength: 4, size: 'max' },
  )
  const front = fc.oneof<fc.MaybeWeightedArbitrary<readonly CompositionNode[]>[]>(
    fc.constant([]),
    fc.tuple(guard),
    { weight: 2, arbitrary: fc.tuple(skip, guard) },
  )
  return fc.tuple(front, others).map(([first, rest]) => [...first, ...rest])
}

/** The end of an app, where a guard and an undeclared handler are reached after all that was skipped. */
const end = fc.oneof<fc.MaybeWeightedArbitrary<readonly CompositionNode[]>[]>(
  fc.constant([]),
  { weight: 2, arbitrary: fc.tuple(guard, route) },
  { weight: 2, arbitrary: fc.tuple(fc.constant<RecoveryNode>({ kind: 'recovery' }), guard, route) },
)

/** Nodes of an app; the other properties replace those of all guards. */
export const composition = fc.record({
  nodes: fc.tuple(fc.array(mountOf(1), { minLength: 1, maxLength: 2 }), end, nodesOf(1)).map((lists) => lists.flat()),
  isShared: fc.constantFrom(undefined, true, true, false),
  permission: fc.constantFrom<GuardNode['permission'] | undefined>(undefined, 'none', 'own', 'shared', 'shared'),
  hasSkips: fc.constantFrom(true, true, false),
})
type Composition = typeof composition extends fc.Arbitrary<infer T> ? T : never

/** A target of requests, which are sent with all credentials and skips. */
export const compositionTarget = fc.record({
  method: fc.constantFrom('GET', 'GET', 'GET', 'GET', 'GET', 'HEAD', 'POST', 'OPTIONS'),
  path: fc
    .tuple(
      fc.oneof(
        fc.constantFrom(...often(['x'], 8), ['a', 'x'], ['a'], ['f'], ['w', 'x'], ['a', 'f'], ['a', 'a', 'x']),
        fc.array(fc.constantFrom('x', 'x', 'a', 'f', 'w', 'y', 'A', 'X', '%61', ''), { minLength: 1, maxLength: 4 }),
      ),
      fc.constantFrom('', '', '', '/', '?x=/a'),
    )
    .map(([segments, end]) => `/${segments.join('/')}${end}`),
})

export interface CompositionRequest {
  readonly method: string
  readonly path: string
  readonly signedIn: readonly AppName[]
  /** The functions that skip, by their number. */
  readonly skips: readonly number[]
}

/** Returns the requests to a target: anonymous and signed in, with each function that skips, and with all. */
export function requestsTo(target: { readonly method: string; readonly path: string }): CompositionRequest[] {
  const credentials: readonly (readonly AppName[])[] = [[], ['t', 'u']]
  return [[], [0], [1], [2], [0, 1, 2, 3]].flatMap((skips) =>
    credentials.map((signedIn) => ({ ...target, signedIn, skips }))
  )
}

export function headersOf({ signedIn, skips }: CompositionRequest): Record<string, string> {
  return { 'x-signed-in': signedIn.join(' '), 'x-skips': skips.join(' ') }
}

/** A fault that a handler has found. */
export type Finding = string

interface Built {
  readonly app: Express
  readonly findings: Finding[]
  /** True if a guard on the plain path may not know its place, and refuses then: docs/limits.md. */
  readonly isUncertain: boolean
}

const signedInFor = (req: express.Request, name: AppName): boolean =>
  (req.get('x-signed-in') ?? '').split(' ').includes(name)

const authOf = (name: AppName): RequestHandler =>
  auth(name, { verify: (req) => (signedInFor(req, name) ? { id: name, permissions: ['*'] } : null) })
const permissionOf = (name: AppName): RequestHandler =>
  permission(name, { undeclared: name === 't' ? 'deny' : 'allow' })

/** Returns true if no guard has run for a request. */
function isInFront(req: express.Request): boolean {
  const { guards, unchecked } = stateOf(req)
  return guards.size === 0 && unchecked.length === 0
}

class Composer {
  readonly root = express().set('env', 'test')
  readonly findings: Finding[] = []
  isUncertain = false
  readonly #auths = { t: authOf('t'), u: authOf('u') }
  readonly #permissions = { t: permissionOf('t'), u: permissionOf('u') }
  readonly #settings: Omit<Composition, 'nodes'>
  readonly #mounted = new Set<RequestHandler>()
  #count = 0
  #skips = 0

  constructor(settings: Omit<Composition, 'nodes'>) {
    this.#settings = settings
  }

  /** `isCalled` is true inside of a function that calls a Router or an app. */
  fill(target: IRouter, nodes: readonly CompositionNode[], isCalled = false): void {
    for (const node of nodes) this.#add(target, node, isCalled)
  }

  #add(target: IRouter, node: CompositionNode, isCalled: boolean): void {
    if (node.kind === 'mount') this.#mount(target, node, isCalled)
    else if (node.kind === 'guard') {
      const guards = this.#guardsOf(node, isCalled)
      if (node.inRoute) target.all(node.path, ...guards, this.#undeclared(isCalled))
      else target.use(node.path, ...guards)
    } else if (node.kind === 'route') this.#route(target, node, isCalled)
    else if (node.kind === 'answer') target.use(node.path, this.#undeclared(true))
    else if (node.kind === 'recovery') {
      target.use((error: unknown, _req: express.Request, _res: express.Response, next: express.NextFunction) =>
        next(error === SKIPPED ? undefined : error)
      )
    } else target.use(node.path, node.kind === 'skip' ? this.#skipping(node.how) : (_req, _res, next) => next())
  }

  #mount(target: IRouter, { as, isCalled: isCalledHere, path, nodes }: MountNode, isCalled: boolean): void {
    const inner = as === 'app' ? express().set('env', 'test') : Router()
    this.isUncertain ||= as === 'app' && (isCalled || isCalledHere)
    this.fill(inner, nodes, isCalled || isCalledHere)
    target.use(path, isCalledHere ? (req, res, next) => inner(req, res, next) : inner)
  }

  #guardsOf({ app: name, ...node }: GuardNode, isCalled: boolean): RequestHandler[] {
    const { isShared = node.isShared, permission: kind = node.permission } = this.#settings
    const choose = (shares: boolean, shared: RequestHandler, make: (name: AppName) => RequestHandler): RequestHandler =>
      shares && !isCalled && this.#mayShare(shared, node) ? shared : make(name)
    const guards = [choose(isShared, this.#auths[name], authOf)]
    return kind === 'none' ? guards : [...guards, choose(kind === 'shared', this.#permissions[name], permissionOf)]
  }

  /** Returns false for a guard in a second place by `use`, where the first may be skipped: docs/limits.md. */
  #mayShare(guard: RequestHandler, { inRoute }: Pick<GuardNode, 'inRoute'>): boolean {
    if (inRoute || !this.#settings.hasSkips) return true
    const isFirst = !this.#mounted.has(guard)
    this.#mounted.add(guard)
    return isFirst
  }

  #route(target: IRouter, { marker, app: name, method, path }: RouteNode, isCalled: boolean): void {
    if (marker === undefined) {
      target[method === 'GET' ? 'get' : 'post'](path, this.#undeclared(isCalled))
      return
    }
    // A route of the table has no optional groups.
    const declared = path.replace(/\{.*\}/, '')
    const handler = (req: express.Request): string => {
      if (marker === true && name !== undefined && stateOf(req).guards.get(name)?.auth === undefined) {
        this.findings.push(`an anonymous request ran a route of ${name}`)
      }
      return 'declared'
    }
    try {
      mountRoutes(target, {
        ...(name !== undefined && { app: name }),
        route: '',
        name: `r${this.#count++}`,
        routes: { one: { methods: method, route: declared, auth: marker, can: marker !== false, handler } },
      })
    } catch (error) {
      if (!(error instanceof MisuseError && error.code === 'route_taken')) throw error
    }
  }

  #undeclared(isFunction: boolean): RequestHandler {
    const kind = isFunction ? 'function' : 'route'
    return (req, res) => {
      const { guards, unchecked } = stateOf(req)
      for (const app of ['t', 'u']) {
        const state = guards.get(app)
        if ((state !== undefined || unchecked.includes(app)) && state?.auth === undefined) {
          this.findings.push(`a request without authentication for ${app} ran an undeclared ${kind}`)
        }
        const isDenied = app === 't' && state?.auth !== undefined && state.isGranted !== undefined
        if (isDenied && !(isFunction && this.#isInFrontOfProtected(req))) {
          this.findings.push(`a caller of ${app} ran an undeclared ${kind} that must be refused`)
        }
      }
      res.end()
    }
  }

  /**
   * Returns true where a route that requires a sign-in matches too: a function in front of it is taken for its
   * middleware.
   */
  #isInFrontOfProtected(req: express.Request): boolean {
    return walk(stackOf(this.root), fullPath(req), {
      route: (route) => handles(route, req.method) && mountedAt(route, req.method)?.auth === true,
    })
  }

  /** Skips in front of guards only: docs/limits.md names what happens behind them. */
  #skipping(how: FunctionNode['how']): RequestHandler {
    const own = String(this.#skips++)
    const { hasSkips } = this.#settings
    return (req, _res, next) => {
      const isSkipped = hasSkips && (req.get('x-skips') ?? '').split(' ').includes(own) && isInFront(req)
      if (!isSkipped) next()
      else if (how === 'rewrite') {
        // In a mount by a wildcard a guard is not found again: docs/limits.md.
        if (req.baseUrl === '') req.url = '/a/x'
        next()
      } else if (how === 'error') next(SKIPPED)
      else next(how)
    }
  }
}

const SKIPPED = Object.assign(new Error('skipped'), { status: 418, expose: true })

export function compose({ nodes, ...settings }: Composition): Built {
  const composer = new Composer(settings)
  composer.fill(composer.root, nodes)
  const { findings, isUncertain, root } = composer
  return { app: root.use(notFound(), errorHandler({ log: () => undefined })), findings, isUncertain }
}

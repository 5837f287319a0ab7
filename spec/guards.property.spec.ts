import express, { Router, type Express, type IRouter, type RequestHandler } from 'express'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { auth } from 'resourcery'
import { errorHandler } from 'resourcery'
import { MisuseError } from 'resourcery'
import { notFound } from 'resourcery'
import { permission } from 'resourcery'
import { mountRoutes } from 'resourcery'
import { routesOf } from 'resourcery'
import { serve } from 'resourcery'
import type { AuthMarker } from '../lib/core/base/types.js'
import { closed, standing } from './support/http.js'
import { isRefused } from './support/refused.js'
import { fuzzing, fuzzingTimeout } from './support/fuzzing.js'

/*
 * Random nestings of Routers, sub-apps, guards and resources, with an `app` and without. A model without Express
 * follows the guards in front of the first route that matches: the reply must equal that of the model.
 */

type AppName = 'a' | 'b'
interface Guard {
  readonly kind: 'guard'
  readonly what: 'auth' | 'permission'
  readonly app: AppName
  readonly path: string
  readonly wrapped: boolean
}
interface Leaf {
  readonly kind: 'leaf'
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly app: AppName | undefined
  readonly auth: AuthMarker
  readonly can: boolean
  readonly guards: readonly AppName[]
}
interface Branch {
  readonly kind: 'branch'
  readonly sub: boolean
  readonly prefix: string
  readonly nodes: readonly Node[]
}
type Node = Guard | Leaf | Branch

const name = fc.constantFrom<AppName>('a', 'b')
const guard: fc.Arbitrary<readonly Guard[]> = fc
  .record({
    app: name,
    path: fc.constantFrom('/', '/', '/x', '/:any'),
    wrapped: fc.constantFrom(false, false, false, true),
    only: fc.constantFrom('pair', 'pair', 'pair', 'auth', 'permission'),
  })
  .map(({ only, ...rest }) =>
    (['auth', 'permission'] as const).filter((what) => only === 'pair' || only === what).map((what) => ({
      kind: 'guard',
      what,
      ...rest,
    }))
  )
const leaf: fc.Arbitrary<readonly Leaf[]> = fc
  .record({
    kind: fc.constant('leaf'),
    method: fc.constantFrom('GET', 'POST'),
    path: fc.constantFrom('/x', '/y', '/:p', '/x/y'),
    app: fc.constantFrom<AppName | undefined>(undefined, undefined, 'a', 'b'),
    auth: fc.constantFrom<AuthMarker>(true, true, 'optional', false),
    can: fc.boolean(),
    guards: fc.constantFrom<readonly AppName[]>([], [], ['a'], ['b', 'a']),
  })
  .map((one) => [one.auth === false ? { ...one, can: false } : one])
const { nodes } = fc.letrec<{ nodes: readonly Node[]; branch: readonly Branch[] }>((tie) => ({
  nodes: fc
    .array(fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, guard, tie('branch')), {
      minLength: 1,
      maxLength: 5,
    })
    .map((lists) => lists.flat() as Node[]),
  branch: fc
    .record({
      kind: fc.constant('branch'),
      sub: fc.boolean(),
      prefix: fc.constantFrom('/', '/x', '/:q'),
      nodes: tie('nodes'),
    })
    .map((one) => [one] as Branch[]),
}))
const badge = fc.constantFrom('none', 'limited', 'full')
const asked = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'POST'),
  path: fc.constantFrom('/x', '/y', '/X/', '/x/y', '/x/x', '/x/x/y', '/y/y'),
  a: badge,
  b: badge,
})
type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never

/**
 * Signs in callers with a badge of the application; a full badge has every permission, a limited one that of another
 * resource.
 */
const badgeOf = (app: AppName): RequestHandler =>
  auth(app, {
    verify: (req) => {
      const held = req.get(`x-${app}`)
      return held === undefined || held === 'none'
        ? null
        : { id: app, permissions: held === 'full' ? [`${app}.*`] : [`${app}.other.one`] }
    },
  })
const guardOf = ({ what, app, wrapped }: Pick<Guard, 'what' | 'app' | 'wrapped'>): RequestHandler => {
  const middleware = what === 'auth' ? badgeOf(app) : permission(app)
  return wrapped ? (req, res, next) => middleware(req, res, next) : middleware
}

/** The steps of a request in order, with full paths, without routes that were refused when mounting. */
type Step = { readonly at: string } & (Guard | Leaf)

function build(tree: readonly Node[]): { app: Express; steps: Step[] } {
  const steps: Step[] = []
  const mount = (target: IRouter, prefix: string, list: readonly Node[]): void => {
    for (const node of list) {
      if (node.kind === 'guard') {
        target.use(node.path, guardOf(node))
        steps.push({ ...node, at: prefix + node.path })
      } else if (node.kind === 'branch') {
        // An app inside a Router changes the prototype of the request, so that later routes cannot be foreseen.
        const inner = node.sub && 'set' in target ? express() : Router()
        mount(inner, prefix + node.prefix, node.nodes)
        target.use(node.prefix, inner)
      } else if (mountLeaf(target, node, `r${steps.length}`)) steps.push({ ...node, at: prefix + node.path })
    }
  }
  const app = express()
  mount(app, '', tree)
  return { app: app.use(notFound(), errorHandler({ log: () => undefined })), steps }
}

function mountLeaf(target: IRouter, { method, path, app, auth: marker, can, guards }: Leaf, named: string): boolean {
  const own = guards.flatMap((one) => [badgeOf(one), permission(one)])
  const handler = (): string => 'reached'
  try {
    mountRoutes(target, {
      ...(app !== undefined && { app }),
      route: '',
      name: named,
      guards: own,
      routes: { one: { methods: method, route: path, auth: marker, can, handler } },
    })
    return true
  } catch (error) {
    if (error instanceof MisuseError && error.code === 'route_taken') return false
    throw error
  }
}

const segmentsOf = (path: string): string[] => path.toLowerCase().split('/').filter((segment) => segment !== '')

function covers(pattern: string, path: string, whole: boolean): boolean {
  const [own, given] = [segmentsOf(pattern), segmentsOf(path)]
  return (whole ? own.length === given.length : own.length <= given.length)
    && own.every((segment, at) => segment.startsWith(':') || segment === given[at])
}

/** Returns true if a declared path begins with another one, segment by segment. */
function isPrefix(path: string, declared: string): boolean {
  const segments = segmentsOf(declared)
  return segmentsOf(path).every((segment, at) => segment === segments[at])
}

/**
 * Returns the status by the guards in front of the first matching route and by its markers, or `undefined` if no route
 * matches.
 */
function expected(steps: readonly Step[], { method, path, ...badges }: Asked): number | undefined {
  const at = steps.findIndex((step) =>
    step.kind === 'leaf' && step.method === (method === 'HEAD' ? 'GET' : method) && covers(step.at, path, true)
  )
  const target = steps[at] as Leaf | undefined
  const front = (at === -1 ? steps : steps.slice(0, at)).filter((step): step is Step & Guard =>
    step.kind === 'guard' && covers(step.at, path, false)
  )
  const own = (target?.guards ?? []).flatMap((app) =>
    (['auth', 'permission'] as const).map((what) => ({ what, app, wrapped: false }))
  )
  const passed = new Set<AppName>()
  const asking = new Set<AppName>()
  const ask = (app: AppName, can: boolean): number | undefined => {
    if (badges[app] === 'none') return target?.auth === 'optional' && !can ? undefined : 401
    return can && badges[app] !== 'full' ? 403 : undefined
  }
  const hides = (step: Step & Guard): boolean => step.wrapped && !isPrefix(step.at, steps[at]?.at ?? '')
  const guards = [...front, ...own]
  for (const [index, { what, app, wrapped }] of guards.entries()) {
    // A function with a path of its own in front of a route for anonymous callers hides it.
    const isHidden = target?.auth !== true && guards.slice(index + 1).some((one) => 'at' in one && hides(one))
    const seen = wrapped || isHidden ? undefined : target
    if (what === 'auth') {
      if (seen?.auth === false) continue
      if (badges[app] === 'none' && seen?.auth !== 'optional') return 401
      passed.add(app)
      continue
    }
    if (!passed.has(app) && seen?.auth !== false) return 500
    asking.add(app)
    const refused = seen !== undefined && seen.auth !== false && (seen.app ?? app) === app
      ? ask(app, seen.can)
      : undefined
    if (refused !== undefined) return refused
  }
  if (target === undefined) return undefined
  return target.auth === false ? 200 : atRoute(target, passed, asking, ask)
}

function atRoute(
  { app, can }: Leaf,
  passed: ReadonlySet<AppName>,
  asking: ReadonlySet<AppName>,
  ask: (app: AppName, can: boolean) => number | undefined,
): number {
  if (app === undefined) {
    return [...passed].map((one) => ask(one, can && asking.has(one))).find((status) => status !== undefined) ?? 200
  }
  if (!passed.has(app)) return 500
  const status = ask(app, can)
  return can && !asking.has(app) && status !== 401 ? 500 : status ?? 200
}

async function statusesOf(url: string, requests: readonly Asked[]): Promise<number[]> {
  const statuses: number[] = []
  for (const { method, path, a, b } of requests) {
    const reply = await fetch(url + path, { method, headers: { 'x-a': a, 'x-b': b } })
    await reply.arrayBuffer()
    statuses.push(reply.status)
  }
  return statuses
}

it.each(['app.listen', 'serve'])(
  'every request gets the status of the guards and markers on its way, under %s',
  async (how) => {
    await fc.assert(
      fc.asyncProperty(nodes, fc.array(asked, { minLength: 6, maxLength: 14 }), async (tree, requests) => {
        const { app, steps } = build(tree)
        fc.pre(how === 'app.listen' || !isRefused(app))
        const running = how === 'serve' ? await serve(app, { port: 0, signals: false }) : await standing(app)
        const statuses = await statusesOf(running.url, requests)
        await ('close' in running ? running.close() : closed(running.server))
        const model = requests.map((request) => expected(steps, request))
        expect(statuses.map((status) => (status === 405 ? 404 : status))).toEqual(model.map((status) => status ?? 404))
      }),
      fuzzing(80),
    )
  },
  fuzzingTimeout(60),
)

it('routesOf lists exactly the permissions that requests need', () => {
  fc.assert(
    fc.property(nodes, (tree) => {
      const { app, steps } = build(tree)
      fc.pre(!isRefused(app))
      const model = steps.flatMap((
        step,
        at,
      ) => (step.kind === 'leaf' ? [{ name: `r${at}`, permissions: permissionsAt(steps, at).sort() }] : []))
      const listed = routesOf(app).map(({ resource, permissions }) => ({
        name: resource,
        permissions: permissions.toSorted(),
      }))
      expect(listed.toSorted((one, other) => one.name.localeCompare(other.name))).toEqual(
        model.sort((one, other) => one.name.localeCompare(other.name)),
      )
    }),
    fuzzing(300),
  )
}, fuzzingTimeout(60))

function permissionsAt(steps: readonly Step[], at: number): string[] {
  const { app, auth: marker, can, guards, at: path } = steps[at] as Step & Leaf
  if (marker === false || !can) return []
  const front = steps.slice(0, at).filter((step) =>
    step.kind === 'guard' && step.what === 'permission' && !step.wrapped && covers(step.at, path, false)
  )
  const asking = app === undefined ? new Set([...front.map((step) => step.app), ...guards]) : [app]
  return [...asking].map((one) => `${one}.r${at}.one`)
}

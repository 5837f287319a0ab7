import express, { Router, type Express, type Request, type RequestHandler, type Response } from 'express'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { auth, errorHandler, mountRoutes, MisuseError, notFound, permission } from 'resourcery'
import { accessMatrix, inject } from 'resourcery/testing'
import { fuzzing, fuzzingTimeout } from '../support/fuzzing.js'

/*
 * Random apps with guards in random places: the matrix says of each route what a request of each caller gets. A caller
 * is known to every application by a header, so that a request reaches several of them with one sign-in.
 */

const ROLES = { full: ['*'], some: ['a.r0.*', 'a.r2.*', 'b.r1.*'] }
const CALLERS = { full: { id: 1, role: 'full' }, some: { id: 2, role: 'some' }, anonymous: null } as const

const segment = fc.constantFrom('x', 'y', ':p', '*w')
const path = fc.array(segment, { minLength: 1, maxLength: 2 })
  .map((all) => `/${all.map((one, at) => (/[:*]/.test(one) ? `${one}${at}` : one)).join('/')}`)
const app = fc.constantFrom('a', 'b')
const method = fc.constantFrom('GET' as const, 'POST' as const)
const where = fc.record({ mount: fc.constantFrom('', '/x', '/y', '/:m', '/in'), app })
const declared = fc.record({
  kind: fc.constant('declared' as const),
  path,
  method,
  app: fc.option(app, { nil: undefined }),
  auth: fc.constantFrom<boolean | 'optional'>(true, true, false, 'optional'),
  can: fc.boolean(),
  guards: fc.constantFrom('none', 'none', 'both', 'auth'),
})
const undeclared = fc.record({ kind: fc.constant('undeclared' as const), path, method, app, guarded: fc.boolean() })
const guard = fc.record({
  kind: fc.constant('guard' as const),
  where,
  only: fc.constantFrom('both', 'both', 'both', 'auth'),
  denies: fc.boolean(),
})
type Leaf = typeof declared | typeof undeclared | typeof guard
type Node =
  | (Leaf extends fc.Arbitrary<infer One> ? One : never)
  | { readonly kind: 'router' | 'app'; readonly mount: string; readonly nodes: readonly Node[] }
const leaf = fc.oneof(declared, declared, undeclared, guard)
const inner = fc.record({
  kind: fc.constantFrom('router' as const, 'app' as const),
  mount: fc.constantFrom('/', '/x', '/:m', '/in'),
  nodes: fc.array(leaf, { minLength: 1, maxLength: 4 }),
})
const tree: fc.Arbitrary<Node[]> = fc.array(fc.oneof(leaf, leaf, inner), { minLength: 1, maxLength: 7 })

function guardsOf(name: string, only: string, denies = false): RequestHandler[] {
  const verify = (req: Request): { id: number; role: string } | null => {
    const role = req.get('x-role')
    return role === undefined ? null : { id: 1, role }
  }
  const first = auth(name, { verify })
  return only === 'auth' ? [first] : [first, permission(name, { roles: ROLES, undeclared: denies ? 'deny' : 'allow' })]
}

let count = 0

/** Mounts a node; without guards the app shows which route a request is about. */
function mount(target: Router, node: Node, isGuarded: boolean): void {
  if ('nodes' in node) {
    const inside = (node.kind === 'app' ? express() : Router()) as Router
    for (const one of node.nodes) mount(inside, one, isGuarded)
    target.use(node.mount, inside)
    return
  }
  if (node.kind === 'guard') {
    if (isGuarded) target.use(node.where.mount, ...guardsOf(node.where.app, node.only, node.denies))
    return
  }
  const name = `r${count++}`
  const handler = (_req: Request, res: Response): void => void res.set('x-route', name).end()
  if (node.kind === 'undeclared') {
    const handlers = [...(node.guarded && isGuarded ? guardsOf(node.app, 'both') : []), handler]
    if (node.method === 'GET') target.get(node.path, ...handlers)
    else target.post(node.path, ...handlers)
    return
  }
  const { app: owner, auth: marker, method: methods, path: route } = node
  mountRoutes(target, {
    ...(owner !== undefined && isGuarded && { app: owner }),
    route: '',
    name,
    guards: node.guards === 'none' || !isGuarded ? [] : guardsOf(owner ?? 'a', node.guards),
    routes: { one: { methods, route, auth: marker, can: marker !== false && node.can, handler } },
  })
}

function built(nodes: readonly Node[], isGuarded: boolean): Express | undefined {
  count = 0
  const root = express()
  try {
    for (const node of nodes) mount(root, node, isGuarded)
  } catch (error) {
    if (error instanceof MisuseError) return undefined // the same place twice
    throw error
  }
  return root.use(notFound(), errorHandler({ log: () => undefined }))
}

it('accessMatrix agrees with the requests of each caller, whatever guards and routes are mounted', async () => {
  let compared = 0
  await fc.assert(
    fc.asyncProperty(tree, async (nodes) => {
      const [bare, root] = [built(nodes, false), built(nodes, true)]
      const matrix = root && await accessMatrix(root, CALLERS).catch((error: unknown) => {
        if (!(error instanceof MisuseError)) throw error // two routes that share a permission id
      })
      if (bare === undefined || root === undefined || matrix === undefined) return
      for (const [at, { method: sent, path: own, access }] of matrix.rows.entries()) {
        const target = own.replace(/[:*]\w+/g, '~sample~')
        const reached = await inject(bare, { method: sent, path: target })
        if (reached.headers.get('x-route') !== `r${at}`) continue
        for (const [name, caller] of Object.entries(CALLERS)) {
          const headers: Record<string, string> = caller === null ? {} : { 'x-role': caller.role }
          const { status } = await inject(root, { method: sent, path: target, headers })
          const seen = status === 200 ? 'pass' : status
          const told = access[name] === 'public' ? 'pass' : access[name]
          expect([sent, target, name, told]).toEqual([sent, target, name, seen])
          compared++
        }
      }
    }),
    fuzzing(300),
  )
  expect(compared).toBeGreaterThan(300)
}, fuzzingTimeout(60))

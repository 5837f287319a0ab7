import { Agent, request, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { Router, type IRouter, type RequestHandler } from 'express'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import type { ExpressRoute } from '../../lib/core/express/stack.js'
import { lookAhead } from '../../lib/core/routing/look-ahead.js'
import { register } from '../../lib/core/routing/registry.js'
import type { Ahead } from '../../lib/core/routing/request-state.js'
import { entryOf } from '../auth/marked-routes.js'
import { directly } from '../support/directly.js'
import { fuzzing, fuzzingTimeout } from '../support/fuzzing.js'
import { serving } from '../support/http.js'

/*
 * Random tables of routes, routers and apps. Every route replies with its own name, which shows the route that Express
 * finds; a look-ahead from any middleware on the way must have found the same.
 */

type Path = string | RegExp | readonly string[]
interface Rules {
  readonly strict: boolean
  readonly caseSensitive: boolean
}
interface Leaf {
  readonly kind: 'ours' | 'by hand'
  readonly methods: readonly string[]
  readonly path: Path
}
interface Watch {
  readonly kind: 'watch' | 'plain'
  readonly path: Path
}
interface Mount extends Rules {
  readonly kind: 'router' | 'app'
  readonly at: readonly Path[]
  readonly late: boolean
  readonly nodes: readonly Node[]
}
type Node = Leaf | Watch | Mount

const METHODS = ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']

const pathOf = (segments: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(fc.array(fc.constantFrom(...segments), { minLength: 1, maxLength: 2 }), fc.constantFrom('', '', '/'))
    .map(([chosen, end]) =>
      `/${chosen.map((segment, at) => segment.replace(/[xyw]/g, (name) => `${name}${at}`)).join('/')}${end}`
    )
const variants = (text: fc.Arbitrary<string>, ...patterns: readonly RegExp[]): fc.Arbitrary<Path> =>
  fc.oneof(
    { weight: 8, arbitrary: text },
    { weight: 1, arbitrary: fc.array(text, { minLength: 1, maxLength: 2 }) },
    { weight: 1, arbitrary: fc.constantFrom(...patterns) },
  )
const SEGMENTS = ['a', 'a', 'b', 'A', 'a.b', ':x', ':x', ':x-:y', '*w', 'a%2Fb']
const path = variants(pathOf([...SEGMENTS, '{b}']), /^\/a/, /^\/(a|b)\/?$/i, /\/b$/, /^\/%61/)
const plainPrefix = fc.oneof(
  fc.constantFrom<Path>('/', '/', '/a', '/a/', '/A/b', '/:p'),
  variants(pathOf(SEGMENTS), /^\/a/, /^\/b$/, /^\/(a|b)/i, /b/),
)
/** A mount whose pattern includes the following slash: Express's `baseUrl` is then too short by one. */
const greedyPrefix = fc.oneof(plainPrefix, variants(pathOf([...SEGMENTS, '{b}']), /^\/a\//))

const leaf: fc.Arbitrary<Node> = fc.record({
  kind: fc.constantFrom('ours', 'by hand'),
  methods: fc.subarray([...METHODS, 'all'], { minLength: 2 }),
  path,
})
const rules = { strict: fc.boolean(), caseSensitive: fc.boolean() }

function table(prefix: fc.Arbitrary<Path>, depth = 2): fc.Arbitrary<readonly Node[]> {
  const watch: fc.Arbitrary<Node> = fc.record({ kind: fc.constantFrom('watch', 'watch', 'plain'), path: prefix })
  const mount: fc.Arbitrary<Node> = fc.record({
    kind: fc.constantFrom('router', 'app'),
    ...rules,
    late: fc.boolean(),
    at: fc.array(prefix, { minLength: 1, maxLength: 2 }),
    nodes: depth === 0 ? fc.constant([]) : table(prefix, depth - 1),
  })
  return fc.array(
    fc.oneof({ weight: 4, arbitrary: leaf }, { weight: 2, arbitrary: watch }, {
      weight: depth === 0 ? 0 : 4,
      arbitrary: mount,
    }),
    { minLength: 1, maxLength: 5 },
  )
}

const askedOf = (...origins: readonly string[]) =>
  fc.record({
    method: fc.constantFrom(...METHODS),
    target: fc
      .tuple(
        fc.constantFrom(...origins),
        fc.array(
          fc.constantFrom('a', 'a', 'a', 'a', 'b', 'b', 'A', 'a.b', 'a-b', '%61', 'a%2Fb', '%2F', 'c', '', '%zz'),
          { minLength: 1, maxLength: 4 },
        ),
        fc.constantFrom('', '', '', '/', '?x=/a', '/?x', '#b', '{'),
      )
      .map(([origin, segments, end]) => `${origin}/${segments.join('/')}${end}`),
  })

/** What a request met: a function with a path of its own, or a watch with its look-ahead. */
type Event = Ahead | 'function'

/** Builds a table whose routes are called `r0`, `r1`, …; `seen` records what a request meets. */
function build(nodes: readonly Node[], root: Rules, shared: boolean, seen: Event[]): express.Express {
  let count = 0
  const watching = (): RequestHandler => {
    const look: RequestHandler = (req, _res, next) => {
      seen.push(lookAhead(req, look))
      next()
    }
    return look
  }
  const one = watching()
  const mountLeaf = (on: IRouter, { kind, methods, path }: Leaf): void => {
    const name = `r${count++}`
    const route = on.route(path as string)
    for (const method of methods) {
      route[method.toLowerCase() as 'get']((_req, res) => void res.set('x-route', name).end())
    }
    const answered = methods.includes('all') ? METHODS : methods
    if (kind === 'ours') {
      for (const method of answered) {
        register(route as unknown as ExpressRoute, entryOf('/', name, { method: method as 'GET', app: null }))
      }
    }
  }
  const fill = (on: IRouter, children: readonly Node[]): void => {
    for (const node of children) {
      if ('at' in node) mount(on, node)
      else if ('methods' in node) mountLeaf(on, node)
      else {
        on.use(node.path as string, (_req, _res, next) => {
          seen.push('function')
          next()
        })
        if (node.kind === 'watch') on.use(node.path as string, shared ? one : watching())
      }
    }
  }
  const mount = (on: IRouter, { kind, at, late, nodes: children, ...own }: Mount): void => {
    // Inside a Router an app is called as a plain function, without its mount path.
    const inner = kind === 'app' && 'set' in on ? appOf(own) : Router(own)
    if (!late) fill(inner, children)
    for (const place of at) on.use(place as string, inner)
    if (late) fill(inner, children)
  }
  const app = appOf(root).use(one)
  fill(app, nodes)
  return app
}

function appOf({ strict, caseSensitive }: Rules): express.Express {
  return express().set('strict routing', strict).set('case sensitive routing', caseSensitive).set('env', 'test')
}

interface Answer {
  readonly route: string | undefined
  readonly byExpress: boolean
}

it.each([
  {
    mounts: 'whole segments',
    prefix: plainPrefix,
    asked: askedOf('', '', '', 'http://host', 'HTTP://user@host:80'),
    shared: fc.boolean(),
    silent: /#|:.*\{/,
  },
  // Express mangles an absolute target whose whole path was consumed; a middleware on two such mounts cannot
  // distinguish them.
  { mounts: 'segments and slashes', prefix: greedyPrefix, asked: askedOf(''), shared: fc.constant(false), silent: /^/ },
])(
  'the look-ahead finds the route that Express will reach, with mounts of $mounts',
  async ({ prefix, asked, shared, silent }) => {
    let app = express()
    let listener: RequestListener = app
    const { server } = await serving((req, res) => listener(req, res))
    const { port } = server.address() as AddressInfo
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    const ask = (method: string, path: string): Promise<Answer> =>
      new Promise((resolve, reject) => {
        request({ port, host: '127.0.0.1', agent, method, path }, (res) => {
          const { 'x-route': route, allow } = res.headers
          res.resume().on('end', () => resolve({ route: route as string | undefined, byExpress: allow !== undefined }))
        })
          .on('error', reject)
          .end()
      })

    let [reached, missed] = [0, 0]
    await fc.assert(
      fc.asyncProperty(
        table(prefix),
        fc.record(rules),
        shared,
        fc.array(asked, { minLength: 3, maxLength: 8 }),
        async (nodes, root, one, requests) => {
          const seen: Event[] = []
          app = build(nodes, root, one, seen)
          const kinds = kindsOf(nodes)
          const ways = [app as RequestListener, directly(app)]
          for (const [{ method, target: path }, way] of requests.flatMap((one) =>
            ways.map((to) => [one, to] as const)
          )) {
            listener = way
            seen.length = 0
            const { route, byExpress } = await ask(method, path)
            // A router replies to OPTIONS when it ends, so that later routes are not reached.
            if (byExpress) continue
            const actual = route === undefined ? 'nothing' : kinds.get(route) === 'ours' ? route : 'undeclared'
            const results = seen.flatMap((event) => {
              if (event === 'function') return []
              const result = event.kind === 'resource' ? event.route.name : event.kind
              // Where no route is reached, a function with a path of its own may be meant to answer. That it was
              // passed before is not known of a watch that runs twice.
              const mayAnswer = result === 'undeclared' && actual === 'nothing' && seen.includes('function')
              return [mayAnswer ? actual : result]
            })
            // Where Express's `baseUrl` and `url` do not add up to the target, the look-ahead may fail, but never be
            // wrong.
            expect(results).toEqual(results.map((one) => (one === 'unseen' && silent.test(path) ? one : actual)))
            expect(results.length).toBeGreaterThan(0)
            if (route === undefined) missed += 1
            else reached += 1
          }
        },
      ),
      fuzzing(300),
    )
    expect(Math.min(reached, missed)).toBeGreaterThan(150)
  },
  fuzzingTimeout(60),
)

/** Returns the kind of each route of a table by its name. */
function kindsOf(nodes: readonly Node[]): Map<string, 'ours' | 'by hand'> {
  const leaves = (children: readonly Node[]): Leaf[] =>
    children.flatMap((node) => ('at' in node ? leaves(node.nodes) : 'methods' in node ? [node] : []))
  return new Map(leaves(nodes).map(({ kind }, at) => [`r${at}`, kind]))
}

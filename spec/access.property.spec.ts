import express, { Router, type RequestHandler } from 'express'
import fc from 'fast-check'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { errorHandler } from 'resourcery'
import { MisuseError } from 'resourcery'
import { notFound } from 'resourcery'
import { mountRoutes } from 'resourcery'
import type { AuthMarker } from '../lib/core/base/types.js'
import { guardsOf, tokenFor } from './support/guarded-app.js'
import { KEPT_OPEN } from './support/http.js'

/*
 * Random tables of overlapping routes, mounts, cases and encodings. What Express reaches without any guard shows which
 * route a request is about; with the guards in place, only that route's own markers decide.
 */

interface Leaf {
  readonly kind: 'declared' | 'undeclared'
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly auth: AuthMarker
  readonly can: boolean
}
interface Branch {
  readonly kind: 'mount'
  readonly prefix: string
  readonly nodes: readonly Leaf[]
}
type Node = Leaf | Branch
type Place = 'app' | 'router' | 'guards'

const segment = fc.constantFrom('a', 'b', 'A', ':x', '*w')
const path = fc
  .array(segment, { minLength: 1, maxLength: 3 })
  .map((segments) => segments.map((one, at) => (one === ':x' || one === '*w' ? `${one}${at}` : one)))
  .map((segments) => `/${segments.join('/')}`)
const leaf: fc.Arbitrary<Leaf> = fc.record({
  kind: fc.constantFrom('declared', 'declared', 'undeclared'),
  method: fc.constantFrom('GET', 'POST', 'DELETE'),
  path,
  auth: fc.constantFrom<AuthMarker>(true, false, 'optional'),
  can: fc.boolean(),
})
const branch: fc.Arbitrary<Branch> = fc.record({
  kind: fc.constant('mount'),
  prefix: fc.constantFrom('/', '/a', '/:p', '/a/b'),
  nodes: fc.array(leaf, { minLength: 1, maxLength: 4 }),
})
const table: fc.Arbitrary<readonly Node[]> = fc.array(fc.oneof(leaf, branch), { minLength: 1, maxLength: 5 })
const asked = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'OPTIONS'),
  path: fc
    .tuple(
      fc.array(fc.constantFrom('a', 'A', 'b', '%61', 'a%2Fb', 'c', '%zz'), { minLength: 1, maxLength: 4 }),
      fc.constantFrom('', '/', '?page=1'),
    )
    .map(([segments, end]) => `/${segments.join('/')}${end}`),
  caller: fc.constantFrom('nobody', 'bad', 'limited', 'full'),
})

function build(nodes: readonly Node[], place: Place | undefined): express.Express {
  let count = 0
  const bothGuards: RequestHandler[] = place === undefined ? [] : guardsOf('t')
  const mountLeaf = (target: Router, one: Leaf): void => {
    const name = `r${count++}`
    const markers = one.auth === false ? { auth: one.auth, can: false } : { auth: one.auth, can: one.can }
    const answer: RequestHandler = (_req, res) => void res.set('x-route', name).end()
    if (one.kind === 'undeclared') {
      target[one.method.toLowerCase() as 'get'](one.path, answer)
      return
    }
    const app = place === undefined ? {} : { app: 't' }
    try {
      mountRoutes(target, {
        ...app,
        route: '',
        name,
        guards: place === 'guards' ? bothGuards : [],
        routes: {
          one: {
            methods: one.method,
            route: one.path,
            ...markers,
            handler: (_req, res) => void res.set('x-route', name).end(),
          },
        },
      })
    } catch (error) {
      if (!(error instanceof MisuseError)) throw error // the same place twice: in neither table
    }
  }
  const app = express()
  const root = Router()
  if (place === 'app') app.use(bothGuards)
  if (place === 'router') root.use(bothGuards)
  for (const node of nodes) {
    if (node.kind !== 'mount') {
      mountLeaf(root, node)
      continue
    }
    const inner = Router()
    for (const one of node.nodes) mountLeaf(inner, one)
    root.use(node.prefix, inner)
  }
  return app.use(root, notFound(), errorHandler({ log: () => undefined }))
}

function leaves(nodes: readonly Node[]): Leaf[] {
  return nodes.flatMap((node) => (node.kind === 'mount' ? node.nodes : [node]))
}

interface Answer {
  readonly status: number
  readonly route: string | null
}

async function answersOf(
  app: express.Express,
  requests: readonly { method: string; path: string; token?: string | undefined }[],
): Promise<Answer[]> {
  const server = createServer({ keepAliveTimeout: KEPT_OPEN }, app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const answers: Answer[] = []
  for (const { method, path: target, token } of requests) {
    const reply = await fetch(`http://127.0.0.1:${port}${target}`, {
      method,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    })
    await reply.arrayBuffer()
    answers.push({ status: reply.status, route: reply.headers.get('x-route') })
  }
  server.closeAllConnections()
  server.close()
  return answers
}

/**
 * Returns the status that the markers of the reached route require; `undefined` if no route is reached and the caller
 * is not refused.
 */
function expected(reached: Leaf | undefined, caller: string, place: Place): number | undefined {
  const guarded = reached === undefined ? place !== 'guards' : reached.kind === 'declared' || place !== 'guards'
  const { auth, can } = reached?.kind === 'declared' ? reached : { auth: true as const, can: false }
  const through = reached === undefined ? undefined : 200
  if (!guarded || auth === false) return through
  if (caller === 'bad') return 401
  if (caller === 'nobody') return auth === 'optional' && !can ? through : 401
  if (reached?.kind === 'declared' && can && caller === 'limited') return 403
  return through
}

describe('guards in front of random routes', () => {
  it.each<Place>(['app', 'router', 'guards'])(
    'apply the markers of the route that Express reaches, mounted on %s',
    async (place) => {
      const tokens: Record<string, string | undefined> = {
        bad: 'x.y.z',
        limited: await tokenFor('t', []),
        full: await tokenFor('t'),
      }
      await fc.assert(
        fc.asyncProperty(table, fc.array(asked, { minLength: 4, maxLength: 12 }), async (nodes, requests) => {
          const naked = await answersOf(build(nodes, undefined), requests)
          const guarded = await answersOf(
            build(nodes, place),
            requests.map((request) => ({ ...request, token: tokens[request.caller] })),
          )
          requests.forEach(({ method, caller }, at) => {
            const [plain, answer] = [naked[at], guarded[at]] as [Answer, Answer]
            const reached = plain.route === null ? undefined : leaves(nodes)[Number(plain.route.slice(1))]
            const status = expected(reached, caller, place)
            if (method === 'OPTIONS') expect(answer.route).toBeNull()
            else expect(answer).toEqual({ status: status ?? plain.status, route: status === 200 ? plain.route : null })
          })
        }),
        { numRuns: 60 },
      )
    },
  )
})

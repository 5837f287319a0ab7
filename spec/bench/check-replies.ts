import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { serverOf, serversWith, type ServerKey } from './comparison.js'
import { startServer, type Runtime, type WantedApp } from './processes.js'
import { headersOf } from './tokens.js'
import { refusalsOf, type Refusal, type WireRequest, type Workload } from './workloads.js'

interface SeenReply {
  readonly status: number
  readonly type: string
  readonly body: unknown
  /** The headers of helmet and cors. */
  readonly added?: Readonly<Record<string, string>>
}

/** Headers of helmet and cors, which every server with these plugins must send alike. */
const ADDED = [
  'content-security-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'origin-agent-cluster',
  'referrer-policy',
  'strict-transport-security',
  'x-content-type-options',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
  'access-control-allow-origin',
]

/**
 * Sends each server the requests of all workloads, and some that must be refused.
 *
 * @throws Error with the differences from the first server, since only equal servers can be compared.
 */
export async function checkReplies(
  servers: readonly ServerKey[],
  workloads: readonly Workload[],
  runtime: Runtime,
): Promise<void> {
  const faults: string[] = []
  const apps = new Map(workloads.map(({ resources, shape }) => [`${resources} ${shape}`, { resources, shape }]))
  for (const app of apps.values()) {
    const asked = [
      ...workloads.filter(({ resources, shape }) => resources === app.resources && shape === app.shape),
      ...refusalsOf(app.shape),
    ]
    let first: readonly SeenReply[] | undefined
    for (const key of serversWith(app.shape, servers)) {
      const seen = await replies(key, app, asked, runtime)
      first ??= seen
      faults.push(...differences(`${key}, ${app.shape}`, asked, seen, first))
    }
  }
  if (faults.length > 0) {
    throw new Error(`The servers do not reply alike, so nothing is measured:\n${faults.join('\n')}`)
  }
}

async function replies(
  key: ServerKey,
  app: WantedApp,
  asked: readonly Refusal[],
  runtime: Runtime,
): Promise<SeenReply[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-log-'))
  const log = join(folder, 'access.log')
  const server = await startServer(serverOf(key), app, { ...runtime, env: { BENCH_LOG: log } })
  const seen: SeenReply[] = []
  try {
    for (const { request } of asked) seen.push(await exchange(server.port, request))
  } finally {
    await server.stop()
    if (app.shape.endsWith('logs')) checkLog(key, readFileSync(log, 'utf8'), asked)
    rmSync(folder, { recursive: true })
  }
  return seen
}

function checkLog(key: ServerKey, text: string, asked: readonly Refusal[]): void {
  const replied = text.split('\n').filter((line) => line.includes('"statusCode"')).length
  if (replied !== asked.length) throw new Error(`${key} logged ${replied} replies of ${asked.length}`)
}

/** Sends one request like the load generator. */
export async function exchange(port: number, request: WireRequest): Promise<SeenReply> {
  const { method, path, body = null } = request
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, body, headers: headersOf(request) })
  const type = response.headers.get('content-type')?.split(';', 1)[0] ?? 'none'
  const added = Object.fromEntries(ADDED.map((name) => [name, response.headers.get(name) ?? '']))
  const replied = await response.json() as { readonly meta?: { requestId?: unknown } } | null
  // Only this package adds the number of a request that a logger gave it.
  delete replied?.meta?.requestId
  return { status: response.status, type, added, body: replied }
}

/** Replies to workloads must be equal in all values, others in status and keys. */
export function differences(
  key: string,
  asked: readonly Refusal[],
  seen: readonly SeenReply[],
  first: readonly SeenReply[],
): string[] {
  return asked.flatMap((wanted, at) => {
    const [mine, other] = [seen[at], first[at]]
    const same = mine !== undefined && other !== undefined && mine.status === wanted.status
      && mine.type === 'application/json' && isDeepStrictEqual(mine.added, other.added)
      && ('key' in wanted
        ? isDeepStrictEqual(mine.body, other.body)
        : isDeepStrictEqual(shapeOf(mine.body), shapeOf(other.body)))
    return same
      ? []
      : [`${key}, ${wanted.title}: ${JSON.stringify(mine)} instead of ${wanted.status} ${JSON.stringify(other)}`]
  })
}

/** Returns the keys of an envelope, its code, and the invalid fields. */
function shapeOf(body: unknown): unknown {
  const { code, message, data, meta } = body as {
    code: unknown
    message: unknown
    data: object | null
    meta: { reason: unknown }
  }
  return { code, message: typeof message, fields: data === null ? null : Object.keys(data), reason: meta.reason }
}

import { isDeepStrictEqual } from 'node:util'
import { startServer, type Runtime } from './processes.js'
import { serverOf, type ServerKey } from './comparison.js'
import { headersOf } from './tokens.js'
import { REFUSALS, type WireRequest, type Workload } from './workloads.js'

interface SeenReply {
  readonly status: number
  readonly type: string
  readonly body: unknown
}

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
  for (const resources of new Set(workloads.map((workload) => workload.resources))) {
    const asked = workloads.filter((workload) => workload.resources === resources)
    let first: readonly SeenReply[] | undefined
    for (const key of servers) {
      const seen = await replies(key, resources, asked, runtime)
      first ??= seen
      faults.push(...differences(key, asked, seen, first))
    }
  }
  if (faults.length > 0) {
    throw new Error(`The servers do not reply alike, so nothing is measured:\n${faults.join('\n')}`)
  }
}

async function replies(
  key: ServerKey,
  resources: number,
  asked: readonly Workload[],
  runtime: Runtime,
): Promise<SeenReply[]> {
  const server = await startServer(serverOf(key), resources, runtime)
  try {
    const seen: SeenReply[] = []
    for (const { request } of [...asked, ...REFUSALS]) seen.push(await exchange(server.port, request))
    return seen
  } finally {
    await server.stop()
  }
}

/** Sends one request like the load generator. */
export async function exchange(port: number, request: WireRequest): Promise<SeenReply> {
  const { method, path, body = null } = request
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, body, headers: headersOf(request) })
  const type = response.headers.get('content-type')?.split(';', 1)[0] ?? 'none'
  return { status: response.status, type, body: await response.json() }
}

/** Replies of workloads must be equal in all values, refusals in status and keys. */
export function differences(
  key: string,
  asked: readonly Workload[],
  seen: readonly SeenReply[],
  first: readonly SeenReply[],
): string[] {
  return [...asked, ...REFUSALS].flatMap((wanted, at) => {
    const [mine, other] = [seen[at], first[at]]
    const measured = at < asked.length
    const same = mine !== undefined && other !== undefined && mine.status === wanted.status && mine
          .type === 'application/json'
      && (measured
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
    code: unknown,
    message: unknown,
    data: object | null,
    meta: { reason: unknown },
  }
  return { code, message: typeof message, fields: data === null ? null : Object.keys(data), reason: meta.reason }
}

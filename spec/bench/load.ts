import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { outputOf, pathOf, pinned } from './processes.js'
import { headersOf } from './tokens.js'
import type { WireRequest } from './workloads.js'

const CONNECTIONS = 64

/** Uses wrk if installed: autocannon on one core sends fewer requests than a fast server can handle. */
export const generator = spawnSync('wrk', ['--version']).error === undefined ? 'wrk' : 'autocannon'

export interface Load {
  readonly port: number
  readonly request: WireRequest
  readonly status: number
  readonly seconds: number
}

export interface LoadResult {
  readonly total: number
  readonly perSecond: number
}

/**
 * Runs the load generator on the second core with one request of one server.
 *
 * @throws Error when replies are missing or have the wrong status.
 */
export async function load(wanted: Load, attempts = 3): Promise<LoadResult> {
  const { total, errors, refusals, ...result } = await (generator === 'wrk' ? byWrk(wanted) : byAutocannon(wanted))
  // On a busy machine one of the two may not run for seconds.
  if ((total === 0 || errors > 0) && attempts > 1) return load(wanted, attempts - 1)
  const expected = wanted.status < 400 ? 0 : total
  if (total === 0 || errors > 0 || refusals !== expected) {
    throw new Error(
      `${wanted.request.path}: ${total} replies, ${refusals} of them refusals instead of ${expected}, ${errors} errors`,
    )
  }
  return { total, ...result }
}

type Counted = LoadResult & { readonly errors: number; readonly refusals: number }

async function byWrk({ port, request, seconds }: Load): Promise<Counted> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const script = join(folder, 'request.lua')
  try {
    writeFileSync(script, scriptOf(request))
    const url = `http://127.0.0.1:${port}${request.path}`
    const [program, args] = pinned(1, [
      'wrk',
      '--threads',
      '1',
      '--connections',
      String(CONNECTIONS),
      '--duration',
      String(seconds),
      '--timeout',
      '20',
      '--script',
      script,
      url,
    ])
    const line = (await outputOf(program, args)).trim().split('\n').at(-1) ?? ''
    const { microseconds, ...counted } = JSON.parse(line) as Counted & { microseconds: number }
    return { ...counted, perSecond: counted.total / (microseconds / 1e6) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The script of wrk: its request and its report. */
function scriptOf(request: WireRequest): string {
  const headers = Object.entries(headersOf(request)).map(([name, value]) => `wrk.headers["${name}"] = "${value}"`)
  const body = request.body === undefined ? '' : `wrk.body = [==[${request.body}]==]`
  return `
wrk.method = "${request.method}"
${headers.join('\n')}
${body}
done = function(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format('{"total":%d,"microseconds":%d,"refusals":%d,"errors":%d}\\n',
    summary.requests, summary.duration, errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
`
}

async function byAutocannon({ port, request, seconds }: Load): Promise<Counted> {
  const headers = Object.entries(headersOf(request)).flatMap(([name, value]) => ['--headers', `${name}=${value}`])
  const options = [
    '--json',
    '--method',
    request.method,
    '--duration',
    seconds,
    '--connections',
    CONNECTIONS,
    ...headers,
    ...(request.body === undefined ? [] : ['--body', request.body]),
    `http://127.0.0.1:${port}${request.path}`,
  ]
    .map(String)
  const [program, args] = pinned(1, [process.execPath, pathOf('node_modules/autocannon/autocannon.js'), ...options])
  const { requests, errors, non2xx } = JSON.parse(await outputOf(program, args)) as {
    requests: { total: number; average: number }
    errors: number
    non2xx: number
  }
  return {
    total: requests.total,
    perSecond: requests.average,
    errors,
    refusals: non2xx,
  }
}

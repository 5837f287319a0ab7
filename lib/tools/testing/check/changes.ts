import type { Run } from './run.js'
import type { CheckCase, Observed, Target } from './model.js'

/** Compares the rows before and after requests that are refused. */
export class RowWatch {
  readonly #run: Run
  /** The rows after the last watched request, and the number of requests until then. */
  #rows: string | undefined
  #requests = 0

  constructor(run: Run) {
    this.#run = run
  }

  /** Sends a request, and reports a change of rows by one that is refused. */
  async during(target: Target, probe: CheckCase, send: () => Promise<Observed>): Promise<Observed> {
    const { snapshot } = this.#run.settings
    const { method, access } = target
    const isRead = method === 'GET' || method === 'HEAD'
    const isWatched = !isRead || typeof access[probe.request.caller] === 'number'
    if (snapshot === undefined || !isWatched) return send()
    // A request in between may have changed rows too: a GET may write the time of a visit.
    const known = this.#requests === this.#run.requests ? this.#rows : undefined
    const before = known ?? await textOf(snapshot)
    const observed = await send()
    const after = await textOf(snapshot)
    this.#rows = after
    this.#requests = this.#run.requests
    if (before !== after && isRefusal(target, probe, observed)) {
      await this.#run.record(target, probe, { kind: 'change',
        message: `The reply is ${observed.status}, but rows have changed` })
    }
    return observed
  }
}

/** A sign-in that fails may be counted, and so may a request over a limit. */
function isRefusal({ access }: Target, { request }: CheckCase, { status }: Observed): boolean {
  if (status < 400 || status === 429) return false
  return status !== 401 || access[request.caller] !== 'public'
}

async function textOf(snapshot: () => unknown): Promise<string> {
  const rows: unknown = await snapshot()
  return typeof rows === 'string'
    ? rows
    : JSON.stringify(rows, (_, value: unknown) => typeof value === 'bigint' ? String(value) : value)
}

import { isAccepted } from './collections.js'
import type { Run } from './run.js'
import type { CheckRequest, Observed, Target } from './model.js'

/** Returns routes of some methods, all by default, each with the first caller whom it admits, while budget is left. */
export function* admittedRoutes(run: Run, ...methods: readonly string[]): Generator<readonly [Target, string]> {
  for (const target of run.targets) {
    const caller = methods.length === 0 || methods.includes(target.method) ? run.admitted(target)[0] : undefined
    if (caller === undefined) continue
    if (run.isOver()) return
    yield [target, caller]
  }
}

/** Sends a request that may change what lists have. */
export async function sendChange(run: Run, request: CheckRequest): Promise<Observed> {
  const observed = await run.send(request)
  run.known.forget()
  return observed
}

/** Sends a request that may change what lists have; returns true if it is accepted. */
export async function takes(run: Run, request: CheckRequest): Promise<boolean> {
  return isAccepted(await sendChange(run, request))
}

/** Returns a request that changes a record in whatever state it is. */
export function inAnyState(request: CheckRequest): CheckRequest {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  return isRead ? request : { ...request, headers: { ...request.headers, 'if-match': '*' } }
}

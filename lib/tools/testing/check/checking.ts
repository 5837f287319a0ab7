import type { Field } from '../../openapi/fields.js'
import { isAdmitted, isAccepted } from './collections.js'
import type { Run } from './run.js'
import { bodyPlanOf } from './values.js'
import type { CheckKind, CheckRequest, Observed, Target } from './model.js'

/** Returns the callers whom the guards of all these routes admit, none if one of the routes does not exist. */
export function callersFor(run: Run, ...targets: readonly (Target | undefined)[]): string[] {
  return [...run.sender.callers.keys()].filter((name) => targets.every((one) => isAdmitted(one?.access[name])))
}

/** Returns the first caller whom the guards of all these routes admit. */
export function callerFor(run: Run, ...targets: readonly (Target | undefined)[]): string | undefined {
  return callersFor(run, ...targets)[0]
}

/** Returns values one by one until the budget is spent. */
export function* inBudget<Value>(run: Run, values: Iterable<Value>): Generator<Value> {
  for (const value of values) {
    if (run.isOver()) return
    yield value
  }
}

/** Returns routes of some methods, all by default, each with the first caller whom it admits, while budget is left. */
export function* admittedRoutes(run: Run, ...methods: readonly string[]): Generator<readonly [Target, string]> {
  for (const target of run.targets) {
    const caller = methods.length === 0 || methods.includes(target.method) ? callerFor(run, target) : undefined
    if (caller === undefined) continue
    if (run.isOver()) return
    yield [target, caller]
  }
}

/** A field of a body. */
export type BodyField = readonly [name: string, field: Field]

/** Returns the fields of the body of a route by its document. */
export function fieldsOfBody(run: Run, target: Target): BodyField[] {
  return [...bodyPlanOf(target, run.resolve)?.fields ?? []]
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

/** Records a fault of a route with the request that shows it. */
type Reporter = (run: Run, target: Target, request: CheckRequest, message: string) => Promise<void>

/** Returns a function that records faults of one kind about one part of a request. */
export function reporter(kind: CheckKind, about: string): Reporter {
  return (run, target, request, message) => run.record(target, { request, about }, { kind, message })
}

import { inspect } from 'node:util'
import { KINDS, type CheckKind, type CheckRequest } from './model.js'

/** A fault of an application, and a request that shows it. */
export interface CheckFinding {
  readonly kind: CheckKind
  /** The method and the declared path, such as `GET /posts/:id`. */
  readonly route: string
  /** The name of the declared route, `null` for an undeclared handler. */
  readonly name: string | null
  /** The name of the caller. */
  readonly caller: string
  readonly message: string
  /** The part of the request that differs from a valid one. */
  readonly about: string
  readonly request: CheckRequest
  /** The request as a command for a shell. */
  readonly curl: string
  /** The request as a call of `inject`. */
  readonly inject: string
}

/** The result of a check. As a string it lists the findings with their requests. */
export interface CheckReport {
  /** The faults by route, the most severe first; none if all is well. */
  readonly findings: readonly CheckFinding[]
  /** The seed of the random values: the same seed sends the same requests. */
  readonly seed: number
  /** The number of requests. */
  readonly requests: number
  /** The number of routes. */
  readonly routes: number
  readonly seconds: number
  /** False if the budget ended before all requests were sent. */
  readonly isComplete: boolean
  readonly toString: () => string
}

export function reportOf(found: readonly CheckFinding[],
  figures: Omit<CheckReport, 'findings' | 'toString'>): CheckReport
{
  const { requests, routes, seconds, seed, isComplete } = figures
  const findings = found.toSorted((one, other) =>
    one.route.localeCompare(other.route) || KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind)
  )
  const toText = (): string => {
    const count = findings.length === 1 ? '1 finding' : `${findings.length === 0 ? 'no' : findings.length} findings`
    const summary = `${count} in ${requests} requests to ${routes} routes, ${seconds.toFixed(1)} s, seed ${seed}`
    const rest = isComplete ? '' : '\nThe budget ended before all requests were sent.'
    return [...findings.map(findingText), `${summary}${rest}`].join('\n\n')
  }
  const print = { value: toText }
  return Object.defineProperties({ findings, ...figures }, { toString: print, [inspect.custom]: print })
}

export function findingText({ kind, route, name, caller, message, about, curl, inject }: CheckFinding): string {
  const where = name === null ? route : `${route} (${name})`
  return [`${where}: ${message} [${kind}]`, `  caller: ${caller}; ${about}`, `  ${curl}`, `  ${inject}`].join('\n')
}

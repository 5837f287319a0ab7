import { pathNamesOf } from '../../../core/index.js'
import { recordsIn } from './collections.js'
import { isSameRoute, statusText } from './reply-faults.js'
import type { CheckRequest, Fault, Observed, Target } from './model.js'

/** Refusals that may come before those of the guards: of the server, of a parser in front, of a limit. */
const EARLIER = new Set([400, 401, 403, 404, 405, 408, 413, 414, 415, 417, 429, 431, 503])

/** Compares a reply with the decision of the guards; `isPlain` for a request that nothing but a guard refuses. */
export function accessFaults(target: Target, { caller, method }: CheckRequest, observed: Observed,
  isPlain: boolean): Fault[]
{
  const { status } = observed
  const decision = target.access[caller]
  if (typeof decision !== 'number' || method === 'OPTIONS' || status === 0) return []
  const isRefused = isPlain ? status === decision || status === 429 || status === 503 : EARLIER.has(status)
  // Each is reported for itself, and another spelling of a path may be that of another route.
  if (isRefused || status >= 500 || isOther(target, observed)) return []
  return [{ kind: 'access',
    message: `The guards refuse the caller with ${decision}, but the reply is ${statusText(status)}` }]
}

function isOther(target: Target, observed: Observed): boolean {
  return observed.reached !== undefined && target.entry !== undefined && !isSameRoute(target, observed)
}

/** Finds a reply that a cache between client and server may give to others. */
export function sharedFaults({ access }: Target, { status, headers, json }: Observed): Fault[] {
  const control = String(headers['cache-control'] ?? '')
  const isShared = /\bpublic\b|\bs-maxage=[1-9]/i.test(control) && !/\bprivate\b|\bno-store\b/i.test(control)
  const isGuarded = Object.values(access).includes(401)
  return isShared && isGuarded && json !== undefined && status === 200
    ? [{ kind: 'leak', message: 'Shared caches may keep a reply for which credentials are needed' }]
    : []
}

/**
 * Finds a route that stands in front of the guard of its path, where its records are sent to everybody. A route that is
 * declared public is meant, and so is one without records, such as a sign-in.
 */
export function frontFaults(target: Target, { caller }: CheckRequest, observed: Observed): Fault[] {
  const { entry, isInFront, access, method } = target
  const isMeant = entry !== undefined && (entry.auth === false || entry.guardedBy.length > 0)
  if (!isInFront || isMeant || access[caller] !== 'public' || observed.status >= 300) return []
  const hasRecords = recordsIn(observed).some((one) => Object.keys(one).some((key) => /^id$|Id$|_id$/.test(key)))
  const names = pathNamesOf(target.path)
  if (method === 'GET' ? !hasRecords : names.length === 0) return []
  const what = method === 'GET' ? 'sends records' : 'writes'
  return [{ kind: 'access', message: `The route stands in front of the guard of its path, and ${what} for everybody` }]
}

import type { Request } from 'express'
import { guardStatesOf, permissionIn, stateOf, UnavailableError, type GuardState } from '../../core/index.js'

/** A permission id of an application in front of the route, or a check of your own; only `true` grants. */
export type Rule = string | ((req: Request) => boolean | Promise<boolean>)

/** Checks whether a rule holds for this caller. */
export async function isAllowed(req: Request, rule: Rule): Promise<boolean> {
  if (typeof rule === 'string') return isGranted(req, rule)
  try {
    const holds: unknown = await rule(req)
    return holds === true
  } catch (cause) {
    throw new UnavailableError('A rule failed', { cause })
  }
}

/**
 * Asks the `permission` guard of the id's application, or all guards in front if that application has none. Without
 * guards nothing is granted.
 */
async function isGranted(req: Request, permission: string): Promise<boolean> {
  const all = authorisingGuards(req)
  const own = all.filter(([app]) => permission.startsWith(`${app}.`))
  const results = await Promise.all((own.length > 0 ? own : all).map(([, state]) => grants(state, permission, req)))
  return results.length > 0 && results.every((granted) => granted)
}

/** Checks whether the caller may do another action of the resource; `undefined` where none is required. */
export async function isPermitted(req: Request, action: string): Promise<boolean | undefined> {
  const { route } = stateOf(req)
  const all = authorisingGuards(req)
  if (route === undefined || !route.can || all.length === 0) return undefined
  const other = { ...route, name: route.name.replace(/[^.]*$/, action) }
  const results = await Promise.all(all.map(([app, state]) => grants(state, permissionIn(app, other), req)))
  return results.every((granted) => granted)
}

/** Returns the states of the guards of which a `permission` has run, by application. */
function authorisingGuards(req: Request): ReturnType<typeof guardStatesOf> {
  const { route } = stateOf(req)
  return route === undefined ? [] : guardStatesOf(route, req).filter(([, state]) => state.isGranted !== undefined)
}

async function grants({ auth, isGranted: check }: GuardState, permission: string, req: Request): Promise<boolean> {
  if (auth === undefined || check === undefined) return false
  const isGiven: unknown = await check(auth, permission, req)
  return isGiven === true
}

export type FieldRuleKind = 'read' | 'write'
type Rules = Readonly<Record<string, Readonly<Partial<Record<FieldRuleKind, Rule>>> | undefined>>

/** The fields that are denied where there are no rules. */
export const NOTHING_DENIED: Promise<ReadonlySet<string>> = Promise.resolve(new Set<string>())

/** Returns the fields that this caller may not read or write. */
export async function askRules(req: Request, rules: Rules, kind: FieldRuleKind): Promise<ReadonlySet<string>> {
  const ruled = Object.entries(rules).flatMap((
    [field, rule],
  ) => (rule?.[kind] === undefined ? [] : [[field, rule[kind]] as const]))
  const answered = await Promise.all(ruled.map(async ([field, rule]) => [field, await isAllowed(req, rule)] as const))
  return new Set(answered.filter(([, allowed]) => !allowed).map(([field]) => field))
}

/** Returns the fields that have a read rule. */
export function ruledFields(rules: Rules): string[] {
  return Object.keys(rules).filter((field) => rules[field]?.read !== undefined)
}

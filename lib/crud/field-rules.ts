import type { Request } from 'express'
import { UnavailableError } from '../errors.js'
import { stateOf } from '../routing/request-state.js'
import type { FieldRules, Rule } from './options.js'

type Kind = keyof FieldRules
type Rules = Readonly<Record<string, FieldRules | undefined>>

/** The fields that this caller may not read or write; each rule is asked once. */
export async function deniedFields(req: Request, rules: Rules, kind: Kind): Promise<ReadonlySet<string>> {
  const ruled = Object.entries(rules).flatMap(([field, rule]) => (rule?.[kind] === undefined ? [] : [[field, rule[kind]] as const]))
  const verdicts = await Promise.all(ruled.map(async ([field, rule]) => [field, await allows(req, rule)] as const))
  return new Set(verdicts.filter(([, allowed]) => !allowed).map(([field]) => field))
}

/** The fields that have a rule of this kind. */
export function ruledFields(rules: Rules, kind: Kind): string[] {
  return Object.keys(rules).filter((field) => rules[field]?.[kind] !== undefined)
}

async function allows(req: Request, rule: Rule): Promise<boolean> {
  if (typeof rule === 'string') return isGranted(req, rule)
  try {
    return (await rule(req) as unknown) === true
  } catch (cause) {
    throw new UnavailableError('A rule of a field did not answer', { cause })
  }
}

/** Asks who judges for the app of this route; without a sign-in or a judge nothing is granted. */
async function isGranted(req: Request, permission: string): Promise<boolean> {
  const { route, passes } = stateOf(req)
  const pass = route?.app === undefined ? undefined : passes.get(route.app)
  if (pass?.auth === undefined || pass.judge === undefined) return false
  return (await pass.judge(pass.auth, permission, req) as unknown) === true
}

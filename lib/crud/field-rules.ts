import type { Request } from 'express'
import type { FieldRules } from './options.js'
import { isAllowed } from './rule.js'

type Kind = keyof FieldRules
type Rules = Readonly<Record<string, FieldRules | undefined>>

/** The fields that this caller may not read or write; each rule is asked once. */
export async function deniedFields(req: Request, rules: Rules, kind: Kind): Promise<ReadonlySet<string>> {
  const ruled = Object.entries(rules).flatMap(([field, rule]) => (rule?.[kind] === undefined ? [] : [[field, rule[kind]] as const]))
  const verdicts = await Promise.all(ruled.map(async ([field, rule]) => [field, await isAllowed(req, rule)] as const))
  return new Set(verdicts.filter(([, allowed]) => !allowed).map(([field]) => field))
}

/** The fields that have a rule of this kind. */
export function ruledFields(rules: Rules, kind: Kind): string[] {
  return Object.keys(rules).filter((field) => rules[field]?.[kind] !== undefined)
}

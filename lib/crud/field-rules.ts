import type { Request } from 'express'
import type { FieldRules } from './options.js'
import { isAllowed } from './rule.js'

type Kind = keyof FieldRules
type Rules = Readonly<Record<string, FieldRules | undefined>>

type Denied = Promise<ReadonlySet<string>>

const NONE: Denied = Promise.resolve(new Set<string>())

/** The answers that each request was given, by the rules. */
const answers: Readonly<Record<Kind, WeakMap<Rules, WeakMap<Request, Denied>>>> = { read: new WeakMap(), write: new WeakMap() }

/** Returns the fields that this caller may not read or write; each rule is asked once in a request. */
export function deniedFields(req: Request, rules: Rules | undefined, kind: Kind): Denied {
  if (rules === undefined) return NONE
  const ofRules = answers[kind].get(rules) ?? new WeakMap<Request, Denied>()
  answers[kind].set(rules, ofRules)
  const denied = ofRules.get(req) ?? askAll(req, rules, kind)
  ofRules.set(req, denied)
  return denied
}

/** Asks the rules before a transaction begins: one that holds the only connection would wait for a rule that needs another. */
export async function askFieldRules(req: Request, rules: Rules | undefined): Promise<void> {
  await Promise.all([deniedFields(req, rules, 'read'), deniedFields(req, rules, 'write')])
}

async function askAll(req: Request, rules: Rules, kind: Kind): Denied {
  const ruled = Object.entries(rules).flatMap(([field, rule]) => (rule?.[kind] === undefined ? [] : [[field, rule[kind]] as const]))
  const verdicts = await Promise.all(ruled.map(async ([field, rule]) => [field, await isAllowed(req, rule)] as const))
  return new Set(verdicts.filter(([, allowed]) => !allowed).map(([field]) => field))
}

/** The fields that have a rule of this kind. */
export function ruledFields(rules: Rules, kind: Kind): string[] {
  return Object.keys(rules).filter((field) => rules[field]?.[kind] !== undefined)
}

import { MisuseError } from '../base/errors.js'
import { isList } from '../base/guards.js'
import { show } from '../base/options.js'
import { isPlainObject } from './plain-data.js'
import type { Rule, RuleName } from './rules.js'

export type Kind = 'string' | 'number' | 'boolean' | 'date' | 'array'

interface RuleShape {
  /** The type of the values that the rule is for; `undefined` for any type. */
  readonly kind?: Kind
  /** Checks the parameter of a rule that has one. */
  readonly fits?: (value: unknown) => boolean
  /** A parameter to write instead of one that does not fit. */
  readonly example?: string
  /** True if the rule needs no message. */
  readonly silent?: boolean
}

const SHAPES: Readonly<Record<RuleName, RuleShape>> = {
  required: {},
  optional: { silent: true },
  lengthMin: { kind: 'string', fits: isLength, example: '2' },
  lengthMax: { kind: 'string', fits: isLength, example: '2' },
  email: { kind: 'string' },
  url: { kind: 'string' },
  regex: { kind: 'string', fits: (value) => value instanceof RegExp, example: '/^[a-z]+$/' },
  integer: { kind: 'number' },
  min: { kind: 'number', fits: Number.isFinite, example: '2' },
  max: { kind: 'number', fits: Number.isFinite, example: '2' },
  in: { fits: isValueList, example: "['news', 'guide']" },
  boolean: { kind: 'boolean' },
  date: { kind: 'date' },
  array: { kind: 'array' },
  confirmed: {},
  equals: { fits: (value) => typeof value === 'string' && value !== '', example: "'password'" },
}

/** Returns true for strings, or for numbers. */
function isValueList(value: unknown): boolean {
  if (!isList(value) || value.length === 0) return false
  return value.every((item) => typeof item === 'string') || value.every((item) => Number.isFinite(item))
}

function isLength(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** Returns the type of the values that a rule is for, `undefined` for any type. */
export function kindOf(rule: Rule): Kind | undefined {
  if (rule[0] === 'in') return typeof rule[1][0] === 'number' ? 'number' : 'string'
  return SHAPES[rule[0]].kind
}

/** Returns the rules of a field as a list: a single rule may stand alone. */
export function listOf(rules: Rule | readonly Rule[]): readonly Rule[] {
  return isFlat(rules) ? [rules] : rules
}

function isFlat(rules: Rule | readonly Rule[]): rules is Rule {
  return typeof rules[0] === 'string'
}

/**
 * Checks rules as the types of `Rules` and `Consistent` do; each sentence begins with `where`.
 *
 * @throws MisuseError `rules_invalid`, `rule_unknown`, `rule_parameter`, `rule_message` or `rule_conflict`.
 */
export function checkRules(rules: unknown, where = ''): void {
  // `{ __proto__: … }` sets the prototype and declares no field.
  if (!isPlainObject(rules)) {
    throw new MisuseError(
      'rules_invalid',
      `${where}The rules are ${show(rules)}. `
        + `Write an object with the rules of each field, \`{ name: [['required', 'Name is required']] }\`, or a schema `
        + 'of zod 4.',
    )
  }
  if (Object.hasOwn(rules, '__proto__')) {
    throw new MisuseError(
      'rules_invalid',
      `${where}The field "__proto__" cannot have rules, since this key of a request is never read. Use another name.`,
    )
  }
  for (const [field, list] of Object.entries(rules)) checkField(`${where}"${field}"`, field, list)
}

function checkField(place: string, field: string, list: unknown): void {
  if (!isList(list)) {
    throw new MisuseError(
      'rules_invalid',
      `${place} has ${show(list)} instead of a list of rules. Write \`[['required', 'Name is required']]\`.`,
    )
  }
  const isSingle = typeof list[0] === 'string'
  const rules = (isSingle ? [list] : list).map((rule) => checkRule(place, rule))
  if (isSingle) checkSingle(place, list)
  if (rules.some((rule) => rule[0] === 'equals' && rule[1] === field)) {
    throw new MisuseError('rule_parameter', `${place} has the rule "equals" with its own name. Name another field.`)
  }
  checkTogether(place, rules)
}

/** Checks that the message of a single rule cannot be meant as another rule, which would never be checked. */
function checkSingle(place: string, rule: readonly unknown[]): void {
  const message = rule.length > 1 ? rule.at(-1) : undefined
  if (typeof message !== 'string' || (/\s/.test(message.trim()) && !isRuleName(message))) return
  throw new MisuseError(
    'rule_message',
    `${place} has the single rule "${String(rule[0])}" with the message ${show(message)}, which is one word. Write `
      + "several words, or several rules as a list of lists: `[['required', 'An address'], ['email', 'No address']]`.",
  )
}

function checkRule(place: string, rule: unknown): Rule {
  const [name, ...rest] = isList(rule) ? rule : [rule]
  if (!isRuleName(name)) {
    throw new MisuseError(
      'rule_unknown',
      `${place} has the rule ${JSON.stringify(name)}, which does not exist. `
        + `The rules are ${Object.keys(SHAPES).join(', ')}.`,
    )
  }
  const { fits, example } = SHAPES[name]
  if (fits?.(rest[0]) === false) {
    throw new MisuseError(
      'rule_parameter',
      `${place} has the rule "${name}" without its parameter. Write \`['${name}', ${String(example)}, 'message']\`.`,
    )
  }
  checkMessage(place, name, rest.slice(fits === undefined ? 0 : 1))
  return rule as Rule
}

function checkMessage(place: string, name: RuleName, [message, ...more]: readonly unknown[]): void {
  const hasMessage = typeof message === 'string' && message !== ''
  if (!hasMessage && !(SHAPES[name].silent === true && message === undefined)) {
    throw new MisuseError(
      'rule_message',
      `${place} has the rule "${name}" without a message. Write the message as the last element, and several rules `
        + 'as a list of lists.',
    )
  }
  if (more.length > 0) {
    throw new MisuseError(
      'rules_invalid',
      `${place} has the rule "${name}" with more than a message. Write several rules as a list of lists.`,
    )
  }
}

function isRuleName(name: unknown): name is RuleName {
  return typeof name === 'string' && Object.hasOwn(SHAPES, name)
}

function checkTogether(place: string, rules: readonly Rule[]): void {
  const names = rules.map(([name]) => name)
  if (names.includes('required') && names.includes('optional')) {
    throw new MisuseError(
      'rule_conflict',
      `${place} has the rules "required" and "optional", which exclude each other. Remove one of them.`,
    )
  }
  const kinds = new Set(rules.flatMap((rule) => kindOf(rule) ?? []))
  if (kinds.size > 1) {
    throw new MisuseError(
      'rule_conflict',
      `${place} has rules for values of different types (${[...kinds].join(', ')}), which no value can satisfy. `
        + 'Keep the rules of one type.',
    )
  }
}

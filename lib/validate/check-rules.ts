import { MisuseError } from '../errors.js'
import { isPlainObject } from './plain-data.js'
import type { Rule } from './rules.js'

interface RuleShape {
  /** Which type a value must have for the rule; `undefined` where any will do. */
  readonly kind?: 'text' | 'number'
  /** Whether the first parameter is a number, and of what sort. */
  readonly bound?: (value: unknown) => boolean
  readonly silent?: boolean
}

const SHAPES: Readonly<Record<Rule[0], RuleShape>> = {
  required: {},
  optional: { silent: true },
  lengthMin: { kind: 'text', bound: isLength },
  lengthMax: { kind: 'text', bound: isLength },
  email: { kind: 'text' },
  integer: { kind: 'number' },
  min: { kind: 'number', bound: Number.isFinite },
  max: { kind: 'number', bound: Number.isFinite },
}

function isLength(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** The type that a rule asks of a value, if it asks for one. */
export function kindOf(name: Rule[0]): 'text' | 'number' | undefined {
  return SHAPES[name].kind
}

/**
 * Finds what the compiler would have found; each sentence begins with `where`.
 *
 * @throws MisuseError `rules_invalid`, `rule_unknown`, `rule_parameter`, `rule_message` or `rule_conflict`.
 */
export function checkRules(rules: unknown, where = ''): void {
  // `{ __proto__: … }` in the source sets the prototype, and names no field.
  if (!isPlainObject(rules)) throw new MisuseError('rules_invalid', `${where}Rules are an object literal with a list of rules for each field.`)
  if (Object.hasOwn(rules, '__proto__')) throw new MisuseError('rules_invalid', `${where}A field cannot be called "__proto__": no such key of a request is ever read.`)
  for (const [field, list] of Object.entries(rules)) {
    const place = `${where}"${field}"`
    if (!Array.isArray(list)) throw new MisuseError('rules_invalid', `${place} has no list of rules, like \`[['required', 'Name is required']]\`.`)
    checkTogether(place, list.map((rule: unknown) => checkRule(place, rule)))
  }
}

function checkRule(place: string, rule: unknown): Rule[0] {
  const [name, ...rest] = Array.isArray(rule) ? (rule as unknown[]) : [rule]
  if (!isRuleName(name)) {
    throw new MisuseError('rule_unknown', `${place} has the rule ${JSON.stringify(name)}; there are: ${Object.keys(SHAPES).join(', ')}.`)
  }
  const { bound, silent } = SHAPES[name]
  if (bound?.(rest[0]) === false) throw new MisuseError('rule_parameter', `${place} has the rule "${name}", which needs a number before its message.`)
  const message = rest[bound === undefined ? 0 : 1]
  const said = typeof message === 'string' && message !== ''
  if (!said && !(silent === true && message === undefined)) {
    throw new MisuseError('rule_message', `${place} has the rule "${name}" without a message.`)
  }
  return name
}

function isRuleName(name: unknown): name is Rule[0] {
  return typeof name === 'string' && Object.hasOwn(SHAPES, name)
}

function checkTogether(place: string, names: readonly Rule[0][]): void {
  if (names.includes('required') && names.includes('optional')) {
    throw new MisuseError('rule_conflict', `${place} is either required or optional.`)
  }
  const kinds = new Set(names.map(kindOf))
  if (kinds.has('text') && kinds.has('number')) {
    throw new MisuseError('rule_conflict', `${place} has rules for a string and rules for a number.`)
  }
}

import { MisuseError } from '../errors.js'
import { show } from '../options.js'
import { isPlainObject } from './plain-data.js'

/** One rule of a field: its name, its parameter where it has one, its message. */
export type Rule =
  | readonly ['required', message: string]
  | readonly ['optional', message?: string]
  | readonly ['lengthMin' | 'lengthMax', characters: number, message: string]
  | readonly ['email' | 'integer', message: string]
  | readonly ['min' | 'max', bound: number, message: string]

/**
 * The rules of each field, in the order in which their messages are reported.
 *
 * @example
 * const rules = {
 *   name: [['required', 'Name is required'], ['lengthMin', 2, 'Too short']],
 *   age: [['optional'], ['integer', 'A whole number']],
 * } as const satisfies Rules
 */
export type Rules = Readonly<Record<string, readonly Rule[]>>

type RuleName = Rule[0]
type TextRule = 'lengthMin' | 'lengthMax' | 'email'
type NumberRule = 'integer' | 'min' | 'max'

type NameIn<Field extends readonly Rule[]> = Field[number][0]
type Has<Field extends readonly Rule[], Name extends RuleName> =
  Extract<NameIn<Field>, Name> extends never ? false : true

type ValueOf<Field extends readonly Rule[]> =
  Has<Field, TextRule> extends true ? string : Has<Field, NumberRule> extends true ? number : unknown

/** A list that may contain any rule determines no type. */
type FieldOf<Field extends readonly Rule[]> = RuleName extends NameIn<Field>
  ? unknown
  : Has<Field, 'required'> extends true ? ValueOf<Field> : ValueOf<Field> | null

/** The type of data that passed rules: one property per field, `null` where an optional one was omitted. */
export type Ruled<R extends Rules> = { -readonly [Field in keyof R]: FieldOf<R[Field]> }

type MistakeIn<Field extends readonly Rule[]> = RuleName extends NameIn<Field>
  ? never
  : [Has<Field, 'required'>, Has<Field, 'optional'>] extends [true, true]
    ? 'A field is either required or optional'
    : [Has<Field, TextRule>, Has<Field, NumberRule>] extends [true, true]
      ? 'A field has rules for a string or rules for a number'
      : never

/** `R` itself, with a sentence in place of each field whose rules contradict each other. */
export type Consistent<R extends Rules> = {
  [Field in keyof R]: [MistakeIn<R[Field]>] extends [never] ? R[Field] : MistakeIn<R[Field]>
}

interface RuleShape {
  /** The type of the values that the rule is for; `undefined` for any type. */
  readonly kind?: 'string' | 'number'
  /** Checks the first parameter of a rule that has one. */
  readonly bound?: (value: unknown) => boolean
  /** True if the rule needs no message. */
  readonly silent?: boolean
}

const SHAPES: Readonly<Record<Rule[0], RuleShape>> = {
  required: {},
  optional: { silent: true },
  lengthMin: { kind: 'string', bound: isLength },
  lengthMax: { kind: 'string', bound: isLength },
  email: { kind: 'string' },
  integer: { kind: 'number' },
  min: { kind: 'number', bound: Number.isFinite },
  max: { kind: 'number', bound: Number.isFinite },
}

function isLength(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** Returns the type of the values that a rule is for, `undefined` for any type. */
export function kindOf(name: Rule[0]): 'string' | 'number' | undefined {
  return SHAPES[name].kind
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
      `${where}The rules are ${show(rules)}. ` +
      `Write an object with a list of rules for each field: \`{ name: [['required', 'Name is required']] }\`.`,
    )
  }
  if (Object.hasOwn(rules, '__proto__')) {
    throw new MisuseError(
      'rules_invalid',
      `${where}The field "__proto__" cannot have rules, since this key of a request is never read. Use another name.`,
    )
  }
  for (const [field, list] of Object.entries(rules)) {
    const place = `${where}"${field}"`
    if (!Array.isArray(list)) {
      throw new MisuseError(
        'rules_invalid',
        `${place} has ${show(list)} instead of a list of rules. Write \`[['required', 'Name is required']]\`.`,
      )
    }
    checkTogether(place, list.map((rule: unknown) => checkRule(place, rule)))
  }
}

function checkRule(place: string, rule: unknown): Rule[0] {
  const [name, ...rest] = Array.isArray(rule) ? (rule as unknown[]) : [rule]
  if (!isRuleName(name)) {
    throw new MisuseError(
      'rule_unknown',
      `${place} has the rule ${JSON.stringify(name)}, which does not exist. ` +
      `The rules are ${Object.keys(SHAPES).join(', ')}.`,
    )
  }
  const { bound, silent } = SHAPES[name]
  if (bound?.(rest[0]) === false) {
    throw new MisuseError(
      'rule_parameter',
      `${place} has the rule "${name}" without a number. Write \`['${name}', 2, 'message']\`.`,
    )
  }
  const message = rest[bound === undefined ? 0 : 1]
  const hasMessage = typeof message === 'string' && message !== ''
  if (!hasMessage && !(silent === true && message === undefined)) {
    throw new MisuseError(
      'rule_message',
      `${place} has the rule "${name}" without a message. Write the message as the last element.`,
    )
  }
  return name
}

function isRuleName(name: unknown): name is Rule[0] {
  return typeof name === 'string' && Object.hasOwn(SHAPES, name)
}

function checkTogether(place: string, names: readonly Rule[0][]): void {
  if (names.includes('required') && names.includes('optional')) {
    throw new MisuseError(
      'rule_conflict',
      `${place} has the rules "required" and "optional", which exclude each other. Remove one of them.`,
    )
  }
  const kinds = new Set(names.map(kindOf))
  if (kinds.has('string') && kinds.has('number')) {
    throw new MisuseError(
      'rule_conflict',
      `${place} has rules for a string and rules for a number, which no value can satisfy. ` +
      'Remove one of the two kinds.',
    )
  }
}

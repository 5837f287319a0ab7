import type { Limits } from './table.js'

/** The part of a CHECK constraint that a schema expresses, about one column. */
export interface Rule {
  readonly column: string
  readonly values?: readonly string[]
  readonly bounds?: Limits
  /** True for `bounds` that are those of the length of a string. */
  readonly isLength?: boolean
  readonly isJson?: boolean
}

const OPERATORS: Readonly<Record<string, (value: number) => Limits>> = {
  '>=': (min) => ({ min }),
  '>': (value) => ({ min: Number.isInteger(value) ? value + 1 : value }),
  '<=': (max) => ({ max }),
  '<': (value) => ({ max: Number.isInteger(value) ? value - 1 : value }),
  '=': (value) => ({ min: value, max: value }),
}

/**
 * Reads a CHECK constraint as the database writes it: comparisons with numbers, lists of strings, lengths, and several
 * of these with `and`. Returns `undefined` for any other one.
 */
export function rulesOf(definition: string): readonly Rule[] | undefined {
  const strings: string[] = []
  const text = plainOf(
    definition.replaceAll(/(?:_utf8mb[34])?\\?'((?:[^'\\]|''|\\[^'])*)\\?'/g, (_all, value: string) => {
      return `§${strings.push(value.replaceAll("''", "'")) - 1}§`
    }),
  )
  const parts = text.replaceAll(/([\w$]+) between (\S+) and (\S+)/gi, '$1 >= $2 and $1 <= $3').split(/ and /i)
  const rules = parts.map((part) => ruleOf(part.trim(), strings))
  return rules.every((rule) => rule !== undefined) ? rules : undefined
}

const CAST = /::(?:character varying|double precision|[\w.]+)(?:\(\d+(?:, ?\d+)?\))?(?:\[\])?/gi

/** Removes what does not change the meaning: casts, quotes of names, parentheses around one value. */
function plainOf(definition: string): string {
  let text = definition.replace(/^check\s*/i, '').replaceAll(CAST, '').replaceAll(/["`]/g, '').replaceAll(/\s+/g, ' ')
  for (let before = ''; before !== text;) {
    before = text
    text = text.replaceAll(FUNCTIONS, '$1{$2}').replaceAll(/(^|[^\w$])\(\s*([^()]*?)\s*\)/g,
      (all: string, lead: string, inner: string) => (
        / (?:or|in|not) ?$/i.test(` ${lead}`) || / or /i.test(` ${inner} `) ? all : `${lead}${inner}`
      ))
  }
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** The functions of one column. */
const FUNCTIONS = /\b(char_length|character_length|length|json_valid)\s*\(\s*([\w$]+)\s*\)/gi

function ruleOf(part: string, strings: readonly string[]): Rule | undefined {
  const [, listed, inList = '', anyList = ''] =
    /^([\w$]+) (?:in ?\(?([^()]*)\)?|= any ?\(?array\[([^\]]*)\]\)?)$/i.exec(part) ?? []
  if (listed !== undefined) return listRule(listed, `${inList}${anyList}`, strings)
  const [, json] = /^json_valid\{([\w$]+)\}$/i.exec(part) ?? []
  return json === undefined ? comparisonRule(part) : { column: json, isJson: true }
}

function comparisonRule(part: string): Rule | undefined {
  const [, length, column = '', operator = '', number] =
    /^(?:(char_length|character_length|length)\{)?([\w$]+)\}? ?(>=|>|<=|<|=) ?(-?\d+(?:\.\d+)?)$/i.exec(part) ?? []
  const isLength = length !== undefined
  const limits = operator === '=' && !isLength ? undefined : OPERATORS[operator]
  return limits && { column, bounds: limits(Number(number)), isLength }
}

function listRule(column: string, list: string, strings: readonly string[]): Rule | undefined {
  const values = list.split(',').map((mark) => strings[Number(/^ ?§(\d+)§ ?$/.exec(mark)?.[1] ?? NaN)])
  return values.every((value) => value !== undefined) ? { column, values } : undefined
}

/** Finds the CHECK constraints in a statement that creates a table. */
export function checksIn(statement: string): string[] {
  return [...statement.matchAll(/\bcheck\s*\(/gi)].map(({ index, 0: { length } }) => {
    const start = index + length - 1
    let depth = 0
    let isString = false
    for (let at = start; at < statement.length; at += 1) {
      if (statement[at] === "'") isString = !isString
      else if (!isString) depth += statement[at] === '(' ? 1 : statement[at] === ')' ? -1 : 0
      if (depth === 0) return statement.slice(start, at + 1)
    }
    return statement.slice(start)
  })
}

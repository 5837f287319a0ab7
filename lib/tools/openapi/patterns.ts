import { z } from 'zod'
import { anyCase } from './any-case.js'
import type { Keywords } from './undefined.js'

/** A class, an escape, or one character. */
const TOKENS = /\[\^?(?:\\.|[^\]\\])*\]|\\.|[^]/g

/** An escape or one character of a class. */
const MEMBERS = /\\.|[^]/g

/** An escape that stands for several characters. */
const SET = /^\\[dDsSwWpP]/

/** A quantifier in braces. */
const QUANTIFIER = /\{\d+(?:,\d*)?\}/g

type Formatted = z.core.$ZodTypes | z.core.$ZodCheck

/**
 * Replaces the patterns of a string by ones for documents: JSON Schema has no flags, and its readers add `u`. A
 * pattern that has no such form is left out, and so is the format of e-mail addresses with a pattern of their own.
 */
export function replacePatterns(schema: z.core.$ZodTypes, json: Keywords): void {
  const parts: readonly Formatted[] = [schema, ...schema._zod.def.checks ?? []]
  const patterns = new Map(parts.flatMap((part) => {
    const pattern = patternOf(part)
    return pattern === undefined ? [] : [[pattern.source, patternAfter(part) ?? pattern] as const]
  }))
  if (json.format === 'email' && parts.some(isOwnEmail)) delete json.format
  const replace = (one: Keywords): void => {
    const { pattern, format } = one
    if (typeof pattern !== 'string') return
    const { source, flags } = patterns.get(pattern) ?? { source: pattern, flags: '' }
    // The pattern that zod has for these addresses refuses some that it reads.
    const documented = format === 'ipv6' ? undefined : documentedPattern(source, flags)
    if (documented === undefined) Reflect.deleteProperty(one, 'pattern')
    else one.pattern = documented
  }
  replace(json)
  const several = json.allOf ?? []
  if (!several.some(({ pattern }) => pattern !== undefined)) return
  const copies = several.map((member) => ({ ...member }))
  copies.forEach(replace)
  json.allOf = copies
}

function patternOf(part: Formatted): RegExp | undefined {
  const def = part._zod.def
  return 'pattern' in def && def.pattern instanceof RegExp ? def.pattern : undefined
}

/** Returns true for e-mail addresses with another pattern than zod's: a reader would apply the usual one too. */
function isOwnEmail(part: Formatted): boolean {
  const def = part._zod.def
  return 'format' in def && def.format === 'email' && (patternOf(part) ?? EMAIL).source !== EMAIL.source
}

const EMAIL = z.regexes.email

/**
 * Returns a pattern of the strings that contain another one after a position, which zod counts in units of UTF-16: with
 * the flag `u`, a character outside the basic plane is one of two.
 */
function patternAfter(part: Formatted): RegExp | undefined {
  const def = part._zod.def
  if (!('includes' in def) || typeof def.includes !== 'string') return undefined
  const { includes, position } = def as z.core.$ZodCheckIncludesDef
  const before = Math.max(0, Math.trunc(position ?? 0))
  const text = includes.replace(/[$.*+?^(){}|[\]\\/]/g, '\\$&')
  return new RegExp(before === 0 ? text : `^(?:[\\s\\S]{${before},}|[\\s\\S]*[^\\u0000-\\uffff][\\s\\S]*)${text}`)
}

/** Returns a pattern that means the same without its flags and with `u`; `undefined` if there is none. */
function documentedPattern(source: string, flags: string): string | undefined {
  if (flags.includes('m') || (flags.includes('v') && /--|&&/.test(source))) return undefined
  const plain = flags.includes('i') ? anyCase(source) ?? source : source
  const dotted = flags.includes('s') ? mapTokens(plain, (token) => (token === '.' ? '[\\s\\S]' : token)) : plain
  const whole = flags.includes('y') ? `^(?:${dotted})` : dotted
  return [whole, strictPattern(whole)].find(isStrict)
}

function isStrict(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').source !== ''
  } catch {
    return false
  }
}

/** Writes what only a pattern without `u` may have as one with it may: `\-` as `-`, `[\w-.]` as `[\w\-.]`. */
function strictPattern(source: string): string {
  const braces = [...source.matchAll(QUANTIFIER)].flatMap(({ 0: { length }, index }) => [index, index + length - 1])
  return mapTokens(source, (token, index) => {
    if (token.startsWith('[') && token.length > 1) return strictClass(token)
    if (token.startsWith('\\')) return strictEscape(token, /[\^$\\.*+?()[\]{}|/]/)
    return token === ']' || (/[{}]/.test(token) && !braces.includes(index)) ? `\\${token}` : token
  })
}

function strictClass(token: string): string {
  const members = token.slice(1, -1).match(MEMBERS) ?? []
  const inside = members.map((member, at) => {
    if (member.startsWith('\\')) return strictEscape(member, /[\^$\\.*+?()[\]{}|/-]/)
    const isBeside = [members[at - 1], members[at + 1]].some((neighbour) =>
      neighbour !== undefined && SET.test(neighbour)
    )
    return member === '-' && isBeside ? '\\-' : member
  })
  return `[${inside.join('')}]`
}

/** Removes the backslash in front of a character that needs none and may not have one. */
function strictEscape(token: string, escapable: RegExp): string {
  const character = token.slice(1)
  return /\w/.test(character) && character !== '_' || escapable.test(character) ? token : character
}

function mapTokens(source: string, map: (token: string, index: number) => string): string {
  return [...source.matchAll(TOKENS)].map(({ 0: token, index }) => map(token, index)).join('')
}

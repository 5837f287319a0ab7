import type { z } from 'zod'
import { memoize } from '../base/memoize.js'
import { toJson } from '../base/json.js'
import { functionOf, Program, type Source } from './program.js'
import { partOf, type Field, type JsonKind, type Part } from './schema-parts.js'

/*
 * Writes the JSON of output by a function that is generated from its schema: the keys are part of the function, and
 * most strings need no escape.
 */

type Write = (copy: unknown) => string | undefined

const writerOf = memoize((schema: z.ZodType) =>
  (functionOf(() => sourceOf(partOf(schema))) ?? ((): undefined => undefined)) as Write
)

/**
 * Returns the text that `toJson` makes of a copy that `checkedCopy` has returned for a schema; `undefined` if only
 * `toJson` can tell.
 */
export function jsonOf(schema: z.ZodType, copy: unknown): string | undefined {
  return hasToJson() ? undefined : writerOf(schema)(copy)
}

/** Returns true if a prototype has a `toJSON`, which `JSON.stringify` would call. */
function hasToJson(): boolean {
  return 'toJSON' in String.prototype || 'toJSON' in Number.prototype || 'toJSON' in Boolean.prototype
    || 'toJSON' in Array.prototype
}

/** Matches the characters that JSON escapes (RFC 8259 §7), and the surrogates, of which it escapes lone ones. */
const ESCAPED = /["\\\0-\x1f\ud800-\udfff]/

/** Returns the JSON of a string. */
function quote(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`
}

/** Returns the JSON of any value, `undefined` for one that JSON leaves out, or whose `toJSON` may read its key. */
function anyJson(value: unknown): string | undefined {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'bigint') return `"${value}"`
  const { toJSON } = (value ?? {}) as { readonly toJSON?: unknown }
  return toJSON === undefined || value instanceof Date ? toJson(value) : undefined
}

function sourceOf(part: Part): Source {
  const program = new TextProgram()
  return program.source(program.write(part, 'value'), { quoted: quote, anyJson })
}

/** A part around another one. */
type Outer = Extract<Part, { readonly inner: Part }>

class TextProgram extends Program {
  /** Adds the lines that write the variable `name`; returns an expression for its JSON. */
  write(part: Part, name: string): string {
    switch (part.kind) {
      case 'test':
        return this.#test(part.json, name)
      case 'among':
        return `${this.constant(jsonByValue(part.values))}.get(${name})`
      case 'run':
        return this.#any(name)
      case 'object':
        return this.#object(part.fields, name)
      default:
        return this.#inner(part, name)
    }
  }

  #test(json: JsonKind, name: string): string {
    if (json === 'other') return this.#any(name)
    if (json === 'string') return `quoted(${name})`
    return json === 'digits' ? `\`"\${${name}}"\`` : `\`\${${name}}\``
  }

  #inner({ kind, inner }: Outer, name: string): string {
    if (kind === 'given') return this.write(inner, name)
    if (kind === 'array') return this.#array(inner, name)
    return this.#unless(kind === 'nullable' ? 'null' : 'undefined', inner, name)
  }

  #any(name: string): string {
    const text = this.declare(`anyJson(${name})`)
    this.lines.push(`if (${text} === undefined) return`)
    return text
  }

  /** Writes `null` for a missing item of a list; fields that are missing are not written at all. */
  #unless(nothing: 'null' | 'undefined', inner: Part, name: string): string {
    const text = this.name()
    this.lines.push(`let ${text} = 'null'`, `if (${name} !== ${nothing}) {`)
    this.lines.push(`${text} = ${this.write(inner, name)}`, '}')
    return text
  }

  #array(inner: Part, name: string): string {
    const [text, at] = [this.name(), this.name()]
    this.lines.push(`let ${text} = '['`, `for (let ${at} = 0; ${at} < ${name}.length; ${at}++) {`)
    const item = this.declare(`${name}[${at}]`)
    const written = this.write(inner, item)
    this.lines.push(`${text} += ${at} === 0 ? ${written} : ',' + ${written}`, '}')
    return `${text} + ']'`
  }

  #object(fields: readonly Field[], name: string): string {
    const [first] = fields
    // The comma in front of the first field is cut off, unless that field is never missing.
    const opens = first !== undefined && isSure(first.part)
    const text = this.name()
    this.lines.push(`let ${text} = ''`)
    for (const { key, part } of fields) {
      if (INDEX.test(key)) throw new Error('Not compiled: JSON writes indexes first')
      const value = this.declare(`${name}[${JSON.stringify(key)}]`)
      const start = JSON.stringify(`${opens && key === first.key ? '{' : ','}${JSON.stringify(key)}:`)
      if (!isSure(part)) this.lines.push(`if (${value} !== undefined) {`)
      this.lines.push(`${text} += ${start} + ${this.write(part, value)}`)
      if (!isSure(part)) this.lines.push('}')
    }
    return opens ? `${text} + '}'` : `'{' + ${text}.slice(1) + '}'`
  }
}

/** Returns true for a part whose values are never `undefined`. */
function isSure(part: Part): boolean {
  return part.kind === 'nullable' ? isSure(part.inner) : part.kind !== 'optional'
}

/** Matches keys that an object has in numerical order, in front of all others. */
const INDEX = /^(?:0|[1-9]\d*)$/

function jsonByValue(values: ReadonlySet<unknown>): ReadonlyMap<unknown, string> {
  return new Map(Array.from(values, (value) => {
    const text = toJson(value) as string | undefined
    if (text === undefined) throw new Error('Not compiled: JSON omits the value')
    return [value, text]
  }))
}

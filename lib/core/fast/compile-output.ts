import { z } from 'zod'
import { memoize } from '../base/memoize.js'
import { partOf, type Field, type Part } from './schema-parts.js'

/** Returns a copy of a value that fits a schema, `undefined` if zod has to parse the value. */
export type Check = (value: unknown) => unknown

/*
 * Checks output by a function that is generated from a schema. zod's own `compile` differs from `parse`: in a union it
 * takes `"42"` for a string where `param.int` reads 42, and it sees a field that a proxy returns although `in`
 * denies it.
 */

/**
 * Returns a copy of a value that fits a schema; `undefined` if zod has to parse the value, which includes every value
 * that does not fit.
 */
export function copyWithCheck(schema: z.ZodType, value: unknown): unknown {
  return checkOf(schema)(value)
}

/**
 * Returns the check of a schema, which is compiled on first use; it refuses every value if only zod can read the
 * schema, or if no code may be generated.
 */
export const checkOf = memoize((schema: z.ZodType): Check => {
  if (z.config().jitless === true) return refuse
  try {
    const part = partOf(schema)
    const program = new CopyProgram()
    return guardCopy(program.compile(program.copy(part, 'value')))
  } catch {
    return refuse
  }
})

const refuse: Check = () => undefined

/** Leaves errors to zod: a getter that throws here throws for zod as well. */
function guardCopy(check: Check): Check {
  return (value) => {
    try {
      return check(value)
    } catch {
      return undefined
    }
  }
}

/**
 * Generates a function that copies a value as zod does, and returns `undefined` at the first part that does not fit.
 *
 * Of the application's strings it contains only the keys of objects, as JSON strings; a schema is the application's
 * code anyway.
 */
class CopyProgram {
  readonly #lines: string[] = []
  /** Sets and functions, which have no literal. */
  readonly #constants: unknown[] = []
  #names = 0

  /** Compiles the lines to a function of `value` that returns this variable. */
  compile(result: string): Check {
    const text = `'use strict'; return (value) => {\n${this.#lines.join('\n')}\nreturn ${result}\n}`
    // eslint-disable-next-line @typescript-eslint/no-implied-eval
    const make = new Function(...this.#constants.map((_, at) => `c${at}`), text) as (...values: unknown[]) => Check
    return make(...this.#constants)
  }

  /** Adds the lines that check and copy the variable `name`; returns the name of the copy. */
  copy(part: Part, name: string): string {
    switch (part.kind) {
      case 'test':
        this.#require(part.test(name))
        return name
      case 'among':
        this.#require(`${name} !== undefined && ${this.#constant(part.values)}.has(${name})`)
        return name
      case 'run':
        return this.#run(part.run, name)
      case 'present':
        this.#require(`${name} !== undefined`)
        return this.copy(part.inner, name)
      case 'nullable':
        return this.#unless('null', part.inner, name)
      case 'optional':
        return this.#unless('undefined', part.inner, name)
      case 'array':
        return this.#array(part.inner, name)
      case 'object':
        return this.#object(part.fields, name)
    }
  }

  #run(run: (value: unknown) => unknown, name: string): string {
    const copy = this.#declare(`${this.#constant(run)}(${name})`)
    this.#require(`${copy} !== undefined`)
    return copy
  }

  #unless(nothing: 'null' | 'undefined', inner: Part, name: string): string {
    const copy = this.#name()
    this.#lines.push(`let ${copy} = ${nothing}`, `if (${name} !== ${nothing}) {`)
    this.#lines.push(`${copy} = ${this.copy(inner, name)}`, '}')
    return copy
  }

  #array(inner: Part, name: string): string {
    this.#require(`Array.isArray(${name})`)
    const copy = this.#declare(`Array(${name}.length)`)
    const at = this.#name()
    this.#lines.push(`for (let ${at} = 0; ${at} < ${name}.length; ${at}++) {`)
    const item = this.#declare(`${name}[${at}]`)
    this.#lines.push(`${copy}[${at}] = ${this.copy(inner, item)}`, '}')
    return copy
  }

  #object(fields: readonly Field[], name: string): string {
    this.#require(`typeof ${name} === 'object' && ${name} !== null && !Array.isArray(${name})`)
    const copies = fields.map(({ key, part, optional }) => {
      const copy = this.copy(part, this.#declare(`${name}[${JSON.stringify(key)}]`))
      // A key that `in` denies is missing for zod, whatever a proxy returns for it.
      if (!optional) this.#require(`${JSON.stringify(key)} in ${name}`)
      return { key: JSON.stringify(key), copy, optional }
    })
    // A literal with the keys up to the first optional one: the others are added in their order.
    const first = copies.findIndex(({ optional }) => optional)
    const sure = first === -1 ? copies : copies.slice(0, first)
    const copy = this.#declare(`{ ${sure.map((field) => `${field.key}: ${field.copy}`).join(', ')} }`)
    for (const { key, copy: value, optional } of copies.slice(sure.length)) {
      this.#lines.push(`${optional ? `if (${key} in ${name}) ` : ''}${copy}[${key}] = ${value}`)
      if (optional) this.#lines.push(`else if (${value} !== undefined) return`)
    }
    return copy
  }

  #require(test: string): void {
    this.#lines.push(`if (!(${test})) return`)
  }

  #declare(expression: string): string {
    const name = this.#name()
    this.#lines.push(`const ${name} = ${expression}`)
    return name
  }

  #name(): string {
    return `v${this.#names++}`
  }

  #constant(value: unknown): string {
    return `c${this.#constants.push(value) - 1}`
  }
}

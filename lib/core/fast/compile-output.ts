import type { z } from 'zod'
import { memoize } from '../base/memoize.js'
import { functionOf, Program, type Source } from './program.js'
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

/** Returns the check of a schema, which is compiled on first use. */
export const checkOf = memoize((schema: z.ZodType): Check => compile(schema) ?? ((): undefined => undefined))

function compile(schema: z.ZodType): Check | undefined {
  const check = functionOf(() => sourceOf(partOf(schema)))
  return check && guardCopy(check)
}

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
 * Of the application's strings it contains only the keys of objects, as JSON strings.
 */
function sourceOf(part: Part): Source {
  const program = new CopyProgram()
  return program.source(program.copy(part, 'value'))
}

class CopyProgram extends Program {
  /** Adds the lines that check and copy the variable `name`; returns the name of the copy. */
  copy(part: Part, name: string): string {
    switch (part.kind) {
      case 'test':
        this.#require(part.test(name))
        return name
      case 'among':
        this.#require(`${name} !== undefined && ${this.constant(part.values)}.has(${name})`)
        return name
      case 'run':
        return this.#run(part.run, name)
      case 'given':
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
    const copy = this.declare(`${this.constant(run)}(${name})`)
    this.#require(`${copy} !== undefined`)
    return copy
  }

  #unless(nothing: 'null' | 'undefined', inner: Part, name: string): string {
    const copy = this.name()
    this.lines.push(`let ${copy} = ${nothing}`, `if (${name} !== ${nothing}) {`)
    this.lines.push(`${copy} = ${this.copy(inner, name)}`, '}')
    return copy
  }

  #array(inner: Part, name: string): string {
    this.#require(`Array.isArray(${name})`)
    const copy = this.declare(`Array(${name}.length)`)
    const at = this.name()
    this.lines.push(`for (let ${at} = 0; ${at} < ${name}.length; ${at}++) {`)
    const item = this.declare(`${name}[${at}]`)
    this.lines.push(`${copy}[${at}] = ${this.copy(inner, item)}`, '}')
    return copy
  }

  #object(fields: readonly Field[], name: string): string {
    this.#require(`typeof ${name} === 'object' && ${name} !== null && !Array.isArray(${name})`)
    const copies = fields.map(({ key, part, optional }) => {
      const copy = this.copy(part, this.declare(`${name}[${JSON.stringify(key)}]`))
      // A key that `in` denies is missing for zod, whatever a proxy returns for it.
      if (!optional) this.#require(`${JSON.stringify(key)} in ${name}`)
      return { key: JSON.stringify(key), copy, optional }
    })
    // A literal with the keys up to the first optional one: the others are added in their order.
    const first = copies.findIndex(({ optional }) => optional)
    const sure = first === -1 ? copies : copies.slice(0, first)
    const copy = this.declare(`{ ${sure.map((field) => `${field.key}: ${field.copy}`).join(', ')} }`)
    for (const { key, copy: value, optional } of copies.slice(sure.length)) {
      this.lines.push(`${optional ? `if (${key} in ${name}) ` : ''}${copy}[${key}] = ${value}`)
      if (optional) this.lines.push(`else if (${value} !== undefined) return`)
    }
    return copy
  }

  #require(test: string): void {
    this.lines.push(`if (!(${test})) return`)
  }
}

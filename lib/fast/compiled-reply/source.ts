import type { Field, Part } from './part.js'

export interface Source {
  /** The body of a function of `names` that gives the check. */
  readonly text: string
  readonly names: readonly string[]
  /** What the names stand for: sets and functions, which a text cannot hold. */
  readonly values: readonly unknown[]
}

/**
 * The program that copies what a part allows, just as zod does, and returns without a value at the first thing it does not.
 *
 * Of the user's own words only the keys of objects are in it, as literals of JSON.
 */
export function sourceOf(part: Part): Source {
  const program = new Program()
  const result = program.copy(part, 'value')
  return { text: `'use strict'; return (value) => {\n${program.lines.join('\n')}\nreturn ${result}\n}`, names: program.values.map((_, at) => `c${at}`), values: program.values }
}

class Program {
  readonly lines: string[] = []
  readonly values: unknown[] = []
  #names = 0

  /** Writes the lines that judge and copy what is called `name`; gives the name of the copy. */
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
    const copy = this.#declare(`${this.#constant(run)}(${name})`)
    this.#require(`${copy} !== undefined`)
    return copy
  }

  #unless(nothing: 'null' | 'undefined', inner: Part, name: string): string {
    const copy = this.#name()
    this.lines.push(`let ${copy} = ${nothing}`, `if (${name} !== ${nothing}) {`)
    this.lines.push(`${copy} = ${this.copy(inner, name)}`, '}')
    return copy
  }

  #array(inner: Part, name: string): string {
    this.#require(`Array.isArray(${name})`)
    const copy = this.#declare(`Array(${name}.length)`)
    const at = this.#name()
    this.lines.push(`for (let ${at} = 0; ${at} < ${name}.length; ${at}++) {`)
    const item = this.#declare(`${name}[${at}]`)
    this.lines.push(`${copy}[${at}] = ${this.copy(inner, item)}`, '}')
    return copy
  }

  #object(fields: readonly Field[], name: string): string {
    this.#require(`typeof ${name} === 'object' && ${name} !== null && !Array.isArray(${name})`)
    const copies = fields.map(({ key, part, optional }) => {
      const copy = this.copy(part, this.#declare(`${name}[${JSON.stringify(key)}]`))
      // What `in` denies is missing for zod, whatever a proxy gives for it.
      if (!optional) this.#require(`${JSON.stringify(key)} in ${name}`)
      return { key: JSON.stringify(key), copy, optional }
    })
    // A literal as far as all keys are there: those behind one that may be missing are added in their order.
    const first = copies.findIndex(({ optional }) => optional)
    const sure = first === -1 ? copies : copies.slice(0, first)
    const copy = this.#declare(`{ ${sure.map((field) => `${field.key}: ${field.copy}`).join(', ')} }`)
    for (const { key, copy: value, optional } of copies.slice(sure.length)) {
      this.lines.push(`${optional ? `if (${key} in ${name}) ` : ''}${copy}[${key}] = ${value}`)
      if (optional) this.lines.push(`else if (${value} !== undefined) return`)
    }
    return copy
  }

  #require(test: string): void {
    this.lines.push(`if (!(${test})) return`)
  }

  #declare(expression: string): string {
    const name = this.#name()
    this.lines.push(`const ${name} = ${expression}`)
    return name
  }

  #name(): string {
    return `v${this.#names++}`
  }

  #constant(value: unknown): string {
    return `c${this.values.push(value) - 1}`
  }
}

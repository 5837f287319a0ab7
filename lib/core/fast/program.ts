import { z } from 'zod'

export interface Source {
  /** The body of a function with the parameters `names` that returns the function. */
  readonly text: string
  readonly names: readonly string[]
  /** The values of the names: sets and functions, which have no literal. */
  readonly values: readonly unknown[]
}

/**
 * Compiles a function of one value; returns `undefined` if its source cannot be generated, or if the engine compiles no
 * strings.
 */
export function functionOf(write: () => Source): ((value: unknown) => unknown) | undefined {
  if (z.config().jitless === true) return undefined
  try {
    const { text, names, values } = write()
    // The text contains keys of objects as JSON strings, and nothing else of the application's; a schema is the
    // application's code anyway.
    // eslint-disable-next-line @typescript-eslint/no-implied-eval
    const make = new Function(...names, text) as (...values: unknown[]) => (value: unknown) => unknown
    return make(...values)
  } catch {
    return undefined
  }
}

/** Collects the lines of a function of one value, and the values that it uses. */
export class Program {
  protected readonly lines: string[] = []
  readonly #values: unknown[] = []
  #names = 0

  /** Returns the source of a function with this result; `others` are more values that it uses, by name. */
  source(result: string, others: Readonly<Record<string, unknown>> = {}): Source {
    return {
      text: `'use strict'; return (value) => {\n${this.lines.join('\n')}\nreturn ${result}\n}`,
      names: [...this.#values.map((_, at) => `c${at}`), ...Object.keys(others)],
      values: [...this.#values, ...Object.values(others)],
    }
  }

  protected declare(expression: string): string {
    const name = this.name()
    this.lines.push(`const ${name} = ${expression}`)
    return name
  }

  protected name(): string {
    return `v${this.#names++}`
  }

  protected constant(value: unknown): string {
    return `c${this.#values.push(value) - 1}`
  }
}

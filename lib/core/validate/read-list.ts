import { isList } from '../base/guards.js'
import type { z } from 'zod'
import { run, withFunction, type Parse as Run } from './zod-schemas.js'

type Schema = z.core.$ZodType
type Payload = z.core.ParsePayload

/** The most messages of a reply: a list with so many faults is read no further. */
export const MOST_FAULTS = 50

/** Returns a function that looks `run` up each time: zod may replace it after the first parse. */
export function runOf(schema: Schema): Run {
  return (payload, context) => run(schema, payload, context)
}

/**
 * Returns an object that inherits from the schema and has another `run`; zod may replace functions of the schema
 * itself.
 */
export function withRun(schema: Schema, parse: Run): Schema {
  return withFunction(schema, 'run', parse)
}

/** A list that is being read. Once it is full of faults, its other items are skipped. */
export class ReadList {
  #payload: Payload | undefined
  #item: Run | undefined
  /** The results of items that were read before the list itself, and how many of them the list has taken. */
  #prepared: readonly Payload[] | undefined
  #taken = 0

  get #isFull(): boolean {
    return this.#payload !== undefined && this.#payload.issues.length >= MOST_FAULTS
  }

  /** Returns the schema of an item, which reads nothing more once the list is full. */
  reader(item: Schema): Schema {
    const run = runOf(item)
    this.#item = run
    return withRun(item, (payload, context) => {
      if (!this.#isFull) return this.#prepared?.[this.#taken++] ?? run(payload, context)
      // No check of the whole may see items that were skipped.
      Object.assign(this.#payload?.issues[0] ?? {}, { continue: false })
      return payload
    })
  }

  /** Returns the `run` of the list itself, which may be read within another list of the same schema. */
  run(run: Run): Run {
    return (payload, context) => {
      const outer = [this.#payload, this.#prepared, this.#taken] as const
      this.#payload = payload
      this.#prepared = undefined
      try {
        return run(payload, context)
      } finally {
        ;[this.#payload, this.#prepared, this.#taken] = outer
      }
    }
  }

  /**
   * Returns the `run` of an array with asynchronous items: zod would start all of them at once, this starts 50 at a
   * time and ends when the list is full. An array that is too long is given to zod, which refuses it before it reads an
   * item.
   */
  runInTurns(run: Run, longest: number): Run {
    const atOnce = this.run(run)
    return (payload, context) => {
      const value: unknown = payload.value
      if (!isList(value) || value.length <= MOST_FAULTS || value.length > longest)
        return atOnce(payload, context)
      return this.#prepare(value, context).then((prepared) =>
        this.run((list, within) => {
          this.#prepared = prepared
          this.#taken = 0
          return run(list, within)
        })(payload, context)
      )
    }
  }

  async #prepare(items: readonly unknown[], context: z.core.ParseContextInternal): Promise<Payload[]> {
    const prepared: Payload[] = []
    for (let at = 0, faults = 0; at < items.length && faults < MOST_FAULTS; at += MOST_FAULTS) {
      const read = await Promise.all(
        items
          .slice(at, at + MOST_FAULTS)
          .map(async (value) => this.#item?.({ value, issues: [] }, context) ?? { value, issues: [] }),
      )
      faults += read.reduce((sum, { issues }) => sum + issues.length, 0)
      prepared.push(...read)
    }
    return prepared
  }
}

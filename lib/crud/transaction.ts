import type { Request } from 'express'
import { askFieldRules } from './field-rules.js'
import type { Writing } from './hooks.js'
import type { LooseOptions, LooseRow, LooseStore } from './options.js'
import type { CrudPlan } from './plan.js'
import { explaining } from './soft-delete/conflict.js'
import { pathsOf, type Moves } from './tree/paths.js'

/** Rows that were written by an action, to be told of once they are committed. */
export interface Written {
  readonly action: Writing
  readonly rows: readonly LooseRow[]
}

interface Outer {
  readonly store: LooseStore
  readonly written: Written[]
}

/** The requests whose handler runs inside a transaction that has begun before it. */
const joined = new WeakMap<Request, Outer>()

/** What the work of a transaction has written, and the reply about it. */
interface Done<T> {
  readonly rows: readonly LooseRow[]
  readonly reply: T
}

/**
 * Runs work in one transaction, then the hook `afterCommit`, and returns the reply that the work has made. The transaction is not
 * committed when its time is up, or when its reply cannot be made.
 */
export async function inTransaction<T>(
  plan: CrudPlan,
  req: Request,
  action: Writing,
  work: (store: LooseStore) => Promise<Done<T>>,
  moves?: Moves,
): Promise<T> {
  const outer = joined.get(req)
  if (outer !== undefined) {
    const { rows, reply } = await work(outer.store)
    outer.written.push({ action, rows })
    return reply
  }
  const { store, options, withinDeadline } = plan
  const { rows, reply } = await explaining(plan, req, () => withinDeadline(async (stillWanted) => {
    await askFieldRules(req, options.fields)
    const path = moves === undefined ? [] : await pathsOf(plan, moves)
    return store.transaction(async (inside) => {
      if (path.length > 0) await inside.find(path)
      const done = await work(inside)
      stillWanted()
      return done
    })
  }))
  await runAfterCommit(options, req, [{ action, rows }])
  return reply
}

/** Runs a handler whose transaction is part of one that has begun; whoever commits that tells of what was written. */
export async function joining<T>(req: Request, store: LooseStore, written: Written[], run: () => T | Promise<T>): Promise<T> {
  joined.set(req, { store, written })
  try {
    return await run()
  } finally {
    joined.delete(req)
  }
}

/** What was written cannot be taken back: what a hook throws now is logged. */
export async function runAfterCommit({ afterCommit = {} }: LooseOptions, req: Request, written: readonly Written[]): Promise<void> {
  for (const { action, rows } of written) {
    for (const row of rows) {
      try {
        await afterCommit[action]?.(row, req)
      } catch (error) {
        console.error(`After ${action} was committed:`, error)
      }
    }
  }
}

import type { Request } from 'express'
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

/** One transaction that is not committed when its time is up, and then what is to happen once it is. */
export async function inTransaction(
  plan: CrudPlan,
  req: Request,
  action: Writing,
  work: (store: LooseStore) => Promise<LooseRow[]>,
  moves?: Moves,
): Promise<LooseRow[]> {
  const outer = joined.get(req)
  if (outer !== undefined) {
    const rows = await work(outer.store)
    outer.written.push({ action, rows })
    return rows
  }
  const { store, options, withinDeadline } = plan
  const rows = await explaining(plan, req, () => withinDeadline(async (stillWanted) => {
    const path = moves === undefined ? [] : await pathsOf(plan, moves)
    return store.transaction(async (inside) => {
      if (path.length > 0) await inside.find(path)
      const written = await work(inside)
      stillWanted()
      return written
    })
  }))
  await runAfterCommit(options, req, [{ action, rows }])
  return rows
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

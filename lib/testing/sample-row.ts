import type { Store } from '../store.js'

/** A row of the table that a store is tried on. */
export interface SampleRow {
  /** The key: a whole number that the store makes. */
  id: number
  /** Unique, never null, at least 50 characters wide. */
  code: string
  /** Never null, at least 200 characters wide, any Unicode. */
  name: string
  age: number | null
  /** As large as JavaScript's whole numbers get: 9007199254740991. */
  views: number
  active: boolean
  /** To the millisecond. */
  createdAt: Date
}

/** An empty table, and what is to be done when the case is over. */
export interface OpenedStore {
  readonly store: Store<SampleRow>
  readonly close?: () => Promise<void>
}

export function sample(fields: Partial<SampleRow> = {}): Omit<SampleRow, 'id'> {
  const { code = 'a', name = 'Ann', age = null, views = 0, active = true, createdAt = new Date('2026-11-21T08:30:00.123Z') } = fields
  return { code, name, age, views, active, createdAt }
}

/** Adds one row for each, with codes of their own. */
export async function fill(store: Store<SampleRow>, rows: readonly Partial<SampleRow>[]): Promise<SampleRow[]> {
  const added: SampleRow[] = []
  for (const [index, row] of rows.entries()) added.push(await store.create(sample({ code: `c${index}`, ...row })))
  return added
}

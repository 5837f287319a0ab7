import assert from 'node:assert/strict'
import type { Store, Where } from '../../crud/contract/index.js'

/** A row of the table that a store is tested with. */
export interface SampleRow {
  /** The key: a whole number that the store generates. */
  id: number
  /** Unique, never null, at least 50 characters wide. */
  code: string
  /** Never null, at least 200 characters wide, any Unicode. */
  name: string
  age: number | null
  /** A whole number up to 9007199254740991. */
  views: number
  active: boolean
  /** An instant with milliseconds. */
  createdAt: Date
}

/** A store with an empty table, and a function that closes it after the test. */
export interface OpenedStore {
  readonly store: Store<SampleRow>
  readonly close?: () => Promise<void>
}

export function sample(fields: Partial<SampleRow> = {}): Omit<SampleRow, 'id'> {
  const createdAt = new Date('2026-11-21T08:30:00.123Z')
  return { code: 'a', name: 'Ann', age: null, views: 0, active: true, createdAt, ...fields }
}

/** Adds one row for each element, with different codes. */
export async function fill(store: Store<SampleRow>, rows: readonly Partial<SampleRow>[]): Promise<SampleRow[]> {
  const added: SampleRow[] = []
  for (const [index, row] of rows.entries()) added.push(await store.create(sample({ code: `c${index}`, ...row })))
  return added
}

/** Returns all rows in an order, in that of the keys by default. */
export async function rowsOf(store: Store<SampleRow>,
  order: readonly string[] = ['id']): Promise<readonly SampleRow[]>
{
  return store.list({ where: [], order }).slice(0, 100)
}

/** Returns the values of a field in the matching rows, in the order in which they were added. */
export async function matching(
  store: Store<SampleRow>,
  field: 'name' | 'age' | 'views',
  where: Where<SampleRow>,
): Promise<readonly (string | number | null)[]> {
  const source = store.list({ where, order: ['id'] })
  const rows = await source.slice(0, 100)
  assert.equal(await source.count?.(), rows.length)
  return rows.map((row) => row[field])
}

/** One promise of the contract, tested with an empty store. */
type StoreCase = (store: Store<SampleRow>) => Promise<void>

/** Cases by their names. */
export type StoreCases = Readonly<Record<string, StoreCase>>

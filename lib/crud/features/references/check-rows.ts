import { ValidationError, type Message } from '../../../core/index.js'
import { reachableKeys, type AnyStore, type Call, type CrudPlan, type Write } from '../../core/index.js'
import type { ColumnReference } from './options.js'

/** The keys of rows that were found by a transaction, which has locked them, by the resources of the rows. */
type Found = Map<CrudPlan, Set<string>>

/** A value that a write sets, and the column of it. */
interface Value {
  readonly reference: ColumnReference
  readonly key: unknown
}

/** Returns the function that checks the references of rows that are written together. */
export function referenceCheck(plan: CrudPlan, references: readonly ColumnReference[]) {
  /** Hooks may change a row that was found before. */
  const isStable = !hasWritingHooks(plan)
  const foundByStore = new WeakMap<AnyStore, Found>()
  /** @throws ValidationError naming each field whose value is no row that the caller may refer to. */
  return async (writes: readonly Write[]): Promise<void> => {
    const [{ call } = {}] = writes
    if (call === undefined) return
    const found: Found = (isStable ? foundByStore.get(call.store) : undefined) ?? new Map<CrudPlan, Set<string>>()
    foundByStore.set(call.store, found)
    const values = writes.flatMap((write) => valuesOf(write, references))
    const faults: Record<string, (string | Message)[]> = {}
    for (const [target, ofTarget] of groupByTarget(values)) {
      const keys = await existing(call, target, found, ofTarget.map(({ key }) => key))
      for (const { reference: { column, message }, key } of ofTarget) {
        if (!keys.has(textOf(key))) faults[column] = [message]
      }
    }
    if (Object.keys(faults).length > 0) throw new ValidationError(faults)
  }
}

function hasWritingHooks({ options: { before = {}, after = {} } }: CrudPlan): boolean {
  return [before, after].some((hooks) => Object.keys(hooks).some((name) => name !== 'list' && name !== 'show'))
}

/** Returns a key as a string: a driver may return a number as one. */
function textOf(key: unknown): string {
  return (key as string | number | bigint).toString()
}

/** Returns the values that a write sets or changes. */
function valuesOf({ columns, found }: Write, references: readonly ColumnReference[]): Value[] {
  return references.flatMap((reference) => {
    const [key, before] = [columns[reference.column], found?.[reference.column]]
    if (key === null || key === undefined) return []
    const isUnchanged = before !== null && before !== undefined && textOf(before) === textOf(key)
    return isUnchanged ? [] : [{ reference, key }]
  })
}

function groupByTarget(values: readonly Value[]): ReadonlyMap<CrudPlan, readonly Value[]> {
  const groups = new Map<CrudPlan, Value[]>()
  for (const value of values) {
    const target = value.reference.target()
    groups.set(target, [...groups.get(target) ?? [], value])
  }
  return groups
}

/** Returns the keys of rows that exist for the caller, as strings; those that are not known yet are read and locked. */
async function existing(
  call: Call,
  target: CrudPlan,
  found: Found,
  keys: readonly unknown[],
): Promise<ReadonlySet<string>> {
  const foundKeys = found.get(target) ?? new Set<string>()
  found.set(target, foundKeys)
  const open = new Map(keys.filter((key) => !foundKeys.has(textOf(key))).map((key) => [textOf(key), key]))
  if (open.size === 0) return foundKeys
  for (const key of await reachableKeys(call, target, [...open.values()])) foundKeys.add(key)
  return foundKeys
}

import { memoize } from '../../../core/index.js'
import { tableOf } from '../../contract/index.js'
import { columnsOfChange, keyText, NO_FIELDS, reportingViolations, SharedValue, tellChanged, valueOf, withoutLocks,
  type AnyStore, type Call, type CrudPlan, type FeatureHooks, type Row, type Write } from '../../core/index.js'
import type { Children } from './options.js'

/** Hooks of children that count the version of the rows of a table that a column of theirs names. */
interface Counting {
  readonly table: OfTable
  readonly column: string
  readonly version: string
  readonly hooks: FeatureHooks
}

/** The resources of one table, and the hooks that their records have as children of other resources. */
interface OfTable {
  readonly plans: CrudPlan[]
  readonly counting: Counting[]
}

/** The tables of a connection by their places; a store without a known table is one by itself. */
const tables = memoize((_owner: object) => new Map<string, OfTable>())

/** Returns the resources of the table of a store: an application may make several stores of one table. */
function ofTable(store: AnyStore): OfTable {
  const known = tableOf(store)
  const { schema, table = '' } = known?.place() ?? {}
  const ofOwner = tables(known?.connection ?? store)
  const name = JSON.stringify([schema, table])
  const found = ofOwner.get(name) ?? { plans: [], counting: [] }
  ofOwner.set(name, found)
  return found
}

const CHILDREN = new SharedValue<readonly Children[]>()

/** True for stores of one table. */
export function isOneTable(one: AnyStore, other: AnyStore): boolean {
  return ofTable(one) === ofTable(other)
}

/** Keeps a resource, so that its records count the versions of those whose children they are. */
export function rememberResource(plan: CrudPlan, all: readonly Children[]): void {
  const { plans, counting } = ofTable(plan.store)
  plans.push(plan)
  for (const { hooks } of counting) plan.addHooks(hooks)
  CHILDREN.set(plan, all)
}

/** Lets each write of a child through its own resource count the version of its record up, if that has one. */
export function countVersions(plan: CrudPlan, all: readonly Children[]): void {
  const isCounted = plan.features.some(({ columnsOfChange: columns }) => columns !== undefined)
  if (isCounted) listen(plan, all)
}

function listen(plan: CrudPlan, all: readonly Children[]): void {
  for (const child of all) {
    if (child.hooks !== undefined) continue
    child.hooks = sharedHooks(plan, child)
    // A child of a child is a part of the record too.
    listen(child.plan, CHILDREN.get(child.plan) ?? [])
  }
}

/** Returns the hooks of children, once for all resources that have them: such as one of each application. */
function sharedHooks(plan: CrudPlan, child: Children): FeatureHooks {
  const { plans, counting } = ofTable(child.plan.store)
  const [table, { column }, version] = [ofTable(plan.store), child, Object.keys(columnsOfChange(plan, {})).join()]
  const known = counting.find((one) => one.table === table && one.column === column && one.version === version)
  if (known !== undefined) return known.hooks
  const hooks = countingHooks(plan, child)
  counting.push({ table, column, version, hooks })
  for (const each of plans) each.addHooks(hooks)
  return hooks
}

function countingHooks(plan: CrudPlan, { column }: Children): FeatureHooks {
  const keysOf = ({ found, columns }: Write): unknown[] => [found?.[column], valueOf(columns, column)]
  const lock = onceUpwards((call, keys) => lockRecords(call.forResource(plan), keys))
  const count = onceUpwards((call, keys) => countUp(call.forResource(plan), keys))
  return {
    lockAbove: (call, rows) => lock(call, rows.map((row) => valueOf(row, column))),
    beforeWrite: (write) => count(write.call, keysOf(write)),
    beforeCreateAll: async (writes) => {
      const [{ call } = {}] = writes
      if (call !== undefined) await count(call, writes.flatMap(keysOf))
    },
    rowsChanged: (call, rows) => count(call, rows.map((row) => row[column])),
  }
}

type OnKeys = (call: Call, keys: readonly unknown[]) => Promise<void>

/**
 * Makes a function that runs for records and, inside it, for the records above these, once for each: records of one
 * table may be children of each other.
 */
function onceUpwards(run: OnKeys): OnKeys {
  const passed = new SharedValue<ReadonlySet<string>>()
  return async (call, keys) => {
    const below = passed.get(call) ?? new Set()
    const above = presentIn(keys).filter((key) => !below.has(keyText(key)))
    if (above.length === 0) return
    passed.set(call, new Set([...below, ...above.map(keyText)]))
    try {
      await run(call, above)
    } finally {
      passed.set(call, below)
    }
  }
}

/** Locks records, after those above them, before children of theirs are. */
async function lockRecords(call: Call, keys: readonly unknown[]): Promise<void> {
  const { store, plan: { features } } = call
  const all = features.flatMap(({ lockAbove }) => lockAbove ?? [])
  const rows = all.length === 0 ? [] : await withoutLocks(store).find(keys)
  for (const lockAbove of all) await lockAbove(call, rows)
  // An import may name many: a statement takes some thousands of values.
  const ordered = keys.toSorted(compare)
  for (let at = 0; at < ordered.length; at += AT_ONCE) await store.find(ordered.slice(at, at + AT_ONCE))
}

const AT_ONCE = 1000

function compare(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return String(one) < String(other) ? -1 : 1
}

function presentIn(keys: readonly unknown[]): unknown[] {
  return [...new Set(keys)].filter((key) => key !== null && key !== undefined)
}

async function countUp(call: Call, keys: readonly unknown[]): Promise<void> {
  const { store, plan } = call
  const rows: readonly Row[] = await store.find(keys)
  for (const row of rows) {
    const columns = columnsOfChange(plan, row)
    if (Object.keys(columns).length === 0) continue
    await reportingViolations(call, NO_FIELDS, () => store.update(row[store.key], columns))
  }
  await tellChanged(call, rows)
}

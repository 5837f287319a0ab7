import { z } from 'zod'
import { checkOptionNames, extend, ValidationError, type Message } from '../../../core/index.js'
import { joinLocks } from '../../contract/index.js'
import { isReadOnly, keyText, reachableKeys, valueOf, type Call, type CrudPlan, type Feature, type SentWrite,
  type Write } from '../../core/index.js'
import { misuse, referencesOf, type AnyReferences, type ColumnReference } from './options.js'
import { ReferencesCheck } from './start.js'

interface Settings {
  readonly option: AnyReferences
  readonly given: readonly ColumnReference[]
}

/** Checks that the values of references name rows that exist for the caller. */
export const references: Feature<{ readonly references?: AnyReferences | undefined }, Settings> = {
  options: { references: true },
  settingsOf: ({ references: option = {} }) => ({ option, given: referencesOf(option) }),
  install(plan, { option, given }) {
    /** The fields that each action writes. */
    const written = new Map<string, readonly string[]>()
    const own = given.map((reference) => onOneConnection(plan, reference))
    for (const { isLater, target } of own) if (!isLater) target()
    const { lock, checkRows } = referenceCheck(plan, own)
    const check = new ReferencesCheck({
      plan,
      references: own,
      open: (actions) => {
        const named = [...Object.keys(option), ...plan.features.flatMap(({ checkedColumns = [] }) => checkedColumns)]
        return actions.flatMap((action) => written.get(action) ?? []).filter((field) => !named.includes(field))
      },
    })
    return {
      wrapAction(spec, name, { changesRows, createsRows }) {
        if ((changesRows === true || createsRows === true) && spec.input instanceof z.ZodObject) {
          const { shape } = spec.input
          written.set(name, Object.keys(shape).filter((field) => !isReadOnly(shape[field])))
        }
        return extend(spec, { startCheck: check })
      },
      onBuilt() {
        // A hook may write a field that is sent to clients alone.
        const fields = new Set([...[...written.values()].flat(), ...Object.keys(plan.options.output.shape)])
        checkOptionNames('`references` of crud', option, [...fields], 'crud_references')
      },
      ...(own.length > 0 && {
        lockReferenced: async (call, writes) => {
          await lock(call, writes.flatMap((write) => valuesOf(write, own)))
        },
        beforeWrite: (write) => checkRows([write]),
        beforeCreateAll: checkRows,
      }),
    }
  },
}

/** Returns a reference whose resource is checked when it is asked for, at the start of the app or before. */
function onOneConnection(plan: CrudPlan, reference: ColumnReference): ColumnReference {
  let checked: CrudPlan | undefined
  const check = (): CrudPlan => {
    const target = reference.target()
    if (joinLocks(plan.store, target.store)) return target
    throw misuse(reference.column, 'is a resource on another connection')
  }
  return { ...reference, target: () => (checked ??= check()) }
}

/** The keys of rows that were found by a transaction, which has locked them, by the resources of the rows. */
type Found = Map<CrudPlan, Set<string>>

interface Value {
  readonly reference: ColumnReference
  readonly key: unknown
}

/** Returns the functions that lock the rows which values name, and check the references of rows written together. */
function referenceCheck(plan: CrudPlan, references: readonly ColumnReference[]) {
  /** Hooks may change a row that was found before. */
  const isStable = !hasWritingHooks(plan)
  /** The rows that a call has found and locked in its transaction; another call may be that of another caller. */
  const foundByCall = new WeakMap<Call, Found>()
  /** Locks the rows that values name, in the order of their keys for each resource. */
  const lock = async (call: Call, values: readonly Value[]): Promise<Found> => {
    const found: Found = (isStable ? foundByCall.get(call) : undefined) ?? new Map<CrudPlan, Set<string>>()
    foundByCall.set(call, found)
    for (const [target, keys] of keysByTarget(values)) await addExisting(call, target, found, keys)
    return found
  }
  /** @throws ValidationError naming each field whose value is no row that the caller may refer to. */
  const checkRows = async (writes: readonly Write[]): Promise<void> => {
    const [{ call } = {}] = writes
    if (call === undefined) return
    const values = writes.flatMap((write) => valuesOf(write, references))
    const found = await lock(call, values)
    const faults: Record<string, (string | Message)[]> = {}
    for (const { reference: { column, message, target }, key } of values) {
      if (found.get(target())?.has(keyText(key)) !== true) faults[column] = [message]
    }
    if (Object.keys(faults).length > 0) throw new ValidationError(faults)
  }
  return { lock, checkRows }
}

function hasWritingHooks({ options: { before = {}, after = {} } }: CrudPlan): boolean {
  return [before, after].some((hooks) => Object.keys(hooks).some((name) => name !== 'list' && name !== 'show'))
}

/** Returns the values that a write sets or changes. */
function valuesOf({ columns, found }: SentWrite, references: readonly ColumnReference[]): Value[] {
  return references.flatMap((reference) => {
    const [key, before] = [valueOf(columns, reference.column), found?.[reference.column]]
    if (key === null || key === undefined) return []
    const isUnchanged = before !== null && before !== undefined && keyText(before) === keyText(key)
    return isUnchanged ? [] : [{ reference, key }]
  })
}

function keysByTarget(values: readonly Value[]): ReadonlyMap<CrudPlan, readonly unknown[]> {
  const groups = new Map<CrudPlan, unknown[]>()
  for (const { reference, key } of values) {
    const target = reference.target()
    groups.set(target, [...groups.get(target) ?? [], key])
  }
  return groups
}

/** Adds the keys of rows that exist for the caller, as strings; those that are not known yet are read and locked. */
async function addExisting(call: Call, target: CrudPlan, found: Found, keys: readonly unknown[]): Promise<void> {
  const foundKeys = found.get(target) ?? new Set<string>()
  found.set(target, foundKeys)
  const open = new Map(keys.filter((key) => !foundKeys.has(keyText(key))).map((key) => [keyText(key), key]))
  if (open.size === 0) return
  for (const key of await reachableKeys(call, target, [...open.values()])) foundKeys.add(key)
}

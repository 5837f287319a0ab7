import { isChange, messageOf, sentElement, ValidationError, withId, type Message } from '../../../core/index.js'
import { asStored, checkNewFields, CREATING, deleteRows, keyText, namingItem, namingList, onEach, readOnlyIn, rowWriter,
  valueOf, type Call, type Conditions, type CrudPlan, type RelatedWrite, type Row,
  type RowWriter } from '../../core/index.js'
import type { Children } from './options.js'
import { readChildren, whereIn } from './read.js'

/** The children of one row while they are written. */
export interface Place {
  /** The call for the resource of the children. */
  readonly call: Call
  readonly child: Children
  readonly writer: RowWriter
  /** Those that are stored, locked. */
  readonly stored: readonly Row[]
}

/** Replaces the children of a row by the list that was sent, if one was. */
export async function replaceChildren(call: Call, child: Children, write: RelatedWrite): Promise<void> {
  const sent = valueOf(write.fields, child.name)
  if (sent === undefined) return
  const place = await placeOf(call, child, write)
  const { stored } = place
  const keyOf = (row: Row): string => keyText(row[place.call.store.key])
  const byId = new Map(stored.map((row) => [keyOf(row), row]))
  const elements = (sent as readonly Row[] | null ?? []).map((element) => withStoredId(element, byId))
  checkIds(child.name, elements, byId)
  const kept = new Set(elements.filter(isChange).map(({ id }) => keyText(id)))
  // A child may take others along, such as those below it in a tree: a later element cannot change these any more.
  const left = stored.filter((row) => !kept.has(keyOf(row)))
  for (const deleted of await namingList(child.name, () => deleteChildren(place, left))) byId.delete(keyOf(deleted))
  checkIds(child.name, elements, byId)
  await lockReferenced(place, elements, byId)
  for (const [at, element] of elements.entries()) {
    await namingItem(`${child.name}.${at}`, () => writeElement(place, element, byId))
  }
}

/** Locks the rows that several elements refer to, in one order, whatever the order of the elements is. */
async function lockReferenced(
  { call, child: { column } }: Place,
  elements: readonly Row[],
  byId: ReadonlyMap<string, Row>,
): Promise<void> {
  if (elements.length < 2) return
  const writes = elements.map(({ [column]: _own, id, ...columns }) => ({ columns, found: byId.get(keyText(id)) }))
  for (const feature of call.plan.features) await feature.lockReferenced?.(call, writes)
}

/** Returns an element with its id as it is stored: a client may send a uuid in capitals. */
function withStoredId(element: Row, byId: ReadonlyMap<string, Row>): Row {
  const { id } = element
  const isOther = isChange(element) && typeof id === 'string' && !byId.has(id) && byId.has(id.toLowerCase())
  return isOther ? withId(element, id.toLowerCase()) : element
}

export async function placeOf(call: Call, child: Children, { row, isNew }: RelatedWrite): Promise<Place> {
  const childCall = call.forResource(planWithin(child, [[child.column, '=', row[call.store.key]]]))
  const writer = await rowWriter(childCall)
  return { call: childCall, child, writer, stored: isNew ? [] : await childrenOfRow(call, child, row) }
}

/** Returns the children of a row that its record shows; inside a transaction they are locked. */
export async function childrenOfRow(call: Call, child: Children, row: Row): Promise<readonly Row[]> {
  const childCall = call.forResource(child.plan)
  const where: Conditions = [[child.column, '=', row[call.store.key]]]
  return lockedChildren(childCall, child, [...where, ...await child.plan.scopes.ofListed(childCall)])
}

/** Returns the resource of the children with the children of one row alone, and without its hooks for that row. */
function planWithin({ plan, hooks }: Children, where: Conditions): CrudPlan {
  const { scopes } = plan
  const ofChildren: typeof scopes.ofRecord = async (call) => [...where, ...await scopes.ofCaller(call)]
  return {
    ...plan,
    features: plan.features.filter((feature) => feature !== hooks),
    scopes: { ...scopes, ofRecord: ofChildren, ofStored: ofChildren, ofAny: ofChildren, ofNew: ofChildren },
  }
}

async function lockedChildren({ store }: Call, child: Children, where: Conditions): Promise<readonly Row[]> {
  const keys = (await readChildren(child, store, where)).map((row) => row[store.key])
  return keys.length === 0 ? [] : store.find(keys, where)
}

/** @throws ValidationError naming each `id` that is no child of the row, or appears twice. */
function checkIds(name: string, elements: readonly Row[], byId: ReadonlyMap<string, Row>): void {
  const faults: Record<string, Message[]> = {}
  const seen = new Set<string>()
  for (const [at, element] of elements.entries()) {
    if (!isChange(element)) continue
    const id = keyText(element.id)
    if (seen.has(id) || !byId.has(id)) {
      faults[`${name}.${at}.id`] = [messageOf(seen.has(id) ? 'field.taken' : 'field.reference')]
    }
    seen.add(id)
  }
  if (Object.keys(faults).length > 0) throw new ValidationError(faults)
}

/** Deletes children of a row, and returns all rows that were deleted. */
export async function deleteChildren(
  { call, child: { plan }, writer }: Place,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  if (rows.length === 0) return []
  await onEach(rows, plan.options.check, call.context('delete'))
  const deleted = await writer.deleteAll(rows)
  call.noteWritten('delete', deleted)
  return deleted
}

export async function createChild({ call, child: { column }, writer }: Place, element: Row): Promise<void> {
  const { [column]: _own, ...fields } = element
  await checkNewFields(call, fields, sentElement(element))
  call.noteWritten('create', await asStored(call, CREATING, [await writer.create(fields)]))
}

/** Changes the child that an element names by its id, or creates one. */
async function writeElement(place: Place, element: Row, byId: ReadonlyMap<string, Row>): Promise<void> {
  const { call, child: { plan, column }, writer } = place
  if (!isChange(element)) {
    checkColumn(place, element, 'create')
    return createChild(place, element)
  }
  const { [column]: _own, id, ...fields } = element
  const found = byId.get(keyText(id)) ?? {}
  checkColumn(place, element, 'store', found)
  await plan.options.check?.(found, call.context('store'))
  if (Object.keys(fields).length === 0) return
  const readOnly = await readOnlyIn(call, 'store', fields)
  call.noteWritten('store', await asStored(call, ['store'], [await writer.change('store', found, fields, readOnly)]))
}

/**
 * Checks the column of the record in an element, where unknown fields are refused.
 *
 * @throws ValidationError naming it in a new child, and where it is another than the stored one.
 */
function checkColumn(
  { child: { plan: { schemas: { strictness } }, column } }: Place,
  element: Row,
  action: 'create' | 'store',
  found?: Row,
): void {
  if (!strictness[action] || !Object.hasOwn(element, column)) return
  if (found === undefined) throw new ValidationError({ [column]: [messageOf('field.unknown')] })
  if (keyText(element[column]) === keyText(found[column])) return
  throw new ValidationError({ [column]: [messageOf('field.read_only')] })
}

/**
 * Removes the children of rows that are about to be removed from the store, soft-deleted ones too, and returns all rows
 * that were removed.
 */
export async function removeChildren(call: Call, child: Children, rows: readonly Row[]): Promise<readonly Row[]> {
  const childCall = call.forResource(planWithin(child, []))
  const live = new Set(child.plan.features.flatMap((feature) => feature.live ?? []))
  const ofCaller = (await child.plan.scopes.ofCaller(childCall)).filter((condition) => !live.has(condition))
  const scope = [...whereIn(child.column, rows.map((row) => row[call.store.key])), ...ofCaller]
  const found = await lockedChildren(childCall, child, scope)
  if (found.length === 0) return []
  await onEach(found, child.plan.options.check, childCall.context('delete'))
  const removed = await deleteRows(childCall, { action: 'delete', scope, isFinal: true }, found)
  childCall.noteWritten('delete', removed)
  return removed
}

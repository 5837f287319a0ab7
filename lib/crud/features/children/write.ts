import type { Request } from 'express'
import { isChange, messageOf, ValidationError, type Message } from '../../../core/index.js'
import type { CrudPlan, RelatedWrite } from '../../feature.js'
import { naming } from '../../naming.js'
import { type AnyContext, type AnyStore, type Conditions, onEach, type Row } from '../../options.js'
import { storeInside } from '../../plans.js'
import { deleteRows, rowWriter, type RowWriter } from '../../row-writer.js'
import { noteWritten } from '../../transaction.js'
import type { Children } from './options.js'
import { readChildren, whereIn } from './read.js'

/** The children of one row while they are written. */
export interface Place {
  readonly req: Request
  readonly child: Children
  readonly store: AnyStore
  readonly writer: RowWriter
}

/** Replaces the children of a row by the list that was sent, if one was. */
export async function replaceChildren(plan: CrudPlan, child: Children, write: RelatedWrite): Promise<void> {
  const sent = write.fields[child.name]
  if (sent === undefined) return
  const elements = (sent ?? []) as readonly Row[]
  const { place, stored } = await placeOf(plan, child, write)
  const keyOf = (one: Row): string => String(one[place.store.key])
  const byId = new Map(stored.map((one) => [keyOf(one), one]))
  checkIds(child.name, elements, byId)
  const kept = new Set(elements.filter(isChange).map(({ id }) => String(id)))
  await deleteChildren(place, stored.filter((one) => !kept.has(keyOf(one))))
  for (const [at, element] of elements.entries()) {
    await naming(child.name, at, () => writeElement(place, element, byId))
  }
}

/** Returns where the children of a row are written, and those that are stored, locked. */
export async function placeOf(
  plan: CrudPlan,
  child: Children,
  { req, store, row, isNew }: RelatedWrite,
): Promise<{ readonly place: Place; readonly stored: readonly Row[] }> {
  const near = storeInside(plan, store, child.plan)
  const own = planWithin(child, [[child.column, '=', row[store.key]]])
  const place = { req, child, store: near, writer: await rowWriter(own, req, near) }
  return { place, stored: isNew ? [] : await lockedChildren(child, near, await own.scopes.ofRecord(req, near)) }
}

/** Returns the resource of the children with the children of one row alone, and without its hooks for that row. */
function planWithin({ plan, hooks }: Children, where: Conditions): CrudPlan {
  const { scopes } = plan
  const ofChildren: typeof scopes.ofRecord = async (req, store) => [...where, ...await scopes.ofCaller(req, store)]
  return {
    ...plan,
    features: plan.features.filter((feature) => feature !== hooks),
    scopes: { ...scopes, ofRecord: ofChildren, ofStored: ofChildren, ofAny: ofChildren, ofNew: ofChildren },
  }
}

async function lockedChildren(child: Children, store: AnyStore, where: Conditions): Promise<readonly Row[]> {
  const keys = (await readChildren(child, store, where)).map((one) => one[store.key])
  return keys.length === 0 ? [] : store.find(keys, where)
}

/** @throws ValidationError naming each `id` that is no child of the row, or appears twice. */
function checkIds(name: string, elements: readonly Row[], byId: ReadonlyMap<string, Row>): void {
  const faults: Record<string, Message[]> = {}
  const seen = new Set<string>()
  for (const [at, element] of elements.entries()) {
    if (!isChange(element)) continue
    const id = String(element.id)
    if (seen.has(id) || !byId.has(id)) {
      faults[`${name}.${at}.id`] = [messageOf(seen.has(id) ? 'field.taken' : 'field.reference')]
    }
    seen.add(id)
  }
  if (Object.keys(faults).length > 0) throw new ValidationError(faults)
}

export async function deleteChildren({ req, child: { plan }, store, writer }: Place,
  rows: readonly Row[]): Promise<void>
{
  if (rows.length === 0) return
  await onEach(rows, plan.options.check, { req, action: 'delete', store })
  noteWritten(req, { action: 'delete', rows: await writer.deleteAll(rows), options: plan.options })
}

export async function createChild({ req, child: { plan, column }, writer }: Place, element: Row): Promise<void> {
  const { [column]: _own, ...fields } = element
  noteWritten(req, { action: 'create', rows: [await writer.create(fields)], options: plan.options })
}

/** Changes the child that an element names by its id, or creates one. */
async function writeElement(place: Place, element: Row, byId: ReadonlyMap<string, Row>): Promise<void> {
  const { req, child: { plan, column }, store, writer } = place
  const { options } = plan
  if (!isChange(element)) return createChild(place, element)
  const { [column]: _own, id, ...fields } = element
  const found = byId.get(String(id)) ?? {}
  await options.check?.(found, { req, action: 'store', store })
  if (Object.keys(fields).length === 0) return
  noteWritten(req, { action: 'store', rows: [await writer.change('store', found, fields)], options })
}

/** Removes the children of rows that are about to be removed from the store, soft-deleted ones too. */
export async function removeChildren(
  plan: CrudPlan,
  child: Children,
  { req, store }: AnyContext,
  rows: readonly Row[],
): Promise<void> {
  const near = storeInside(plan, store, child.plan)
  const own = planWithin(child, [])
  const live = new Set(child.plan.features.flatMap((feature) => feature.live ?? []))
  const ofCaller = (await child.plan.scopes.ofCaller(req, near)).filter((condition) => !live.has(condition))
  const scope = [...whereIn(child.column, rows.map((row) => row[store.key])), ...ofCaller]
  const found = await lockedChildren(child, near, scope)
  if (found.length === 0) return
  const context = { req, action: 'delete', store: near } as const
  await onEach(found, child.plan.options.check, context)
  const removed = await deleteRows(own, { context, scope, isFinal: true }, found)
  noteWritten(req, { action: 'delete', rows: removed, options: child.plan.options })
}

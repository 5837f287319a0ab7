import { z } from 'zod'
import { checkOptionNames, errorWith, isList, messageOf, synchronous, ValidationError,
  type Message } from '../../../core/index.js'
import { UUID } from '../../contract/index.js'
import { crudWith, keyText, namingItem, namingList, planOf, reachableKeys, reportingViolations, shapeOf, valueOf,
  type AnyStore, type Call, type CrudPlan, type RelatedWrite, type Row } from '../../core/index.js'
import { boundsOf, misuse, type Children } from './options.js'
import { ALL, childrenByRow, whereIn } from './read.js'
import { childrenOfRow, createChild, deleteChildren, placeOf, removeChildren } from './write.js'

export type AnyLinks = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** The records of another resource that a record is linked with, by their ids in one field. */
export interface Link extends Children {
  /** The column of the links with the key of the other record; `column` has that of this one. */
  readonly other: string
  readonly target: CrudPlan
  /** True for a store without a key of its own: a link is identified by its two columns. */
  readonly isPair: boolean
}

/**
 * Reads the option.
 *
 * @throws MisuseError `crud_children` for anything but links, `crud_option_unknown` for a misspelt name.
 */
export function linksOf(option: AnyLinks): readonly Link[] {
  return Object.entries(option).map(([name, given]) => {
    const allowed = ['of', 'through', 'own', 'other', 'min', 'max']
    checkOptionNames(`\`links.${name}\` of crud`, given, allowed, 'crud_option_unknown')
    const { of, through, own, other } = given
    const target = planOf(of)
    if (target === undefined) throw misuse(name, '`of` must be what `crud` returned for a resource', 'links')
    if (typeof own !== 'string' || typeof other !== 'string' || own === other || own === '' || other === '') {
      throw misuse(name, '`own` and `other` must be the two columns of `through` with keys', 'links')
    }
    const joined = joinedBy(name, through, own, other)
    return { name, ...joined, column: own, other, target, ...boundsOf(name, given, 'links'), hooks: undefined }
  })
}

/** Returns the resource of the links. @throws MisuseError `crud_children` for one that cannot hold them. */
function joinedBy(name: string, through: unknown, own: string, other: string): Pick<Link, 'plan' | 'isPair'> {
  const resource = planOf(through)
  const plan = resource ?? planOfStore(name, through, own, other)
  const isByPair = [own, other].includes(plan.store.key)
  if (isByPair && (resource !== undefined || plan.store.deleteWhere === undefined)) {
    const fault =
      '`through` must have a key of its own, by which a link is deleted, unless it is the store of a table of SQL'
    throw misuse(name, fault, 'links')
  }
  if (!Object.hasOwn(plan.options.input.shape, other)) {
    throw misuse(name, `\`input\` of the resource in \`through\` must have \`${other}\``, 'links')
  }
  return { plan, isPair: isByPair }
}

const build = crudWith([])

/** Returns the plan of a store of links that no resource shows. */
function planOfStore(name: string, store: unknown, own: string, other: string): CrudPlan {
  if (!isStore(store)) throw misuse(name, '`through` must be a store, or what `crud` returned for one', 'links')
  const columns = z.object({ [own]: z.unknown(), [other]: z.unknown() })
  const plan = planOf(build(store, { id: z.any(), input: columns, output: columns }))
  if (plan === undefined) throw new Error('crud has not kept a plan')
  return plan
}

function isStore(store: unknown): store is AnyStore {
  return typeof store === 'object' && store !== null && 'find' in store && 'list' in store && 'key' in store
}

export function sentIds({ target, min, max }: Link): z.ZodType {
  const isEnough = (ids: unknown[]): boolean => ids.length < min || new Set(ids.map(spellingOf)).size >= min
  const list = z.array(target.schemas.id).min(min).max(max)
    .refine(synchronous(isEnough), { error: errorWith(messageOf('field.at_least.items', { min })) })
    .describe('The ids of all records that this one is linked with')
  return min === 0 ? list.optional() : list
}

/** Returns the schema of the ids in a record: that of the key in the output of the other resource, if it has one. */
export function shownIds({ target: { schemas, store } }: Link): z.ZodType {
  return z.array(shapeOf(schemas.output)[store.key] ?? schemas.id)
}

/** Replaces the links of a row by those of the ids that were sent, if a list was. */
export async function replaceLinks(call: Call, link: Link, write: RelatedWrite): Promise<void> {
  const sent = valueOf(write.fields, link.name)
  if (sent === undefined) return
  const ids = isList(sent) ? sent : []
  const { stored, remove, create } = await (link.isPair ? pairsAt(call, link, write) : linksAt(call, link, write))
  const linked = new Set(stored.map((row) => spellingOf(row[link.other])))
  const added = ids.flatMap((id, at) => {
    const isNew = !linked.has(spellingOf(id))
    linked.add(spellingOf(id))
    return isNew ? [{ id, at }] : []
  })
  await checkTargets(call, link, added)
  const kept = new Set(ids.map(spellingOf))
  await remove(stored.filter((row) => !kept.has(spellingOf(row[link.other]))))
  for (const { id, at } of added) await namingItem(`${link.name}.${at}`, () => create(id), true)
}

/** Returns an id as it is compared: a client may send a uuid in capitals. */
function spellingOf(id: unknown): string {
  const spelling = keyText(id)
  return UUID.test(spelling) ? spelling.toLowerCase() : spelling
}

interface Links {
  readonly stored: readonly Row[]
  readonly remove: (rows: readonly Row[]) => Promise<void>
  readonly create: (id: unknown) => Promise<void>
}

async function linksAt(call: Call, link: Link, write: RelatedWrite): Promise<Links> {
  const place = await placeOf(call, link, write)
  return {
    stored: place.stored,
    remove: async (rows) => {
      await namingList(link.name, () => deleteChildren(place, rows), true)
    },
    create: (id) => createChild(place, { [link.other]: id }),
  }
}

async function pairsAt(call: Call, link: Link, { row, isNew }: RelatedWrite): Promise<Links> {
  const linkCall = call.forResource(link.plan)
  const key = row[call.store.key]
  return {
    stored: isNew ? [] : await linksOfRow(call, link, row),
    remove: (rows) => deletePairs(linkCall, link, [key], rows.map((one) => one[link.other])),
    create: (id) => createPair(linkCall, link, key, id),
  }
}

/*
 * A table of links is often identified by its two columns together, which no key of a store can be: such links are
 * read and deleted by conditions, and have neither hooks nor a version.
 */

/** Reads the links of rows with these keys, in the order of the other records. */
async function pairsOf({ store }: Call, { column, other }: Link, keys: readonly unknown[]): Promise<readonly Row[]> {
  return store.list({ where: whereIn(column, keys), order: [other, column] }).slice(0, ALL)
}

/** Adds a link; its record is locked, so that no other request replaces its links. */
async function createPair(call: Call, { column, other }: Link, key: unknown, id: unknown): Promise<void> {
  const sent = { [other]: id }
  const part = { mayWrite: (field: string) => field === other, sent }
  await reportingViolations(call, part, () => call.store.create({ [column]: key, ...sent }))
}

/** Deletes the links of rows, all or those with the other records of these ids. */
async function deletePairs(
  { store }: Call,
  { column, other }: Link,
  keys: readonly unknown[],
  ids?: readonly unknown[],
): Promise<void> {
  if (keys.length === 0 || ids?.length === 0) return
  await store.deleteWhere?.([...whereIn(column, keys), ...(ids === undefined ? [] : whereIn(other, ids))])
}

export function linksOfRow(call: Call, link: Link, row: Row): Promise<readonly Row[]> {
  return link.isPair
    ? pairsOf(call.forResource(link.plan), link, [row[call.store.key]])
    : childrenOfRow(call, link, row)
}

/** Removes the links of rows that are about to be removed from the store. */
export async function removeLinks(call: Call, link: Link, rows: readonly Row[]): Promise<void> {
  if (!link.isPair) await namingList(link.name, () => removeChildren(call, link, rows), true)
  else await deletePairs(call.forResource(link.plan), link, rows.map((row) => row[call.store.key]))
}

/** @throws ValidationError naming each id that is no record which exists for the caller. */
async function checkTargets(
  call: Call,
  { name, target }: Link,
  added: readonly { readonly id: unknown; readonly at: number }[],
): Promise<void> {
  if (added.length === 0) return
  const reachable = new Set(await reachableKeys(call, target, added.map(({ id }) => id)))
  const faults: Record<string, Message[]> = {}
  for (const { id, at } of added)
    if (!reachable.has(keyText(id))) faults[`${name}.${at}`] = [messageOf('field.reference')]
  if (Object.keys(faults).length > 0) throw new ValidationError(faults)
}

/** Returns the ids of the linked records of each row, read by one query. */
export async function linkedIds(
  call: Call,
  link: Link,
  keys: readonly unknown[],
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const linkCall = call.forResource(link.plan)
  const byRow = link.isPair
    ? byKeyOf(await pairsOf(linkCall, link, keys), link.column)
    : await childrenByRow(linkCall, link, keys, (rows: readonly Row[]) => rows)
  return new Map([...byRow].map(([key, rows]) => [key, rows.map((row) => row[link.other])]))
}

function byKeyOf(rows: readonly Row[], column: string): ReadonlyMap<string, readonly Row[]> {
  const byKey = new Map<string, Row[]>()
  for (const row of rows) {
    const key = keyText(row[column])
    const own = byKey.get(key)
    if (own === undefined) byKey.set(key, [row])
    else own.push(row)
  }
  return byKey
}

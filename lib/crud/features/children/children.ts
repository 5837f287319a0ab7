import { DeferredViolation, joinLocks, tableOf } from '../../contract/index.js'
import { keyText, namingList, type Call, type CrudPlan, type Feature, type Row } from '../../core/index.js'
import { linkedIds, linksOf, linksOfRow, removeLinks, replaceLinks, sentIds, shownIds, type AnyLinks,
  type Link } from './links.js'
import { childrenOf, misuse, type AnyChildren, type Children } from './options.js'
import { childOutputs } from './read.js'
import { childrenField, withFields } from './schemas.js'
import { countVersions, isOneTable, rememberResource } from './versions.js'
import { childrenOfRow, removeChildren, replaceChildren } from './write.js'

interface Settings {
  readonly children: readonly Children[]
  readonly links: readonly Link[]
}

interface Own {
  readonly children?: AnyChildren | undefined
  readonly links?: AnyLinks | undefined
}

/** Reads and writes the records of other resources, or links with them, as fields of this one. */
export const children: Feature<Own, Settings> = {
  options: { children: 'object', links: 'object' },
  settingsOf: (options) => ({ children: childrenOf(options.children ?? {}), links: linksOf(options.links ?? {}) }),
  changeOptions(options, settings) {
    const fields = [
      ...settings.children.map((child) => childrenField(child, options)),
      ...settings.links.map((link) => ({ name: link.name, sent: sentIds(link), shown: shownIds(link) })),
    ]
    return fields.length === 0 ? options : withFields(options, fields)
  },
  install(plan, settings) {
    const all = [...settings.children, ...settings.links]
    checkConnections(plan, settings)
    rememberResource(plan, all)
    if (all.length === 0) return {}
    return {
      onBuilt: () => countVersions(plan, all),
      relatedPlans: all.map((child) => child.plan),
      explainError: (_call, error) => Promise.resolve(explained(plan, error)),
      relatedFields: all.map(({ name }) => name),
      addToOutputs: (call, rows, outputs) => fillOutputs(call, settings, rows, outputs),
      relatedRows: (call, row) => keptRows(call, settings, row),
      writeRelated: async (call, write) => {
        for (const child of settings.children) await replaceChildren(call, child, write)
        for (const link of settings.links) await replaceLinks(call, link, write)
      },
      beforeRemoval: async (call, rows) => {
        const removed: Row[] = []
        for (const child of settings.children) {
          const ofChild = await namingList(child.name, () => removeChildren(call, child, rows))
          if (isOneTable(child.plan.store, plan.store)) removed.push(...ofChild)
        }
        for (const link of settings.links) await removeLinks(call, link, rows)
        return removed
      },
    }
  },
}

/** Returns the children and links of a row, each child followed by its own; inside a transaction they are locked. */
async function keptRows(call: Call, { children: all, links }: Settings, row: Row): Promise<readonly unknown[]> {
  const kept: unknown[] = []
  for (const child of all) {
    const childCall = call.forResource(child.plan)
    for (const childRow of await childrenOfRow(call, child, row)) {
      kept.push(childRow)
      for (const { relatedRows } of child.plan.features) kept.push(await relatedRows?.(childCall, childRow))
    }
  }
  for (const link of links) kept.push(await linksOfRow(call, link, row))
  return kept
}

/** Returns the violation that a commit has found in a table of children; any other error as it is. */
function explained(plan: CrudPlan, error: unknown): unknown {
  return error instanceof DeferredViolation && writes(plan, error.table) ? error.violation : error
}

function writes({ features }: CrudPlan, table: string): boolean {
  return features.some(({ relatedPlans = [] }) =>
    relatedPlans.some((plan) => tableOf(plan.store)?.place().table === table || writes(plan, table))
  )
}

/** @throws MisuseError `crud_children` for a resource on another connection. */
function checkConnections({ store }: CrudPlan, settings: Settings): void {
  const isFar = (other: CrudPlan): boolean => !joinLocks(store, other.store)
  const child = settings.children.find(({ plan }) => isFar(plan))
  if (child !== undefined) throw misuse(child.name, '`of` is a resource on another connection')
  const link = settings.links.find(({ plan, target }) => isFar(plan) || isFar(target))
  if (link !== undefined) throw misuse(link.name, '`of` or `through` is on another connection', 'links')
}

/** Returns the outputs of rows with the fields of children and links, each read by one query. */
async function fillOutputs(
  call: Call,
  settings: Settings,
  rows: readonly Row[],
  outputs: readonly Row[],
): Promise<readonly Row[]> {
  if (rows.length === 0) return outputs
  const keys = rows.map((row) => row[call.store.key])
  const added: (readonly [name: string, ReadonlyMap<string, readonly unknown[]>])[] = []
  for (const child of settings.children) added.push([child.name, await childOutputs(call, child, keys)])
  for (const link of settings.links) added.push([link.name, await linkedIds(call, link, keys)])
  return outputs.map((output, at) => ({
    ...output,
    ...Object.fromEntries(added.map(([name, byRow]) => [name, byRow.get(keyText(keys[at])) ?? []])),
  }))
}

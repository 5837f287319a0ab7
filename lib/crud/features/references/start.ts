import type { MountedRoute, StartCheck } from '../../../core/index.js'
import { tableOf, type ForeignKey, type KnownTable } from '../../contract/index.js'
import type { CrudPlan } from '../../core/index.js'
import type { ColumnReference } from './options.js'

/** The part of a resource that its check at the start needs. */
interface Referring {
  readonly plan: CrudPlan
  readonly references: readonly ColumnReference[]
  /** Returns the fields that callers write by these actions, without those that `references` names. */
  readonly open: (actions: readonly string[]) => readonly string[]
}

/**
 * The check of a resource at the start of its app: references that are functions are called, and a field with a foreign
 * key to the table of a resource with a `scope` is named if it has no reference.
 */
export class ReferencesCheck implements StartCheck {
  readonly code = 'crud_references'
  readonly #own: Referring
  #keys: Promise<readonly ForeignKey[]> | undefined

  constructor(own: Referring) {
    this.#own = own
  }

  check(): void {
    for (const { target } of this.#own.references) target()
  }

  async warnings(all: ReadonlyMap<StartCheck, readonly MountedRoute[]>): Promise<readonly string[]> {
    const table = tableOf(this.#own.plan.store)
    const routes = all.get(this) ?? []
    const open = this.#own.open(routes.map(({ action }) => action))
    const scoped = [...all].flatMap(([check, [route]]) =>
      check instanceof ReferencesCheck ? scopedTable(check.#own.plan, route?.resource, table) : []
    )
    if (table === undefined || open.length === 0 || scoped.length === 0) return []
    const keys = await (this.#keys ??= table.foreignKeys())
    return keys.filter(({ field }) => open.includes(field)).flatMap(({ field, table: to }) => {
      const target = scoped.find((candidate) => isSame(candidate.table.place(), to))
      return target === undefined ? [] : [warning(routes[0]?.resource, field, target.name)]
    })
  }
}

interface Scoped {
  readonly table: KnownTable
  readonly name: string
}

/** Returns the table of a resource with a `scope` on the same connection. */
function scopedTable(plan: CrudPlan, name: string | undefined, own: KnownTable | undefined): Scoped[] {
  const table = plan.options.scope === undefined ? undefined : tableOf(plan.store)
  return table === undefined || table.connection !== own?.connection ? [] : [{ table, name: name ?? '' }]
}

function isSame(one: ForeignKey['table'], other: ForeignKey['table']): boolean {
  const isOneSchema = one.schema === undefined || other.schema === undefined || one.schema === other.schema
  return isOneSchema && one.table === other.table
}

function warning(resource: string | undefined, field: string, target: string): string {
  const name = resource === target ? `() => ${target}` : target
  return `Callers of the resource \`${resource ?? ''}\` write \`${field}\`, a foreign key to the table of `
    + `\`${target}\`, which has a \`scope\`: they can name rows that are out of it. `
    + `Give crud \`references: { ${field}: ${name} }\`, or \`references: { ${field}: false }\` if that is intended.`
}

import type { MountedRoute, StartCheck, StartFinding } from '../../../core/index.js'
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

type Checks = ReadonlyMap<StartCheck, readonly MountedRoute[]>

/**
 * The check of a resource at the start of its app: references that are functions are called, and a field with a foreign
 * key to the table of a resource with a `scope` is named if it has no reference. A resource whose callers reach the
 * children of records that they do not reach is named too.
 */
export class ReferencesCheck implements StartCheck {
  readonly #own: Referring
  #keys: Promise<readonly ForeignKey[]> | undefined

  constructor(own: Referring) {
    this.#own = own
  }

  check(): void {
    for (const { target } of this.#own.references) target()
  }

  async warnings(all: Checks): Promise<readonly StartFinding[]> {
    return [...this.#openRows(all), ...await this.#openKeys(all)]
  }

  /** Returns the resources with conditions on their records whose children or links are the rows of this resource. */
  #openRows(all: Checks): readonly StartFinding[] {
    const { plan } = this.#own
    if (plan.options.scope !== undefined || isNested(plan)) return []
    const name = all.get(this)?.[0]?.resource
    return [...all].flatMap(([check, [route]]) => {
      const other = check instanceof ReferencesCheck ? check.#own.plan : plan
      const isHidden = typeof other.options.scope === 'function' || isNested(other)
      return isHidden && isPartOf(plan, other) ? [openRows(name, route?.resource)] : []
    })
  }

  async #openKeys(all: Checks): Promise<readonly StartFinding[]> {
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
      return target === undefined ? [] : [openKey(routes[0]?.resource, field, target.name)]
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

/** Returns true for a resource that a path argument scopes. */
function isNested({ features }: CrudPlan): boolean {
  return features.some(({ pathArguments = [] }) => pathArguments.length > 0)
}

/** Returns true if the rows of a resource are children of another one, or its links. */
function isPartOf(plan: CrudPlan, { features }: CrudPlan): boolean {
  return features.some(({ relatedPlans = [] }) => relatedPlans.includes(plan))
}

function openRows(resource = '', whole = ''): StartFinding {
  const message =
    `Callers of the resource \`${resource}\` reach the rows of all records of \`${whole}\`, also of those `
    + `that they cannot reach: \`${resource}\` has neither \`scope\` nor \`parent\`. Give crud one of them, or `
    + '`scope: () => []` if that is intended.'
  return { code: 'crud_children', message }
}

function openKey(resource: string | undefined, field: string, target: string): StartFinding {
  const name = resource === target ? `() => ${target}` : target
  const message = `Callers of the resource \`${resource ?? ''}\` write \`${field}\`, a foreign key to the table of `
    + `\`${target}\`, which has a \`scope\`: they can name rows that are out of it. `
    + `Give crud \`references: { ${field}: ${name} }\`, or \`references: { ${field}: false }\` if that is intended.`
  return { code: 'crud_references', message }
}

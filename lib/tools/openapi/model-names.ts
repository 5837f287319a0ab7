import { resourceOf, type Model } from './models.js'
import { nounOf, toPascalCase } from './names.js'
import { mountOf } from './routes.js'

/** Models that have one name, since they are equal. */
export interface NamedModel {
  readonly models: Model[]
  readonly digest: string
  readonly app: string
  readonly mount: string
  /** `Post`, or with the action `PostCreate`. */
  readonly name: string
  /** The suffix of a default action's reply, where it differs from the record. */
  readonly role: string
}

/** Returns the name of a model with these qualifiers in it. */
export function spellModel({ app, mount, name, role }: NamedModel, qualifiers: ReadonlySet<string>): string {
  const part = (qualifier: string, text: string): string => (qualifiers.has(qualifier) ? text : '')
  return part('app', app) + part('mount', mount) + name + part('role', role)
}

/** The default actions that reply the record, the most telling first. */
const RECORD_ACTIONS = ['show', 'edit', 'store', 'create', 'list']

/** Models that are not called after their action. */
const SUFFIXES: Readonly<Record<string, string>> = { edit: 'Replace', store: 'Update' }

/**
 * Returns the models that need a name: the record of each resource, together with the models that equal it, and all
 * other models.
 */
export function namedModels(models: readonly Model[], digests: ReadonlyMap<string, string>): NamedModel[] {
  const ranked = models.filter((model) => rankOf(model) < Infinity)
  const records = new Map<string, Model>()
  const bySchema = new Map<string | undefined, Model>()
  for (const model of ranked) {
    const resource = resourceOf(useOf(model))
    if (rankOf(model) < rankOf(records.get(resource))) records.set(resource, model)
    if (!bySchema.has(model.schema)) bySchema.set(model.schema, model)
  }
  const leaderOf = (model: Model): Model => {
    const record = records.get(resourceOf(useOf(model)))
    const isRecord = record !== undefined && model.direction === 'output'
      && digests.get(record.reference) === digests.get(model.reference)
    if (isRecord) return record
    const other = rankOf(model) < Infinity || model.direction === 'input' ? undefined : bySchema.get(model.schema)
    return other === undefined ? model : leaderOf(other)
  }
  const named = new Map<Model, NamedModel>()
  for (const model of models) {
    const leader = leaderOf(model)
    const item = named.get(leader)
      ?? toNamedModel(leader, digests.get(leader.reference), records.get(resourceOf(useOf(leader))) === leader)
    item.models.push(model)
    named.set(leader, item)
  }
  return [...named.values()]
}

function toNamedModel(model: Model, digest = '', isRecord: boolean): NamedModel {
  const { path, route, isItem } = useOf(model)
  const { action, app = '' } = route
  const { one } = nounOf(route)
  const suffix = SUFFIXES[action] ?? toPascalCase(action)
  const place = { models: [], digest, app: toPascalCase(app), mount: mountOf(path, route.path) }
  if (model.direction === 'input') return { ...place, name: one + suffix, role: '' }
  if (isRecord) return { ...place, name: one === '' ? 'Record' : one, role: '' }
  const role = action === 'list' ? 'ListItem' : suffix + (isItem ? 'Item' : 'Result')
  return rankOf(model) < Infinity ? { ...place, name: one, role } : { ...place, name: one + role, role: '' }
}

/** Returns the most telling use of a model. */
function useOf({ uses }: Model): Model['uses'][number] {
  return uses.reduce((best, use) => (rankOfAction(use.route.action) < rankOfAction(best.route.action) ? use : best))
}

function rankOf(model: Model | undefined): number {
  return model?.direction === 'output' ? rankOfAction(useOf(model).route.action) : Infinity
}

function rankOfAction(action: string): number {
  return RECORD_ACTIONS.includes(action) ? RECORD_ACTIONS.indexOf(action) : Infinity
}

import { z } from 'zod'
import { ACTIONS, extend, Extension, mapValues, MisuseError, propertyOf, show, type LooseCustom, type LooseSpec,
  type ResourceParts } from '../../core/index.js'
import type { ActionName } from '../../core/resource/mounted.js'
import { checkActions, checkHookNames, checkNames, checkOptions, optionByAction } from './check-options.js'
import { cursorSealOf } from './cursor-seal.js'
import { onRequests, scopesOf } from './call.js'
import { customAction } from './custom.js'
import type { CrudAction, CrudPlan, CrudSpec, Feature, FeatureHooks, Parameter } from './feature.js'
import { PAGE_HEADERS } from './headers.js'
import { listParameters, renameShape, sentName } from './list-parameters.js'
import type { AnyOptions, AnyStore } from './any-resource.js'
import { listHandler, showHandler } from './read.js'
import { schemasOf } from './schemas.js'
import { storeDeadline } from './transaction.js'
import { withApplicationFaults } from './violations.js'
import { changeHandler, createHandler, deleteHandler, deleteManyHandler } from './write.js'

/** The parts of a result of `crud`, so that other resources can name it. */
class PlanExtension extends Extension<ResourceParts & { readonly plan: CrudPlan }> {}

/** Returns the plan of what `crud` returned for a resource, `undefined` for anything else. */
export function planOf(built: unknown): CrudPlan | undefined {
  const extension = propertyOf(built, 'extension')
  return extension instanceof PlanExtension ? extension.parts.plan : undefined
}

/** The result of crud, before the types are tied to the store. */
interface Built {
  readonly handlers: Readonly<Record<string, LooseSpec>>
  readonly custom: Readonly<Record<string, LooseSpec>>
  readonly extension: PlanExtension
}

/** A feature that a resource uses, and its settings there. */
interface ActiveFeature {
  readonly feature: Feature
  readonly settings: unknown
}

/** Makes `crud` of these features, each wrapping the actions of those before it; without any it is the core alone. */
export function crudWith(features: readonly Feature[]): (store: AnyStore, options: AnyOptions) => Built {
  return (store, declared) => {
    checkStore(store)
    checkNames(declared, features)
    const active = activeFeatures(features, declared, store.key)
    const options = applyFeatures(active, declared,
      (feature, before, settings) => feature.changeOptions?.(before, settings))
    checkNames(options, features)
    checkHookNames(options, active.flatMap(({ feature, settings }) => feature.hooks?.(settings) ?? []), features)
    const plan = makePlan(store, withApplicationFaults(options), active)
    const built = buildActions(plan, features)
    for (const { onBuilt } of plan.features) onBuilt?.(built)
    return built
  }
}

/** @throws MisuseError `options_shape` for anything but a store, such as the connection of a library */
function checkStore(store: unknown): void {
  if (typeof propertyOf(store, 'list') === 'function') return
  throw new MisuseError('options_shape',
    "crud() must be given a store, such as `memoryStore({ key: 'id' })` or `knexStore(knex, 'posts')`, "
      + `not ${show(store)}.`)
}

function activeFeatures(features: readonly Feature[], options: AnyOptions, key: string): ActiveFeature[] {
  const reserved = [...Object.keys(ACTIONS), ...features.flatMap(({ actions = [] }) => actions)]
  return features.flatMap((feature) => {
    const settings = feature.settingsOf(options, key, reserved)
    return settings === undefined ? [] : [{ feature, settings }]
  })
}

/** Returns a value as all features change it, one after the other. */
function applyFeatures<T>(
  active: readonly ActiveFeature[],
  initial: T,
  change: (feature: Feature, before: T, settings: unknown) => T | undefined,
): T {
  return active.reduce((before, { feature, settings }) => change(feature, before, settings) ?? before, initial)
}

function makePlan(store: AnyStore, options: AnyOptions, active: readonly ActiveFeature[]): CrudPlan {
  const schemas = schemasOf(
    options,
    (output) => applyFeatures(active, output, (feature, before) => feature.listedOutput?.(before)),
  )
  const declared = listParameters(options, store.key, schemas.id, active.flatMap(parametersOf))
  const parameters = applyFeatures<readonly Parameter[]>(
    active,
    declared,
    (feature, before, settings) => feature.changeParameters?.(before, settings),
  )
  checkOptions(options, store.key, parameters.map((parameter) => sentName(parameter, options.paramNames ?? {})))
  // Features are installed on the plan that they are part of: each sees those before it.
  const features: FeatureHooks[] = []
  const plan: CrudPlan = {
    store,
    options,
    schemas,
    parameters,
    features,
    addHooks: (hooks) => features.unshift(hooks),
    scopes: scopesOf(options.scope, features),
    withinDeadline: storeDeadline(options.deadline),
    cursorSeal: cursorSealOf(options.cursorSecret),
    values: new Map(),
  }
  for (const { feature, settings } of active) features.push(feature.install(plan, settings))
  return plan
}

function parametersOf({ feature: { parameters = {} } }: ActiveFeature): Parameter[] {
  return Object.entries(parameters).map(([name, parameter]) => ({ name, ...parameter }))
}

/**
 * Returns the seven actions, those of features, and those of `custom`, each as all features have wrapped it, with its
 * metadata of `perAction`.
 */
function buildActions(plan: CrudPlan, allFeatures: readonly Feature[]): Built {
  const { features, options: { custom: declared = {}, perAction = {} } } = plan
  const defaults = coreActions(plan)
  const added = Object.fromEntries(features.flatMap(({ actions = {} }) => Object.entries(actions)))
  // The actions of features are wrapped first: a feature may use one of them in an action of the core.
  const wrappedAdded = wrapActions(plan, added)
  const wrapped: Readonly<Record<string, LooseSpec>> = { ...wrapActions(plan, defaults), ...wrappedAdded }
  checkCustom(Object.keys(declared), Object.keys(wrapped))
  const custom = mapValues(declared, (declaration, name) => customAction(plan, name, declaration))
  const all: Readonly<Record<string, LooseSpec | LooseCustom>> = { ...wrapped, ...custom }
  checkActions('perAction', perAction, Object.keys(all), allFeatures)
  const named = Object.entries(all).map(([name, spec]) => [name, { ...spec, ...perAction[name] }] as const)
  return {
    handlers: Object.fromEntries(named.filter(([name]) => Object.hasOwn(defaults, name))),
    custom: Object.fromEntries(named.filter(([name]) => !Object.hasOwn(defaults, name))),
    extension: new PlanExtension({
      plan,
      addedActions: Object.keys(all),
      optionByAction: optionByAction(allFeatures),
    }),
  }
}

/** Returns actions as all features have wrapped them, each called with a request. */
function wrapActions(plan: CrudPlan, actions: Readonly<Record<string, CrudAction>>): Record<string, LooseSpec> {
  const named = Object.entries(actions).map(([name, { spec, effect = {} }]) => {
    const whole = plan.features.reduce((inner, { wrapAction }) => wrapAction?.(inner, name, effect) ?? inner, spec)
    return [name, { ...whole, handler: onRequests(plan, whole.handler) }] as const
  })
  return Object.fromEntries(named)
}

/** @throws MisuseError `crud_custom` for the name of an action that crud makes itself. */
function checkCustom(names: readonly string[], existing: readonly string[]): void {
  const twice = names.find((name) => existing.includes(name))
  if (twice === undefined) return
  throw new MisuseError(
    'crud_custom',
    `\`custom\` of crud has the action \`${twice}\`, which crud adds itself: choose another name. To replace that `
      + `action, spread the others after crud.`,
  )
}

/** Returns the field of a record with its key; one that the application converts may have it in another field. */
function sentKey({ store: { key }, options: { output, transform, transformMany } }: CrudPlan): string | false {
  if (Object.hasOwn(output.shape, key)) return key
  return transform === undefined && transformMany === undefined ? false : 'id'
}

function coreActions(plan: CrudPlan): Readonly<Record<ActionName, CrudAction>> {
  const { options: { paramNames = {}, headers = false }, parameters,
    schemas: { path, create, request, output, listed } } = plan
  const query = z.object(renameShape(parameters, paramNames))
  const saved = { output, message: 'Saved' }
  const change = { repliesRecord: true, changesRows: true }
  return {
    list: {
      spec: {
        input: query,
        output: z.array(listed),
        ...(headers && { responseHeaders: PAGE_HEADERS }),
        handler: listHandler(plan),
      },
    },
    show: { spec: { input: path, output, handler: showHandler(plan) }, effect: { repliesRecord: true } },
    create: {
      spec: extend<CrudSpec>(
        { input: create, output, message: 'Created', handler: createHandler(plan) },
        { keyField: sentKey(plan) },
      ),
      effect: { repliesRecord: true, createsRows: true },
    },
    edit: { spec: { input: request.edit, ...saved, handler: changeHandler(plan, 'edit') }, effect: change },
    store: { spec: { input: request.store, ...saved, handler: changeHandler(plan, 'store') }, effect: change },
    delete: {
      spec: { input: path, output: z.null(), message: 'Deleted', handler: deleteHandler },
      effect: { changesRows: true },
    },
    deleteMany: {
      spec: { output: z.null(), message: 'Deleted', handler: deleteManyHandler },
      effect: { changesRows: true },
    },
  }
}

import { z } from 'zod'
import { ACTIONS, addedActions, checkOptionNames, MisuseError, type LooseCustom, type LooseSpec,
  type WithAddedActions } from '../core/index.js'
import type { ActionName } from '../core/resource/mounted.js'
import { checkHookNames, checkNames, checkOptions } from './check-options.js'
import { cursorSealOf } from './cursor-seal.js'
import type { CrudAction, CrudPlan, Feature, FeatureHooks, Parameter } from './feature.js'
import { listParameters, renamedShape, wireName } from './list-parameters.js'
import type { AnyOptions, AnyStore } from './options.js'
import { withOwnFaults } from './own-faults.js'
import { rememberPlan } from './plans.js'
import { listHandler, showHandler } from './read.js'
import { schemasOf } from './schemas.js'
import { scopesOf } from './scope.js'
import { storeDeadline } from './transaction.js'
import { changeHandler, createHandler, deleteHandler, deleteManyHandler } from './write.js'

/** The result of crud, before the types are tied to the store. */
interface Built extends WithAddedActions {
  readonly handlers: Readonly<Record<string, LooseSpec>>
  readonly custom: Readonly<Record<string, LooseSpec>>
}

/** A feature that a resource uses, and its settings there. */
interface ActiveFeature {
  readonly feature: Feature
  readonly settings: unknown
}

/** Makes `crud` of these features, each wrapping the actions of those before it; without any it is the core alone. */
export function crudWith(features: readonly Feature[]): (store: AnyStore, options: AnyOptions) => Built {
  return (store, given) => {
    checkNames(given, features)
    const active = activeFeatures(features, given, store.key)
    const options = changed(active, given, (feature, before, settings) => feature.changeOptions?.(before, settings))
    checkNames(options, features)
    checkHookNames(options, active.flatMap(({ feature, settings }) => feature.hooks?.(settings) ?? []), features)
    const plan = planOf(store, withOwnFaults(options), active)
    const built = builtActions(plan)
    for (const { onBuilt } of plan.features) onBuilt?.(built)
    rememberPlan(built, plan)
    return built
  }
}

function activeFeatures(features: readonly Feature[], options: AnyOptions, key: string): ActiveFeature[] {
  const reserved = [...Object.keys(ACTIONS), ...features.flatMap(({ actions = [] }) => actions)]
  return features.flatMap((feature) => {
    const settings = feature.settingsOf(options, key, reserved)
    return settings === undefined ? [] : [{ feature, settings }]
  })
}

/** Returns a value as all features change it, one after the other. */
function changed<T>(
  active: readonly ActiveFeature[],
  given: T,
  change: (feature: Feature, before: T, settings: unknown) => T | undefined,
): T {
  return active.reduce((before, { feature, settings }) => change(feature, before, settings) ?? before, given)
}

function planOf(store: AnyStore, options: AnyOptions, active: readonly ActiveFeature[]): CrudPlan {
  const schemas = schemasOf(
    options,
    (output) => changed(active, output, (feature, before) => feature.listedOutput?.(before)),
  )
  const declared = listParameters(options, store.key, schemas.id, active.flatMap(addedParameters))
  const parameters = changed<readonly Parameter[]>(
    active,
    declared,
    (feature, before, settings) => feature.changeParameters?.(before, settings),
  )
  checkOptions(options, store.key, parameters.map(({ name }) => wireName(name, options.paramNames ?? {})))
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
  }
  for (const { feature, settings } of active) features.push(feature.install(plan, settings))
  return plan
}

function addedParameters({ feature: { parameters = {} } }: ActiveFeature): Parameter[] {
  return Object.entries(parameters).map(([name, parameter]) => ({ name, ...parameter }))
}

/**
 * Returns the seven actions, those of features, and those of `custom`, each as all features have wrapped it, with its
 * metadata of `perAction`.
 */
function builtActions(plan: CrudPlan): Built {
  const { features, options: { custom = {}, perAction = {} } } = plan
  const seven = coreActions(plan)
  const added = Object.fromEntries(features.flatMap(({ actions = {} }) => Object.entries(actions)))
  // Those of features first: a feature may use one of them in an action of the core.
  const addedMade = wrapped(features, added)
  const made: Readonly<Record<string, LooseSpec>> = { ...wrapped(features, seven), ...addedMade }
  checkCustom(Object.keys(custom), Object.keys(made))
  const all: Readonly<Record<string, LooseSpec | LooseCustom>> = { ...made, ...custom }
  checkOptionNames('`perAction` of crud', perAction, Object.keys(all), {}, 'crud_option_unknown')
  const named = Object.entries(all).map(([name, spec]) => [name, { ...spec, ...perAction[name] }] as const)
  return {
    handlers: Object.fromEntries(named.filter(([name]) => Object.hasOwn(seven, name))),
    custom: Object.fromEntries(named.filter(([name]) => !Object.hasOwn(seven, name))),
    [addedActions]: Object.keys(all),
  }
}

function wrapped<Spec extends LooseSpec>(
  features: readonly FeatureHooks[],
  actions: Readonly<Record<string, CrudAction<Spec>>>,
): Record<string, Spec> {
  return Object.fromEntries(
    Object.entries(actions).map(([name, { spec, effect = {} }]) => [
      name,
      features.reduce((inner, { wrapAction }) => wrapAction?.(inner, name, effect) ?? inner, spec),
    ]),
  )
}

/** @throws MisuseError `crud_custom` for the name of an action that crud makes itself. */
function checkCustom(names: readonly string[], made: readonly string[]): void {
  const twice = names.find((name) => made.includes(name))
  if (twice === undefined) return
  throw new MisuseError(
    'crud_custom',
    `\`custom\` of crud has the action \`${twice}\`, which crud adds itself: choose another name. To replace that `
      + `action, spread the others behind crud.`,
  )
}

function coreActions(plan: CrudPlan): Readonly<Record<ActionName, CrudAction>> {
  const { options: { paramNames = {} }, parameters, schemas: { path, create, sent, output, listed } } = plan
  const query = z.object(renamedShape(parameters, paramNames))
  const saved = { output, message: 'Saved' }
  const change = { repliesRecord: true, changesRows: true }
  return {
    list: { spec: { input: query, output: z.array(listed), handler: listHandler(plan) } },
    show: { spec: { input: path, output, handler: showHandler(plan) }, effect: { repliesRecord: true } },
    create: {
      spec: { input: create, output, message: 'Created', handler: createHandler(plan) },
      effect: { repliesRecord: true, createsRows: true },
    },
    edit: { spec: { input: sent.edit, ...saved, handler: changeHandler(plan, 'edit') }, effect: change },
    store: { spec: { input: sent.store, ...saved, handler: changeHandler(plan, 'store') }, effect: change },
    delete: {
      spec: { input: path, output: z.null(), message: 'Deleted', handler: deleteHandler(plan) },
      effect: { changesRows: true },
    },
    deleteMany: {
      spec: { output: z.null(), message: 'Deleted', handler: deleteManyHandler(plan) },
      effect: { changesRows: true },
    },
  }
}

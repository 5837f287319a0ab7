import { MisuseError } from '../errors.js'
import { checkOptionNames } from '../options.js'
import { addedActions, type LooseCustom, type LooseSpec, type WithAddedActions } from '../resource/declaration.js'
import { bulkExtension } from './bulk/bulk.js'
import { exportExtension } from './export/export.js'
import type { ExtensionOf } from './extension.js'
import { idempotencyExtension } from './idempotency/extension.js'
import { ifMatchExtension } from './if-match/if-match.js'
import { importExtension } from './import/import.js'
import { parentExtension } from './parent/extension.js'
import type { CrudPlan } from './plan.js'
import { softDeleteExtension } from './soft-delete/extension.js'

/** Every option that adds to the seven actions; what stands further down stands around what is above it. */
const EXTENSIONS: readonly ExtensionOf[] = [
  bulkExtension,
  softDeleteExtension,
  ifMatchExtension,
  exportExtension,
  importExtension,
  idempotencyExtension, // around all that makes the reply, which it keeps as a whole
  parentExtension, // around everything: all handlers need the path arguments
]

/** Returns the seven actions, those that options add, and those of `custom`, each as all options have it, with its metadata of `perAction`. */
export function extended(plan: CrudPlan, seven: Readonly<Record<string, LooseSpec>>): object & WithAddedActions {
  const extensions = EXTENSIONS.flatMap((extensionOf) => extensionOf(plan) ?? [])
  const surrounded = <Spec extends LooseSpec>(specs: Readonly<Record<string, Spec>>): Record<string, Spec> =>
    Object.fromEntries(Object.entries(specs).map(([name, spec]) =>
      [name, extensions.reduce((inner, { around }) => around?.(name, inner) ?? inner, spec)]))
  const added = extensions.flatMap(({ custom = {} }): [string, LooseCustom][] => Object.entries(custom))
  const { custom = {}, perAction = {} } = plan.options
  const made = { ...surrounded(seven), ...surrounded(Object.fromEntries(added)) }
  checkCustom(Object.keys(custom), Object.keys(made))
  const all = { ...made, ...custom }
  checkOptionNames('`perAction` of crud', perAction, Object.keys(all), {}, 'crud_option_unknown')
  const named = Object.entries(all).map(([name, spec]) => [name, { ...spec, ...perAction[name] }] as const)
  const actions = {
    handlers: Object.fromEntries(named.filter(([name]) => Object.hasOwn(seven, name))),
    custom: Object.fromEntries(named.filter(([name]) => !Object.hasOwn(seven, name))),
  }
  return { ...actions, [addedActions]: Object.keys(all) }
}

function checkCustom(names: readonly string[], made: readonly string[]): void {
  const taken = names.find((name) => made.includes(name))
  if (taken === undefined) return
  throw new MisuseError('crud_custom', `\`custom\` of crud has the action \`${taken}\`, which crud makes itself. To replace it spread the others behind crud.`)
}

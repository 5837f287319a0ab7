import type { LooseCustom, LooseSpec } from '../resource/declaration.js'
import { bulkExtension } from './bulk/bulk.js'
import { exportExtension } from './export/export.js'
import type { ExtensionOf } from './extension.js'
import { idempotencyExtension } from './idempotency/extension.js'
import { ifMatchExtension } from './if-match/if-match.js'
import { importExtension } from './import/import.js'
import type { CrudPlan } from './plan.js'
import { softDeleteExtension } from './soft-delete/extension.js'

/** Every option that adds to the seven actions; what stands further down stands around what is above it. */
const EXTENSIONS: readonly ExtensionOf[] = [
  bulkExtension,
  softDeleteExtension,
  ifMatchExtension,
  exportExtension,
  importExtension,
  idempotencyExtension, // last: what it keeps is the whole reply
]

/** The seven and the actions of the options that were given, each as all these options have it. */
export function extended(plan: CrudPlan, seven: Readonly<Record<string, LooseSpec>>): object {
  const extensions = EXTENSIONS.flatMap((extensionOf) => extensionOf(plan) ?? [])
  const surrounded = <Spec extends LooseSpec>(specs: Readonly<Record<string, Spec>>): Record<string, Spec> =>
    Object.fromEntries(Object.entries(specs).map(([name, spec]) =>
      [name, extensions.reduce((inner, { around }) => around?.(name, inner) ?? inner, spec)]))
  const added = extensions.flatMap(({ custom = {} }): [string, LooseCustom][] => Object.entries(custom))
  return { handlers: surrounded(seven), custom: surrounded(Object.fromEntries(added)) }
}

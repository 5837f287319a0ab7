import type { LooseCustom, LooseSpec } from '../resource/declaration.js'
import type { CrudPlan } from './plan.js'

/** What one option adds to a resource. */
export interface Extension {
  /** Actions of its own. */
  readonly custom?: Readonly<Record<string, LooseCustom>>
  /** Any action as this option has it: the seven are asked about, and the actions of all options. */
  readonly around?: <Spec extends LooseSpec>(name: string, spec: Spec) => Spec
}

/** Makes the extension of one option, `undefined` where the option is not given. */
export type ExtensionOf = (plan: CrudPlan) => Extension | undefined

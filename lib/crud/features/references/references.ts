import { z } from 'zod'
import { checkOptionNames, extend } from '../../../core/index.js'
import { locksTogether } from '../../contract/index.js'
import type { CrudPlan, Feature, FeatureHooks } from '../../core/index.js'
import { referenceCheck } from './check-rows.js'
import { misuse, referencesOf, type AnyReferences, type ColumnReference } from './options.js'
import { ReferencesCheck } from './start.js'

interface Settings {
  readonly option: AnyReferences
  readonly given: readonly ColumnReference[]
}

/** Checks that the values of references name rows that exist for the caller. */
export const references: Feature<{ readonly references?: AnyReferences | undefined }, Settings> = {
  options: { references: true },
  settingsOf: ({ references: option = {} }) => ({ option, given: referencesOf(option) }),
  install(plan, { option, given }) {
    /** The fields that each action writes. */
    const written = new Map<string, readonly string[]>()
    const own = given.map((reference) => onOneConnection(plan, reference))
    for (const { isLater, target } of own) if (!isLater) target()
    const check = new ReferencesCheck({
      plan,
      references: own,
      open: (actions) => {
        const named = [...Object.keys(option), ...plan.features.flatMap(({ checkedColumns = [] }) => checkedColumns)]
        return actions.flatMap((action) => written.get(action) ?? []).filter((field) => !named.includes(field))
      },
    })
    return {
      wrapAction(spec, name, { changesRows, createsRows }) {
        if ((changesRows === true || createsRows === true) && spec.input instanceof z.ZodObject) {
          written.set(name, Object.keys(spec.input.shape))
        }
        return extend(spec, { startCheck: check })
      },
      onBuilt() {
        // A hook may write a field that is sent to clients alone.
        const fields = new Set([...[...written.values()].flat(), ...Object.keys(plan.options.output.shape)])
        checkOptionNames('`references` of crud', option, [...fields], {}, 'crud_references')
      },
      ...(own.length > 0 && checking(referenceCheck(plan, own))),
    }
  },
}

/** Returns a reference whose resource is checked when it is asked for, at the start of the app or before. */
function onOneConnection(plan: CrudPlan, reference: ColumnReference): ColumnReference {
  let checked: CrudPlan | undefined
  const check = (): CrudPlan => {
    const target = reference.target()
    if (locksTogether(plan.store, target.store)) return target
    throw misuse(reference.column, 'is a resource on another connection')
  }
  return { ...reference, target: () => (checked ??= check()) }
}

function checking(check: ReturnType<typeof referenceCheck>): FeatureHooks {
  return { beforeWrite: (write) => check([write]), beforeCreateAll: check }
}

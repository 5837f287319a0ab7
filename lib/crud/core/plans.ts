import { Extension, type ResourceParts } from '../../core/index.js'
import type { CrudPlan } from './feature.js'

interface PlanParts extends ResourceParts {
  readonly plan: CrudPlan
}

/** The parts of a result of `crud`, so that other resources can name it. */
export class PlanExtension extends Extension<PlanParts> {
  constructor(plan: CrudPlan, addedActions: readonly string[]) {
    super({ plan, addedActions })
  }
}

/** Returns the plan of what `crud` returned for a resource, `undefined` for anything else. */
export function planOf(built: unknown): CrudPlan | undefined {
  const { extension } = Object(built) as { readonly extension?: unknown }
  return extension instanceof PlanExtension ? extension.parts.plan : undefined
}

import type { CrudPlan } from './feature.js'
import type { AnyStore } from './options.js'

/** The plans of resources by the handlers that `crud` has returned. */
const plans = new WeakMap<object, CrudPlan>()

/** Keeps the plan of a result of `crud`, so that other resources can name it. */
export function rememberPlan({ handlers }: { readonly handlers: object }, plan: CrudPlan): void {
  plans.set(handlers, plan)
}

/** Returns the plan of what `crud` returned for a resource, `undefined` for anything else. */
export function planOf(built: unknown): CrudPlan | undefined {
  const { handlers } = Object(built) as { readonly handlers?: unknown }
  return typeof handlers === 'object' && handlers !== null ? plans.get(handlers) : undefined
}

/** Returns the store of another resource inside the transaction of `store`, which is one of `own`. */
export function storeInside(own: CrudPlan, store: AnyStore, other: CrudPlan): AnyStore {
  return other.store === own.store ? store : other.store.on?.(store.db) ?? other.store
}

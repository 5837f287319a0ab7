import { customActions } from './custom-actions.js'
import type { CustomActions, CustomTraits, Group, GroupTraits, LooseCustom, Method, MountedCustom } from './declaration.js'
import type { Mounted, NameFromRoute } from './mounted.js'
import { nameFromRoute } from './path.js'
import { mountActions, type Target } from './mount.js'

/** A single route of a group: a method or several. */
interface RouteTraits extends Omit<CustomTraits, 'methods'> {
  /** @default 'GET' */
  readonly methods?: Method | readonly Method[] | undefined
}

/**
 * Mounts a group of single routes that are no resource, each declared like a custom action and named `{app}.{name}.{key}`.
 *
 * Without a `name` the group is named after its route: `/reports/daily` is `reports.daily`.
 *
 * @throws MisuseError with a stable `code` for whatever is wrong with the declaration; nothing is mounted then.
 * @example
 * mountRoutes(admin, { app: 'admin', route: '/reports', routes: { sales: { route: '/sales', handler: () => sales() } } })
 */
export function mountRoutes<
  const Route extends string,
  const R extends Readonly<Record<string, string>>,
  const I extends Readonly<Record<string, unknown>>,
  const Q extends Readonly<Record<string, unknown>>,
  O extends Readonly<Record<string, unknown>>,
  F extends Readonly<Record<string, unknown>>,
  const Name extends string = NameFromRoute<Route>,
>(
  target: Target,
  group: GroupTraits & {
    readonly route: Route
    readonly name?: Name | undefined
    readonly routes: CustomActions<Route, R, I, Q, O, F, RouteTraits>
  },
): Mounted<Name, MountedCustom<Route, R, I, Q, O, F>> {
  const { routes, name = nameFromRoute(group.route), ...traits } = group as Group & { routes: Readonly<Record<string, LooseCustom>> }
  mountActions(target, { ...traits, name }, customActions(routes), ['routes'])
  return Object.freeze({})
}

import { OBJECT } from '../base/forms.js'
import { nameFromRoute } from '../routing/path.js'
import type { Group, LooseCustom } from './loose-declaration.js'
import type { CustomActions, GroupTraits } from './declaration.js'
import { checkForm } from './forms.js'
import type { Mounted, MountedCustom, NameFromRoute } from './mounted.js'
import { customActions, mountActions, type Target } from './mount.js'

/**
 * Mounts a group of routes that are not a resource, each declared like a custom action and named `{app}.{name}.{key}`.
 *
 * Without a `name` the group is named after its route: `/reports/daily` is `reports.daily`.
 *
 * @throws MisuseError with a stable `code` for an invalid declaration; nothing is mounted then.
 * @example
 * mountRoutes(admin, {
 *   app: 'admin', route: '/reports', routes: { sales: { route: '/sales', handler: () => sales() } },
 * })
 */
export function mountRoutes<
  const Route extends string,
  const R extends Readonly<Record<string, string>>,
  const I extends Readonly<Record<string, unknown>>,
  const Q extends Readonly<Record<string, unknown>>,
  O extends Readonly<Record<string, unknown>>,
  const F extends Readonly<Record<string, unknown>>,
  const Name extends string = NameFromRoute<Route>,
>(
  target: Target,
  group: GroupTraits & {
    readonly route: Route
    readonly name?: Name | undefined
    readonly routes: CustomActions<Route, R, I, Q, O, F>
  },
): Mounted<Name, MountedCustom<Route, R, I, Q, O, F>> {
  checkForm('mountRoutes', 'group', group, OBJECT)
  const { routes, name = nameFromRoute(group.route), ...traits } = group as Group & {
    routes: Readonly<Record<string, LooseCustom>>
  }
  checkForm('mountRoutes', 'routes', routes, OBJECT)
  mountActions(target, {
    group: { ...traits, name },
    actions: customActions(routes),
    ownOptions: ['routes'],
    adviceIfEmpty: 'declare some in `routes`',
  })
  return Object.freeze({})
}

import type { AuthScheme } from '../base/auth-scheme.js'
import { memoize } from '../base/memoize.js'
import { stackOf } from '../express/stack.js'
import { guardFinder } from '../routing/guard-finder.js'
import type { Listed, MountedRoute } from '../routing/registry.js'
import { placeFinder, type RoutePlace } from './route-of.js'
import { distinct } from './scheme.js'

/** Returns the credentials that an application accepts at a route, each once; none where its `auth` is not found. */
export type SchemeFinder = (route: MountedRoute, path: string, app: string) => readonly AuthScheme[]

/** Returns a function that reads the schemes of the guards in front of these routes, all below an app or a Router. */
export function schemeFinder(appOrRouter: object, routes: readonly Listed[]): SchemeFinder {
  const find = guardFinder(stackOf(appOrRouter))
  const placeOf = placeFinder(routes)
  const guardsOf = memoize(({ route, entry, path }: RoutePlace) => [
    ...find(route, entry.method, path),
    ...entry.ownGuards,
  ])
  return (route, path, app) => {
    const place = placeOf(route, path)
    const guards = place === undefined ? [] : guardsOf(place)
    return distinct(guards.flatMap((guard) => (guard.app === app ? guard.schemes ?? [] : [])))
  }
}

import type { AuthScheme } from '../base/auth-scheme.js'
import { stackOf } from '../express/stack.js'
import { guardFinder } from '../routing/look-ahead.js'
import type { Guard } from '../routing/guards.js'
import type { Listed, MountedRoute } from '../routing/registry.js'
import { declaredRoute } from './route-of.js'

/** Returns the credentials that an application accepts at a route, each once; none where its `auth` is not found. */
export type SchemeFinder = (route: MountedRoute, path: string, app: string) => readonly AuthScheme[]

/** Returns a function that reads the schemes of the guards in front of these routes, all below an app or a Router. */
export function schemeFinder(appOrRouter: object, routes: readonly Listed[]): SchemeFinder {
  const find = guardFinder(stackOf(appOrRouter))
  const places = new Map(
    routes.flatMap(({ path = '', route, entries }) =>
      entries.map((entry) => [keyOf(entry, path), { entry, route }] as const)
    ),
  )
  const guardsByApp = new Map<string, readonly Guard[]>()
  const guardsOf = (key: string, path: string): readonly Guard[] => {
    const place = places.get(key)
    if (place === undefined) return []
    return [...find(place.route, place.entry.method, path), ...place.entry.ownGuards]
  }
  return (route, path, app) => {
    const key = keyOf(route, path)
    const guards = guardsByApp.get(key) ?? guardsOf(key, path)
    guardsByApp.set(key, guards)
    const schemes = guards.flatMap((guard) => (guard.app === app ? guard.schemes ?? [] : []))
    return [...new Map(schemes.map((scheme) => [JSON.stringify(scheme), scheme])).values()]
  }
}

function keyOf(route: MountedRoute, path: string): string {
  const { method, name } = declaredRoute(route)
  return JSON.stringify([method, path, name])
}

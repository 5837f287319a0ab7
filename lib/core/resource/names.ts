import { memoize } from '../base/memoize.js'
import { MisuseError } from '../base/errors.js'
import { shapeOf } from '../routing/path.js'
import { declareTogether, listBelow, originOf, type MountedRoute } from '../routing/registry.js'
import { checkListing, versionName } from './listing.js'

/** The names and routes that are declared on a router, by application. */
const reservedNamesOf = memoize((_target: object) => new Set<string>())

/**
 * Reserves the names and routes of one declaration on its router.
 *
 * @throws MisuseError `name_taken` or `route_taken`; nothing is reserved then.
 */
export function reserveNames(target: object, where: string, routes: readonly MountedRoute[]): void {
  const all = reservedNamesOf(target)
  const places = routes.map((route) => placeOf(route, route.path))
  routes.forEach((route, index) => {
    if (all.has(nameOf(route))) throw nameTaken(where, route)
    const place = String(places[index])
    if (all.has(place) || places.indexOf(place) < index) throw routeTaken(where, route, route.path)
  })
  for (const name of [...routes.map(nameOf), ...places]) all.add(name)
  declareTogether(routes)
}

/**
 * Checks all declarations of an app, on all its routers: no two share a name, a route or a permission id in one
 * application, and no path has an argument twice.
 *
 * @throws MisuseError `name_taken`, `route_taken` or `route_invalid`.
 */
export function checkNames(appOrRouter: object): void {
  const names = new Map<string, object | undefined>()
  const places = new Map<string, MountedRoute>()
  for (const { path, entries } of listBelow(appOrRouter)) {
    for (const route of entries) {
      const where = `The resource \`${route.resource}\` at ${path ?? route.path}`
      const origin = originOf(route)
      const name = nameOf(route)
      if (names.has(name) && names.get(name) !== origin) throw nameTaken(where, route)
      names.set(name, origin)
      // Routes cannot be compared where `router` does not keep the path of a mount.
      if (path === undefined) continue
      const place = placeOf(route, path)
      if (places.has(place) && places.get(place) !== route) throw routeTaken(where, route, path)
      places.set(place, route)
    }
  }
  checkListing(appOrRouter)
}

function nameOf({ app = '', name }: MountedRoute): string {
  return `${app} ${name}`
}

function placeOf({ app = '', method }: MountedRoute, path: string): string {
  return `${app} ${method} ${shapeOf(path)}`
}

function nameTaken(where: string, { name, resource }: MountedRoute): MisuseError {
  return new MisuseError(
    'name_taken',
    `${where} declares the name \`${name}\` a second time: give one of the two another name${versionName(resource)}.`,
  )
}

function routeTaken(where: string, { method }: MountedRoute, path: string): MisuseError {
  return new MisuseError(
    'route_taken',
    `${where} declares ${method} ${path} a second time, which no request would reach.`,
  )
}

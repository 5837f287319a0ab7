import { MisuseError } from '../errors.js'
import { listed, type MountedRoute } from '../routing/registry.js'
import { checkListing, declareTogether, originOf } from './listing.js'
import { shapeOf } from './path.js'

/** What has been taken on a router: names and routes, per app. */
const taken = new WeakMap<object, Set<string>>()

/**
 * Takes the names and places of one declaration on its router.
 *
 * @throws MisuseError `name_taken` or `route_taken`; nothing is taken then.
 */
export function take(target: object, where: string, routes: readonly MountedRoute[]): void {
  const all = taken.get(target) ?? new Set<string>()
  const places = routes.map((route) => placeOf(route, route.path))
  routes.forEach((route, index) => {
    if (all.has(nameOf(route))) throw nameTaken(where, route)
    const place = String(places[index])
    if (all.has(place) || places.indexOf(place) < index) throw routeTaken(where, route, route.path)
  })
  for (const one of [...routes.map(nameOf), ...places]) all.add(one)
  declareTogether(routes)
  taken.set(target, all)
}

/**
 * Checks what only the whole tree can tell: that no two declarations, on whatever routers, share a name, a place or a permission id in
 * one app, and that no path has an argument twice.
 *
 * @throws MisuseError `name_taken`, `route_taken` or `route_invalid`.
 */
export function checkTaken(appOrRouter: object): void {
  const names = new Map<string, object | undefined>()
  const places = new Map<string, MountedRoute>()
  for (const { path, entries } of listed(appOrRouter)) {
    for (const route of entries) {
      const where = `The resource \`${route.resource}\` at ${path ?? route.path}`
      const origin = originOf(route)
      const name = nameOf(route)
      if (names.has(name) && names.get(name) !== origin) throw nameTaken(where, route)
      names.set(name, origin)
      // Places cannot be compared where `router` does not keep the path of a mount.
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

function nameTaken(where: string, { name }: MountedRoute): MisuseError {
  return new MisuseError('name_taken', `${where} would take the name \`${name}\` a second time.`)
}

function routeTaken(where: string, { method }: MountedRoute, path: string): MisuseError {
  return new MisuseError('route_taken', `${where} would mount ${method} ${path} a second time: nobody would ever reach it.`)
}

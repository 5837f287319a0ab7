import type { Application } from 'express'
import { MisuseError } from '../base/errors.js'
import { firstRepeated } from '../base/guards.js'
import { memoizeWhile } from '../base/memoize.js'
import { show } from '../base/options.js'
import { isApp, rootOf } from '../express/stack.js'
import { declaredRoute, resolveRoutes, routesBelow } from '../auth/route-of.js'
import { originOf, registrations, type Listed, type MountedRoute } from '../routing/registry.js'
import { whileUnchanged } from '../routing/unchanged.js'

/** A route whose full path is known. */
type ListedRoute = Listed & { readonly path: string }

/**
 * Lists every route below an app or a router, each with the permissions that it needs; the same list while no layer
 * below it changes.
 *
 * @throws MisuseError `name_taken` where two resources share a permission id, `route_invalid` where two path arguments
 * share a name, `router_mount_path` below a mount whose path `router` does not keep, `target_invalid`.
 */
export function listing(appOrRouter: object): readonly ListedRoute[] {
  if (Object(appOrRouter) === appOrRouter) return listedBelow(appOrRouter)
  throw new MisuseError('target_invalid', `Routes are listed below an app or a Router, not ${show(appOrRouter)}.`)
}

const listedBelow: typeof listing = whileUnchanged(
  (appOrRouter) =>
    checkListing(appOrRouter).map((listed) => {
      if (listed.path !== undefined) return { ...listed, path: listed.path }
      throw new MisuseError(
        'router_mount_path',
        'The routes of nested Routers cannot be listed with `router` before 2.3, which does not keep the path of a '
          + 'mount: install router 2.3 or later.',
      )
    }),
)

/**
 * Checks the permissions and path arguments of all routes together, and returns the routes.
 *
 * @throws MisuseError `name_taken`, `route_invalid`.
 */
export function checkListing(appOrRouter: object): Listed[] {
  const all = resolveRoutes(appOrRouter)
  const [fault] = faultsIn(all).values()
  if (fault !== undefined) throw fault
  return all
}

/** Finds the faults that show in the whole tree only, by the route as it was declared. */
function faultsIn(all: readonly Listed[]): Map<MountedRoute, MisuseError> {
  const faults = new Map<MountedRoute, MisuseError>()
  const holders = new Map<string, Holder[]>()
  for (const { path, args, entries } of all) {
    const repeated = firstRepeated(args)
    for (const entry of entries) {
      const route = declaredRoute(entry)
      if (repeated !== undefined) faults.set(route, argumentRepeated(whereOf(entry), pathOf(entry, path), repeated))
      for (const id of entry.permissions) holders.set(id, [...holders.get(id) ?? [], { route, path }])
    }
  }
  for (const [id, sharing] of holders) {
    if (!isConflict(sharing)) continue
    for (const { route } of sharing) faults.set(route, permissionShared(id, sharing))
  }
  return faults
}

/** Returns the full path of a route, or its own where the full one is not known. */
function pathOf(route: MountedRoute, full: string | undefined): string {
  return full ?? route.path
}

function whereOf({ action, resource }: MountedRoute): string {
  return `\`${action}\` of the resource \`${resource}\``
}

/** A route that needs a permission, with its full path. */
interface Holder {
  readonly route: MountedRoute
  readonly path: string | undefined
}

/** Resources with an `app` may share an id until the whole app is served, since a part of it may be listed before. */
function isConflict(sharing: readonly Holder[]): boolean {
  const declarations = new Set(sharing.map(({ route }) => originOf(route)))
  return declarations.size > 1 && sharing.some(({ route }) => route.app === undefined)
}

function permissionShared(id: string, sharing: readonly Holder[]): MisuseError {
  const places = new Set(
    sharing.map(({ route, path }) => `the resource \`${route.resource}\` at ${route.method} ${pathOf(route, path)}`),
  )
  return new MisuseError(
    'name_taken',
    `The permission \`${id}\` belongs to ${[...places].join(' and to ')}: give one of them another name`
      + `${versionName(sharing[0]?.route.resource ?? '')}.`,
  )
}

/** Returns the example of a name for the second version of an API, as the end of a sentence. */
export function versionName(resource: string): string {
  return resource === '' ? '' : `, in a second version of an API for example \`v2.${resource}\``
}

/** Returns the error of a path in which two arguments share a name, so that the handler gets only one of them. */
export function argumentRepeated(where: string, path: string, name: string): MisuseError {
  return new MisuseError(
    'route_invalid',
    `${where} has the path argument \`${name}\` twice in \`${path}\`: give one of them another name.`,
  )
}

/** Returns the fault of a route in the whole app of a request, `undefined` without one. */
export function faultOf(route: MountedRoute, app: unknown): MisuseError | undefined {
  return isApp(app) ? checkedBelow(rootOf(app)).faults.get(route) : undefined
}

interface Checked {
  /** The number of registrations at the time of the check. */
  readonly at: number
  readonly faults: ReadonlyMap<MountedRoute, MisuseError>
}

const checkedBelow = memoizeWhile(
  ({ at }: Checked) => at === registrations,
  (root: Application) => {
    const faults = faultsIn(routesBelow(root))
    // Listing completes declarations.
    return { at: registrations, faults }
  },
)

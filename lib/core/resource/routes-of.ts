import type { z } from 'zod'
import { MisuseError } from '../base/errors.js'
import { checkOptionNames } from '../base/options.js'
import { toRouteInfo } from '../auth/route-of.js'
import { withoutGroups } from '../routing/path.js'
import type { RouteInfo } from '../routing/route-info.js'
import { fieldNamesOf } from '../validate/zod-schemas.js'
import { QUERY_METHODS } from './arguments.js'
import { listing } from './listing.js'
import type { ManifestRoute } from './mounted.js'

/**
 * Lists all mounted routes below an app or a Router as plain data, in Express's order, with full paths.
 *
 * Routers mounted by `use` are included at any depth, and so are sub-apps with resources; a Router that is called by a
 * function of your own is not. The permissions of a route without an `app` depend on the `permission` in front of it,
 * so pass the outermost app.
 *
 * @throws MisuseError `name_taken` where two resources share a permission id, `route_invalid` where two path arguments
 * share a name.
 * @example
 * for (const { method, path, permission } of routesOf(app)) console.log(method, path, permission)
 */
export function routesOf(appOrRouter: object): RouteInfo[] {
  return listing(appOrRouter).flatMap(({ path, entries }) => entries.map((entry) => toRouteInfo(entry, path)))
}

/** The permissions of one resource, as a role editor shows them. */
export interface PermissionGroup {
  /** The label for people, e.g. `Users`. */
  readonly label: string
  /** The name of the resource, e.g. `users`. */
  readonly name: string
  readonly children: readonly PermissionLeaf[]
}

/** One permission of a resource. */
export interface PermissionLeaf {
  readonly label: string
  /** The permission id, e.g. `admin.users.list`. */
  readonly name: string
  readonly action: string
}

/**
 * Lists the permissions that mounted routes need, as a tree of resources and actions; only those of `app` if it is
 * given.
 *
 * @throws MisuseError `name_taken` where two resources share a permission id.
 * @example
 * admin.get('/permissions', (req, res) => send(res, 'ok', permissionsOf(req.app, 'admin')))
 */
export function permissionsOf(appOrRouter: object, app?: string): PermissionGroup[] {
  const groups = new Map<string, PermissionGroup & { children: PermissionLeaf[] }>()
  for (const entry of listing(appOrRouter).flatMap(({ entries }) => entries)) {
    for (const name of entry.permissions) {
      const owner = name.slice(0, name.indexOf('.'))
      if (app !== undefined && app !== owner) continue
      const key = `${owner}.${entry.resource}`
      const group = groups.get(key) ?? { label: entry.resourceLabel, name: entry.resource, children: [] }
      groups.set(key, group)
      if (!group.children.some((leaf) => leaf.name === name)) {
        group.children.push({ label: entry.actionLabel, name, action: entry.action })
      }
    }
  }
  return [...groups.values()]
}

interface ManifestOptions {
  /** The application whose routes are included. @default all routes */
  readonly app?: string | undefined
}

/** Matches a path with a quoted name or an escaped character, which a client does not know. */
const UNCALLABLE = /["\\]/

/**
 * Returns names, methods and paths of mounted routes as plain data, for `createClient` of `resourcery/client`.
 *
 * An action with several methods is included once, by its GET. A route below a regular expression, or with an argument
 * that has a quoted name, is left out, since a client cannot call it. Permission ids and schemas are not included; give
 * `app` to leave out the paths of other applications.
 *
 * @throws MisuseError `manifest_app` for an application without routes, `manifest_ambiguous` where two applications
 * have a resource of the same name, `option_unknown`.
 * @example
 * writeFileSync('routes.json', JSON.stringify(routeManifest(app, { app: 'shop' })))
 */
export function routeManifest(appOrRouter: object, options: ManifestOptions = {}): ManifestRoute[] {
  checkOptionNames('routeManifest()', options, ['app'])
  const all = listing(appOrRouter).flatMap(({ path, isPattern, entries }) =>
    isPattern || UNCALLABLE.test(path) ? [] : entries.map((entry) => toRouteInfo(entry, withoutGroups(path)))
  )
  const chosen = options.app === undefined ? all : routesOfApp(all, options.app)
  const actions = new Map<string, RouteInfo>()
  for (const route of chosen) {
    const name = route.resource === '' ? route.action : `${route.resource}.${route.action}`
    const earlier = actions.get(name)
    if (earlier !== undefined && earlier.app !== route.app) throw ambiguous(name, earlier, route)
    if (earlier === undefined || (earlier.method !== 'GET' && route.method === 'GET')) actions.set(name, route)
  }
  return [...actions].map(
    ([name, { method, path, query }]) => ({ name, method, path: path + queryNames(method, query) }),
  )
}

function routesOfApp(routes: readonly RouteInfo[], app: string): RouteInfo[] {
  const chosen = routes.filter((route) => route.app === app)
  if (chosen.length > 0) return chosen
  const apps = [...new Set(routes.flatMap((route) => route.app ?? []))]
  const choice = apps.length === 0 ? 'no route has one' : `the applications are ${apps.join(', ')}`
  throw new MisuseError('manifest_app', `No route belongs to the application \`${app}\`: ${choice}.`)
}

function ambiguous(name: string, one: RouteInfo, other: RouteInfo): MisuseError {
  const apps = [one, other].map(({ app }) => (app === undefined ? 'no application' : `\`${app}\``)).join(' and ')
  return new MisuseError(
    'manifest_ambiguous',
    `\`${name}\` is a route of ${apps}: make a manifest for each, with { app }.`,
  )
}

/** Returns the names of query parameters, which a client must know where `input` reads the body. */
function queryNames(method: string, query: z.ZodType | undefined): string {
  const names = query === undefined || QUERY_METHODS.has(method) ? [] : [...new Set(fieldNamesOf(query))]
  return names.length === 0 ? '' : `?${names.join(',')}`
}

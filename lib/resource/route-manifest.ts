import { z } from 'zod'
import { MisuseError } from '../errors.js'
import { checkOptionNames } from '../options.js'
import type { RouteInfo } from '../types.js'
import type { ManifestRoute } from './mounted.js'
import { routesOf } from './routes-of.js'

export interface ManifestOptions {
  /** The application whose routes the client may know. @default all routes */
  readonly app?: string | undefined
}

/**
 * Returns what `createClient` of `resourcery/client` has to know of the mounted routes: names, methods and paths, as plain data.
 *
 * An action is listed once, by its GET where it has several methods. Permission ids and schemas stay on the server; give `app`
 * where the paths of another application should stay there too.
 *
 * @throws MisuseError `manifest_app` for an application that has no routes, `manifest_ambiguous` where two applications have a
 * resource of the same name, `option_unknown`.
 * @example
 * writeFileSync('routes.json', JSON.stringify(routeManifest(app, { app: 'shop' })))
 */
export function routeManifest(appOrRouter: object, options: ManifestOptions = {}): ManifestRoute[] {
  checkOptionNames('routeManifest()', options, ['app'])
  const all = routesOf(appOrRouter)
  const chosen = options.app === undefined ? all : routesOfApp(all, options.app)
  const actions = new Map<string, RouteInfo>()
  for (const route of chosen) {
    const name = nameOf(route)
    const known = actions.get(name)
    if (known !== undefined && known.app !== route.app) throw ambiguous(name, known, route)
    if (known === undefined || (known.method !== 'GET' && route.method === 'GET')) actions.set(name, route)
  }
  return [...actions].map(([name, { method, path, query }]) => ({ name, method, path: path + namesOfQuery(method, query) }))
}

function routesOfApp(routes: readonly RouteInfo[], app: string): RouteInfo[] {
  const chosen = routes.filter((route) => route.app === app)
  if (chosen.length > 0) return chosen
  const apps = [...new Set(routes.flatMap((route) => route.app ?? []))]
  throw new MisuseError('manifest_app', `No route belongs to the application \`${app}\`; there ${apps.length === 0 ? 'is none' : `are ${apps.join(', ')}`}.`)
}

function nameOf({ resource, action }: RouteInfo): string {
  return resource === '' ? action : `${resource}.${action}`
}

function ambiguous(name: string, one: RouteInfo, other: RouteInfo): MisuseError {
  const apps = [one, other].map(({ app }) => (app === undefined ? 'no application' : `\`${app}\``)).join(' and ')
  return new MisuseError('manifest_ambiguous', `\`${name}\` is a route of ${apps}: make a manifest for each, with { app }.`)
}

/** A client has to know which arguments belong to the query where `input` reads the body. */
function namesOfQuery(method: string, query: z.ZodType | undefined): string {
  const names = query === undefined || ['GET', 'HEAD', 'DELETE', 'OPTIONS'].includes(method) ? [] : [...new Set(fieldsOf(query))]
  return names.length === 0 ? '' : `?${names.join(',')}`
}

function fieldsOf(schema: unknown): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape)
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(fieldsOf)
  if (schema instanceof z.ZodPipe) return fieldsOf(schema.in)
  if (schema instanceof z.ZodIntersection) return [schema.def.left, schema.def.right].flatMap(fieldsOf)
  return schema instanceof z.ZodLazy ? fieldsOf(schema.unwrap()) : []
}

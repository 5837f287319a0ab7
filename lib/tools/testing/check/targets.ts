import type { Application } from 'express'
import { isGuard, listing, methodsOf, middlewareIn, rootOf, samplePathOf, shapeOf, stackOf, walk, type ExpressRoute,
  type MatchedLayer } from '../../../core/index.js'
import { openapi } from '../../openapi/document.js'
import type { OpenApiDocument, Operation } from '../../openapi/types.js'
import { matrixFor, methodsIn, type AccessCallers } from '../access-matrix.js'
import type { Target } from './model.js'

/** The routes of an app, and the document about them. */
export interface Surface {
  readonly targets: readonly Target[]
  readonly document: OpenApiDocument
}

/** Lists every route of an app with every method, its operation and who may call it. */
export async function surfaceOf(app: Application, callers: AccessCallers): Promise<Surface> {
  const document = openapi(app, { title: 'API', version: '0.0.0' })
  const { rows } = await matrixFor('checkApi()', app, callers)
  const operations = operationsByShape(document)
  const targets = routesIn(app).map(({ method, path, entry, route }) => {
    const name = entry?.name ?? null
    const row = rows.find((one) => one.path === path && one.name === name && [method, '*'].includes(one.method))
    const operation = entry === undefined || entry.doc === false
      ? undefined
      : operations.get(`${method} ${shapeOf(path)}`)
    return { method, path, name, entry, operation, access: row?.access ?? {}, isInFront: isInFront(app, route, path) }
  })
  return { targets, document }
}

/** A route with one method. */
export interface ListedRoute extends Pick<Target, 'method' | 'path' | 'entry'> {
  readonly route: ExpressRoute
}

/** Lists every route of an app with every method; of two that no request can tell apart the first replies. */
export function routesIn(app: Application): ListedRoute[] {
  const shown = new Set<string>()
  return listing(app).flatMap(({ path, isPattern, route, entries }) => {
    // A handler of all methods is tested with two of them.
    const methods = methodsIn(route).flatMap((method) => method === '*' ? ['GET', 'POST'] : [method])
    const routes = entries.length > 0
      ? entries.map((entry) => ({ method: entry.method, entry }))
      : methods.map((method) => ({ method, entry: undefined }))
    return routes.flatMap((one) => {
      const place = `${one.method} ${shapeOf(path)}`
      if (shown.has(place) || isPattern || !path.startsWith('/')) return []
      shown.add(place)
      return [{ ...one, path, route }]
    })
  })
}

/** Returns every name by which an option may call a route: its own, its path, and its path after a method. */
export function routeNames(app: Application): ReadonlySet<string> {
  return new Set(listing(app).flatMap(({ path, route, entries }) => [
    path,
    ...entries.flatMap(({ name, method }) => [name, `${method} ${path}`]),
    ...methodsOf(route).map((method) => `${method} ${path}`),
  ]))
}

function operationsByShape({ paths }: OpenApiDocument): Map<string, Operation> {
  return new Map(
    Object.entries(paths).flatMap(([template, item]) => {
      const shape = shapeOf(template.replace(/\{([^{}]+)\}/g, ':"$1"'))
      return Object.entries(item).flatMap(([method, operation]) => {
        const place = `${method.toUpperCase()} ${shape}`
        return [[place, operation] as const, [place.replaceAll(':', '*'), operation] as const]
      })
    }),
  )
}

/** Returns true for a layer that is mounted with a path; one without a path concerns only what is mounted after it. */
function isBelowPrefix({ match, outer }: MatchedLayer): boolean {
  return match.path.replace(/\/$/, '') !== '' || (outer !== undefined && isBelowPrefix(outer))
}

/** Returns true if a guard for the path of a route is mounted after it, so that requests never reach the guard. */
function isInFront(app: Application, target: ExpressRoute, path: string): boolean {
  let [isPassed, guardsAfter] = [false, 0]
  walk(stackOf(rootOf(app)), samplePathOf(path), {
    middleware(met) {
      if (isPassed && isGuard(middlewareIn(met.layer)) && isBelowPrefix(met)) guardsAfter++
      return false
    },
    route(route) {
      if (route === target) isPassed = true
      return false
    },
  })
  return guardsAfter > 0
}

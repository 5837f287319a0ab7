import { listing, memoize, pathNamesOf, QUERY_METHODS, shapeOf, toTemplate, withoutGroups,
  type MountedRoute } from '../../core/index.js'
import { toPascalCase } from './names.js'

/** A route under its full path. */
export interface ListedRoute {
  readonly path: string
  readonly route: MountedRoute
}

/** A route that a document may show. */
export interface DocumentedRoute extends ListedRoute {
  readonly template: Template
  /** The methods of the same action at the same path that were declared before this one. */
  readonly methodsBefore: number
}

/** A path as OpenAPI writes it; routes that differ only in the names of their parameters share one. */
interface Template {
  readonly text: string
  /** The names of the parameters in the document, in order. */
  readonly names: readonly string[]
}

/** The resource routes of a list of all routes, without those below a regular expression. */
const resourceRoutesOf = memoize((all: ReturnType<typeof listing>): readonly ListedRoute[] =>
  all.flatMap(({ path, isPattern, entries }) => (isPattern ? [] : entries.map((route) => ({ path, route }))))
)

/**
 * Returns all resource routes of an app or a Router, in Express's order; the same list while no layer below it changes.
 */
export function listedRoutes(appOrRouter: object): readonly ListedRoute[] {
  return resourceRoutesOf(listing(appOrRouter))
}

/** Returns true if both lists have the same routes, so that they are documented in the same way. */
export function areSameRoutes(some: readonly ListedRoute[], others: readonly ListedRoute[]): boolean {
  return some === others
    || (some.length === others.length && some.every((route, index) => isSameRoute(route, others[index])))
}

/** A route without an `app` is described anew for each listing, since the guards in front of it may change. */
function isSameRoute(one: ListedRoute, other: ListedRoute | undefined): boolean {
  if (one.path !== other?.path) return false
  if (one.route === other.route) return true
  const same = (name: string): boolean => {
    const left: unknown = Reflect.get(one.route, name)
    const right: unknown = Reflect.get(other.route, name)
    return Array.isArray(left) ? String(left) === String(right) : left === right
  }
  return Object.keys(one.route).every(same)
}

const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']

/** Returns true if OpenAPI 3.1 has a place for the method. */
export function isDocumentable(method: string): boolean {
  return METHODS.includes(method)
}

/**
 * Returns the routes that documents are about, in an order that does not depend on how they were mounted.
 *
 * Of two that no request can tell apart the first replies, and so it is the one that is documented.
 */
export function documentedRoutes(listed: readonly ListedRoute[]): DocumentedRoute[] {
  const reached = new Map<string, ListedRoute>()
  for (const route of listed) {
    const place = `${shapeOf(route.path)} ${route.route.method}`
    if (!reached.has(place)) reached.set(place, route)
  }
  const documented = [...reached.values()].filter(({ route }) => route.doc !== false && isDocumentable(route.method))
  const before = methodsBefore(documented)
  // The names in a template are those of the first path of its shape.
  const templates = new Map<string, Template>()
  return documented.sort(byPlace).map((route) => {
    const { path } = route
    const template = templates.get(shapeOf(path)) ?? { text: toTemplate(path), names: pathNamesOf(path) }
    templates.set(shapeOf(path), template)
    return { ...route, template, methodsBefore: before.get(route) ?? 0 }
  })
}

/** Returns the static segments of the path under which the Router of a route is mounted, as a part of an identifier. */
export function mountOf(path: string, own: string): string {
  const mount = withoutGroups(path.slice(0, path.length - (own === '/' ? 0 : own.length)))
  return toPascalCase(mount.split('/').filter((segment) => !/[:*]/.test(segment)).join('-'))
}

export function readsQuery({ method }: MountedRoute): boolean {
  return QUERY_METHODS.has(method)
}

export function belongsTo({ doc }: MountedRoute, wanted: string | readonly string[] | undefined): boolean {
  if (wanted === undefined) return true
  const domains: readonly unknown[] = [doc].flat()
  return [wanted].flat().some((domain) => domains.includes(domain))
}

function methodsBefore(routes: readonly ListedRoute[]): Map<ListedRoute, number> {
  const counts = new Map<string, number>()
  return new Map(routes.map((route) => {
    const action = `${route.path} ${route.route.name}`
    const count = counts.get(action) ?? 0
    counts.set(action, count + 1)
    return [route, count]
  }))
}

function byPlace(one: ListedRoute, other: ListedRoute): number {
  return compare(one.path, other.path) || METHODS.indexOf(one.route.method) - METHODS.indexOf(other.route.method)
}

/** Compares by code units, so that the order is the same in every locale. */
export function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}

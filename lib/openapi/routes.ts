import { listing } from '../resource/listing.js'
import { shapeOf } from '../resource/path.js'
import type { MountedRoute } from '../routing/registry.js'
import { compare } from './order.js'

/** A route under its full path. */
export interface DocumentedRoute {
  readonly path: string
  readonly route: MountedRoute
}

/** All resource routes, in Express's order. */
export function mountedRoutes(appOrRouter: object): DocumentedRoute[] {
  return listing(appOrRouter).flatMap(({ path, entries }) => entries.map((route) => ({ path, route })))
}

/**
 * The routes that a document is about, in an order that does not depend on how they were mounted.
 *
 * Of two that no request can tell apart the first is the one that answers, and so the one that is documented.
 */
export function documentedRoutes(appOrRouter: object, doc: string | readonly string[] | undefined): DocumentedRoute[] {
  const reached = new Map<string, DocumentedRoute>()
  for (const { path, route } of mountedRoutes(appOrRouter)) {
    const place = `${shapeOf(path)} ${route.method}`
    if (!reached.has(place)) reached.set(place, { path, route })
  }
  return [...reached.values()].filter(({ route }) => belongs(route, doc)).sort(byPlace)
}

function belongs({ doc }: MountedRoute, wanted: string | readonly string[] | undefined): boolean {
  if (doc === false) return false
  if (wanted === undefined) return true
  const domains = [doc ?? []].flat()
  return [wanted].flat().some((domain) => domains.includes(domain))
}

const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']

/** Whether OpenAPI 3.1 has a place for the method. */
export function isDocumentable(method: string): boolean {
  return METHODS.includes(method)
}

function byPlace(one: DocumentedRoute, other: DocumentedRoute): number {
  return compare(one.path, other.path) || METHODS.indexOf(one.route.method) - METHODS.indexOf(other.route.method)
}

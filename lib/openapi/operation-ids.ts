import type { DocumentedRoute } from './routes.js'

/** A unique id for each route: its name, and where several have the name, its method, and then a number. */
export function operationIdsOf(routes: readonly DocumentedRoute[]): Map<DocumentedRoute, string> {
  const ids = numbered(grouped(routes, ({ route }) => route.name), ({ route }) => `${route.name}.${route.method.toLowerCase()}`)
  return ids
}

function grouped(routes: readonly DocumentedRoute[], keyOf: (route: DocumentedRoute) => string): Map<string, DocumentedRoute[]> {
  const groups = new Map<string, DocumentedRoute[]>()
  for (const route of routes) groups.set(keyOf(route), [...(groups.get(keyOf(route)) ?? []), route])
  return groups
}

function numbered(groups: Map<string, DocumentedRoute[]>, nextKey: (route: DocumentedRoute) => string): Map<DocumentedRoute, string> {
  const ids = new Map<DocumentedRoute, string>()
  for (const [name, routes] of groups) {
    if (routes.length === 1) for (const route of routes) ids.set(route, name)
    else for (const [key, same] of grouped(routes, nextKey)) same.forEach((route, index) => ids.set(route, index === 0 ? key : `${key}.${index + 1}`))
  }
  return ids
}

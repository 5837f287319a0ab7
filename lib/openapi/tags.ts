import type { MountedRoute } from '../routing/registry.js'
import { compare } from './order.js'
import type { DocumentedRoute } from './routes.js'
import type { OpenApiDocument } from './types.js'

/** A route without a tag stands under what people call its resource. */
export function tagsOf({ tags, resourceLabel, app }: MountedRoute): readonly string[] {
  if (tags.length > 0) return tags
  return [resourceLabel === '' ? (app ?? 'API') : resourceLabel]
}

/** All tags in use, by name, each with the resources behind it. */
export function tagList(routes: readonly DocumentedRoute[]): OpenApiDocument['tags'] {
  const resources = new Map<string, Set<string>>()
  for (const { route } of routes) {
    for (const tag of tagsOf(route)) resources.set(tag, (resources.get(tag) ?? new Set()).add(nameOf(route)))
  }
  return [...resources].sort(([one], [other]) => compare(one, other))
    .map(([name, names]) => ({ name, description: `The routes of ${[...names].sort(compare).join(', ')}` }))
}

function nameOf({ app, resource }: MountedRoute): string {
  const name = [app, resource].filter(Boolean).join('.')
  return name === '' ? 'this API' : `\`${name}\``
}

import { placeFinder } from '../auth/route-of.js'
import { middlewareIn } from '../routing/guards.js'
import type { Listed, MountedRoute } from '../routing/registry.js'
import { handlersOf, middlewareFinder } from '../routing/guard-finder.js'
import { stackOf } from '../express/stack.js'
import { anyEncoding, encodingOf, type Encoding } from './envelope.js'

/** Returns the envelope that replies of a route have, `undefined` for the default. */
export type EncodingFinder = (route: MountedRoute, path: string) => Encoding | undefined

/** Returns a function that finds the envelope which requests for these routes pass last. */
export function encodingFinder(appOrRouter: object, routes: readonly Listed[]): EncodingFinder {
  if (!anyEncoding) return () => undefined
  const find = middlewareFinder(stackOf(appOrRouter), (handlers) => encodingsAmong(handlers).length > 0)
  const placeOf = placeFinder(routes)
  return (entry, path) => {
    const place = placeOf(entry, path)
    if (place === undefined) return undefined
    const { route, entry: { ownMiddleware } } = place
    const own = handlersOf(route, entry.method).map(middlewareIn)
    return encodingsAmong([...find(route, entry.method, path), ...own, ...ownMiddleware]).at(-1)
  }
}

function encodingsAmong(handlers: readonly unknown[]): Encoding[] {
  return handlers.flatMap((handler) => (typeof handler === 'function' ? encodingOf(handler) ?? [] : []))
}

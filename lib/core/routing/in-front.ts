import { isFunction, mountPathOf } from '../express/layers.js'
import type { ExpressRoute, Layer } from '../express/stack.js'
import { samplePathOf } from './path.js'
import { guardsAmong, isGuard, middlewareIn } from './guards.js'
import { walk, type MatchedLayer } from './walk.js'

/*
 * A function that an application mounts with a path may answer requests itself, such as a Router in a function. After
 * `auth` that must not depend on a public route further back, which the function's author did not think of.
 */

/** Returns true for a layer of a function of the application's, which may answer; guards of this package do not. */
export function mayAnswer({ layer }: Pick<MatchedLayer, 'layer'>): boolean {
  return isFunction(layer) && !isGuard(middlewareIn(layer))
}

/**
 * Returns true if a function is mounted with a path that is not a literal prefix of a route's declared path, so that
 * the function answers for other reasons than the route.
 */
export function isApart(mounted: MatchedLayer, route: MatchedLayer): boolean {
  const [path, declared] = pathsFrom(mounted, route)
  return !path.every((segment, at) => isSame(segment, declared[at]))
}

/** Returns true if a function is mounted with a path that is not a literal prefix of that of a guard in front of it. */
export function hasOwnPath(mounted: MatchedLayer, guard: MatchedLayer): boolean {
  return mountPathOf(mounted.layer, mounted.match) !== '' && isApart(mounted, guard)
}

/** Returns true if a layer and the mounts around it have one path each, and match no other. */
export function hasFixedPath(matched: MatchedLayer): boolean {
  return wayTo(matched).every(({ layer, match }) =>
    !Array.isArray(layer.rawPath) && /^[^:*{\\]*$/.test(mountPathOf(layer, match) ?? ':')
  )
}

type Segments = readonly (string | undefined)[]

/** Returns the declared paths of a function and of a route from the innermost router that contains both. */
function pathsFrom(mounted: MatchedLayer, route: MatchedLayer): readonly [path: Segments, declared: Segments] {
  const [own, other] = [wayTo(mounted), wayTo(route)]
  const shared = own.findIndex((matched, at) => matched.layer !== other[at]?.layer)
  return [segmentsOf(own.slice(shared)), segmentsOf(other.slice(shared))]
}

function wayTo(matched: MatchedLayer): MatchedLayer[] {
  return matched.outer === undefined ? [matched] : [...wayTo(matched.outer), matched]
}

/** Returns the segments of a declared path, `undefined` for a part that is not known. */
function segmentsOf(way: readonly MatchedLayer[]): Segments {
  return way.flatMap(({ layer, match }) => mountPathOf(layer, match)?.split('/').slice(1) ?? [undefined])
}

function isSame(segment: string | undefined, declared: string | undefined): boolean {
  if (segment === undefined || declared === undefined || segment.includes('*')) return false
  return segment === declared || (!/[:{]/.test(segment) && segment.toLowerCase() === declared.toLowerCase())
}

/** The names of functions of well-known packages that answer only what is meant to be public. */
// dprint-ignore
const KNOWN: readonly string[] = [
  'jsonParser', 'urlencodedParser', 'textParser', 'rawParser', 'serveStatic', 'corsMiddleware', 'helmetMiddleware',
  'compression', 'cookieParser', 'session', 'logger', 'loggingMiddleware', 'responseTime', 'favicon',
]

/**
 * Returns the names of functions without a path, of unknown origin, that a request passes after an `auth` and in front
 * of a route.
 */
export function functionsInFront(stack: readonly Layer[], target: ExpressRoute, path: string): string[] {
  let isGuarded = false
  const functions: MatchedLayer[] = []
  let found: readonly MatchedLayer[] = []
  walk(stack, samplePathOf(path), {
    middleware(matched) {
      if (isGuarded && mayAnswer(matched) && !KNOWN.includes(matched.layer.name)) functions.push(matched)
      isGuarded ||= guardsAmong([middlewareIn(matched.layer)]).some(({ kind }) => kind === 'auth')
      return false
    },
    route(route, matched) {
      if (route !== target) return false
      found = functions.filter((candidate) => pathsFrom(candidate, matched)[0].length === 0)
      return true
    },
  })
  return [...new Set(found.map(({ layer }) => layer.name))]
}

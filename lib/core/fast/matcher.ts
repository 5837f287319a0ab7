import { emptyMap } from '../base/guards.js'
import { matchOf, restOf } from '../express/layers.js'
import type { Layer, Match } from '../express/stack.js'
import { samplePathOf } from '../routing/path.js'
import { isPlainSegment } from './route-index.js'

/** Returns the part of a path without `%` that a layer matches, `undefined` if it does not match. */
export type Matcher = (path: string) => Match | undefined

/**
 * Returns the matcher of a layer whose `match` is Express's own. For a mount, a match that does not end at a slash is
 * none. Simple paths are compared without the regular expression of Express, which takes several times as long.
 */
export function matcherOf(layer: Layer): Matcher {
  const { rawPath, route, slash } = layer
  if (slash === true) return () => ({ path: '', params: {} })
  const simple = typeof rawPath !== 'string'
    ? undefined
    : route === undefined
    ? prefixMatcher(rawPath)
    : routeMatcher(rawPath)
  if (simple !== undefined && isLenient(layer, String(rawPath))) return simple
  if (route !== undefined) return (path) => matchOf(layer, path)
  return (path) => {
    const match = matchOf(layer, path)
    return match === undefined || restOf(path, match.path) === undefined ? undefined : match
  }
}

/** Returns true if a layer ignores letter case and a slash at the end, as Express does by default. */
function isLenient(layer: Layer, path: string): boolean {
  const sample = samplePathOf(path, 'x').replace(/\/+$/, '')
  return [sample.toLowerCase(), `${sample.toUpperCase()}/`].every((variant) => matchOf(layer, variant) !== undefined)
}

function prefixMatcher(rawPath: string): Matcher | undefined {
  const prefix = rawPath.replace(/\/+$/, '').toLowerCase()
  if (!/^\/./.test(prefix) || !prefix.slice(1).split('/').every(isPlainSegment)) return undefined
  const { length } = prefix
  return (path) => {
    if (path.length > length && path[length] !== '/') return undefined
    const start = path.slice(0, length)
    if (start !== prefix && start.toLowerCase() !== prefix) return undefined
    // A last slash belongs to the mount.
    return { path: path.length === length + 1 ? path : start, params: emptyMap() }
  }
}

function routeMatcher(rawPath: string): Matcher | undefined {
  const paramsOf = simpleMatcher(rawPath)
  return paramsOf && ((path) => {
    const params = paramsOf(path)
    return params === false ? undefined : { path, params }
  })
}

/**
 * Returns a function that matches paths without `%` as Express does by default: in any letter case, with or without a
 * trailing slash.
 *
 * Each segment must be text or one path argument; the result is `undefined` for any other route.
 */
export function simpleMatcher(route: string): ((path: string) => Match['params'] | false) | undefined {
  const segments = route.split('/').slice(1).map(toSegment)
  if (!route.startsWith('/') || !segments.every((segment) => segment !== undefined)) return undefined
  return (path) => {
    if (!path.startsWith('/')) return false
    const params: Match['params'] = emptyMap()
    let at = 0
    for (const { name, text } of segments) {
      const slash = path.indexOf('/', at + 1)
      const end = slash === -1 ? path.length : slash
      const segment = path.slice(at + 1, end)
      if (name !== undefined && segment !== '') params[name] = segment
      else if (name !== undefined || (segment !== text && segment.toLowerCase() !== text)) return false
      at = end
    }
    return at >= path.length - 1 ? params : false
  }
}

interface Segment {
  /** The name of a path argument. */
  readonly name?: string
  /** In lower case. */
  readonly text: string
}

function toSegment(segment: string): Segment | undefined {
  const name = /^:([A-Za-z_$][\w$]*)$/.exec(segment)?.[1]
  if (name !== undefined) return { name: asKey(name), text: '' }
  return isPlainSegment(segment) ? { text: segment.toLowerCase() } : undefined
}

/**
 * Returns the string that the engine keeps for a property of this name: with a copy of it, every assignment looks the
 * kept one up first, which takes a fifteenth of the time of a short reply.
 */
function asKey(name: string): string {
  return Object.keys({ [name]: true })[0] ?? name
}

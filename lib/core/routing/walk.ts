import type { Application } from 'express'
import { appIn, matchOf, restOf, stackInside } from '../express/layers.js'
import type { ExpressRoute, Layer, Match } from '../express/stack.js'
import type { Implementation } from '../express/implementation.js'

/** A layer that matches a path, and the mounts around it. */
export interface MatchedLayer {
  readonly layer: Layer
  readonly match: Match
  readonly outer: MatchedLayer | undefined
}

/** Returns the innermost app that contains a layer, `undefined` for the one in which the walk began. */
export function appAround({ outer }: MatchedLayer): Application | undefined {
  return outer && (appIn(outer.layer) ?? appAround(outer))
}

interface Visitor {
  /**
   * Called for each matching layer that is not a route, before the layers inside it, with the rest of the path; `true`
   * ends the walk.
   */
  middleware?(matched: MatchedLayer, path: string): boolean
  /** Called for each route whose path matches, whatever its methods; `true` ends the walk. */
  route(route: ExpressRoute, matched: MatchedLayer): boolean
  /** Returns false for a layer to skip, before its path is matched. */
  concerns?(layer: Layer): boolean
  /** Skips layers that cannot match. */
  readonly layersFor?: Implementation['layersFor']
}

/**
 * Visits the layers that a path matches, in Express's order and by the layers' own `match`, through nested routers and
 * apps. Handlers do not run. Returns true if a visitor or a malformed `%` ended the walk.
 */
export function walk(stack: readonly Layer[], path: string, visitor: Visitor, outer?: MatchedLayer): boolean {
  const layers = visitor.layersFor?.(stack, path) ?? stack
  return layers.some((layer) => visit(layer, path, visitor, outer))
}

function visit(layer: Layer, path: string, visitor: Visitor, outer: MatchedLayer | undefined): boolean {
  if (visitor.concerns?.(layer) === false) return false
  const match = matchBy(layer, path)
  if (match === MALFORMED || match === undefined) return match === MALFORMED
  const matched = { layer, match, outer }
  if (layer.route !== undefined) return visitor.route(layer.route, matched)
  const rest = restOf(path, match.path)
  if (rest === undefined) return false
  if (visitor.middleware?.(matched, rest)) return true
  const inside = stackInside(layer)
  return inside !== undefined && walk(inside, rest, visitor, matched)
}

const MALFORMED = Symbol('malformed')

/**
 * Returns the match of a layer, `MALFORMED` if Express refuses the path and reaches no further route.
 */
function matchBy(layer: Layer, path: string): Match | typeof MALFORMED | undefined {
  try {
    return matchOf(layer, path)
  } catch {
    return MALFORMED
  }
}

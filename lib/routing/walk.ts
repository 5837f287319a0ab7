import { matchOf, stackInside, type ExpressRoute, type Layer } from '../express/stack.js'
import type { Parts } from '../seam.js'

interface Visitor {
  /** Each layer that is no route and matches, before what is inside it; `path` is what is left for it; `true` ends the walk. */
  middleware?(layer: Layer, path: string): boolean
  /** Each route whose path matches, whatever its methods; `true` ends the walk. */
  route(route: ExpressRoute): boolean
  /** Tells of a layer whether it is looked at, before its path is matched. */
  concerns?(layer: Layer): boolean
  /** Spares the walk most of the routes behind an index. */
  readonly indexAt?: Parts['indexAt']
}

/**
 * Walks the layers that a path meets, in Express's order and by the layers' own `match`, through nested routers and apps.
 * No handler of the user runs. Returns true if the walk was ended, by a visitor or by a malformed `%`.
 */
export function walk(stack: readonly Layer[], path: string, visitor: Visitor): boolean {
  const { indexAt } = visitor
  for (let at = 0, layer = stack[0]; layer !== undefined; layer = stack[++at]) {
    const index = indexAt?.(stack, at, path)
    if (index === undefined ? meet(layer, path, visitor) : index.layers.some((one) => meet(one, path, visitor))) return true
    at += index?.size ?? 0
  }
  return false
}

function meet(layer: Layer, path: string, visitor: Visitor): boolean {
  if (visitor.concerns?.(layer) === false) return false
  const matched = matchedBy(layer, path)
  return matched === MALFORMED || (matched !== undefined && visit(layer, path, matched, visitor))
}

function visit(layer: Layer, path: string, matched: string, visitor: Visitor): boolean {
  if (layer.route !== undefined) return visitor.route(layer.route)
  const rest = restOf(path, matched)
  if (rest === undefined) return false
  if (visitor.middleware?.(layer, rest)) return true
  const inside = stackInside(layer)
  return inside !== undefined && walk(inside, rest, visitor)
}

const MALFORMED = Symbol('malformed')

/** What of the path a layer matches; `MALFORMED` where Express refuses the path and reaches no route any more. */
function matchedBy(layer: Layer, path: string): string | typeof MALFORMED | undefined {
  try {
    return matchOf(layer, path)?.path
  } catch {
    return MALFORMED
  }
}

/** What Express leaves of the path for the inside of a mount, `undefined` where it would pass the mount by. */
function restOf(path: string, matched: string): string | undefined {
  if (matched === '') return path
  if (!path.startsWith(matched)) return undefined
  const rest = path.slice(matched.length)
  if (rest === '') return '/'
  return rest.startsWith('/') ? rest : undefined
}

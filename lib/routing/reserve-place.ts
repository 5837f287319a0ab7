import type { RequestHandler } from 'express'
import { lastLayer, matchesBy, openStackOf, type Layer } from './express-stack.js'
import { filled, reserve } from './reserved.js'

/** A Router or an app of Express's, as far as a place in it is concerned. */
interface Host {
  use(middleware: RequestHandler): unknown
}

/** The layers that have kept a place for what is there by now: they match nothing any more. */
const closed = new WeakSet<Layer>()

export function isClosedPlace(layer: Layer): boolean {
  return closed.has(layer)
}

/**
 * Keeps the next place on a router for what `mount` adds to it later: at the first request, or when somebody looks at its routes.
 *
 * Express adds at the end only, so that what stands behind the place is set aside meanwhile; the layer that kept the place stays in
 * front of what was added, for a request may be standing there.
 */
export function reservePlace(host: Host, mount: () => void): void {
  const stack = openStackOf(host) as Layer[]
  host.use((_req, _res, next) => {
    filled(stack)
    next()
  })
  const keeper = lastLayer(stack)
  matchesBy(keeper, (path, own) => !closed.has(keeper) && own(path))
  reserve(stack, () => {
    const behind = stack.splice(stack.indexOf(keeper) + 1)
    // What is added goes on with the routes in front of a place that is closed.
    closed.add(keeper)
    try {
      mount()
    } catch (error) {
      closed.delete(keeper)
      throw error
    } finally {
      stack.push(...behind)
    }
  })
}

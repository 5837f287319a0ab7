import type { RequestHandler } from 'express'
import { lastLayer, matchOnlyIf, openStackOf, type Layer } from '../express/stack.js'
import { filled, reserve } from './reserved.js'

/** A Router or an app of Express's, as far as a place in it is concerned. */
interface Host {
  use(middleware: RequestHandler): unknown
}

/** The layers that reserved a place for routes that have been added by now: they match nothing any more. */
const closed = new WeakSet<Layer>()

export function isClosedPlace(layer: Layer): boolean {
  return closed.has(layer)
}

/**
 * Reserves the next place on a router for what `mount` adds to it later: at the first request, or when somebody looks at its routes.
 *
 * Express adds at the end only, so what stands behind the place is set aside meanwhile. The layer that reserved the place stays in front
 * of what was added, since a request may be standing there.
 */
export function reservePlace(host: Host, mount: () => void): void {
  host.use((_req, _res, next) => {
    filled(stack)
    next()
  })
  const stack = openStackOf(host) as Layer[]
  const keeper = lastLayer(stack)
  matchOnlyIf(keeper, () => !closed.has(keeper))
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

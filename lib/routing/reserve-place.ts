import type { RequestHandler } from 'express'
import { lastLayer, matchesBy, openStackOf, type Layer } from './express-stack.js'
import { filled, reserve } from './reserved.js'

/** A Router or an app of Express's, as far as a place in it is concerned. */
interface Host {
  use(middleware: RequestHandler): unknown
}

/**
 * Keeps the next place on a router for what `mount` adds to it later: at the first request, or when somebody looks at its routes.
 *
 * Express adds at the end only, so that what was added is moved; the layer that kept the place stays in front of it, for a
 * request may be standing there.
 */
export function reservePlace(host: Host, mount: () => void): void {
  const stack = openStackOf(host) as Layer[]
  host.use((_req, _res, next) => {
    filled(stack)
    next()
  })
  const keeper = lastLayer(stack)
  let taken = false
  matchesBy(keeper, (path, own) => !taken && own(path))
  reserve(stack, () => {
    const before = stack.length
    // What stands at the end has nothing to do with what is added here.
    host.use((_req, _res, next) => next())
    try {
      mount()
      taken = true
    } finally {
      const [, ...added] = stack.splice(before)
      stack.splice(stack.indexOf(keeper) + 1, 0, ...added)
    }
  })
}

import type { IRouter, RequestHandler } from 'express'
import type { ExpressRoute } from '../../lib/core/express/stack.js'
import { lookAhead } from '../../lib/core/routing/look-ahead.js'
import { register } from '../../lib/core/routing/registry.js'
import { entryOf, type Marks } from '../auth/marked-routes.js'

/** Creates a middleware that records its look-ahead: the name of a route, or the kind of result. */
export function watching(): { look: RequestHandler; seen: string[] } {
  const seen: string[] = []
  const look: RequestHandler = (req, _res, next) => {
    const ahead = lookAhead(req, look)
    seen.push(ahead.kind === 'resource' ? ahead.route.name : ahead.kind)
    next()
  }
  return { look, seen }
}

export const answer: RequestHandler = (_req, res) => void res.end('reached')

/** Adds a declared route without an application. */
export function resource<Target extends IRouter>(target: Target, path: string, name: string,
  marks: Marks = {}): Target
{
  const route = target.route(path)
  const entry = entryOf(path, name, { app: null, ...marks })
  route[entry.method.toLowerCase() as 'get'](answer)
  register(route as unknown as ExpressRoute, entry)
  return target
}

/** Passes for an app in Express, and has no stack that can be read. */
export const foreign = Object.assign(() => undefined, {
  handle: (_req: unknown, _res: unknown, next: () => void) => next(),
  set() {},
  emit() {},
})

import type { Request } from 'express'
import { stackInside } from '../express/layers.js'
import { rootOf, stackOf, type Layer } from '../express/stack.js'
import { attempt } from '../base/promises.js'
import { redacted } from '../base/redact.js'
import { errorLogOf, type ErrorLog } from './error-handler.js'

/**
 * Logs an error that the reply does not tell, by the `log` of the `errorHandler` that the request's errors reach.
 *
 * @param what begins the line on the console, where no `log` is given: "After create was committed"
 */
export function logLate(error: unknown, req: Request, what: string): void {
  const log = attempt(() => logFor(req))
  if (log !== undefined) {
    attempt(() => log(error, req))
    return
  }
  const id = attempt(() => (req as { readonly id?: unknown }).id)
  const request = typeof id === 'string' || typeof id === 'number' ? ` (request ${id})` : ''
  console.error(`${what}${request}:`, redacted(error))
}

/** Finds the first error handler after the route of a request; without one the first there is. */
function logFor({ app, route }: Request): ErrorLog | undefined {
  const stack = stackOf(rootOf(app))
  const behind = search(stack, route, false)
  return (behind.handler === undefined ? search(stack, route, true).handler : behind.handler)?.log
}

interface Search {
  /** True once the route was passed. */
  readonly isPassed: boolean
  readonly handler: { readonly log: ErrorLog | undefined } | undefined
}

function search(stack: readonly Layer[], route: unknown, from: boolean): Search {
  let isPassed = from
  for (const layer of stack) {
    const handler = errorLogOf(layer.handle)
    if (handler !== undefined) {
      if (isPassed) return { isPassed, handler }
    } else if (layer.route !== undefined) isPassed ||= layer.route === route
    else if (!isPassed || from) {
      const inside = search(stackInside(layer) ?? [], route, from)
      if (inside.handler !== undefined) return inside
      isPassed ||= inside.isPassed
    }
  }
  return { isPassed, handler: undefined }
}

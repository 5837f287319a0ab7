import type { Request } from 'express'
import { stackInside } from '../express/layers.js'
import { rootOf, stackOf, type Layer } from '../express/stack.js'
import { attempt } from '../base/promises.js'
import { redactError } from '../base/redact.js'
import { requestIdOf, settingsOf, type ErrorLog, type HandlerSettings } from './handler-settings.js'

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
  const id = requestIdOf(req)
  const request = id === undefined ? '' : ` (request ${id})`
  console.error(`${what}${request}:`, redactError(error))
}

/** Finds the first error handler after the route of a request; without one the first there is. */
function logFor({ app, route }: Request): ErrorLog | undefined {
  const stack = stackOf(rootOf(app))
  const handler = search(stack, { route, isPassed: false }) ?? search(stack, { route, isPassed: true })
  return handler?.log
}

interface Search {
  readonly route: unknown
  /** True once the route was passed. */
  isPassed: boolean
}

/** Finds the first error handler after a route in Express's order. */
function search(stack: readonly Layer[], state: Search): HandlerSettings | undefined {
  const isAny = state.isPassed
  for (const layer of stack) {
    if (layer.route === undefined) {
      const own = settingsOf(layer.handle)
      // A router after the route was passed has other routes.
      const isInside = own === undefined && (isAny || !state.isPassed)
      const found = isInside ? search(stackInside(layer) ?? [], state) : state.isPassed ? own : undefined
      if (found !== undefined) return found
    } else if (layer.route === state.route) state.isPassed = true
  }
  return undefined
}

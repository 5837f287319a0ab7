import type { Request, RequestHandler, Response } from 'express'
import { ForbiddenError, MisuseError, NotFoundError } from '../base/errors.js'
import { checkFunction } from '../base/options.js'
import { isThenable } from '../base/promises.js'

/**
 * Converts an ordinary Express handler `(req, res, next)` to a handler `(req, res, args)`.
 *
 * `next(error)` becomes an error, `next()` a 404.
 *
 * @throws MisuseError `handler_arity` for an error handler, which has four parameters; `option_function` for anything
 * but a function.
 * @example
 * mountRoutes(app, { route: '/old', routes: { page: { route: '/page', handler: fromHandler(oldHandler) } } })
 */
export function fromHandler(handler: RequestHandler): (req: Request, res: Response) => Promise<undefined> {
  checkFunction('The handler of fromHandler', handler)
  if (handler.length > 3) {
    throw new MisuseError('handler_arity', 'fromHandler converts a handler `(req, res, next)`, not an error handler.')
  }
  return (req, res) =>
    new Promise((resolve, reject) => {
      const next = (error?: unknown): void => reject(errorOf(error))
      // A handler with callbacks may fail long after it returned, so the promise is pending until the response is
      // closed.
      res.once('close', () => resolve(undefined))
      const result: unknown = handler(req, res, next)
      if (isThenable(result)) result.then(undefined, reject)
    })
}

/** Returns the error for a call of `next`; `'route'` and `'router'` would make Express continue elsewhere. */
function errorOf(error: unknown): unknown {
  if (error === 'route' || error === 'router') return new ForbiddenError()
  return error ?? new NotFoundError()
}

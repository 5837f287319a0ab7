import type { Request, RequestHandler, Response } from 'express'
import { ForbiddenError, MisuseError, NotFoundError } from '../errors.js'

/**
 * Makes an ordinary Express handler `(req, res, next)` fit where `(req, res, args)` is asked for.
 *
 * `next(error)` is an error; `next()` says that there is nothing here, and is a 404.
 *
 * @throws MisuseError `handler_arity` for an error handler, which takes four parameters.
 * @example
 * mountRoutes(app, { route: '/old', routes: { page: { route: '/page', handler: fromHandler(oldHandler) } } })
 */
export function fromHandler(handler: RequestHandler): (req: Request, res: Response) => Promise<undefined> {
  if (handler.length > 3) throw new MisuseError('handler_arity', 'fromHandler takes a handler `(req, res, next)`, not one for errors.')
  return (req, res) =>
    new Promise((resolve, reject) => {
      const next = (error?: unknown): void => reject(refusalOf(error))
      // A handler of the callback style may fail long after it returned: its promise ends with the response.
      res.once('close', () => resolve(undefined))
      const result: unknown = handler(req, res, next)
      if (result instanceof Promise) result.catch(reject)
    })
}

/** What a call of `next` says: an error, that there is nothing here, or Express's words for going elsewhere. */
function refusalOf(error: unknown): unknown {
  if (error === 'route' || error === 'router') return new ForbiddenError()
  return error ?? new NotFoundError()
}

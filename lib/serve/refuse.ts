import type { ServerResponse } from 'node:http'
import type { Request, Response } from 'express'
import { errorHandler, type ErrorHandlerOptions } from '../error-handler.js'
import type { HttpError } from '../errors.js'

/** Answers for the app: the error in the envelope, and the connection closed after it. */
export type Refuse = (res: ServerResponse, error: HttpError) => void

/** What the app's middleware set before, CORS for one, stays; what described its own reply goes. */
export function refuser(log: ErrorHandlerOptions['log']): Refuse {
  const answer = errorHandler({ log })
  return (res, error) => {
    res.setHeader('Connection', 'close')
    void answer(error, res.req as Request, res as Response, () => undefined)
  }
}

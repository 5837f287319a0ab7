import type { ServerResponse } from 'node:http'
import type { Request, Response } from 'express'
import { errorHandler, type ErrorHandlerOptions } from '../error-handler.js'

/** Answers for the app, with the error in the envelope, and closes the connection after it. */
export type Refuse = (res: ServerResponse, error: unknown) => void

/** Headers that the app's middleware has set, such as those of CORS, stay; those that describe its own reply are removed. */
export function refuser(log: ErrorHandlerOptions['log']): Refuse {
  const answer = errorHandler({ log })
  return (res, error) => {
    if (!res.headersSent) res.setHeader('Connection', 'close')
    void answer(error, res.req as Request, res as Response, () => undefined)
  }
}

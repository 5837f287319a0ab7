import type { ServerResponse } from 'node:http'
import type { Application, Request, Response } from 'express'
import { answerError, translatorOn, type ErrorHandlerOptions } from '../error-handler.js'
import { stackOf } from '../express/stack.js'
import type { Translator } from '../messages/translate.js'

/** Answers for the app, with the error in the envelope, and closes the connection after it. */
export type Refuse = (res: ServerResponse, error: unknown) => void

/**
 * Makes the answer to what does not reach the app. Headers that the app's middleware has set, such as those of CORS, stay; those that describe
 * its own reply are removed.
 */
export function refuser(app: Application, log: ErrorHandlerOptions['log']): Refuse {
  return (res, error) => {
    if (!res.headersSent) res.setHeader('Connection', 'close')
    answerError(error, res.req as Request, res as Response, { log, translate: translatorIn(app) })
  }
}

/** Returns the translator of the app's own error handler. */
export function translatorIn(app: Application): Translator | undefined {
  for (const { handle } of stackOf(app)) {
    const translate = translatorOn(handle)
    if (translate !== undefined) return translate
  }
  return undefined
}

import type { ServerResponse } from 'node:http'
import type { RequestHandler } from 'express'
import { recordOwner } from '../base/copies.js'
import { answerError } from '../reply/error-handler.js'
import { MisuseError, UnavailableError } from '../base/errors.js'
import { send } from '../reply/send.js'
import { translatorIn } from '../reply/handler-settings.js'

/** The responses of servers that are about to stop. */
const leavingResponses = new WeakSet<ServerResponse>()

/** Records that the server of a response is about to stop. */
export function markLeaving(res: ServerResponse): void {
  leavingResponses.add(res)
}

/**
 * Makes a handler that tells a proxy whether it may send requests to this server: 200, and 503 from the signal to stop
 * on. Mount it in front of `auth`. `serve` refuses one of another copy of this package (`copies_mixed`).
 *
 * @throws MisuseError `options_shape` for `app.get('/ready', ready)`, which would leave each request without a reply
 * @example
 * app.get('/ready', ready())
 * await serve(app, { delay: 5 })
 */
export function ready(...given: readonly never[]): RequestHandler {
  if (given.length > 0) {
    throw new MisuseError('options_shape', "ready() takes nothing: write `app.get('/ready', ready())`.")
  }
  const handler: RequestHandler = (req, res) => {
    res.setHeader('Cache-Control', 'no-store')
    if (!leavingResponses.has(res)) send(res, 'ok')
    else {
      const error = new UnavailableError('This server is stopping')
      answerError(error, req, res, { log: () => undefined, translate: translatorIn(req.app) })
    }
  }
  readyHandlers.add(handler)
  recordOwner(handler)
  return handler
}

const readyHandlers = new WeakSet()

/** Returns true for a handler that `ready` has made. */
export function isReady(handler: unknown): boolean {
  return typeof handler === 'function' && readyHandlers.has(handler)
}

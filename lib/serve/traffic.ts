import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorHandlerOptions } from '../error-handler.js'
import { HttpError, UnavailableError } from '../errors.js'
import { deadline } from './deadline.js'
import { discardWrites } from './discard-writes.js'
import { refuser } from './refuse.js'

/** What stands between a server and its app: who may pass, and how long they may take. */
export interface Traffic {
  /** Sets the deadline of a request that goes on, here or elsewhere. */
  watch(res: ServerResponse): void
  /** Whether a request may go on to the app; one that may not has been answered. */
  admit(req: IncomingMessage, res: ServerResponse): boolean
  /** Answers a request that asks with `Expect` for something nobody here does (RFC 9110 §10.1.1). */
  refuseExpectation(res: ServerResponse): void
  /** From now on nothing is admitted, and every answer is the last of its connection. */
  stop(): void
}

export interface TrafficOptions {
  /** In seconds, 0 for none. */
  readonly deadline: number
  readonly log: ErrorHandlerOptions['log']
}

export function createTraffic({ deadline: seconds, log }: TrafficOptions): Traffic {
  const refuse = refuser(() => undefined)
  const refuseLate = refuser(log)
  let stopped = false

  const watchDeadline = deadline(seconds, (res) => {
    refuseLate(res, new UnavailableError(`The answer did not begin within ${seconds} seconds`))
    // Middleware that ends responses later still needs it whole.
    if (res.headersSent) discardWrites(res)
  })

  return {
    watch(res) {
      watchDeadline(res)
      if (stopped) res.setHeader('Connection', 'close')
    },
    admit(req, res) {
      if (stopped) refuse(res, new UnavailableError('This server is stopping'))
      else if (lacksHost(req)) refuse(res, new HttpError(400, 'The Host header is missing', { reason: 'unreadable' }))
      else return true
      return false
    },
    refuseExpectation(res) {
      refuse(res, new HttpError(417, 'What the Expect header asks for is not done here', { reason: 'unreadable' }))
    },
    stop() {
      stopped = true
    },
  }
}

/** Node's own check answers without a body, so our server leaves it to us (RFC 9112 §3.2). */
function lacksHost(req: IncomingMessage): boolean {
  return req.headers.host === undefined && req.httpVersion === '1.1'
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Application } from 'express'
import type { ErrorHandlerOptions } from '../error-handler.js'
import { HttpError, UnavailableError } from '../errors.js'
import { messageOf, type Message } from '../messages.js'
import { deadline } from './deadline.js'
import { discardWrites } from './discard-writes.js'
import { refuser } from './refuse.js'

/** What stands between a server and its app: who may pass, and how long they may take. */
export interface Traffic {
  /** Sets the deadline of a request that goes on, here or elsewhere, and takes the errors of its response. */
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

export function createTraffic(app: Application, { deadline: seconds, log }: TrafficOptions): Traffic {
  const refuse = refuser(app, () => undefined)
  const refuseLate = refuser(app, log)
  let stopped = false

  const watchDeadline = deadline(seconds, (res) => {
    refuseLate(res, new UnavailableError(`The answer did not begin within ${seconds} seconds`))
    // Middleware that ends responses later still needs it whole.
    if (res.headersSent) discardWrites(res)
  })

  /** Takes an error that no handler can catch: Node reports a write after the end by an event, which would end the process. */
  function take(this: ServerResponse, error: unknown): void {
    refuseLate(this, error)
  }

  return {
    watch(res) {
      watchDeadline(res)
      res.on('error', take)
      if (stopped) res.setHeader('Connection', 'close')
    },
    admit(req, res) {
      if (stopped) {
        refuse(res, new UnavailableError('This server is stopping'))
        return false
      }
      const fault = hostFault(req)
      if (fault !== undefined) refuse(res, new HttpError(400, fault))
      return fault === undefined
    },
    refuseExpectation(res) {
      refuse(res, new HttpError(417, messageOf('unreadable.expectation')))
    },
    stop() {
      stopped = true
    },
  }
}

/**
 * A host and maybe a port (RFC 3986 §3.2.2, §3.2.3); http has no empty host (RFC 9110 §4.2.1). Clients that write the scheme in front, as
 * Express's own tests do, are let through.
 */
const HOST = /^(?:https?:\/\/)?(?:(?=[^:])[\w.~!$&'()*+,;=-]*(?:%[\dA-F]{2}[\w.~!$&'()*+,;=-]*)*|\[[\dA-F:.]+\]|\[v[\dA-F]+\.[\w.~!$&'()*+,;=:-]+\])(?::\d{0,5})?$/i

/** The authority of a target in absolute form. */
const AUTHORITY = /^[a-z][\w+.-]*:\/\/([^/?#]*)/i

/**
 * Returns what is wrong with the host of a request (RFC 9112 §3.2). Node's own check knows a missing Host only, and answers without a
 * body, so our servers leave it to us.
 */
function hostFault(req: IncomingMessage): Message | undefined {
  const { headers: { host }, rawHeaders, httpVersion } = req
  if (host === undefined && httpVersion === '1.1') return messageOf('unreadable.host_missing')
  if (host !== undefined && !HOST.test(host)) return messageOf('unreadable.host')
  if (isRepeated('host', rawHeaders)) return messageOf('unreadable.host_repeated')
  return targetFault(req)
}

/** Checks a target in absolute form, and lets its host take the place of the Host header (RFC 9112 §3.2.2). */
function targetFault({ headers, url = '' }: IncomingMessage): Message | undefined {
  const authority = url.startsWith('/') ? undefined : AUTHORITY.exec(url)?.[1]
  if (authority === undefined) return undefined
  if (!HOST.test(authority)) return messageOf('unreadable.target')
  headers.host = authority
  return undefined
}

/** Node keeps the first of several lines. */
function isRepeated(name: string, rawHeaders: readonly string[]): boolean {
  let lines = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at] ?? ''
    if (sent.length === name.length && sent.toLowerCase() === name) lines++
  }
  return lines > 1
}

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Application, Request, Response } from 'express'
import { answerError, type ErrorHandlerOptions } from '../reply/error-handler.js'
import { HttpError, UnavailableError } from '../base/errors.js'
import { enableFastPath } from '../fast/fast.js'
import { fastEntry, type Entry } from '../fast/entry.js'
import { usePlainPath } from '../routing/request-state.js'
import { messageOf } from '../base/messages/messages.js'
import { onFirstRead } from '../base/node-http.js'
import { closeSlowly } from '../request/read-body.js'
import { hasBody } from '../request/content.js'
import { deadline, discardWrites } from './deadline.js'
import { hostFault } from './host.js'
import { limitInFlight, type InFlightOptions } from './in-flight.js'
import { answerConnect, answerParserError } from './parser-errors.js'
import { encodingIn, setEncoding } from '../reply/envelope.js'
import { translatorIn } from '../reply/handler-settings.js'
import { markLeaving } from './ready.js'

/** The checks between a server and its app. */
export interface Traffic {
  /** Sets the deadline of the requests of a connection. */
  readonly accept: (socket: Socket) => void
  /** Handles the errors of a response. */
  watch(res: ServerResponse): void
  /** Returns true if a request may be passed to the app; otherwise it has been answered. */
  admit(req: IncomingMessage, res: ServerResponse): boolean
  /** Passes a request to `enter`, when its turn comes; under overload it is answered here. */
  pass(req: IncomingMessage, res: ServerResponse, enter: Entry): void
  /** Answers a request with an `Expect` header that is not supported (RFC 9110 §10.1.1). */
  refuseExpectation(res: ServerResponse): void
  /** Answers requests as before, closes each connection after its reply, and lets `ready` report that it does. */
  leave(): void
  /** Does that, and refuses every request from now on. */
  stop(): void
}

export interface TrafficOptions {
  /** In seconds, 0 for none. */
  readonly deadline: number
  readonly log: ErrorHandlerOptions['log']
  /** `undefined` for no bound. */
  readonly inFlight?: InFlightOptions | undefined
}

export function createTraffic(app: Application, { deadline: seconds, log, inFlight }: TrafficOptions): Traffic {
  const limit = inFlight && limitInFlight(app, inFlight)
  const refuse = refuser(app, () => undefined)
  const refuseLate = refuser(app, log)
  let left = false
  let stopped = false

  const watchDeadline = deadline(seconds, (res) => {
    refuseLate(res, new UnavailableError(`The reply did not begin within ${seconds} seconds`))
    // Middleware that ends responses later needs one that has not been sent.
    if (res.headersSent) discardWrites(res)
  })

  /**
   * Handles an error that no handler can catch: Node.js reports a write after the end by an event, which would end the
   * process.
   */
  function handleError(this: ServerResponse, error: unknown): void {
    refuseLate(this, error)
  }

  return {
    accept: watchDeadline,
    watch(res) {
      res.on('error', handleError)
      if (!left) return
      markLeaving(res)
      res.setHeader('Connection', 'close')
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
    pass(req, res, enter) {
      if (limit === undefined) {
        enter(req, res)
        return
      }
      const start = (): void => {
        // The deadline may have answered, and the client may be gone, while the request waited.
        if (!res.headersSent && !req.socket.destroyed) enter(req, res)
      }
      limit(req, res, start, () => answerOverload(app, req, res))
    },
    refuseExpectation(res) {
      refuse(res, new HttpError(417, messageOf('unreadable.expectation')))
    },
    leave() {
      left = true
    },
    stop() {
      left = stopped = true
    },
  }
}

/**
 * Returns a function that answers in place of the app, with an error in the envelope, and closes the connection after
 * it.
 */
function refuser(app: Application, log: ErrorHandlerOptions['log']): (res: ServerResponse, error: unknown) => void {
  // Headers of the app's middleware, such as those of CORS, stay; those that describe the app's own reply are removed.
  return (res, error) => {
    if (!res.headersSent) res.setHeader('Connection', 'close')
    answerFor(app, error, res, log)
  }
}

/** Answers in place of the app. */
function answerFor(app: Application, error: unknown, res: ServerResponse, log: ErrorHandlerOptions['log']): void {
  const req = res.req as Request
  // `fresh` of a prepared class reads it, and a request that has not entered the app has none.
  req.res ??= res as Response
  setEncoding(req, encodingIn(app))
  answerError(error, req, res as Response, { log, translate: translatorIn(app) })
}

/** The error of a request that finds no place; one for all of them, since a stack trace takes time. */
const OVERLOAD = new HttpError(503, messageOf('unavailable'), { headers: { 'Retry-After': '1' } })

/** Answers a request that finds no place. A connection is kept, unless a body is on its way that nobody reads. */
function answerOverload(app: Application, req: IncomingMessage, res: ServerResponse): void {
  if (hasBody(req)) closeSlowly(req as Request, res as Response)
  answerFor(app, OVERLOAD, res, () => undefined)
}

/** The settings of `attach`; `server` is the one of the application, if it has given one. */
export interface Attached {
  readonly server: Server | undefined
  readonly fast: boolean
}

/**
 * Connects a server to an app through its traffic; listeners that the application has added to its own server stay, and
 * answer. Those on a server that was made here belong to a host that watches, such as Passenger.
 */
export function attach(server: Server, app: Application, traffic: Traffic, { server: own, fast }: Attached): void {
  if (fast) enableFastPath()
  // Requests of TLS have a socket of their own.
  for (const event of ['connection', 'secureConnection']) server.on(event, traffic.accept)
  if (!isAnswered(own, app)) {
    const enter = fast ? fastEntry(app) : plainEntry(app)
    server.off('request', app)
    server.on('request', (req: IncomingMessage, res: ServerResponse) => {
      if (!traffic.admit(req, res)) return
      traffic.watch(res)
      traffic.pass(req, res, enter)
    })
  } else {
    server.prependListener('request', (req, res) => {
      if (!fast) usePlainPath(req)
      traffic.watch(res)
    })
  }
  if (server.listenerCount('checkContinue') === 0) {
    server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
      continueWhenRead(req, res)
      server.emit('request', req, res)
    })
  }
  if (server.listenerCount('checkExpectation') === 0) {
    server.on('checkExpectation', (_req, res: ServerResponse) => traffic.refuseExpectation(res))
  }
  if (server.listenerCount('clientError') === 0) {
    server.on('clientError', (error, socket: Socket) => answerParserError(error, socket, app))
  }
  if (server.listenerCount('connect') === 0) server.on('connect', (_req, socket) => answerConnect(socket, app))
}

/** Returns true if listeners of the application's own answer the requests of a server. */
export function isAnswered(server: Server | undefined, app: Application): boolean {
  return server?.listeners('request').some((listener) => listener !== app) === true
}

/** Returns a function that passes requests to Express and selects the plain path for them. */
function plainEntry(app: Application): Entry {
  return (req, res) => {
    usePlainPath(req)
    app(req, res)
  }
}

/**
 * Answers `Expect: 100-continue` when the body is first read and not before: a client that is refused need not send it
 * (RFC 9110 §10.1.1).
 */
function continueWhenRead(req: IncomingMessage, res: ServerResponse): void {
  // After the reply Node.js reads the rest of the body and discards it.
  onFirstRead(req, () => {
    if (!res.headersSent) res.writeContinue()
  })
}

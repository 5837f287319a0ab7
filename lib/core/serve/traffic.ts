import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Application, Response } from 'express'
import { keepServedApp } from '../express/served-app.js'
import { answerError, type ErrorHandlerOptions } from '../reply/error-handler.js'
import { HttpError, UnavailableError } from '../base/errors.js'
import { useFastPath } from '../fast/fast.js'
import { fastEntry, type Entry } from '../fast/entry.js'
import { messageOf } from '../base/messages/messages.js'
import { onFirstRead } from '../base/node-http.js'
import { closeSlowly } from '../request/read-body.js'
import { hasBody } from '../request/content.js'
import { hostFault } from '../request/headers.js'
import { deadline, discardWrites, type Watch } from './deadline.js'
import { limitInFlight, type Limit } from './in-flight.js'
import { answerConnect, answerParserError } from './parser-errors.js'
import { encodingIn, setEncoding } from '../reply/envelope.js'
import { translatorIn } from '../reply/handler-settings.js'
import { markLeaving } from './ready.js'
import type { ServeSettings } from './settings.js'

/** The checks between a server and its app, and the replies of the server itself. */
export class Traffic {
  readonly #app: Application
  readonly #settings: ServeSettings
  readonly #limit: Limit | undefined
  readonly #handleError: (this: ServerResponse, error: unknown) => void
  #left = false
  #stopped = false

  constructor(app: Application, settings: ServeSettings) {
    const { inFlight, log } = settings
    this.#app = app
    this.#settings = settings
    this.#limit = inFlight && limitInFlight(app, inFlight)
    // No handler can catch it: Node.js reports a write after the end by an event, which would end the process.
    function handleError(this: ServerResponse, error: unknown): void {
      refuse(app, this, error, log)
    }
    this.#handleError = handleError
  }

  /**
   * Connects a server to the app; listeners that the application has added to its own server stay, and answer. Those on
   * a server that was made here belong to a host that watches, such as Passenger.
   */
  attach(server: Server): void {
    const { fast, server: own } = this.#settings
    const app = this.#app
    keepServedApp(server, app)
    const accept = this.#deadline()
    // Requests of TLS have a socket of their own.
    for (const event of ['connection', 'secureConnection']) server.on(event, accept)
    if (!isAnswered(own, app)) {
      const enter = fast ? fastEntry(app) : app
      server.off('request', app)
      server.on('request', (req: IncomingMessage, res: ServerResponse) => {
        if (!this.#admit(req, res)) return
        this.#watch(res)
        this.#pass(req, res, enter)
      })
    } else {
      server.prependListener('request', (req, res) => {
        if (fast) useFastPath(req)
        this.#watch(res)
      })
    }
    if (server.listenerCount('checkContinue') === 0) {
      server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
        continueWhenRead(req, res)
        server.emit('request', req, res)
      })
    }
    if (server.listenerCount('checkExpectation') === 0) {
      // The `Expect` header is not supported (RFC 9110 §10.1.1).
      const fault = messageOf('unreadable.expectation')
      server.on('checkExpectation', (_req, res: ServerResponse) => refuse(app, res, new HttpError(417, fault), silent))
    }
    if (server.listenerCount('clientError') === 0) {
      server.on('clientError', (error, socket: Socket) => answerParserError(error, socket, app))
    }
    if (server.listenerCount('connect') === 0) server.on('connect', (_req, socket) => answerConnect(socket, app))
  }

  /** Answers requests as before, closes each connection after its reply, and lets `ready` report that it does. */
  leave(): void {
    this.#left = true
  }

  /** Does that, and refuses every request from now on. */
  stop(): void {
    this.#left = this.#stopped = true
  }

  #deadline(): Watch {
    const { deadline: seconds, log } = this.#settings
    return deadline(seconds, (res) => {
      refuse(this.#app, res, new UnavailableError(`The reply did not begin within ${seconds} seconds`), log)
      // Middleware that ends responses later needs one that has not been sent.
      if (res.headersSent) discardWrites(res)
    })
  }

  /** Returns true if a request may be passed to the app; otherwise it has been answered. */
  #admit(req: IncomingMessage, res: ServerResponse): boolean {
    if (this.#stopped) {
      refuse(this.#app, res, new UnavailableError('This server is stopping'), silent)
      return false
    }
    const fault = hostFault(req)
    if (fault !== undefined) refuse(this.#app, res, new HttpError(400, fault), silent)
    return fault === undefined
  }

  #watch(res: ServerResponse): void {
    res.on('error', this.#handleError)
    if (!this.#left) return
    markLeaving(res)
    res.setHeader('Connection', 'close')
  }

  /** Passes a request to the app, when its turn comes; under overload it is answered here. */
  #pass(req: IncomingMessage, res: ServerResponse, enter: Entry): void {
    if (this.#limit === undefined) {
      enter(req, res)
      return
    }
    const start = (): void => {
      // The deadline may have answered, and the client may be gone, while the request waited.
      if (!res.headersSent && !req.socket.destroyed) enter(req, res)
    }
    this.#limit(req, res, start, () => answerOverload(this.#app, req, res))
  }
}

type Log = ErrorHandlerOptions['log']

const silent = (): undefined => undefined

/** Answers in place of the app, with an error in the envelope, and closes the connection after it. */
function refuse(app: Application, res: ServerResponse, error: unknown, log: Log): void {
  // Headers of the app's middleware, such as those of CORS, stay; those that describe the app's own reply are removed.
  if (!res.headersSent) res.setHeader('Connection', 'close')
  answerFor(app, error, res, log)
}

/** Returns a response of a server, which answers in place of an app, as one that the app could send. */
function toExpress(res: ServerResponse): Response {
  return res as Response
}

/** Answers in place of the app. */
function answerFor(app: Application, error: unknown, res: ServerResponse, log: Log): void {
  const own = toExpress(res)
  const { req } = own
  // `fresh` of a prepared class reads it, and a request that has not entered the app has none.
  req.res ??= own
  setEncoding(req, encodingIn(app))
  answerError(error, req, own, { log, translate: translatorIn(app) })
}

/** The error of a request that finds no place; one for all of them, since a stack trace takes time. */
const OVERLOAD = new HttpError(503, messageOf('unavailable'), { headers: { 'Retry-After': '1' } })

/** Answers a request that finds no place. A connection is kept, unless a body is on its way that nobody reads. */
function answerOverload(app: Application, req: IncomingMessage, res: ServerResponse): void {
  const own = toExpress(res)
  if (hasBody(req)) closeSlowly(own.req, own)
  answerFor(app, OVERLOAD, res, silent)
}

/** Returns true if listeners of the application's own answer the requests of a server. */
export function isAnswered(server: Server | undefined, app: Application): boolean {
  return server?.listeners('request').some((listener) => listener !== app) === true
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

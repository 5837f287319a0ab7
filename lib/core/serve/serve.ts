import type { Server } from 'node:http'
import { debuglog } from 'node:util'
import type { Application } from 'express'
import { MisuseError } from '../base/errors.js'
import { warnOfUnknownRelease } from '../express/release.js'
import { obstacleLines } from './obstacles.js'
import { checkVersion, isApp } from '../express/stack.js'
import { within } from '../base/promises.js'
import { checkAtStart } from '../resource/start-checks.js'
import { SERVING } from '../routing/registry.js'
import { closeOnSignal, connectionsOf, drain, linger } from './close.js'
import { toSettings } from './settings.js'
import type { ServeOptions } from './options.js'
import { warnOfRisks } from './risks.js'
import { createServer, listen } from './server.js'
import { isAnswered, Traffic } from './traffic.js'

export type { ServeOptions } from './options.js'

/** An app that is being served. */
export interface Served {
  readonly server: Server
  /** The URL under which this machine reaches it, e.g. `http://127.0.0.1:3000`, with the port that was selected. */
  readonly url: string
  /**
   * Waits `delay` seconds, stops accepting connections, closes idle ones, waits `drain` seconds for replies in
   * progress, then runs `onClose`.
   * Further calls return the same promise.
   */
  readonly close: () => Promise<void>
}

/**
 * Starts an app on a server created for it; resolves once it listens.
 *
 * With the fast path, requests and responses are instances of the app's own prototypes, which saves Express its most
 * expensive step, and the layers of the app are indexed by their paths; with `fast: false` Express alone serves the
 * app. Requests that Node's parser refuses are answered in the envelope (400, 408, 413, 417, 431), and so are replies
 * that do not begin in time and requests that arrive while the server stops (503).
 *
 * @throws MisuseError for an invalid option, such as an HTTP/2 server, and for a name or a route that two Routers of
 * one application declare.
 * @throws Error with the `code` of the system, such as `EADDRINUSE`, when it cannot listen.
 * @example
 * const { url, close } = await serve(app, { port: 3000, onClose: () => database.end() })
 * console.log(`listening on ${url}`)
 */
export async function serve(app: Application, options: ServeOptions = {}): Promise<Served> {
  if (typeof app === 'function') checkVersion(app)
  if (!isApp(app)) throw new MisuseError('serve_app', 'serve() needs an Express application: `serve(express())`.')
  checkAtStart(app)
  const settings = toSettings(options)
  if (settings.inFlight !== undefined && isAnswered(settings.server, app))
    throw new MisuseError('serve_conflict', BOUND_OF_OTHERS)
  if (settings.fast) warnOfUnknownRelease()
  app.emit(SERVING)
  warnOfRisks(app)
  const server = createServer(app, settings)
  const url = await listen(server, settings)
  // No connection has been accepted yet: the server began to listen in this very turn of the event loop.
  const traffic = new Traffic(app, settings)
  const connections = connectionsOf(server)
  traffic.attach(server)
  if (debug.enabled) { for (const line of obstacleLines(app, settings.fast)) debug(line) }

  let removeSignals: (() => void) | undefined
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => (closed ??= finish())
  if (settings.signals) removeSignals = closeOnSignal(close)
  return { server, url, close }

  async function finish(): Promise<void> {
    try {
      if (settings.delay > 0) {
        traffic.leave()
        await linger(connections, settings.delay)
        // A proxy may have opened a connection that the last moment accepts: its request is answered too.
      } else traffic.stop()
      await drain(server, connections, settings.drain)
      await within(ON_CLOSE_SECONDS, Promise.resolve(settings.onClose?.()), 'onClose did not finish')
    } finally {
      removeSignals?.()
    }
  }
}

const BOUND_OF_OTHERS =
  '`maxInFlight` cannot bound the requests that a listener of your own `server` answers: remove the '
  + 'listener, or the option.'

/** Writes if the environment has `NODE_DEBUG=resourcery`. */
const debug = debuglog('resourcery')

/** Seconds to wait for `onClose`: a database that does not close must not keep the process running. */
const ON_CLOSE_SECONDS = 5

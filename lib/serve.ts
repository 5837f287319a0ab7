import type { Server } from 'node:http'
import type { Application, Express } from 'express'
import { MisuseError } from './errors.js'
import { checkTaken } from './resource/taken.js'
import { checkVersion } from './express/probe.js'
import { isApp } from './express/stack.js'
import { SERVING } from './routing/serving.js'
import { attach } from './serve/attach.js'
import { connectionsOf } from './serve/connections.js'
import { createServer } from './serve/create-server.js'
import { drain } from './serve/drain.js'
import { listen } from './serve/listen.js'
import type { ServeOptions } from './serve/options.js'
import { toSettings } from './serve/settings.js'
import { closeOnSignal } from './serve/signals.js'
import { createTraffic } from './serve/traffic.js'
import { within } from './within.js'

export type { ServeOptions } from './serve/options.js'

/** An app that is being served. */
export interface Served {
  readonly server: Server
  /** Where this machine reaches it, e.g. `http://127.0.0.1:3000`, with the port that was really taken. */
  readonly url: string
  /**
   * Stops accepting, closes idle connections, lets answers in flight finish for `drain` seconds, then runs `onClose`.
   * Calling it again returns the same promise.
   */
  readonly close: () => Promise<void>
}

/**
 * Starts an app on a server made for it; resolves once it listens.
 *
 * Requests and responses are built on the app's own prototypes, which spares Express its costliest step. What Node's
 * parser refuses is answered in the envelope (400, 408, 413, 417, 431), what does not begin to answer in time and what
 * arrives while the server stops with 503.
 *
 * @throws MisuseError for an option that is no good, an HTTP/2 server among them, and for a name or a route that two routers
 * of one application have taken.
 * @throws Error with the `code` of the system, `EADDRINUSE` for one, when it cannot listen.
 * @example
 * const { url, close } = await serve(app, { port: 3000, onClose: () => database.end() })
 * console.log(`listening on ${url}`)
 */
export async function serve(app: Application, options: ServeOptions = {}): Promise<Served> {
  if (typeof app === 'function') checkVersion(app)
  if (!isApp(app)) throw new MisuseError('serve_app', 'serve() takes an Express application: `serve(express())`.')
  checkTaken(app)
  const settings = toSettings(options)
  app.emit(SERVING)
  const server = createServer(app as Express, settings)
  const url = await listen(server, settings)
  // Listening was announced in this very turn: no connection has been handed out yet.
  const traffic = createTraffic(app, settings)
  const connections = connectionsOf(server)
  attach(server, app, traffic, settings.fast)

  let letGo: (() => void) | undefined
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => (closed ??= finish())
  if (settings.signals) letGo = closeOnSignal(close)
  return { server, url, close }

  async function finish(): Promise<void> {
    try {
      traffic.stop()
      await drain(server, connections, settings.drain)
      await within(ON_CLOSE_SECONDS, Promise.resolve(settings.onClose?.()), 'onClose did not finish')
    } finally {
      letGo?.()
    }
  }
}

/** A database that does not let go must not keep the process. */
const ON_CLOSE_SECONDS = 5

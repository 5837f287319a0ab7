import type { Server as HttpServer } from 'node:http'
import type { Server as HttpsServer, ServerOptions as TlsOptions } from 'node:https'
import type { Request } from 'express'

/** The options of `serve`; every duration is in seconds. */
export interface ServeOptions {
  /**
   * The port: 0, which selects a free one, to 65535, as a number or a string of an environment variable.
   *
   * @default 3000
   */
  readonly port?: number | string | undefined
  /** The address or host name to listen on. @default every address of the machine, as with `app.listen` */
  readonly host?: string | undefined
  /**
   * The path of a Unix domain socket, or of a named pipe on Windows, to listen on instead of `port` and `host`.
   *
   * @default none
   */
  readonly path?: string | undefined
  /** Options of `https.createServer`, such as `key` and `cert`: the app is then served over TLS. @default none */
  readonly https?: TlsOptions | undefined
  /**
   * A server of your own, listening or not: it keeps its classes, its listeners and its timeouts. HTTP/2 is not
   * supported.
   */
  readonly server?: HttpServer | HttpsServer | undefined
  /**
   * Time until a reply must begin; after it the reply is 503, at most a tenth of it or two seconds later. It counts
   * from the end of the request's headers, for a pipelined request from its turn. 0 or `false`: no deadline.
   *
   * @default 30
   */
  readonly deadline?: number | false | undefined
  /** Time that `close()` waits for replies in progress before it closes their connections. @default 5 */
  readonly drain?: number | undefined
  /**
   * Time for which `close()` or a signal lets the server accept connections and answer requests as before, so that a
   * proxy notices by `ready()` and sends no more. Each reply closes its connection, no idle connection is cut.
   *
   * @default 0
   */
  readonly delay?: number | undefined
  /**
   * The most requests that are served at once, from their headers to the end of their replies; a further one is
   * answered 503 with `Retry-After`. Routes of `ready()` are not counted.
   *
   * @default no bound
   */
  readonly maxInFlight?: number | undefined
  /**
   * The most requests over `maxInFlight`, without which it is refused, that wait for their turn until the deadline.
   *
   * @default 0
   */
  readonly queue?: number | undefined
  /**
   * Paths that `maxInFlight` does not count, such as `/metrics`; each is one path, not those below it.
   *
   * @default none
   */
  readonly exempt?: readonly string[] | undefined
  /**
   * Closes the server on SIGTERM and SIGINT and then ends the process with 0; a signal more than a second later ends it
   * at once with 1.
   *
   * @default true
   */
  readonly signals?: boolean | undefined
  /**
   * Uses the fast path where an application cannot observe the difference; `false` serves every request by Express
   * alone. The environment variable `RESOURCERY_FAST=off` does so for the whole process.
   *
   * @default true
   */
  readonly fast?: boolean | undefined
  /** Runs once the last connection is closed, for databases and the like; `close()` waits at most 5 seconds for it. */
  readonly onClose?: (() => unknown) | undefined
  /** Time for the headers of a request to arrive; 0 for no limit. @default 10 */
  readonly headersTimeout?: number | undefined
  /** Time for a whole request to arrive, with its body; 0 for no limit. @default 300 */
  readonly requestTimeout?: number | undefined
  /**
   * Time that a connection may be idle between two requests. It is longer than the 60 of common load balancers, so that
   * these close the connection and send no request on a connection that is being closed.
   *
   * @default 65
   */
  readonly keepAliveTimeout?: number | undefined
  /** Receives the error of every request that exceeded the deadline. @default console.error */
  readonly log?: ((error: unknown, req: Request) => unknown) | undefined
}

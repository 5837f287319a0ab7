import type { Server as HttpServer } from 'node:http'
import type { Server as HttpsServer, ServerOptions as TlsOptions } from 'node:https'
import type { Request } from 'express'

/** How an app is served; every duration is in seconds. */
export interface ServeOptions {
  /**
   * From 0, which picks a free port, to 65535; a variable of the environment, `'3000'`, will do.
   *
   * @default 3000
   */
  readonly port?: number | string | undefined
  /**
   * The address or host name to listen on.
   *
   * @default every address of the machine, as with `app.listen`
   */
  readonly host?: string | undefined
  /** The file of a Unix domain socket, or a named pipe of Windows, to listen on instead of a port. */
  readonly path?: string | undefined
  /** What `https.createServer` takes, `key` and `cert` first of all: the app is then served over TLS. */
  readonly https?: TlsOptions | undefined
  /** A server of your own, listening or not: it keeps its classes, its listeners and its timeouts. Not HTTP/2. */
  readonly server?: HttpServer | HttpsServer | undefined
  /**
   * What has not begun to answer by then is answered with 503, at most a tenth or two seconds later: connections are looked at from
   * time to time. Counted from the end of the request's headers, of a pipelined request from its turn. 0 or `false`: no deadline.
   *
   * @default 30
   */
  readonly deadline?: number | false | undefined
  /**
   * How long `close()` waits for answers in flight before it destroys what is left.
   *
   * @default 5
   */
  readonly drain?: number | undefined
  /**
   * Whether SIGTERM and SIGINT close the server and then end the process with 0; a second signal ends it at once with 1.
   *
   * @default true
   */
  readonly signals?: boolean | undefined
  /**
   * Whether this server may pass Express by where nobody would notice; `false` serves every request by Express alone. So does the
   * environment variable `RESOURCERY_FAST=off`, for the whole process.
   *
   * @default true
   */
  readonly fast?: boolean | undefined
  /** Runs once the last connection is closed, for databases and the like; after 5 seconds nobody waits for it any more. */
  readonly onClose?: (() => unknown) | undefined
  /**
   * How long the headers of a request may take; 0 for ever.
   *
   * @default 10
   */
  readonly headersTimeout?: number | undefined
  /**
   * How long a whole request may take to arrive, body included; 0 for ever.
   *
   * @default 300
   */
  readonly requestTimeout?: number | undefined
  /**
   * How long a connection may be idle between two requests: longer than the 60 of the usual load balancers,
   * so that it is they who close it and no request meets a closing connection.
   *
   * @default 65
   */
  readonly keepAliveTimeout?: number | undefined
  /**
   * Told of every request that met the deadline.
   *
   * @default console.error
   */
  readonly log?: ((error: unknown, req: Request) => unknown) | undefined
}

import type { Server as HttpServer } from 'node:http'
import type { Server as HttpsServer, ServerOptions as TlsOptions } from 'node:https'
import type { Request } from 'express'
import { MisuseError } from '../base/errors.js'
import { isObject } from '../base/forms.js'
import { show } from '../base/options.js'
import { IS_FAST } from '../fast/fast.js'
import { Server } from '../base/node-http.js'
import type { InFlightOptions } from './in-flight.js'

/** The options of `serve`; every duration is in seconds. */
export interface ServeOptions {
  /**
   * The port: 0, which selects a free one, to 65535, as a number or a string of an environment variable.
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
  /** The path of a Unix domain socket, or of a named pipe on Windows, to listen on instead of a port. */
  readonly path?: string | undefined
  /** Options of `https.createServer`, such as `key` and `cert`: the app is then served over TLS. */
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
  /**
   * Time that `close()` waits for replies in progress before it closes their connections.
   *
   * @default 5
   */
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
   * The most requests over `maxInFlight` that wait for their turn, until the deadline.
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
  /**
   * Time for the headers of a request to arrive; 0 for no limit.
   *
   * @default 10
   */
  readonly headersTimeout?: number | undefined
  /**
   * Time for a whole request to arrive, with its body; 0 for no limit.
   *
   * @default 300
   */
  readonly requestTimeout?: number | undefined
  /**
   * Time that a connection may be idle between two requests. It is longer than the 60 of common load balancers, so that
   * these close the connection and send no request on a connection that is being closed.
   *
   * @default 65
   */
  readonly keepAliveTimeout?: number | undefined
  /**
   * Called with every request that met the deadline.
   *
   * @default console.error
   */
  readonly log?: ((error: unknown, req: Request) => unknown) | undefined
}

/** The checked options with their defaults; durations in seconds, 0 for no limit. */
export interface ServeSettings extends Required<Pick<ServeOptions, 'host' | 'path' | 'https' | 'onClose' | 'log'>> {
  readonly port: number
  readonly server: HttpServer | undefined
  readonly deadline: number
  readonly drain: number
  readonly delay: number
  readonly signals: boolean
  readonly fast: boolean
  readonly timeouts: Timeouts
  /** `undefined` for no bound. */
  readonly inFlight: InFlightOptions | undefined
}

/** `undefined` keeps the timeout of the server. */
export type Timeouts = Pick<ServeOptions, 'headersTimeout' | 'requestTimeout' | 'keepAliveTimeout'>

/** @throws MisuseError for an option that is misspelt or invalid. */
export function toSettings(options: ServeOptions): ServeSettings {
  checkOptions(options)
  const { port = 3000, host, path, https, server, deadline = 30, drain = 5, delay = 0, onClose, log } = options
  const { signals = true, fast = true } = options
  const timeouts = timeoutsOf(options)
  return {
    port: Number(port),
    host,
    path,
    https,
    server,
    deadline: Number(deadline),
    drain,
    delay,
    signals,
    fast: fast && IS_FAST,
    onClose,
    log,
    timeouts,
    inFlight: inFlightOf(options),
  }
}

function inFlightOf({ maxInFlight, queue = 0, exempt = [] }: ServeOptions): InFlightOptions | undefined {
  return maxInFlight === undefined ? undefined : { maxInFlight, queue, exempt }
}

/** Adds the defaults; a server of the application's own keeps its timeouts. */
function timeoutsOf({ server, headersTimeout, requestTimeout, keepAliveTimeout }: ServeOptions): Timeouts {
  if (server !== undefined) return checkOrder({ headersTimeout, requestTimeout, keepAliveTimeout })
  const whole = requestTimeout ?? 300
  const head = headersTimeout ?? (whole === 0 ? 10 : Math.min(10, whole))
  return checkOrder({ headersTimeout: head, requestTimeout: whole, keepAliveTimeout: keepAliveTimeout ?? 65 })
}

function checkOrder(timeouts: Timeouts): Timeouts {
  const { headersTimeout = 0, requestTimeout = 0 } = timeouts
  if (requestTimeout > 0 && headersTimeout > requestTimeout) {
    throw new MisuseError(
      'serve_option',
      `\`headersTimeout\` (${headersTimeout}) must not be longer than \`requestTimeout\` (${requestTimeout}), which `
        + 'includes it.',
    )
  }
  return timeouts
}

interface OptionRule {
  /** Completes the sentence "the option must be …". */
  readonly wanted: string
  readonly holds: (value: unknown) => boolean
}

/** The longest delay of a timer: a longer one would end at once. */
const MAX_SECONDS = 2_147_483

const isSeconds = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= MAX_SECONDS
const isServer = (value: unknown): boolean =>
  value instanceof Server
  || value instanceof process.getBuiltinModule('node:https').Server
/** A number, or a string of its decimal digits. */
const isPort = (value: unknown): boolean =>
  (typeof value === 'string'
    ? /^(?:0|[1-9]\d{0,4})$/.test(value)
    : Number.isInteger(value)) && Number(value) >= 0 && Number(value) <= 65_535

const SECONDS: OptionRule = { wanted: `a number of seconds from 0 to ${MAX_SECONDS}`, holds: isSeconds }
const isPath = (value: unknown): boolean => typeof value === 'string' && /^\/[^?#]*$/.test(value)
const FUNCTION: OptionRule = { wanted: 'a function', holds: (value) => typeof value === 'function' }
const BOOLEAN: OptionRule = { wanted: '`true` or `false`', holds: (value) => typeof value === 'boolean' }

const RULES: Readonly<Record<keyof ServeOptions, OptionRule>> = {
  port: { wanted: 'an integer from 0 to 65535', holds: isPort },
  path: {
    wanted: 'the path of a socket file',
    holds: (value) => typeof value === 'string' && value !== '' && !value.includes('\0'),
  },
  // An empty string would mean every address, which an unset environment variable must not select.
  host: { wanted: 'a host name or an address', holds: (value) => typeof value === 'string' && value !== '' },
  https: { wanted: 'an object with `key` and `cert`', holds: (value) => typeof value === 'object' && value !== null },
  server: { wanted: 'a server of node:http or node:https', holds: isServer },
  deadline: { wanted: `\`false\` or ${SECONDS.wanted}`, holds: (value) => value === false || isSeconds(value) },
  drain: SECONDS,
  delay: SECONDS,
  maxInFlight: {
    wanted: 'an integer of at least 1',
    holds: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
  },
  queue: {
    wanted: 'an integer of at least 0',
    holds: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  },
  exempt: {
    wanted: 'a list of paths that begin with a slash',
    holds: (value) => Array.isArray(value) && value.every(isPath),
  },
  signals: BOOLEAN,
  fast: BOOLEAN,
  onClose: FUNCTION,
  headersTimeout: SECONDS,
  requestTimeout: SECONDS,
  keepAliveTimeout: SECONDS,
  log: FUNCTION,
}

/** Refuses an option that is misspelt or invalid; `undefined` counts as not given. */
function checkOptions(options: ServeOptions): void {
  if (!isObject(options)) {
    throw new MisuseError(
      'options_shape',
      `The options of serve() must be an object, not ${show(options)}: write \`serve(app, { port: 3000 })\`.`,
    )
  }
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    if (!isOption(name)) {
      throw new MisuseError(
        'serve_option_unknown',
        `serve() has no option \`${name}\`: its options are ${Object.keys(RULES).join(', ')}.`,
      )
    }
    if (value === undefined || RULES[name].holds(value)) continue
    if (name === 'server' && isHttp2(value)) throw http2Refused()
    throw new MisuseError(
      'serve_option',
      `The option \`${name}\` of serve() must be ${RULES[name].wanted}, not ${describe(value)}.`,
    )
  }
  checkConflicts(options)
}

function checkConflicts({ server, https, path, port, host, maxInFlight, queue, exempt }: ServeOptions): void {
  if (maxInFlight === undefined && (queue !== undefined || exempt !== undefined)) {
    throw new MisuseError(
      'serve_conflict',
      '`queue` and `exempt` belong to `maxInFlight`, which is not given: write `serve(app, { maxInFlight: 100, … })`.',
    )
  }
  if (server !== undefined && https !== undefined) {
    throw new MisuseError('serve_conflict', '`https` creates a server and `server` provides one: give one of the two.')
  }
  if (path !== undefined && (port !== undefined || host !== undefined)) {
    throw new MisuseError(
      'serve_conflict',
      '`path` listens on a socket file, `port` and `host` on the network: give one of the two.',
    )
  }
}

function isOption(name: string): name is keyof ServeOptions {
  return Object.hasOwn(RULES, name)
}

function isHttp2(server: unknown): boolean {
  return typeof server === 'object' && server !== null && 'updateSettings' in server
}

function http2Refused(): MisuseError {
  return new MisuseError(
    'serve_http2',
    'Express 5 does not support HTTP/2: give a server of node:http or node:https, and use HTTP/2 at a proxy in front.',
  )
}

function describe(value: unknown): string {
  if (typeof value === 'string') return `the string ${JSON.stringify(value)}`
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

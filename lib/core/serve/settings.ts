import type { Server as HttpServer } from 'node:http'
import { MisuseError } from '../base/errors.js'
import { IS_FAST } from '../fast/fast.js'
import type { InFlightOptions } from './in-flight.js'
import { checkOptions } from './option-checks.js'
import type { ServeOptions } from './options.js'

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
  return { port: Number(port), host, path, https, server, deadline: Number(deadline), drain, delay, signals, onClose,
    log, fast: fast && IS_FAST, timeouts: timeoutsOf(options), inFlight: inFlightOf(options) }
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

import type { Server } from 'node:http'
import { MisuseError } from '../errors.js'
import { checkOptions } from './option-rules.js'
import type { ServeOptions } from './options.js'

/** The options after the check, with their defaults; durations in seconds, 0 where there is no limit. */
export interface ServeSettings extends Required<Pick<ServeOptions, 'host' | 'path' | 'https' | 'onClose' | 'log'>> {
  readonly port: number
  readonly server: Server | undefined
  readonly deadline: number
  readonly drain: number
  readonly signals: boolean
  readonly fast: boolean
  readonly timeouts: Timeouts
}

/** `undefined` keeps what the server has. */
export type Timeouts = Pick<ServeOptions, 'headersTimeout' | 'requestTimeout' | 'keepAliveTimeout'>

/** @throws MisuseError for an option that is misspelt or invalid. */
export function toSettings(options: ServeOptions): ServeSettings {
  checkOptions(options)
  const { port = 3000, host, path, https, server, deadline = 30, drain = 5, signals = true, fast = true, onClose, log } = options
  const timeouts = timeoutsOf(options)
  return { port: Number(port), host, path, https, server, deadline: Number(deadline), drain, signals, fast, onClose, log, timeouts }
}

/** A server of the user's own keeps what it has. */
function timeoutsOf({ server, headersTimeout, requestTimeout, keepAliveTimeout }: ServeOptions): Timeouts {
  if (server !== undefined) return checkOrder({ headersTimeout, requestTimeout, keepAliveTimeout })
  const whole = requestTimeout ?? 300
  const head = headersTimeout ?? (whole === 0 ? 10 : Math.min(10, whole))
  return checkOrder({ headersTimeout: head, requestTimeout: whole, keepAliveTimeout: keepAliveTimeout ?? 65 })
}

function checkOrder(timeouts: Timeouts): Timeouts {
  const { headersTimeout = 0, requestTimeout = 0 } = timeouts
  if (requestTimeout > 0 && headersTimeout > requestTimeout) {
    throw new MisuseError('serve_option', `\`headersTimeout\` (${headersTimeout}) is part of \`requestTimeout\` (${requestTimeout}) and cannot be longer.`)
  }
  return timeouts
}

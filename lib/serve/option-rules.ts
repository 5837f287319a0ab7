import { MisuseError } from '../errors.js'
import { Server as HttpServer } from '../node-http.js'
import type { ServeOptions } from './options.js'

interface OptionRule {
  /** Ends the sentence “the option is …”. */
  readonly wanted: string
  readonly holds: (value: unknown) => boolean
}

/** A timer cannot be set for longer: it would fire at once. */
const MOST_SECONDS = 2_147_483

const isSeconds = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= MOST_SECONDS
const isServer = (value: unknown): boolean => value instanceof HttpServer || value instanceof process.getBuiltinModule('node:https').Server
/** A number, or a string of its decimal digits. */
const isPort = (value: unknown): boolean =>
  (typeof value === 'string' ? /^(?:0|[1-9]\d{0,4})$/.test(value) : Number.isInteger(value)) && Number(value) >= 0 && Number(value) <= 65_535
const isFunction = (value: unknown): boolean => typeof value === 'function'

const SECONDS: OptionRule = { wanted: `a number of seconds from 0 to ${MOST_SECONDS}`, holds: isSeconds }
const FUNCTION: OptionRule = { wanted: 'a function', holds: isFunction }

const RULES: Readonly<Record<keyof ServeOptions, OptionRule>> = {
  port: { wanted: 'an integer from 0 to 65535', holds: isPort },
  path: { wanted: 'the path of a socket file', holds: (value) => typeof value === 'string' && value !== '' && !value.includes('\0') },
  // An empty string would be every address, which a forgotten variable must not mean.
  host: { wanted: 'the name or the address of a host', holds: (value) => typeof value === 'string' && value !== '' },
  https: { wanted: 'an object with `key` and `cert`', holds: (value) => typeof value === 'object' && value !== null },
  server: { wanted: 'a server of node:http or node:https', holds: isServer },
  deadline: { wanted: `\`false\` or ${SECONDS.wanted}`, holds: (value) => value === false || isSeconds(value) },
  drain: SECONDS,
  signals: { wanted: '`true` or `false`', holds: (value) => typeof value === 'boolean' },
  fast: { wanted: '`true` or `false`', holds: (value) => typeof value === 'boolean' },
  onClose: FUNCTION,
  headersTimeout: SECONDS,
  requestTimeout: SECONDS,
  keepAliveTimeout: SECONDS,
  log: FUNCTION,
}

/** Refuses an option that is misspelt or invalid; one that is `undefined` counts as not given. */
export function checkOptions(options: ServeOptions): void {
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    if (!isOption(name)) throw new MisuseError('serve_option_unknown', `serve() has no option \`${name}\`: its options are ${Object.keys(RULES).join(', ')}.`)
    if (value === undefined || RULES[name].holds(value)) continue
    if (name === 'server' && isHttp2(value)) throw http2Refused()
    throw new MisuseError('serve_option', `The option \`${name}\` of serve() is ${RULES[name].wanted}, not ${nameOf(value)}.`)
  }
  checkConflicts(options)
}

function checkConflicts({ server, https, path, port, host }: ServeOptions): void {
  if (server !== undefined && https !== undefined) {
    throw new MisuseError('serve_conflict', '`https` makes a server and `server` brings one: give one of the two.')
  }
  if (path !== undefined && (port !== undefined || host !== undefined)) {
    throw new MisuseError('serve_conflict', '`path` listens on a socket file, `port` and `host` on the network: give one of the two.')
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
    'Express 5 cannot serve HTTP/2: give a server of node:http or node:https, and let a proxy in front speak HTTP/2.',
  )
}

function nameOf(value: unknown): string {
  if (typeof value === 'string') return `the string ${JSON.stringify(value)}`
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

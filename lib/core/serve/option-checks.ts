import { MisuseError } from '../base/errors.js'
import { isList, isObject } from '../base/guards.js'
import { Server } from '../base/node-http.js'
import { show } from '../base/options.js'
import type { ServeOptions } from './options.js'

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

const atLeast = (least: number): OptionRule => ({
  wanted: `an integer of at least ${least}`,
  holds: (value) => Number.isSafeInteger(value) && Number(value) >= least,
})

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
  maxInFlight: atLeast(1),
  queue: atLeast(0),
  exempt: {
    wanted: 'a list of paths that begin with `/` and have no query',
    holds: (value) => isList(value) && value.every(isPath),
  },
  signals: BOOLEAN,
  fast: BOOLEAN,
  onClose: FUNCTION,
  headersTimeout: SECONDS,
  requestTimeout: SECONDS,
  keepAliveTimeout: SECONDS,
  log: FUNCTION,
}

/** @throws MisuseError for an option that is misspelt or invalid; `undefined` counts as not given. */
export function checkOptions(options: ServeOptions): void {
  if (!isObject(options)) {
    throw new MisuseError(
      'options_shape',
      `The options of serve() must be an object, not ${show(options)}: write \`serve(app, { port: 3000 })\`.`,
    )
  }
  for (const [name, value] of Object.entries<unknown>(options)) {
    if (!isOption(name)) {
      throw new MisuseError(
        'serve_option_unknown',
        `serve() has no option \`${name}\`: its options are ${Object.keys(RULES).join(', ')}.`,
      )
    }
    if (value === undefined || RULES[name].holds(value)) continue
    if (name === 'server' && isObject(value) && 'updateSettings' in value) throw http2Refused()
    throw new MisuseError(
      'serve_option',
      `The option \`${name}\` of serve() must be ${RULES[name].wanted}, not ${describe(value)}.`,
    )
  }
  const conflict = conflictIn(options)
  if (conflict !== undefined) throw new MisuseError('serve_conflict', conflict)
}

function conflictIn({ server, https, path, port, host, maxInFlight, queue, exempt }: ServeOptions): string | undefined {
  if (maxInFlight === undefined && (queue !== undefined || exempt !== undefined)) {
    return '`queue` and `exempt` belong to `maxInFlight`, which is not given: write '
      + '`serve(app, { maxInFlight: 100, … })`.'
  }
  if (server !== undefined && https !== undefined) {
    return '`https` creates a server and `server` provides one: give one of the two.'
  }
  if (path === undefined || (port === undefined && host === undefined)) return undefined
  return '`path` listens on a socket file, `port` and `host` on the network: give one of the two.'
}

function isOption(name: string): name is keyof ServeOptions {
  return Object.hasOwn(RULES, name)
}

function http2Refused(): MisuseError {
  return new MisuseError(
    'serve_http2',
    'Express 5 does not support HTTP/2: give a server of node:http or node:https, and use HTTP/2 at a proxy in front.',
  )
}

function describe(value: unknown): string {
  if (typeof value === 'string') return `the string ${JSON.stringify(value)}`
  if (isList(value)) return `the list [${value.map(show).join(', ')}]`
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

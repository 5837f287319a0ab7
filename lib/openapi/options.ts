import { MisuseError } from '../errors.js'
import { checkOptionNames } from '../options.js'
import type { RouteInfo } from '../types.js'
import type { Info, Server } from './types.js'

export interface OpenApiOptions extends Info {
  /** Only the routes of this documentation domain, or of these. @default all but those with `doc: false` */
  readonly doc?: string | readonly string[] | undefined
  /** Where the API is. @default one: the host that served the document */
  readonly servers?: readonly (string | Server)[] | undefined
  /** Words a summary for a route that nobody gave one, in your language. @default `List users`, `Show one user` … */
  readonly summarize?: ((route: RouteInfo) => string) | undefined
}

const KEYS = ['title', 'version', 'description', 'contact', 'license', 'doc', 'servers', 'summarize']

const NESTED = [['contact', ['name', 'url', 'email']], ['license', ['name', 'identifier', 'url']]] as const

/** @throws MisuseError `openapi_options` for a missing title or version, or an option that does not exist. */
export function checkOptions(options: OpenApiOptions, more: readonly string[] = []): void {
  checkNames('The options', options, [...KEYS, ...more])
  for (const [key, known] of NESTED) {
    if (options[key] !== undefined) checkNames(`\`${key}\``, options[key], known)
  }
  for (const server of options.servers ?? []) {
    if (typeof server !== 'string') checkNames('A server', server, ['url', 'description'])
  }
  for (const key of ['title', 'version'] as const) {
    if (typeof options[key] !== 'string' || options[key] === '') throw misuse(`needs a \`${key}\``)
  }
}

function checkNames(what: string, options: object, known: readonly string[]): void {
  checkOptionNames(`${what} of an OpenAPI document`, options, known, {}, 'openapi_options')
}

function misuse(why: string): MisuseError {
  return new MisuseError('openapi_options', `An OpenAPI document ${why}.`)
}

import { checkOptionNames, MisuseError, show, type RouteInfo } from '../../core/index.js'
import type { OperationIds } from './operation-ids.js'
import type { Info, Server } from './types.js'

export interface OpenApiOptions extends Info {
  /** Only the routes of this documentation domain, or of these. @default all but those with `doc: false` */
  readonly doc?: string | readonly string[] | undefined
  /** The absolute addresses of the API. @default none, which means the host that served the document */
  readonly servers?: readonly (string | Server)[] | undefined
  /**
   * The form of the operation ids, after which generated clients name their functions: `listPosts`, `admin.posts.list`,
   * or what a function returns. @default 'camel'
   */
  readonly operationIds?: OperationIds | undefined
  /** Writes a summary, in your language, for a route that declares none. @default `List users`, `Show one user` … */
  readonly summarize?: ((route: RouteInfo) => string) | undefined
}

const KEYS = ['title', 'version', 'description', 'contact', 'license', 'doc', 'servers', 'operationIds', 'summarize']

const NESTED = [['contact', ['name', 'url', 'email']], ['license', ['name', 'identifier', 'url']]] as const

/**
 * @throws MisuseError `openapi_options` for a missing title or version, a relative server, or an option that does not
 * exist.
 */
export function checkOptions(options: OpenApiOptions, more: readonly string[] = []): void {
  checkNames('The options', options, [...KEYS, ...more])
  for (const [key, known] of NESTED) {
    if (options[key] !== undefined) checkNames(`\`${key}\``, options[key], known)
  }
  for (const key of ['title', 'version'] as const) {
    if (typeof options[key] !== 'string' || options[key] === '') throw misuse(`needs a \`${key}\``)
  }
  checkServers(options.servers)
  const { operationIds = 'camel' } = options
  if (typeof operationIds === 'function' || ['camel', 'dotted'].includes(operationIds)) return
  throw misuse(`has \`operationIds\` 'camel', 'dotted' or a function, not ${show(operationIds)}`)
}

function checkServers(servers: OpenApiOptions['servers'] = []): void {
  for (const server of servers) {
    if (typeof server !== 'string') checkNames('A server', server, ['url', 'description'])
    checkAddress(typeof server === 'string' ? server : server.url)
  }
}

/** A generated client cannot resolve a relative address. */
function checkAddress(url: unknown): void {
  if (typeof url === 'string' && /^https?:\/\/[^/]/.test(url)) return
  throw misuse(
    `has absolute addresses in \`servers\`, such as https://api.example.com, not `
      + `${show(url)}; without \`servers\` it is the host that served the document`,
  )
}

function checkNames(what: string, options: object, known: readonly string[]): void {
  checkOptionNames(`${what} of an OpenAPI document`, options, known, {}, 'openapi_options')
}

function misuse(why: string): MisuseError {
  return new MisuseError('openapi_options', `An OpenAPI document ${why}.`)
}

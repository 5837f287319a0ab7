import { checkOptionNames, isList, isObject, MisuseError, propertyOf, show, type RouteInfo } from '../../core/index.js'
import type { OperationIds } from './operation-ids.js'
import type { Draft, Info, OpenApiDocument, SecurityScheme, Server } from './types.js'

export interface OpenApiOptions extends Info {
  /** Only the routes of this documentation domain, or of these. @default all but those with `doc: false` */
  readonly doc?: string | readonly string[] | undefined
  /** The absolute addresses of the API. @default `/`: the host that served the document */
  readonly servers?: readonly (string | Server)[] | undefined
  /**
   * The form of the operation ids, after which generated clients name their functions: `listPosts`, `admin.posts.list`,
   * or what a function returns. @default 'camel'
   */
  readonly operationIds?: OperationIds | undefined
  /** Writes a summary, in your language, for a route that declares none. @default `List users`, `Show one user` … */
  readonly summarize?: ((route: RouteInfo) => string) | undefined
  /**
   * Security Scheme Objects by name, over those of `auth`: the first scheme of an application has its name.
   *
   * @default those that the `scheme` of each `auth` describes
   */
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>> | undefined
  /** Returns the document to publish, or changes the copy that it gets. */
  readonly transform?:
    | ((document: Draft<OpenApiDocument>) => OpenApiDocument)
    | ((document: Draft<OpenApiDocument>) => void)
    | undefined
}

// dprint-ignore
const KEYS = [
  'title', 'version', 'description', 'contact', 'license', 'doc', 'servers', 'operationIds', 'summarize',
  'securitySchemes', 'transform',
]

const NESTED = [['contact', ['name', 'url', 'email']], ['license', ['name', 'identifier', 'url']]] as const

/**
 * @throws MisuseError `openapi_options` for a missing title or version, a relative server, or an option that does not
 * exist.
 */
export function checkOptions(options: OpenApiOptions, more: readonly string[] = []): void {
  checkNames('The options', options, [...KEYS, ...more])
  for (const [key, allowed] of NESTED) {
    if (options[key] !== undefined) checkNames(`\`${key}\``, options[key], allowed)
  }
  checkTexts(options)
  checkServers(options.servers)
  checkSchemes(options.securitySchemes)
  checkFunctions(options)
}

function checkTexts({ title, version, description = '', doc = [] }: OpenApiOptions): void {
  for (const [key, value] of Object.entries<unknown>({ title, version })) {
    if (typeof value !== 'string' || value === '') throw misuse(`needs a \`${key}\``)
  }
  if (typeof description !== 'string') throw misuse(`has a string as \`description\`, not ${show(description)}`)
  checkDomains('doc', typeof doc === 'string' ? [doc] : doc)
}

/** @throws MisuseError `openapi_options` for anything but a list of strings */
export function checkDomains(name: string, domains: unknown): void {
  if (isList(domains) && domains.every((domain) => typeof domain === 'string')) return
  throw misuse(`has documentation domains as \`${name}\`, such as ['admin'], not ${show(domains)}`)
}

function checkFunctions({ transform, summarize, operationIds = 'camel' }: OpenApiOptions): void {
  for (const [name, value] of Object.entries({ transform, summarize })) {
    if (value !== undefined && typeof value !== 'function') throw misuse(`has a function as \`${name}\``)
  }
  if (typeof operationIds === 'function' || ['camel', 'dotted'].includes(operationIds)) return
  throw misuse(`has \`operationIds\` 'camel', 'dotted' or a function, not ${show(operationIds)}`)
}

function checkServers(servers: unknown = []): void {
  if (!isList(servers)) throw misuse(`has a list of \`servers\`, not ${show(servers)}`)
  for (const server of servers) {
    if (typeof server !== 'string') checkNames('A server', server, ['url', 'description'])
    checkAddress(typeof server === 'string' ? server : propertyOf(server, 'url'))
  }
}

/** A generated client cannot resolve a relative address; `/` is the host that served the document. */
function checkAddress(url: unknown): void {
  if (url === '/' || (typeof url === 'string' && /^https?:\/\/[^/]/.test(url))) return
  throw misuse(
    `has absolute addresses in \`servers\`, such as https://api.example.com, not `
      + `${show(url)}; without \`servers\` it is the host that served the document`,
  )
}

/** Names of components (OpenAPI 3.1 §4.8.7). */
const COMPONENT = /^[\w.-]+$/
const SCHEME_TYPES: readonly unknown[] = ['apiKey', 'http', 'mutualTLS', 'oauth2', 'openIdConnect']

function checkSchemes(schemes: unknown = {}): void {
  if (!isObject(schemes)) {
    throw misuse(`has an object of \`securitySchemes\` by name, not ${show(schemes)}`)
  }
  for (const [name, scheme] of Object.entries(schemes)) {
    if (!COMPONENT.test(name)) throw misuse(`has names of letters, digits, ".", "-" and "_", not ${show(name)}`)
    const type = propertyOf(scheme, 'type')
    if (!SCHEME_TYPES.includes(type)) {
      throw misuse(`has \`securitySchemes\` with a \`type\` of ${SCHEME_TYPES.join(', ')}, not ${show(type)}`)
    }
  }
}

function checkNames(what: string, options: unknown, allowed: readonly string[]): void {
  checkOptionNames(`${what} of an OpenAPI document`, options, allowed, 'openapi_options')
}

function misuse(why: string): MisuseError {
  return new MisuseError('openapi_options', `An OpenAPI document ${why}.`)
}

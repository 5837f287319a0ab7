import type { ManifestRoute } from '../../core/resource/mounted.js'
import { exchange, type Connection, type Fetch } from '../exchange.js'
import type { Values } from '../request.js'
import { ApiError, type Decode, type Result, type Success } from '../result.js'
import type { CallOptions } from '../types.js'
import { checkOptions, checkString } from './options.js'
import { checkResourceOptions, pathArgsOf, toResource, type Identifier, type Resource,
  type ResourceOptions } from './resources.js'
import { tokenStoreOf, type TokenStore } from './tokens.js'
import { Versions } from './versions.js'

export interface ApiOptions {
  /** Where the token is kept. @default `localStorage`, under the URL; outside of a browser in memory */
  readonly tokens?: TokenStore | undefined
  /** Sends the requests. @default the global `fetch` */
  readonly fetch?: Fetch | undefined
  /**
   * Reads another envelope of the server (`envelope` of the package): it returns `{ message, data, meta }` of a JSON
   * body, and throws for a body that is none.
   *
   * @default the envelope of this package
   */
  readonly decode?: Decode | undefined
}

export interface DataProviderOptions extends ApiOptions {
  /** The options of resources, by name; a resource without options can be omitted. */
  readonly resources?: Readonly<Record<string, ResourceOptions>> | undefined
}

/** The options of one request; `ifMatch` and `headers` may come from `meta`. */
export type SendOptions = Pick<CallOptions, 'signal' | 'ifMatch' | 'headers' | 'multipart'>

/** An API for the providers, with the state between their calls. */
export interface Api {
  readonly url: string
  readonly tokens: TokenStore
  readonly versions: Versions
  /** The cursors of the pages that were read, by list. */
  readonly cursors: Map<string, string[]>
  resourceOf(name: string): Resource
  /** Sends a request below the URL. @throws ApiError where the reply is no success. */
  send(method: string, path: string, args?: Values, options?: SendOptions): Promise<Success<unknown>>
  /** Sends a request to a complete address, its query included; the token goes to this API alone. @throws ApiError */
  sendTo(method: string, address: string, body?: Values, options?: SendOptions): Promise<Success<unknown>>
}

export interface ResourceRequest extends SendOptions {
  readonly api: Api
  readonly resource: Resource
  /** The arguments in the path of the resource. */
  readonly pathArgs: Values
}

export interface RecordRequest extends ResourceRequest {
  readonly id: Identifier
}

/** Returns a request for a resource; each argument of the path is that of the first source that has it. */
export function toResourceRequest(
  api: Api,
  name: string,
  options: SendOptions,
  ...sources: readonly unknown[]
): ResourceRequest {
  const resource = api.resourceOf(name)
  return { ...options, api, resource, pathArgs: pathArgsOf(resource, ...sources) }
}

export const API_OPTIONS: readonly (keyof ApiOptions)[] = ['tokens', 'fetch', 'decode']

/**
 * Creates the connection of a provider to its API.
 *
 * @throws TypeError for an unknown option, of a resource too, and for a URL that is no string
 */
export function createApi(baseUrl: string, options: DataProviderOptions = {}): Api {
  checkString('The URL of a provider', baseUrl)
  const url = baseUrl.replace(/\/+$/, '')
  checkOptions('dataProvider', options, ['resources', ...API_OPTIONS])
  const { tokens = tokenStoreOf(url), fetch, decode, resources = {} } = options
  for (const [name, resource] of Object.entries(resources)) checkResourceOptions(name, resource)
  const connection: Connection = { url, fetch, decode, tokens, onToken: (token) => tokens.set(token) }
  const byName = new Map<string, Resource>()
  return {
    url,
    tokens,
    versions: new Versions(),
    cursors: new Map(),
    resourceOf: (name) => {
      const resource = byName.get(name) ?? toResource(name, Object.hasOwn(resources, name) ? resources[name] : {})
      byName.set(name, resource)
      return resource
    },
    send: (method, path, args = {}, sendOptions = {}) =>
      successOf(exchange(connection, routeOf(method, path), args, sendOptions)),
    sendTo: (method, address, body = {}, sendOptions = {}) => {
      const target = { ...connection, url: joinPath(url, address), api: url }
      return successOf(exchange(target, routeOf(method, ''), body, sendOptions))
    },
  }
}

/** Joins a URL and a path below it, which may be complete already; an empty URL means the origin of the page. */
export function joinPath(url: string, path: string): string {
  const isComplete = /^https?:\/\//i.test(path) || (url !== '' && path.startsWith(`${url}/`))
  return isComplete ? path : `${url}/${path.replace(/^\/+/, '')}`
}

function routeOf(method: string, path: string): ManifestRoute {
  return { name: `${method} ${path}`, method, path }
}

async function successOf(reply: Promise<Result<unknown>>): Promise<Success<unknown>> {
  const result = await reply
  if (result.ok) return result
  throw new ApiError(result)
}

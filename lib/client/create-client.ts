import { exchange, type Connection, type Fetch, type Token, type Tokens } from './exchange.js'
import type { Values } from './request.js'
import { ApiError, type Decode, type Failure, type Success, type SuccessMeta } from './result.js'
import type { Apis, CallOptions, Client } from './types.js'
import type { ManifestRoute } from '../core/resource/mounted.js'

export { ApiError } from './result.js'
export type { Fetch, Token, Tokens } from './exchange.js'
export type { ManifestRoute } from '../core/resource/mounted.js'
export type { Decode, DecodedEnvelope, Failed, Failure, FailureCode, FailureMeta, FailureReason, FieldErrors, Result,
  Success, SuccessCode, SuccessMeta } from './result.js'
export type { Apis, Call, CallOptions, Client, FileValue, NativeFile, ResourceClient, Wire } from './types.js'

export interface ClientOptions {
  /**
   * The address of the app, e.g. `https://api.example.test`; `''` for the origin of the page. Slashes at its end are
   * ignored.
   */
  readonly url: string
  /** The result of `routeManifest(app)` or `resourcery routes app.js --manifest`. */
  readonly routes: readonly ManifestRoute[]
  /** The bearer token, or a function that is called before each request. @default none */
  readonly token?: Token | undefined
  /**
   * The tokens of a signed-in user in place of `token`: after a 401 `refresh` gets a new one, and the request is sent
   * once more. Parallel calls share one refresh.
   *
   * @default none
   */
  readonly tokens?: Tokens | undefined
  /**
   * Receives each token that a reply renews (`renew` of `auth`), unless the token has changed since the request was
   * sent. A token that was given as a string is replaced automatically. An error goes to the console.
   */
  readonly onToken?: ((token: string) => unknown) | undefined
  /** Sends the requests. @default the global `fetch` */
  readonly fetch?: Fetch | undefined
  /**
   * Reads another envelope of the server (`envelope` of the package): it returns `{ message, data, meta }` of a JSON
   * body, and throws for a body in another format.
   *
   * @default the envelope of this package
   */
  readonly decode?: Decode | undefined
}

/**
 * Creates the typed client of an API: `api.{resource}.{action}(args, options)`.
 *
 * The type lists the resources under their names, each as `mountResource`, `mountRoutes` or `resource` returned it. An
 * action takes one object with path arguments, query and body together, and resolves to `{ ok, code, message, data,
 * meta }` for every reply. It throws for an abort, an error of `token`, an object in a query or a form, and a path
 * argument that is not a path segment.
 *
 * @throws TypeError for an unknown option
 * @example
 * import type { Api } from './server.js'
 * const api = createClient<Api>({ url: 'https://api.example.test', routes })
 * const reply = await api.posts.show({ id: 1 })
 * if (reply.ok) console.log(reply.data.title)
 */
export function createClient<Api extends Apis<Api>>({ url, routes, token, ...options }: ClientOptions): Client<Api> {
  for (const name in options)
    if (!/^(tokens|onToken|fetch|decode)$/.test(name)) throw new TypeError(`There is no option ${name}`)
  const connection: Connection = {
    ...options,
    // `/` and a path make the address of another host.
    url: url.replace(/\/+$/, ''),
    tokens: options.tokens ?? { get: () => (typeof token === 'function' ? token() : token) },
    onToken: (fresh) => {
      if (typeof token === 'string') token = fresh
      return options.onToken?.(fresh)
    },
  }
  const api: Record<string, Record<string, unknown> | null> = { __proto__: null }
  for (const route of routes) {
    const names = route.name.split('.')
    const action = names.pop() as keyof object
    const resource = (api[
      names.join('.')
    ] ??= { all: (args: Values = {}, options?: CallOptions) => rowsOf(resource.list as List, args, options) })
    resource[action] = (args: Values = {}, options: CallOptions = {}) => exchange(connection, route, args, options)
  }
  return api as Client<Api>
}

type List = (args: Values, options?: CallOptions) => Promise<Listed | Failure>

interface Listed extends Success<readonly unknown[]> {
  readonly meta: PageMeta
}

/**
 * Yields the rows of all pages: by cursor where the list has one, which no change of the rows disturbs, else by number.
 */
async function* rowsOf(list: List, args: Values, options?: CallOptions): AsyncGenerator<unknown, void, undefined> {
  let query: Values | false = 'page' in args ? args : { cursor: '', ...args }
  while (query) {
    let result = await list(query, options)
    // This list has no cursors.
    if (result.code === 422 && query.cursor === '') result = await list(args, options)
    if (!result.ok) throw new ApiError(result)
    yield* result.data
    if (!result.data.length) return
    // Where the total is unknown, pages are read until one is empty.
    const { next, page, limit, total = Infinity } = result.meta
    query = next ? { ...args, cursor: next } : page * limit < total && { ...args, page: page + 1 }
  }
}

/** Of a numbered page; by cursor there is `next`, and a product of nothing is less than nothing. */
interface PageMeta extends SuccessMeta {
  readonly page: number
  readonly limit: number
}

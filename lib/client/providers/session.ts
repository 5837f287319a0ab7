import type { Values } from '../request.js'
import { ApiError } from '../result.js'
import { fieldOf } from './date-times.js'
import { withHeaders } from './failure.js'
import { checkOptions, checkString } from './options.js'
import type { DataRecord } from './resources.js'
import { API_OPTIONS, createApi, joinPath, type ApiOptions } from './api.js'

export interface AuthProviderOptions extends ApiOptions {
  /** The route that signs in, e.g. `/login`. Its reply has a `token` in `data`. */
  readonly login: string
  /** A route that ends the session on the server, called with `POST`. @default none: the token is removed here */
  readonly logout?: string | undefined
  /** The route of the signed-in user. @default '/me' */
  readonly identity?: string | undefined
  /** The route of the caller's permissions: see `grantedPermissions`. @default '/permissions' */
  readonly permissions?: string | undefined
  /** The application whose permission ids are asked for, e.g. `admin`. @default any */
  readonly app?: string | undefined
  /**
   * Makes the body of the login route from the fields of the form.
   *
   * @default the fields as they are, and `username`, as react-admin's form calls it, as `email` too
   */
  readonly credentials?: ((fields: Values) => Values) | undefined
}

/** A session, as both auth providers use it. */
export interface Session {
  /** Signs in and keeps the token. @throws ApiError where the API refuses. */
  signIn(fields: unknown): Promise<void>
  /** Removes the token, and calls the route for it on the server if there is one. */
  signOut(): Promise<void>
  isSignedIn(): Promise<boolean>
  /** Returns the record of the signed-in user. */
  identity(signal?: AbortSignal): Promise<DataRecord>
  /** Returns the permissions of the caller: ids, and patterns such as `admin.posts.*`. */
  permissions(): Promise<readonly string[]>
  /** Returns true if the caller has the permission for one of these actions of a resource. */
  may(resource: string, actions: readonly string[]): Promise<boolean>
}

export const SESSION_OPTIONS: readonly (keyof AuthProviderOptions)[] = [
  'login',
  'logout',
  'identity',
  'permissions',
  'app',
  'credentials',
  ...API_OPTIONS,
]

/** Creates the session of an auth provider. @throws TypeError for an unknown option, or a `login` that is no string */
export function createSession(url: string, options: AuthProviderOptions): Session {
  checkOptions('authProvider', options, SESSION_OPTIONS)
  checkString('authProvider: `login`', options.login)
  const { login, logout, identity = '/me', permissions: permissionsRoute = '/permissions', app, ...others } = options
  const { credentials = defaultCredentials, ...apiOptions } = others
  const api = createApi(url, apiOptions)
  // A token that is not valid any more would be sent to the login route too.
  const anonymous = createApi(url, { ...apiOptions, tokens: { get: () => null, set: () => undefined } })
  let cached: { readonly token: string | null; readonly granted: Promise<readonly string[]> } | undefined

  async function permissions(): Promise<readonly string[]> {
    const token = await api.tokens.get()
    if (!token) return []
    if (cached?.token === token) return cached.granted
    const granted = api.sendTo('GET', permissionsRoute).then(({ data, meta }) => permissionsIn(data, meta))
    cached = { token, granted }
    // A failure is not kept.
    granted.catch(() => {
      cached = undefined
    })
    return granted
  }

  return {
    permissions,
    signIn: async (fields) => {
      const { data } = await anonymous.sendTo('POST', login, credentials(fields as Values)).catch(withMessages)
      const token = fieldOf(data, 'token')
      if (typeof token !== 'string' || token === '') {
        throw new TypeError(`${joinPath(api.url, login)} replied without a \`token\` in \`data\`.`)
      }
      await api.tokens.set(token, data)
    },
    signOut: async () => {
      // Who cannot be signed out on the server is signed out here all the same.
      if (logout !== undefined) await api.sendTo('POST', logout).catch(() => undefined)
      await api.tokens.set(null)
      cached = undefined
    },
    isSignedIn: async () => Boolean(await api.tokens.get()),
    identity: async (signal) => {
      if (!(await api.tokens.get())) throw notSignedIn()
      return (await api.sendTo('GET', identity, {}, { signal })).data as DataRecord
    },
    may: async (resource, actions) => {
      const granted = await permissions()
      return granted.some((entry) => actions.some((action) => grants(entry, app, `${resource}.${action}`)))
    },
  }
}

/** Returns the error of an anonymous caller, whose request would only put its 401 into the console. */
function notSignedIn(): ApiError {
  const failure = { ok: false, code: 401, message: 'Authentication required', data: null, meta: {} } as const
  return new ApiError(withHeaders(failure, new Headers()))
}

/** Throws the error of a login route with the messages of its fields, since a page for signing in shows one message. */
function withMessages(error: unknown): never {
  if (!(error instanceof ApiError)) throw error
  const { headers, ...result } = error.result
  const messages = Object.entries(result.data ?? {}).map(([field, all]) =>
    `${field === '_' ? '' : `${field}: `}${all.join('. ')}`
  )
  const message = messages.join('. ') || result.message
  throw new ApiError(withHeaders({ ...result, message }, headers))
}

function defaultCredentials(fields: Values): Values {
  const { username } = fields
  return { ...fields, ...(username !== undefined && fields.email === undefined && { email: username }) }
}

/** Returns the permissions of a reply: `meta.granted`, a list of ids, or the ids in a tree of `permissionsOf`. */
function permissionsIn(data: unknown, meta: Values): string[] {
  if (Array.isArray(meta.granted)) return meta.granted as string[]
  if (!Array.isArray(data)) return []
  return (data as readonly (string | Group)[]).flatMap((entry) =>
    typeof entry === 'string' ? entry : entry.children.map(({ name }) => name)
  )
}

interface Group {
  readonly children: readonly { readonly name: string }[]
}

/** Returns true if an entry grants an action: an id, `prefix.*` for everything below it, `*` for everything. */
function grants(entry: string, app: string | undefined, action: string): boolean {
  const permission = `${app ?? entry.slice(0, entry.indexOf('.'))}.${action}`
  return entry === '*' || entry === permission || (entry.endsWith('.*') && permission.startsWith(entry.slice(0, -1)))
}

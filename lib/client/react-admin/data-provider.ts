import type { Values } from '../request.js'
import { createApi, toResourceRequest, type Api, type DataProviderOptions, type ResourceRequest,
  type SendOptions } from '../providers/api.js'
import { fieldOf } from '../providers/date-times.js'
import { convertingErrors } from '../providers/failure.js'
import { checkReference, declaredFilters } from '../providers/filters.js'
import { readList, type ListPage } from '../providers/read-list.js'
import { readRecords, removeRecords, updateRecords } from '../providers/many-records.js'
import { createRecord, readRecord, removeRecord, updateRecord } from '../providers/records.js'
import { pathArgsOf, type DataRecord, type Resource } from '../providers/resources.js'
import { createSession, type AuthProviderOptions } from '../providers/session.js'
import { HttpError, partlyUpdated, toHttpError } from './http-error.js'
import type { AuthProvider, CommonParams, DataParams, DataProvider, DeleteParams, ListParams, ListResult, ManyParams,
  OneParams, ReferenceParams, UpdateParams } from './types.js'

export type { DataProviderOptions } from '../providers/api.js'
export type { DataRecord, Identifier, ResourceOptions } from '../providers/resources.js'
export type { AuthProviderOptions } from '../providers/session.js'
export type { TokenStore } from '../providers/tokens.js'
export { HttpError } from './http-error.js'
export type { HttpErrorBody } from './http-error.js'
export type { AuthProvider, CallResult, CommonParams, DataParams, DataProvider, DeleteParams, ListParams, ListResult,
  ManyParams, ManyResult, OneParams, OneResult, ReferenceParams, UpdateParams } from './types.js'

/** The rows of a page where react-admin names none. */
const PER_PAGE = 25

/**
 * Creates a data provider of [react-admin](https://marmelab.com/react-admin) for the resources of an API.
 *
 * A record that was read with an `ETag` is updated with `If-Match`, and only its changed fields are sent; a change by
 * somebody else in between is an `HttpError` with status 412. The token is that of {@link authProvider} with the same
 * URL.
 *
 * @example
 * const resources = { posts: { filters: ['category', 'status'] } }
 * const provider = dataProvider('https://api.example.test/admin', { resources })
 * const { data, total } = await provider.getList('posts', { pagination: { page: 1, perPage: 10 } })
 */
export function dataProvider(url: string, options: DataProviderOptions = {}): DataProvider {
  const api = createApi(url, options)
  const methods = convertingErrors({ ...readingMethods(api), ...writingMethods(api) }, toHttpError)
  return { supportAbortSignal: true, ...methods } as DataProvider
}

function readingMethods(api: Api) {
  async function list(name: string, params: ListParams, reference: Values = {}): Promise<ListResult<DataRecord>> {
    const { page, perPage } = params.pagination ?? { page: 1, perPage: PER_PAGE }
    const filter = { ...(params.filter ?? {}), ...reference }
    const request = requestOf(api, name, params, filter)
    const { resource, pathArgs } = request
    const { q, ...filters } = without(flat(filter), Object.keys(pathArgs))
    return toListResult(await readList({
      ...request,
      page,
      perPage,
      sort: sortOf(resource, params.sort),
      search: typeof q === 'string' ? q : undefined,
      filters: declaredFilters(resource, filters),
    }), page)
  }

  return {
    getList: (name: string, params: ListParams) => list(name, params),
    getManyReference: async (name: string, params: ReferenceParams) => {
      const resource = api.resourceOf(name)
      if (!Object.hasOwn(pathArgsOf(resource), params.target)) checkReference(resource, params.target)
      return list(name, params, { [params.target]: params.id })
    },
    getOne: async (name: string, params: OneParams) => ({
      data: await readRecord({ ...requestOf(api, name, params), id: params.id }),
    }),
    getMany: async (name: string, params: ManyParams) => ({
      data: await readRecords(requestOf(api, name, params), params.ids),
    }),
  }
}

function writingMethods(api: Api) {
  return {
    create: async (name: string, params: DataParams) => ({
      data: await createRecord(requestOf(api, name, params, params.data), params.data),
    }),
    update: async (name: string, params: UpdateParams) => {
      const { id, data, previousData: previous } = params
      return { data: await updateRecord({ ...requestOf(api, name, params, previous, data), id, data, previous }) }
    },
    updateMany: async (name: string, params: ManyParams & DataParams) => {
      const { ids, data } = params
      const { records, failures } = await updateRecords(requestOf(api, name, params, data), ids, data)
      const updated = records.map(({ id }) => id)
      if (failures[0] !== undefined) throw partlyUpdated(failures[0].error, updated, failures.map(({ id }) => id))
      return { data: updated }
    },
    delete: async (name: string, params: DeleteParams) => {
      const { id, previousData: previous } = params
      await removeRecord({ ...requestOf(api, name, params, previous), id, previous })
      return { data: previous ?? { id } }
    },
    deleteMany: async (name: string, params: ManyParams) => {
      await removeRecords(requestOf(api, name, params), params.ids)
      return { data: [...params.ids] }
    },
    call: async (name: string, route: string, args: Values = {}, params: CommonParams = {}) => {
      const [method = '', path = ''] = route.split(' ')
      const { resource, pathArgs, ...options } = requestOf(api, name, params, args)
      const { data, meta } = await api.send(method, resource.path + path, { ...args, ...pathArgs }, options)
      return { data, meta }
    },
  }
}

/** The permissions that actions of react-admin need, where they have other names than the actions of a resource. */
const ACTIONS: Readonly<Record<string, readonly string[]>> = { edit: ['store'], export: ['export', 'list'] }

/**
 * Creates an auth provider of react-admin for a login route that replies with a token.
 *
 * A renewed token replaces the old one. `canAccess` hides what the caller may not do, by the permissions of the API.
 *
 * @example
 * const auth = authProvider('https://api.example.test/admin', { login: '/login' })
 * await auth.login({ username: 'ann@example.test', password: 'secret' })
 */
export function authProvider(url: string, options: AuthProviderOptions): AuthProvider {
  const session = createSession(url, options)
  async function checkAuth(): Promise<void> {
    if (!(await session.isSignedIn())) throw new HttpError('Authentication required', 401, {})
  }
  const provider: AuthProvider = {
    login: (params) => session.signIn(params),
    logout: () => session.signOut(),
    checkAuth,
    checkError: async (error) => {
      if (fieldOf(error, 'status') === 401) throw error
      return Promise.resolve()
    },
    getIdentity: async (params) => {
      const user = await session.identity(params?.signal)
      const [fullName, avatar] = [user.fullName ?? user.name ?? user.email, user.avatar ?? user.avatarUrl]
      return {
        ...user,
        ...(typeof fullName === 'string' && { fullName }),
        ...(typeof avatar === 'string' && { avatar }),
      }
    },
    getPermissions: () => session.permissions(),
    canAccess: async ({ action, resource }) => {
      await checkAuth() // a page asks before anybody has signed in, too
      return session.may(resource, ACTIONS[action] ?? [action])
    },
  }
  return convertingErrors(provider, toHttpError)
}

/** Returns the request for a resource; what react-admin has no name for, and arguments of the path, are in `meta`. */
function requestOf(
  api: Api,
  name: string,
  { meta, signal }: CommonParams,
  ...sources: readonly unknown[]
): ResourceRequest {
  const { ifMatch, headers } = (meta ?? {}) as SendOptions
  return toResourceRequest(api, name, { signal, ifMatch, headers }, meta, ...sources)
}

function sortOf({ key }: Resource, sort: ListParams['sort']): string | undefined {
  if (!sort?.field) return undefined
  return `${sort.order === 'DESC' ? '-' : ''}${sort.field === 'id' ? key : sort.field}`
}

function toListResult({ rows: data, total, hasNext }: ListPage, page: number): ListResult<DataRecord> {
  return total === undefined ? { data, pageInfo: { hasNextPage: hasNext, hasPreviousPage: page > 1 } } : { data, total }
}

/** Names the filters in objects, which react-admin makes of `source="author.id"`, by their paths. */
function flat(filters: Values, prefix = ''): Record<string, unknown> {
  const entries = Object.entries(filters).flatMap(([name, value]): [string, unknown][] => {
    return isPlain(value) ? Object.entries(flat(value, `${prefix}${name}.`)) : [[prefix + name, value]]
  })
  return Object.fromEntries(entries)
}

function isPlain(value: unknown): value is Values {
  return Object.prototype.toString.call(value) === '[object Object]'
}

function without(values: Values, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))
}

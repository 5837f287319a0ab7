import { toRequest, type Values } from '../request.js'
import { ApiError } from '../result.js'
import { createApi, toResourceRequest, type Api, type DataProviderOptions, type ResourceRequest,
  type SendOptions } from '../providers/api.js'
import { convertingErrors } from '../providers/failure.js'
import { declaredFilters, isDeclared } from '../providers/filters.js'
import { readAll, readList } from '../providers/read-list.js'
import { createRecords, readRecords, removeRecords, updateRecords } from '../providers/many-records.js'
import { createRecord, readRecord, removeAnyVersion, updateRecord, versionKeyOf } from '../providers/records.js'
import type { DataRecord } from '../providers/resources.js'
import { partlyUpdated, toHttpError } from './http-error.js'
import { searchedFields, searchFor, toQuery, toSort, type Query } from './list-query.js'
import type { CommonParams, CreateManyParams, CustomParams, DataProvider, ListParams, ListResponse, ManyParams, Meta,
  OneParams, VariablesParams } from './types.js'

export type { DataProviderOptions } from '../providers/api.js'
export type { DataRecord, Identifier, ResourceOptions } from '../providers/resources.js'
export type { TokenStore } from '../providers/tokens.js'
export { authProvider, type AuthProviderOptions } from './auth-provider.js'
export { HttpError } from './http-error.js'
export type { ActionResponse, AuthProvider, CommonParams, CreateManyParams, CustomParams, DataProvider, Filter,
  ListParams, ListResponse, ManyParams, ManyResponse, Meta, OneParams, OneResponse, Sorter,
  VariablesParams } from './types.js'

/** The rows of a page where refine names none. */
const PAGE_SIZE = 10

/**
 * Creates a data provider of [refine](https://refine.dev) for the resources of an API.
 *
 * A record that was read with an `ETag` is updated with `If-Match`, and only its changed fields are sent; a change by
 * somebody else in between is an `HttpError` with `statusCode` 412. The token is that of `authProvider` with the same
 * URL.
 *
 * @example
 * const resources = { posts: { filters: ['category', 'status'] } }
 * const provider = dataProvider('https://api.example.test/admin', { resources })
 * const pagination = { currentPage: 1, pageSize: 10 }
 * const { data, total } = await provider.getList({ resource: 'posts', pagination })
 */
export function dataProvider(url: string, options: DataProviderOptions = {}): DataProvider {
  const api = createApi(url, options)
  const methods = convertingErrors({
    ...readingMethods(api),
    ...writingMethods(api),
    custom: (params: CustomParams) => custom(api, params),
  }, toHttpError)
  return { ...methods, getApiUrl: () => api.url } as DataProvider
}

function readingMethods(api: Api) {
  /** The fields that lists refused to filter by, by the name of the resource. */
  const searched = new Map<string, ReadonlySet<string>>()

  async function list(params: ListParams, query: Query): Promise<ListResponse<DataRecord>> {
    const { currentPage: page = 1, pageSize: perPage = PAGE_SIZE, mode } = params.pagination ?? {}
    const { search, filters } = query
    const base = requestOf(api, params, filters)
    const { resource, pathArgs } = base
    const others = Object.fromEntries(Object.entries(filters).filter(([name]) => !(name in pathArgs)))
    const request = {
      ...base,
      page,
      perPage,
      search,
      sort: toSort(resource, params.sorters),
      filters: declaredFilters(resource, others),
    }
    if (mode === 'off' || mode === 'client') {
      const data = await readAll(request)
      return { data, total: data.length }
    }
    const { rows, total, hasNext, next } = await readList(request)
    const before = typeof page === 'number' ? (page - 1) * perPage : 0
    const counted = before + rows.length + (hasNext ? 1 : 0)
    return { data: rows, total: total ?? counted, ...(next !== undefined && { cursor: { next } }) }
  }

  return {
    /** A field that a select searches and that has no filter is searched by the list's search. */
    getList: async (params: ListParams): Promise<ListResponse<DataRecord>> => {
      const resource = api.resourceOf(params.resource)
      const query = toQuery(params.filters)
      const fields = searchedFields(params.filters)
      const searchedBefore = searched.get(resource.name) ?? new Set()
      const unfiltered = fields.find((field) => searchedBefore.has(field) || !isDeclared(resource, field))
      if (unfiltered !== undefined) return list(params, searchFor(unfiltered, query))
      try {
        return await list(params, query)
      } catch (error) {
        const refused = fields.find((field) => isRefusedField(error, field))
        if (refused === undefined || query.search !== undefined) throw error
        const page = await list(params, searchFor(refused, query))
        searched.set(resource.name, new Set([...searchedBefore, refused]))
        return page
      }
    },
    getOne: async (params: OneParams) => {
      const request = { ...requestOf(api, params), id: params.id }
      // refine reads a record again after an update that failed: a newer one would replace what the user has typed.
      const kept = isQuery(params.meta) ? api.versions.takeKept(versionKeyOf(request)) : undefined
      return { data: kept?.record ?? await readRecord(request) }
    },
    getMany: async (params: ManyParams) => ({ data: await readRecords(requestOf(api, params), params.ids) }),
  }
}

function writingMethods(api: Api) {
  return {
    create: async (params: VariablesParams) => ({
      data: await createRecord(requestOf(api, params, params.variables), params.variables),
    }),
    createMany: async (params: CreateManyParams) => {
      const data: DataRecord[] = []
      for (const [request, items] of byParent(api, params)) data.push(...await createRecords(request, items))
      return { data }
    },
    update: async ({ id, variables: data, ...params }: OneParams & VariablesParams) => {
      const request = { ...requestOf(api, params, data), id }
      const key = versionKeyOf(request)
      // refine does not pass the record of its form, so the last one read is used.
      const previous = api.versions.latest(key)?.record
      try {
        return { data: await updateRecord({ ...request, data, previous }) }
      } catch (error) {
        api.versions.keepLatest(key)
        throw error
      }
    },
    updateMany: async (params: ManyParams & VariablesParams) => {
      const { ids, variables } = params
      const { records, failures } = await updateRecords(requestOf(api, params, variables), ids, variables)
      if (failures[0] !== undefined) throw partlyUpdated(failures[0].error, records.length, failures.length)
      return { data: records }
    },
    deleteOne: async (params: OneParams) => {
      await removeAnyVersion({ ...requestOf(api, params), id: params.id })
      return { data: { id: params.id } }
    },
    deleteMany: async (params: ManyParams) => {
      await removeRecords(requestOf(api, params), params.ids)
      return { data: params.ids.map((id) => ({ id })) }
    },
  }
}

/** Returns the requests for new records: neighbours below one parent share a request. */
function byParent(api: Api, params: CreateManyParams): [request: ResourceRequest, items: unknown[]][] {
  const parts: [ResourceRequest, unknown[]][] = []
  let last: string | undefined
  for (const item of params.variables) {
    const request = requestOf(api, params, item)
    const parent = JSON.stringify(Object.values(request.pathArgs).map(String))
    if (parent === last) parts.at(-1)?.[1].push(item)
    else parts.push([request, [item]])
    last = parent
  }
  return parts
}

/** @throws TypeError for a payload that is a list or a bare value. */
async function custom(
  api: Api,
  { url, method, sorters, filters, payload, query, headers, meta }: CustomParams,
): Promise<{ data: unknown }> {
  const body = bodyOf(payload)
  const hasBody = /^p(?:ost|ut|atch)$/i.test(method)
  const sort = toSort({ key: 'id' }, sorters)
  const { search, filters: asked } = toQuery(filters)
  const inQuery = {
    ...asked,
    ...(search && { search }),
    ...(sort && { sort }),
    ...(query ?? {}),
    ...(!hasBody && body),
  }
  const [suffix] = toRequest({ name: 'query', method: 'GET', path: '' }, inQuery, {})
  const address = url.includes('?') ? url + suffix.replace('?', '&') : url + suffix
  const { data } = await api.sendTo(method.toUpperCase(), address, hasBody ? body : {}, {
    ...optionsOf(meta),
    multipart: payload instanceof FormData,
    headers: { ...meta?.headers, ...headers },
  })
  return { data }
}

function bodyOf(payload: unknown): Values {
  if (payload instanceof FormData) {
    return Object.fromEntries([...new Set(payload.keys())].map((name) => [name, oneOrAll(payload.getAll(name))]))
  }
  if (payload !== undefined && (typeof payload !== 'object' || Array.isArray(payload))) {
    throw new TypeError('The payload of `custom` must be an object or a form.')
  }
  return { ...payload }
}

function oneOrAll<T>(values: readonly T[]): T | readonly T[] | undefined {
  return values.length === 1 ? values[0] : values
}

/** Returns true if a list refuses a parameter: it has no such filter. */
function isRefusedField(error: unknown, field: string): boolean {
  return error instanceof ApiError && error.result.code === 422 && Object.hasOwn(error.result.data, field)
}

/** Returns the request for a record; the arguments of the path are looked up in `meta` first. */
function requestOf(api: Api, { resource, meta }: CommonParams, ...sources: readonly unknown[]): ResourceRequest {
  return toResourceRequest(api, resource, optionsOf(meta), meta, ...sources)
}

function optionsOf(meta: Meta | undefined): SendOptions {
  return { signal: meta?.signal ?? meta?.queryContext?.signal, ifMatch: meta?.ifMatch, headers: meta?.headers }
}

/** Returns true for a request of a hook, whose page has shown the record before; a program calls without a query. */
function isQuery(meta: Meta | undefined): boolean {
  return meta?.queryKey !== undefined || meta?.queryContext !== undefined
}

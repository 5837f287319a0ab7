import type { Values } from '../request.js'
import type { DataRecord, Identifier } from '../providers/resources.js'

/**
 * The parameters of all methods. `meta` may have `ifMatch`, `headers` and the path arguments of a resource.
 */
export interface CommonParams {
  readonly meta?: unknown
  readonly signal?: AbortSignal | undefined
}

export interface ListParams extends CommonParams {
  readonly pagination?: { readonly page: number; readonly perPage: number } | undefined
  readonly sort?: { readonly field: string; readonly order: 'ASC' | 'DESC' } | undefined
  readonly filter?: unknown
}

export interface ReferenceParams extends ListParams {
  /** The field that refers to the other record. */
  readonly target: string
  readonly id: Identifier
}

export interface OneParams extends CommonParams {
  readonly id: Identifier
}

export interface ManyParams extends CommonParams {
  readonly ids: readonly Identifier[]
}

export interface DataParams extends CommonParams {
  readonly data: unknown
}

export interface UpdateParams extends OneParams, DataParams {
  /** The record as the form was filled with it. */
  readonly previousData?: unknown
}

export interface DeleteParams extends OneParams {
  readonly previousData?: unknown
}

export interface ListResult<R> {
  data: R[]
  /** Absent of a list without a count, which has `pageInfo` instead. */
  total?: number
  pageInfo?: { hasNextPage: boolean; hasPreviousPage: boolean }
}

export interface OneResult<R> {
  data: R
}

export interface ManyResult<R> {
  data: R[]
}

export interface CallResult<Data> {
  data: Data
  meta: Values
}

/** The methods of react-admin's `DataProvider`, and `call` for all other routes. */
export interface DataProvider {
  readonly supportAbortSignal: true
  getList<R extends Pick<DataRecord, 'id'> = DataRecord>(resource: string, params: ListParams): Promise<ListResult<R>>
  getOne<R extends Pick<DataRecord, 'id'> = DataRecord>(resource: string, params: OneParams): Promise<OneResult<R>>
  getMany<R extends Pick<DataRecord, 'id'> = DataRecord>(resource: string, params: ManyParams): Promise<ManyResult<R>>
  getManyReference<R extends Pick<DataRecord, 'id'> = DataRecord>(resource: string,
    params: ReferenceParams): Promise<ListResult<R>>
  create<R = DataRecord>(resource: string, params: DataParams): Promise<OneResult<R>>
  update<R extends Pick<DataRecord, 'id'> = DataRecord>(resource: string, params: UpdateParams): Promise<OneResult<R>>
  updateMany(resource: string, params: ManyParams & DataParams): Promise<{ data: Identifier[] }>
  delete<R extends Pick<DataRecord, 'id'> = DataRecord>(resource: string, params: DeleteParams): Promise<OneResult<R>>
  deleteMany(resource: string, params: ManyParams): Promise<{ data: Identifier[] }>
  /** Calls any other route of a resource: `call('posts', 'PUT /:id/restore', { id: 1 })`. */
  call<Data = unknown>(resource: string, route: string, args?: Values, params?: CommonParams): Promise<CallResult<Data>>
}

/** The methods of react-admin's `AuthProvider`. */
export interface AuthProvider {
  login(params: unknown): Promise<void>
  logout(params?: unknown): Promise<void>
  checkAuth(params?: unknown): Promise<void>
  /** Rejects a 401, which signs out; any other error is shown where it happened. */
  checkError(error: unknown): Promise<void>
  getIdentity(
    params?: CommonParams,
  ): Promise<{ id: Identifier; fullName?: string; avatar?: string; [field: string]: unknown }>
  /** Returns permission ids, and patterns such as `admin.posts.*`. */
  getPermissions(params?: unknown): Promise<readonly string[]>
  canAccess(params: { readonly action: string; readonly resource: string }): Promise<boolean>
}

import type { DataRecord, Identifier } from '../providers/resources.js'

/** The parameters of all methods. `meta` may have `ifMatch`, `headers` and the path arguments of a resource. */
export interface CommonParams {
  readonly resource: string
  readonly meta?: Meta | undefined
}

export interface Meta {
  readonly ifMatch?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The query of a hook, whose signal aborts the request. */
  readonly queryKey?: readonly unknown[] | undefined
  readonly signal?: AbortSignal | undefined
  readonly queryContext?: { readonly signal?: AbortSignal | undefined } | undefined
}

export interface Filter {
  readonly field?: string | undefined
  readonly operator: string
  readonly value?: unknown
}

export interface Sorter {
  readonly field: string
  readonly order: 'asc' | 'desc'
}

export interface ListParams extends CommonParams {
  readonly pagination?: {
    readonly currentPage?: number | undefined
    readonly pageSize?: number | undefined
    readonly mode?: string | undefined
  } | undefined
  readonly sorters?: readonly Sorter[] | undefined
  readonly filters?: readonly Filter[] | undefined
}

export interface OneParams extends CommonParams {
  readonly id: Identifier
}

export interface ManyParams extends CommonParams {
  readonly ids: readonly Identifier[]
}

export interface VariablesParams extends CommonParams {
  readonly variables: unknown
}

export interface CreateManyParams extends CommonParams {
  readonly variables: readonly unknown[]
}

export interface CustomParams {
  /** A complete address, or a path below the URL. Another server receives no token. */
  readonly url: string
  readonly method: string
  readonly sorters?: readonly Sorter[] | undefined
  readonly filters?: readonly Filter[] | undefined
  readonly payload?: unknown
  readonly query?: unknown
  readonly headers?: object | undefined
  readonly meta?: Meta | undefined
}

export interface ListResponse<R> {
  data: R[]
  /** Of a list that is paged by cursor, the rows that are known to exist. */
  total: number
  /** Of a list that is paged by cursor, for `useInfiniteList`. */
  cursor?: { next: string | null }
}

export interface OneResponse<R> {
  data: R
}

export interface ManyResponse<R> {
  data: R[]
}

/** The methods of refine's `DataProvider`. */
export interface DataProvider {
  getList<R extends object = DataRecord>(params: ListParams): Promise<ListResponse<R>>
  getOne<R extends object = DataRecord>(params: OneParams): Promise<OneResponse<R>>
  getMany<R extends object = DataRecord>(params: ManyParams): Promise<ManyResponse<R>>
  create<R extends object = DataRecord>(params: VariablesParams): Promise<OneResponse<R>>
  createMany<R extends object = DataRecord>(params: CreateManyParams): Promise<ManyResponse<R>>
  update<R extends object = DataRecord>(params: OneParams & VariablesParams): Promise<OneResponse<R>>
  updateMany<R extends object = DataRecord>(params: ManyParams & VariablesParams): Promise<ManyResponse<R>>
  deleteOne<R extends object = DataRecord>(params: OneParams): Promise<OneResponse<R>>
  deleteMany<R extends object = DataRecord>(params: ManyParams): Promise<ManyResponse<R>>
  custom<R extends object = Record<string, unknown>>(params: CustomParams): Promise<OneResponse<R>>
  getApiUrl(): string
}

/** The outcome of a sign-in or a sign-out. */
export interface ActionResponse {
  success: boolean
  redirectTo?: string
  error?: Error
  [detail: string]: unknown
}

/** The methods of refine's `AuthProvider`, and `can` of its `AccessControlProvider`. */
export interface AuthProvider {
  login(params: unknown): Promise<ActionResponse>
  logout(params?: unknown): Promise<ActionResponse>
  check(params?: unknown): Promise<{ authenticated: boolean; redirectTo?: string; logout?: boolean }>
  /** Signs out after a 401; any other error is shown where it happened. */
  onError(error: unknown): Promise<{ logout?: boolean; redirectTo?: string; error?: Error }>
  /** Returns permission ids, and patterns such as `admin.posts.*`. */
  getPermissions(params?: unknown): Promise<readonly string[]>
  /** Returns the signed-in user; `name` and `avatar` are found under other common names. */
  getIdentity(params?: unknown): Promise<Record<string, unknown>>
  can(params: { readonly resource?: string; readonly action: string }): Promise<{ can: boolean; reason?: string }>
}

import type { Values } from '../request.js'
import { ApiError, type Failure } from '../result.js'
import type { Api, SendOptions } from './api.js'
import { IncompleteError, StaleError } from './failure.js'
import { toBody } from './form-body.js'
import { toFields, toNewFields, toRecord, type DataRecord, type Identifier, type Resource } from './resources.js'
import { takeUploads, uploadFiles, type Uploads } from './uploads.js'
import { changedFields, isEqual } from './values.js'
import { strongTagOf, type Version } from './versions.js'

/** One record, and how it is asked for. */
export interface RecordRequest extends SendOptions {
  readonly id: Identifier
  /** The arguments in the path of the resource. */
  readonly pathArgs: Values
}

export interface UpdateRequest extends RecordRequest {
  /** The fields of a form. */
  readonly data: unknown
  /** The record that the form was filled with: only what differs from it is sent. */
  readonly previous: unknown
}

/**
 * Reads a record and remembers its version.
 *
 * @throws ApiError
 */
export async function readRecord(api: Api, resource: Resource, request: RecordRequest): Promise<DataRecord> {
  const { record, headers } = await fetchRecord(api, resource, request)
  api.versions.remember(versionKeyOf(resource, request), record, headers)
  return record
}

/**
 * Creates a record, and then stores the files that have routes of their own.
 *
 * @throws IncompleteError where the record was created and a file was not stored. @throws ApiError
 */
export async function createRecord(
  api: Api,
  resource: Resource,
  data: unknown,
  request: Omit<RecordRequest, 'id'>,
): Promise<DataRecord> {
  const { fields, uploads } = takeUploads(resource, toNewFields(resource, data))
  const body = toBody(resource, 'create', fields)
  const created = await api.send('POST', resource.path, { ...body.fields, ...request.pathArgs }, {
    ...request,
    multipart: body.multipart,
  })
  const record = toRecord(resource, created.data)
  const single = { ...request, id: record.id }
  api.versions.remember(versionKeyOf(resource, single), record, created.headers)
  if (Object.keys(uploads).length === 0) return record
  try {
    return await storeUploads(api, resource, single, uploads)
  } catch (error) {
    throw error instanceof ApiError ? new IncompleteError(error.result, record) : error
  }
}

/**
 * Updates a record by `PATCH`, with the fields that differ from the record that was read and the `ETag` of that
 * version.
 *
 * @throws StaleError where the record was changed since. @throws ApiError
 */
export async function updateRecord(api: Api, resource: Resource, request: UpdateRequest): Promise<DataRecord> {
  const { fields, uploads } = takeUploads(resource, toFields(resource, request.data, request.previous))
  const changes = changedFields(fields, request.previous)
  const hasUploads = Object.keys(uploads).length > 0
  if (Object.keys(changes).length === 0 && !hasUploads) return readRecord(api, resource, request)
  let record: DataRecord | undefined
  if (Object.keys(changes).length > 0) {
    const body = toBody(resource, 'update', changes)
    const reply = await changeVersion(api, resource, request, (options) =>
      api.send('PATCH', pathOfOne(resource), { ...body.fields, ...argsOf(request) }, {
        ...options,
        multipart: body.multipart,
      }))
    record = toRecord(resource, reply.data)
    api.versions.remember(versionKeyOf(resource, request), record, reply.headers)
  }
  return hasUploads || record === undefined ? storeUploads(api, resource, request, uploads) : record
}

/**
 * Deletes a record, in the version that was read.
 *
 * @throws StaleError where the record was changed since. @throws ApiError
 */
export async function removeRecord(
  api: Api,
  resource: Resource,
  request: RecordRequest & Pick<UpdateRequest, 'previous'>,
): Promise<void> {
  await changeVersion(
    api,
    resource,
    request,
    (options) => api.send('DELETE', pathOfOne(resource), argsOf(request), options),
  )
  api.versions.forget(versionKeyOf(resource, request))
}

/**
 * Deletes a record in any version.
 *
 * @throws ApiError
 */
export async function removeAnyVersion(api: Api, resource: Resource, request: RecordRequest): Promise<void> {
  await anyVersion(request, (options) => api.send('DELETE', pathOfOne(resource), argsOf(request), options))
  api.versions.forget(versionKeyOf(resource, request))
}

/**
 * Makes a change in any version, for rows of a list, which have no tags. An API that requires `If-Match` is sent `*`.
 */
export async function anyVersion<T>(request: SendOptions, change: (options: SendOptions) => Promise<T>): Promise<T> {
  try {
    return await change(request)
  } catch (error) {
    if (!isFailure(error, 428) || request.ifMatch !== undefined) throw error
    return change({ ...request, ifMatch: '*' })
  }
}

export function versionKeyOf({ name }: Resource, { id, pathArgs }: RecordRequest): string {
  return JSON.stringify([name, String(id), pathArgs])
}

export function pathOfOne({ path }: Resource): string {
  return `${path}/:id`
}

export function argsOf({ id, pathArgs }: RecordRequest): Values {
  return { ...pathArgs, id }
}

/** Reads a record without remembering it as seen. */
export async function fetchRecord(
  api: Api,
  resource: Resource,
  request: RecordRequest,
): Promise<{ record: DataRecord; headers: Headers }> {
  const { signal, headers: sent } = request
  const { data, headers } = await api.send('GET', pathOfOne(resource), argsOf(request), { signal, headers: sent })
  return { record: toRecord(resource, data), headers }
}

async function storeUploads(
  api: Api,
  resource: Resource,
  request: RecordRequest,
  uploads: Uploads,
): Promise<DataRecord> {
  await uploadFiles(api, resource, argsOf(request), uploads, request)
  return readRecord(api, resource, request)
}

/**
 * Changes a record in the version that `previous` was read in.
 *
 * Lists have no tags. If the API requires one (428), the record is read, and if it equals the one that the caller has
 * seen, the change is repeated with its tag.
 */
async function changeVersion<T>(
  api: Api,
  resource: Resource,
  request: RecordRequest & Pick<UpdateRequest, 'previous'>,
  change: (options: SendOptions) => Promise<T>,
): Promise<T> {
  const { previous } = request
  const ifMatch = request.ifMatch ?? api.versions.tagOf(versionKeyOf(resource, request), previous)
  try {
    return await change({ ...request, ifMatch })
  } catch (error) {
    if (isFailure(error, 412)) throw await staleError(api, resource, request, error.result)
    if (!isFailure(error, 428) || ifMatch !== undefined || previous === undefined) throw error
    const { record, tag } = await readUnseen(api, resource, request)
    if (!isUnchanged(previous, record)) throw new StaleError(staleFailure(error.result), record, tag)
    return change({ ...request, ifMatch: tag })
  }
}

async function staleError(api: Api, resource: Resource, request: RecordRequest, result: Failure): Promise<StaleError> {
  const current = await readUnseen(api, resource, request).catch(() => undefined)
  return new StaleError(result, current?.record, current?.tag)
}

async function readUnseen(api: Api, resource: Resource, request: RecordRequest): Promise<Version> {
  const { record, headers } = await fetchRecord(api, resource, request)
  const version = { record, tag: strongTagOf(headers) }
  api.versions.rememberUnseen(versionKeyOf(resource, request), version)
  return version
}

export function isFailure(error: unknown, code: Failure['code']): error is ApiError {
  return error instanceof ApiError && error.result.code === code
}

/** Returns true if all fields that the caller has seen are as they were. */
function isUnchanged(seen: unknown, current: DataRecord): boolean {
  return Object.entries(seen as Values).every(([name, value]) => !(name in current) || isEqual(value, current[name]))
}

function staleFailure({ headers }: Failure): Failure {
  const failure = {
    ok: false,
    code: 412,
    message: 'The record was changed since you read it',
    data: null,
    meta: { reason: 'stale' },
  } as const
  return Object.defineProperty(failure, 'headers', { value: headers }) as unknown as Failure
}

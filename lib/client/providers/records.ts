import type { Values } from '../request.js'
import { ApiError, type Failure, type Success } from '../result.js'
import type { RecordRequest, ResourceRequest, SendOptions } from './api.js'
import { IncompleteError, StaleError, withHeaders } from './failure.js'
import { toBody, type Body } from './form-body.js'
import { toFields, toNewFields, toRecord, type DataRecord } from './resources.js'
import { takeUploads, uploadFiles, type Uploads } from './uploads.js'
import { changedFields, isEqual } from './values.js'
import { strongTagOf, type Version } from './versions.js'

/** A request that changes the version of a record that was read. */
interface ChangeRequest extends RecordRequest {
  /** The record that the form was filled with: only what differs from it is sent. */
  readonly previous: unknown
}

interface UpdateRequest extends ChangeRequest {
  /** The fields of a form. */
  readonly data: unknown
}

/** Reads a record and remembers its version. @throws ApiError */
export async function readRecord(request: RecordRequest): Promise<DataRecord> {
  const { record, headers } = await fetchRecord(request)
  request.api.versions.remember(versionKeyOf(request), record, headers)
  return record
}

/**
 * Creates a record, and then stores the files that have routes of their own.
 *
 * @throws IncompleteError where the record was created and a file was not stored. @throws ApiError
 */
export async function createRecord(request: ResourceRequest, data: unknown): Promise<DataRecord> {
  const { api, resource } = request
  const { fields, uploads } = takeUploads(resource, toNewFields(resource, data))
  const { fields: sent, multipart } = toBody(resource, 'create', fields)
  const args = { ...sent, ...request.pathArgs }
  const created = await api.send('POST', resource.path, args, { ...request, multipart })
  const record = toRecord(resource, created.data)
  const single = { ...request, id: record.id }
  api.versions.remember(versionKeyOf(single), record, created.headers)
  if (Object.keys(uploads).length === 0) return record
  try {
    return await storeUploads(single, uploads)
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
export async function updateRecord(request: UpdateRequest): Promise<DataRecord> {
  const { api, resource, data, previous } = request
  const { fields, uploads } = takeUploads(resource, toFields(resource, data, previous))
  const changes = changedFields(fields, previous)
  if (Object.keys(changes).length === 0) return storeUploads(request, uploads)
  const body = toBody(resource, 'update', changes)
  const reply = await changeVersion(request, (options) => patchRecord(request, body, options))
  const record = toRecord(resource, reply.data)
  api.versions.remember(versionKeyOf(request), record, reply.headers)
  return Object.keys(uploads).length > 0 ? storeUploads(request, uploads) : record
}

/**
 * Deletes a record, in the version that was read.
 *
 * @throws StaleError where the record was changed since. @throws ApiError
 */
export async function removeRecord(request: ChangeRequest): Promise<void> {
  await changeVersion(request, (options) => sendToRecord('DELETE', request, options))
  request.api.versions.forget(versionKeyOf(request))
}

/** Deletes a record in any version. @throws ApiError */
export async function removeAnyVersion(request: RecordRequest): Promise<void> {
  await anyVersion(request, (options) => sendToRecord('DELETE', request, options))
  request.api.versions.forget(versionKeyOf(request))
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

/** Returns the key of a record; an argument of the page's address is a string, and that of a record may be a number. */
export function versionKeyOf({ resource, id, pathArgs }: RecordRequest): string {
  return JSON.stringify([resource.name, id, ...Object.values(pathArgs)].map(String))
}

export function patchRecord(
  request: RecordRequest,
  { fields, multipart }: Body,
  options: SendOptions,
): Promise<Success<unknown>> {
  return sendToRecord('PATCH', request, { ...options, multipart }, fields)
}

function sendToRecord(
  method: string,
  { api, resource, pathArgs, id }: RecordRequest,
  options: SendOptions,
  fields: Values = {},
): Promise<Success<unknown>> {
  return api.send(method, `${resource.path}/:id`, { ...fields, ...pathArgs, id }, options)
}

/** Reads a record without remembering it as seen. */
export async function fetchRecord(request: RecordRequest): Promise<{ record: DataRecord; headers: Headers }> {
  const { signal, headers: sent } = request
  const { data, headers } = await sendToRecord('GET', request, { signal, headers: sent })
  return { record: toRecord(request.resource, data), headers }
}

async function storeUploads(request: RecordRequest, uploads: Uploads): Promise<DataRecord> {
  await uploadFiles(request, uploads)
  return readRecord(request)
}

/**
 * Changes a record in the version that `previous` was read in.
 *
 * Lists have no tags. If the API requires one (428), the record is read, and if it equals the one that the caller has
 * seen, the change is repeated with its tag.
 */
async function changeVersion<T>(
  request: ChangeRequest,
  change: (options: SendOptions) => Promise<T>,
): Promise<T> {
  const { api, previous } = request
  const ifMatch = request.ifMatch ?? api.versions.tagOf(versionKeyOf(request), previous)
  try {
    return await change({ ...request, ifMatch })
  } catch (error) {
    if (isFailure(error, 412)) throw await staleError(request, error.result)
    if (!isFailure(error, 428) || ifMatch !== undefined || previous === undefined) throw error
    const { record, tag } = await readUnseen(request)
    if (!isUnchanged(previous, record)) throw new StaleError(staleFailure(error.result), record, tag)
    return change({ ...request, ifMatch: tag })
  }
}

async function staleError(request: RecordRequest, result: Failure): Promise<StaleError> {
  const current = await readUnseen(request).catch(() => undefined)
  return new StaleError(result, current?.record, current?.tag)
}

async function readUnseen(request: RecordRequest): Promise<Version> {
  const { record, headers } = await fetchRecord(request)
  const version = { record, tag: strongTagOf(headers) }
  request.api.versions.rememberUnseen(versionKeyOf(request), version)
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
  const message = 'The record was changed since you read it'
  return withHeaders({ ok: false, code: 412, message, data: null, meta: { reason: 'stale' } }, headers)
}

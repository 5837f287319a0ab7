import type { Api } from './api.js'
import { toBody } from './form-body.js'
import { anyVersion, argsOf, createRecord, fetchRecord, isFailure, pathOfOne, versionKeyOf,
  type RecordRequest } from './records.js'
import { toFields, toNewFields, toRecord, type DataRecord, type Identifier, type Resource } from './resources.js'
import { chunksOf, settleEach } from './values.js'

/** The requests for several records. */
export type ManyRequest = Omit<RecordRequest, 'id'>

/** The most ids of one request. */
const MOST_IDS = 100

/**
 * Reads records by their ids, without duplicates. Those that do not exist are left out.
 *
 * A list that does not select by `ids` is noticed by its rows, and its records are read one by one.
 *
 * @throws ApiError
 */
export async function readRecords(
  api: Api,
  resource: Resource,
  ids: readonly Identifier[],
  request: ManyRequest,
): Promise<DataRecord[]> {
  const records: DataRecord[] = []
  for (const chunk of chunksOf(unique(ids), Math.min(MOST_IDS, resource.maxLimit))) {
    const { data, meta } = await api.send('GET', resource.path, {
      ids: chunk,
      limit: chunk.length,
      ...request.pathArgs,
    }, request)
    const read = (data as readonly unknown[]).map((row) => toRecord(resource, row))
    const wanted = new Set(chunk.map(String))
    const selects = read.every(({ id }) => wanted.has(String(id)))
      && (meta.total === undefined || meta.total === read.length)
    records.push(...(selects ? read : await readSingly(api, resource, chunk, request)))
  }
  return records
}

async function readSingly(
  api: Api,
  resource: Resource,
  ids: readonly Identifier[],
  request: ManyRequest,
): Promise<DataRecord[]> {
  const results = await settleEach(ids, (id) => fetchRecord(api, resource, { ...request, id }))
  return results.flatMap((result) => {
    if (result.status === 'fulfilled') return [result.value.record]
    if (isFailure(result.reason, 404)) return []
    throw result.reason as Error
  })
}

/**
 * Deletes records, at most 100 by a request, each request all or nothing.
 *
 * @throws ApiError
 */
export async function removeRecords(
  api: Api,
  resource: Resource,
  ids: readonly Identifier[],
  request: ManyRequest,
): Promise<void> {
  for (const chunk of chunksOf(unique(ids), MOST_IDS)) {
    await anyVersion(
      request,
      (options) => api.send('DELETE', resource.path, { ids: chunk, ...request.pathArgs }, options),
    )
    for (const id of chunk) api.versions.forget(versionKeyOf(resource, { ...request, id }))
  }
}

/** Records that were updated, and why others were not. */
export interface ManyResult {
  readonly records: readonly DataRecord[]
  readonly failures: readonly { readonly id: Identifier; readonly error: unknown }[]
}

/**
 * Writes the same fields to several records. With `bulk` at most 100 of them are one request, all or nothing; without
 * it each record is a request of its own, so that some may succeed and others fail.
 */
export async function updateRecords(
  api: Api,
  resource: Resource,
  ids: readonly Identifier[],
  data: unknown,
  request: ManyRequest,
): Promise<ManyResult> {
  const fields = toFields(resource, data)
  const records: DataRecord[] = []
  if (resource.bulk) {
    for (const chunk of chunksOf(unique(ids), MOST_IDS)) {
      const { data: rows } = await anyVersion(request, (options) =>
        api.send('PUT', resource.path, { ids: chunk, data: fields, ...request.pathArgs }, options))
      records.push(...(rows as readonly unknown[]).map((row) => toRecord(resource, row)))
    }
    return { records, failures: [] }
  }
  const body = toBody(resource, 'update', fields)
  const failures: { id: Identifier; error: unknown }[] = []
  await settleEach(unique(ids), async (id) => {
    try {
      const { data: row } = await anyVersion(request, (options) =>
        api.send('PATCH', pathOfOne(resource), { ...body.fields, ...argsOf({ ...request, id }) }, {
          ...options,
          multipart: body.multipart,
        }))
      records.push(toRecord(resource, row))
    } catch (error) {
      failures.push({ id, error })
    }
  })
  return { records, failures }
}

/**
 * Creates records: with `bulk` at most 100 by a request, all or nothing; without it one after the other, until one
 * fails.
 */
export async function createRecords(
  api: Api,
  resource: Resource,
  items: readonly unknown[],
  request: ManyRequest,
): Promise<DataRecord[]> {
  const records: DataRecord[] = []
  if (!resource.bulk) {
    for (const item of items) records.push(await createRecord(api, resource, item, request))
    return records
  }
  for (const chunk of chunksOf(items, MOST_IDS)) {
    const { data } = await api.send('POST', `${resource.path}/bulk`, {
      items: chunk.map((item) => toNewFields(resource, item)),
      ...request.pathArgs,
    }, request)
    records.push(...(data as readonly unknown[]).map((row) => toRecord(resource, row)))
  }
  return records
}

function unique(ids: readonly Identifier[]): Identifier[] {
  return [...new Map(ids.map((id) => [String(id), id])).values()]
}

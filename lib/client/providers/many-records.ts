import type { ResourceRequest } from './api.js'
import { toBody } from './form-body.js'
import { anyVersion, createRecord, fetchRecord, isFailure, patchRecord, versionKeyOf } from './records.js'
import { toFields, toNewFields, toRecord, toRecords, type DataRecord, type Identifier } from './resources.js'
import { chunksOf, settleEach } from './values.js'

/** The most ids of one request. */
const MOST_IDS = 100

/**
 * Reads records by their ids, without duplicates. Those that do not exist are left out.
 *
 * A list that does not select by `ids` is noticed by its rows, and its records are read one by one.
 *
 * @throws ApiError
 */
export async function readRecords(request: ResourceRequest, ids: readonly Identifier[]): Promise<DataRecord[]> {
  const { api, resource, pathArgs } = request
  const records: DataRecord[] = []
  for (const chunk of chunksOf(unique(ids), Math.min(MOST_IDS, resource.maxLimit))) {
    const query = { ids: chunk, limit: chunk.length, ...pathArgs }
    const { data, meta } = await api.send('GET', resource.path, query, request)
    const read = toRecords(resource, data)
    const wanted = new Set(chunk.map(String))
    const selects = read.every(({ id }) => wanted.has(String(id)))
      && (meta.total === undefined || meta.total === read.length)
    records.push(...(selects ? read : await readSingly(request, chunk)))
  }
  return records
}

async function readSingly(request: ResourceRequest, ids: readonly Identifier[]): Promise<DataRecord[]> {
  const results = await settleEach(ids, (id) => fetchRecord({ ...request, id }))
  return results.flatMap((result) => {
    if (result.status === 'fulfilled') return [result.value.record]
    if (isFailure(result.reason, 404)) return []
    throw result.reason
  })
}

/** Deletes records, at most 100 by a request, each request all or nothing. @throws ApiError */
export async function removeRecords(request: ResourceRequest, ids: readonly Identifier[]): Promise<void> {
  const { api, resource, pathArgs } = request
  for (const chunk of chunksOf(unique(ids), MOST_IDS)) {
    const query = { ids: chunk, ...pathArgs }
    await anyVersion(request, (options) => api.send('DELETE', resource.path, query, options))
    for (const id of chunk) api.versions.forget(versionKeyOf({ ...request, id }))
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
  request: ResourceRequest,
  ids: readonly Identifier[],
  data: unknown,
): Promise<ManyResult> {
  const { api, resource, pathArgs } = request
  const fields = toFields(resource, data)
  const records: DataRecord[] = []
  if (resource.bulk) {
    for (const chunk of chunksOf(unique(ids), MOST_IDS)) {
      const args = { ids: chunk, data: fields, ...pathArgs }
      const reply = await anyVersion(request, (options) => api.send('PUT', resource.path, args, options))
      records.push(...toRecords(resource, reply.data))
    }
    return { records, failures: [] }
  }
  const body = toBody(resource, 'update', fields)
  const failures: { id: Identifier; error: unknown }[] = []
  await settleEach(unique(ids), async (id) => {
    try {
      const reply = await anyVersion(request, (options) => patchRecord({ ...request, id }, body, options))
      records.push(toRecord(resource, reply.data))
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
export async function createRecords(request: ResourceRequest, items: readonly unknown[]): Promise<DataRecord[]> {
  const { api, resource, pathArgs } = request
  const records: DataRecord[] = []
  if (!resource.bulk) {
    for (const item of items) records.push(await createRecord(request, item))
    return records
  }
  for (const chunk of chunksOf(items, MOST_IDS)) {
    const body = { items: chunk.map((item) => toNewFields(resource, item)), ...pathArgs }
    const { data } = await api.send('POST', `${resource.path}/bulk`, body, request)
    records.push(...toRecords(resource, data))
  }
  return records
}

function unique(ids: readonly Identifier[]): Identifier[] {
  return [...new Map(ids.map((id) => [String(id), id])).values()]
}

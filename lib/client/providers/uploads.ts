import type { Values } from '../request.js'
import { ApiError, type Failure } from '../result.js'
import type { RecordRequest } from './api.js'
import { fieldOf } from './date-times.js'
import { statusOf, withHeaders } from './failure.js'
import type { Resource } from './resources.js'

/** The files of fields that have routes of their own, by field. */
export type Uploads = Readonly<Record<string, Blob>>

/** Separates the files with a separate route from the other fields of a record. */
export function takeUploads(
  { uploads: routes }: Resource,
  data: Values,
): { fields: Record<string, unknown>; uploads: Uploads } {
  const fields: Record<string, unknown> = {}
  const uploads: Record<string, Blob> = {}
  for (const [name, value] of Object.entries(data)) {
    const file = Array.isArray(value) ? value.map(fileOf) : fileOf(value)
    if (!Object.hasOwn(routes, name)) fields[name] = file
    else if (file instanceof Blob) uploads[name] = file
  }
  return { fields, uploads }
}

/** Returns the file of a form's value; react-admin's inputs hand out `{ rawFile, src, title }`. */
function fileOf(value: unknown): unknown {
  const file = fieldOf(value, 'rawFile')
  return file instanceof Blob ? file : value
}

/**
 * Sends each file to the route of its field.
 *
 * @throws ApiError whose messages belong to the field: of a file that is too large, too.
 */
export async function uploadFiles(request: RecordRequest, uploads: Uploads): Promise<void> {
  const { api, resource, pathArgs, id, signal, headers } = request
  for (const [field, file] of Object.entries(uploads)) {
    const path = `${resource.path}${resource.uploads[field] ?? ''}`
    try {
      await api.send('POST', path, { ...pathArgs, id, [field]: file }, { signal, headers })
    } catch (error) {
      throw isRefusedFile(error) ? new ApiError(atField(error.result, field)) : error
    }
  }
}

/** Returns true if a failure is about the file: its size, its type or its content. */
function isRefusedFile(error: unknown): error is ApiError {
  return error instanceof ApiError && error.result.data === null
    && [400, 413, 415, 422].includes(statusOf(error.result))
}

function atField({ code, message, meta, headers }: Failure, field: string): Failure {
  return withHeaders({ ok: false, code, message, data: { [field]: [message] }, meta }, headers)
}

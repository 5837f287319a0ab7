import { reportOf } from '../providers/failure.js'
import type { DataRecord } from '../providers/resources.js'

/** The error that refine's forms and notifications understand. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  /** 0 where the server could not be reached. */
  declare readonly statusCode: number
  /** The messages by field. */
  declare readonly errors: Record<string, string[]>
  declare readonly reason: string | undefined
  /** Of a 412 the record as it is now. */
  declare readonly current: DataRecord | undefined
  /** Of a 412 the `ETag` of that record: pass it as `meta.ifMatch` to overwrite it. */
  declare readonly etag: string | undefined
  /** The record that was created, although a file of it was not stored. */
  declare readonly created: DataRecord | undefined

  constructor(
    message: string,
    statusCode: number,
    details: Partial<Pick<HttpError, 'errors' | 'reason' | 'current' | 'etag' | 'created'>> = {},
  ) {
    super(message)
    Object.assign(this, { statusCode, errors: {}, ...details })
  }
}

/** Converts the failure of a request; any other error, such as an abort, stays as it is. */
export function toHttpError(error: unknown): unknown {
  const report = reportOf(error)
  if (report === undefined) return error
  const { message, status, reason, fields = {}, current, etag, created } = report
  return new HttpError(message, status, { reason, errors: fields, current, etag, created })
}

/** Makes one error of an `updateMany` that could not update all records. */
export function partlyUpdated(first: unknown, updated: number, failed: number): unknown {
  const error = toHttpError(first)
  if (!(error instanceof HttpError) || updated + failed === 1) return error
  return new HttpError(`${failed} of ${updated + failed} were not updated: ${error.message}`, error.statusCode, {
    reason: error.reason,
  })
}

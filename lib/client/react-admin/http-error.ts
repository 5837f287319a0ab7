import { reportOf } from '../providers/failure.js'
import type { DataRecord, Identifier } from '../providers/resources.js'

/** The error that react-admin's forms and lists understand: `body.errors` has a message for each field. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  /** 0 where the server could not be reached. */
  declare readonly status: number
  declare readonly body: HttpErrorBody

  constructor(message: string, status: number, body: HttpErrorBody) {
    super(message)
    this.status = status
    this.body = body
  }
}

export interface HttpErrorBody {
  /** The messages by field; `root.serverError` is about the whole form. */
  readonly errors?: Readonly<Record<string, unknown>>
  readonly reason?: string | undefined
  /** Of a 412 the record as it is now: pass it as `previousData` to overwrite it. */
  readonly current?: DataRecord | undefined
  /** Of a 412 the `ETag` of that record. */
  readonly etag?: string | undefined
  /** The record that was created, although a file of it was not stored. */
  readonly created?: DataRecord
  /** Of an `updateMany` without `bulk`, the ids that were updated and those that were not. */
  readonly updated?: readonly Identifier[]
  readonly failed?: readonly Identifier[]
}

/** Converts the failure of a request; any other error, such as an abort, stays as it is. */
export function toHttpError(error: unknown): unknown {
  const report = reportOf(error)
  if (report === undefined) return error
  const { message, status, reason, fields, current, etag, created } = report
  return new HttpError(message, status, {
    reason,
    ...(fields && { errors: errorsOf(fields, created && message) }),
    ...(status === 412 && { current, etag }),
    ...(created && { created }),
  })
}

/** Converts messages by field to one message by field; one about the whole is shown as a notification. */
function errorsOf(
  { _: whole, ...fields }: Readonly<Record<string, readonly string[]>>,
  notification = whole?.join('. '),
): Record<string, unknown> {
  const errors = Object.entries(fields).map(([name, messages]): [string, unknown] => [name, messages.join('. ')])
  return { ...Object.fromEntries(errors), ...(notification !== undefined && { root: { serverError: notification } }) }
}

/** Makes one error of an `updateMany` that could not update all records. */
export function partlyUpdated(first: unknown, updated: readonly Identifier[], failed: readonly Identifier[]): unknown {
  const report = reportOf(first)
  if (report === undefined) return first
  const all = updated.length + failed.length
  const message = all === 1 ? report.message : `${failed.length} of ${all} were not updated: ${report.message}`
  return new HttpError(message, report.status, { reason: report.reason, updated, failed })
}

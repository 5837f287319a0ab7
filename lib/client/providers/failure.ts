import { ApiError, type Failure, type FieldErrors } from '../result.js'
import type { DataRecord } from './resources.js'

/** A record that was changed since it was read: 412, with the record as it is now. */
export class StaleError extends ApiError {
  /** The record as it is now, where it could be read. */
  declare readonly current: DataRecord | undefined
  /** Its `ETag`. */
  declare readonly tag: string | undefined

  constructor(result: Failure, current?: DataRecord, tag?: string) {
    super(result)
    this.current = current
    this.tag = tag
  }
}

/** A record that was created, and a file of it that was not stored. */
export class IncompleteError extends ApiError {
  declare readonly created: DataRecord

  constructor(result: Failure, created: DataRecord) {
    super(result)
    this.created = created
  }
}

/** The properties of a failed request for both front ends. */
interface FailureReport {
  readonly message: string
  /** The HTTP status; 0 where the server could not be reached. */
  readonly status: number
  readonly reason: string | undefined
  /** The messages by field; `_` has those about the whole. */
  readonly fields: FieldErrors | undefined
  /** Of a 412 the record as it is now, and its `ETag`. */
  readonly current: DataRecord | undefined
  readonly etag: string | undefined
  /** The record that was created, although a file of it was not stored. */
  readonly created: DataRecord | undefined
}

/** Returns the properties of a failed request, or `undefined` for another error such as an abort. */
export function reportOf(error: unknown): FailureReport | undefined {
  if (!(error instanceof ApiError)) return undefined
  const { result } = error
  const { current, tag: etag } = error instanceof StaleError ? error : {}
  const created = error instanceof IncompleteError ? error.created : undefined
  const message = created === undefined
    ? messageOf(result)
    : `The record was created without its file: ${messageOf(result)}`
  return {
    message,
    status: statusOf(result),
    reason: result.meta.reason,
    // Without messages by field the front end shows that of the whole.
    fields: result.data && Object.keys(result.data).length > 0 ? result.data : undefined,
    current,
    etag,
    created,
  }
}

/** Returns a failure with headers, which are not enumerable in a reply either. */
export function withHeaders(
  failure: Pick<Failure, 'ok' | 'code' | 'message' | 'data' | 'meta'>,
  headers: Headers,
): Failure {
  return Object.defineProperty(failure, 'headers', { value: headers }) as Failure
}

/** Returns the status of a failure; of a reply without an envelope its HTTP status, 0 where the network failed. */
export function statusOf({ code, meta }: Failure): number {
  return code === 0 ? Number(/^http_(\d+)$/.exec(meta.reason ?? '')?.[1] ?? 0) : code
}

function messageOf(failure: Failure): string {
  if (failure.code !== 0) return failure.message
  const status = statusOf(failure)
  return status === 0 ? 'The server could not be reached' : `The server replied with status ${status}`
}

/** Returns an object whose methods throw what `convert` makes of their errors. */
export function convertingErrors<T extends object>(methods: T, convert: (error: unknown) => unknown): T {
  const converting = (method: Method): Method => async (...args) => {
    try {
      return await method(...args)
    } catch (error) {
      throw convert(error)
    }
  }
  const entries = Object.entries(methods).map(([name, method]: [string, Method]) => [name, converting(method)])
  return Object.fromEntries(entries) as T
}

type Method = (...args: unknown[]) => unknown

import type { Reason, StatusReason } from '../core/base/reason.js'

export type SuccessCode = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226

/** The status of a failure; 0 where no envelope was received: a network failure, a proxy's own page. */
// dprint-ignore
export type FailureCode =
  | 0
  | 400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415 | 416 | 417 | 418
  | 421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451
  | 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511

/** The `meta` of a success: of a list `total`, `page` and `limit`, or `limit` and `next`. */
export interface SuccessMeta {
  readonly total?: number
  readonly page?: number
  readonly limit?: number
  /** The cursor of the following page, `null` on the last. */
  readonly next?: string | null
  readonly [name: string]: unknown
}

/** The reason of a failed request; one of the application's own has a dot, such as `user.has_posts`. */
export type FailureReason = Reason | StatusReason | `${string}.${string}`

/** The reason where no envelope was received: the network failed, or the status of the reply. */
type NoEnvelope = 'network' | `http_${number}`

export interface FailureMeta<R extends string = FailureReason | NoEnvelope> {
  /** A stable word for programs, e.g. `token_expired`. */
  readonly reason?: R
  readonly [name: string]: unknown
}

/** The messages by field; `_` holds those about the whole. */
export type FieldErrors = Record<string, string[]>

interface Received {
  /** The headers of the response. They are not enumerable. */
  readonly headers: Headers
}

export interface Success<Data> extends Received {
  readonly ok: true
  readonly code: SuccessCode
  readonly message: string
  readonly data: Data
  readonly meta: SuccessMeta
}

/** An error with one of these statuses. */
export interface Failed<Code extends FailureCode, Data, R extends string = FailureReason> extends Received {
  readonly ok: false
  readonly code: Code
  readonly message: string
  readonly data: Data
  readonly meta: FailureMeta<R>
}

/**
 * An error. `code` is its status, and determines `data`: 422 has messages by field, none where no field is to blame,
 * and 409 may have messages.
 */
export type Failure =
  | Failed<422, FieldErrors>
  | Failed<409, FieldErrors | null>
  | Failed<0, null, NoEnvelope>
  | Failed<Exclude<FailureCode, 0 | 409 | 422>, null>

/** The result of a call; `ok` and `code` narrow it. */
export type Result<Data> = Success<Data> | Failure

/** A failed call, for code that prefers exceptions. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  declare readonly result: Failure

  constructor(result: Failure) {
    super(result.message)
    this.result = result
  }
}

/** The parts of a reply that another envelope has in its own form. */
export interface DecodedEnvelope {
  readonly message: string
  readonly data: unknown
  readonly meta: Readonly<Record<string, unknown>>
}

/** Reads the JSON body of another envelope; it throws for a body that is none. */
export type Decode = (status: number, body: unknown) => DecodedEnvelope

/** Reads a response: an envelope, a file, or neither of them. @throws the error that interrupts the response. */
export async function resultOf(response: Response, decode: Read, cause?: unknown): Promise<Result<unknown>> {
  const { status, ok, headers } = response
  // Of null a pattern finds nothing.
  const type = headers.get('Content-Type') as unknown as string
  const meta = { reason: status ? `http_${status}` : 'network', cause }
  const isPage = /html\b/.test(type)
  const unread = isPage ? 'Another server replied' : 'The reply is no envelope'
  const message = status ? unread : 'The server could not be reached'
  let result: object = { ok: false, code: 0, message, data: null, meta }
  // Lines of JSON (`application/x-ndjson`) are a file.
  if (/[/+]json/i.test(type)) {
    const body = await response.text()
    try {
      const parts = decode(status, JSON.parse(body) as Parts | null)
      if (parts) result = { ...parts, ok, code: status }
    } catch (error) {
      meta.cause = error
    }
  } else if (ok && !isPage) {
    // A page of HTML is not the API's: a proxy sends one, or the server of the front end.
    result = { ok, code: status, message: 'ok', data: type ? await response.blob() : null, meta: {} }
  }
  return Object.defineProperty(result, 'headers', { value: headers }) as Result<unknown>
}

/** The parts of JSON by which an envelope is recognised. */
interface Parts {
  readonly code?: unknown
  readonly meta?: object
}

type Read = (status: number, body: Parts | null) => object | false | undefined

/** Returns JSON that is an envelope of the status. */
export const toEnvelope: Read = (status, body) => body?.code === status && body.meta && body

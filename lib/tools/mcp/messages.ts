import { isObject } from '../../core/index.js'

/*
 * Messages of JSON-RPC 2.0, as far as the Model Context Protocol uses them over streamable HTTP.
 */

/** The id of a request, which its reply repeats. */
export type Id = string | number

export type Params = Readonly<Record<string, unknown>>

/** A message that expects a reply. */
export interface RpcRequest {
  readonly id: Id
  readonly method: string
  readonly params: Params
}

/** Codes of JSON-RPC 2.0 §5.1 and of the protocol, and `refused` for what HTTP refuses. */
const CODES = {
  parse: -32700,
  invalid: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  refused: -32000,
  mismatch: -32020,
  revision: -32022,
} as const

/** More about a failure: headers of the HTTP reply, and data of the error. */
interface RpcErrorDetails {
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly data?: object
}

/** A failure of the protocol; a failure of a tool is a result. */
export class RpcError extends Error {
  readonly code: number
  /** Of the HTTP reply. */
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly data: object | undefined

  constructor(code: keyof typeof CODES, message: string, status = 200, { headers = {}, data }: RpcErrorDetails = {}) {
    super(message)
    this.code = CODES[code]
    this.status = status
    this.headers = headers
    this.data = data
  }
}

/**
 * Reads one message: a request, or `undefined` for a notification or a reply, which are accepted and not replied to.
 *
 * A list is refused: the protocol has no batches since revision 2025-06-18.
 *
 * @throws RpcError for anything else.
 */
export function readMessage(body: unknown): RpcRequest | undefined {
  if (Array.isArray(body)) throw invalid('Send one message at a time: batches are not supported')
  if (!isObject(body) || body.jsonrpc !== '2.0') throw invalid('The body is not a JSON-RPC 2.0 message')
  const { id, method, params = {} } = body
  if (isReply(body)) return undefined
  if (typeof method !== 'string') throw invalid('The message has no method')
  if (!isObject(params)) throw invalid('The parameters are not an object')
  return id === undefined ? undefined : { id: checkId(id), method, params }
}

function isReply(body: Params): boolean {
  return body.method === undefined && ('result' in body || 'error' in body)
}

function checkId(id: unknown): Id {
  if (typeof id === 'string' || typeof id === 'number') return id
  throw invalid('The id is neither a string nor a number')
}

function invalid(message: string): RpcError {
  return new RpcError('invalid', message, 400)
}

export function resultMessage(id: Id, result: object): object {
  return { jsonrpc: '2.0', id, result }
}

/** Returns an error; its id is null where the request could not be read. */
export function errorMessage(id: Id | null, { code, message, data }: RpcError): object {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } }
}

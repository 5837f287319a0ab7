import type { IncomingMessage } from 'node:http'

/** Whether a request brings a body (RFC 9112 §6.3); one that was announced as empty is none. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** The media type without its parameters, in lower case; `''` where none was sent. */
function mediaTypeOf({ headers }: IncomingMessage): string {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/** `application/json`, and whatever is built on JSON (RFC 6839 §3.1). */
export function isJson(req: IncomingMessage): boolean {
  const type = mediaTypeOf(req)
  return type === 'application/json' || /^[^/]+\/[^/]+\+json$/.test(type)
}

export function isUrlencoded(req: IncomingMessage): boolean {
  return mediaTypeOf(req) === 'application/x-www-form-urlencoded'
}

export function isForm(req: IncomingMessage): boolean {
  return isUrlencoded(req) || mediaTypeOf(req) === 'multipart/form-data'
}

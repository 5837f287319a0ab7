import type { IncomingMessage } from 'node:http'

/** Returns true if a request has a body (RFC 9112 §6.3); one that was announced as empty does not count. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Returns the media type without its parameters, in lower case; `''` where none was sent. */
function mediaTypeOf({ headers }: IncomingMessage): string {
  const type = headers['content-type'] ?? ''
  // Most clients send exactly this, and a route reads the type several times.
  return type === 'application/json' ? type : type.split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/** Returns true for `application/json` and for media types based on JSON (RFC 6839 §3.1). */
export function isJson(req: IncomingMessage): boolean {
  const type = mediaTypeOf(req)
  return type === 'application/json' || /^[^/]+\/[^/]+\+json$/.test(type)
}

export function isUrlencoded(req: IncomingMessage): boolean {
  return mediaTypeOf(req) === 'application/x-www-form-urlencoded'
}

export function isMultipart(req: IncomingMessage): boolean {
  return mediaTypeOf(req) === 'multipart/form-data'
}

export function isForm(req: IncomingMessage): boolean {
  return isUrlencoded(req) || isMultipart(req)
}

/** Matches `; name=value`, where the value is a token or a quoted string (RFC 9110 §5.6.6). */
const PARAMETER = /[ \t]*;[ \t]*(?:([!#$%&'*+.^`|~\w-]+)=([!#$%&'*+.^`|~\w-]+|"(?:[^"\\]|\\.)*"))?[ \t]*/y

/**
 * Returns true if the media type names no charset but UTF-8; a `charset` among unreadable parameters counts as another
 * one.
 */
export function isUtf8({ headers }: IncomingMessage): boolean {
  const type = headers['content-type'] ?? ''
  return type === 'application/json' || !/charset/i.test(type) || areParametersUtf8(type)
}

function areParametersUtf8(type: string): boolean {
  PARAMETER.lastIndex = (type + ';').indexOf(';')
  while (PARAMETER.lastIndex < type.length) {
    const parameter = PARAMETER.exec(type)
    if (parameter === null) return false
    const [, name = '', value = ''] = parameter
    if (/^charset/i.test(name) && !(/^charset$/i.test(name) && /^"?utf-8"?$/i.test(value))) return false
  }
  return true
}

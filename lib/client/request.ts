import type { ManifestRoute } from '../core/resource/mounted.js'
import type { CallOptions, NativeFile } from './types.js'

export type Values = Readonly<Record<string, unknown>>

export interface ClientRequest {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: string | FormData | null
}

/**
 * Distributes the arguments of a call over path, query and body.
 *
 * @throws TypeError for a path argument that is missing, that would name another path, or that is a list in place of
 * one segment. @throws URIError for one that is not valid Unicode.
 */
export function toRequest(
  { name, method, path }: ManifestRoute,
  args: Values,
  options: CallOptions,
): [path: string, request: ClientRequest] {
  const { ifMatch, idempotencyKey } = options
  const [pattern, names = ''] = path.split('?') as [string, string?]
  const rest = { ...args }
  const filled = pattern.replace(/([:*])([\w$\x80-\uffff]+)/g, (_, kind, key: string) => {
    const value = args[key]
    delete rest[key]
    // Only a wildcard takes several segments, and never none.
    // A hole in a list is `undefined`, which `map` would skip.
    const isList = kind === '*' && Array.isArray(value) && value.length
    const values = isList ? [...value as readonly unknown[]] : [value]
    return values.map((text) => {
      const segment = sendable(text)
      // An empty one or one of dots would name another route: `DELETE /posts/` deletes many. An object is no segment.
      if (Object(segment) === segment || /^\.{0,2}$/.test(segment)) throw new TypeError(`${name} needs ${key}`)
      return encodeURIComponent(segment)
    }).join('/')
  })

  // GET, HEAD, DELETE and OPTIONS have no body (RFC 9110 §9.3.1, §9.3.5).
  const hasBody = !/^[GHDO]/.test(method)
  const query = new URLSearchParams()
  const fields: Record<string, unknown> = {}
  for (const key in rest) {
    if (hasBody && !names.split(',').includes(key)) fields[key] = rest[key]
    else append(query, key, rest[key])
  }
  const body = hasBody ? bodyOf(fields, options) : null
  const search = query.toString()
  const headers = {
    ...(typeof body === 'string' && { 'Content-Type': 'application/json' }),
    ...(ifMatch && { 'If-Match': ifMatch }),
    ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
    ...options.headers,
  }
  return [filled + (search && `?${search}`), { method, headers, body }]
}

function bodyOf(fields: Values, { multipart }: CallOptions): string | FormData {
  if (!multipart && !Object.values(fields).flat().some((value) => value instanceof Blob))
    return JSON.stringify(fields, bigintsAsDigits)
  const form = new FormData()
  for (const key in fields) append(form, key, fields[key])
  return form
}

/**
 * Appends a string, a file or a list; a list of strings has brackets, so that a list of one stays a list.
 *
 * @throws TypeError for another object, which would be sent as `[object Object]`.
 */
function append(to: URLSearchParams | FormData, key: string, value: unknown): void {
  const isList = Array.isArray(value)
  const items = [value].flat()
  for (const item of items.length ? items : ['']) {
    const sent = sendable(item)
    const isObject = Object(sent) === sent
    // React Native describes a file by its URI.
    const isFile = (sent as unknown) instanceof Blob || (sent as Partial<NativeFile>).uri
    if (isObject && !(to instanceof FormData && isFile)) throw new TypeError(`${key} is an object`)
    if (item !== undefined) to.append(isList && !isObject ? `${key}[]` : key, sent)
  }
}

/** Replaces a bigint by its digits, whatever `BigInt.prototype.toJSON` has made of it. */
function bigintsAsDigits(this: Values, key: string, value: unknown): unknown {
  return typeof this[key] === 'bigint' ? String(this[key]) : value
}

/**
 * A date becomes its instant, `null` the empty string; form, query and path make a string of anything else but a file,
 * and of a bigint its digits.
 */
function sendable(value: unknown): string {
  return ((Object(value) === value ? (value as Partial<Date>).toJSON?.() : value) ?? value ?? '') as string
}

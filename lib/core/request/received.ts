import { propertyOf } from '../base/guards.js'
import * as zlib from 'node:zlib'
import type { Request } from 'express'
import { HttpError } from '../base/errors.js'
import { messageOf } from '../base/messages/messages.js'
import { hasBody, isJson, isUrlencoded, isUtf8 } from './content.js'
import { invalid, notJson, tooLarge, unknownCharset, unknownEncoding } from './errors.js'
import { parseText } from './parse.js'

/*
 * Bodies that a platform has received before the app runs, such as AWS Lambda, Vercel and Firebase: `req.body` or
 * `req.rawBody` holds bytes or a string, or `req.body` is a getter that parses on first use.
 */

/** Returns `req.body`. @throws HttpError 400 `unreadable` where it is a getter that throws. */
export function bodyOf(req: Request): unknown {
  try {
    return req.body
  } catch (error) {
    throw isJson(req) ? notJson(error) : invalid(error)
  }
}

/** A request with the bytes that some platforms keep. */
type Received = Request & { readonly rawBody?: unknown }

/**
 * Returns the bytes of a body that was received but not parsed, `undefined` for any other body.
 *
 * A string may be one that a parser made from JSON, so it counts only if no parser has read the request.
 *
 * @throws HttpError 400 `unreadable` where `req.body` is a getter that throws.
 */
function receivedBytes(req: Received): Buffer | undefined {
  const body = bodyOf(req)
  if (body === undefined) return req.readableDidRead ? toBytes(req.rawBody) : undefined
  return typeof body === 'string' && req.readableDidRead ? undefined : toBytes(body)
}

/** The bytes of a form: where no parser knows its type, some platforms keep them beside an empty `req.body`. */
export function receivedForm(req: Received): Buffer | undefined {
  return receivedBytes(req) ?? (req.readableDidRead ? toBytes(req.rawBody) : undefined)
}

function toBytes(value: unknown): Buffer | undefined {
  if (typeof value === 'string') return Buffer.from(value)
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return value instanceof ArrayBuffer ? Buffer.from(value) : undefined
}

/**
 * Parses a body that was received but not parsed into `req.body`; any other body stays as it is.
 *
 * @param limit in bytes, of the decompressed body
 * @throws HttpError as `readBody` does.
 */
export function parseReceived(req: Request, limit: number): void {
  const bytes = receivedBytes(req)
  if (bytes !== undefined) setBody(req, parse(req, bytes, limit))
}

/** Sets `req.body`, which may be a getter without a setter. */
export function setBody(req: Request, value: unknown): void {
  Object.defineProperty(req, 'body', { value, writable: true, enumerable: true, configurable: true })
}

function parse(req: Request, bytes: Buffer, limit: number): object | undefined {
  if (bytes.length === 0 && !hasBody(req)) return undefined
  if (!isJson(req) && !isUrlencoded(req)) throw new HttpError(415, messageOf('media_type.json_or_form'))
  if (!isUtf8(req)) throw unknownCharset()
  // A parser that has read the request has decompressed it.
  const content = req.readableDidRead ? bytes : inflateBody(req, bytes, limit)
  if (content.length > limit) throw tooLarge()
  return parseText(req, content.toString().replace(/^\ufeff/, ''))
}

type Inflate = (bytes: Buffer, options: zlib.ZlibOptions) => Buffer

/** The decompression of each content encoding; `zstd` from Node.js 22.15 on. */
const INFLATE: Readonly<Record<string, Inflate | undefined>> = {
  gzip: zlib.gunzipSync,
  deflate: zlib.inflateSync,
  br: zlib.brotliDecompressSync,
  zstd: Reflect.get(zlib, 'zstdDecompressSync') as Inflate | undefined,
}

/** The most bytes that a compressed body may become where a route has no limit of its own. */
const LARGEST = 10_000_000

function inflateBody({ headers }: Request, bytes: Buffer, limit: number): Buffer {
  const encoding = (headers['content-encoding'] ?? '').toLowerCase()
  if (encoding === '' || encoding === 'identity' || bytes.length === 0) return bytes
  const inflate = Object.hasOwn(INFLATE, encoding) ? INFLATE[encoding] : undefined
  if (inflate === undefined) throw unknownEncoding()
  try {
    return inflate(bytes, { maxOutputLength: Math.min(limit, LARGEST) + 1 })
  } catch (error) {
    throw propertyOf(error, 'code') === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : invalid(error)
  }
}

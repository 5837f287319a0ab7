import type { Transform } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import * as zlib from 'node:zlib'
import type { Request } from 'express'
import { cutOff, invalid, tooLarge, unknownEncoding } from './errors.js'

/** The decompression of each content encoding; `zstd` from Node.js 22.15 on. */
const INFLATERS: Readonly<Record<string, (() => Transform) | undefined>> = {
  gzip: zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  zstd: Reflect.get(zlib, 'createZstdDecompress') as (() => Transform) | undefined,
}

/**
 * Reads a whole body as a string, decompressed and without a byte order mark; bytes that are not UTF-8 become
 * replacement characters.
 *
 * A body over the limit is refused as soon as its announced length or its bytes exceed it; nothing more of it is read
 * then. The promise keeps the asynchronous context of the caller, which the events of a socket do not have.
 *
 * @param limit in bytes, of the decompressed body
 * @throws HttpError 413 `too_large`; 415 `media_type` for an unknown content encoding; 400 `unreadable` for a body that
 * is cut short or cannot be decompressed.
 */
export function readText(req: Request, limit: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const createInflater = inflaterOf(req)
    const most = createInflater === undefined ? limit : mostCompressed(limit)
    const announced = lengthOf(req)
    checkStream(req, announced, most)
    const inflater = createInflater?.()
    const source = inflater ?? req
    const text = new TextBuilder(inflater === undefined ? announced : undefined)
    let received = 0

    function stop(): void {
      source.off('data', onData).off('end', onEnd)
      req.off('data', onReceived).off('error', onError).off('close', onClose)
      // An inflater may still report an error in data that it has received.
      if (inflater !== undefined) req.unpipe(inflater.off('error', onBroken).on('error', () => undefined).destroy())
    }
    function fail(error: Error): void {
      stop()
      req.pause()
      reject(error)
    }
    function onReceived({ length }: Buffer): void {
      received += length
      if (received > most) fail(tooLarge())
    }
    function onData(chunk: Buffer): void {
      if (text.bytes + chunk.length > limit) fail(tooLarge())
      else text.add(chunk)
    }
    function onEnd(): void {
      stop()
      // Bytes after the end of compressed data are discarded.
      if (inflater !== undefined) req.resume()
      if (announced !== undefined && inflater === undefined && text.bytes !== announced) reject(cutOff())
      else resolve(text.end())
    }
    const onBroken = (error: Error): void => fail(invalid(error))
    const onError = (error: Error): void => fail(req.destroyed ? cutOff(error) : invalid(error))
    const onClose = (): void => {
      if (!req.readableEnded) fail(cutOff())
    }

    source.on('data', onData).on('end', onEnd)
    req.on('error', onError).on('close', onClose)
    if (inflater !== undefined) req.on('data', onReceived).pipe(inflater.on('error', onBroken))
  })
}

/** @throws HttpError 415 `media_type` for an encoding that is not known, and for several of them. */
function inflaterOf({ headers }: Request): (() => Transform) | undefined {
  const encoding = (headers['content-encoding'] ?? '').toLowerCase()
  if (encoding === '' || encoding === 'identity') return undefined
  const create = Object.hasOwn(INFLATERS, encoding) ? INFLATERS[encoding] : undefined
  if (create === undefined) throw unknownEncoding()
  return create
}

/**
 * Returns the largest compressed size of a body within the limit; incompressible data grows by less than a tenth, so
 * this is ample.
 */
function mostCompressed(limit: number): number {
  return 2 * limit + 1024
}

/** Returns the announced length in bytes, `undefined` where the body comes in chunks (RFC 9112 §6.3). */
function lengthOf({ headers }: Request): number | undefined {
  const length = headers['transfer-encoding'] === undefined ? headers['content-length'] : undefined
  return length === undefined ? undefined : Number(length)
}

function checkStream(req: Request, announced: number | undefined, most: number): void {
  if (announced !== undefined && announced > most) throw tooLarge()
  if (req.destroyed) throw cutOff()
  if (req.readableEncoding !== null) {
    throw new Error(
      'Middleware has set an encoding on the request, so its body cannot be read as bytes: remove the call of '
        + 'setEncoding.',
    )
  }
}

/** Decodes the chunks of a text, which may split a character. */
class TextBuilder {
  readonly #length: number | undefined
  #text = ''
  #decoder: StringDecoder | undefined
  bytes = 0

  /** @param length in bytes, where it is known */
  constructor(length: number | undefined) {
    this.#length = length
  }

  add(chunk: Buffer): void {
    this.bytes += chunk.length
    // Most bodies arrive in one chunk.
    if (this.bytes === this.#length && this.#decoder === undefined) this.#text = chunk.toString('utf8')
    else this.#text += (this.#decoder ??= new StringDecoder('utf8')).write(chunk)
  }

  end(): string {
    const text = this.#decoder === undefined ? this.#text : this.#text + this.#decoder.end()
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
  }
}

const BYTE_ORDER_MARK = '\ufeff'

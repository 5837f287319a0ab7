import { StringDecoder } from 'node:string_decoder'
import type { Request } from 'express'
import { cutOff, invalid, notJson } from './parser-error.js'

const UTF_8_JSON = /^application\/json(?:; ?charset=utf-8)?$/i

/**
 * Whether a request that brings JSON brings it in the plainest way: as it is, in UTF-8, its length known and within the limit, and
 * nobody has a hand in the stream.
 *
 * Express's parser is made for every other way, and takes several times as long for this one.
 */
export function isPlainJson(req: Request, limit: number): boolean {
  const { headers } = req
  return UTF_8_JSON.test(headers['content-type'] ?? '')
    && headers['content-encoding'] === undefined && headers['transfer-encoding'] === undefined
    && Number(headers['content-length']) <= limit
    && req.readable && req.readableEncoding === null
}

/**
 * The text of such a body, without a byte order mark; bytes that are no UTF-8 are replacement characters.
 *
 * It is promised, so that what goes on from there does so in the asynchronous context of whoever asked.
 *
 * @throws HttpError 400 `unreadable` when it is cut short, or the stream breaks.
 */
export function readText(req: Request): Promise<string> {
  const length = Number(req.headers['content-length'])
  return new Promise((resolve, reject) => {
    let text = ''
    let received = 0
    let decoder: StringDecoder | undefined
    const stop = (): void => void req.off('data', onData).off('end', onEnd).off('error', onError)
    function onData(chunk: Buffer): void {
      received += chunk.length
      // Most bodies come in one piece.
      if (received === length && decoder === undefined) text = chunk.toString('utf8')
      else text += (decoder ??= new StringDecoder('utf8')).write(chunk)
    }
    function onEnd(): void {
      stop()
      if (received !== length) reject(cutOff())
      else resolve(withoutMark(decoder === undefined ? text : text + decoder.end()))
    }
    function onError(error: Error): void {
      stop()
      reject(req.destroyed ? cutOff(error) : invalid(error))
    }
    req.on('data', onData).on('end', onEnd).on('error', onError)
  })
}

const BYTE_ORDER_MARK = '\ufeff'

function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
}

/**
 * The object or list that a text of JSON says; nothing at all is an empty object, as it is to Express.
 *
 * @throws HttpError 400 `unreadable` when it is anything else.
 */
export function parseJson(text: string): object {
  if (text === '') return {}
  const value = parsed(text)
  if (typeof value !== 'object' || value === null) throw notJson()
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw notJson(error)
  }
}

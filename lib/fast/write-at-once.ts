import { Buffer } from 'node:buffer'
import express, { type Response } from 'express'
import { isOriginal } from '../express/originals.js'
import { ServerResponse } from '../node-http.js'
import { JSON_TYPE, tagOf, writeReply } from '../send/write-reply.js'
import type { Envelope } from '../types.js'
import { endAtOnce } from './end-at-once.js'

/** Writes a reply in one piece where nobody would notice, and as Express does everywhere else. */
export function writeAtOnce(res: Response, envelope: Envelope, text: string): void {
  const status = envelope.code
  if (!hasBody(res, status) || !isUntouched(res)) {
    writeReply(res, envelope, text)
    return
  }
  const bytes = Buffer.byteLength(text)
  const tag = tagOf(res, status, text)
  res.writeHead(status, tag === undefined
    ? { 'Content-Type': JSON_TYPE, 'Content-Length': bytes }
    : { 'Content-Type': JSON_TYPE, 'ETag': tag, 'Content-Length': bytes })
  endAtOnce(res, text, bytes)
}

/** RFC 9110 §15.3.5, §15.3.6, §15.4.5; none has the 1xx either (§15.2). */
const BODILESS = new Set([204, 205, 304])

/** Checks that a body is sent for sure; Express's `fresh` reads every header again, and most requests ask nothing. */
function hasBody({ req: { method, headers } }: Response, status: number): boolean {
  return method !== 'HEAD' && status >= 200 && !BODILESS.has(status)
    && headers['if-none-match'] === undefined && headers['if-modified-since'] === undefined
}

/**
 * Functions of Node's by which a reply can be seen, with a name in the source of each that only Node's own can use. A tracer may have
 * wrapped them before this module is loaded, so that what stands on the prototype proves nothing.
 */
const INTERNALS = { writeHead: 'kOutHeaders', write: 'write_(this', end: 'write_(this', setHeader: 'kOutHeaders' } as const

type Functions = Readonly<Record<'json' | 'send' | keyof typeof INTERNALS, unknown>>

/** The functions that write a reply where nobody has wrapped them; `undefined` where somebody has. */
function originalFunctions(): Functions | undefined {
  const { json, send } = express.response as unknown as Functions
  const own = ServerResponse.prototype as unknown as Functions
  const { writeHead, write, end, setHeader } = own
  const areNodes = Object.entries(INTERNALS).every(([name, internal]) => {
    const fn = own[name as keyof Functions]
    return typeof fn === 'function' && Function.prototype.toString.call(fn).includes(internal)
  })
  return areNodes && isOriginal('res.json', json) && isOriginal('res.send', send) ? { json, send, writeHead, write, end, setHeader } : undefined
}

/** Looked up with the first reply; `null` until then. */
let originals: Functions | undefined | null = null

/** Checks that nobody has wrapped a function of the response, or listens to it. */
function isUntouched(res: Response): boolean {
  if (originals === null) originals = originalFunctions()
  return originals !== undefined && hasFunctions(res, originals) && isUnwatched(res)
}

function hasFunctions(res: Functions, { json, send, setHeader, writeHead, write, end }: Functions): boolean {
  return res.json === json && res.send === send && res.setHeader === setHeader && res.writeHead === writeHead && res.write === write && res.end === end
}

/** Node's own listener is the one of `finish`. */
function isUnwatched(res: Response): boolean {
  return res.listenerCount('finish') === 1 && res.listenerCount('close') === 0 && !res.headersSent && !res.hasHeader('Transfer-Encoding')
}

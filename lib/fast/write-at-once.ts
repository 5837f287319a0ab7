import { Buffer } from 'node:buffer'
import express, { type Response } from 'express'
import { isOriginal } from '../express/originals.js'
import { endInOneWrite, originalWritingFunctions, type WritingFunctions } from '../node-http.js'
import type { Envelope } from '../types.js'
import { JSON_TYPE, tagOf, writeReply } from '../write-reply.js'

/** Writes a reply in one write where no code can observe the difference, and as Express does otherwise. */
export function writeAtOnce(res: Response, envelope: Envelope, text: string): void {
  const status = envelope.code
  if (!sendsBody(res, status) || !isUntouched(res)) {
    writeReply(res, envelope, text)
    return
  }
  const bytes = Buffer.byteLength(text)
  const tag = tagOf(res, status, text)
  res.writeHead(status, tag === undefined
    ? { 'Content-Type': JSON_TYPE, 'Content-Length': bytes }
    : { 'Content-Type': JSON_TYPE, 'ETag': tag, 'Content-Length': bytes })
  endInOneWrite(res, text, bytes)
}

/** Statuses without a body (RFC 9110 §15.3.5, §15.3.6, §15.4.5), in addition to 1xx (§15.2). */
const BODILESS = new Set([204, 205, 304])

/**
 * Returns true if a body is sent in any case; Express's `fresh` reads each header again, which most requests do not
 * need.
 */
function sendsBody({ req: { method, headers } }: Response, status: number): boolean {
  return method !== 'HEAD' && status >= 200 && !BODILESS.has(status)
    && headers['if-none-match'] === undefined && headers['if-modified-since'] === undefined
}

type Functions = WritingFunctions & Readonly<Record<'json' | 'send', unknown>>

/** Returns the functions that write a reply, `undefined` if one of them is wrapped. */
function originalFunctions(): Functions | undefined {
  const { json, send } = express.response as unknown as Functions
  const functions = originalWritingFunctions()
  if (functions === undefined || !isOriginal('res.json', json) || !isOriginal('res.send', send)) return undefined
  const { writeHead, write, end, setHeader } = functions
  return { json, send, writeHead, write, end, setHeader }
}

/** Read with the first reply; `null` until then. */
let originals: Functions | undefined | null = null

/** Returns true if no function of the response is wrapped, and no code listens to its end. */
function isUntouched(res: Response): boolean {
  if (originals === null) originals = originalFunctions()
  return originals !== undefined && hasFunctions(res, originals) && isUnobserved(res)
}

function hasFunctions(res: Functions, { json, send, setHeader, writeHead, write, end }: Functions): boolean {
  return res.json === json
    && res.send === send
    && res.setHeader === setHeader
    && res.writeHead === writeHead
    && res.write === write
    && res.end === end
}

/** Node.js itself adds one listener of `finish`. */
function isUnobserved(res: Response): boolean {
  return res.listenerCount('finish') === 1
    && res.listenerCount('close') === 0
    && !res.headersSent
    && !res.hasHeader('Transfer-Encoding')
}

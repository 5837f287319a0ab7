import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Reason } from '../errors.js'
import { STATUS_CODES } from '../node-http.js'
import type { Envelope } from '../types.js'
import { currentResponse } from './current-response.js'

interface Failure {
  readonly status: number
  readonly message: string
  readonly reason: Reason
}

const UNREADABLE: Failure = { status: 400, message: 'The request cannot be read', reason: 'unreadable' }

const FAILURES: Readonly<Record<string, Failure>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time', reason: 'unreadable' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: 'The chunk extensions are too large', reason: 'too_large' },
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The header fields are too large', reason: 'too_large' },
}

/**
 * Answers what Node's parser could not read, in the envelope, and closes the connection.
 *
 * Nothing is written between the bytes of another answer. Errors of the socket itself, or of TLS, leave nobody to talk to.
 */
export function answerParserError(error: NodeJS.ErrnoException, socket: Socket): void {
  const failure = failureOf(error.code)
  if (failure === undefined || !socket.writable) {
    socket.destroy()
    return
  }
  const current = currentResponse(socket)
  if (current?.req.complete === true) {
    // Its request was fine; the fault is in what follows. A second answer now would be taken for the first.
    if (!current.headersSent) current.setHeader('Connection', 'close')
    return
  }
  if (current?.headersSent === true) socket.destroy()
  else {
    socket.write(bytesOf(failure))
    socket.destroySoon()
  }
}

const NO_PROXY: Failure = { status: 400, message: 'This server is not a proxy', reason: 'unreadable' }

/** Answers CONNECT, for which Node would close the connection without a word. */
export function answerConnect(_req: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => undefined).end(bytesOf(NO_PROXY))
}

function failureOf(code = ''): Failure | undefined {
  if (Object.hasOwn(FAILURES, code)) return FAILURES[code]
  return code.startsWith('HPE_') ? UNREADABLE : undefined
}

function bytesOf({ status, message, reason }: Failure): string {
  const envelope: Envelope = { code: status, message, data: null, meta: { reason } }
  const body = JSON.stringify(envelope)
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    `Date: ${new Date().toUTCString()}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}

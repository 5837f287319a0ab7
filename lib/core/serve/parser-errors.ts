import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Application } from 'express'
import { toJson } from '../base/json.js'
import { attempt } from '../base/promises.js'
import { JSON_TYPE } from '../express/write-reply.js'
import { encodeBy, encodingIn } from '../reply/envelope.js'
import { translatorIn } from '../reply/handler-settings.js'
import { messageOf, type Message } from '../base/messages/messages.js'
import { currentResponse, STATUS_CODES } from '../base/node-http.js'
import type { Envelope } from '../base/types.js'

type Failure = readonly [status: number, message: Message]

const UNREADABLE: Failure = [400, messageOf('unreadable.request')]

const FAILURES: Readonly<Record<string, Failure>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, messageOf('unreadable.timeout')],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, messageOf('too_large.chunks')],
  HPE_HEADER_OVERFLOW: [431, messageOf('too_large.headers')],
}

/**
 * Answers what Node's parser could not read, in the envelope, and closes the connection.
 *
 * Nothing is written between the bytes of another reply. After an error of the socket or of TLS no reply is possible.
 */
export function answerParserError(error: NodeJS.ErrnoException, socket: Socket, app: Application): void {
  const failure = failureOf(error.code)
  if (failure === undefined || !socket.writable) {
    socket.destroy()
    return
  }
  const current = currentResponse(socket)
  if (current?.req.complete === true) {
    // Its request was valid, and the error is in the data after it. A second reply now would be read as the first.
    closeAfterReplies(socket)
    return
  }
  if (current?.headersSent === true) socket.destroy()
  else {
    socket.write(bytesOf(failure, app))
    socket.destroySoon()
  }
}

/**
 * Closes a connection after the reply that is using it, and after those to further requests that were read before the
 * error: Node.js reads no more of it, and would keep it open.
 */
function closeAfterReplies(socket: Socket): void {
  const current = currentResponse(socket)
  if (current === undefined || socket.destroyed) {
    socket.destroySoon()
    return
  }
  if (!current.headersSent) current.setHeader('Connection', 'close')
  // Each piece of data that arrives meanwhile is another error.
  if (!current.listeners('close').includes(onClose)) current.once('close', onClose)
}

function onClose(this: ServerResponse): void {
  closeAfterReplies(this.req.socket)
}

const NO_PROXY: Failure = [400, messageOf('unreadable.proxy')]

/** Answers CONNECT, for which Node.js would close the connection without a reply. */
export function answerConnect(socket: Duplex, app: Application): void {
  socket.on('error', () => undefined).end(bytesOf(NO_PROXY, app))
}

function failureOf(code = ''): Failure | undefined {
  if (Object.hasOwn(FAILURES, code)) return FAILURES[code]
  return code.startsWith('HPE_') ? UNREADABLE : undefined
}

function bytesOf([status, message]: Failure, app: Application): string {
  const { reason, text } = message
  // There is no request to choose a language by.
  const translated = translatorIn(app)?.({ status, reason, message, fields: null }, undefined, undefined)
  const envelope: Envelope = { code: status, message: translated?.message ?? text, data: null, meta: { reason } }
  const { body, type } = encodeIn(app, envelope) ?? { body: JSON.stringify(envelope), type: JSON_TYPE }
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    `Date: ${new Date().toUTCString()}`,
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}

/** Returns a reply in the envelope of the app, `undefined` for the default. */
function encodeIn(app: Application, envelope: Envelope): { readonly body: string; readonly type: string } | undefined {
  const encoding = encodingIn(app)
  if (encoding === undefined) return undefined
  return attempt(() => {
    const encoded = encodeBy(encoding, envelope, undefined)
    const body = encoded && toJson(encoded.body) as string | undefined
    return encoded && body !== undefined ? { body, type: encoded.type } : undefined
  })
}

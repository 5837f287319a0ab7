import type { IncomingMessage } from 'node:http'
import { messageOf, type Message } from '../base/messages/messages.js'

/** Returns true if a request has several lines of one header, of which Node.js keeps the first. */
export function isRepeated(name: string, rawHeaders: readonly string[]): boolean {
  let lines = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at]
    if (sent?.length === name.length && sent.toLowerCase() === name) lines++
  }
  return lines > 1
}

const NAME = /(?=[^:])[\w.~!$&'()*+,;=-]*(?:%[\dA-F]{2}[\w.~!$&'()*+,;=-]*)*/
const ADDRESS = /\[[\dA-F:.]+\]|\[v[\dA-F]+\.[\w.~!$&'()*+,;=:-]+\]/

/**
 * Matches a host with an optional port (RFC 3986 §3.2.2, §3.2.3); http has no empty host (RFC 9110 §4.2.1). A scheme in
 * front is accepted, since some clients send it, such as Express's own tests.
 */
const HOST = new RegExp(`^(?:https?://)?(?:${NAME.source}|${ADDRESS.source})(?::\\d{0,5})?$`, 'i')

/** Captures the authority of a target in absolute form. */
const AUTHORITY = /^[a-z][\w+.-]*:\/\/([^/?#]*)/i

/**
 * Returns the fault of the host of a request (RFC 9112 §3.2). Node's own check finds a missing Host header only,
 * and answers without a body, so it is switched off for servers of this package.
 */
export function hostFault(req: IncomingMessage): Message | undefined {
  const { headers: { host }, rawHeaders, httpVersion } = req
  if (host === undefined && httpVersion === '1.1') return messageOf('unreadable.host_missing')
  if (host !== undefined && !isHost(host)) return messageOf('unreadable.host')
  if (isRepeated('host', rawHeaders)) return messageOf('unreadable.host_repeated')
  return targetFault(req)
}

/** The last valid host: most requests of a server name the same one. */
let lastHost: string | undefined

function isHost(host: string): boolean {
  if (host === lastHost) return true
  if (!HOST.test(host)) return false
  lastHost = host
  return true
}

/** Checks a target in absolute form, and replaces the Host header by its host (RFC 9112 §3.2.2). */
function targetFault({ headers, url = '' }: IncomingMessage): Message | undefined {
  const authority = url.startsWith('/') ? undefined : AUTHORITY.exec(url)?.[1]
  if (authority === undefined) return undefined
  if (!isHost(authority)) return messageOf('unreadable.target')
  headers.host = authority
  return undefined
}

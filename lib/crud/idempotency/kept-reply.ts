import type { OutgoingHttpHeaders } from 'node:http'
import type { Response } from 'express'
import { SerializedReply } from '../../reply.js'
import type { Envelope } from '../../types.js'
import { expose } from '../expose.js'

/** A reply as it is kept: what a repeat gets. */
export interface KeptReply {
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

type Headers = Readonly<Record<string, string | number | readonly string[]>>

/** The body as it stands, behind one line of what else there is: as JSON in JSON it would grow. */
export function toKeptText({ text, ...head }: KeptReply): string {
  return `${JSON.stringify(head)}\n${text}`
}

export function fromKeptText(kept: string): KeptReply {
  const end = kept.indexOf('\n')
  const head = JSON.parse(kept.slice(0, end)) as Omit<KeptReply, 'text'>
  return { ...head, text: kept.slice(end + 1) }
}

/** What belongs to one connection or to one moment, and secrets, which are nobody's to keep. */
const NOT_KEPT = new Set(['authorization', 'connection', 'content-length', 'content-type', 'date', 'keep-alive', 'set-cookie', 'transfer-encoding'])

/** The headers that a handler has set: those in front of it set theirs again for a repeat. */
export function headersSince(before: OutgoingHttpHeaders, res: Response): Headers {
  const changed = Object.entries(res.getHeaders()).filter(([name, value]) => !NOT_KEPT.has(name) && String(value) !== String(before[name]))
  return Object.fromEntries(changed) as Headers
}

/** The first reply once more, to the byte. */
export function replay(res: Response, { status, text, headers }: KeptReply): SerializedReply {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  res.setHeader('Idempotency-Replayed', 'true')
  expose(res, ['Idempotency-Replayed'])
  const { message, data, meta } = JSON.parse(text) as Envelope
  return new SerializedReply(message, data, meta, status, text)
}

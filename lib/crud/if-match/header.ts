import type { Request } from 'express'
import { HttpError } from '../../errors.js'

/** What `If-Match` asks: that the row is there, or that it has one of these strong tags. */
export type Asked = '*' | readonly string[]

/** One entity tag and what stands between it and the next (RFC 9110 §8.8.3, §5.6.1). */
const TAG = /[\t ]*(?:(W\/)?"([\x21\x23-\x7E\x80-\xFF]*)"[\t ]*)?(?:,|$)/y

/**
 * Reads `If-Match` (RFC 9110 §13.1.1), `undefined` where there is none; a weak tag is read, and is like no other.
 *
 * @throws HttpError 400 `unreadable` for what is neither `*` nor a list of tags.
 */
export function readIfMatch(req: Request): Asked | undefined {
  const text = req.headers['if-match']
  if (text === undefined) return undefined
  if (text.trim() === '*') return '*'
  const tags = tagsIn(text)
  if (tags.length === 0) throw unreadable()
  return tags.flatMap(({ weak, opaque }) => (weak ? [] : [opaque]))
}

function tagsIn(text: string): { weak: boolean; opaque: string }[] {
  const tags: { weak: boolean; opaque: string }[] = []
  for (TAG.lastIndex = 0; TAG.lastIndex < text.length;) {
    const match = TAG.exec(text)
    if (match === null) throw unreadable()
    const [, weak, opaque] = match
    if (opaque !== undefined) tags.push({ weak: weak !== undefined, opaque })
  }
  return tags
}

function unreadable(): HttpError {
  return new HttpError(400, 'If-Match is * or a list of tags in double quotes', { reason: 'unreadable' })
}

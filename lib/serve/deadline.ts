import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { timeAllowed } from '../routing/patience.js'
import { currentResponse } from './current-response.js'

/** Follows the connection of a response from here on. */
export type Watch = (res: ServerResponse) => void

/** The longest that nobody looks, in milliseconds. */
const LONGEST_PAUSE = 1000

/**
 * Calls `expire` with each response on a watched connection that has sent nothing after `seconds`, or after what it was allowed; 0 is
 * no deadline.
 *
 * A busy server answers tens of thousands a second, so nothing is done for each: one timer looks at the connections, and what stands
 * there at every look for that long is late. It is so by a tenth of its time, or two seconds, at most.
 */
export function deadline(seconds: number, expire: (res: ServerResponse) => void): Watch {
  if (seconds === 0) return () => undefined
  const limit = seconds * 1000
  const pause = Math.min(Math.ceil(limit / 20), LONGEST_PAUSE)
  const waiting = new Map<Socket, Sighting | undefined>()
  let timer: NodeJS.Timeout | undefined

  function look(): void {
    const now = performance.now()
    for (const [socket, seen] of waiting) {
      const res = currentResponse(socket)
      if (res === undefined || res.headersSent) continue
      if (seen?.res !== res) waiting.set(socket, { res, since: now })
      else if (now - seen.since >= limit && timeAllowed(res) <= 0) expire(res)
    }
    timer = undefined
    if (waiting.size > 0) plan()
  }

  function plan(): void {
    timer ??= setTimeout(look, pause).unref()
  }

  return ({ req: { socket } }) => {
    if (waiting.has(socket)) return
    waiting.set(socket, undefined)
    socket.once('close', () => waiting.delete(socket))
    plan()
  }
}

/** What stood on a connection, and since when it is known to. */
interface Sighting {
  readonly res: ServerResponse
  readonly since: number
}

import type { ServerResponse } from 'node:http'
import { timeAllowed } from '../routing/patience.js'

/** Follows a response until it is over. */
export type Watch = (res: ServerResponse) => void

/**
 * Calls `expire` with each watched response that has sent nothing after `seconds`, or after what it was allowed; 0 is no deadline.
 *
 * A busy server answers tens of thousands a second, so there is no timer for each: they stand in the order in which they
 * expire, and one timer is set for the oldest.
 */
export function deadline(seconds: number, expire: (res: ServerResponse) => void): Watch {
  if (seconds === 0) return () => undefined
  const limit = seconds * 1000
  const waiting = new Map<ServerResponse, number>()
  let timer: NodeJS.Timeout | undefined

  function schedule(delay: number): void {
    timer = setTimeout(sweep, delay).unref()
  }

  function sweep(): void {
    timer = undefined
    const now = performance.now()
    for (const [res, since] of waiting) {
      const left = since + limit - now
      if (left > 0) {
        schedule(left)
        return
      }
      waiting.delete(res)
      settle(res)
    }
  }

  function settle(res: ServerResponse): void {
    // Node does not close a pipelined response whose connection went away before its turn.
    if (res.headersSent || res.req.socket.destroyed) return
    const more = timeAllowed(res)
    if (more <= 0) {
      expire(res)
      return
    }
    const last = setTimeout(() => settle(res), more).unref()
    res.once('close', () => clearTimeout(last))
  }

  function over(this: ServerResponse): void {
    waiting.delete(this)
  }

  return (res) => {
    waiting.set(res, performance.now())
    res.on('close', over)
    if (timer === undefined) schedule(limit)
  }
}

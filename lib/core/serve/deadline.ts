import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { currentResponse } from '../base/node-http.js'
import { extensionLeft } from '../routing/request-state.js'

/** Watches a connection from now on. */
export type Watch = (socket: Socket) => void

/** The longest interval between two checks, in milliseconds. */
const MAX_INTERVAL = 1000

/**
 * Calls `expire` with each response on a watched connection that has sent nothing after `seconds`, or after an
 * extension; 0 is no deadline.
 *
 * A busy server answers tens of thousands of requests a second, so nothing is done for each: one timer checks the
 * connections, and a response that is there at every check for that long is late. It is noticed at most a tenth of the
 * time, or two seconds, later.
 */
export function deadline(seconds: number, expire: (res: ServerResponse) => void): Watch {
  if (seconds === 0) return () => undefined
  const limit = seconds * 1000
  const interval = Math.min(Math.ceil(limit / 20), MAX_INTERVAL)
  const waiting = new Map<Socket, Sighting | undefined>()
  let timer: NodeJS.Timeout | undefined

  function check(): void {
    const now = performance.now()
    for (const [socket, seen] of waiting) {
      const res = currentResponse(socket)
      if (res === undefined || res.headersSent) continue
      if (seen?.res !== res) waiting.set(socket, { res, since: now })
      else if (now - seen.since >= limit && extensionLeft(res) <= 0) expire(res)
    }
    timer = undefined
    if (waiting.size > 0) plan()
  }

  function plan(): void {
    timer ??= setTimeout(check, interval).unref()
  }

  return (socket) => {
    waiting.set(socket, undefined)
    socket.once('close', () => waiting.delete(socket))
    plan()
  }
}

/** A response that was found on a connection, and the time when it was first found. */
interface Sighting {
  readonly res: ServerResponse
  readonly since: number
}

/**
 * Makes a response that was answered for its handler ignore all further writes.
 *
 * The handler replies later, often from a callback where `setHeader` of a sent response would throw an error that no
 * code catches, and end the process. Callbacks are called, so that no code waits for them.
 */
export function discardWrites(res: ServerResponse): void {
  const ignore = (): ServerResponse => res
  const swallow = (...args: unknown[]): true => {
    const done = args.at(-1)
    if (typeof done === 'function') process.nextTick(done)
    return true
  }
  const end = (...args: unknown[]): ServerResponse => {
    swallow(...args)
    return res
  }
  for (const name of HEADER_FUNCTIONS) Reflect.set(res, name, ignore)
  for (const name of WRITING_FUNCTIONS) Reflect.set(res, name, swallow)
  Object.assign(res, { end })
}

const HEADER_FUNCTIONS = ['setHeader', 'setHeaders', 'appendHeader', 'removeHeader', 'addTrailers', 'writeHead']
const WRITING_FUNCTIONS = ['writeContinue', 'writeProcessing', 'writeEarlyHints', 'write']

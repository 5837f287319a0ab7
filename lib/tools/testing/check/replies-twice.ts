import type { ServerResponse } from 'node:http'

/** Methods that send, or begin to send, a reply. */
const SENDING = ['end', 'write', 'writeHead', 'setHeader'] as const

/** Calls a function when a handler sends more after the end of its reply. */
export function watchSecondReply(res: ServerResponse, notice: () => void): void {
  let isPassing = false
  for (const name of SENDING) {
    const original: unknown = Reflect.get(res, name)
    if (typeof original !== 'function') continue
    const watched = (...args: unknown[]): unknown => {
      // What Node.js and wrappers call inside one call belongs to it.
      if (isPassing) return Reflect.apply(original, res, args)
      if (res.writableEnded) notice()
      isPassing = true
      try {
        return Reflect.apply(original, res, args)
      } finally {
        isPassing = false
      }
    }
    Object.defineProperty(res, name, { value: watched, configurable: true, writable: true })
  }
}

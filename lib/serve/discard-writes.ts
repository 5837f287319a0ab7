import type { ServerResponse } from 'node:http'

/**
 * Lets whatever is still written to an answered response go nowhere.
 *
 * A handler that was answered for replies all the same, often from a callback where `setHeader` of a sent response
 * would throw past everybody and end the process. Callbacks are called, so that nobody waits for them.
 */
export function discardWrites(res: ServerResponse): void {
  const ignore = (): ServerResponse => res
  const swallow = (...args: unknown[]): true => {
    const done = args.at(-1)
    if (typeof done === 'function') process.nextTick(done)
    return true
  }
  Object.assign(res, {
    setHeader: ignore,
    setHeaders: ignore,
    appendHeader: ignore,
    removeHeader: ignore,
    addTrailers: ignore,
    writeHead: ignore,
    writeContinue: swallow,
    writeProcessing: swallow,
    writeEarlyHints: swallow,
    write: swallow,
    end: (...args: unknown[]) => {
      swallow(...args)
      return res
    },
  })
}

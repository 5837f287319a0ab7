type Close = () => Promise<void>

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** The servers of the process that a signal closes; the process ends when all of them are closed. */
const running = new Set<Close>()
/** When the first signal came, in milliseconds of `performance.now()`. */
let stoppingSince: number | undefined

/**
 * For how long further signals are repeats of the first, in milliseconds: who stops a process group signals npm and its child, and npm
 * passes the signal on.
 */
const REPEATS = 1000

/**
 * Closes on SIGTERM and SIGINT, then ends the process; a signal that comes more than a second after the first ends it at once. Returns a
 * function that takes the server out again.
 */
export function closeOnSignal(close: Close): () => void {
  if (running.size === 0) for (const signal of SIGNALS) process.on(signal, stop)
  running.add(close)
  return () => {
    running.delete(close)
    if (running.size === 0) for (const signal of SIGNALS) process.off(signal, stop)
  }
}

function stop(): void {
  if (stoppingSince !== undefined) {
    if (performance.now() - stoppingSince > REPEATS) process.exit(1)
    return
  }
  stoppingSince = performance.now()
  void Promise.allSettled([...running].map((close) => close())).then((results) => {
    const failed = results.filter((result) => result.status === 'rejected')
    for (const { reason } of failed) console.error(reason)
    process.exit(failed.length === 0 ? 0 : 1)
  })
}

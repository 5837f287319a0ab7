type Close = () => Promise<void>

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** Every server of the process that a signal closes: the process ends when all of them have. */
const running = new Set<Close>()
let stopping = false

/** Closes on SIGTERM and SIGINT, then ends the process; a second signal ends it at once. Returns how to let go of that. */
export function closeOnSignal(close: Close): () => void {
  if (running.size === 0) for (const signal of SIGNALS) process.on(signal, stop)
  running.add(close)
  return () => {
    running.delete(close)
    if (running.size === 0) for (const signal of SIGNALS) process.off(signal, stop)
  }
}

function stop(): void {
  if (stopping) process.exit(1)
  stopping = true
  void Promise.allSettled([...running].map((close) => close())).then((results) => {
    const failed = results.filter((result) => result.status === 'rejected')
    for (const { reason } of failed) console.error(reason)
    process.exit(failed.length === 0 ? 0 : 1)
  })
}

import { readdirSync } from 'node:fs'
import type { Server } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The memory of a process after a garbage collection, in megabytes, and its open files and sockets but those of clients. */
export interface Measured {
  readonly memory: number
  readonly descriptors: number
}

/** Answers the message `measure` of the parent process. */
export function answerMeasurements(server: Server): void {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  process.on('message', (message) => {
    if (message !== 'measure') return
    collectGarbage()
    collectGarbage()
    const { heapUsed, external } = process.memoryUsage()
    const open = readdirSync('/proc/self/fd').length
    server.getConnections((_error, clients) => {
      const measured: Measured = { memory: (heapUsed + external) / 1e6, descriptors: open - clients }
      process.send?.(measured)
    })
  })
}

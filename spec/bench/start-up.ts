import { exchange } from './check-replies.js'
import { serverOf, type ServerKey } from './comparison.js'
import { startServer, type Runtime } from './processes.js'
import { show, spreadOf } from './statistics.js'
import { table } from './tables.js'
import { SETS } from './workloads.js'

/** Measures the time from the start of a process to its first reply; with `node:http` alone it is that of Node.js. */
export async function startUp(servers: readonly ServerKey[], rounds: number, runtime: Runtime): Promise<string> {
  const [workload] = SETS.basic
  if (workload === undefined) throw new Error('There is no workload')
  const starts = new Map<ServerKey, { readonly time: number; readonly cost: number }[]>(servers.map((key) => [key, []]))
  for (let round = 0; round < rounds; round++) {
    for (const key of servers) {
      const from = performance.now()
      const server = await startServer(serverOf(key), workload, runtime)
      await exchange(server.port, workload.request)
      const time = performance.now() - from
      starts.get(key)?.push({ time, cost: (await server.usage()).processorTime / 1000 })
      await server.stop()
    }
  }
  const rows = [...starts].map(([key, measured]) => ({
    key,
    time: spreadOf(measured.map(({ time }) => time)),
    cost: spreadOf(measured.map(({ cost }) => cost)),
  }))
  return table(
    ['server', 'ms to the first reply', 'ms of processor time'],
    rows
      .sort((one, other) => one.cost.median - other.cost.median)
      .map(({ key, time, cost }) => [serverOf(key).label, show(time), show(cost)]),
  )
}

import { memoryUsage, cpuUsage } from 'node:process'
import type { Shape, Start } from './data.js'
import { portOf } from './port-of.js'

/*
 * One server in a process of its own: `run.js <server> <resources> <shape>`. It reports its port over IPC and, on request,
 * how much processor time it has used, in microseconds, and how much memory it holds, in bytes.
 */

const [, , server = '', resources = '0', shape = 'app'] = process.argv
const { start } = await import(`./${server}.js`) as { readonly start: Start }
const port = await portOf(await start(Number(resources), shape as Shape))
process.on('message', () => {
  const { user, system } = cpuUsage()
  process.send?.({ processorTime: user + system, memory: memoryUsage.rss() })
})
process.on('disconnect', () => process.exit(0))
process.send?.({ port })

#!/usr/bin/env node
import { forbidListening, run } from './run.js'

function complain(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Ends the process without waiting for resources of the module, such as a pool of connections. */
function end(status: number): void {
  process.stdout.write('', () => process.exit(status))
}

forbidListening()
process.once('unhandledRejection', (error) => {
  complain(error instanceof Error ? error.message : String(error))
  end(2)
})
void run(
  process.argv.slice(2),
  (text) => process.stdout.write(`${text}\n`),
  complain,
  (url) => import(url) as Promise<object>,
).then(end)

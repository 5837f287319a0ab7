#!/usr/bin/env node
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { forbidListening, run } from './run.js'

function complain(text: string): void {
  process.stderr.write(`${text}\n`)
}

const print = process.stdout.write.bind(process.stdout)
let hasFinished = false

/** Ends the process without waiting for resources of the module, such as a pool of connections. */
function end(status: number): void {
  hasFinished = true
  print('', () => process.exit(status))
}

/**
 * Reports a process that the module ends: its status would be taken for that of the command, 0 for a check that never
 * ran.
 */
function reportEnd(): void {
  if (hasFinished) return
  process.exitCode = 2
  complain(
    'The process ended before the command had finished: the module called `process.exit`, or an error was thrown '
      + 'that nothing caught.',
  )
}

/** Lets modules be TypeScript, by the tsx of the project where it is installed, otherwise by what Node.js can do. */
async function acceptTypeScript(): Promise<void> {
  let file: string
  try {
    file = createRequire(join(process.cwd(), 'package.json')).resolve('tsx')
  } catch {
    return
  }
  await import(pathToFileURL(file).href)
}

/** Prints the version of the package. With other arguments `--version` is that of a document. */
function printVersion(): void {
  const { version } = createRequire(import.meta.url)('../../../package.json') as { readonly version: string }
  print(`${version}\n`)
  end(0)
}

// Node.js exits when no work is left, even if the module still awaits a promise that never settles.
process.exitCode = 2
process.once('beforeExit', () => {
  hasFinished = true
  complain('The module has not finished: it waits for a promise that never settles.')
})
process.once('exit', reportEnd)
// Results are read by programs, and modules print: what they print to stdout goes to stderr.
process.stdout.write = process.stderr.write.bind(process.stderr)
forbidListening()
process.once('unhandledRejection', (error) => {
  complain(error instanceof Error ? error.message : String(error))
  end(2)
})
if (process.argv.slice(2).join(' ') === '--version') printVersion()
else {
  void acceptTypeScript().then(() =>
    run(
      process.argv.slice(2),
      (text) => print(`${text}\n`),
      complain,
      (url) => import(url),
    )
  ).then(end)
}

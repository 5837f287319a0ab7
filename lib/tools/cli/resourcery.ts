#!/usr/bin/env node
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { forbidListening, run } from './run.js'

function complain(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Ends the process without waiting for resources of the module, such as a pool of connections. */
function end(status: number): void {
  process.stdout.write('', () => process.exit(status))
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
  process.stdout.write(`${version}\n`, () => process.exit(0))
}

// Node.js exits when no work is left, even if the module still awaits a promise that never settles.
process.exitCode = 2
process.once('beforeExit', () => complain('The module has not finished: it waits for a promise that never settles.'))
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
      (text) => process.stdout.write(`${text}\n`),
      complain,
      (url) => import(url),
    )
  ).then(end)
}

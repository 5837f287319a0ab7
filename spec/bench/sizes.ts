import type { ServerKey } from './comparison.js'
import { compileTime } from './compile-time.js'
import { importTime } from './import-time.js'
import { installedSize } from './installed-size.js'
import { installed } from './prepare.js'
import { outputOf, pinned, type Runtime } from './processes.js'
import { startUp } from './start-up.js'

/** Measures starting, loading, installing, compiling and mounting. */
export async function sizes(servers: readonly ServerKey[], rounds: number, runtime: Runtime): Promise<string> {
  const sections: readonly [string, () => Promise<string>][] = [
    ['Start', () => startUp(servers, rounds, runtime)],
    ['Import', () => importTime(2 * rounds, runtime)],
    ['Installed size', installedSize],
    ['Compiling 100 resources', () => compileTime(Math.min(3, rounds))],
    [
      'Mounting 1,000 resources of seven actions',
      () => outputOf(...pinned(0, [runtime.program, '--expose-gc', `${installed}/mount-1000.js`, String(rounds)])),
    ],
  ]
  const done: string[] = []
  for (const [title, measure] of sections) {
    console.error(title)
    done.push(`#### ${title}\n\n${(await measure()).trim()}`)
  }
  return done.join('\n\n')
}

import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isNightly } from '../support/nightly.js'

/*
 * A program: runs app.js under each tracer named as an argument, or under all, and prints the records as a table. A
 * resource must be recorded like the same routes on plain Express, and under their declared paths if the tracer was
 * loaded first.
 */

interface Recorded {
  readonly statuses: readonly number[]
  readonly names: readonly string[]
  readonly errors: readonly string[]
}

const TRACERS = ['opentelemetry', 'sentry', 'datadog', 'newrelic']
const PLACES = [['preloaded', 'router'], ['late', 'app'], ['preloaded', 'app'], ['late', 'router']] as const
const DECLARED = ['GET /api/faults/:id', 'GET /api/items/:id']
const chosen = process.argv.slice(2)
let failures = 0

console.log('| tracer | loaded | routes on | served by | names | errors | as Express |\n|---|---|---|---|---|---|---|')
for (const TRACER of chosen.length > 0 ? chosen : TRACERS) {
  for (const [WHEN, ON] of PLACES.slice(0, isNightly ? 4 : 2)) {
    const expected = await record({ TRACER, WHEN, ON, BY: 'listen', KIND: 'express' })
    for (const BY of ['serve', 'listen']) {
      report({ TRACER, WHEN, ON, BY }, await record({ TRACER, WHEN, ON, BY, KIND: 'resource' }), expected)
    }
  }
}
process.exitCode = failures === 0 ? 0 : 1

function report(
  { TRACER, WHEN, ON, BY }: Readonly<Record<'TRACER' | 'WHEN' | 'ON' | 'BY', string>>,
  seen: Recorded,
  expected: Recorded,
): void {
  const isSame = JSON.stringify(seen) === JSON.stringify(expected)
  const isNamed = WHEN === 'late'
    || (DECLARED.every((name) => seen.names.includes(name)) && seen.errors.includes('It broke'))
  if (!isSame || !isNamed) failures++
  const verdict = isSame ? 'yes' : `no: ${JSON.stringify(expected)}`
  console.log(
    `| ${TRACER} | ${WHEN} | ${ON} | ${BY} | ${seen.names.join(', ')} | ${seen.errors.join(', ')} | ${
      isNamed ? verdict : 'not named'
    } |`,
  )
}

function record(env: Readonly<Record<'TRACER' | 'WHEN' | 'ON' | 'BY' | 'KIND', string>>): Promise<Recorded> {
  const execArgv = env.WHEN === 'preloaded'
    ? ['--import', fileURLToPath(new URL(`tracers/${env.TRACER}.js`, import.meta.url))]
    : []
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('app.js', import.meta.url)), {
      env: { ...process.env, ...env },
      execArgv,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    child.once('message', (recorded) => resolve(recorded as Recorded))
    child.once('exit', (code) => reject(new Error(`${JSON.stringify(env)} ended with ${code} before it reported.`)))
  })
}

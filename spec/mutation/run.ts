import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { AREAS } from './areas.js'
import { reportOf } from './report.js'

/*
 * Changes the code of an area in one place at a time, and expects that a spec fails: `npm run test:mutation -- scope`.
 * Prints the share of changes that were noticed, and the others one by one. Strings are not changed. SAMPLE=0.1 tries
 * a tenth of the changes.
 */

const here = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
const areas = process.argv.slice(2)
/** The share of changes to try, chosen at random but the same in each run. */
const sample = process.env.SAMPLE
const unknown = areas.filter((name) => !Object.hasOwn(AREAS, name))
if (areas.length === 0 || unknown.length > 0) {
  console.error(`Name areas: ${Object.keys(AREAS).join(', ')}.`)
  process.exit(1)
}
if (sample !== undefined && !(Number(sample) > 0 && Number(sample) < 1)) {
  console.error(`SAMPLE is a share such as 0.1, not "${sample}".`)
  process.exit(1)
}
for (const area of areas) await run(area)

async function run(area: string): Promise<void> {
  const folder = `${here}reports/`
  mkdirSync(folder, { recursive: true })
  const [config, json] = [`${folder}${area}.config.json`, `${folder}${area}.json`]
  writeFileSync(config, JSON.stringify(settings(area, json), undefined, 2))
  const started = performance.now()
  const child = spawn(`${here}node_modules/.bin/stryker`, ['run', config], {
    cwd: root,
    env: { ...process.env, MUTATION_AREA: area },
    stdio: 'inherit',
  })
  const code = await new Promise((resolve) => child.on('exit', resolve))
  if (code !== 0 || !existsSync(json)) throw new Error(`${area}: Stryker has ended with ${String(code)}`)
  const minutes = ((performance.now() - started) / 60_000).toFixed(1)
  console.log(`${area}: ${reportOf(JSON.parse(readFileSync(json, 'utf8')))}\n${minutes} minutes`)
}

function settings(area: string, json: string): object {
  return {
    testRunner: 'vitest',
    plugins: [`${here}node_modules/@stryker-mutator/vitest-runner/dist/src/index.js`, `${here}sample.js`],
    vitest: { configFile: 'spec/mutation/vitest.config.ts', related: false },
    mutate: AREAS[area]?.files,
    mutator: { excludedMutations: ['StringLiteral', 'Regex'] },
    coverageAnalysis: 'perTest',
    // A change of what runs once, at import, needs a new process with all specs.
    ignoreStatic: true,
    concurrency: Number(process.env.CONCURRENCY ?? 1),
    timeoutMS: 20_000,
    // What a run before has found is kept for code and specs that are the same since then.
    incremental: sample === undefined,
    incrementalFile: json.replace('.json', '.incremental.json'),
    force: process.env.FORCE === 'true',
    reporters: ['json', 'clear-text', 'progress-append-only'],
    clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
    jsonReporter: { fileName: json },
    tempDirName: 'spec/mutation/sandbox',
    ignorePatterns: ['dist', 'coverage', 'site', 'docs', 'spec/*/node_modules', 'spec/*/*/node_modules',
      'samples/*/node_modules', 'spec/mutation/reports', 'spec/bench/**/*.svg', 'spec/*/generated'],
    disableTypeChecks: false,
    checkers: sample === undefined ? [] : ['sample'],
    allowConsoleColors: false,
    cleanTempDir: 'always',
  }
}

import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/*
 * Runs the tests of Express itself on `serve`: see README.md beside this file.
 */

const root = fileURLToPath(new URL('../..', import.meta.url))
const { positionals: [checkout], values: { express, router, keep } } = parseArgs({
  allowPositionals: true,
  options: { express: { type: 'string' }, router: { type: 'string' }, keep: { type: 'boolean', default: false } },
})
if (checkout === undefined || !existsSync(join(checkout, 'lib/express.js'))) {
  throw new Error(
    'Usage: node --import tsx spec/express-suite/run.ts <a checkout of expressjs/express> [--express 5.3.0] [--router '
      + '2.3.0] [--keep]',
  )
}

/** One way to run the suite. */
interface Mode {
  readonly name: string
  readonly redirected: boolean
  readonly env: Readonly<Record<string, string>>
}

const MODES: readonly Mode[] = [
  { name: 'Express alone', redirected: false, env: {} },
  { name: 'serve', redirected: true, env: {} },
  { name: 'serve, RESOURCERY_FAST=off', redirected: true, env: { RESOURCERY_FAST: 'off' } },
]

interface Outcome {
  readonly passed: number
  readonly failures: readonly { readonly fullTitle: string; readonly err: { readonly message?: string } }[]
}

const folder = mkdtempSync(join(tmpdir(), 'express-suite-'))
try {
  prepare(resolve(checkout))
  const outcomes = MODES.map((mode) => run(mode))
  const known = new Set(outcomes[0]?.failures.map(({ fullTitle }) => fullTitle))
  const lost = outcomes.flatMap(({ failures }) => failures.filter(({ fullTitle }) => !known.has(fullTitle)))
  process.exitCode = lost.length === 0 && outcomes.every(({ passed }) => passed > 1000) ? 0 : 1
} finally {
  if (keep) console.log(folder)
  else rmSync(folder, { recursive: true, force: true })
}

/**
 * Copies the checkout, installs what it needs, and puts our `lib` beside it, for which `express` is the checkout's own.
 */
function prepare(source: string): void {
  cpSync(source, folder, { recursive: true, filter: (path) => !/\/(?:node_modules|\.git)$/.test(path) })
  npm('install', '--ignore-scripts')
  if (express !== undefined) {
    const archive = execFileSync('npm', ['pack', `express@${express}`, '--silent'], { cwd: folder, encoding: 'utf8' })
      .trim()
    execFileSync('tar', ['xzf', archive, '--strip-components=1', 'package/lib', 'package/index.js'], { cwd: folder })
  }
  if (router !== undefined) npm('install', '--ignore-scripts', '--no-save', `router@${router}`)
  symlinkSync(folder, join(folder, 'node_modules/express'))
  const ours = join(folder, 'resourcery')
  for (const part of ['lib', 'spec/express-suite', 'package.json', 'tsconfig.json']) {
    cpSync(join(root, part), join(ours, part), { recursive: true })
  }
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
    string,
    Record<string, string>
  >
  for (const name of ['zod', 'tsx', ...Object.keys({ ...dependencies, ...devDependencies })]) link(name)
  const version = (name: string): string =>
    (JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as { version: string })
      .version
  console.log(
    `lib of express ${express ?? version('express')}, router ${version('router')}, Node.js ${process.version}`,
  )
}

function npm(...args: string[]): void {
  execFileSync('npm', [...args, '--no-audit', '--no-fund', '--silent'], { cwd: folder, stdio: 'inherit' })
}

function link(name: string): void {
  const place = join(folder, 'node_modules', name)
  const ours = join(root, 'node_modules', name)
  if (!name.includes('/') && !existsSync(place) && existsSync(ours)) symlinkSync(ours, place)
}

function run({ name, redirected, env }: Mode): Outcome {
  const report = join(folder, 'report.json')
  const mocha = [
    'node_modules/mocha/bin/mocha.js',
    '--require',
    'test/support/env',
    '--check-leaks',
    '--exit',
    '--reporter',
    'json',
    '--reporter-option',
    `output=${report}`,
  ]
  const args = redirected
    ? ['--import', 'tsx', ...mocha, '--require', './resourcery/spec/express-suite/redirect.ts']
    : mocha
  rmSync(report, { force: true })
  const { stderr } = spawnSync(process.execPath, [...args, 'test/', 'test/acceptance/'], {
    cwd: folder,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
  if (!existsSync(report)) throw new Error(`mocha did not finish: ${stderr}`)
  const { stats, failures } = JSON.parse(readFileSync(report, 'utf8')) as {
    stats: { passes: number; pending: number }
    failures: Outcome['failures']
  }
  console.log(`${name}: ${stats.passes} passed, ${failures.length} failed, ${stats.pending} pending`)
  for (const { fullTitle, err } of failures) console.log(`  ${fullTitle}: ${err.message ?? ''}`)
  if (failures.length > 0) console.log(stderr.slice(0, 2000))
  return { passed: stats.passes, failures }
}

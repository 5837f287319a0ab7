import { AssertionError } from 'node:assert/strict'
import type { Application } from 'express'
import { isApp, MisuseError, suggestion } from '../../../core/index.js'
import type { NamedCase } from '../store-cases.js'
import { findingText, reportOf, type CheckReport } from './findings.js'
import { isNamed, toSettings, type CheckOptions, type CheckSettings } from './options.js'
import { isChosen, Run } from './run.js'
import { routeNames, routesIn, surfaceOf } from './targets.js'
import { checkLists } from './read-checks.js'
import { checkTokens } from './tokens.js'
import { checkUndeclaredFields } from './field-checks.js'
import { checkHandles } from './handles.js'
import { checkKeys } from './key-checks.js'
import { checkClaimedHeaders } from './claimed-headers.js'
import { checkReadChanges, checkRowCounts } from './read-changes.js'
import { checkIdentities } from './identity-checks.js'
import { checkParents } from './parent-checks.js'
import { checkBulk } from './bulk-checks.js'
import { checkFileNames } from './file-names.js'
import { checkFetchedUrls } from './fetched-urls.js'
import { checkSessions } from './session-checks.js'
import { checkTraversals } from './traversal-checks.js'
import { checkPrototypes } from './prototype-checks.js'
import { checkTotals } from './total-checks.js'
import { checkTenants } from './tenants.js'
import { checkBypasses } from './bypass-checks.js'
import { checkSlowness } from './slow-checks.js'
import { checkStates } from './state-checks.js'
import { checkDeletions, checkStoredDeletions } from './deletion-checks.js'
import { checkHiddenRecords } from './hidden-records.js'
import { checkAmounts, checkDates, checkLaxChanges } from './lax-fields.js'
import { checkExports } from './csv-checks.js'
import { checkRaces } from './race-checks.js'
import { checkMissingIds, checkShownIds } from './shown-ids.js'
import { checkSignIns } from './sign-in-checks.js'
import { checkSizes } from './size-checks.js'
import { checkStaleChanges } from './stale-checks.js'
import { checkWrites } from './write-checks.js'
import { checkChanges } from './change-checks.js'
import { sendValid, sendWaves } from './waves.js'
import { labelOf, type Target } from './model.js'

export type { CheckFinding, CheckReport } from './findings.js'
export type { CheckOptions } from './options.js'
export type { CheckBody, CheckKind, CheckRequest, FormPart } from './model.js'
export type { RequestExample } from './known.js'
export type { Secret } from './leaks.js'

/**
 * Tests a whole application from its route table, in process: sends requests of all kinds to every route, as every
 * caller, and judges each reply by the guards, the envelope and the app's own OpenAPI document.
 *
 * The requests change and delete rows, so give it an app on a database for tests. Random values are made by
 * `fast-check` if it is installed.
 *
 * @throws MisuseError (as a rejection) `check_app` for something that is no Express app, `check_options` for an option
 * that does not exist or has another type, and for a route that does not exist; `access_callers` for a caller without
 * an id.
 * @example
 * const report = await checkApi(app, { callers: { admin: { id: 1, role: 'admin' }, user: { id: 2 } } })
 * assert.equal(report.findings.length, 0, String(report))
 */
export async function checkApi(app: Application, options: CheckOptions = {}): Promise<CheckReport> {
  checkApp(app)
  const settings = toSettings(options)
  checkRoutes(app, settings)
  const surface = await surfaceOf(app, settings.callers)
  const run = new Run(app, surface, settings)
  try {
    await runAll(run)
  } finally {
    run.end()
    settings.progress('')
  }
  const { findings, requests, seconds, isComplete, targets } = run
  return reportOf(findings, { seed: settings.seed, requests, routes: targets.length, seconds, isComplete })
}

/** The methods in the order in which they are tested: rows are read before they are changed, and deleted last. */
const ORDER = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH']

/** The checks in their order, each with its share of the budget; what one leaves over is for the next ones. */
const STEPS: readonly (readonly [share: number, check: (run: Run, routes: Routes) => Promise<void>])[] = [
  // The first requests of all: an order that they change once stays so.
  [4, checkReadChanges],
  // Before others set what is inherited.
  [1, checkPrototypes],
  [2, checkRowCounts],
  [7, (run, { changing }) => sendValid(run, changing)],
  [4, checkClaimedHeaders],
  [13, checkTenants],
  [2, checkShownIds],
  [1, checkMissingIds],
  [6, checkHiddenRecords],
  [1, checkTotals],
  [5, checkWrites],
  [5, checkChanges],
  [4, checkDeletions],
  [2, checkIdentities],
  [2, checkParents],
  [2, checkLaxChanges],
  [10, checkLists],
  [1, checkBulk],
  [2, checkDates],
  [1, checkAmounts],
  [1, checkFileNames],
  [2, checkSignIns],
  [1, checkSessions],
  [4, checkStates],
  // After the lists: they make records, and lists are compared that fit one page.
  [1, checkKeys],
  [4, checkRaces],
  [2, checkStaleChanges],
  [2, checkExports],
  [4, checkBypasses],
  [3, checkUndeclaredFields],
  [2, checkTokens],
  [1, checkFetchedUrls],
  [2, checkTraversals],
  [4, (run, { changing }) => checkHandles(run, changing)],
  [3, checkSlowness],
  [16, (run, { changing }) => sendWaves(run, changing)],
  [1, checkSizes],
  [3, checkStoredDeletions],
  [1, (run, { deleting }) => sendValid(run, deleting)],
  [6, (run, { deleting }) => sendWaves(run, deleting)],
]

interface Routes {
  readonly changing: readonly Target[]
  readonly deleting: readonly Target[]
}

async function runAll(run: Run): Promise<void> {
  const sorted = [...run.targets].sort((one, other) => placeOf(one) - placeOf(other))
  const routes = { changing: sorted.filter(({ method }) => method !== 'DELETE'),
    deleting: sorted.filter(({ method }) => method === 'DELETE') }
  const whole = STEPS.reduce((sum, [share]) => sum + share, 0)
  let shares = 0
  for (const [share, check] of STEPS) {
    shares += share
    run.limitTo(shares / whole)
    await check(run, routes)
  }
  await run.settle(150)
}

function placeOf({ method }: Target): number {
  const place = ORDER.indexOf(method)
  return place === -1 ? ORDER.length : place
}

/**
 * Returns {@link checkApi} as tests for any test runner, one a route: each fails with the findings of its route.
 *
 * The first test that runs sends the requests to all routes, so give it a time limit above `budget`.
 *
 * @throws MisuseError `check_app` for something that is no Express app, `check_options` for an option that does not
 * exist or has another type, and for a route that does not exist.
 * @example
 * for (const { name, run } of checkCases(app, { callers: { admin: { id: 1, role: 'admin' } } })) test(name, run)
 */
export function checkCases(app: Application, options: CheckOptions = {}): NamedCase[] {
  checkApp(app)
  const settings = toSettings(options)
  checkRoutes(app, settings)
  let report: Promise<CheckReport> | undefined
  return chosenIn(app, settings).map((label) => ({
    name: `${label} has no findings`,
    run: async () => {
      report ??= checkApi(app, options)
      const found = (await report).findings.filter(({ route }) => route === label)
      if (found.length > 0) throw new AssertionError({ message: found.map(findingText).join('\n\n') })
    },
  }))
}

/** Returns the routes that the options `skip` and `only` leave, as findings name them. */
function chosenIn(app: Application, settings: CheckSettings): string[] {
  return routesIn(app).filter((route) => isChosen({ ...route, name: route.entry?.name ?? null }, settings)).map(labelOf)
}

/** A misspelt route of `skip` would be tested, and one of `only` nothing. */
function checkRoutes(app: Application, settings: CheckSettings): void {
  const { skip, only, examples } = settings
  const known = routeNames(app)
  const knows = (name: string, option: string): boolean =>
    option === 'examples' ? known.has(name) : [...known].some((route) => isNamed(name, route))
  for (const [option, names] of Object.entries({ skip, only: only ?? [], examples: Object.keys(examples) })) {
    const unknown = names.find((name) => !knows(name, option))
    if (unknown === undefined) continue
    const sentence = `checkApi(): \`${option}\` names the route \`${unknown}\`, which does not exist.`
    throw new MisuseError('check_options', sentence + suggestion(unknown, [...known]))
  }
  if (only === undefined || chosenIn(app, settings).length > 0) return
  throw new MisuseError('check_options', 'checkApi(): `skip` names all routes of `only`, so that none is left to call.')
}

function checkApp(app: unknown): void {
  if (isApp(app)) return
  throw new MisuseError('check_app', 'checkApi() was given no Express app. Give it the outermost app.')
}

import { subscribe } from 'node:diagnostics_channel'
import type { EventEmitter } from 'node:events'
import type { Application } from 'express'
import { memoize } from '../base/memoize.js'
import { MisuseError } from '../base/errors.js'
import { warnOnce } from '../base/warn-once.js'
import { isApp, rootOf, stackOf } from '../express/stack.js'
import { checkCopies } from '../routing/copies.js'
import { functionsInFront } from '../routing/in-front.js'
import { listBelow, registrations, type MountedRoute, type StartCheck, type StartFinding } from '../routing/registry.js'
import { checkNames } from './names.js'

/*
 * Faults that `serve` refuses at the start are only reported under `app.listen`: when the server listens, otherwise at
 * the first request.
 */

/** The number of registrations at the last check of an app. */
const checksOf = memoize((_app: Application) => ({ at: -1 }))

/**
 * Checks an app before it is served.
 *
 * @throws MisuseError `copies_mixed`, `name_taken`, `route_taken` or `route_invalid`, and what a resource throws at its
 * start.
 */
export function checkAtStart(app: Application): void {
  checkCopies(app)
  checkNames(app)
  reportFunctions(app, (code, message) => warnAbout(app, code, message))
  checkResources(app)
  checksOf(app).at = registrations
}

/** Checks the app of a request as at the start of a server. */
export function checkAtFirstRequest(app: unknown): void {
  if (isApp(app)) warnAtStart(rootOf(app))
}

let isSubscribed = false

/** Checks the apps of servers when they begin to listen. */
export function checkWhenListening(): void {
  if (isSubscribed) return
  isSubscribed = true
  subscribe('tracing:net.server.listen:asyncEnd', (message) => {
    const { server } = message as { readonly server: EventEmitter }
    for (const listener of server.listeners('request')) if (isApp(listener)) warnAtStart(listener)
  })
}

/** Checks an app as `serve` does, again after more routes were mounted; a fault becomes a process warning. */
function warnAtStart(app: Application): void {
  const checks = checksOf(app)
  if (checks.at === registrations) return
  try {
    checkAtStart(app)
  } catch (error) {
    if (error instanceof MisuseError) warnAbout(app, error.code, error.message)
  }
  // Listing may have completed declarations.
  checks.at = registrations
}

/**
 * Warns of functions without a path in front of a wildcard for anonymous callers, of which nothing is known: they may
 * answer requests for which the application expects a sign-in.
 */
function reportFunctions(app: Application, report: Report): void {
  for (const { path, route, entries } of listBelow(app)) {
    if (path?.includes('*') !== true || entries.every(({ auth }) => auth === true)) continue
    for (const name of functionsInFront(stackOf(app), route, path)) {
      report(
        'public_function',
        `The function \`${name}\` without a path is after \`auth\` and in front of the public route ${path}: what it `
          + 'answers is public too. Mount it in front of `auth`, or with a path.',
      )
    }
  }
}

type Report = (code: string, message: string) => void

/** Finds all faults that the start of an app would report, and changes nothing. */
export async function findAtStart(app: Application): Promise<StartFinding[]> {
  const findings: StartFinding[] = []
  const report: Report = (code, message) => void findings.push({ code, message })
  const attempt = (check: () => void): void => {
    try {
      check()
    } catch (error) {
      if (!(error instanceof MisuseError)) throw error
      report(error.code, error.message)
    }
  }
  attempt(() => checkCopies(app))
  attempt(() => checkNames(app))
  attempt(() => reportFunctions(app, report))
  const checks = startChecksOf(app)
  for (const check of checks.keys()) {
    attempt(() => check.check())
    const warnings = await check.warnings(checks).catch(() => []) // Without an answer of the database nothing is known.
    for (const { code, message } of warnings) report(code, message)
  }
  return findings
}

function startChecksOf(app: Application): Map<StartCheck, MountedRoute[]> {
  const checks = new Map<StartCheck, MountedRoute[]>()
  for (const route of listBelow(app).flatMap(({ entries }) => entries)) {
    const { startCheck } = route
    if (startCheck !== undefined) checks.set(startCheck, [...checks.get(startCheck) ?? [], route])
  }
  return checks
}

/** Runs the checks of resources; what they warn of may take a query, for which nothing waits. */
function checkResources(app: Application): void {
  const checks = startChecksOf(app)
  for (const check of checks.keys()) check.check()
  for (const check of checks.keys()) {
    check.warnings(checks).then((findings) => {
      for (const { code, message } of findings) warnAbout(app, code, message)
    }, () => undefined) // Without an answer of the database nothing is known.
  }
}

/** Emits a process warning, unless the same was emitted about the app. */
export function warnAbout(app: Application, code: string, message: string): void {
  warnOnce(app, message, { code: `RESOURCERY_${code.toUpperCase()}` })
}
